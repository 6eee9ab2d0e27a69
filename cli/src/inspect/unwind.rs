//! Call stacks of another process or a core file, by the unwinding tables that it has in memory: no file of a process has
//! to be found or believed, and what was deleted or replaced since serves as well.

use super::memory::{Mapping, Memory};
use super::stop::Stopped;
use framehop::{
    CacheNative, ExplicitModuleSectionInfo, FrameAddress, MayAllocateDuringUnwind, Module,
    UnwindRegsNative, Unwinder, UnwinderNative,
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Maximum number of frames of one stack.
const MOST_FRAMES: usize = 128;
/// Maximum size of a table that is copied, in bytes: without it, frame pointers must do.
const LARGEST_TABLE: u64 = 256 << 20;
/// Maximum size of all tables together, in bytes.
const LARGEST_TABLES: u64 = 1 << 30;
/// Maximum number of modules that have tables.
const MOST_MODULES: usize = 1 << 12;

const PT_LOAD: u32 = 1;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
/// DW_EH_PE_pcrel | DW_EH_PE_sdata4: how linkers encode the address of `.eh_frame`.
const RELATIVE_32: u8 = 0x1b;

type Sections = ExplicitModuleSectionInfo<Vec<u8>>;

/// The code of a process, with the tables that lead from a frame to its caller.
pub struct Tables {
    unwinder: UnwinderNative<Vec<u8>, MayAllocateDuringUnwind>,
    cache: CacheNative<MayAllocateDuringUnwind>,
}

/// A call stack.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Walked {
    /// Frames of the stack, innermost first.
    pub frames: Vec<Walk>,
    /// True if the stack ends where the thread began.
    pub is_whole: bool,
}

impl Walked {
    /// A stack without frames, which needs no note.
    pub fn none() -> Walked {
        Walked { frames: Vec::new(), is_whole: true }
    }

    /// A note if callers are missing.
    pub fn note(&self) -> Option<String> {
        (!self.is_whole).then(|| "the callers of the last frame are unknown".to_owned())
    }
}

/// A frame: its code address, and its stack pointer, from which it reaches to that of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walk {
    pub address: u64,
    pub sp: u64,
}

impl Tables {
    /// The tables of all that is mapped as code.
    pub fn of(memory: &Memory<'_>) -> Tables {
        let mut unwinder = UnwinderNative::new();
        let mut left = LARGEST_TABLES;
        let code = memory.mappings.iter().filter(|mapping| mapping.executable);
        for mapping in code.take(MOST_MODULES) {
            let found = header(memory, mapping).and_then(|header| tables(memory, header));
            let (bias, sections) = found.unwrap_or_default();
            let bytes = sections.eh_frame.as_ref().map_or(0, |bytes| bytes.len() as u64);
            let Some(rest) = left.checked_sub(bytes) else { break };
            left = rest;
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
        let mut read = |address| thread.stack.word(address).ok_or(());
        let mut registers = first(thread);
        let mut next = Some(FrameAddress::from_instruction_pointer(thread.registers.pc));
        let mut frames = Vec::new();
        while let Some(frame) = next.filter(|_| frames.len() < MOST_FRAMES) {
            frames.push(Walk { address: frame.address(), sp: registers.sp() });
            let caller =
                self.unwinder.unwind_frame(frame, &mut registers, &mut self.cache, &mut read);
            match caller {
                Ok(Some(address)) => next = FrameAddress::from_return_address(address),
                Ok(None) => return Walked { frames, is_whole: true },
                Err(_) => break,
            }
        }
        Walked { frames, is_whole: false }
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

/// Address of the ELF header of a mapping's file in memory.
fn header(memory: &Memory<'_>, mapping: &Mapping) -> Option<u64> {
    if mapping.path == "[vdso]" {
        return Some(mapping.range.start);
    }
    let of_file = |one: &&Mapping| one.path == mapping.path && one.offset == 0;
    let before = |one: &&Mapping| one.range.start <= mapping.range.start;
    let mut headers = memory.mappings.iter().rev().filter(of_file);
    (!mapping.path.is_empty()).then(|| headers.find(before))?.map(|one| one.range.start)
}

/// Difference of addresses in memory from those in the file, and the file's sections, by the ELF header at `header`.
fn tables(memory: &Memory<'_>, header: u64) -> Option<(u64, Sections)> {
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

/// Address of `.eh_frame`, by its header.
fn eh_frame_at(memory: &Memory<'_>, bias: u64, hdr: u64) -> Option<u64> {
    let head = memory.copy(bias.wrapping_add(hdr), 8);
    let relative = i32::from_ne_bytes(head.get(4..8)?.try_into().ok()?);
    let known = head.get(..2)? == [1, RELATIVE_32];
    known.then(|| hdr.wrapping_add(4).wrapping_add_signed(relative.into()))
}

fn copy(memory: &Memory<'_>, bias: u64, range: Range<u64>) -> Option<Vec<u8>> {
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
