//! Core files: an artificial one is read back as it was written, and damage causes an error or missing parts, nothing
//! else.

use ompttrace_ompd::{CoreFile, Target, runtime};
use std::path::PathBuf;

const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
const NT_PRSTATUS: u32 = 1;
const NT_FILE: u32 = 0x4649_4c45;

/// A core file of two threads, one file and one page of memory.
fn core() -> Vec<u8> {
    let mut notes = Vec::new();
    for (id, pthread) in [(71u32, 0x7f00_1000u64), (72, 0x7f00_2000)] {
        let mut status = vec![0; 336];
        status[32..36].copy_from_slice(&id.to_ne_bytes());
        for (register, value) in [(16, 0x40_0000u64), (19, 0x1000_0100), (21, pthread)] {
            status[112 + 8 * register..][..8].copy_from_slice(&value.to_ne_bytes());
        }
        note(&mut notes, NT_PRSTATUS, b"CORE\0", &status);
    }
    let mut files = Vec::new();
    for word in [1u64, 4096, 0x40_0000, 0x40_1000, 0] {
        files.extend(word.to_ne_bytes());
    }
    files.extend(b"/nowhere/lib.so\0");
    note(&mut notes, NT_FILE, b"CORE\0", &files);
    let memory = vec![7; 4096];
    let headers = 64 + 2 * 56;
    let mut core = b"\x7fELF\x02\x01\x01".to_vec();
    core.resize(16, 0);
    core.extend(4u16.to_ne_bytes());
    core.extend(62u16.to_ne_bytes());
    core.extend(1u32.to_ne_bytes());
    for word in [0u64, 64, 0] {
        core.extend(word.to_ne_bytes());
    }
    core.extend(0u32.to_ne_bytes());
    for half in [64u16, 56, 2, 0, 0, 0] {
        core.extend(half.to_ne_bytes());
    }
    let segments = [
        (PT_NOTE, headers, 0u64, notes.len()),
        (PT_LOAD, headers + notes.len(), 0x1000_0000, memory.len()),
    ];
    for (kind, offset, address, bytes) in segments {
        core.extend(kind.to_ne_bytes());
        core.extend(4u32.to_ne_bytes());
        for word in [offset as u64, address, 0, bytes as u64, bytes as u64, 4096] {
            core.extend(word.to_ne_bytes());
        }
    }
    core.extend(notes);
    core.extend(memory);
    core
}

fn note(to: &mut Vec<u8>, kind: u32, name: &[u8], content: &[u8]) {
    for word in [name.len() as u32, content.len() as u32, kind] {
        to.extend(word.to_ne_bytes());
    }
    for part in [name, content] {
        to.extend(part);
        to.resize(to.len().next_multiple_of(4), 0);
    }
}

/// Opens a core file and calls all functions that need no library.
fn read(file: &tempfile::NamedTempFile, bytes: &[u8]) -> Option<CoreFile> {
    std::fs::write(file.path(), bytes).expect("written");
    let core = CoreFile::open(file.path(), None).ok()?;
    let mut memory = [0; 8192];
    for address in [0, 0x1000_0000, 0x1000_0ff0, u64::MAX - 100] {
        assert!(core.read(address, &mut memory) <= memory.len());
    }
    assert!(runtime(&core).is_err());
    Some(core)
}

#[test]
fn threads_memory_and_files_are_those_of_the_core() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let core = read(&file, &core()).expect("a core file");
    let threads: Vec<_> = core.threads().iter().map(|one| (one.id, one.pthread)).collect();
    assert_eq!(threads, [(71, 0x7f00_1000), (72, 0x7f00_2000)]);
    assert_eq!((core.states()[1].pc, core.states()[1].sp), (0x40_0000, 0x1000_0100));
    let [mapped] = core.mapped() else { panic!("{:?}", core.mapped()) };
    assert_eq!((mapped.range.clone(), mapped.offset), (0x40_0000..0x40_1000, 0));
    assert_eq!(mapped.path, PathBuf::from("/nowhere/lib.so"));
    let mut memory = [0; 32];
    assert_eq!(core.read(0x1000_0ff0, &mut memory), 16, "it ends with the segment");
    assert_eq!(memory[..16], [7; 16]);
    assert!(CoreFile::is_one(file.path()));
    assert!(!CoreFile::is_one(&std::env::current_exe().expect("this program")));
}

#[test]
fn a_truncated_core_is_an_error_or_has_less() {
    let (file, whole) = (tempfile::NamedTempFile::new().expect("a file"), core());
    for length in (0..whole.len()).step_by(13) {
        if let Some(core) = read(&file, &whole[..length]) {
            assert!(core.threads().len() <= 2 && core.mapped().len() <= 1, "{length}");
        }
    }
}

#[test]
fn no_byte_of_a_core_is_believed() {
    let (file, whole) = (tempfile::NamedTempFile::new().expect("a file"), core());
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random as usize % below
    };
    // Everything but the memory itself.
    let head = whole.len() - 4096;
    for _ in 0..3000 {
        let mut damaged = whole.clone();
        for _ in 0..=next(8) {
            let (at, byte) = (next(head), [0, 0xff, 0x7f, 0x80, next(256) as u8][next(5)]);
            damaged[at] = byte;
        }
        let _ = read(&file, &damaged);
    }
}
