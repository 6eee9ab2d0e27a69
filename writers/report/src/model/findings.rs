//! Findings in a report: what is wrong, how that is known, what to try and what it should bring.

use serde::Serialize;

/// Something worth looking at.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Finding {
    /// What it is about: `cores` (threads did not have the cores that they wanted), `imbalance` (threads of a team have unequal work), `short` (so little work that a
    /// barrier costs more), `late` (threads come late though their work is equal, or begin late), `single`,
    /// `barrier`, `serial`, `idle`, `lock`, `ordered`, `handover`, `schedule`, `fork`,
    /// `creation` (data is copied where tasks are made), `grain`, `taskwait`, `tool`.
    pub kind: &'static str,
    /// The cause that it belongs to: `cores`, `serial`, `imbalance`, `granularity`, `contention`, `tasks`, `start` or
    /// `tool`.
    pub cause: &'static str,
    /// Thread time that is lost by it, as far as that is known.
    pub lost_ns: u64,
    /// The same as a share of threads x wall time.
    pub share: f64,
    /// The construct it is about.
    pub construct: Option<usize>,
    /// Where that stands: `stencil.c:47`; empty where it is unknown.
    pub location: String,
    /// Further constructs of which the same is said, each at less cost: the finding is about all of them.
    pub also: Vec<usize>,
    /// The finding in words: a line.
    pub text: String,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// The one thing to try, in words, whose gain `gain` is; empty where nothing is known. A line.
    pub cure: String,
    /// How much less the run would take.
    pub gain: Gain,
    /// What would show that the finding or its cure is wrong.
    pub disproof: &'static str,
    /// What follows from it, and is no finding of its own.
    pub explains: Vec<Symptom>,
}

/// One figure that a finding rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// What it is: `ompttrace report --explain NAME` says more.
    pub name: &'static str,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// A number of something.
    Count,
    /// A part of a whole.
    Share,
}

/// Elapsed time that a run would take less with a cure, by a model that replays what was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Gain {
    /// What is to be expected.
    pub ns: u64,
    /// What the model gives where all that it does not know goes against the cure.
    pub low_ns: u64,
    /// And where all of it is for the cure.
    pub high_ns: u64,
    /// What is to be expected as a share of the wall time, with its range.
    pub share: f64,
    /// See [`Gain::low_ns`].
    pub low_share: f64,
    /// See [`Gain::high_ns`].
    pub high_share: f64,
}

/// Something that another finding explains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Symptom {
    /// As of a finding.
    pub kind: &'static str,
    /// As of a finding.
    pub construct: Option<usize>,
    /// As of a finding.
    pub lost_ns: u64,
}
