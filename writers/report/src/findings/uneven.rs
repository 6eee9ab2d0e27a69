//! Loops, sections and regions at whose closing barrier threads wait: because their work is unequal,
//! because there is hardly any, or because they come late to equal work.

use super::gain::{Figure, elapsed, ns, region_time, work_in};
use super::schedule::{self, in_general};
use super::{Alike, Findings, SHORT, about, named, up_to, worth_with_others};
use crate::model::{Class, ConstructReport, Gain, Report};
use crate::state::State;
use crate::text::{duration, percent, times};

/// Imbalance from which on unequal work is the reason for waiting.
const UNEVEN: f64 = 0.10;
/// Part of the waiting that unequal work must explain to be the reason.
const EXPLAINED: f64 = 0.33;

/// One thread is about as fast if it takes at most this multiple of the time of all threads.
pub(super) const AS_FAST: f64 = 1.1;

const LOSS: &str = "threads wait {} at their barriers";
const SHORT_LOOP: &str = "merge it with the loops around it";
const SHORT_REGION: &str = "make one region of several";
pub(super) const ONE_THREAD: &str = "let one thread do it (`if`): it would be about as fast";
const LATE: &str = "give it more work in one execution: threads may begin late or lose their core";
const MUTEXES: &str = "take mutexes less often: waiting for them makes threads late";

/// Adds the finding about waiting; `waits` is the time at the barriers of the construct at `at`, `all` its thread time.
pub(super) fn find(report: &Report, at: usize, waits: u64, all: u64, found: &mut Findings) {
    let Some(construct) = report.constructs.get(at) else { return };
    let share = percent(waits as f64 / all.max(1) as f64);
    let barrier = format!("{}: {share} of thread time waits at its barrier", named(construct));
    let balance = construct.balance;
    let each = balance.mean_ns / balance.instances.max(1);
    let times = balance.instances;
    let is_explained = balance.lost_ns as f64 >= EXPLAINED * waits as f64;
    let waited = up_to(report, elapsed(report, construct, waits));
    let (kind, text, each_ns, advice, cure, gain) = if times == 0 {
        let advice = other_reason(construct);
        ("late", barrier, None, advice, advice.to_owned(), waited)
    } else if balance.longest_ns / times < SHORT {
        let (advice, gain) = short(report, at, construct, waits);
        let why = format!(
            "a thread has {} of work in it each of {times} times, too little to share",
            duration(each)
        );
        ("short", format!("{barrier}: {why}"), Some(each), advice, advice.to_owned(), gain)
    } else if balance.imbalance >= UNEVEN
        && is_explained
        && worth_with_others(report, balance.lost_ns)
    {
        let (uneven, (cure, gain)) =
            (uneven_threads(construct), schedule::advice(report, at, construct));
        ("imbalance", format!("{barrier}: {uneven}"), None, in_general(construct), cure, gain)
    } else {
        let advice = other_reason(construct);
        let even = match balance.imbalance < UNEVEN {
            true => format!("though its threads share the work evenly ({} each", duration(each)),
            false => format!("more than unequal work explains ({} each", duration(each)),
        };
        let text = format!("{barrier}, {even} in {times} executions)");
        ("late", text, None, advice, advice.to_owned(), waited)
    };
    let finding = about(report, kind, at, waits, text).cured_by(cure, gain);
    let finding = finding.shown_by("waited_ns", ns(waits)).shown_by("executions", times);
    let finding = finding.shown_by("mean_work_ns", ns(balance.mean_ns));
    let finding = finding.shown_by("longest_work_ns", ns(balance.longest_ns));
    let finding = finding.shown_by("imbalance", Figure::from(balance.imbalance));
    found.push_alike(finding, Alike { loss: LOSS, each_ns, advice });
}

/// Cure and gain where there is hardly any work: one thread saves all barriers and forks, if it is as fast. Else forks
/// have a finding of their own, and the number of barriers that are needed is unknown.
fn short(
    report: &Report,
    at: usize,
    construct: &ConstructReport,
    waits: u64,
) -> (&'static str, Gain) {
    let waited = elapsed(report, construct, waits);
    let forks = construct.times.of(State::OverheadFork) as f64;
    let most = waited + forks;
    let is_region = construct.class == Class::Region;
    let region = if is_region { Some(at) } else { construct.region };
    let (now, alone) =
        region.map_or((0.0, 0.0), |at| (region_time(report, at), work_in(report, at)));
    // Of a loop only where it is most of its region.
    let own = (construct.balance.mean_ns * construct.threads) as f64;
    if now > 0.0 && alone <= AS_FAST * now && (is_region || own > alone / 2.0) {
        let saved = (now - alone).max(0.0);
        return (ONE_THREAD, Gain::of(report, saved.max(most / 2.0), saved, saved.max(most)));
    }
    (if is_region { SHORT_REGION } else { SHORT_LOOP }, up_to(report, waited))
}

fn other_reason(construct: &ConstructReport) -> &'static str {
    if construct.times.sum(State::is_mutex) > 0 { MUTEXES } else { LATE }
}

/// Words for the thread that works more than the others.
fn uneven_threads(construct: &ConstructReport) -> String {
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
