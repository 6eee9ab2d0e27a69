//! Blame shifting, after the tools API of Rice University: while threads have nothing to do, those
//! that work are charged with it, in equal parts.
//!
//! All working threads are charged with the same amount at any time. So two running sums are
//! enough, of idleness and of waiting per working thread, and a thread that goes from one construct
//! to another charges the first with what the sums grew by meanwhile. Every event counts, and each
//! costs the same, however many threads there are.
//!
//! Threads without a core cost nothing: the time of threads that want a core and have none is not charged. Of idle and
//! waiting threads at most as many are charged for as there are cores beside the working ones, and none while a thread
//! that is to work has no core.

use crate::journal::Running;
use crate::model::BlameSums;
use crate::state::State;

/// Role of a thread in blame shifting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// No role: the thread does not exist, waits for a mutex, or is busy with OpenMP itself.
    #[default]
    None,
    /// The thread works: it is charged.
    Working,
    /// A worker in no team.
    Idle,
    /// The thread waits at a barrier or for tasks.
    Waiting,
}

impl Role {
    pub(crate) fn of(state: State) -> Role {
        match state {
            State::Idle => Role::Idle,
            state if state.is_work() || state.is_off_core() => Role::Working,
            state if state.is_starved() => Role::Waiting,
            _ => Role::None,
        }
    }
}

/// Charge of a thread that has worked since the run began, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Charge {
    pub idle: f64,
    pub wait: f64,
    pub absence: Absence,
}

/// Sums that determine at the end how long threads did not exist, before their begins and after their ends: only then
/// the largest number of threads is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Absence {
    /// Time for each working thread.
    time: f64,
    /// Thread time of those that were there, for each working thread.
    there: f64,
}

impl Absence {
    /// Thread time of those that were missing of `most`, in nanoseconds.
    pub(crate) fn of(&self, most: u64) -> u64 {
        (most as f64 * self.time - self.there).max(0.0).round() as u64
    }

    pub(crate) fn add(&mut self, other: Absence) {
        self.time += other.time;
        self.there += other.there;
    }

    fn since(&self, before: Absence) -> Absence {
        Absence { time: self.time - before.time, there: self.there - before.there }
    }
}

/// Numbers of threads by role, and the running sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    now: u64,
    working: u64,
    idle: u64,
    waiting: u64,
    /// Working threads that want a core and have none; and the same number of all others.
    workers_lacking: u64,
    others_lacking: u64,
    /// Cores that the program may use, where it is known which threads have one.
    cores: Option<u64>,
    /// Threads that there are, helpers left out.
    present: u64,
    charge: Charge,
    without_core: f64,
    sums: BlameSums,
}

impl Ledger {
    /// Starts at the begin of the run.
    pub(crate) fn new(begin: u64) -> Ledger {
        Ledger { now: begin, ..Ledger::default() }
    }

    /// Time goes on to `at`; earlier times change nothing.
    #[inline]
    pub(crate) fn advance(&mut self, at: u64) {
        let passed = at.saturating_sub(self.now);
        if passed == 0 {
            return;
        }
        self.now = at;
        let (idle, waiting) = (passed * self.idle, passed * self.waiting);
        self.sums.idle_ns += idle;
        self.sums.wait_ns += waiting;
        if self.working == 0 {
            self.sums.idle_uncharged_ns += idle;
            self.sums.wait_uncharged_ns += waiting;
            return;
        }
        let working = real(self.working);
        if idle + waiting > 0 {
            let usable = self.usable();
            self.without_core += (1.0 - usable) * real(idle + waiting);
            self.charge.idle += usable * real(idle) / working;
            self.charge.wait += usable * real(waiting) / working;
        }
        let there = real(passed * self.present) / working;
        self.charge.absence.add(Absence { time: real(passed) / working, there });
    }

    /// The program may use so many cores, and it is known which threads have one.
    pub(crate) fn limit(&mut self, cores: u64) {
        self.cores = Some(cores);
    }

    /// Share of the idle and waiting threads for which there is a core.
    #[inline]
    fn usable(&self) -> f64 {
        let (Some(cores), all) = (self.cores, self.idle + self.waiting) else { return 1.0 };
        if self.workers_lacking > 0 || all == 0 {
            return 0.0;
        }
        let usable =
            all.saturating_sub(self.others_lacking).min(cores.saturating_sub(self.working));
        real(usable) / real(all)
    }

    /// A thread in a role begins or ceases to want a core that it does not have.
    #[inline]
    pub(crate) fn lacks(&mut self, role: Role, lacks: bool) {
        let count = match role {
            Role::None => return,
            Role::Working => &mut self.workers_lacking,
            Role::Idle | Role::Waiting => &mut self.others_lacking,
        };
        *count = if lacks { *count + 1 } else { count.saturating_sub(1) };
    }

