//! Memory of another process or of a core file: copies of parts of it, which stop no thread and never fault.

use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use ompttrace_ompd::Target;
use std::fs;
use std::io::IoSliceMut;
use std::ops::Range;

/// Maximum number of bytes of a stack that are copied while its thread is stopped.
const LARGEST_STACK: u64 = 1 << 20;
/// Size of the red zone of x86-64 below the stack pointer, in bytes.
const RED_ZONE: u64 = 128;

/// A mapping, as /proc/pid/maps has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub range: Range<u64>,
    pub executable: bool,
    pub offset: u64,
    /// Path of the mapped file; empty if the mapping has no name.
    pub path: String,
}

/// The memory of a process, or of another target that can be read like one.
pub struct Memory<'t> {
    source: Source<'t>,
    pub mappings: Vec<Mapping>,
}

enum Source<'t> {
    Process(Pid),
    Target(&'t dyn Target),
}

/// A copy of the live part of a stack.
pub struct StackCopy {
    begin: u64,
    bytes: Vec<u8>,
}

impl<'t> Memory<'t> {
    /// The memory of a process as it is mapped now.
    pub fn of(pid: u32) -> Memory<'static> {
        let maps = fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
        Memory { source: Source::Process(Pid::from_raw(pid as i32)), mappings: parse(&maps) }
    }

    /// The memory of a target of OMPD.
    pub fn of_target(target: &'t dyn Target, mappings: Vec<Mapping>) -> Memory<'t> {
        Memory { source: Source::Target(target), mappings }
    }

    /// Copies the bytes from `address` on, as many as there are up to this number.
    pub fn copy(&self, address: u64, bytes: usize) -> Vec<u8> {
        let mut copied = vec![0; bytes];
        let got = match self.source {
            Source::Process(pid) => copy_of(pid, address, &mut copied),
            Source::Target(target) => target.read(address, &mut copied),
        };
        copied.truncate(got);
        copied
    }

    /// The mapping around an address.
    pub fn mapping(&self, address: u64) -> Option<&Mapping> {
        self.mappings.iter().find(|mapping| mapping.range.contains(&address))
    }

    /// The stack from a stack pointer on.
    pub fn copy_stack(&self, sp: u64) -> StackCopy {
        let begin = sp.saturating_sub(RED_ZONE);
        let end = self.mapping(sp).map_or(begin, |mapping| mapping.range.end);
        let bytes = end.saturating_sub(begin).min(LARGEST_STACK);
        StackCopy { begin, bytes: self.copy(begin, bytes as usize) }
    }
}

impl StackCopy {
    /// The word at an address.
    pub fn word(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.begin)?).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(8)?)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    }
}

fn copy_of(pid: Pid, address: u64, to: &mut [u8]) -> usize {
    let len = to.len();
    let Ok(base) = usize::try_from(address) else { return 0 };
    process_vm_readv(pid, &mut [IoSliceMut::new(to)], &[RemoteIoVec { base, len }]).unwrap_or(0)
}

/// The mappings in the text of /proc/pid/maps.
pub fn parse(maps: &[u8]) -> Vec<Mapping> {
    maps.split(|byte| *byte == b'\n').filter_map(line).collect()
}

fn line(line: &[u8]) -> Option<Mapping> {
    let text = String::from_utf8_lossy(line);
    let mut fields = text.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    let rights = fields.next()?;
    let offset = hex(fields.next()?)?;
    let path = fields.nth(2).unwrap_or_default().trim_start().to_owned();
    let range = hex(start)?..hex(end)?;
    let executable = rights.as_bytes().get(2) == Some(&b'x');
    Some(Mapping { range, executable, offset, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_can_be_read_and_what_is_not_mapped_is_nothing() {
        let memory = Memory::of(std::process::id());
        let text = *b"some words of this test";
        let at = (&raw const text).addr() as u64;
        assert_eq!(memory.copy(at, text.len()), text);
        assert!(memory.copy(8, 64).is_empty());
        let stack = memory.copy_stack(at);
        assert_eq!(stack.word(at).map(u64::to_ne_bytes), text[..8].try_into().ok());
        assert_eq!(stack.word(at - 4096), None);
    }

    #[test]
    fn mappings_are_read() {
        let mapping = line(b"7f00-7f10 r-xp 00000010 fe:00 5        /lib/a b.so").expect("one");
        assert!(mapping.executable && mapping.path == "/lib/a b.so");
        assert_eq!((mapping.range, mapping.offset), (0x7f00..0x7f10, 0x10));
        assert!(line(b"torn").is_none());
    }
}
