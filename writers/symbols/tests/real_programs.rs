//! Programs that print their own lines: the symbolizer must find these for every way of linking and loading.

mod common;

use std::path::{Path, PathBuf};

use common::{TracedRun, assert_all_marks, compile, tool, trace};
use ompttrace_symbols::CodeKind;
use tempfile::TempDir;

fn built(compiler: &str, flags: &str) -> (TempDir, TracedRun) {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("marks");
    compile(compiler, flags, "marks.c", &executable);
    let traced = trace(&executable, &[]);
    (folder, traced)
}

#[test]
fn c_of_both_compilers_at_every_address() {
    for compiler in ["gcc", "clang-19"] {
        for level in ["-O0", "-O2"] {
            for link in ["-fPIE -pie", "-fno-pie -no-pie"] {
                let (_folder, traced) = built(compiler, &format!("-g {level} {link}"));
                assert_all_marks(&traced);
            }
        }
    }
}

#[test]
fn inlined_frames_come_innermost_first() {
    for compiler in ["gcc", "clang-19"] {
        let (_folder, traced) = built(compiler, "-g -O2");
        let location = traced.location("inlined");
        let functions: Vec<_> = location.frames.iter().map(|f| f.function.as_deref()).collect();
        assert_eq!(functions, [Some("inlined"), Some("outer")]);
        let caller = traced.mark("outer").line - 1;
        assert_eq!(location.frames[1].line, Some(caller));
        assert_eq!(location.label(), format!("marks.c:{} (inlined)", traced.mark("inlined").line));
    }
}

#[test]
fn cpp_names_are_demangled_without_parameters() {
    for compiler in ["g++ -x c++", "clang++-19 -x c++"] {
        let (compiler, language) = compiler.split_once(' ').unwrap();
        let (_folder, traced) = built(compiler, &format!("{language} -g -O2"));
        assert_all_marks(&traced);
        assert_eq!(traced.location("outer").user_function().as_deref(), Some("heat::outer"));
        let relax = traced.location("relax").user_function();
        assert_eq!(relax.as_deref(), Some("heat::Field<double>::relax"));
        let raw = traced.location("outer").frames[0].raw.clone();
        assert_eq!(raw.as_deref(), Some("_ZN4heat5outerEi"));
        assert_eq!(
            traced.symbolizer().data_symbol(traced.data[0].0).as_deref(),
            Some("heat::table")
        );
    }
}

#[test]
fn entry_points_are_looked_up_where_they_are() {
    let (_folder, traced) = built("gcc", "-g -O2");
    let (address, name) = &traced.functions[0];
    let mut symbolizer = traced.symbolizer();
    let location = symbolizer.code(*address, CodeKind::Function);
    assert_eq!(location.frames.last().unwrap().function.as_deref(), Some(name.as_str()));
    // A byte before it is another function, or none.
    let before = symbolizer.code(*address, CodeKind::ReturnAddress);
    assert_ne!(before.user_function().as_deref(), Some(name.as_str()));
}

#[test]
fn variables_are_found_by_address() {
    for flags in ["-fPIE -pie", "-fno-pie -no-pie"] {
        let (_folder, traced) = built("gcc", flags);
        let mut symbolizer = traced.symbolizer();
        for (address, name) in &traced.data {
            assert_eq!(symbolizer.data_symbol(*address).as_deref(), Some(name.as_str()));
        }
        assert_eq!(symbolizer.data_symbol(0x10), None);
        assert_eq!(symbolizer.data_symbol(u64::MAX), None);
    }
}

#[test]
fn a_library_opened_at_run_time() {
    let folder = tempfile::tempdir().unwrap();
    let (executable, plugin) = (folder.path().join("marks"), folder.path().join("plugin.so"));
    compile("gcc", "-g -O2", "marks.c", &executable);
    for compiler in ["gcc", "clang-19"] {
        compile(compiler, "-g -O2 -fPIC -shared", "plugin.c", &plugin);
        let traced = trace(&executable, &[&plugin]);
        assert_all_marks(&traced);
        let location = traced.location("inner");
        assert_eq!(location.module.unwrap().path, plugin);
    }
}

#[test]
fn paths_with_spaces_and_odd_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    for name in [&b"my program"[..], b"gr\xfcn", b"a (deleted)", b"line\nfeed"] {
        let executable = folder.path().join(std::ffi::OsStr::from_bytes(name));
        compile("gcc", "-g -O2", "marks.c", &executable);
        assert_all_marks(&trace(&executable, &[]));
    }
}

#[test]
fn compressed_debug_sections() {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("marks");
    for format in ["zlib-gnu", "zlib-gabi", "zstd"] {
        compile("gcc", "-g -O2", "marks.c", &executable);
        tool("objcopy", &[&format!("--compress-debug-sections={format}"), &executable]);
        let headers = tool("readelf", &[&"-SW", &executable]);
        let headers = String::from_utf8_lossy(&headers);
        let line = headers.lines().find(|line| line.contains("debug_info")).unwrap();
        assert!(line.contains(" C ") || line.contains(".zdebug"), "not compressed: {line}");
        assert_all_marks(&trace(&executable, &[]));
    }
}

#[test]
fn older_and_newer_dwarf() {
    for version in [2, 3, 4, 5] {
        let (_folder, traced) = built("gcc", &format!("-gdwarf-{version} -O2"));
        assert_all_marks(&traced);
        let (_folder, traced) = built("clang-19", &format!("-gdwarf-{version} -O2"));
        assert_all_marks(&traced);
    }
}

#[test]
fn split_dwarf_beside_the_object() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        for compiler in ["gcc", "clang-19"] {
            let folder = tempfile::tempdir().unwrap();
            let executable = split(compiler, version, folder.path());
            assert_all_marks(&trace(&executable, &[]));
            assert_eq!(trace(&executable, &[]).location("inlined").frames.len(), 2);
            std::fs::remove_file(folder.path().join("marks.dwo")).unwrap();
            assert_lines_only(&trace(&executable, &[]));
        }
    }
}

#[test]
fn split_dwarf_in_a_package() {
    // The dwp of binutils 2.40 cannot read version 5.
    let folder = tempfile::tempdir().unwrap();
    let executable = split("gcc", "-gdwarf-4", folder.path());
    let package = folder.path().join("marks.dwp");
    tool("dwp", &[&"-e", &executable, &"-o", &package]);
    std::fs::remove_file(folder.path().join("marks.dwo")).unwrap();
    assert_eq!(trace(&executable, &[]).location("inlined").frames.len(), 2);
    std::fs::remove_file(&package).unwrap();
    assert_lines_only(&trace(&executable, &[]));
}

fn split(compiler: &str, version: &str, folder: &Path) -> PathBuf {
    let (executable, object) = (folder.join("marks"), folder.join("marks.o"));
    compile(compiler, &format!("{version} -O2 -gsplit-dwarf -c"), "marks.c", &object);
    assert!(folder.join("marks.dwo").exists());
    tool(compiler, &[&object, &"-o", &executable, &"-ldl"]);
    executable
}

/// Checks that lines are found in the executable, but no inlined functions, which are in the other file.
fn assert_lines_only(traced: &TracedRun) {
    let location = traced.location("inlined");
    assert_eq!(location.frames.len(), 1);
    assert_eq!(location.located().unwrap().line, Some(traced.mark("inlined").line));
    assert_eq!(location.user_function().as_deref(), Some("outer"));
}
