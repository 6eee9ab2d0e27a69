//! A file that is written by a separate thread, behind the thread that makes the bytes.
//!
//! To copy bytes to the page cache takes a good part of an export's time: that is done beside the rest, in blocks that are
//! used again and again.

use ompttrace_recording::reader::usable_cores;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Builder, JoinHandle};

/// Blocks that wait to be written.
const WAITING: usize = 4;
/// Bytes of a block: whole pages, so that none is written in two parts.
const BLOCK: usize = 256 << 10;

/// Passes bytes on, in blocks of its own, to a thread that writes them. An error of the thread comes
/// back from a later call, of [`Write::flush`] at the latest. With it go the thread and the writer: a caller that
/// drops it unflushed, because something else failed, loses what waits for a block to be full.
#[derive(Debug)]
pub struct Behind<W>(WriterState<W>);

impl<W> Drop for Behind<W> {
    fn drop(&mut self) {
        if let WriterState::There(worker) = std::mem::replace(&mut self.0, WriterState::Over) {
            // To get errors, flush before.
            let _ = worker.end();
        }
    }
}

#[derive(Debug)]
enum WriterState<W> {
    /// There is no core, or no thread, to do it beside.
    Here(W),
    There(Worker),
    /// The worker failed or panicked, and said so.
    Over,
}

#[derive(Debug)]
struct Worker {
    /// The block that is being filled.
    filling: Vec<u8>,
    blocks: SyncSender<Job>,
    spent: Receiver<Vec<u8>>,
    thread: JoinHandle<io::Result<()>>,
}

#[derive(Debug)]
enum Job {
    Write(Vec<u8>),
    /// Flush, and answer that it is done.
    Flush(Sender<()>),
}

impl<W: Write + Send + 'static> Behind<W> {
    /// Writes to `writer` in the thread that calls.
    pub fn here(writer: W) -> Self {
        Behind(WriterState::Here(writer))
    }

    /// Writes to `writer`: by another thread where there is a core for it.
    pub fn new(writer: W) -> Self {
        if usable_cores().get() == 1 {
            return Behind(WriterState::Here(writer));
        }
        let ((blocks, jobs), (empty, spent)) = (sync_channel(WAITING), channel());
        // A thread that cannot be made must not take the writer with it.
        let (hand_over, handed) = sync_channel(1);
        let work = move || match handed.recv() {
            Ok(writer) => write_all(writer, &jobs, &empty),
            Err(_) => Ok(()),
        };
        let Ok(thread) = Builder::new().name("trace file".into()).spawn(work) else {
            return Behind(WriterState::Here(writer));
        };
        // The thread is there and waits for it.
        let _ = hand_over.send(writer);
        Behind(WriterState::There(Worker {
            filling: Vec::with_capacity(BLOCK),
            blocks,
            spent,
            thread,
        }))
    }
}

impl<W: Write> Write for Behind<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let WriterState::Here(writer) = &mut self.0 {
            return writer.write(bytes);
        }
        self.ask(|worker| worker.fill(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if let WriterState::Here(writer) = &mut self.0 {
            return writer.flush();
        }
        self.ask(|worker| {
            let (done, wait) = channel();
            worker.pass_on() && worker.blocks.send(Job::Flush(done)).is_ok() && wait.recv().is_ok()
        })
    }
}

impl<W> Behind<W> {
    /// Gives the worker something to do; if it is gone, says why.
    fn ask(&mut self, job: impl FnOnce(&mut Worker) -> bool) -> io::Result<()> {
        if let WriterState::There(worker) = &mut self.0
            && job(worker)
        {
            return Ok(());
        }
        let over = || io::Error::other("the thread that writes the file is gone");
        match std::mem::replace(&mut self.0, WriterState::Over) {
            WriterState::There(worker) => Err(worker
                .end()
                .map_or_else(|_| over(), |result| result.err().unwrap_or_else(over))),
            _ => Err(over()),
        }
    }
}

impl Worker {
    /// Takes bytes; false: there is no thread to write them.
    fn fill(&mut self, mut bytes: &[u8]) -> bool {
        loop {
            let room = BLOCK - self.filling.len();
            let (now, rest) = bytes.split_at(room.min(bytes.len()));
            self.filling.extend_from_slice(now);
            bytes = rest;
            if self.filling.len() < BLOCK {
                return true;
            }
            if !self.pass_on() {
                return false;
            }
        }
    }

    /// Gives the block away, however full it is.
    fn pass_on(&mut self) -> bool {
        let mut next = self.spent.try_recv().unwrap_or_else(|_| Vec::with_capacity(BLOCK));
        next.clear();
        let block = std::mem::replace(&mut self.filling, next);
        self.blocks.send(Job::Write(block)).is_ok()
    }

    /// Waits until the thread has done what it was given, and is gone.
    fn end(self) -> thread::Result<io::Result<()>> {
        drop(self.blocks);
        self.thread.join()
    }
}

/// Handles requests until there can be no more, or something fails.
fn write_all<W: Write>(
    mut writer: W,
    jobs: &Receiver<Job>,
    spent: &Sender<Vec<u8>>,
) -> io::Result<()> {
    for job in jobs {
        match job {
            Job::Write(block) => {
                writer.write_all(&block)?;
                let _ = spent.send(block);
            }
            Job::Flush(done) => {
                writer.flush()?;
                let _ = done.send(());
            }
        }
    }
    Ok(())
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
        let mut behind = Behind::new(shelf.clone());
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
        let mut behind = Behind::new(Shelf(Arc::default(), 2_500));
        for _ in 0..2 {
            behind.write_all(&[1; 1000]).expect("there is room");
        }
        behind.flush().expect("no failure so far");
        let _ = behind.write_all(&[1; 1000]);
        let error = behind.flush().expect_err("full");
        assert!(behind.write_all(&[1]).is_err());
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
    /// Takes its time, and reports when it has gone.
    struct Slow(Arc<AtomicBool>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            thread::sleep(Duration::from_millis(200));
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
        let mut behind = Behind::new(Slow(Arc::clone(&is_gone)));
        behind.write_all(&vec![1; BLOCK]).expect("taken");
        drop(behind);
        assert!(is_gone.load(Ordering::Relaxed));
    }
}
