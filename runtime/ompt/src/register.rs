//! Registration: every callback of the table is offered to the runtime, and each answer is kept.

use crate::callbacks::{TABLES, UNRECORDED, stack};
use crate::table::CallbackEntry;
use ompt_sys::ompt_set_callback_t;
use ompttrace_life::Selection;
use std::collections::BTreeMap;

fn rows() -> impl Iterator<Item = &'static CallbackEntry> {
    TABLES.iter().copied().flatten()
}

/// Offers every wanted callback to the runtime; returns each one's answer by name.
///
/// `left_out` are callbacks with which this runtime fails, each with the reason.
///
/// # Safety
/// `set_callback` is the runtime's own look-up of `ompt_set_callback`, called inside `initialize`.
pub(crate) unsafe fn register(
    set_callback: ompt_set_callback_t,
    selection: &Selection,
    left_out: &[(u16, String)],
) -> BTreeMap<String, String> {
    let mut answers = BTreeMap::new();
    for row in rows() {
        let answer = if let Some((_, reason)) =
            left_out.iter().find(|(event, _)| *event == row.number)
        {
            format!("left out: {reason}")
        } else if !selection.keeps(row.number) {
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
        answers.insert(row.name().to_owned(), answer);
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
    }
}
