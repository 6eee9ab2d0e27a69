//! A program that was ended while threads waited in vain: the waits, their reasons and their begins.

use super::gain::ns;
use super::{named, of_all};
use crate::model::{Class, Finding, Report, Unfinished};
use crate::text::duration;
use ompttrace_model::threads_left_behind;

/// A wait that lasted for less than this part of the run, or for less than so many nanoseconds, may have ended soon.
const LONG: u64 = 10;
const LEAST: u64 = 100_000_000;
/// The state of a thread that waits for its team.
const STARTING: &str = "overhead_fork";
/// Threads that are named one by one.
const NAMED: usize = 4;

/// The finding, where the process did not end by itself and threads waited for long.
pub(super) fn find(report: &Report) -> Option<Finding> {
    match report.life.to.as_str() {
        "signal" => {}
        // While some thread works it may go on.
        "sign" | "unknown" if report.working_at_stop == 0 => {}
        _ => return None,
    }
    let least = LEAST.max(report.wall_ns / LONG);
    let all: Vec<_> = report.unfinished.iter().filter(|one| one.waited_ns >= least).collect();
    let first = *all.first()?;
    let lost = all.iter().map(|one| one.waited_ns).sum();
    let finding = Finding {
        kind: "unfinished",
        lost_ns: lost,
        share: of_all(report, lost),
        construct: Some(first.construct),
        location: location(report, first),
        text: text(report, &all),
        ..Finding::default()
    };
    Some(finding.shown_by("threads", all.len() as u64).shown_by("waited_ns", ns(first.waited_ns)))
}

/// True if the run stood still: no thread worked any more, or one has waited for most of the run. Then other findings
/// do not matter.
pub(super) fn stood_still(report: &Report) -> bool {
    let longest = report.unfinished.iter().map(|one| one.waited_ns).max().unwrap_or(0);
    report.working_at_stop == 0 || longest >= report.wall_ns / 2
}

fn text(report: &Report, all: &[&Unfinished]) -> String {
    let mut said: Vec<(Vec<u32>, String)> = Vec::new();
    for one in all {
        let what = waits_for(report, one);
        match said.iter_mut().find(|(_, known)| *known == what) {
            Some((threads, _)) => threads.push(one.thread),
            None => said.push((vec![one.thread], what)),
        }
    }
    let more = said.len().saturating_sub(NAMED);
    let mut parts: Vec<_> = said
        .iter()
        .take(NAMED)
        .map(|(threads, what)| {
            let waits = if threads.len() == 1 { "waits" } else { "wait" };
            format!("{} {waits} {what}", threads_in_words(threads))
        })
        .collect();
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    let [first, ..] = all else { return String::new() };
    let since = format!(
        "since {} after the start, for {} until {}",
        duration(first.since_ns),
        duration(first.waited_ns),
        end(report)
    );
    let of_team = all.iter().any(|one| one.state == STARTING || one.state.contains("barrier"));
    let fork_of = report.program.fork_of.filter(|_| of_team);
    let why = match (deadlock(all), threads_left_behind(fork_of, 0, report.threads.len())) {
        (true, _) => ": each waits for what another one holds, a deadlock".to_owned(),
        (false, Some(why)) => format!(". {why}"),
        (false, None) => String::new(),
    };
    format!("Waits that never ended: {}, {since}{why}", parts.join("; "))
}

/// `thread 3`; `threads 1, 2 and 4`; `12 threads`.
fn threads_in_words(threads: &[u32]) -> String {
    match threads {
        [one] => format!("thread {one}"),
        [others @ .., last] if threads.len() <= NAMED => {
            let others: Vec<_> = others.iter().map(u32::to_string).collect();
            format!("threads {} and {last}", others.join(", "))
        }
        _ => format!("{} threads", threads.len()),
    }
}

fn waits_for(report: &Report, one: &Unfinished) -> String {
    let at = location(report, one);
    let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
    match (&one.lock, one.holder) {
        (Some(lock), Some(holder)) if holder == one.thread => {
            format!("for {lock}{at}, which it holds itself")
        }
        (Some(lock), Some(holder)) => format!("for {lock}{at}, which thread {holder} holds"),
        (Some(lock), None) => format!("for {lock}{at}"),
        (None, _) => match report.constructs.get(one.construct) {
            Some(own) if one.state == STARTING => format!("in starting {}", named(own)),
            Some(own) if own.class == Class::Sync => format!("at {}", named(own)),
            Some(of) => format!("{} of {}", kind(one.state), named(of)),
            None => kind(one.state).to_owned(),
        },
    }
}

