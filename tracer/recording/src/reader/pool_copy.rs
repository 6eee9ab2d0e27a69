//! A copy of the pool of a process that records on meanwhile.
//!
//! A thread appends to its active slot and begins the other one anew when that is full. So what was copied of a slot is whole if the
//! slot was not begun anew between two looks at the thread's control page: its chunk has the same number, and it was not emptied for
//! the next one. Otherwise the block is copied again, and in the end the slot is left out.

use super::pool_file::{PoolFile, words_at};
use crate::pool::{self, SLOTS, control, header};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Number of times that a block is copied before what its thread overwrites is left out.
const TRIES: usize = 32;
/// Number of times that a control page is read before it counts as one that changes all the time.
const READS: usize = 100;

type Words = [u64; control::ALL];

/// Contents of a copy, and what it lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Threads that have records in it, or losses.
    pub threads: u64,
    /// Buffers that their threads overwrote while they were copied, again and again: they are left out.
    pub left_out: u64,
}

impl PoolFile {
    /// Copies the pool into an empty file, from which it can be read as from this one.
    ///
    /// # Errors
    /// The system's error with one of the files.
    pub fn copy_while_written(&self, to: &File) -> io::Result<Copied> {
        let head = words_at::<{ header::WORDS }>(&self.file, 0)?;
        let division = self.division();
        let mut copied = Copied::default();
        let mut slots = vec![0; SLOTS * division.slot];
        for block in 0..self.claimed()? {
            let at = division.block_offset(block);
            let Some((words, left_out)) = self.copy_block(block, &mut slots)? else { continue };
            copied.threads += 1;
            copied.left_out += left_out;
            to.write_all_at(words.map(u64::to_ne_bytes).as_flattened(), at as u64)?;
            to.write_all_at(&slots, division.slots_offset(block) as u64)?;
        }
        to.write_all_at(head.map(u64::to_ne_bytes).as_flattened(), 0)?;
        Ok(copied)
    }

    /// The control page and the slots of a block that a thread owns, and the number of slots that are left out.
    fn copy_block(&self, block: usize, slots: &mut [u8]) -> io::Result<Option<(Words, u64)>> {
        let (page, at) = {
            let division = self.division();
            (division.block_offset(block) as u64, division.slots_offset(block) as u64)
        };
        for last in (0..TRIES).map(|attempt| attempt + 1 == TRIES) {
            let Some(before) = steady(|| words_at(&self.file, page))? else { continue };
            if word(&before, control::MAGIC) != pool::MAGIC {
                return Ok(None);
            }
            self.file.read_exact_at(slots, at)?;
            let after = words_at(&self.file, page)?;
            let overwritten = overwritten(&before, &after, self.division().slot);
            if last || overwritten == [false, false] {
                return Ok(Some(without(before, overwritten)));
            }
        }
        Ok(Some((self.emptied(page)?, SLOTS as u64)))
    }

    /// The control page of a thread that changes it faster than it can be read, without its slots.
    fn emptied(&self, page: u64) -> io::Result<Words> {
        Ok(without(words_at(&self.file, page)?, [true, true]).0)
    }
}

fn word(words: &Words, index: usize) -> u64 {
    words.get(index).copied().unwrap_or(0)
}

/// A control page that was the same twice, but for the cursor; `None`: it changes all the time.
fn steady(mut read: impl FnMut() -> io::Result<Words>) -> io::Result<Option<Words>> {
    let without_cursor = |mut words: Words| {
        words.get_mut(control::CURSOR).into_iter().for_each(|cursor| *cursor = 0);
        words
    };
    let mut before = read()?;
    for _ in 0..READS {
        let words = read()?;
        // The later one's cursor may lie in the slot that was begun since.
        if without_cursor(words) == without_cursor(before) {
            return Ok(Some(before));
        }
        before = words;
    }
    Ok(None)
}

