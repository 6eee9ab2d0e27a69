//! Detection of libraries that are closed: their addresses may have other code afterwards.
//!
//! `dlclose` is not wrapped, which would not help a tool that the runtime loads, and the loader is not asked, because
//! that takes its lock. A library's own end calls the C library's `__cxa_finalize` with the library's handle,
//! `__dso_handle`; every linked-in `crtbeginS.o` does so, and C++ relies on it. So an exit handler of ours is
//! registered under that handle when code of a library is seen for the first time, and is called when the library is
//! really about to be unmapped. It is called at exit, too, which does no harm: a call only causes the library to be
//! checked again before its code is named again.
//!
//! The handle is a word of the library's data that has its own address. Libraries linked without the compiler's start
//! files have none: their end is noticed when the `modules` file is brought up to date the next time.

use crate::atexit::at_close;
use crate::modules::{self, Seen, half, read, word};
use ompttrace_recorder::{Locked, caught};
use std::ops::Range;

const PT_LOAD: u32 = 1;
const PT_GNU_RELRO: u32 = 0x6474_e552;
const PF_W: u32 = 2;
/// Size of the part of a library's data that is searched, in bytes: its handle is at the beginning, where the linker
/// puts the data of `crtbeginS.o`.
const LOOKED_AT: u64 = 1 << 20;
/// Maximum number of words with their own addresses that are taken for handles: empty circular lists look the same.
const HANDLES: usize = 8;
const PAGE: u64 = 4096;
/// Maximum number of writable segments of a library that are searched.
const SEGMENTS: usize = 4;

/// Has [`leaves`] called when the library in which code was seen is unmapped.
pub(crate) fn watch(seen: &Seen) {
    // SAFETY: asks for a number.
    let program = unsafe { libc::getauxval(libc::AT_ENTRY) };
    if seen.header == 0 || (seen.start..seen.end).contains(&program) {
        return;
    }
    let argument = std::ptr::without_provenance_mut(seen.start as usize);
    for_each_handle(seen.header, |handle| {
        let library = std::ptr::without_provenance_mut(handle as usize);
        // The handler takes its argument for a number.
        at_close(leaves, argument, library);
    });
}

/// Exit handler of the library whose code begins at this address: it is about to be unmapped, or the process ends.
unsafe extern "C" fn leaves(start: *mut libc::c_void) {
    let _ = caught(|| {
        let Some(seen) = modules::may_leave(start.addr() as u64) else { return };
        ompttrace_recorder::code_left(seen.start, seen.end, seen.identity);
        ompttrace_stacks::left(seen.start, seen.end);
        let hooks = ON_CODE_LEFT.with(|hooks| *hooks).unwrap_or_default();
        hooks.into_iter().flatten().for_each(|hook| hook(seen.start, seen.end));
    });
}

/// Hooks of sources that remember code addresses.
static ON_CODE_LEFT: Locked<[Option<Hook>; 4]> = Locked::new([None; 4]);
type Hook = fn(u64, u64);

/// Has `hook` called with the range of code that is about to be unmapped.
pub fn on_code_left(hook: Hook) {
    ON_CODE_LEFT.with(|hooks| {
        if let Some(free) = hooks.iter_mut().find(|hook| hook.is_none()) {
            *free = Some(hook);
        }
    });
}

/// Visits the words that may be the handle of the library whose ELF header is mapped at `header`.
fn for_each_handle(header: u64, mut each: impl FnMut(u64)) {
    let mut found = 0;
    for data in data_of(header).into_iter().flatten() {
        let mut at = data.start.next_multiple_of(8);
        while at < data.end && found < HANDLES {
            // To the end of the page, so that what can be read is read.
            let page: Option<[u8; PAGE as usize]> = read(at & !(PAGE - 1));
            let Some(page) = page else { return };
            let next = (at & !(PAGE - 1)) + PAGE;
            for address in (at..next.min(data.end)).step_by(8) {
                if word(&page, (address % PAGE) as usize) == Some(address) && found < HANDLES {
                    each(address);
                    found += 1;
                }
            }
            at = next;
        }
    }
}

/// The first parts of the segments of a library that stay writable: some linkers have a separate segment for data that
/// do not.
fn data_of(header: u64) -> Option<[Range<u64>; SEGMENTS]> {
    let elf: [u8; 64] = read(header)?;
    // 64-bit ELF only: this is a 64-bit process.
    if elf.get(..5)? != b"\x7fELF\x02" {
        return None;
    }
    let table = header.checked_add(word(&elf, 32)?)?;
    let entries = (u64::from(half(&elf, 54)?), u64::from(half(&elf, 56)?).min(64));
    let (mut bias, mut relocated) = (None, 0..0);
    let mut data = [const { 0..0 }; SEGMENTS];
    let mut segments = data.iter_mut();
    for index in 0..entries.1 {
        let entry: [u8; 56] = read(table.checked_add(index * entries.0)?)?;
        let (kind, flags) = (word(&entry, 0)? as u32, (word(&entry, 0)? >> 32) as u32);
        let address = word(&entry, 16)?;
        match kind {
            PT_LOAD => {
                let bias = *bias.get_or_insert(header.wrapping_sub(address & !(PAGE - 1)));
                if flags & PF_W != 0
                    && let Some(segment) = segments.next()
                {
                    let start = bias.wrapping_add(address);
                    *segment = start..start.checked_add(word(&entry, 32)?)?;
                }
            }
            PT_GNU_RELRO => {
                let start = bias?.wrapping_add(address);
                relocated = start..start.checked_add(word(&entry, 40)?)?;
            }
            _ => {}
        }
    }
    for segment in &mut data {
        if relocated.contains(&segment.start) {
            segment.start = relocated.end;
        }
        segment.end = segment.end.min(segment.start.checked_add(LOOKED_AT)?);
    }
    Some(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" {
        /// The program's own ELF header, which the linker names.
        static __ehdr_start: u8;
    }

    /// A library's handle looks like this; a program has none. Not 0, so that it is among the data of the file.
    static mut OWN: u64 = 1;

    #[test]
    fn a_word_with_its_own_address_is_found() {
        let own = &raw mut OWN;
        // SAFETY: nothing else uses it.
        unsafe { own.write_volatile(own.expose_provenance() as u64) };
        let header = (&raw const __ehdr_start).addr() as u64;
        let mut found = Vec::new();
        for_each_handle(header, |handle| found.push(handle));
        assert!(found.contains(&(own.addr() as u64)), "{found:x?}");
        for_each_handle(8, |_| panic!("nothing is mapped there"));
    }
}
