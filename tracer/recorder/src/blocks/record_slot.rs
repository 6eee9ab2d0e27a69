//! The bytes of slots, in which records are stored and read again by address.
//!
//! The one file that touches them. tests/model has a module of this name whose words report when two
//! threads touch one without order between them.

use ompttrace_recording::EventCode;
use ompttrace_recording::words::{self as shapes, Store};

/// Destination of a record's words. Only a [`Room`] makes one, for a cursor.
///
/// The cursor was below the limit or, in the cold, not farther behind it than the reserve reaches, which leaves
/// SLACK = MAX_WORDS words before the slot's end, and no record has more. The slot is mapped for the program's life and 8-byte aligned. Only the owning
/// thread writes behind its cursor; others read up to it.
///
/// Parts of words are stored as they are: shifting them together first would cost two instructions
/// for each. Nobody reads the words soon enough to wait for that.
pub(crate) struct RecordSlot(*mut u64);

const LITTLE: bool = cfg!(target_endian = "little");

impl RecordSlot {
    #[inline(always)]
    pub(crate) fn at(cursor: u64) -> RecordSlot {
        RecordSlot(std::ptr::with_exposed_provenance_mut(cursor as usize))
    }

    #[inline(always)]
    pub(crate) fn ticks(&mut self, ticks: u64) {
        // SAFETY: the record's first word; see `RecordSlot`.
        unsafe {
            if LITTLE {
                // RDTSC gives two halves.
                let halves = self.0.cast::<u32>();
                halves.write(ticks as u32);
                halves.add(1).write((ticks >> 32) as u32);
            } else {
                self.0.write(ticks);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn code(&mut self, code: EventCode) {
        let highest = if LITTLE { 7 } else { 0 };
        // SAFETY: the highest byte of the record's first word; see `RecordSlot`.
        unsafe { self.0.cast::<u8>().add(highest).write(code.0) };
    }
}

impl Store for RecordSlot {
    #[inline(always)]
    fn word(&mut self, index: usize, value: u64) {
        // SAFETY: a payload has less than MAX_WORDS words; see `RecordSlot`.
        unsafe { self.0.add(1 + index).write(value) };
    }

    #[inline(always)]
    fn halves(&mut self, index: usize, low: u64, high: u64) {
        if !LITTLE {
            return self.word(index, shapes::Halves::pack(low, high));
        }
        // SAFETY: a payload has less than MAX_WORDS words (see `RecordSlot`); these are the two halves of one.
        unsafe {
            let half = self.0.add(1 + index).cast::<u32>();
            half.write(low as u32);
            half.add(1).write(high as u32);
        }
    }

    #[inline(always)]
    fn at(&mut self, index: usize, code: u64, kind: u64) {
        if !LITTLE {
            return self.word(index, shapes::At::pack(code, kind));
        }
        // SAFETY: a payload has less than MAX_WORDS words (see `RecordSlot`); the kind overwrites the highest bits of the word
        // with the address.
        unsafe {
            let word = self.0.add(1 + index);
            word.write(code);
            word.cast::<u16>().add(3).write(kind as u16);
        }
    }
}

/// A word of the owner's records, which only the owner changes.
///
/// # Safety
/// The word is one of the calling thread's slot, below its cursor.
#[inline(always)]
pub(crate) unsafe fn load(address: u64) -> u64 {
    // SAFETY: the caller's promise: a mapped word, aligned to 8 bytes.
    unsafe { std::ptr::with_exposed_provenance::<u64>(address as usize).read() }
}

/// Changes such a word.
///
/// # Safety
/// As for [`load`], and who else reads it meanwhile takes the old and the new value alike: the kernel, and at the end of the
/// recording a drain that counts what it could not write.
#[inline(always)]
pub(crate) unsafe fn change(address: u64, value: u64) {
    let word = std::ptr::with_exposed_provenance_mut::<u64>(address as usize);
    // SAFETY: the caller's promise: a mapped word, aligned to 8 bytes, which nobody else writes.
    unsafe { std::sync::atomic::AtomicU64::from_ptr(word) }
        .store(value, std::sync::atomic::Ordering::Relaxed);
}

/// Words of a slot.
///
/// # Safety
/// `address` is a multiple of 8, this many words from there are mapped for `'a`, and nobody writes
/// them meanwhile.
pub(crate) unsafe fn words<'a>(address: u64, count: u64) -> &'a [u64] {
    let words = std::ptr::with_exposed_provenance::<u64>(address as usize);
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(words, count as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::events::{
        Event, ParallelBegin, Scope, TargetDataOpEmi, TaskCreate, next_record,
    };
    use ompttrace_recording::words::Payload;

    /// Clears the words of an earlier record: nothing of it may remain.
    const OLD: u64 = 0xa5a5_a5a5_a5a5_a5a5;

    fn stored(number: u16, payload: impl Payload) -> Vec<u64> {
        let mut memory = vec![OLD; 12];
        let address = memory.as_mut_ptr().expose_provenance() as u64;
        let mut slot = RecordSlot::at(address);
        slot.ticks(0xffff_0123_4567_89ab);
        slot.code(EventCode::new(number, Scope::Begin));
        payload.store(&mut slot);
        // SAFETY: the vector's own words, and nothing writes them meanwhile.
        let words = unsafe { super::words(address, memory.len() as u64) }.to_vec();
        drop(memory);
        words
    }

    fn check<P: Payload>(number: u16, payload: P, event: Event, packed: &[u64]) {
        let words = stored(number, payload);
        let code = EventCode::new(number, Scope::Begin);
        assert_eq!(words[0], shapes::header(0xffff_0123_4567_89ab, code.0));
        assert_eq!(&words[1..=packed.len()], packed);
        assert!(words[packed.len() + 1..].iter().all(|word| *word == OLD), "{words:x?}");
        let record = next_record(&mut &words[..], 0).expect("a record");
        assert_eq!((record.code, record.event()), (code, event));
    }

    #[test]
    fn parts_of_words_make_the_words_that_packing_makes() {
        let code = 0x7fff_ffff_fff8;
        let event = ParallelBegin {
            code,
            kind: 0xffff,
            region: u64::MAX,
            task: 1,
            requested: u32::MAX.into(),
            flags: 0x8000_0001,
        };
        check(ParallelBegin::NUMBER, event, Event::ParallelBegin(event), &event.words());
        let event = TaskCreate { code, kind: 1, task: 2, new_task: 1 << 63, flags: 5 };
        check(TaskCreate::NUMBER, event, Event::TaskCreate(event), &event.words());
        let event = TargetDataOpEmi { code, src_device: 7, dest_device: 8, ..Default::default() };
        check(TargetDataOpEmi::NUMBER, event, Event::TargetDataOpEmi(event), &event.words());
    }
}
