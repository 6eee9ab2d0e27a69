//! Reads what the oracle counted. The file's layout is drawn in `tests/oracle/counts.h`.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

const VERSION: u32 = 3;
const HEADER_BYTES: usize = 4096;
const ENDPOINTS: usize = 4;
const KINDS: usize = 32;

/// The events by id: callback names of omp-tools.h less `ompt_callback_`. Id 0 does not exist.
pub const EVENTS: [&str; 38] = [
    "",
    "thread_begin",
    "thread_end",
    "parallel_begin",
    "parallel_end",
    "task_create",
    "task_schedule",
    "implicit_task",
    "target",
    "target_data_op",
    "target_submit",
    "control_tool",
    "device_initialize",
    "device_finalize",
    "device_load",
    "device_unload",
    "sync_region_wait",
    "mutex_released",
    "dependences",
    "task_dependence",
    "work",
    "masked",
    "target_map",
    "sync_region",
    "lock_init",
    "lock_destroy",
    "mutex_acquire",
    "mutex_acquired",
    "nest_lock",
    "flush",
    "cancel",
    "reduction",
    "dispatch",
    "target_emi",
    "target_data_op_emi",
    "target_submit_emi",
    "target_map_emi",
    "error",
];

/// One count for each endpoint; events without endpoints count as `none`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Events that have no endpoint.
    pub none: u64,
    /// Begins.
    pub begin: u64,
    /// Ends.
    pub end: u64,
    /// Begin and end in one.
    pub beginend: u64,
}

impl Totals {
    /// All callbacks, whatever their endpoint.
    pub fn sum(&self) -> u64 {
        self.none + self.begin + self.end + self.beginend
    }

    /// Totals that are greater than any count.
    pub const MAX: Totals =
        Totals { none: u64::MAX, begin: u64::MAX, end: u64::MAX, beginend: u64::MAX };

    /// The sum of both totals, by endpoint.
    pub fn plus(&self, other: &Totals) -> Totals {
        Totals {
            none: self.none + other.none,
            begin: self.begin + other.begin,
            end: self.end + other.end,
            beginend: self.beginend + other.beginend,
        }
    }

    /// True when each endpoint lies between those of `low` and `high`.
    pub fn is_between(&self, low: &Totals, high: &Totals) -> bool {
        let [low, own, high] = [low, self, high].map(|t| [t.none, t.begin, t.end, t.beginend]);
        (0..4).all(|at| low[at] <= own[at] && own[at] <= high[at])
    }

    fn from_words(words: &[u64]) -> Totals {
        Totals { none: words[0], begin: words[1], end: words[2], beginend: words[3] }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Totals { none, begin, end, beginend } = self;
        match self {
            Totals { begin: 0, end: 0, beginend: 0, .. } => write!(out, "{none}"),
            _ => write!(out, "{begin} begin {end} end {beginend} both {none} none"),
        }
    }
}

/// Counts of one event.
#[derive(Clone, Debug)]
pub struct EventCounts {
    /// The runtime's answer to ompt_set_callback; None: it was never asked.
    pub registered: Option<i32>,
    /// Counted before the tool's callback.
    pub entered: Totals,
    /// Counted after the tool's callback had returned: in a run that was killed, no more than the
    /// tool has seen.
    pub returned: Totals,
    /// Of these, those that a tool must record if the program pauses it: see `tests/oracle/steer.h`.
    pub due: Totals,
    /// `returned`, by the event's own kind (see `tests/oracle/events.h`).
    pub by_kind: BTreeMap<u32, Totals>,
}

