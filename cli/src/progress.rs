//! Progress of an export or of packing, and the remaining time, shown on a terminal after a second.

use crate::waiting::{PATIENCE, Waiting};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Instant;

/// A progress bar on stderr that appears after a second, and disappears at the end.
pub struct Progress {
    wanted: bool,
    begin: Instant,
    bar: Option<ProgressBar>,
    /// A sign of life until the amount of work is known.
    before: Option<Waiting>,
}

impl Progress {
    /// Progress without a bar yet; it never gets one when stderr is not a terminal.
    pub fn new(quiet: bool) -> Progress {
        let wanted = !quiet && std::io::stderr().is_terminal();
        let before = Some(Waiting::new("reading the recording", !wanted));
        Progress { wanted, begin: Instant::now(), bar: None, before }
    }

    /// Shows that `done` of `all` bytes are done.
    pub fn show(&mut self, done: u64, all: u64) {
        self.before = None;
        if self.wanted && self.begin.elapsed() >= PATIENCE {
            self.bar.get_or_insert_with(|| bar(all)).set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(all: u64) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:40} {percent:>3}% of {binary_total_bytes}, {eta} left");
    let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr());
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_comes_after_a_second_and_only_on_a_terminal() {
        let early = Instant::now();
        let late = early.checked_sub(PATIENCE).expect("the machine runs for a second");
        for (wanted, begin, shown) in
            [(true, early, false), (true, late, true), (false, late, false)]
        {
            let mut progress = Progress { wanted, begin, bar: None, before: None };
            progress.show(1, 10);
            assert_eq!(progress.bar.is_some(), shown, "{wanted}");
        }
        assert!(!Progress::new(true).wanted);
    }
}
