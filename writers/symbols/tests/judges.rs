//! addr2line of others is the reference: at every call of a program that uses many constructs, our symbolizer must
//! find the same.

mod common;

use std::path::Path;
use std::process::Command;

use common::{calls, compile, run};
use ompttrace_symbols::{
    CodeKind, CodeLocation, Mapping, Modules, Sources, Symbolizer, user_function,
};

/// Function and `file:line`, innermost first.
type Frames = Vec<(String, String)>;

const LLVM: &str = "llvm-addr2line-19";

/// A symbolizer for an executable linked to fixed addresses, so that addr2line's addresses are those of the process.
fn fixed(executable: &Path) -> Symbolizer {
    let mapping = Mapping {
        start: 0x40_0000,
        end: 0x80_0000,
        file_offset: 0,
        build_id: Default::default(),
        path: executable.to_owned(),
    };
    Symbolizer::new(Modules::from_mappings([mapping]))
}

/// Function and `file:line` of each frame at each call, from an addr2line.
fn judged(judge: &str, executable: &Path, calls: &[(u64, String)]) -> Vec<Frames> {
    let probes: Vec<_> = calls.iter().map(|(address, _)| format!("{:#x}", address - 1)).collect();
    let mut command = Command::new(judge);
    let answer = run(command.args(["-a", "-f", "-i", "-e"]).arg(executable).args(&probes));
    let answer = String::from_utf8(answer).unwrap();
    // Each answer begins with its address, zeros and all.
    let answers: Vec<_> = answer.split("\n0x").map(|one| one.lines().skip(1)).collect();
    assert_eq!(answers.len(), calls.len());
    let frame = |pair: &[&str]| {
        let location = pair[1].split(" (discriminator").next().unwrap();
        (pair[0].to_owned(), location.rsplit('/').next().unwrap().to_owned())
    };
    let frames = |lines: std::iter::Skip<std::str::Lines>| {
        lines.collect::<Vec<_>>().chunks(2).map(frame).collect()
    };
    answers.into_iter().map(frames).collect()
}

fn ours(location: &CodeLocation) -> Frames {
    let frame = |frame: &ompttrace_symbols::CodeFrame| {
        let file = frame.file.as_deref().unwrap_or("??").rsplit('/').next().unwrap();
        let line = frame.line.map_or("?".to_owned(), |line| line.to_string());
        (frame.raw.clone().unwrap_or_default(), format!("{file}:{line}"))
    };
    location.frames.iter().map(frame).collect()
}

/// The parts of frames that can be compared. LLVM takes the outermost name from the symbol table (`fib.part.2` for
/// `fib`), so names are compared as users know them. binutils 2.40 names inlined functions after their callers in C++
/// and misses some in clang's code: only its lines are compared, and there only the innermost.
fn comparable(mut frames: Frames, judge: &str, compiler: &str) -> Frames {
    for (function, _) in &mut frames {
        *function = match judge {
            LLVM => user_function(function).into_owned(),
            _ => String::new(),
        };
    }
    if judge != LLVM && compiler.starts_with("clang") {
        frames.truncate(1);
    }
    frames
}

fn judges() -> Vec<&'static str> {
    let there = Command::new(LLVM).arg("--version").output().is_ok();
    if !there {
        eprintln!("{LLVM} is not installed: binutils' addr2line judges alone");
    }
    ["addr2line"].into_iter().chain(there.then_some(LLVM)).collect()
}

#[test]
fn every_call_is_where_the_judges_say() {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("constructs");
    for compiler in ["gcc", "clang-19", "g++ -x c++", "clang++-19 -x c++"] {
        for level in ["-O0", "-O2"] {
            let (compiler, language) = compiler.split_once(' ').unwrap_or((compiler, ""));
            let flags = format!("{language} -g {level} -fopenmp -no-pie");
            compile(compiler, &flags, "constructs.c", &executable);
            let calls = calls(&executable);
            for judge in judges() {
                let judged = judged(judge, &executable, &calls);
                let compared = compare(judge, compiler, &executable, &calls, judged);
                assert!(compared > 20, "{compiler} {flags}: only {compared} calls");
            }
        }
    }
}

/// Number of calls that were compared: the C library's own start files have no lines.
fn compare(
    judge: &str,
    compiler: &str,
    executable: &Path,
    calls: &[(u64, String)],
    judged: Vec<Frames>,
) -> usize {
    let mut symbolizer = fixed(executable);
    let mut compared = 0;
    for ((address, callee), judged) in calls.iter().zip(judged) {
        let location = symbolizer.code(*address, CodeKind::ReturnAddress);
        if location.frames.is_empty() {
            let line = judged[0].1.rsplit(':').next();
            assert!(matches!(line, Some("?" | "0")), "{judge} {callee}: {judged:?}");
            continue;
        }
        let ours = comparable(ours(location), judge, compiler);
        let theirs = comparable(judged, judge, compiler);
        assert_eq!(ours, theirs, "{judge} {compiler} {address:#x} {callee}");
        compared += 1;
    }
    compared
}

/// The one call of `callee`, or its first.
fn call_of(executable: &Path, callee: &str) -> u64 {
    let calls = calls(executable);
    calls.iter().find(|call| call.1.starts_with(callee)).expect("no such call").0
}

#[test]
fn constructs_are_labelled_with_the_user_function() {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("constructs");
    for level in ["-O0", "-O2"] {
        compile("clang-19", &format!("-g {level} -fopenmp -no-pie"), "constructs.c", &executable);
        let mut symbolizer = fixed(&executable);
        let mut label = |callee| {
            let address = call_of(&executable, callee);
            symbolizer.code(address, CodeKind::ReturnAddress).label()
        };
        assert_eq!(label("__kmpc_critical"), "constructs.c:14 (crit)");
        assert_eq!(label("__kmpc_barrier"), "constructs.c:18 (crit)");
        assert_eq!(label("__kmpc_omp_taskwait"), "constructs.c:41 (fib)");
        assert_eq!(label("__kmpc_dispatch_init_4"), "constructs.c:7 (step)");
    }
}

#[test]
fn critical_sections_are_named_by_their_source_line() {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("constructs");
    for (compiler, named, nameless) in [
        ("gcc", "GOMP_critical_name_start", "GOMP_critical_start"),
        ("clang-19", "__kmpc_critical", "__kmpc_barrier"),
    ] {
        compile(compiler, "-g -O2 -fopenmp -no-pie", "constructs.c", &executable);
        let mut symbolizer = fixed(&executable);
        let mut sources = Sources::default();
        let mut name = |callee| {
            let address = call_of(&executable, callee);
            let location = symbolizer.code(address, CodeKind::ReturnAddress);
            sources.critical_name(location).map(str::to_owned)
        };
        assert_eq!(name(named).as_deref(), Some("update"));
        assert_eq!(name(nameless), None);
    }
}
