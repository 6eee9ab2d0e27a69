//! Stripped programs, and debug information in files of its own.

mod common;

use std::path::{Path, PathBuf};

use common::{TracedRun, assert_all_marks, build_id, compile, tool, trace};
use ompttrace_symbols::{CodeKind, CodeLocation, Modules, Symbolizer};
use tempfile::TempDir;

struct Split {
    folder: TempDir,
    executable: PathBuf,
    debug: PathBuf,
}

/// A stripped program and its debug file, which is in a folder that is not searched.
fn split(flags: &str) -> Split {
    let folder = tempfile::tempdir().unwrap();
    let (executable, debug) = (folder.path().join("marks"), folder.path().join("moved.debug"));
    compile("gcc", flags, "marks.c", &executable);
    tool("objcopy", &[&"--only-keep-debug", &executable, &debug]);
    tool("strip", &[&executable]);
    Split { folder, executable, debug }
}

fn install(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    std::fs::copy(from, to).unwrap();
}

fn link(executable: &Path, debug: &Path) {
    let folder = debug.parent().unwrap();
    let option = format!("--add-gnu-debuglink={}", debug.file_name().unwrap().to_str().unwrap());
    let mut command = std::process::Command::new("objcopy");
    common::run(command.current_dir(folder).arg(option).arg(executable));
}

/// Puts the debug file below a debug root, as distributions do.
fn install_by_id(split: &Split) -> PathBuf {
    let root = split.folder.path().join("root");
    let id = build_id(&split.executable);
    let (first, rest) = id.split_at(2);
    install(&split.debug, &root.join(format!(".build-id/{first}/{rest}.debug")));
    root
}

fn location(traced: &TracedRun, root: &Path, function: &str) -> CodeLocation {
    let modules = Modules::from_text(&traced.modules);
    let mut symbolizer = Symbolizer::new(modules).with_debug_roots([root.to_owned()]);
    symbolizer.code(traced.mark(function).address, CodeKind::ReturnAddress).clone()
}

#[test]
fn a_stripped_program_has_module_offset_and_build_id() {
    let Split { folder: _folder, executable, .. } = split("-g -O2");
    let traced = trace(&executable, &[]);
    let location = traced.location("outer");
    let module = location.module.as_ref().unwrap();
    assert!(location.frames.is_empty() && location.symbol.is_none(), "{location:?}");
    assert_eq!(module.build_id.to_string(), build_id(&executable));
    assert_eq!(location.label(), format!("marks+{:#x}", module.address.unwrap()));
    assert_eq!(traced.symbolizer().data_symbol(traced.data[0].0), None);
}

#[test]
fn exported_symbols_survive_stripping() {
    let Split { folder: _folder, executable, .. } = split("-g -O2 -rdynamic");
    let traced = trace(&executable, &[]);
    assert_eq!(traced.location("outer").symbol.as_deref(), Some("outer"));
    assert!(traced.location("outer").label().ends_with(" (outer)"));
    assert_eq!(traced.symbolizer().data_symbol(traced.data[0].0).as_deref(), Some("table"));
}

#[test]
fn the_symbol_table_serves_where_there_are_no_lines() {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("marks");
    compile("gcc", "-O2", "marks.c", &executable);
    let location = trace(&executable, &[]).location("inlined");
    assert_eq!((location.frames.len(), location.symbol.as_deref()), (0, Some("outer")));
}

#[test]
fn a_debug_file_beside_the_program() {
    for (build_ids, folder) in
        [("sha1", ""), ("sha1", ".debug/"), ("none", ""), ("none", ".debug/")]
    {
        let split = split(&format!("-g -O2 -Wl,--build-id={build_ids}"));
        let debug = split.folder.path().join(format!("{folder}marks.debug"));
        install(&split.debug, &debug);
        link(&split.executable, &debug);
        let traced = trace(&split.executable, &[]);
        assert_all_marks(&traced);
        assert_eq!(traced.symbolizer().data_symbol(traced.data[0].0).as_deref(), Some("table"));
    }
}

#[test]
fn a_debug_file_that_belongs_to_another_build_is_refused() {
    for build_ids in ["sha1", "none"] {
        let split = split(&format!("-g -O2 -Wl,--build-id={build_ids}"));
        let debug = split.folder.path().join("marks.debug");
        install(&split.debug, &debug);
        link(&split.executable, &debug);
        let flags = format!("-g -O0 -Wl,--build-id={build_ids}");
        compile("gcc", &flags, "marks.c", &debug);
        assert!(trace(&split.executable, &[]).location("outer").frames.is_empty());
    }
}

#[test]
fn a_debug_file_by_build_id() {
    let split = split("-g -O2");
    let root = install_by_id(&split);
    let traced = trace(&split.executable, &[]);
    let line = traced.mark("inlined").line;
    assert_eq!(location(&traced, &root, "inlined").label(), format!("marks.c:{line} (inlined)"));
}

#[test]
fn a_debug_file_below_the_root_by_link() {
    let split = split("-g -O2 -Wl,--build-id=none");
    let root = split.folder.path().join("root");
    let home = split.folder.path().canonicalize().unwrap();
    let debug = root.join(home.strip_prefix("/").unwrap()).join("marks.debug");
    install(&split.debug, &debug);
    link(&split.executable, &debug);
    let traced = trace(&split.executable, &[]);
    assert_eq!(location(&traced, &root, "inlined").frames.len(), 2);
}

#[test]
fn the_debug_file_alone_serves_a_deleted_program() {
    for flags in ["-g -O2", "-g -O2 -no-pie", "-g -O2 -Wl,-z,noseparate-code"] {
        let split = split(flags);
        let root = install_by_id(&split);
        let traced = trace(&split.executable, &[]);
        std::fs::remove_file(&split.executable).unwrap();
        let line = traced.mark("outer").line;
        assert_eq!(location(&traced, &root, "outer").label(), format!("marks.c:{line} (outer)"));
    }
}