/// True for each slot with records that was begun anew, by the control page before and after they were copied.
fn overwritten(before: &Words, after: &Words, slot_bytes: usize) -> [bool; SLOTS] {
    let identity = [control::MAGIC, control::THREAD, control::OS_THREAD, control::TICKS];
    let is_same_thread = identity.iter().all(|index| word(before, *index) == word(after, *index));
    let active = |words: &Words| {
        let in_slots = word(words, control::CURSOR).wrapping_sub(word(words, control::SLOTS_AT));
        usize::from(in_slots >= slot_bytes as u64)
    };
    [0, 1].map(|slot| {
        let [chunk, filled] = [control::CHUNK, control::FILLED]
            .map(|[first, second]| if slot == 0 { first } else { second });
        let was_active = active(before) == slot;
        let has_records = word(before, chunk) != 0 && (was_active || word(before, filled) != 0);
        let is_same_chunk = word(before, chunk) == word(after, chunk);
        let is_same = match (was_active, active(after) == slot) {
            (_, true) => was_active,
            (true, false) => word(after, filled) != 0,
            (false, false) => word(before, filled) == word(after, filled),
        };
        has_records && !(is_same_thread && is_same_chunk && is_same)
    })
}

/// A control page without these slots, and their number.
fn without(mut words: Words, left_out: [bool; SLOTS]) -> (Words, u64) {
    for (chunk, _) in control::CHUNK.into_iter().zip(left_out).filter(|(_, left_out)| *left_out) {
        words.get_mut(chunk).into_iter().for_each(|chunk| *chunk = 0);
    }
    (words, left_out.into_iter().map(u64::from).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: usize = pool::DEFAULT_SLOT;
    const AT: u64 = 0x7000_0000;

    /// A thread that records chunk 9 in slot 1, after chunk 8 filled slot 0.
    fn page() -> Words {
        let mut words = [0; control::ALL];
        words[control::MAGIC] = pool::MAGIC;
        words[control::SLOTS_AT] = AT;
        words[control::CURSOR] = AT + SLOT as u64 + 48;
        [words[control::CHUNK[0]], words[control::CHUNK[1]]] = [8, 9];
        words[control::FILLED[0]] = 16_000;
        words
    }

    fn with(changes: &[(usize, u64)]) -> Words {
        let mut words = page();
        changes.iter().for_each(|(index, value)| words[*index] = *value);
        words
    }

    #[test]
    fn what_was_begun_anew_meanwhile_is_left_out() {
        let seen = |changes: &[(usize, u64)]| overwritten(&page(), &with(changes), SLOT);
        let further = (control::CURSOR, AT + SLOT as u64 + 4_800);
        let (full, emptied) = ((control::FILLED[1], 16_000), (control::FILLED[0], 0));
        assert_eq!(seen(&[further]), [false, false], "it has recorded more");
        assert_eq!(seen(&[further, emptied]), [true, false], "it is about to begin slot 0");
        let in_first = [(control::CURSOR, AT + 48), (control::CHUNK[0], 10), emptied, full];
        assert_eq!(seen(&in_first), [true, false], "it records in slot 0 again");
        let in_second = [(control::CURSOR, AT + SLOT as u64 + 48), (control::CHUNK[0], 10)];
        let again = [(control::CHUNK[1], 11), (control::FILLED[0], 16_000)];
        assert_eq!(seen(&[in_second, again].concat()), [true, true], "both slots are later ones");
        let about = [(control::CURSOR, AT + 4_800), (control::CHUNK[0], 10), emptied];
        assert_eq!(seen(&about), [true, true], "it is about to begin slot 1");
        assert_eq!(seen(&[(control::THREAD, 7)]), [true, true], "another thread has the block");
    }

    #[test]
    fn an_empty_slot_lacks_nothing() {
        let before = with(&[(control::CHUNK[0], 0), (control::FILLED[0], 0)]);
        let after = with(&[(control::CHUNK[0], 10), (control::FILLED[0], 0)]);
        assert_eq!(overwritten(&before, &after, SLOT), [false, false]);
        let (words, left_out) = without(page(), [true, false]);
        assert_eq!((left_out, words[control::CHUNK[0]], words[control::CHUNK[1]]), (1, 0, 9));
    }

    #[test]
    fn a_page_that_changes_all_the_time_is_not_believed() {
        let mut reads = 0;
        let changing = steady(|| {
            reads += 1;
            Ok(with(&[(control::CHUNK[1], reads)]))
        });
        assert_eq!(changing.expect("no error"), None);
        let recording = steady(|| {
            reads += 1;
            Ok(with(&[(control::CURSOR, AT + SLOT as u64 + 8 * reads)]))
        });
        assert!(recording.expect("no error").is_some(), "the cursor may move");
    }
}
