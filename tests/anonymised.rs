//! Anonymised copies of recordings: no text of the user's is in one, and every command says the same of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::folder;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use ompttrace_tests::{build, runtimes};
use serde_json::Value;

/// Fields that a copy lacks, or that a packed recording has.
const OTHERS: [&str; 3] = ["packed", "started_by", "argument_bytes"];
const VALUE: &str = "hush-hush";
/// Texts that are in no copy.
const PRIVATE: [&str; 5] =
    ["private_simulation", "test-programs", "tests/anonymised", "customer", VALUE];
/// Names that the program gives: in records, and in the program's file.
const RECORDED_NAMES: [&str; 2] = ["spin up of the turbine", "turbine io"];
const NAMES: [&str; 3] = ["relax_turbine", "turbine_locks", "total_of_turbine"];

fn program() -> Result<Program> {
    let mut program = programs::of_test("tests/anonymised/private_simulation.c")?;
    let include = build::root().join("tracer/tool/include");
    program.directives.flags.push(format!("-I{}", include.display()));
    program.inputs = vec![include.join("ompttrace.h")];
    Ok(program)
}

/// Prints what a command prints.
pub(crate) fn output(arguments: &[&str], run: &Path) -> Result<Vec<u8>> {
    build::run(Command::new(Product::find()?.program).args(arguments).arg(run), "")
}

fn json(arguments: &[&str], run: &Path) -> Result<Value> {
    Ok(serde_json::from_slice(&output(arguments, run)?)?)
}

/// The copy that is made with an option.
pub(crate) fn copied(run: &Path, option: &str, name: &str) -> Result<PathBuf> {
    let copy = run.with_file_name(name);
    let to = copy.to_str().context("a path")?;
    let line = String::from_utf8(output(&["pack", option, "--output", to], run)?)?;
    ensure!(line.lines().count() == 1 && line.contains("replaced: paths"), "{line}");
    Ok(copy)
}

/// Every byte in which a recording can have text: files, and words of records as they follow each other in records of one kind.
pub(crate) fn contents(run: &Path) -> Result<Vec<u8>> {
    let names =
        [folder::FACTS, folder::MODULES, folder::SYMBOLS, folder::PERF_MAP, folder::DEVICE_RECORDS];
    let mut all = Vec::new();
    names.iter().filter_map(|name| fs::read(run.join(name)).ok()).for_each(|file| all.extend(file));
    let recording = ompttrace_packed::open(run)?;
    for position in 0..recording.streams() {
        let mut stream = recording.stream_at(position);
        let mut by_code: Vec<[Vec<u8>; 3]> = vec![Default::default(); 256];
        let add = |code: u8, words: &[u64], to: &mut [[Vec<u8>; 3]]| {
            for (count, to) in to[usize::from(code)].iter_mut().enumerate() {
                let last = words.len().saturating_sub(count + 1);
                words[last..].iter().for_each(|word| to.extend(word.to_le_bytes()));
            }
        };
        while stream.take(|record| add(record.code.0, record.words, &mut by_code)).is_some() {}
        all.extend(by_code.iter().flatten().flatten());
    }
    recording.check()?;
    Ok(all)
}

pub(crate) fn has(contents: &[u8], text: &str) -> bool {
    contents.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Fails unless two values are the same but for their texts.
pub(crate) fn same_figures(one: &Value, other: &Value, at: &str) -> Result<()> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let known = |name: &&String| !OTHERS.contains(&name.as_str());
            ensure!(one.keys().filter(known).eq(other.keys().filter(known)), "{at}: other fields");
            let mut both = one.iter().filter(|(name, _)| known(name));
            both.try_for_each(|(name, value)| {
                same_figures(value, &other[name], &format!("{at}.{name}"))
            })
        }
        (Value::Array(one), Value::Array(other)) => {
            ensure!(one.len() == other.len(), "{at}: {} and {}", one.len(), other.len());
            one.iter().zip(other).try_for_each(|(one, other)| same_figures(one, other, at))
        }
        (Value::String(_), Value::String(_)) => Ok(()),
        (one, other) => {
            ensure!(one == other, "{at}: {one} became {other}");
            Ok(())
        }
    }
}

#[test]
fn a_copy_has_no_private_text_and_the_same_figures() -> Result<()> {
    let settings = [
        RECORD_ONLY,
        ("OMPTTRACE_SAMPLE", "500"),
        ("OMPTTRACE_CALLSTACK", "regions"),
        ("OMP_AFFINITY_FORMAT", VALUE),
    ];
    let traced = traced::run(&program()?, &runtimes::libomp_19()?, By::Preload, &settings)?;
    ensure!(traced.run.last_line() == "ok private_simulation", "{:?}", traced.run);
    let run = traced.scratch.only_run()?;
    let original = contents(&run)?;
    // The source's folder is in the program alone.
    for text in PRIVATE.iter().filter(|text| !text.starts_with("tests/")).chain(&RECORDED_NAMES) {
        ensure!(has(&original, text), "the search does not find {text}");
    }
    let copies = [("--anonymise", "paths"), ("--anonymise=all", "all")]
        .map(|(option, name)| copied(&run, option, name));
    let [paths, all] = copies;
    let (paths, all) = (paths?, all?);
    for copy in [&paths, &all] {
        let found = contents(copy)?;
        for text in PRIVATE {
            ensure!(!has(&found, text), "{text} is in {}", copy.display());
        }
        // A shorter name has fewer records, by which `info` estimates what recording cost.
        let commands: [&[&str]; 2] = [&["report", "--json"], &["info", "--json"]];
        for command in commands.into_iter().take(if copy == &paths { 2 } else { 1 }) {
            same_figures(&json(command, &run)?, &json(command, copy)?, command[0])?;
        }
        output(&["export", "--quiet"], copy)?;
        let trace = fs::read(copy.join("trace.pftrace"))?;
        ensure!(trace.len() > 1000 && !PRIVATE.iter().any(|text| has(&trace, text)), "the trace");
    }
    let [in_paths, in_all] = [contents(&paths)?, contents(&all)?];
    for text in NAMES.iter().chain(&RECORDED_NAMES) {
        ensure!(has(&in_paths, text), "{text} is not in the copy with names");
        ensure!(!has(&in_all, text), "{text} is in the copy without names");
    }
    let lines = String::from_utf8(output(&["report"], &paths)?)?;
    ensure!(lines.contains("source-1.c:") && lines.contains("spin up of the turbine"), "{lines}");
    ensure!(run.join("events.0").exists(), "the recording was packed");
    Ok(())
}
