//! Another process's memory: copies of parts of it, which stop nobody and never fail for us.

use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use std::fs;
use std::io::IoSliceMut;
use std::ops::Range;

/// Of a stack so much is copied while its thread is stopped.
const LARGEST_STACK: u64 = 1 << 20;
/// Red zone of x86-64, below the stack pointer.
const RED_ZONE: u64 = 128;

/// A mapping, as /proc/pid/maps has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub range: Range<u64>,
    pub executable: bool,
    pub offset: u64,
    /// Empty where nothing is named.
    pub path: String,
}

/// The memory of a process.
pub struct Memory {
    pid: Pid,
    pub mappings: Vec<Mapping>,
}

/// A copy of the live part of a stack.
pub struct StackCopy {
    begin: u64,
    bytes: Vec<u8>,
}

impl Memory {
    /// Of a process as it is mapped now.
    pub fn of(pid: u32) -> Memory {
        let maps = fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
        Memory { pid: Pid::from_raw(pid as i32), mappings: parse(&maps) }
    }

    /// As many bytes from `address` on as there are, up to so many.
    pub fn copy(&self, address: u64, bytes: usize) -> Vec<u8> {
        let mut copied = vec![0; bytes];
        let (Ok(base), mut local) = (usize::try_from(address), [IoSliceMut::new(&mut copied)])
        else {
            return Vec::new();
        };
        let remote = [RemoteIoVec { base, len: bytes }];
        let got = process_vm_readv(self.pid, &mut local, &remote).unwrap_or(0);
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

fn parse(maps: &[u8]) -> Vec<Mapping> {
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
