//! The counters that can be asked for, by the names that `perf` has for them.

/// Where a counter's values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// What getrusage(RUSAGE_THREAD) says: known of every thread, without a descriptor and without a privilege.
    Usage(Usage),
    /// An event of perf: its type and number (linux/perf_event.h, perf_type_id and perf_hw_id or perf_sw_ids).
    Perf { kind: u32, config: u64 },
}

/// A sum of a thread's resource usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    Faults,
    MinorFaults,
    MajorFaults,
    Switches,
    Voluntary,
    Involuntary,
}

/// One counter.
#[derive(Debug, PartialEq, Eq)]
pub struct CounterKind {
    /// Its name in settings and in `recording.json`.
    pub name: &'static str,
    /// What is counted.
    pub unit: &'static str,
    pub(super) origin: Origin,
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

/// All of them.
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

impl CounterKind {
    /// The counter of this name.
    pub fn of(name: &str) -> Option<&'static CounterKind> {
        COUNTERS.iter().find(|kind| kind.name == name)
    }
}

impl Usage {
    pub(super) fn of(self, usage: &libc::rusage) -> u64 {
        let sum = match self {
            Usage::Faults => usage.ru_minflt + usage.ru_majflt,
            Usage::MinorFaults => usage.ru_minflt,
            Usage::MajorFaults => usage.ru_majflt,
            Usage::Switches => usage.ru_nvcsw + usage.ru_nivcsw,
            Usage::Voluntary => usage.ru_nvcsw,
            Usage::Involuntary => usage.ru_nivcsw,
        };
        sum as u64
    }
}
