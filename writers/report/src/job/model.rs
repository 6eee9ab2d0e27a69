//! The report of a job: what ranks lose to each other and within, and where that comes from.

use super::rank::Place;
use serde::Serialize;

/// The version of the JSON: raised when a field changes its meaning or is removed.
pub const SCHEMA: u32 = 1;

/// A report of all ranks of a job.
#[derive(Clone, Debug, Default, Serialize)]
pub struct JobReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The folder of the job.
    pub job: String,
    /// Ranks that the job had, and those of them without a recording.
    pub size: u32,
    /// See [`JobReport::size`].
    pub missing: Vec<u32>,
    /// From the begin of the first rank to the end of the last one.
    pub wall_ns: u64,
    /// Messages: matched, and ends that are not.
    pub messages: Messages,
    /// Reservations about the figures.
    pub caveats: Vec<String>,
    /// The most rewarding first.
    pub findings: Vec<JobFinding>,
    /// POP's hybrid efficiencies.
    pub efficiency: Efficiencies,
    /// Ranks side by side.
    pub ranks: Vec<RankReport>,
    /// Waits by kind, call site and cause, the longest first.
    pub waits: Vec<WaitReport>,
    /// Pairs of ranks with messages, those with most bytes first.
    pub matrix: Vec<Pair>,
    /// The longest chain of computation and messages, from the job's end backwards, the longest parts first.
    pub critical_path: Vec<PathPart>,
}

/// Messages of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Messages {
    /// Messages of which both ends are known.
    pub matched: u64,
    /// Sends and receives whose other side is not known.
    pub unmatched: u64,
    /// Messages that were received before they were sent, by clocks that disagree.
    pub backwards: u64,
}

/// Something worth looking at.
#[derive(Clone, Debug, Default, Serialize)]
pub struct JobFinding {
    /// `rank_imbalance`, a kind of [`WaitReport`], `serial`, `threads`, `idle_during_mpi` or `transfer`.
    pub kind: &'static str,
    /// Source location of its cause: a region, or a call of MPI before which time is spent; of the waiting calls if the cause has none.
    pub location: String,
    /// The rank that causes most of it.
    pub rank: Option<u32>,
    /// In words.
    pub text: String,
    /// The change to try.
    pub cure: String,
    /// Time that it costs, of all ranks together; for kinds within ranks of all threads together.
    pub lost_ns: u64,
    /// Time that the job would take less, at least and at most.
    pub gain_ns: (u64, u64),
    /// Kinds of waits that follow from it.
    pub explains: Vec<&'static str>,
}

/// Efficiencies as shares of 1. Process level: of the ranks as if each were one thread; thread level: of the threads in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Efficiencies {
    /// Useful time of a thread on average, of the longest rank's time.
    pub parallel: f64,
    /// Time outside of MPI of a rank on average, likewise.
    pub process: f64,
    /// Efficiencies of which the losses (1 less each) add up to the loss of the level above: load balance and communication of MPI to that
    /// of `process`, this and that of `thread` to that of `parallel`.
    pub additive: Levels,
    /// Efficiencies whose product is that of the level above.
    pub multiplicative: Levels,
    /// The time that the job would take on an ideal network.
    pub ideal_network_ns: u64,
}

/// The parts of both levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Levels {
    /// Of MPI: how equal the ranks' times outside of it are.
    pub mpi_load_balance: f64,
    /// Of MPI: time outside of it of the rank that has most.
    pub mpi_communication: f64,
    /// Of communication: what an ideal network would leave.
    pub mpi_transfer: f64,
    /// Of communication: ranks that wait for each other in turn.
    pub mpi_serialisation: f64,
    /// Of threads: all.
    pub thread: f64,
    /// Of threads: within parallel regions.
    pub openmp_region: f64,
    /// Of threads: outside of them and of MPI.
    pub serial_region: f64,
}

/// The name of an efficiency in tables.
pub(crate) fn efficiency_in_words(name: &str) -> String {
    name.replace('_', " ").replace("mpi", "MPI").replace("openmp", "OpenMP")
}

impl Levels {
    /// All parts with their names in JSON.
    pub fn parts(&self) -> [(&'static str, f64); 7] {
        [
            ("mpi_load_balance", self.mpi_load_balance),
            ("mpi_communication", self.mpi_communication),
            ("mpi_transfer", self.mpi_transfer),
            ("mpi_serialisation", self.mpi_serialisation),
            ("thread", self.thread),
            ("openmp_region", self.openmp_region),
            ("serial_region", self.serial_region),
        ]
    }
}

/// One rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RankReport {
    /// Its number in MPI_COMM_WORLD.
    pub rank: u32,
    /// Its machine.
    pub host: String,
    /// From its begin to its end.
    pub wall_ns: u64,
    /// Its threads.
    pub threads: u32,
    /// Time of its main thread in parallel regions, outside of them and of MPI, and in MPI.
    pub regions_ns: u64,
    /// See [`RankReport::regions_ns`].
    pub serial_ns: u64,
    /// See [`RankReport::regions_ns`].
    pub mpi_ns: u64,
    /// Of the time in MPI: waits for other ranks.
    pub waiting_ns: u64,
    /// Waits of other ranks for this one.
    pub caused_ns: u64,
    /// Useful time of all threads.
    pub useful_ns: u64,
    /// Its time on an ideal network.
    pub ideal_network_ns: u64,
    /// Time for which its threads wanted a core, in nanoseconds; 0 if it was not recorded.
    pub wanted_ns: u64,
    /// Part of [`RankReport::wanted_ns`] in which they had one.
    pub given_ns: u64,
}

/// Waits of one kind at a call site, for one call site of others.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WaitReport {
    /// `late_sender`, `late_receiver`, `wait_at_barrier`, `wait_at_n_to_n`, `late_broadcast` or `early_reduce`.
    pub kind: &'static str,
    /// The calls that wait.
    pub function: String,
    /// Source location of the calls that wait, such as `heat.c:47`; empty: unknown.
    pub location: String,
    /// The calls for which they wait.
    pub cause_function: String,
    /// Source location of the calls for which they wait; empty: unknown.
    pub cause_location: String,
    /// The region that comes before these calls, where it takes most of the time since the rank's last call.
    pub cause_after: String,
    /// The rank whose calls cause most of the waiting time.
    pub cause_rank: u32,
    /// The part of the waiting time that this rank causes, in nanoseconds.
    pub cause_rank_ns: u64,
    /// The number of waits.
    pub count: u64,
    /// Time of all these waits, summed over all ranks, in nanoseconds.
    pub time_ns: u64,
    /// The rank that waits most.
    pub worst_rank: u32,
    /// The waiting time of this rank, in nanoseconds.
    pub worst_rank_ns: u64,
}

/// Messages from one rank to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pair {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// Messages that were matched.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Waits of the receiver for late senders, and of the sender for late receivers.
    pub waiting_ns: u64,
}

/// A part of the critical path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PathPart {
    /// The rank.
    pub rank: u32,
    /// The region, the call of MPI, or the call before which time was spent outside of regions.
    pub place: String,
    /// True for time in the call.
    pub in_mpi: bool,
    /// Time on the path.
    pub time_ns: u64,
}

impl From<&Place> for String {
    fn from(place: &Place) -> String {
        place.in_words()
    }
}
