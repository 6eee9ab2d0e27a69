//! The ranks that are recorded: before ranks exchange messages of ours, all of them must be known to take part. Where only some
//! processes of a job are recorded, a collective function of ours would wait for the others for ever.
//!
//! Rank 0 publishes the number of this agreement. Each other rank that finds it publishes itself under that number, and waits for a
//! decision under it. Rank 0 looks up every rank, and decides when it has found all of them, or when no more of them come.
//!
//! A name server may outlive a job that was killed. What that left has another number, but for the name under which the number itself
//! is published: it is taken back before there is a decision, so that no rank of a later job finds a decision that is not its own.
//! A rank that no longer waits publishes the decision that nothing is exchanged: it is rank 0's own unless there was one before.

use crate::names::Names;
use ompttrace_recording::launchers;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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
/// The name under which rank 0 publishes the number of the agreement.
const NUMBER: &str = "0";

/// The agreement as a rank has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Agreement {
    pub(crate) decision: Decision,
    /// The ranks that were found, with this one; only rank 0 knows them.
    pub(crate) ranks: Option<u32>,
}

/// For a program of one rank.
pub(crate) const ALONE: Agreement = Agreement { decision: Decision::OneClock, ranks: Some(1) };

/// Texts under one name that are taken back.
const MOST_LEFT: usize = 16;

/// A rank gives up when nobody has come for so long, and a little for each rank, since those of large jobs begin one after
/// the other.
const WAIT: Duration = Duration::from_secs(1);
const WAIT_PER_RANK: Duration = Duration::from_millis(1);
/// Rank 0 decides after at most so many of these waits.
const WAITS_FOR_RANKS: u32 = 3;
/// A rank that has published itself waits for the decision that much longer: rank 0 may be late, but not gone, unless the job ends.
const WAITS_FOR_DECISION: u32 = 6;

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
    let name = launchers::job(|name| std::env::var_os(name)).unwrap_or_default();
    let job = Job { names, name, size, wait };
    names.with_errors_returned(|| {
        if rank == 0 { job.decide(itself) } else { job.follow(rank, itself) }
    })
}

/// A decision that this process has published.
struct Published {
    name: String,
    decision: Decision,
    /// Ranks that wait for it have found it by then.
    until: Instant,
}

static PUBLISHED: Mutex<Option<Published>> = Mutex::new(None);

/// Takes back what this process has still published: MPI is about to be finalised.
pub(crate) fn end() {
    let published = PUBLISHED.lock().ok().and_then(|mut published| published.take());
    let (Some(Published { name, decision, until }), Some(names)) = (published, Names::find())
    else {
        return;
    };
    std::thread::sleep(until.saturating_duration_since(Instant::now()));
    names.with_errors_returned(|| names.unpublish(&name, text_of(decision)));
}

struct Job<'a> {
    names: &'a Names,
    /// Its name, since a name server may serve several jobs.
    name: String,
    size: u32,
    wait: Duration,
}

impl Job<'_> {
    fn decide(&self, itself: Itself) -> Agreement {
        let (here, number) = (self.name_of(NUMBER), number());
        if !self.names.publish(&here, &number) {
            self.clear(&here, &number);
            return Agreement { decision: Decision::Apart, ranks: None };
        }
        let found = self.find(&number);
        // A rank that comes now is too late, and so would be one of a later job.
        self.names.unpublish(&here, &number);
        let is_taken_back = self.names.look_up(&here).as_deref() != Some(&number);
        let decision = decision(itself, &found, self.size);
        let decision = if is_taken_back { decision } else { Decision::Apart };
        let decision = self.publish(&self.name_under(&number, DECISION), decision);
        Agreement { decision, ranks: Some(1 + found.len() as u32) }
    }

    /// Takes back a name that a job has left that was killed: the next job finds it free. Hydra's name server has kept what it refused,
    /// too.
    fn clear(&self, name: &str, text: &str) {
        for _ in 0..MOST_LEFT {
            if self.names.look_up(name).is_none() {
                break;
            }
            self.names.unpublish(name, text);
        }
    }

    /// Publishes a decision unless there is one, and returns the one that all ranks find.
    fn publish(&self, name: &str, decision: Decision) -> Decision {
        let known = self.names.look_up(name);
        let is_published = known.is_none() && self.names.publish(name, text_of(decision));
        if is_published {
            let until = Instant::now() + 2 * self.longest_pause();
            if let Ok(mut published) = PUBLISHED.lock() {
                *published = Some(Published { name: name.to_owned(), decision, until });
            }
        }
        // Some libraries let several processes publish one name.
        let text = known.or_else(|| self.names.look_up(name));
        let own = if is_published { decision } else { Decision::Apart };
        text.and_then(|text| from_text(&text)).unwrap_or(own)
    }

    /// The ranks that come, without rank 0.
    fn find(&self, number: &str) -> Vec<Itself> {
        let mut deadline = Instant::now() + self.wait;
        let last = Instant::now() + WAITS_FOR_RANKS * self.wait;
        let find = |rank: u32| {
            let name = self.name_under(number, &rank.to_string());
            let other = self.wait_for(&name, deadline.min(last))?;
            deadline = Instant::now() + self.wait;
            Itself::from_text(&other)
        };
        (1..self.size).filter_map(find).collect()
    }

    fn follow(&self, rank: u32, itself: Itself) -> Agreement {
        let apart = Agreement { decision: Decision::Apart, ranks: None };
        let deadline = Instant::now() + self.wait;
        let Some(number) = self.wait_for(&self.name_of(NUMBER), deadline) else { return apart };
        let (name, text) = (self.name_under(&number, &rank.to_string()), itself.text());
        if !self.names.publish(&name, &text) {
            return apart;
        }
        let deadline = Instant::now() + WAITS_FOR_DECISION * self.wait;
        let decided = self.name_under(&number, DECISION);
        let decision = match self.wait_for(&decided, deadline) {
            Some(text) => from_text(&text).unwrap_or(Decision::Apart),
            None => self.publish(&decided, Decision::Apart),
        };
        self.names.unpublish(&name, &text);
        Agreement { decision, ranks: None }
    }

    /// Waits for a value that is published under a name, and returns it; `None` if there is none at the deadline. The name is looked up
    /// at least once.
    fn wait_for(&self, name: &str, deadline: Instant) -> Option<String> {
        let longest = self.longest_pause();
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

    /// The time between two look-ups of a name: all ranks ask the launcher's one process.
    fn longest_pause(&self) -> Duration {
        Duration::from_micros(200) * self.size.min(500)
    }

    fn name_of(&self, part: &str) -> String {
        format!("ompttrace.{}.{part}", self.name)
    }

    /// A name of the agreement that has this number.
    fn name_under(&self, number: &str, part: &str) -> String {
        self.name_of(&format!("{number}.{part}"))
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

fn from_text(text: &str) -> Option<Decision> {
    DECISIONS.iter().find(|(_, known)| *known == text).map(|(decision, _)| *decision)
}

/// A number that no other agreement has: the process and the time.
fn number() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", std::process::id(), now.as_nanos())
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
