//! The words of flags, and of enumerators that are only shown.

/// Word for the way in which storage is mapped to a device, by the bits of ompt_target_map_flag_t.
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

/// Bits of ompt_task_flag_t in the order in which they are reported.
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
    fn flags_are_reported_as_words() {
        assert_eq!(flags(0x1000_0004, &TASK_FLAGS), "explicit, untied");
        assert_eq!(flags(0x4800_0010, &TASK_FLAGS), "taskwait, undeferred, mergeable");
        assert_eq!(flags(0x100, &TASK_FLAGS), "0x100");
    }
}
