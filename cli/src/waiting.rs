//! A sign of life during something that takes an unknown, long time.

use indicatif::ProgressBar;
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Time before the sign is shown: shorter work needs none.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two turns of the sign.
const TURN: Duration = Duration::from_millis(100);

/// A sign on stderr that appears after a second, turns until this value is dropped, and disappears then.
pub struct Waiting(Option<(Sender<()>, JoinHandle<()>)>);

impl Waiting {
    /// Begins a sign that `what` is in progress; it is never shown when stderr is not a terminal.
    pub fn new(what: &'static str, quiet: bool) -> Waiting {
        let wanted = !quiet && std::io::stderr().is_terminal();
        Waiting(if wanted { start(what) } else { None })
    }
}

fn start(what: &'static str) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (alive, over) = channel::<()>();
    let turn = move || {
        if over.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        let sign = ProgressBar::new_spinner().with_message(what);
        while over.recv_timeout(TURN) == Err(RecvTimeoutError::Timeout) {
            sign.tick();
        }
        sign.finish_and_clear();
    };
    // Without a thread there is no sign, and nothing else is wrong.
    Some((alive, Builder::new().name("sign of life".into()).spawn(turn).ok()?))
}

impl Drop for Waiting {
    /// Ends the sign before the value is gone, so that the line is free for later output.
    fn drop(&mut self) {
        if let Some((alive, thread)) = self.0.take() {
            drop(alive);
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_when_it_is_dropped_and_quiet_has_none() {
        assert!(Waiting::new("reading", true).0.is_none());
        let waiting = Waiting(start("reading"));
        assert!(waiting.0.is_some());
        // Returns although nobody says that it is over.
        drop(waiting);
    }
}
