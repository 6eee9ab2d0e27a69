//! Several recordings' traces made at the same time, and put into one file one after the other.
//!
//! The first trace that is not in the file yet is written there at once; the others go to files without names in the
//! same folder, whose bytes follow when it is their turn. A few wait there; where a long trace lets more of them wait, these share one
//! file, so that the number of open files is that of the threads and a few more.

use anyhow::{Context, Result};
use ompttrace_recording::PinnedFolder;
use ompttrace_workers::try_each;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::num::NonZero;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Subject of an error if one of those files cannot be written.
const NO_ROOM: &str = "the folder of the merged trace";
/// Traces that wait in files of their own: each of the others is copied once more.
const MOST_FILES: usize = 16;
/// Bytes that are copied at a time.
const PIECE: usize = 1 << 18;

/// Makes `count` traces by `jobs` threads and puts them into `file`, which lies in `folder`, in their order.
/// `make` gets which one and where to write it. Returns what it returned, in their order.
pub fn write<T: Send>(
    (file, folder): (&File, &PinnedFolder),
    count: usize,
    jobs: NonZero<usize>,
    make: impl Fn(usize, File) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let state = Mutex::new(State::default());
    // Those before one that failed are made all the same: the reported error must not depend on timing.
    try_each("merge", jobs.get(), 0..count, |number| one(number, (file, folder), &state, &make))
}

/// Progress of the traces.
#[derive(Default)]
struct State {
    /// Number of the first trace that is not in the file.
    turn: usize,
    /// Traces whose turn has not come.
    waiting: BTreeMap<usize, Waiting>,
    /// Number of those that have files of their own, or are about to wait there.
    files: usize,
    shared: Shared,
}

/// A trace that waits.
enum Waiting {
    /// In a file of its own.
    Alone(File),
    /// In the file that several share: the position of its first byte, and their number.
    Among(Arc<File>, u64, u64),
}

/// The file that several traces share, which is emptied when none is left in it.
#[derive(Default)]
struct Shared {
    file: Option<Arc<File>>,
    /// The number of traces in it.
    count: usize,
    /// The end of the last one.
    end: u64,
}

/// The state; what panicked elsewhere ends the command anyway.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes one trace. The thread whose turn it is also appends later ones, as far as they are done.
fn one<T>(
    number: usize,
    (file, folder): (&File, &PinnedFolder),
    state: &Mutex<State>,
    make: &impl Fn(usize, File) -> Result<T>,
) -> Result<T> {
    let its_turn = lock(state).turn == number;
    let to = if its_turn { file.try_clone() } else { folder.nameless() };
    let to = to.context(NO_ROOM)?;
    let made = make(number, to.try_clone()?)?;
    let waiting = if its_turn { None } else { Some(put(to, folder, state).context(NO_ROOM)?) };
    let mut state_now = lock(state);
    match waiting {
        Some(waiting) => drop(state_now.waiting.insert(number, waiting)),
        None => state_now.turn += 1,
    }
    // Nobody else writes to the file while the turn is one that waits: only a thread that begins at its turn does.
    while let Some(waiting) = take_next(&mut state_now) {
        drop(state_now);
        let is_shared = matches!(waiting, Waiting::Among(..));
        waiting.append_to(file).context(NO_ROOM)?;
        state_now = lock(state);
        state_now.turn += 1;
        match is_shared {
            true => state_now.shared.leave().context(NO_ROOM)?,
            false => state_now.files -= 1,
        }
    }
    Ok(made)
}

/// The trace whose turn it is, if it is done.
fn take_next(state: &mut State) -> Option<Waiting> {
    state.waiting.remove(&state.turn)
}

/// Lets a trace wait in its own file, or among others.
fn put(own: File, folder: &PinnedFolder, state: &Mutex<State>) -> io::Result<Waiting> {
    let bytes = own.metadata()?.len();
    let (shared, at) = {
        let mut state = lock(state);
        if state.files < MOST_FILES {
            state.files += 1;
            return Ok(Waiting::Alone(own));
        }
        state.shared.join(bytes, folder)?
    };
    copy((&own, 0), bytes, |piece, done| shared.write_all_at(piece, at + done))?;
    Ok(Waiting::Among(shared, at, bytes))
}

impl Waiting {
    fn append_to(self, mut file: &File) -> io::Result<()> {
        match self {
            Waiting::Alone(mut own) => {
                own.rewind()?;
                io::copy(&mut own, &mut file).map(drop)
            }
            Waiting::Among(shared, at, bytes) => {
                copy((&shared, at), bytes, |piece, _| file.write_all(piece))
            }
        }
    }
}

