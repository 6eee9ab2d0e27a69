//! `device_records` with other texts. Words that are no entry are left out.

use super::replacer::Replacer;
use super::symbols::function;
use super::texts::Part;
use ompttrace_recording::Event;
use ompttrace_recording::device_records::{Entry, each, kind, unified};
use std::collections::{BTreeSet, HashSet};
use std::io::{self, Read, Write};

/// Facts about all entries that must be known before they are copied.
#[derive(Debug, Default)]
pub struct Survey {
    /// Numbers of texts that are names of CUDA's functions.
    functions: HashSet<u64>,
    /// Addresses of instructions that caused page faults.
    pub instructions: BTreeSet<u64>,
}

impl Survey {
    pub fn of(from: impl Read) -> io::Result<Survey> {
        let mut survey = Survey::default();
        each(from, |entry| {
            let Entry::Activity(activity) = entry else { return };
            let counter = unified::counter(activity.detail.into());
            match activity.kind {
                kind::CALL => drop(survey.functions.insert(activity.what)),
                kind::UNIFIED if counter == unified::HOST_FAULT => {
                    survey.instructions.insert(activity.what);
                }
                _ => {}
            }
        })?;
        Ok(survey)
    }
}

/// Copies the entries, with their texts replaced; returns how many bytes there are.
pub fn copy(
    from: impl Read,
    to: &mut impl Write,
    by: &Replacer,
    survey: &Survey,
) -> io::Result<u64> {
    let (mut written, mut result, mut words) = (0, Ok(()), Vec::new());
    each(from, |entry| {
        if result.is_err() {
            return;
        }
        replaced(entry, by, survey).iter().for_each(|entry| entry.put(&mut words));
        result = words.drain(..).try_for_each(|word| {
            written += 8;
            to.write_all(&word.to_ne_bytes())
        });
    })?;
    result.map(|()| written)
}

/// The entry without the user's texts; `None` for a record that is text of another one.
fn replaced(entry: Entry, by: &Replacer, survey: &Survey) -> Option<Entry> {
    Some(match entry {
        Entry::Device { device, name } => Entry::Device { device, name: by.words(&name) },
        // By their names readers know which functions wait.
        Entry::Text { number, .. } if survey.functions.contains(&number) => entry,
        Entry::Text { number, text } => Entry::Text { number, text: function(&text, by) },
        Entry::Native { device, hardware, time, kind, text } => {
            Entry::Native { device, hardware, time, kind, text: by.words(&text) }
        }
        Entry::Event { code, ref payload, .. } => match Part::of(Event::decode(code, payload)) {
            Part::None => entry,
            _ => return None,
        },
        Entry::Clock { .. }
        | Entry::Activity(_)
        | Entry::Lost { .. }
        | Entry::DeviceClock { .. } => entry,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Anonymise;
    use ompttrace_recording::device_records::Activity;

    #[test]
    fn texts_of_entries_are_replaced_and_what_is_none_is_left_out() {
        let mut words = vec![0x6d6f_7473_7563];
        let text = |text: &str| Entry::Text { number: 3, text: text.to_owned() };
        Entry::Device { device: 0, name: "NVIDIA H200 of /opt/customer/x".to_owned() }
            .put(&mut words);
        text("_Z5scalePd").put(&mut words);
        let call = Activity { kind: kind::CALL, what: 4, ..Activity::default() };
        Entry::Text { number: 4, text: "cudaFree".to_owned() }.put(&mut words);
        Entry::Text { number: 5, text: "cudaOfTheCustomer".to_owned() }.put(&mut words);
        Entry::Activity(call).put(&mut words);
        (0..2000).for_each(|count| Entry::Lost { count }.put(&mut words));
        text("last").put(&mut words);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let mut to = Vec::new();
        let (bytes, by) = (&bytes[..bytes.len() - 3], Replacer::new(Anonymise::All));
        let written = copy(bytes, &mut to, &by, &Survey::of(bytes).expect("read"));
        assert_eq!(written.expect("written"), to.len() as u64);
        let mut words: Vec<u64> =
            to.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
        let mut entries = Vec::new();
        while let Some((entry, count)) = Entry::first(&words) {
            entries.push(entry);
            words.drain(..count);
        }
        assert_eq!(entries.len(), 2005, "the last one is torn off");
        let name = "NVIDIA H200 of /folder-1/program-1".to_owned();
        assert_eq!(entries[..2], [Entry::Device { device: 0, name }, text("function-1")]);
        // A function of CUDA that the host calls, and a kernel whose name is like one.
        let texts = [(4, "cudaFree"), (5, "function-2")];
        let texts = texts.map(|(number, text)| Entry::Text { number, text: text.to_owned() });
        assert_eq!(entries[2..4], texts);
    }
}
