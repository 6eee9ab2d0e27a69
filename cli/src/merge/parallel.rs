//! Several recordings' traces made at the same time, and put into one file one after the other.
//!
//! The first trace that is not in the file yet is written there at once; the others go to files without names in the
//! same folder, whose bytes follow when it is their turn.

use anyhow::{Context, Result};
use ompttrace_recording::PinnedFolder;
use ompttrace_workers::try_each;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek};
use std::num::NonZero;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Subject of an error if one of those files cannot be written.
const NO_ROOM: &str = "the folder of the merged trace";

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
    waiting: BTreeMap<usize, File>,
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
    let mut state_now = lock(state);
    if its_turn {
        state_now.turn += 1;
    } else {
        state_now.waiting.insert(number, to);
    }
    // Nobody else writes to the file while the turn is one that waits: only a thread that begins at its turn does.
    while let Some(mut waiting) = take_next(&mut state_now) {
        drop(state_now);
        let copied = waiting.rewind().and_then(|()| io::copy(&mut waiting, &mut &*file));
        copied.context(NO_ROOM)?;
        state_now = lock(state);
        state_now.turn += 1;
    }
    Ok(made)
}

/// The trace whose turn it is, if it is done.
fn take_next(state: &mut State) -> Option<File> {
    state.waiting.remove(&state.turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;
    use std::io::Write;
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

    #[test]
    fn the_first_error_is_reported() {
        for jobs in [1, 4] {
            let fails = |number| if number >= 7 { bail!("number {number}") } else { Ok(number) };
            let (_, made) = written(jobs, fails);
            assert_eq!(made.expect_err("an error").to_string(), "number 7");
        }
    }
}
