//! Files that are deleted, changed or damaged: they never lead to a wrong name or a panic.

mod common;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{TracedRun, compile, trace};
use object::{Object, ObjectSection};
use ompttrace_symbols::{CodeKind, Modules, Symbolizer};
use tempfile::TempDir;

fn built(flags: &str) -> (TempDir, PathBuf, TracedRun) {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("marks");
    compile("gcc", flags, "marks.c", &executable);
    let traced = trace(&executable, &[]);
    (folder, executable, traced)
}

/// The recording of a program whose file was deleted while it ran.
fn as_deleted(traced: TracedRun) -> TracedRun {
    let text = String::from_utf8(traced.modules).unwrap();
    let modules = text.replace("/marks\n", "/marks (deleted)\n").into_bytes();
    TracedRun { modules, ..traced }
}

/// No name, but the module with its offset, and a note that contains `why`.
fn assert_module_only(traced: &TracedRun, why: &str) {
    let location = traced.location("outer");
    assert!(location.frames.is_empty() && location.symbol.is_none(), "{location:?}");
    let module = location.module.as_ref().unwrap();
    assert_eq!(module.address, None);
    assert!(location.label().contains(&format!("+{:#x}", module.file_offset)));
    let note = location.note.unwrap();
    assert!(note.contains(why), "{note}");
    assert_eq!(traced.symbolizer().data_symbol(traced.data[0].0), None);
}

#[test]
fn a_deleted_file() {
    let (_folder, executable, traced) = built("-g -O2");
    std::fs::remove_file(executable).unwrap();
    assert_module_only(&as_deleted(traced), "deleted");
}

#[test]
fn a_deleted_file_that_its_process_still_holds() {
    let (_folder, executable, _) = built("-g -O2");
    let mut command = Command::new(&executable);
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = Vec::new();
    process.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    let traced = common::parse(&output);
    compile("gcc", "-g -O0", "marks.c", &executable);
    let traced = as_deleted(traced);
    assert_module_only(&traced, "build id differs");
    let label = |process| {
        let mut symbolizer = traced.symbolizer().with_live_process(process);
        symbolizer.code(traced.mark("outer").address, CodeKind::ReturnAddress).label()
    };
    let expected = format!("marks.c:{} (outer)", traced.mark("outer").line);
    assert_eq!(label(process.id()), expected);
    // Another process must not be taken for it.
    assert_ne!(label(std::process::id()), expected);
    drop(process.stdin.take());
    assert!(process.wait().unwrap().success());
}

#[test]
fn a_file_that_replaced_a_deleted_one() {
    let (_folder, executable, traced) = built("-g -O2");
    compile("gcc", "-g -O0", "marks.c", &executable);
    assert_module_only(&as_deleted(traced), "build id differs");
}

#[test]
fn without_a_build_id_nothing_vouches_for_a_replacement() {
    let (_folder, _executable, traced) = built("-g -O2");
    assert_module_only(&as_deleted(traced).without_build_ids(), "deleted");
}

#[test]
fn the_same_file_put_back_is_trusted() {
    let (_folder, _executable, traced) = built("-g -O2");
    common::assert_all_marks(&as_deleted(traced));
}

#[test]
fn a_file_built_anew_without_a_trace_in_the_path() {
    let (_folder, executable, traced) = built("-g -O2");
    compile("gcc", "-g -O0", "marks.c", &executable);
    assert_module_only(&traced, "build id differs");
    compile("gcc", "-g -O2 -Wl,--build-id=none", "marks.c", &executable);
    assert_module_only(&traced, "the file has none");
}

#[test]
fn a_file_without_a_build_id_is_used() {
    let (_folder, _executable, traced) = built("-g -O2 -Wl,--build-id=none");
    common::assert_all_marks(&traced);
}

#[test]
fn something_else_than_a_file() {
    let (_folder, executable, traced) = built("-g -O2");
    std::fs::remove_file(&executable).unwrap();
    common::tool("mkfifo", &[&executable]);
    assert_module_only(&traced, "not a regular file");
}

#[test]
fn what_never_was_a_file() {
    for path in ["[vdso]", "", "//anon"] {
        let text = format!("@ 1\n1000-2000 0 - {path}\n");
        let mut symbolizer = Symbolizer::new(Modules::from_text(text.as_bytes()));
        let location = symbolizer.code(0x1234, CodeKind::ReturnAddress);
        assert_eq!(location.label(), format!("{}+0x234", path.trim_start_matches('/')));
        assert!(location.note.is_some());
    }
    let mut nothing = Symbolizer::new(Modules::default());
    assert_eq!(nothing.code(0, CodeKind::ReturnAddress).label(), "0x0");
    assert_eq!(nothing.code(u64::MAX, CodeKind::Function).location(), "0xffffffffffffffff");
}

