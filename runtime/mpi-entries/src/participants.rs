//! The ranks that are recorded: before ranks exchange messages of ours, all of them must be known to take part. Where only some
//! processes of a job are recorded, a collective function of ours would wait for the others for ever.
//!
//! Rank 0 publishes that it is here. Each other rank that finds that publishes itself, and waits for a decision. Rank 0 looks up
//! every rank, and decides when it has found all of them, or when no more of them come.

use crate::names::Names;
use std::time::{Duration, Instant};

/// Decision of rank 0: whether the ranks exchange messages for the recording, and whether all have one clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Not all ranks take part, or one of them has another mode: nothing is exchanged.
    Apart,
    /// All ranks have one clock.
    OneClock,
    /// All ranks take part, and have several clocks.
    SeveralClocks,
}

const DECISIONS: [(Decision, &str); 3] = [
    (Decision::Apart, "apart"),
    (Decision::OneClock, "one-clock"),
    (Decision::SeveralClocks, "several-clocks"),
];

/// The name under which rank 0 publishes it.
const DECISION: &str = "decision";

/// The agreement as a rank has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Agreement {
    pub(crate) decision: Decision,
    /// The ranks that were found, with this one; only rank 0 knows them.
    pub(crate) ranks: Option<u32>,
}

/// For a program of one rank.
pub(crate) const ALONE: Agreement = Agreement { decision: Decision::OneClock, ranks: Some(1) };

/// A rank gives up when nobody has come for so long, and a little for each rank, since those of large jobs begin one after
/// the other.
const WAIT: Duration = Duration::from_secs(1);
const WAIT_PER_RANK: Duration = Duration::from_millis(1);
/// One that has published itself waits for rank 0, which decides in a shorter time unless the job ends.
const WAIT_FOR_DECISION: Duration = Duration::from_secs(600);

/// Properties that a rank publishes for rank 0 to decide by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Itself {
    /// True if messages are recorded, and not only calls.
    pub(crate) has_messages: bool,
    /// A number that all ranks with the same clock have.
    pub(crate) clock: u64,
}

impl Itself {
    fn text(self) -> String {
        format!("{}-{:016x}", u8::from(self.has_messages), self.clock)
    }

    fn from_text(text: &str) -> Option<Itself> {
        let (has_messages, clock) = text.split_once('-')?;
        let clock = u64::from_str_radix(clock, 16).ok()?;
        Some(Itself { has_messages: has_messages == "1", clock })
    }
}

/// Agrees with the other ranks.
pub(crate) fn agree(names: &Names, (rank, size): (u32, u32), itself: Itself) -> Agreement {
    let wait = WAIT + WAIT_PER_RANK * size;
    let job = Job { names, name: job_name(), size, wait };
    names.with_errors_returned(|| {
        if rank == 0 { job.decide(itself) } else { job.follow(rank, itself) }
    })
}

struct Job<'a> {
    names: &'a Names,
    /// Its name, where its launcher serves several jobs.
    name: String,
    size: u32,
    wait: Duration,
}

impl Job<'_> {
    fn decide(&self, itself: Itself) -> Agreement {
        let (here, text) = (self.name_of("0"), itself.text());
        if !self.names.publish(&here, &text) {
            return Agreement { decision: Decision::Apart, ranks: None };
        }
        let found = self.find();
        // A rank that comes now is too late.
        self.names.unpublish(&here, &text);
        let decision = decision(itself, &found, self.size);
        let is_published = self.names.publish(&self.name_of(DECISION), text_of(decision));
        let decision = if is_published { decision } else { Decision::Apart };
        Agreement { decision, ranks: Some(1 + found.len() as u32) }
    }

    /// The ranks that come, without rank 0.
    fn find(&self) -> Vec<Itself> {
        let mut deadline = Instant::now() + self.wait;
        let find = |rank: u32| {
            let other = self.wait_for(&self.name_of(&rank.to_string()), deadline)?;
            deadline = Instant::now() + self.wait;
            Itself::from_text(&other)
        };
        (1..self.size).filter_map(find).collect()
    }

    fn follow(&self, rank: u32, itself: Itself) -> Agreement {
        let apart = Agreement { decision: Decision::Apart, ranks: None };
        let deadline = Instant::now() + self.wait;
        if self.wait_for(&self.name_of("0"), deadline).is_none() {
            return apart;
        }
        let (name, text) = (self.name_of(&rank.to_string()), itself.text());
        if !self.names.publish(&name, &text) {
            return apart;
        }
        let deadline = Instant::now() + WAIT_FOR_DECISION;
        let decision = self.wait_for(&self.name_of(DECISION), deadline);
        self.names.unpublish(&name, &text);
        let known = DECISIONS.iter().find(|(_, text)| Some(*text) == decision.as_deref());
        known.map_or(apart, |(decision, _)| Agreement { decision: *decision, ranks: None })
    }

    /// Waits for a value that is published under a name, and returns it; `None` if there is none at the deadline. The name is looked up
    /// at least once.
    fn wait_for(&self, name: &str, deadline: Instant) -> Option<String> {
        // All ranks ask the launcher's one process.
        let longest = Duration::from_micros(200) * self.size.min(500);
        let mut pause = Duration::from_micros(50);
        loop {
            let found = self.names.look_up(name);
            if found.is_some() || Instant::now() >= deadline {
                return found;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(longest);
        }
    }

    fn name_of(&self, part: &str) -> String {
        format!("ompttrace.{}.{part}", self.name)
    }
}

/// The decision of a rank that has found these others of so many ranks in all.
fn decision(itself: Itself, found: &[Itself], size: u32) -> Decision {
    let are_all = found.len() as u32 + 1 == size;
    if !are_all || found.iter().any(|other| other.has_messages != itself.has_messages) {
        Decision::Apart
    } else if found.iter().all(|other| other.clock == itself.clock) {
        Decision::OneClock
    } else {
        Decision::SeveralClocks
    }
}

fn text_of(decision: Decision) -> &'static str {
    DECISIONS.iter().find(|(one, _)| *one == decision).map_or("", |(_, text)| text)
}

/// The job's name, by the variables of launchers whose servers may outlive a job.
fn job_name() -> String {
    const VARIABLES: [&str; 3] = ["PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID"];
    let values: Vec<_> = VARIABLES.iter().filter_map(|name| std::env::var(name).ok()).collect();
    values.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Itself = Itself { has_messages: true, clock: 0xfeed };

    #[test]
    fn ranks_exchange_messages_only_if_all_take_part() {
        let there = Itself { clock: 7, ..HERE };
        let calls = Itself { has_messages: false, ..HERE };
        assert_eq!(decision(HERE, &[HERE, HERE], 3), Decision::OneClock);
        assert_eq!(decision(HERE, &[there, HERE], 3), Decision::SeveralClocks);
        assert_eq!(decision(HERE, &[there], 3), Decision::Apart);
        assert_eq!(decision(HERE, &[there, calls], 3), Decision::Apart);
    }

    #[test]
    fn what_a_rank_publishes_is_read_back() {
        for itself in [HERE, Itself { has_messages: false, clock: u64::MAX }] {
            assert_eq!(Itself::from_text(&itself.text()), Some(itself));
        }
        assert_eq!(Itself::from_text("1"), None);
    }
}
