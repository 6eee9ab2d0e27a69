//! Loops, sections and regions at whose closing barrier threads wait: because their work is unequal,
//! because there is hardly any, or because they come late to equal work.

use super::schedule::{self, in_general};
use super::{Alike, Found, SHORT, about, named, worth_with_others};
use crate::model::{Class, ConstructReport, Report};
use crate::state::State;
use crate::text::{duration, percent, times};

/// From here on threads that differ are the reason.
const UNEVEN: f64 = 0.10;
/// If what they differ by is at least this part of the waiting.
const EXPLAINED: f64 = 0.33;

const LOSS: &str = "threads wait {} at their barriers";
const SHORT_LOOP: &str =
    "merge it with what is around it, use `nowait`, or make one region of several";
const SHORT_REGION: &str = "make one region of several, or let one thread do it (`if`)";
const LATE: &str = "threads may begin it late or lose their core; larger pieces of work help";
const HELD_UP: &str = "waiting for mutexes makes them late";

/// `waits` is the time waited at the barriers of the construct at `at`, `all` what threads spend in it.
pub(super) fn find(report: &Report, at: usize, waits: u64, all: u64, found: &mut Found) {
    let Some(construct) = report.constructs.get(at) else { return };
    let share = percent(waits as f64 / all.max(1) as f64);
    let barrier = format!("{}: {share} of thread time waits at its barrier", named(construct));
    let balance = construct.balance;
    let each = balance.mean_ns / balance.instances.max(1);
    let times = balance.instances;
    let is_explained = balance.lost_ns as f64 >= EXPLAINED * waits as f64;
    let (kind, text, each_ns, advice) = if times == 0 {
        let advice = other_reason(construct);
        ("late", format!("{barrier}; {advice}"), None, advice)
    } else if balance.longest_ns / times < SHORT {
        let advice = if construct.class == Class::Region { SHORT_REGION } else { SHORT_LOOP };
        let why = format!(
            "a thread has only {} of work in it each of {times} times, too little to share",
            duration(each)
        );
        ("short", format!("{barrier}: {why}; {advice}"), Some(each), advice)
    } else if balance.imbalance >= UNEVEN
        && is_explained
        && worth_with_others(report, balance.lost_ns)
    {
        let (who, advice) = (who(construct), schedule::advice(construct));
        ("imbalance", format!("{barrier}; {who}; {advice}"), None, in_general(construct))
    } else {
        let advice = other_reason(construct);
        let even = match balance.imbalance < UNEVEN {
            true => format!("though its threads share the work evenly ({} each", duration(each)),
            false => format!("more than unequal work explains ({} each", duration(each)),
        };
        ("late", format!("{barrier}, {even} in {times} executions): {advice}"), None, advice)
    };
    found.push_alike(about(report, kind, at, waits, text), Alike { loss: LOSS, each_ns, advice });
}

fn other_reason(construct: &ConstructReport) -> &'static str {
    if construct.times.sum(State::is_mutex) > 0 { HELD_UP } else { LATE }
}

/// Who works more than the others.
fn who(construct: &ConstructReport) -> String {
    let work = &construct.work_by_thread_ns;
    let mean = work.iter().sum::<u64>() as f64 / work.len().max(1) as f64;
    let most = work.iter().enumerate().max_by_key(|(_, work)| **work);
    let ratio = most.map_or(0.0, |(_, work)| *work as f64 / mean.max(1.0));
    let balance = construct.balance;
    match most {
        Some((number, _)) if ratio - 1.0 > balance.imbalance / 2.0 => {
            format!("thread {number} works {} the mean", times(ratio))
        }
        _ => format!(
            "the longest thread works {} the mean, not always the same one",
            times(1.0 + balance.imbalance)
        ),
    }
}
