//! Findings of a report: problems, the figures that show them, cures and their gains.

use serde::Serialize;

/// A problem that costs the run time, or the reason for which it never ended.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Finding {
    /// Kind of the problem: `unfinished` (waits that never ended), `cores` (threads did not have the cores that they
    /// wanted), `imbalance` (threads of a team have unequal work), `short` (so little work that a barrier costs more),
    /// `late` (threads come late though their work is equal, or begin late), `single`, `barrier`, `serial`, `idle`,
    /// `lock`, `ordered`, `handover`, `schedule`, `fork`, `creation` (data is copied where tasks are created), `grain`,
    /// `taskwait`, `tool`.
    pub kind: &'static str,
    /// The cause that the kind belongs to: `waiting`, `cores`, `serial`, `imbalance`, `granularity`, `contention`,
    /// `tasks`, `start` or `tool`.
    pub cause: &'static str,
    /// Thread time lost because of the problem, as far as it is known, in nanoseconds.
    pub lost_ns: u64,
    /// Lost thread time as a share of threads x wall time.
    pub share: f64,
    /// The construct that the finding is about, by position.
    pub construct: Option<usize>,
    /// Source location of the construct or mutex: `stencil.c:47`; empty where it is unknown.
    pub location: String,
    /// Further constructs of which the same is said, each at less cost: the finding is about all of them.
    pub also: Vec<usize>,
    /// The finding in words: a line.
    pub text: String,
    /// Figures that the finding rests on.
    pub evidence: Vec<Evidence>,
    /// The one thing to try, in words, whose gain `gain` is; empty where nothing is known. A line.
    pub cure: String,
    /// Reduction of the run's elapsed time that the cure is expected to bring.
    pub gain: Gain,
    /// Observation that would show that the finding or its cure is wrong.
    pub disproof: &'static str,
    /// Consequences of the problem, which are not reported as findings of their own.
    pub explains: Vec<Symptom>,
}

/// One figure that a finding rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// Name of the figure; `ompttrace report --explain NAME` prints its definition.
    pub name: &'static str,
    /// Value of the figure.
    pub value: f64,
    /// Unit of the value.
    pub unit: Unit,
}

/// Unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// A number of things.
    Count,
    /// A part of a whole, from 0 to 1; an imbalance may be more.
    Share,
}

/// Reduction of elapsed time that a cure brings, by a model that replays the recorded run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Gain {
    /// Expected reduction, in nanoseconds.
    pub ns: u64,
    /// Reduction if everything that the model does not know goes against the cure, in nanoseconds.
    pub low_ns: u64,
    /// Reduction if everything that the model does not know favours the cure, in nanoseconds.
    pub high_ns: u64,
    /// Expected reduction as a share of the wall time without recording.
    pub share: f64,
    /// [`Gain::low_ns`] as a share of the same time.
    pub low_share: f64,
    /// [`Gain::high_ns`] as a share of the same time.
    pub high_share: f64,
}

/// A problem that another finding explains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Symptom {
    /// Kind of the problem, as in [`Finding::kind`].
    pub kind: &'static str,
    /// The construct, as in [`Finding::construct`].
    pub construct: Option<usize>,
    /// Lost thread time, as in [`Finding::lost_ns`].
    pub lost_ns: u64,
}