/// Calls all functions of the symbolizer; the results do not matter.
fn ask_all(traced: &TracedRun) {
    let mut symbolizer = traced.symbolizer();
    for mark in &traced.marks {
        symbolizer.code(mark.address, CodeKind::ReturnAddress).label();
        symbolizer.code(mark.address, CodeKind::Function).label();
    }
    symbolizer.data_symbol(traced.data[0].0);
}

#[test]
fn truncated_files() {
    let (_folder, executable, traced) = built("-g -O2 -Wl,--build-id=none");
    let whole = std::fs::read(&executable).unwrap();
    for kept in (0..whole.len()).step_by(97) {
        replace(&executable, &whole[..kept]);
        ask_all(&traced);
    }
    replace(&executable, &whole[..whole.len() / 2]);
    assert!(traced.location("outer").note.unwrap().contains("ELF"));
    replace(&executable, b"");
    assert!(traced.location("outer").note.unwrap().contains("ELF"));
    replace(&executable, b"#!/bin/sh\nexit 0\n");
    assert!(traced.location("outer").note.unwrap().contains("ELF"));
}

#[test]
fn damaged_files() {
    for flags in ["-g -O2 -Wl,--build-id=none", "-gz -O2 -Wl,--build-id=none"] {
        let (_folder, executable, traced) = built(flags);
        let whole = std::fs::read(&executable).unwrap();
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..300 {
            let mut damaged = whole.clone();
            for _ in 0..8 {
                // xorshift: the same damage on every run.
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                damaged[random as usize % whole.len()] = (random >> 32) as u8;
            }
            replace(&executable, &damaged);
            ask_all(&traced);
        }
    }
}

/// The limits are those of `elf.rs`: 64 times a section's compressed bytes, 2 GiB for all sections of a file.
#[test]
fn sections_that_state_too_many_bytes_are_not_decompressed() {
    let (_folder, executable, traced) = built("-g -gz=zlib -O2 -Wl,--build-id=none");
    let whole = std::fs::read(&executable).unwrap();
    let (header, compressed) = compressed_section(&whole);
    let stating = |bytes: u64| {
        let mut changed = whole.clone();
        let stated = word(&changed, header + OFFSET) as usize + STATED;
        put(&mut changed, stated, bytes);
        replace(&executable, &changed);
        traced.location("outer")
    };
    common::assert_all_marks(&traced);
    let limited = "is not believed";
    let within = stating(64 * compressed + 63);
    assert!(!within.note.unwrap_or_default().contains(limited));
    let beyond = stating(64 * (compressed + 1));
    assert!(beyond.note.as_ref().is_some_and(|note| note.contains(limited)), "{beyond:?}");
    assert!(beyond.frames.is_empty() && beyond.symbol.is_some(), "{beyond:?}");
    // A section that is large itself, of nothing but its first bytes.
    let mut changed = whole.clone();
    let (from, size) = (word(&whole, header + OFFSET) as usize, 40 << 20);
    changed.extend_from_slice(&whole[from..from + 64]);
    put(&mut changed, whole.len() + STATED, (2 << 30) + 1);
    put(&mut changed, header + OFFSET, whole.len() as u64);
    put(&mut changed, header + SIZE, size);
    replace(&executable, &changed);
    let file = std::fs::File::options().write(true).open(&executable).unwrap();
    file.set_len(whole.len() as u64 + size).unwrap();
    let large = traced.location("outer");
    assert!(large.note.as_ref().is_some_and(|note| note.contains(limited)), "{large:?}");
}

/// Offsets in a section header of 64-bit ELF of the section's position in the file and its size.
const OFFSET: usize = 24;
const SIZE: usize = 32;
/// Offset in a compressed section of the size that it states.
const STATED: usize = 8;

/// Position of the header of a compressed debug section in the file, and the section's compressed size in bytes.
fn compressed_section(file: &[u8]) -> (usize, u64) {
    let parsed = object::File::parse(file).unwrap();
    let compressed = parsed.sections().find_map(|section| {
        let range = section.compressed_file_range().ok()?;
        let is_compressed = range.format != object::CompressionFormat::None;
        is_compressed.then_some((section.index().0, range.compressed_size))
    });
    let (number, bytes) = compressed.expect("the compiler compresses");
    (word(file, 40) as usize + 64 * number, bytes)
}

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn put(bytes: &mut [u8], at: usize, word: u64) {
    bytes[at..at + 8].copy_from_slice(&word.to_ne_bytes());
}

/// Writes a new file instead of into one that may still be mapped.
fn replace(path: &Path, contents: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, contents).unwrap();
}
