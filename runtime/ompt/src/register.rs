//! Registration: every callback of the table is offered to the runtime, and each answer is kept.

use crate::callbacks::{TABLES, UNRECORDED, stack};
use crate::table::Row;
use ompt_sys::ompt_set_callback_t;
use std::collections::BTreeMap;

/// Groups of callbacks that a user can keep or leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Threads, regions, implicit tasks, the program's commands: always on, all else stands on them.
    Base,
    /// Explicit tasks and their dependences.
    Task,
    /// Loops, sections, single, masked, chunks.
    Work,
    /// Barriers, taskwait, taskgroup, reductions, flush.
    Sync,
    /// Locks, critical, ordered, atomic.
    Mutex,
    /// Cancellation and errors.
    Control,
    /// Devices and offloading.
    Target,
}

impl Family {
    /// The groups that have a name in OMPTTRACE_EVENTS.
    pub const NAMED: [(&'static str, Family); 6] = [
        ("task", Family::Task),
        ("work", Family::Work),
        ("sync", Family::Sync),
        ("mutex", Family::Mutex),
        ("control", Family::Control),
        ("target", Family::Target),
    ];
}

/// Which groups and single callbacks are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Groups left out.
    pub without: Vec<Family>,
    /// Single callbacks left out, by name.
    pub without_names: Vec<String>,
    /// Single callbacks that the user named: registered even where a runtime is known to be weak.
    pub insisted: Vec<String>,
    /// Frames to keep of the call stacks at which regions and tasks are made, at most; 0: none.
    pub stack_depth: usize,
}

impl Selection {
    /// Whether the user named this callback.
    pub(crate) fn insists_on(&self, name: &str) -> bool {
        self.insisted.iter().any(|insisted| insisted == name)
    }

    fn wants(&self, row: &Row) -> bool {
        self.keeps(row.name, row.family)
    }

    /// Whether events of this name and group are wanted.
    pub fn keeps(&self, name: &str, family: Family) -> bool {
        family == Family::Base
            || self.insists_on(name)
            || !(self.without.contains(&family)
                || self.without_names.iter().any(|without| without == name))
    }

    /// Every event of the interface: number, name, and whether it is wanted.
    pub fn events(&self) -> impl Iterator<Item = (u16, &'static str, bool)> {
        rows().map(|row| (row.number, row.name, self.wants(row)))
    }

    /// Whether `name` is a callback that can be left out by itself.
    pub fn is_callback(name: &str) -> bool {
        rows().any(|row| row.name == name && row.family != Family::Base)
    }
}

fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.iter().copied().flatten()
}

/// Offers every wanted callback to the runtime; returns each one's answer by name.
///
/// `left_out` are callbacks that this runtime cannot bear, with the reason.
///
/// # Safety
/// `set_callback` is the runtime's own look-up of `ompt_set_callback`, called inside `initialize`.
pub(crate) unsafe fn register(
    set_callback: ompt_set_callback_t,
    selection: &Selection,
    left_out: &[(&'static str, String)],
) -> BTreeMap<String, String> {
    let mut answers = BTreeMap::new();
    for row in rows() {
        let answer = if let Some((_, reason)) = left_out.iter().find(|(name, _)| *name == row.name)
        {
            format!("left out: {reason}")
        } else if !selection.wants(row) {
            let unrecorded = UNRECORDED.iter().find(|other| other.number == row.number);
            if let (Some(row), Some(set_callback)) = (unrecorded, set_callback) {
                // SAFETY: the function has the type that the interface gives callback `number`.
                unsafe { set_callback(row.number.into(), row.function) };
            }
            "not wanted".to_owned()
        } else if let Some(set_callback) = set_callback {
            let with_stack = stack::instead_of(row.number).filter(|_| selection.stack_depth > 0);
            let function = with_stack.unwrap_or(row.function);
            // SAFETY: the function has the type that the interface gives callback `number`.
            result_name(unsafe { set_callback(row.number.into(), function) })
        } else {
            "no ompt_set_callback".to_owned()
        };
        answers.insert(row.name.to_owned(), answer);
    }
    answers
}

/// ompt_set_result_t in the words of the specification (OpenMP 5.2, 19.4.2).
fn result_name(result: u32) -> String {
    match result {
        0 => "error".to_owned(),
        1 => "never".to_owned(),
        2 => "impossible".to_owned(),
        3 => "sometimes".to_owned(),
        4 => "sometimes_paired".to_owned(),
        5 => "always".to_owned(),
        other => format!("result {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_callback_of_the_interface_has_one_row() {
        let numbers: Vec<u16> = rows().map(|row| row.number).collect();
        let distinct: BTreeSet<u16> = numbers.iter().copied().collect();
        assert_eq!(numbers.len(), distinct.len());
        assert_eq!(distinct, (1..=37).collect());
        for row in rows() {
            assert_eq!(ompttrace_recording::events::name(row.number), row.name);
        }
    }

    #[test]
    fn base_callbacks_cannot_be_left_out() {
        let selection = Selection {
            without: Family::NAMED.map(|(_, family)| family).to_vec(),
            without_names: vec!["parallel_begin".into()],
            ..Selection::default()
        };
        let kept: Vec<_> = rows().filter(|row| selection.wants(row)).map(|row| row.name).collect();
        assert!(kept.contains(&"parallel_begin") && !kept.contains(&"mutex_acquire"));
    }
}
