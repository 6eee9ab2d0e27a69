//! Cores in a report: how much of the time in which threads wanted one they had one.

use crate::cores::CoreTimes;
use serde::Serialize;

/// Time of threads with and without a core, as far as the kernel said it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cores {
    /// Time in which threads wanted a core, in nanoseconds: those that spin while they wait want one, too.
    pub wanted_ns: u64,
    /// Time in which threads had a core, in nanoseconds.
    pub given_ns: u64,
    /// `given_ns / wanted_ns`; none where no core was wanted.
    pub share: Option<f64>,
    /// Time in which threads slept in the kernel until they were woken, in nanoseconds.
    pub blocked_ns: u64,
    /// Part of `given_ns` in which threads waited for other threads or were in no team.
    pub spun_ns: u64,
    /// Part of `blocked_ns` in which threads waited for other threads or were in no team.
    pub slept_ns: u64,
}

/// A machine on which threads lacked cores, and the program was not the cause: a circumstance of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BusyMachine {
    /// The part of the time that threads wanted a core in which they had one.
    pub share: f64,
    /// [`Report::taken_cores_ns`](super::Report::taken_cores_ns).
    pub taken_ns: Option<u64>,
    /// The time that the run would have taken with a core for each thread that wanted one: shares of findings are parts of
    /// it, except of those about cores.
    pub on_cores_ns: u64,
    /// The machine's state in words: a line.
    pub text: String,
    /// Advice: a line.
    pub advice: String,
}

impl Cores {
    /// None where nothing is known about cores.
    pub(crate) fn of(times: &CoreTimes) -> Option<Cores> {
        let (wanted, given) = (times.wanted(), times.given);
        (times.known() > 0).then(|| Cores {
            wanted_ns: wanted,
            given_ns: given,
            share: (wanted > 0).then(|| given as f64 / wanted as f64),
            blocked_ns: times.blocked,
            spun_ns: times.spun,
            slept_ns: times.slept,
        })
    }
}
