//! `--jobs`: the number of threads that a command may use. Its output does not depend on that.

use clap::Args;
use ompttrace_recording::reader::usable_cores;
use std::num::NonZero;

/// The option.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Jobs {
    /// Number of threads, at most 1024; the output does not depend on it [default: one for each core
    /// that the command may use, fewer with a `ulimit -v`]
    #[arg(long = "jobs", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Jobs {
    /// Number of threads, at least one.
    pub fn count(self) -> NonZero<usize> {
        let asked = self.threads.and_then(|threads| NonZero::new(usize::from(threads)));
        asked.unwrap_or_else(usable_cores)
    }
}
