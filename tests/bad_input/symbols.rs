//! A function and a source file whose names have quotes, marks of a page, a line end, ESC and a byte that
//! is no text: every format has them, sound, and none lets them speak.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::all_formats::AllFormats;
use ompttrace_tests::build;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch, Traced};
use serde_json::Value;

use super::names::harmless;

/// Name of the source file and of its folder.
const NAME: &[u8] = b"a\"'`<b>\x1b[2J\n\xff.c";
/// The name as text, with the invalid byte replaced.
const SHOWN: &str = "a\"'`<b>\u{1b}[2J\n\u{fffd}.c";

fn recorded(sources: &Scratch) -> Result<(Traced, PathBuf)> {
    let mut program = programs::of_test("tests/bad_input/odd_names.c")?;
    let folder = sources.path().join(OsStr::from_bytes(NAME));
    fs::create_dir(&folder)?;
    let odd = folder.join(OsStr::from_bytes(NAME));
    fs::copy(&program.source, &odd)?;
    program.source = odd;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    ensure!(traced.run.ended_by(program.directives.end), "{:?}", traced.run);
    let run = traced.scratch.only_run()?;
    Ok((traced, run))
}

#[test]
fn odd_symbols_and_sources_are_shown_and_harmless() -> Result<()> {
    let sources = Scratch::new()?;
    let (_traced, run) = recorded(&sources)?;
    traces(&run)?;
    words(&run)?;
    page(&run)?;
    let report: Value = serde_json::from_slice(&report(&run, &["--json".as_ref()])?)?;
    ensure!(has_text(&report, &|text| text.contains(SHOWN)), "{report}");
    Ok(())
}

/// The trace processor and OTF2's tools find them sound; each has the source's name.
fn traces(run: &Path) -> Result<()> {
    let all = AllFormats::export(run, &[])?;
    let said = all.sums()? + &all.trace_faults()? + &all.archives(true)?;
    ensure!(said.is_empty(), "{said}");
    let bytes = |name: &str| fs::read(run.join(name)).with_context(|| name.to_owned());
    let has = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|at| at == text.as_bytes());
    ensure!(has(&bytes("trace.pftrace")?, SHOWN));
    let chrome = serde_json::from_slice(&bytes("trace.json")?)?;
    ensure!(has_text(&chrome, &|text| text.contains(SHOWN)));
    ensure!(has(&bytes("trace-otf2/traces.def")?, SHOWN));
    Ok(())
}

fn report(run: &Path, options: &[&OsStr]) -> Result<Vec<u8>> {
    build::run(Command::new(Product::find()?.program).arg("report").args(options).arg(run), "")
}

fn words(run: &Path) -> Result<()> {
    let text = String::from_utf8(report(run, &[])?)?;
    text.lines().try_for_each(harmless)?;
    ensure!(text.contains("a\"'`<b>\\u{1b}[2J\\n\u{fffd}.c:"), "{text}");
    Ok(())
}

fn page(run: &Path) -> Result<()> {
    let file = run.join("page.html");
    report(run, &["--html".as_ref(), file.as_ref()])?;
    let page = fs::read_to_string(file)?;
    page.lines().try_for_each(harmless)?;
    ensure!(!page.contains("<b>\\u{1b}") && !page.contains("<b>["), "{page}");
    ensure!(page.contains("&lt;b&gt;\\u{1b}[2J"), "{page}");
    Ok(())
}

/// Returns true if a text in the JSON value, or the name of a member, satisfies `fits`.
fn has_text(value: &Value, fits: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => fits(text),
        Value::Array(values) => values.iter().any(|value| has_text(value, fits)),
        Value::Object(members) => {
            members.iter().any(|(name, value)| fits(name) || has_text(value, fits))
        }
        _ => false,
    }
}
