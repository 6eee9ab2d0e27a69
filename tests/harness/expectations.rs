//! Counts that a program expects: `event[:kind][.endpoint]` `=`, `>=` or `<=` a number, as in
//! `parallel_begin=3`, `task_create:explicit>=10`, `work:sections.begin=4`. In addition to events there
//! are `initialize`, `finalize` and `dependence_entries`.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Error, Result, bail, ensure};

use crate::oracle::{Counts, EVENTS, Totals};

/// One expectation.
#[derive(Clone, Debug)]
pub struct Expectation {
    text: String,
    subject: String,
    kind: Option<u32>,
    endpoint: Option<Endpoint>,
    relation: Relation,
    number: u64,
}

#[derive(Clone, Copy, Debug)]
enum Endpoint {
    Begin,
    End,
}

#[derive(Clone, Copy, Debug)]
enum Relation {
    Exactly,
    AtLeast,
    AtMost,
}

const OTHERS: [&str; 3] = ["initialize", "finalize", "dependence_entries"];

impl Expectation {
    /// Number that the oracle counted for the subject of this expectation.
    pub fn actual(&self, counts: &Counts) -> u64 {
        match self.subject.as_str() {
            "initialize" => counts.initialized.into(),
            "finalize" => counts.finalized.into(),
            "dependence_entries" => counts.dependences,
            event => self.totals(counts, event),
        }
    }

    fn totals(&self, counts: &Counts, event: &str) -> u64 {
        let event = counts.event(event);
        let totals = match self.kind {
            None => event.returned,
            Some(kind) => event.by_kind.get(&kind).copied().unwrap_or(Totals::default()),
        };
        match self.endpoint {
            None => totals.sum(),
            Some(Endpoint::Begin) => totals.begin,
            Some(Endpoint::End) => totals.end,
        }
    }

    /// True when the counts are as expected.
    pub fn holds(&self, counts: &Counts) -> bool {
        let actual = self.actual(counts);
        match self.relation {
            Relation::Exactly => actual == self.number,
            Relation::AtLeast => actual >= self.number,
            Relation::AtMost => actual <= self.number,
        }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.text)
    }
}

impl FromStr for Expectation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Expectation> {
        let (left, relation, number) = split(text).context("=, >= or <= and a number wanted")?;
        let (left, endpoint) = match left.rsplit_once('.') {
            None => (left, None),
            Some((left, "begin")) => (left, Some(Endpoint::Begin)),
            Some((left, "end")) => (left, Some(Endpoint::End)),
            Some((_, other)) => bail!("no endpoint is called {other}"),
        };
        let (subject, kind) = match left.split_once(':') {
            None => (left, None),
            Some((subject, kind)) => (subject, Some(kind_number(subject, kind)?)),
        };
        let known = EVENTS[1..].contains(&subject) || OTHERS.contains(&subject);
        ensure!(known, "no event is called {subject}");
        let (text, subject) = (text.to_string(), subject.to_string());
        Ok(Expectation { text, subject, kind, endpoint, relation, number: number.parse()? })
    }
}

fn split(text: &str) -> Option<(&str, Relation, &str)> {
    for (sign, relation) in
        [(">=", Relation::AtLeast), ("<=", Relation::AtMost), ("=", Relation::Exactly)]
    {
        if let Some((left, number)) = text.split_once(sign) {
            return Some((left, relation, number));
        }
    }
    None
}

/// The kinds that programs may name, by event; omp-tools.h's own words.
fn kind_number(event: &str, kind: &str) -> Result<u32> {
    let table: &[(&str, u32)] = match event {
        "thread_begin" => &[("initial", 1), ("worker", 2), ("other", 3), ("unknown", 4)],
        "parallel_begin" | "parallel_end" => &[("league", 1), ("team", 2)],
        "implicit_task" => &[("initial", 1), ("implicit", 2)],
        "task_create" => &[("initial", 1), ("explicit", 4), ("target", 8), ("taskwait", 16)],
        "task_schedule" => &[
            ("complete", 1),
            ("yield", 2),
            ("cancel", 3),
            ("detach", 4),
            ("early_fulfill", 5),
            ("late_fulfill", 6),
            ("switch", 7),
            ("taskwait_complete", 8),
        ],
        "work" => &[
            ("loop", 1),
            ("sections", 2),
            ("single_executor", 3),
            ("single_other", 4),
            ("workshare", 5),
            ("distribute", 6),
            ("taskloop", 7),
            ("scope", 8),
            ("loop_static", 10),
            ("loop_dynamic", 11),
            ("loop_guided", 12),
            ("loop_other", 13),
        ],
        "dispatch" => &[
            ("iteration", 1),
            ("section", 2),
            ("ws_loop_chunk", 3),
            ("taskloop_chunk", 4),
            ("distribute_chunk", 5),
        ],
        "sync_region" | "sync_region_wait" | "reduction" => &[
            ("barrier", 1),
            ("barrier_implicit", 2),
            ("barrier_explicit", 3),
            ("barrier_implementation", 4),
            ("taskwait", 5),
            ("taskgroup", 6),
            ("reduction", 7),
            ("barrier_implicit_workshare", 8),
            ("barrier_implicit_parallel", 9),
            ("barrier_teams", 10),
        ],
        "mutex_acquire" | "mutex_acquired" | "mutex_released" | "lock_init" | "lock_destroy" => &[
            ("lock", 1),
            ("test_lock", 2),
            ("nest_lock", 3),
            ("test_nest_lock", 4),
            ("critical", 5),
            ("atomic", 6),
            ("ordered", 7),
        ],
        "cancel" => &[("parallel", 1), ("sections", 2), ("loop", 4), ("taskgroup", 8)],
        "target" | "target_emi" => &[
            ("target", 1),
            ("enter_data", 2),
            ("exit_data", 3),
            ("update", 4),
            ("target_nowait", 9),
            ("enter_data_nowait", 10),
            ("exit_data_nowait", 11),
            ("update_nowait", 12),
        ],
        "target_data_op" | "target_data_op_emi" => {
            &[("alloc", 1), ("to_device", 2), ("from_device", 3), ("delete", 4)]
        }
        // Commands go by number.
        "control_tool" => return Ok(kind.parse()?),
        "error" => &[("warning", 1), ("fatal", 2)],
        _ => bail!("{event} is not counted by kind"),
    };
    let found = table.iter().find(|(name, _)| *name == kind);
    Ok(found.with_context(|| format!("{event} knows no kind {kind}"))?.1)
}
