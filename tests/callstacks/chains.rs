//! The contexts are those that the program says, on each runtime, as often as it says them.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::contexts;
pub use ompttrace_tests::contexts::CONTEXTS;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};
use ompttrace_tests::{build, soundness};

pub fn program(file: &str) -> Result<Program> {
    let mut program = programs::of_test(&format!("tests/callstacks/{file}"))?;
    program.inputs.push(build::root().join("tests/callstacks/chain.h"));
    if file == "chains.c" {
        let library = library()?;
        program.directives.flags.push(library.to_string_lossy().into_owned());
        program.inputs.push(library);
    }
    Ok(program)
}

/// The line of a program's only region.
pub fn line_of_region(file: &str) -> Result<usize> {
    let source = fs::read_to_string(program(file)?.source)?;
    let line = source.lines().position(|line| line.contains("#pragma omp parallel"));
    Ok(line.context("a region")? + 1)
}

/// The library without frame pointers.
fn library() -> Result<PathBuf> {
    let source = build::root().join("tests/callstacks/library.c");
    let library = build::target_dir().join("test-programs/libcallstacks.so");
    if !build::is_current(&library, std::slice::from_ref(&source)) {
        build::make_in_place(&library, |draft| {
            let mut command = Command::new("clang-19");
            command.args(["-O2", "-g", "-fomit-frame-pointer", "-fPIC", "-shared"]);
            command.arg(&source).arg("-o").arg(draft);
            build::run(&mut command, "clang-19").map(drop)
        })?;
    }
    Ok(library)
}

/// Calling contexts that the program prints, with the names of marks (`@name`) replaced by their source lines.
pub fn said(program: &Program, traced: &Traced) -> Result<Vec<String>> {
    let source = fs::read_to_string(&program.source)?;
    let file = program.source.file_name().context("a file")?.to_string_lossy().into_owned();
    let mut said = contexts::said(&traced.run.stdout);
    for (number, line) in (1..).zip(source.lines()) {
        let mark = line.split_once("! @").map(|(_, mark)| mark.trim());
        if let Some(mark) = mark.filter(|mark| !mark.contains(' ')) {
            for text in &mut said {
                let shown = format!("{file}:{number}");
                let words = text.split(' ').map(|word| match word.strip_prefix('@') {
                    Some(name) if name == mark => shown.as_str(),
                    _ => word,
                });
                *text = words.collect::<Vec<_>>().join(" ");
            }
        }
    }
    said.sort();
    ensure!(!said.is_empty(), "the program says nothing: {}", traced.run.stderr);
    Ok(said)
}

pub const SETTINGS: [(&str, &str); 2] = [RECORD_ONLY, ("OMPTTRACE_CALLSTACK", "regions")];

fn check(program: &Program, traced: &Traced) -> Result<()> {
    ensure!(traced.run.last_line() == program.last_line(), "{:?}", traced.run);
    let expected = said(program, traced)?;
    let mut judged = Judged::open(&traced.scratch.only_run()?)?;
    let faults = soundness::faults(&mut judged)?;
    ensure!(faults.is_empty(), "{faults}");
    let mut found = judged.lines(CONTEXTS)?;
    let compiler = program.directives.compiler.as_deref();
    if compiler.is_some_and(|compiler| compiler.starts_with("flang")) {
        found = found.iter().map(|context| without_addresses(context)).collect();
    }
    contexts::compare(&expected, &found)
}

/// A context whose constructs stand at no line.
fn without_addresses(context: &str) -> String {
    context.split(' ').filter(|word| !word.contains("+0x")).collect::<Vec<_>>().join(" ")
}

fn on_all(file: &str) -> Result<()> {
    let intel = if cfg!(target_arch = "x86_64") { &["intel-2026"][..] } else { &[] };
    for name in ["libomp-19"].iter().chain(intel) {
        let program = program(file)?;
        let traced = traced::run(&program, &runtimes::by_name(name)?, By::Runtime, &SETTINGS)?;
        check(&program, &traced).with_context(|| format!("{file} on {name}"))?;
    }
    Ok(())
}

/// Checks the contexts of the program built by GCC on libgomp: none of its frames may be of the tool or of libgomp.
fn on_libgomp(file: &str) -> Result<()> {
    let program = program(file)?.by_gcc();
    check(&program, &traced::run_as_linked(&program, By::Gomp, &SETTINGS)?)
}

#[test]
fn of_c() -> Result<()> {
    on_all("chains.c")
}

#[test]
fn of_cpp() -> Result<()> {
    on_all("chains_cpp.cpp")
}

#[test]
fn of_fortran() -> Result<()> {
    on_all("chains_f.f90")
}

#[test]
fn of_c_on_libgomp() -> Result<()> {
    on_libgomp("chains.c")
}

#[test]
fn of_cpp_on_libgomp() -> Result<()> {
    on_libgomp("chains_cpp.cpp")
}

#[test]
fn of_fortran_on_libgomp() -> Result<()> {
    on_libgomp("chains_f.f90")
}

#[test]
fn of_fortran_by_flang() -> Result<()> {
    on_all("chains_flang.f90")
}