/// One counts file.
#[derive(Clone, Debug)]
pub struct Counts {
    /// The process that counted.
    pub pid: u64,
    /// The OpenMP version that the runtime passed to ompt_start_tool.
    pub omp_version: u32,
    /// The runtime's version string.
    pub runtime: String,
    /// Number of times that the runtime called initialize.
    pub initialized: u32,
    /// Number of times that the runtime called finalize.
    pub finalized: u32,
    /// True if the oracle forwarded events to a tool.
    pub tool: bool,
    /// Number of entries in all lists of `dependences` events.
    pub dependences: u64,
    /// Counts of every event of `EVENTS`, by name.
    pub events: BTreeMap<&'static str, EventCounts>,
}

impl Counts {
    /// The counts of one event.
    ///
    /// # Panics
    /// Panics if no event has that name.
    pub fn event(&self, name: &str) -> &EventCounts {
        self.events.get(name).unwrap_or_else(|| panic!("no event is called {name:?}"))
    }

    /// Reads a counts file, also while the program that writes it still runs.
    pub fn read(path: &Path) -> Result<Counts> {
        let bytes = fs::read(path).with_context(|| {
            format!("no counts in {}: the runtime never loaded the oracle", path.display())
        })?;
        Counts::parse(&bytes).with_context(|| format!("in {}", path.display()))
    }

    fn parse(bytes: &[u8]) -> Result<Counts> {
        ensure!(bytes.len() >= HEADER_BYTES && &bytes[..8] == b"OMPORACL", "not a counts file");
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        ensure!(u32_at(8) == VERSION, "counts file of version {}", u32_at(8));
        let ids = u32_at(12) as usize;
        ensure!(u32_at(16) as usize == ENDPOINTS && u32_at(20) as usize == KINDS, "other tables");
        let words = sum_blocks(bytes, u32_at(24) as usize, u32_at(28) as usize)?;

        let dependences = (2 + KINDS) * ids * ENDPOINTS;
        let due = dependences + 8;
        let runtime = &bytes[56 + 4 * ids..][..256];
        let runtime = runtime.split(|&byte| byte == 0).next().unwrap_or_default();
        let event = |id: usize| EventCounts {
            registered: Some(u32_at(56 + 4 * id) as i32).filter(|&answer| answer >= 0),
            entered: Totals::from_words(&words[id * ENDPOINTS..]),
            returned: Totals::from_words(&words[(ids + id) * ENDPOINTS..]),
            due: Totals::from_words(&words[due + id * ENDPOINTS..]),
            by_kind: kinds(&words[(2 * ids + id * KINDS) * ENDPOINTS..]),
        };
        Ok(Counts {
            pid: u64_at(32),
            omp_version: u32_at(40),
            initialized: u32_at(44),
            finalized: u32_at(48),
            tool: u32_at(52) != 0,
            runtime: String::from_utf8_lossy(runtime).into_owned(),
            dependences: words[dependences],
            events: (1..EVENTS.len()).map(|id| (EVENTS[id], event(id))).collect(),
        })
    }
}

/// All blocks added up word by word.
fn sum_blocks(bytes: &[u8], blocks: usize, block_bytes: usize) -> Result<Vec<u64>> {
    let blocks_end = HEADER_BYTES + blocks * block_bytes;
    ensure!(block_bytes > 0 && bytes.len() >= blocks_end, "cut short");
    let mut sum = vec![0u64; block_bytes / 8];
    for block in bytes[HEADER_BYTES..blocks_end].chunks_exact(block_bytes) {
        for (sum, word) in sum.iter_mut().zip(block.chunks_exact(8)) {
            *sum += u64::from_le_bytes(word.try_into().unwrap());
        }
    }
    Ok(sum)
}

/// The kinds that occurred, from the table [endpoint][kind] of one event.
fn kinds(words: &[u64]) -> BTreeMap<u32, Totals> {
    let totals = |kind: usize| {
        let at = |endpoint: usize| words[endpoint * KINDS + kind];
        Totals { none: at(0), begin: at(1), end: at(2), beginend: at(3) }
    };
    (0..KINDS)
        .map(|kind| (kind as u32, totals(kind)))
        .filter(|(_, totals)| totals.sum() > 0)
        .collect()
}
