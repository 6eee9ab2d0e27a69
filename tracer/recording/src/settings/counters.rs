//! The counters that can be asked for, by the names that `perf` has for them.

use super::values::each_once;

/// The source of a counter's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A value of getrusage(RUSAGE_THREAD): known of every thread, without a descriptor and without a privilege.
    Usage(Usage),
    /// An event of perf: its type and number (linux/perf_event.h, perf_type_id and perf_hw_id or perf_sw_ids).
    Perf {
        /// Type of the event, perf_type_id.
        kind: u32,
        /// Number of the event, perf_hw_id or perf_sw_ids.
        config: u64,
    },
}

/// A sum of a thread's resource usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// Page faults of both kinds.
    Faults,
    /// Page faults without input from a disk.
    MinorFaults,
    /// Page faults with input from a disk.
    MajorFaults,
    /// Switches of both kinds.
    Switches,
    /// Switches because the thread waited.
    Voluntary,
    /// Switches because another thread ran.
    Involuntary,
}

/// One counter.
#[derive(Debug, PartialEq, Eq)]
pub struct CounterKind {
    /// Its name in settings and in `recording.json`.
    pub name: &'static str,
    /// The things that are counted.
    pub unit: &'static str,
    /// The source of the counter's values.
    pub origin: Origin,
}

const fn usage(name: &'static str, unit: &'static str, usage: Usage) -> CounterKind {
    CounterKind { name, unit, origin: Origin::Usage(usage) }
}

const fn software(name: &'static str, unit: &'static str, config: u64) -> CounterKind {
    CounterKind { name, unit, origin: Origin::Perf { kind: 1, config } }
}

const fn hardware(name: &'static str, unit: &'static str, config: u64) -> CounterKind {
    CounterKind { name, unit, origin: Origin::Perf { kind: 0, config } }
}

/// All counters.
pub static COUNTERS: [CounterKind; 18] = [
    usage("page-faults", "faults", Usage::Faults),
    usage("minor-faults", "faults", Usage::MinorFaults),
    usage("major-faults", "faults", Usage::MajorFaults),
    usage("context-switches", "switches", Usage::Switches),
    usage("voluntary-switches", "switches", Usage::Voluntary),
    usage("involuntary-switches", "switches", Usage::Involuntary),
    software("migrations", "migrations", 4),
    software("alignment-faults", "faults", 7),
    software("emulation-faults", "faults", 8),
    hardware("cycles", "cycles", 0),
    hardware("instructions", "instructions", 1),
    hardware("cache-references", "accesses", 2),
    hardware("cache-misses", "misses", 3),
    hardware("branches", "branches", 4),
    hardware("branch-misses", "misses", 5),
    hardware("bus-cycles", "cycles", 6),
    hardware("stalled-cycles-frontend", "cycles", 7),
    hardware("stalled-cycles-backend", "cycles", 8),
];

/// Counters of one run, at most.
pub const MOST_COUNTERS: usize = 8;

/// The counters of a setting.
pub(super) fn asked(text: &str) -> Option<Vec<&'static CounterKind>> {
    let kind = |name: &str| COUNTERS.iter().find(|kind| kind.name == name);
    let asked = each_once(text, "", kind)?;
    (asked.len() <= MOST_COUNTERS).then_some(asked)
}

/// Values that are allowed, in words.
pub(super) fn allowed() -> String {
    let names: Vec<_> = COUNTERS.iter().map(|kind| kind.name).collect();
    format!("a list of up to {MOST_COUNTERS} of {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counter_counts_once_and_there_are_not_too_many() {
        let names =
            |text: &str| Some(asked(text)?.iter().map(|kind| kind.name).collect::<Vec<_>>());
        let expected = Some(vec!["page-faults", "cycles"]);
        assert_eq!(names(" page-faults, cycles,page-faults"), expected);
        assert_eq!(["", ",", "page-fault"].map(names), [None, None, None]);
        let all: Vec<_> = COUNTERS.iter().map(|kind| kind.name).collect();
        assert_eq!(names(&all[..MOST_COUNTERS].join(",")).map(|names| names.len()), Some(8));
        assert_eq!(names(&all[..=MOST_COUNTERS].join(",")), None);
    }
}
