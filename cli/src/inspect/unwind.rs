//! Call stacks of another process, by the unwinding tables that it has in memory: no file has to be found or
//! believed, and what was deleted or replaced since serves as well.

use super::memory::{Mapping, Memory};
use super::stop::Stopped;
use framehop::{
    CacheNative, ExplicitModuleSectionInfo, MayAllocateDuringUnwind, Module, UnwindRegsNative,
    Unwinder, UnwinderNative,
};
use std::ops::Range;

/// Frames of one stack at most.
const MOST_FRAMES: usize = 128;
/// Tables larger than these are not copied: frame pointers must do.
const LARGEST_TABLE: u64 = 256 << 20;

const PT_LOAD: u32 = 1;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
/// DW_EH_PE_pcrel | DW_EH_PE_sdata4: how linkers write the place of `.eh_frame`.
const RELATIVE_32: u8 = 0x1b;

type Sections = ExplicitModuleSectionInfo<Vec<u8>>;

/// The code of a process, with the tables that lead from a frame to its caller.
pub struct Tables {
    unwinder: UnwinderNative<Vec<u8>, MayAllocateDuringUnwind>,
    cache: CacheNative<MayAllocateDuringUnwind>,
}

/// A call stack's addresses, innermost first, and whether it ends where the thread began.
pub struct Walked {
    pub addresses: Vec<u64>,
    pub is_whole: bool,
}

impl Tables {
    /// Of all that is mapped as code.
    pub fn of(memory: &Memory) -> Tables {
        let mut unwinder = UnwinderNative::new();
        for mapping in memory.mappings.iter().filter(|mapping| mapping.executable) {
            let header = header(memory, mapping);
            let (bias, sections) =
                header.and_then(|header| tables(memory, header)).unwrap_or_default();
            unwinder.add_module(Module::new(
                mapping.path.clone(),
                mapping.range.clone(),
                bias,
                sections,
            ));
        }
        Tables { unwinder, cache: CacheNative::new() }
    }

    /// The call stack of a thread as it was stopped.
    pub fn walk(&mut self, thread: &Stopped) -> Walked {
        let registers = thread.registers;
        let mut read = |address| thread.stack.word(address).ok_or(());
        let mut frames =
            self.unwinder.iter_frames(registers.pc, first(thread), &mut self.cache, &mut read);
        let mut addresses = Vec::new();
        while addresses.len() < MOST_FRAMES {
            match frames.next() {
                Ok(Some(frame)) => addresses.push(frame.address()),
                Ok(None) => return Walked { addresses, is_whole: true },
                Err(_) => break,
            }
        }
        Walked { addresses, is_whole: false }
    }
}

#[cfg(target_arch = "x86_64")]
fn first(thread: &Stopped) -> UnwindRegsNative {
    let registers = thread.registers;
    UnwindRegsNative::new(registers.pc, registers.sp, registers.fp)
}

#[cfg(target_arch = "aarch64")]
fn first(thread: &Stopped) -> UnwindRegsNative {
    let registers = thread.registers;
    UnwindRegsNative::new(registers.lr, registers.sp, registers.fp)
}

/// Where the ELF header of a mapping's file is in memory.
fn header(memory: &Memory, mapping: &Mapping) -> Option<u64> {
    if mapping.path == "[vdso]" {
        return Some(mapping.range.start);
    }
    let of_file = |one: &&Mapping| one.path == mapping.path && one.offset == 0;
    let before = |one: &&Mapping| one.range.start <= mapping.range.start;
    let mut headers = memory.mappings.iter().rev().filter(of_file);
    (!mapping.path.is_empty()).then(|| headers.find(before))?.map(|one| one.range.start)
}

/// What has to be added to the file's addresses, and its sections, by the ELF header at `header`.
fn tables(memory: &Memory, header: u64) -> Option<(u64, Sections)> {
    let elf = memory.copy(header, 64);
    if elf.get(..5)? != b"\x7fELF\x02" {
        return None;
    }
    let table = header.checked_add(word(&elf, 32)?)?;
    let (entry, count) = (half(&elf, 54)?, half(&elf, 56)?.min(64));
    let (mut bias, mut segments, mut hdr) = (None, Vec::new(), None);
    for index in 0..u64::from(count) {
        let at = table.checked_add(index * u64::from(entry))?;
        let segment = memory.copy(at, 56);
        let (address, bytes) = (word(&segment, 16)?, word(&segment, 40)?);
        let range = address..address.checked_add(bytes)?;
        match word(&segment, 0)? as u32 {
            PT_LOAD => {
                bias.get_or_insert(header.wrapping_sub(address & !4095));
                segments.push(range);
            }
            PT_GNU_EH_FRAME => hdr = Some(range),
            _ => {}
        }
    }
    let (bias, hdr) = (bias?, hdr?);
    let eh_frame = eh_frame_at(memory, bias, hdr.start)?;
    let end = segments.iter().find(|segment| segment.contains(&eh_frame))?.end;
    let sections = Sections {
        eh_frame_hdr: Some(copy(memory, bias, hdr.clone())?),
        eh_frame_hdr_svma: Some(hdr),
        eh_frame: Some(copy(memory, bias, eh_frame..end)?),
        eh_frame_svma: Some(eh_frame..end),
        ..Sections::default()
    };
    Some((bias, sections))
}

/// Where `.eh_frame` begins, as its header says.
fn eh_frame_at(memory: &Memory, bias: u64, hdr: u64) -> Option<u64> {
    let head = memory.copy(bias.wrapping_add(hdr), 8);
    let relative = i32::from_ne_bytes(head.get(4..8)?.try_into().ok()?);
    let known = head.get(..2)? == [1, RELATIVE_32];
    known.then(|| hdr.wrapping_add(4).wrapping_add_signed(relative.into()))
}

fn copy(memory: &Memory, bias: u64, range: Range<u64>) -> Option<Vec<u8>> {
    let bytes = range.end.checked_sub(range.start).filter(|bytes| *bytes <= LARGEST_TABLE)?;
    let copied = memory.copy(bias.wrapping_add(range.start), bytes as usize);
    (copied.len() as u64 == bytes).then_some(copied)
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}
