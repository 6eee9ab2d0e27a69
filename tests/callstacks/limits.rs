//! Limits of call stacks: the depth of a stack, buffers that keep only the newest records, and recording off by default.

use anyhow::{Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};

use super::chains::{CONTEXTS, line_of_region, program};

fn record(file: &str, settings: &[(&str, &str)]) -> Result<Traced> {
    let all: Vec<_> = [RECORD_ONLY].iter().chain(settings).copied().collect();
    traced::run(&program(file)?, &runtimes::libomp_19()?, By::Runtime, &all)
}

fn said_by_info(traced: &Traced, field: &str) -> Result<u64> {
    let info = Product::find()?.info(&traced.scratch.only_run()?)?;
    number(&info, &format!("/call_stacks/{field}"))
}

#[test]
fn off_is_the_default_and_records_nothing() -> Result<()> {
    let traced = record("chains_cpp.cpp", &[])?;
    for field in ["contexts", "frames", "cut", "not_found", "not_kept", "took_ns", "longest_ns"] {
        ensure!(said_by_info(&traced, field)? == 0, "{field}");
    }
    let mut judged = Judged::open(&traced.scratch.only_run()?)?;
    ensure!(judged.lines(CONTEXTS)?.iter().all(|context| context == "null"));
    Ok(())
}

#[test]
fn stacks_are_cut_at_the_depth_that_was_asked_for() -> Result<()> {
    let traced = record("many.c", &[("OMPTTRACE_CALLSTACK", "regions:4")])?;
    let (contexts, cut) = (said_by_info(&traced, "contexts")?, said_by_info(&traced, "cut")?);
    // `deeper` calls itself 0 to 19 times: every stack has more than four frames.
    ensure!((contexts, cut) == (600, 600), "{contexts} contexts, {cut} cut");
    // Every one of them took some time, and one of them longest.
    let (took, longest) = (said_by_info(&traced, "took_ns")?, said_by_info(&traced, "longest_ns")?);
    ensure!(longest > 0 && took > longest && took <= 600 * longest, "{took}, {longest}");
    let mut judged = Judged::open(&traced.scratch.only_run()?)?;
    let mut found = judged.lines(CONTEXTS)?;
    found.dedup();
    let region = format!("solve > parallel many.c:{}", line_of_region("many.c")?);
    let expected = [
        format!("(more frames) > deeper > deeper > deeper > {region}"),
        format!("main > deeper > deeper > {region}"),
        format!("main > deeper > {region}"),
    ];
    ensure!(found == expected, "{found:?}");
    Ok(())
}

/// A buffer that keeps the newest records also keeps those older records that describe the frames of their call stacks.
#[test]
fn a_flight_recorder_knows_the_frames_of_what_it_kept() -> Result<()> {
    let settings = [
        ("OMPTTRACE_CALLSTACK", "regions"),
        ("OMPTTRACE_OVERFLOW", "ring"),
        ("OMPTTRACE_BUFFER", "4K"),
    ];
    let traced = record("many.c", &settings)?;
    let mut judged = Judged::open(&traced.scratch.only_run()?)?;
    ensure!(number(&judged.info, "/events/lost")? > 0, "nothing was lost");
    let found = judged.lines(CONTEXTS)?;
    let known: Vec<_> = found.iter().filter(|context| *context != "null").collect();
    // The first of the kept regions may have lost what stood before its begin.
    let whole = |context: &&&String| context.starts_with("main > deeper");
    let whole = known.iter().filter(whole).count();
    ensure!(whole > 10 && whole + 4 >= known.len(), "{whole} of {}: {known:?}", known.len());
    Ok(())
}
