//! The end of wall time's ticks: threads that the last ones woke sleep again before the process goes on to end.

use crate::blocks::block::Block;
use crate::host::accounts::run_time;
use crate::host::proc_file::{Path, lines};
use crate::host::sync::Ordering;
use ompttrace_recording::pool::control;
use std::time::Duration;

/// Waits that are worth it in all.
const MOST_NAPS: u32 = 100;
const NAP: Duration = Duration::from_millis(1);
/// Nanoseconds on a core that no woken thread needs to sleep again: one that had them works or spins.
const LONG: u64 = 2_000_000;

/// Returns when the owners of these blocks sleep or are known to do other work, or after a tenth of a second.
pub(super) fn wait(blocks: impl Iterator<Item = &'static Block>) {
    let threads =
        blocks.map(|block| block.control.word(control::OS_THREAD).load(Ordering::Relaxed));
    let mut naps = 0;
    for thread in threads {
        let before = run_time(thread);
        let works = || {
            run_time(thread).zip(before).is_some_and(|(now, then)| now.saturating_sub(then) >= LONG)
        };
        while naps < MOST_NAPS && is_awake(thread) && !works() {
            naps += 1;
            std::thread::sleep(NAP);
        }
    }
}

/// Returns true if a thread has a core or wants one; false if there is no such thread, or no /proc.
fn is_awake(thread: u64) -> bool {
    let mut found = false;
    let path = Path::new(format_args!("/proc/self/task/{thread}/status"));
    if let Some(path) = path.as_ref().and_then(Path::as_c) {
        let _ = lines(path, |line| found |= line.starts_with(b"State:\tR"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_thread_on_a_core_is_awake_and_a_waiting_one_is_not() {
        // SAFETY: takes nothing and cannot fail.
        let me = || unsafe { libc::gettid() } as u64;
        let ((number, its), (stop, stopped)) = (mpsc::channel(), mpsc::channel::<()>());
        let other = std::thread::spawn(move || {
            number.send(me()).expect("a receiver");
            let _ = stopped.recv();
        });
        let its = its.recv().expect("its number");
        assert!(is_awake(me()));
        while is_awake(its) {
            std::thread::yield_now();
        }
        drop(stop);
        other.join().expect("it ends");
        assert!(!is_awake(its) && !is_awake(0));
    }
}
