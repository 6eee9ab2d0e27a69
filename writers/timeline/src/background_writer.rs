//! A file that is written by a separate thread, which follows the thread that makes the bytes.
//!
//! Copying bytes to the page cache takes a good part of an export's time, so it is done concurrently with the rest, in blocks that are
//! used again and again.

use ompttrace_model::Pool;
use ompttrace_recording::reader::usable_cores;
use ompttrace_workers::{Background, Stopped};
use std::io::{self, Write};

/// Blocks that wait to be written.
const WAITING: usize = 4;
/// Bytes of a block: whole pages, so that none is written in two parts.
const BLOCK: usize = 256 << 10;

/// Passes bytes on, in blocks of its own, to a thread that writes them, up to the first [`Write::flush`]. An error of the
/// thread comes back from a later call, of `flush` at the latest. With it goes the writer: a caller that
/// drops it unflushed, because something else failed, loses what waits for a block to be full.
#[derive(Debug)]
pub struct BackgroundWriter<W>(WriterState<W>);

#[derive(Debug)]
enum WriterState<W> {
    /// The calling thread writes: there is no core for another thread, or everything was flushed.
    Here(W),
    There {
        /// The block that is being filled.
        filling: Vec<u8>,
        spent: Pool<Vec<u8>>,
        thread: Background<(W, Pool<Vec<u8>>), Vec<u8>, io::Error>,
    },
    /// The writer failed, and said so.
    Over,
}

impl<W: Write + Send + 'static> BackgroundWriter<W> {
    /// Writes to `writer` in the thread that calls.
    pub fn here(writer: W) -> Self {
        BackgroundWriter(WriterState::Here(writer))
    }

    /// Writes to `writer`: by another thread where there is a core for it.
    pub fn new(writer: W) -> Self {
        if usable_cores().get() == 1 {
            return BackgroundWriter::here(writer);
        }
        let spent = Pool::default();
        let thread = Background::new("trace file", WAITING, (writer, spent.clone()), write_block);
        BackgroundWriter(WriterState::There { filling: Vec::with_capacity(BLOCK), spent, thread })
    }
}

/// Writes a block, and keeps its memory for another one.
fn write_block<W: Write>(
    (writer, spent): &mut (W, Pool<Vec<u8>>),
    mut block: Vec<u8>,
) -> io::Result<()> {
    writer.write_all(&block)?;
    block.clear();
    spent.give_back([block]);
    Ok(())
}

impl<W: Write> Write for BackgroundWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            WriterState::Here(writer) => writer.write(bytes),
            WriterState::There { filling, spent, thread } => {
                let (now, _) = bytes.split_at(bytes.len().min(BLOCK - filling.len()));
                filling.extend_from_slice(now);
                if filling.len() == BLOCK {
                    let mut next = spent.take();
                    next.reserve_exact(BLOCK);
                    thread.put(std::mem::replace(filling, next))?;
                }
                Ok(now.len())
            }
            WriterState::Over => Err(Stopped.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut writer = match std::mem::replace(&mut self.0, WriterState::Over) {
            WriterState::Here(writer) => writer,
            WriterState::There { filling, mut thread, .. } => {
                thread.put(filling)?;
                thread.finish()?.0
            }
            WriterState::Over => return Err(Stopped.into()),
        };
        let flushed = writer.flush();
        self.0 = WriterState::Here(writer);
        flushed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// Keeps what it was given, up to a size.
    #[derive(Clone, Default)]
    struct Shelf(Arc<Mutex<Vec<u8>>>, usize);

    impl Write for Shelf {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut kept = self.0.lock().expect("no panic before");
            if kept.len() + bytes.len() > self.1 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            kept.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn after_a_flush_all_is_there_in_order() {
        let shelf = Shelf(Arc::default(), usize::MAX);
        let mut behind = BackgroundWriter::new(shelf.clone());
        let mut expected = Vec::new();
        for round in 0..100u32 {
            let size = if round % 30 == 29 { 3 * BLOCK - 1000 * round as usize } else { 1000 };
            let block = vec![round as u8; size + round as usize];
            behind.write_all(&block).expect("written");
            expected.extend(block);
        }
        behind.flush().expect("flushed");
        assert!(*shelf.0.lock().expect("no panic before") == expected);
    }

    #[test]
    fn a_failure_comes_back_and_stays() {
        let mut behind = BackgroundWriter::new(Shelf(Arc::default(), 2_500));
        for _ in 0..3 {
            let _ = behind.write_all(&[1; 1000]);
        }
        let error = behind.flush().expect_err("full");
        assert!(behind.write_all(&[1]).is_err());
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
    /// Takes its time, and reports when it has gone.
    struct Slow(Arc<AtomicBool>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            std::thread::sleep(Duration::from_millis(200));
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Drop for Slow {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn dropping_it_waits_for_the_writing_thread() {
        let is_gone = Arc::default();
        let mut behind = BackgroundWriter::new(Slow(Arc::clone(&is_gone)));
        behind.write_all(&vec![1; BLOCK]).expect("taken");
        drop(behind);
        assert!(is_gone.load(Ordering::Relaxed));
    }
}
