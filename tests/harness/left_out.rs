//! Groups of events that a user may leave out, and the setting that does so.

/// The groups; threads, regions and implicit tasks are in none.
pub const GROUPS: [&str; 6] = ["task", "work", "sync", "mutex", "control", "target"];

/// Number of choices: each group is recorded or excluded.
pub const CHOICES: usize = 1 << GROUPS.len();

/// OMPTTRACE_EVENTS without the groups whose bits are set in `choice`.
pub fn setting(choice: usize) -> String {
    let groups = GROUPS.iter().enumerate().filter(|(bit, _)| choice & (1 << bit) != 0);
    let groups: Vec<_> = groups.map(|(_, group)| format!("-{group}")).collect();
    if groups.is_empty() { "all".to_owned() } else { groups.join(",") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_choice_has_a_setting_of_its_own() {
        let settings: BTreeSet<String> = (0..CHOICES).map(setting).collect();
        assert_eq!(settings.len(), CHOICES);
        assert_eq!((setting(0).as_str(), setting(5).as_str()), ("all", "-task,-sync"));
    }
}
