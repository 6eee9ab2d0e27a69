//! `device_records` with other texts. Words that are no entry are left out.

use super::replacer::Replacer;
use super::symbols::function;
use super::texts::Part;
use ompttrace_recording::Event;
use ompttrace_recording::device_records::{Entry, MOST_WORDS};
use std::io::{self, Read, Write};

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 16;

/// Copies the entries, with their texts replaced; returns how many bytes there are.
pub fn copy(mut from: impl Read, to: &mut impl Write, by: &Replacer) -> io::Result<u64> {
    let (mut bytes, mut chunk, mut written) = (Vec::new(), vec![0; CHUNK], 0);
    loop {
        let count = from.read(&mut chunk)?;
        bytes.extend_from_slice(chunk.get(..count).unwrap_or_default());
        let taken = copy_whole(&bytes, count == 0, to, by, &mut written)?;
        bytes.drain(..taken);
        if count == 0 {
            return Ok(written);
        }
    }
}

/// Copies the entries that are there as a whole; returns the number of bytes that are done with.
fn copy_whole(
    bytes: &[u8],
    is_end: bool,
    to: &mut impl Write,
    by: &Replacer,
    written: &mut u64,
) -> io::Result<usize> {
    let (words, _) = bytes.as_chunks::<8>();
    let words: Vec<u64> = words.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    let mut at = 0;
    // The longest entry is there, or no more will come.
    while let Some(rest) = words.get(at..).filter(|rest| is_end || rest.len() > MOST_WORDS) {
        let Some((entry, count)) = Entry::first(rest) else {
            if rest.is_empty() {
                break;
            }
            at += 1;
            continue;
        };
        at += count;
        let mut entries = Vec::new();
        replaced(entry, by).iter().for_each(|entry| entry.put(&mut entries));
        for word in entries {
            to.write_all(&word.to_ne_bytes())?;
            *written += 8;
        }
    }
    Ok(8 * at)
}

/// The entry without the user's texts; `None` for a record that is text of another one.
fn replaced(entry: Entry, by: &Replacer) -> Option<Entry> {
    Some(match entry {
        Entry::Device { device, name } => Entry::Device { device, name: by.words(&name) },
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

    #[test]
    fn texts_of_entries_are_replaced_and_what_is_none_is_left_out() {
        let mut words = vec![0x6d6f_7473_7563];
        let text = |text: &str| Entry::Text { number: 3, text: text.to_owned() };
        Entry::Device { device: 0, name: "NVIDIA H200 of /opt/customer/x".to_owned() }
            .put(&mut words);
        text("_Z5scalePd").put(&mut words);
        (0..2000).for_each(|count| Entry::Lost { count }.put(&mut words));
        text("last").put(&mut words);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let mut to = Vec::new();
        let written = copy(&bytes[..bytes.len() - 3], &mut to, &Replacer::new(Anonymise::All));
        assert_eq!(written.expect("written"), to.len() as u64);
        let mut words: Vec<u64> =
            to.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
        let mut entries = Vec::new();
        while let Some((entry, count)) = Entry::first(&words) {
            entries.push(entry);
            words.drain(..count);
        }
        assert_eq!(entries.len(), 2002, "the last one is torn off");
        let name = "NVIDIA H200 of /folder-1/program-1".to_owned();
        assert_eq!(entries[..2], [Entry::Device { device: 0, name }, text("function-1")]);
    }
}