/// The construct that a thread in a state waits at.
fn kind(state: &str) -> &'static str {
    match state {
        "wait_taskwait" => "at a taskwait",
        "wait_taskgroup" => "at the end of a taskgroup",
        _ => "at the barrier",
    }
}

fn location(report: &Report, one: &Unfinished) -> String {
    match &one.location {
        Some(site) => site.short.clone(),
        None => {
            let construct = report.constructs.get(one.construct);
            construct.map(|construct| construct.location.short.clone()).unwrap_or_default()
        }
    }
}

/// True if several threads wait in a circle: each for a mutex that the next one holds.
fn deadlock(all: &[&Unfinished]) -> bool {
    let holder = |thread: u32| {
        let holder = all.iter().find(|one| one.thread == thread)?.holder;
        holder.filter(|holder| *holder != thread)
    };
    all.iter().any(|first| {
        let mut next = holder(first.thread);
        for _ in 0..all.len() {
            match next {
                Some(thread) if thread == first.thread => return true,
                Some(thread) => next = holder(thread),
                None => return false,
            }
        }
        false
    })
}

/// The end of the process, in words.
fn end(report: &Report) -> String {
    match &report.life.ended {
        Some(ended) => format!("the end ({ended})"),
        None => "the last sign of life".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(thread: u32, lock: &str, holder: Option<u32>) -> Unfinished {
        Unfinished {
            thread,
            lock: Some(lock.to_owned()),
            holder,
            since_ns: 50_000_000,
            waited_ns: 3_950_000_000,
            ..Unfinished::default()
        }
    }

    fn report(unfinished: Vec<Unfinished>, to: &str) -> Report {
        let mut report = Report { unfinished, wall_ns: 4_000_000_000, ..Report::default() };
        (report.life.to, report.life.ended) = (to.to_owned(), Some("signal 15 (SIGTERM)".into()));
        report
    }

    #[test]
    fn a_circle_of_locks_is_a_deadlock() {
        let unfinished = vec![waits(1, "lock a", Some(2)), waits(2, "lock b", Some(1))];
        let found = find(&report(unfinished, "signal")).expect("a finding");
        for words in [
            "thread 1 waits for lock a, which thread 2 holds; thread 2 waits for lock b, which thread 1 holds",
            "for 3.95 s until the end (signal 15 (SIGTERM)): each waits for what another one holds, a deadlock",
        ] {
            assert!(found.text.contains(words), "{}", found.text);
        }
        assert_eq!(found.gain.high_ns, 0, "nothing is promised");
    }

    #[test]
    fn a_holder_that_does_not_wait_makes_no_deadlock() {
        let unfinished = vec![waits(1, "lock a", Some(2)), waits(3, "lock a", Some(2))];
        let found = find(&report(unfinished, "signal")).expect("a finding");
        assert!(found.text.contains("threads 1 and 3 wait for lock a, which thread 2 holds"));
        assert!(!found.text.contains("deadlock"), "{}", found.text);
    }

    #[test]
    fn a_lock_that_its_owner_waits_for_is_held_by_no_other() {
        let found = find(&report(vec![waits(1, "lock a", Some(1))], "signal")).expect("a finding");
        assert!(found.text.contains("for lock a, which it holds itself"), "{}", found.text);
        assert!(!found.text.contains("another one"), "{}", found.text);
    }

    #[test]
    fn a_process_that_exits_leaves_workers_waiting() {
        let waiting = || vec![waits(1, "lock a", Some(2))];
        assert!(find(&report(waiting(), "exit")).is_none());
        let mut short = report(waiting(), "signal");
        short.wall_ns = 100_000_000_000;
        assert!(find(&short).is_none(), "it may have gone on");
        let mut running = report(waiting(), "sign");
        assert!(find(&running).is_some_and(|_| stood_still(&running)));
        running.working_at_stop = 1;
        assert!(find(&running).is_none(), "it may go on");
        let mut busy = report(waiting(), "signal");
        (busy.working_at_stop, busy.wall_ns) = (1, 10_000_000_000);
        assert!(find(&busy).is_some_and(|_| !stood_still(&busy)), "others worked");
    }
}
