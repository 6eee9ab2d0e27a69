//! The words for enumerators: what users call the constructs behind OMPT's numbers.

use ompttrace_recording::kinds::{DATA_MAP, IDLE, TARGET_DATA};

/// A work-sharing construct (ompt_work_t).
pub(crate) fn work(kind: u64) -> &'static str {
    match kind {
        1 | 13 => "for",
        2 => "sections",
        3 => "single",
        4 => "single (other thread)",
        5 => "workshare",
        6 => "distribute",
        7 => "taskloop",
        8 => "scope",
        10 => "for static",
        11 => "for dynamic",
        12 => "for guided",
        _ => "work",
    }
}

/// A synchronisation (ompt_sync_region_t).
pub(crate) fn sync(kind: u64) -> &'static str {
    match kind {
        1 => "barrier",
        3 => "barrier (explicit)",
        2 | 8 | 9 => "barrier (implicit)",
        4 => "barrier (implementation)",
        5 => "taskwait",
        6 => "taskgroup",
        7 => "reduction",
        10 => "barrier (teams)",
        _ => "synchronisation",
    }
}

/// Waiting in a synchronisation.
pub(crate) fn wait(kind: u64) -> &'static str {
    match kind {
        1 => "wait: barrier",
        3 => "wait: barrier (explicit)",
        2 | 8 | 9 => "wait: barrier (implicit)",
        4 => "wait: barrier (implementation)",
        5 => "wait: taskwait",
        6 => "wait: taskgroup",
        7 => "wait: reduction",
        10 => "wait: barrier (teams)",
        IDLE => "idle",
        _ => "wait",
    }
}

/// Whether a synchronisation is a barrier of the team.
pub(crate) fn is_barrier(kind: u64) -> bool {
    matches!(kind, 1..=4 | 8..=10)
}

/// Whether it may be the barrier that ends a region or a league: of old all implicit ones are called the same.
pub(crate) fn is_closing(kind: u64) -> bool {
    matches!(kind, 2 | 9 | 10)
}

/// A chunk of work (ompt_dispatch_t).
pub(crate) fn dispatch(kind: u64) -> &'static str {
    match kind {
        1 => "iteration",
        2 => "section",
        3 => "chunk",
        4 => "taskloop chunk",
        5 => "distribute chunk",
        _ => "dispatch",
    }
}

/// A mutex (ompt_mutex_t).
pub(crate) fn mutex(kind: u64) -> &'static str {
    match kind {
        1 | 2 => "lock",
        3 | 4 => "nest lock",
        5 => "critical",
        6 => "atomic",
        7 => "ordered",
        _ => "mutex",
    }
}

/// A target construct (ompt_target_t).
pub(crate) fn target(kind: u64) -> &'static str {
    match kind {
        1 => "target",
        2 => "target enter data",
        3 => "target exit data",
        4 => "target update",
        9 => "target nowait",
        10 => "target enter data nowait",
        11 => "target exit data nowait",
        12 => "target update nowait",
        TARGET_DATA => "target data",
        _ => "target construct",
    }
}

/// A data operation (ompt_target_data_op_t).
pub(crate) fn data_op(kind: u64) -> &'static str {
    match kind {
        1 => "device alloc",
        2 => "transfer to device",
        3 => "transfer from device",
        4 => "device delete",
        5 => "associate",
        6 => "disassociate",
        17 => "device alloc (async)",
        18 => "transfer to device (async)",
        19 => "transfer from device (async)",
        20 => "device delete (async)",
        DATA_MAP.. => "data mapping",
        _ => "data operation",
    }
}

/// Why a task was left (ompt_task_status_t).
pub(crate) fn task_status(status: u64) -> &'static str {
    match status {
        1 => "task complete",
        2 => "task yields",
        3 => "task cancelled",
        4 => "task detached",
        5 => "task fulfilled early",
        6 => "detached task complete",
        7 => "task switch",
        8 => "taskwait complete",
        _ => "task status",
    }
}

/// A kind of dependence (ompt_dependence_type_t).
pub(crate) fn dependence(kind: u64) -> &'static str {
    match kind {
        1 => "in",
        2 => "out",
        3 => "inout",
        4 => "mutexinoutset",
        5 => "source",
        6 => "sink",
        7 => "inoutset",
        34 => "out, all memory",
        35 => "inout, all memory",
        _ => "other",
    }
}

/// How storage is mapped to a device (ompt_target_map_flag_t).
pub(crate) fn map(flags: u64) -> &'static str {
    match flags & 0x1f {
        1 => "to",
        2 => "from",
        3 => "tofrom",
        4 => "alloc",
        8 => "release",
        16 => "delete",
        _ => "map",
    }
}

/// A control command of the program (1-4 are OpenMP's, the rest a tool's own).
pub(crate) fn control(command: u64) -> &'static str {
    match command {
        1 => "start",
        2 => "pause",
        3 => "flush",
        4 => "end",
        _ => "other",
    }
}

/// Bits of ompt_task_flag_t in the order in which they are told.
pub(crate) const TASK_FLAGS: [(u64, &str); 10] = [
    (0x0000_0001, "initial"),
    (0x0000_0002, "implicit"),
    (0x0000_0004, "explicit"),
    (0x0000_0008, "target"),
    (0x0000_0010, "taskwait"),
    (0x0800_0000, "undeferred"),
    (0x1000_0000, "untied"),
    (0x2000_0000, "final"),
    (0x4000_0000, "mergeable"),
    (0x8000_0000, "merged"),
];

/// Bits of ompt_cancel_flag_t.
pub(crate) const CANCEL_FLAGS: [(u64, &str); 7] = [
    (0x01, "parallel"),
    (0x02, "sections"),
    (0x04, "loop"),
    (0x08, "taskgroup"),
    (0x10, "activated"),
    (0x20, "detected"),
    (0x40, "discarded task"),
];

/// The words of all set bits; the rest in hexadecimal.
pub(crate) fn flags(value: u64, table: &[(u64, &str)]) -> String {
    let known = table.iter().filter(|(bit, _)| value & bit != 0);
    let mut words: Vec<String> = known.map(|(_, word)| (*word).to_owned()).collect();
    let rest = table.iter().fold(value, |rest, (bit, _)| rest & !bit);
    if rest != 0 || words.is_empty() {
        words.push(format!("{rest:#x}"));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_told_as_words() {
        assert_eq!(flags(0x1000_0004, &TASK_FLAGS), "explicit, untied");
        assert_eq!(flags(0x4800_0010, &TASK_FLAGS), "taskwait, undeferred, mergeable");
        assert_eq!(flags(0x100, &TASK_FLAGS), "0x100");
    }
}
