//! Registration: every event of the runtime's dialect is offered, and each answer is kept.

use crate::dialect::Dialect;
use crate::inquiry::Lookup;
use crate::table::{Callback, EventEntry};
use crate::{ends, events, llvm, roots, stack};
use core::ffi::c_int;
use ompttrace_life::Selection;
use std::collections::BTreeMap;

/// The events of a dialect.
pub(crate) fn rows(dialect: Dialect) -> impl Iterator<Item = &'static EventEntry> {
    let common = [events::MANDATORY, ends::TABLE, events::BLAME, events::SYNCHRONOUS];
    let own: [&'static [EventEntry]; 3] = match dialect {
        Dialect::Llvm => [llvm::TABLE, roots::TABLE, &[]],
        Dialect::Report | Dialect::OpenUh => {
            [events::BEGINS, events::INITIAL_TASKS, events::TARGETS]
        }
    };
    common.into_iter().chain(own).flatten()
}

/// Registers every wanted event; returns the answer for each event by its name.
pub(crate) fn register(
    lookup: Lookup,
    dialect: Dialect,
    selection: &Selection,
) -> BTreeMap<String, String> {
    type Set = unsafe extern "C" fn(u32, Callback) -> c_int;
    type Get = unsafe extern "C" fn(u32, *mut Option<Callback>) -> c_int;
    // SAFETY: the types are those of the two functions (section 7.2).
    let (set, get) = unsafe {
        (lookup.find::<Set>(c"ompt_set_callback"), lookup.find::<Get>(c"ompt_get_callback"))
    };
    let answer = |row: &EventEntry| {
        if row.recorded.is_some_and(|event| !selection.keeps(event)) {
            return "not wanted".to_owned();
        }
        let Some(set) = set else { return "no ompt_set_callback".to_owned() };
        let with_stack =
            stack::instead_of(dialect, row.number).filter(|_| selection.stack_depth > 0);
        // SAFETY: the function has the type that the report gives event `number`.
        let answer = result_name(unsafe { set(row.number, with_stack.unwrap_or(row.function)) });
        let mut kept = None;
        // SAFETY: the second argument points to a function pointer.
        let has = get.is_none_or(|get| unsafe { get(row.number, &raw mut kept) } != 0);
        if has { answer } else { format!("{answer}, but the runtime keeps no callback") }
    };
    rows(dialect).map(|row| (row.name.to_owned(), answer(row))).collect()
}

/// The results of ompt_set_callback (table 5) in the words of later specifications.
fn result_name(result: c_int) -> String {
    match result {
        0 => "error".to_owned(),
        1 => "impossible".to_owned(),
        2 => "never".to_owned(),
        3 => "sometimes".to_owned(),
        4 => "always".to_owned(),
        other => format!("result {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_report_has_69_events_and_llvm_others_at_their_numbers() {
        let numbers = |dialect| {
            let all: Vec<u32> = rows(dialect).map(|row| row.number).collect();
            let distinct: BTreeSet<u32> = all.iter().copied().collect();
            assert_eq!(all.len(), distinct.len());
            distinct
        };
        assert_eq!(numbers(Dialect::Report), (1..=69).collect());
        assert_eq!(numbers(Dialect::OpenUh), (1..=69).collect());
        assert_eq!(numbers(Dialect::Llvm), (1..=61).chain([69, 70]).collect());
    }
}
