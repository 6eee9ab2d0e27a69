//! Phases that a program marks: recorded by each way to the tool, and shown by every writer.

mod shown;
mod tools;
mod ways;

use anyhow::{Context, Result, ensure};
use ompttrace_model::Mark;
use ompttrace_recording::Recording;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};
use ompttrace_tests::{build, exactness, process, runtimes};
use ompttrace_timeline::testing::{Checker, SeenPhase};
use std::path::Path;

const OBSERVED: Mark = Mark::Observed;
const CUT: Mark = Mark::Cut;

/// Name, iteration, depth, and the certainties of begin and end.
type Phase = (&'static str, Option<u64>, usize, Mark, Mark);

const EXCHANGE: &str = "exchange of the borders of all blocks";

/// The program in C or C++, with our header.
fn program(source: &str, standard: &str, mode: &str) -> Result<Program> {
    let mut program = programs::of_test(&format!("tests/phases/{source}"))?;
    program.binary = format!("phases/{source}");
    let include = build::root().join("tracer/tool/include");
    let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", standard];
    let flags = &mut program.directives.flags;
    flags.push(format!("-I{}", include.display()));
    flags.extend(strict.map(str::to_owned));
    program.directives.args = vec![mode.to_owned()];
    program.inputs = vec![include.join("ompttrace.h")];
    Ok(program)
}

fn in_c(mode: &str) -> Result<Program> {
    program("marks.c", "-std=gnu99", mode)
}

/// Runs the program, on libgomp where the tool stands in front of that.
fn run(mode: &str, by: By) -> Result<Traced> {
    match by {
        By::Gomp => traced::run_as_linked(&in_c(mode)?.by_gcc(), by, &[RECORD_ONLY]),
        _ => traced::run(&in_c(mode)?, &runtimes::libomp_19()?, by, &[RECORD_ONLY]),
    }
}

/// The phases of a run folder, those of each thread in the order of their begins.
fn seen(run: &Path) -> Result<Vec<SeenPhase>> {
    let recording = Recording::open(run)?;
    let (timeline, _) = ompttrace_timeline::run(&recording, Checker::default())
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    let mut phases = timeline.phases;
    phases.sort_by_key(|phase| (phase.thread, phase.begin, phase.depth));
    Ok(phases)
}

fn check(traced: &Traced, wanted: &[Phase]) -> Result<()> {
    let phases = seen(&traced.scratch.only_run()?)?;
    let shown = |phase: &SeenPhase| {
        let SeenPhase { iteration, depth, begin_mark, end_mark, .. } = *phase;
        (phase.name.clone(), iteration, depth, begin_mark, end_mark)
    };
    let shown: Vec<_> = phases.iter().map(shown).collect();
    let wanted: Vec<_> = wanted.iter().map(|w| (w.0.to_owned(), w.1, w.2, w.3, w.4)).collect();
    ensure!(shown == wanted, "{shown:#?}\n instead of {wanted:#?}");
    Ok(())
}

/// An execution that was observed from begin to end.
const fn whole(name: &'static str, depth: usize) -> Phase {
    (name, None, depth, OBSERVED, OBSERVED)
}

fn of_solve() -> Vec<Phase> {
    let step = |step| [("solve, iteration", Some(step), 1, OBSERVED, OBSERVED), whole(EXCHANGE, 2)];
    std::iter::once(whole("solve", 0)).chain((0..3).flat_map(step)).collect()
}

fn after_solve() -> [Phase; 3] {
    let team = whole("in a team", 0);
    [team, ("iteration", Some(7), 0, OBSERVED, Mark::Inferred), team]
}

#[test]
fn a_tool_that_is_there_from_the_start_records_all_of_them() -> Result<()> {
    for by in [By::Preload, By::Runtime, By::Gomp] {
        let traced = run("nested", by)?;
        ensure!(traced.run.last_line() == "ok marks", "{:?}", traced.run);
        check(&traced, &[of_solve(), after_solve().to_vec()].concat())
            .with_context(|| format!("{by:?}"))?;
    }
    Ok(())
}

/// A runtime loads the tool with the first construct, or not at all.
#[test]
fn a_phase_before_any_construct_loads_the_tool_that_the_variable_names() -> Result<()> {
    for by in [By::Preload, By::Runtime, By::Gomp] {
        check(&run("first", by)?, &[whole("before any construct", 0)])
            .with_context(|| format!("{by:?}"))?;
    }
    let off = [RECORD_ONLY, ("OMP_TOOL", "disabled")];
    let traced = traced::run(&in_c("first")?, &runtimes::libomp_19()?, By::Runtime, &off)?;
    ensure!(traced.scratch.runs()?.is_empty(), "recorded where tools are switched off");
    Ok(())
}

/// The library comes while the program runs: it is found by the next call.
#[test]
fn a_tool_that_comes_later_records_them_from_then_on() -> Result<()> {
    let library = Product::find()?.library;
    let library = library.to_str().context("text")?;
    let settings = [RECORD_ONLY, ("LATE_TOOL", library)];
    let traced = traced::run(&in_c("late")?, &runtimes::libomp_19()?, By::Linked, &settings)?;
    check(&traced, &[whole("after", 0)])
}

#[test]
fn a_pause_cuts_them_and_they_go_on_with_the_recording() -> Result<()> {
    for by in [By::Preload, By::Gomp] {
        let traced = run("paused", by)?;
        check(
            &traced,
            &[
                ("through it", None, 0, OBSERVED, CUT),
                ("ends in it", None, 1, OBSERVED, CUT),
                ("through it", None, 0, CUT, OBSERVED),
                ("begins in it", None, 1, CUT, OBSERVED),
            ],
        )
        .with_context(|| format!("{by:?}"))?;
        // It ends with the pause, and begins again after it.
        let phases = seen(&traced.scratch.only_run()?)?;
        ensure!(phases[0].end < phases[2].begin, "{by:?}: {phases:#?}");
    }
    Ok(())
}

#[test]
fn those_that_are_too_deep_are_left_out_and_one_needs_no_name() -> Result<()> {
    let deep =
        (0..16).map(|depth| whole("deeper", depth)).chain([whole("phase without a name", 0)]);
    check(&run("deep", By::Preload)?, &deep.collect::<Vec<_>>())
}

#[test]
fn a_kill_leaves_them_open() -> Result<()> {
    for by in [By::Preload, By::Gomp] {
        let traced = run("killed", by)?;
        let open = |name, iteration, depth| (name, iteration, depth, OBSERVED, CUT);
        check(
            &traced,
            &[
                open("outer", None, 0),
                open("inner", None, 1),
                ("inner, iteration", Some(41), 2, OBSERVED, OBSERVED),
                open("inner, iteration", Some(42), 2),
            ],
        )
        .with_context(|| format!("{by:?}"))?;
    }
    Ok(())
}

#[test]
fn a_program_that_is_not_traced_runs_as_without_them() -> Result<()> {
    for program in [in_c("nested")?, program("marks.cpp", "-std=c++11", "nested")?] {
        let mut command = program.command(&runtimes::libomp_19()?)?;
        let run = process::run(&mut command, program.directives.timeout)?;
        let said = exactness::ending(&program, &run)?;
        ensure!(said.is_empty() && run.stderr.is_empty(), "{said}{}", run.stderr);
    }
    Ok(())
}

#[test]
fn the_fortran_module_marks_them() -> Result<()> {
    let mut program = programs::of_test("tests/phases/marks.f90")?;
    program.before.push(build::root().join("tracer/tool/include/ompttrace.f90"));
    let wanted = [
        whole("first", 0),
        whole("solve", 0),
        ("solve, iteration", Some(1), 1, OBSERVED, OBSERVED),
        ("solve, iteration", Some(2), 1, OBSERVED, OBSERVED),
        ("solve, iteration", Some(3_000_000_000), 1, OBSERVED, OBSERVED),
    ];
    // The runtime loads the tool; libgomp has it in front of it.
    check(&traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?, &wanted)?;
    check(&traced::run_as_linked(&program, By::Gomp, &[RECORD_ONLY])?, &wanted)?;
    let mut command = program.command(&runtimes::libomp_19()?)?;
    let run = process::run(&mut command, program.directives.timeout)?;
    ensure!(run.last_line() == "ok marks" && run.stderr.is_empty(), "{run:?}");
    Ok(())
}
