//! The execution of each construct that costs most.

use crate::journal::{Account, Part, Running};
use ompttrace_recording::Id;
use rustc_hash::FxHashMap;

/// Executions of a construct that are under way: a thread reports the wait at the end of one in the next one.
const UNDER_WAY: usize = 2;

/// One execution: what its threads and others lose by it, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Execution {
    region: Id,
    begin: u64,
    end: u64,
    cost: f64,
}

impl Execution {
    /// Returns true if a part of a thread's time belongs to the execution: it is of the same region, without a gap between them.
    fn has(&self, part: &Part) -> bool {
        self.region == part.region && part.begin <= self.end && part.end >= self.begin
    }
}

/// Executions of one construct.
#[derive(Debug, Default)]
struct OfConstruct {
    under_way: Vec<Execution>,
    costliest: Option<Execution>,
}

impl OfConstruct {
    fn part(&mut self, part: &Part, cost: f64) {
        if let Some(known) = self.under_way.iter_mut().rev().find(|known| known.has(part)) {
            known.begin = known.begin.min(part.begin);
            known.end = known.end.max(part.end);
            known.cost += cost;
            return;
        }
        if self.under_way.len() == UNDER_WAY {
            let over = self.under_way.remove(0);
            self.over(over);
        }
        let Part { region, begin, end, .. } = *part;
        self.under_way.push(Execution { region, begin, end, cost });
    }

    fn over(&mut self, over: Execution) {
        if self.costliest.is_none_or(|costliest| over.cost > costliest.cost) {
            self.costliest = Some(over);
        }
    }
}

/// Those of all constructs.
#[derive(Debug, Default)]
pub(super) struct Executions {
    of: FxHashMap<Account, OfConstruct>,
    /// Blame's running sums at the last part of each thread.
    blame: Vec<Running>,
}

impl Executions {
    /// A part of a thread's time: what is lost in it, and what others lose meanwhile.
    pub(super) fn part(&mut self, part: &Part) {
        let thread = part.thread as usize;
        if self.blame.len() <= thread {
            self.blame.resize(thread + 1, Running::default());
        }
        let before = std::mem::replace(&mut self.blame[thread], part.blame);
        let own = if part.state.is_work() { 0 } else { part.end - part.begin };
        let of_others = match part.works {
            true => part.blame.idle - before.idle + part.blame.wait - before.wait,
            false => 0.0,
        };
        self.of.entry(part.account).or_default().part(part, own as f64 + of_others);
    }

    /// Others waited for a mutex that was held in a construct up to `at`.
    pub(super) fn held(&mut self, at: u64, construct: u32, nanoseconds: u64) {
        let Some(of) = self.of.get_mut(&Account::Construct(construct)) else { return };
        if let Some(known) = of.under_way.iter_mut().rev().find(|known| known.begin <= at) {
            known.cost += nanoseconds as f64;
        }
    }

    /// All are over.
    pub(super) fn finish(&mut self) {
        for of in self.of.values_mut() {
            for over in std::mem::take(&mut of.under_way) {
                of.over(over);
            }
        }
    }

    /// The time of the costliest one.
    pub(super) fn costliest(&self, account: Account) -> Option<(u64, u64)> {
        let costliest = self.of.get(&account)?.costliest?;
        Some((costliest.begin, costliest.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;

    #[test]
    fn the_execution_that_costs_most_is_kept_whoever_reports_late() {
        let mut executions = Executions::default();
        let mut part = |thread, region: u64, (begin, end), state| {
            executions.part(&Part {
                thread,
                begin,
                end,
                state,
                account: Account::Construct(3),
                region: Id(region),
                task: Id::NONE,
                works: false,
                is_unread: false,
                blame: Running::default(),
            });
        };
        for (region, begin, wait) in [(1, 0, 5), (2, 100, 40), (3, 200, 5)] {
            part(0, region, (begin, begin + 50), State::WorkParallel);
            part(1, region, (begin, begin + 50 - wait), State::WorkParallel);
            if region > 1 {
                let wait = if region == 2 { 5 } else { 40 };
                part(1, region - 1, (begin - 50 - wait, begin - 50), State::WaitBarrier);
            }
        }
        executions.finish();
        assert_eq!(executions.costliest(Account::Construct(3)), Some((100, 150)));
        assert_eq!(executions.costliest(Account::Construct(4)), None);
    }
}
