//! Functions of libgomp that the library replaces: every function of libgomp is recorded or listed as not recorded, and one
//! that libgomp lacks is reported as missing as it is without the library.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::recorded::Recorded;
use ompttrace_tests::traced::Scratch;
use ompttrace_tests::{build, process, soundness};

/// A scope with task reductions, teams inside a target, an error directive.
#[test]
fn newer_entry_points_are_reported() -> Result<()> {
    let program = super::of_this_test("newer_entries")?;
    let (ended, scratch) = super::run(&program, &[])?;
    ensure!(ended.last_line() == program.last_line(), "{ended:?}");
    let run = scratch.only_run()?;
    let recorded = Recorded::read(&run)?;
    let of = |event: u16, kind| {
        let found = recorded.by_kind.get(&(event, kind)).copied().unwrap_or_default();
        [found.none, found.begin, found.end]
    };
    ensure!(of(20, 8) == [0, 4, 4], "a scope for each of 4 threads: {recorded:?}");
    ensure!(of(23, 8) == [0, 4, 4], "the barrier of its reductions: {recorded:?}");
    // The region, and the league, whose three initial tasks stand beside the first thread's.
    ensure!(recorded.event(3).none == 2 && recorded.event(4).none == 2, "{recorded:?}");
    ensure!(recorded.event(7).begin == 4 + 3 + 1, "{recorded:?}");
    ensure!(of(33, 1) == [0, 2, 2], "two targets: {recorded:?}");
    ensure!(of(37, 1) == [1, 0, 0], "a warning: {recorded:?}");
    let faults = soundness::faults(&mut Judged::open(&run)?)?;
    ensure!(faults.is_empty(), "{faults}");
    Ok(())
}

/// Names in a page's lines that begin with four spaces.
fn listed(page: &str) -> BTreeSet<String> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("    "));
    lines.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

/// Functions of OpenMP that a library defines for others; those of OpenACC and of plugins are not.
fn functions(library: &Path) -> Result<BTreeSet<String>> {
    let output =
        build::run(Command::new("nm").args(["-D", "--defined-only"]).arg(library), "binutils")?;
    let output = String::from_utf8_lossy(&output).into_owned();
    let names = output.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (kind, name) = (words.next()?, words.next()?);
        let name = name.split('@').next()?;
        let is_ours = name.starts_with("GOMP_") && !name.starts_with("GOMP_PLUGIN_");
        (kind == "T" && (is_ours || name.starts_with("omp_"))).then(|| name.to_owned())
    });
    Ok(names.collect())
}

/// The installed libgomp.
fn libgomp() -> Result<std::path::PathBuf> {
    let mut gcc = Command::new("gcc");
    let output = build::run(gcc.arg("-print-file-name=libgomp.so.1"), "gcc")?;
    Ok(fs::canonicalize(String::from_utf8(output)?.trim())?)
}

/// A GCC that brings new functions is noticed here.
#[test]
fn every_function_of_libgomp_is_reported_or_listed() -> Result<()> {
    let reported = functions(&Product::find()?.gomp)?;
    let page = fs::read_to_string(build::root().join("runtime/gomp/README.md"))?;
    let unreported = listed(&page);
    let both: Vec<_> = reported.intersection(&unreported).collect();
    ensure!(both.is_empty(), "recorded, and listed as unrecorded: {both:?}");
    let kept = fs::read_to_string(super::source("functions.txt"))?;
    let newest: BTreeSet<_> = kept.split_whitespace().map(str::to_owned).collect();
    for (functions, whose) in [(functions(&libgomp()?)?, "installed"), (newest, "kept")] {
        ensure!(functions.len() > 200, "{whose}: {functions:?}");
        // A Fortran form is passed on like its C form.
        let base = |name: &str| name.trim_end_matches('_').trim_end_matches("_8").to_owned();
        let missing: Vec<_> = functions
            .iter()
            .filter(|name| !reported.contains(*name) && !unreported.contains(&base(name)))
            .collect();
        ensure!(missing.is_empty(), "{whose} libgomp: neither recorded nor listed: {missing:?}");
    }
    Ok(())
}

/// The loader's line and code, as if we were not there.
#[test]
fn a_function_that_libgomp_lacks_is_missed_as_without_us() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (program, library) = (folder.path().join("program"), folder.path().join("library.so"));
    let build = |name: &Path, arguments: &[&str]| {
        let mut gcc = Command::new("gcc");
        gcc.args(["-g", "-O1"]).args(arguments).arg("-o").arg(name).arg(super::source("lacking.c"));
        build::run(gcc.arg(format!("-L{}", folder.path().display())).arg("-ldl"), "gcc").map(drop)
    };
    let stub = folder.path().join("libgomp.so.1");
    build(&stub, &["-shared", "-fPIC", "-DLIBGOMP", "-Wl,-soname,libgomp.so.1"])?;
    let lazily = ["-shared", "-fPIC", "-DLIBRARY", "-Wl,-z,lazy"];
    build(&library, &lazily)?;
    build(&program, &["-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-l:libgomp.so.1"])?;
    let alone = process::run(Command::new(&program).arg(&library), super::LIMIT)?;
    let scratch = Scratch::new()?;
    let mut command = super::command(&scratch, &program)?;
    let traced = process::run(command.arg(&library), super::LIMIT)?;
    ensure!(alone.stderr.contains("undefined symbol: GOMP_taskwait"), "{alone:?}");
    ensure!(traced.stderr == alone.stderr, "{traced:?}, alone {alone:?}");
    ensure!(traced.stdout == alone.stdout, "{traced:?}, alone {alone:?}");
    ensure!(traced.status == alone.status, "{traced:?}, alone {alone:?}");
    let info = Product::find()?.info(&scratch.only_run()?).context("its region is recorded")?;
    ensure!(number(&info, "/callbacks/parallel_begin/recorded")? == 1);
    Ok(())
}