impl Shared {
    /// Makes room for a trace: the file, and the position of its first byte.
    fn join(&mut self, bytes: u64, folder: &PinnedFolder) -> io::Result<(Arc<File>, u64)> {
        let file = match &self.file {
            Some(file) => file.clone(),
            None => self.file.insert(Arc::new(folder.nameless()?)).clone(),
        };
        let at = self.end;
        self.count += 1;
        self.end += bytes;
        Ok((file, at))
    }

    /// One of its traces was read.
    fn leave(&mut self) -> io::Result<()> {
        self.count -= 1;
        match &self.file {
            Some(file) if self.count == 0 => {
                self.end = 0;
                file.set_len(0)
            }
            _ => Ok(()),
        }
    }
}

/// Copies a part of a file, piece by piece; `put` gets each piece and the number of bytes before it.
fn copy(
    (from, at): (&File, u64),
    bytes: u64,
    mut put: impl FnMut(&[u8], u64) -> io::Result<()>,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE.min(usize::try_from(bytes).unwrap_or(PIECE))];
    let mut done = 0;
    while done < bytes {
        let left = usize::try_from(bytes - done).unwrap_or(PIECE).min(PIECE);
        let piece = piece.get_mut(..left).unwrap_or_default();
        from.read_exact_at(piece, at + done)?;
        put(piece, done)?;
        done += left as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::Duration;

    /// Twenty traces, of which some take longer than others.
    fn written(
        jobs: usize,
        make: impl Fn(usize) -> Result<usize> + Sync,
    ) -> (Vec<u8>, Result<Vec<usize>>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("merged");
        let file = File::create(&path).expect("a file");
        let jobs = NonZero::new(jobs).expect("some");
        let pinned = PinnedFolder::open(folder.path()).expect("a folder");
        let made = write((&file, &pinned), 20, jobs, |number, mut to| {
            sleep(Duration::from_millis(if number % 5 == 0 { 4 } else { 1 }));
            to.write_all(&vec![number as u8; 1000 * number])?;
            make(number)
        });
        (std::fs::read(&path).expect("read"), made)
    }

    #[test]
    fn traces_keep_their_order_whichever_is_done_first() {
        let expected: Vec<u8> =
            (0..20).flat_map(|number| vec![number as u8; 1000 * number]).collect();
        for jobs in [1, 2, 3, 8, 30] {
            let (bytes, made) = written(jobs, Ok);
            assert!(bytes == expected, "{jobs} threads");
            assert_eq!(made.expect("all made"), (0..20).collect::<Vec<_>>());
        }
    }

    /// Files in a folder that this process has open.
    fn open_in(folder: &std::path::Path) -> usize {
        let all = std::fs::read_dir("/proc/self/fd").expect("a list");
        let links = all.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
        links.filter(|link| link.starts_with(folder)).count()
    }

    #[test]
    fn few_files_are_open_while_many_traces_wait_for_the_first() {
        const COUNT: usize = 200;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("merged");
        let file = File::create(&path).expect("a file");
        let pinned = PinnedFolder::open(folder.path()).expect("a folder");
        let (done, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let bytes = |number: usize| {
            let more = if number.is_multiple_of(20) { PIECE } else { 0 };
            vec![number as u8; more + number]
        };
        let jobs = NonZero::new(3).expect("some");
        let made = write((&file, &pinned), COUNT, jobs, |number, mut to| {
            // All others wait for the first one, and then for the one in the middle.
            let before = [(0, COUNT / 2 - 1), (COUNT / 2, COUNT - 1)];
            if let Some((_, others)) = before.iter().find(|(first, _)| *first == number) {
                while done.load(Ordering::SeqCst) < *others {
                    sleep(Duration::from_millis(1));
                }
            }
            most.fetch_max(open_in(folder.path()), Ordering::SeqCst);
            to.write_all(&bytes(number))?;
            done.fetch_add(1, Ordering::SeqCst);
            Ok(number)
        });
        assert_eq!(made.expect("all made").len(), COUNT);
        let written = std::fs::read(&path).expect("read");
        assert!(written == (0..COUNT).flat_map(bytes).collect::<Vec<_>>());
        // Those that wait, the one that several share, and two for each thread besides the file and the folder.
        let most = most.into_inner();
        assert!((MOST_FILES..=MOST_FILES + 9).contains(&most), "{most} files");
    }

    #[test]
    fn the_first_error_is_reported() {
        for jobs in [1, 4] {
            let fails = |number| if number >= 7 { bail!("number {number}") } else { Ok(number) };
            let (_, made) = written(jobs, fails);
            assert_eq!(made.expect_err("an error").to_string(), "number 7");
        }
    }
}
