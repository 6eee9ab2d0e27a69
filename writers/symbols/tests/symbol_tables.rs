//! Cases of unusual symbols and line tables, and the caching of answers.

mod common;

use std::path::{Path, PathBuf};

use common::{compile, tool, trace};
use ompttrace_symbols::{AsOf, CodeKind, Mapping, Modules, Symbolizer};
use tempfile::TempDir;

/// A program linked to fixed addresses, as if it had run.
fn fixed(compiler: &str, flags: &str, source: &str) -> (TempDir, PathBuf, Symbolizer) {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("program");
    compile(compiler, &format!("{flags} -no-pie"), source, &executable);
    let mapping = Mapping {
        start: 0x40_0000,
        end: 0x80_0000,
        file_offset: 0,
        build_id: Default::default(),
        path: executable.clone(),
    };
    let symbolizer = Symbolizer::new(Modules::from_mappings([mapping]));
    (folder, executable, symbolizer)
}

/// The address of a symbol from binutils.
fn address(executable: &Path, symbol: &str) -> u64 {
    let symbols = String::from_utf8(tool("nm", &[&executable])).unwrap();
    let line = symbols.lines().find(|line| line.ends_with(&format!(" {symbol}"))).unwrap();
    u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap()
}

#[test]
fn symbols_without_a_size_end_at_the_next() {
    let (_folder, executable, mut symbolizer) = fixed("gcc", "", "untyped.s");
    let mut symbol = |address| symbolizer.code(address, CodeKind::Function).symbol.clone();
    let (plain, last) = (address(&executable, "plain"), address(&executable, "last"));
    assert_eq!(symbol(plain).as_deref(), Some("plain"));
    // A local mark is the assembler's: it ends nothing.
    assert_eq!(symbol(address(&executable, "inner_mark")).as_deref(), Some("plain"));
    // Nor does a function continue after the next one.
    assert_eq!(symbol(address(&executable, "behind_hidden")), None);
    assert_eq!(symbol(last).as_deref(), Some("last"));
    assert_eq!(symbol(last + 0x800), None, "behind the section");
    assert_eq!(symbolizer.data_symbol(address(&executable, "sizeless")), None);
}

#[test]
fn code_of_no_line_has_the_nearest_of_its_function() {
    // GCC keeps the line before for such a call.
    let (_folder, executable, mut symbolizer) = fixed("clang-19", "-g -O0", "line_zero.c");
    let calls = common::calls(&executable);
    let calls: Vec<_> = calls.iter().filter(|call| call.1 == "called").collect();
    let [first, second] = calls[..] else { panic!("{calls:?}") };
    let location = symbolizer.code(first.0, CodeKind::ReturnAddress);
    assert_eq!(location.label(), "line_zero.c:5 (main)");
    let location = symbolizer.code(second.0, CodeKind::ReturnAddress);
    assert!(location.located().is_some_and(|frame| frame.is_near));
    assert_eq!(location.label(), "near line_zero.c:5 (main)");
}

#[test]
fn answers_are_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("marks");
    compile("gcc", "-g -O2", "marks.c", &executable);
    let traced = trace(&executable, &[]);
    let mut symbolizer = traced.symbolizer();
    let address = traced.mark("inlined").address;
    let first = symbolizer.code(address, CodeKind::ReturnAddress).frames.as_ptr();
    let name = symbolizer.data_symbol(traced.data[0].0);
    std::fs::remove_file(&executable).unwrap();
    assert_eq!(symbolizer.code(address, CodeKind::ReturnAddress).frames.as_ptr(), first);
    assert_eq!(symbolizer.data_symbol(traced.data[0].0), name);
    // And a module that is open stays so.
    let other = traced.mark("outer").address;
    assert_eq!(symbolizer.code(other, CodeKind::ReturnAddress).frames.len(), 1);
}

#[test]
fn names_of_variables_are_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("marks");
    compile("gcc", "-O2", "marks.c", &executable);
    let traced = trace(&executable, &[]);
    let mut symbolizer = traced.symbolizer();
    let (address, name) = &traced.data[0];
    assert_eq!(symbolizer.data_symbol(*address).as_ref(), Some(name));
    let length = std::fs::metadata(&executable).unwrap().len() as usize;
    std::fs::write(&executable, vec![b'x'; length]).unwrap();
    assert_eq!(symbolizer.data_symbol(*address).as_ref(), Some(name));
}

#[test]
fn a_debug_file_knows_symbols_better_than_what_is_exported() {
    let (folder, executable, mut symbolizer) = fixed("gcc", "-rdynamic", "untyped.s");
    let hidden = address(&executable, "hidden");
    tool("objcopy", &[&"--only-keep-debug", &executable, &folder.path().join("untyped.debug")]);
    tool("strip", &[&executable]);
    let mut link = std::process::Command::new("objcopy");
    let link = link.current_dir(folder.path()).arg("--add-gnu-debuglink=untyped.debug");
    common::run(link.arg(&executable));
    let location = symbolizer.code(hidden, CodeKind::Function);
    assert_eq!(location.symbol.as_deref(), Some("hidden"));
}

#[test]
fn an_address_used_twice_belongs_to_the_module_of_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["old.so", "new.so"].map(|name| folder.path().join(name));
    for path in &paths {
        compile("gcc", "-g -O2 -fPIC -shared", "plugin.c", path);
    }
    let line = |path: &Path| format!("7f0000001000-7f0000002000 1000 - {}\n", path.display());
    let text = format!("@ 1\n{}@ 2\n{}", line(&paths[0]), line(&paths[1]));
    let modules = Modules::from_text(text.as_bytes());
    let (changes, mut as_of) = (modules.changes().to_vec(), AsOf::default());
    let mut symbolizer = Symbolizer::new(modules);
    let entry = 0x7f00_0000_0000 + address(&paths[1], "run_plugin");
    for (path, ticks) in paths.iter().zip(1..) {
        as_of.go_on(&changes, ticks);
        let location = symbolizer.code(as_of.code(entry), CodeKind::Function);
        assert_eq!(location.user_function().as_deref(), Some("run_plugin"));
        assert_eq!(location.module.as_ref().unwrap().path, *path);
    }
}

#[test]
fn a_symbolizer_can_move_to_another_thread() {
    fn movable<T: Send>() {}
    movable::<Symbolizer>();
}