    /// Another thread is there; returns how many there are now.
    pub(crate) fn appears(&mut self) -> u64 {
        self.present += 1;
        self.present
    }

    /// A thread is there no more.
    pub(crate) fn disappears(&mut self) {
        self.present = self.present.saturating_sub(1);
    }

    /// A thread changes its role.
    pub(crate) fn change(&mut self, before: Role, after: Role) {
        if let Some(count) = self.count(before) {
            *count = count.saturating_sub(1);
        }
        if let Some(count) = self.count(after) {
            *count += 1;
        }
    }

    fn count(&mut self, role: Role) -> Option<&mut u64> {
        match role {
            Role::None => None,
            Role::Working => Some(&mut self.working),
            Role::Idle => Some(&mut self.idle),
            Role::Waiting => Some(&mut self.waiting),
        }
    }

    /// Returns the charge of a working thread since `mark`, and sets `mark` to now.
    pub(crate) fn since(&self, mark: &mut Charge) -> Charge {
        let before = std::mem::replace(mark, self.charge);
        let Charge { idle, wait, absence } = self.charge;
        let absence = absence.since(before.absence);
        Charge { idle: idle - before.idle, wait: wait - before.wait, absence }
    }

    /// The running sums.
    pub(crate) fn running(&self) -> Running {
        Running { idle: self.charge.idle, wait: self.charge.wait }
    }

    /// The running sums at a later time, if nothing changes until then.
    pub(crate) fn running_at(&self, at: u64) -> Running {
        let mut then = self.clone();
        then.advance(at);
        then.running()
    }

    /// The latest time so far.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// All idleness and waiting, and the parts of it that nobody could be charged with.
    pub(crate) fn sums(&self) -> BlameSums {
        BlameSums { without_core_ns: self.without_core.round() as u64, ..self.sums }
    }
}

/// A number as a real one: those with a sign are converted in one instruction, and none is so large that it needs the bit.
#[inline(always)]
const fn real(number: u64) -> f64 {
    number as i64 as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idleness_is_charged_to_working_threads() {
        let mut ledger = Ledger::new(100);
        let mut mark = Charge::default();
        for role in [Role::Working, Role::Working, Role::Idle] {
            ledger.change(Role::None, role);
        }
        ledger.advance(110);
        let charged = ledger.since(&mut mark);
        assert_eq!((charged.idle, charged.wait), (5.0, 0.0));
        ledger.change(Role::Working, Role::Waiting);
        ledger.advance(120);
        let charged = ledger.since(&mut mark);
        assert_eq!((charged.idle, charged.wait), (10.0, 10.0));
    }

    #[test]
    fn threads_without_a_core_lose_nothing() {
        let mut ledger = Ledger::new(0);
        let mut mark = Charge::default();
        for role in [Role::Working, Role::Waiting, Role::Waiting, Role::Idle] {
            ledger.change(Role::None, role);
        }
        ledger.limit(2);
        ledger.advance(30);
        let charged = ledger.since(&mut mark);
        assert_eq!((charged.wait, charged.idle), (20.0, 10.0), "one core is left for three");
        assert_eq!(ledger.sums().without_core_ns, 60);
        ledger.lacks(Role::Working, true);
        ledger.advance(40);
        assert_eq!(ledger.since(&mut mark).wait, 0.0, "even who works has none");
        assert_eq!((ledger.sums().without_core_ns, ledger.sums().wait_ns), (90, 80));
        ledger.lacks(Role::Working, false);
        ledger.limit(8);
        ledger.advance(50);
        assert_eq!(ledger.since(&mut mark).wait, 20.0);
        ledger.lacks(Role::Waiting, true);
        ledger.advance(80);
        let charged = ledger.since(&mut mark);
        assert_eq!((charged.wait, charged.idle), (40.0, 20.0), "of three one has no core");
    }

    #[test]
    fn threads_that_are_not_there_yet_are_missing() {
        let mut ledger = Ledger::new(0);
        let mut mark = Charge::default();
        ledger.change(Role::None, Role::Working);
        ledger.appears();
        ledger.advance(100);
        assert_eq!(ledger.since(&mut mark).absence.of(4), 300);
        assert_eq!([2, 3, 4].map(|_| ledger.appears()), [2, 3, 4]);
        ledger.advance(150);
        assert_eq!(ledger.since(&mut mark).absence.of(4), 0);
        ledger.disappears();
        ledger.advance(160);
        assert_eq!(ledger.since(&mut mark).absence.of(4), 10);
    }

    #[test]
    fn what_no_thread_could_avoid_is_not_charged() {
        let mut ledger = Ledger::new(0);
        ledger.change(Role::None, Role::Idle);
        ledger.advance(7);
        assert_eq!((ledger.sums().idle_ns, ledger.sums().idle_uncharged_ns), (7, 7));
        ledger.advance(3);
        assert_eq!(ledger.now(), 7, "time does not go back");
    }
}
