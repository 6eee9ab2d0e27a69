//! The notes of a core file: its threads, the files that were mapped, and what the kernel passed to the program at its begin.

use crate::target::{Mapped, TargetThread};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// A thread's state and registers.
const NT_PRSTATUS: u32 = 1;
/// The auxiliary vector.
const NT_AUXV: u32 = 6;
/// NT_FILE, "FILE" in ASCII.
const NT_FILE: u32 = 0x4649_4c45;
/// Number in the auxiliary vector of the program's entry address.
const AT_ENTRY: u64 = 9;
/// Maximum number of threads and of files; further ones are ignored.
const MOST: usize = 1 << 16;

/// Offsets in `struct elf_prstatus` of the signal, the thread's id and its registers, the same on all 64-bit machines.
const SIGNAL_AT: usize = 12;
const PID_AT: usize = 32;
const REGISTERS_AT: usize = 112;
/// Numbers of x86-64's thread pointer, frame pointer, program counter and stack pointer in `struct user_regs_struct`.
const FS_BASE: usize = 21;
const RBP: usize = 4;
const RIP: usize = 16;
const RSP: usize = 19;

/// Content of the notes of a core file.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub threads: Vec<TargetThread>,
    /// State of each of `threads`, in the same order.
    pub states: Vec<CoreThread>,
    pub mapped: Vec<Mapped>,
    /// Entry address of the program; `None` without an auxiliary vector.
    pub entry: Option<u64>,
}

/// State of a thread when the core was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreThread {
    /// The program counter.
    pub pc: u64,
    /// The stack pointer.
    pub sp: u64,
    /// The frame pointer.
    pub fp: u64,
    /// Number of the thread's pending signal, 0 for none; for the first thread that of the signal that ended the
    /// process.
    pub signal: u16,
}

impl Notes {
    /// Adds the notes of a segment: sizes of name and content, type, name, content, each padded to 4 bytes.
    pub(crate) fn add(&mut self, mut rest: &[u8]) {
        while let (Some(name), Some(bytes), Some(kind)) =
            (half(rest, 0), half(rest, 4), half(rest, 8))
        {
            let padded = |bytes: u32| (bytes as usize).next_multiple_of(4);
            let content = 12 + padded(name);
            let Some(own) = rest.get(content..content.saturating_add(bytes as usize)) else {
                return;
            };
            match kind {
                NT_PRSTATUS => self.thread(own),
                NT_FILE => drop(self.files(own)),
                NT_AUXV => self.entry = entry(own),
                _ => {}
            }
            rest = rest.get(content + padded(bytes)..).unwrap_or_default();
        }
    }

    fn thread(&mut self, status: &[u8]) {
        let register = |number: usize| word(status, REGISTERS_AT + 8 * number);
        let (Some(id), Some(pthread)) = (half(status, PID_AT), register(FS_BASE)) else { return };
        let signal = half(status, SIGNAL_AT).unwrap_or_default() as u16;
        if let (Some(pc), Some(sp), Some(fp)) = (register(RIP), register(RSP), register(RBP))
            && self.threads.len() < MOST
        {
            self.threads.push(TargetThread { id, pthread });
            self.states.push(CoreThread { pc, sp, fp, signal });
        }
    }

    /// Reads the note NT_FILE: the number of files, the page size, for each file its address range and its offset in
    /// pages, and then their names.
    fn files(&mut self, note: &[u8]) -> Option<()> {
        let (count, page) = (word(note, 0)?, word(note, 8)?);
        let count = usize::try_from(count).ok().filter(|count| *count <= MOST)?;
        let mut names = note.get(16 + 24 * count..)?.split(|byte| *byte == 0);
        for at in 0..count {
            let entry = 16 + 24 * at;
            let (start, end) = (word(note, entry)?, word(note, entry + 8)?);
            let offset = word(note, entry + 16)?.checked_mul(page)?;
            let path = PathBuf::from(OsStr::from_bytes(names.next()?));
            if start < end && self.mapped.len() < MOST {
                let readable_at = path.clone();
                self.mapped.push(Mapped { range: start..end, offset, readable_at, path });
            }
        }
        Some(())
    }
}

/// Entry address in an auxiliary vector, which consists of pairs of a number and its value.
fn entry(vector: &[u8]) -> Option<u64> {
    let pairs = (0..vector.len() / 16).map(|at| (word(vector, 16 * at), word(vector, 16 * at + 8)));
    pairs.into_iter().find_map(|(number, value)| (number == Some(AT_ENTRY)).then_some(value)?)
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}
