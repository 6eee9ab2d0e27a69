//! Commands of the program to its recording: what omp_control_tool answers, what each command does to
//! the events, that a flush is complete, and every way to give a command.

mod inside;
mod json;
mod outside;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ompttrace_recording::events::{MutexAcquire, MutexAcquired, MutexReleased};
use ompttrace_recording::{Event, Recording};
use ompttrace_tests::oracle::Totals;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::recorded::Recorded;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch, Traced};
use ompttrace_tests::{build, exactness, process, runtimes};

/// Answers of omp_control_tool (OpenMP 5.2, 18.14).
const DONE: i32 = 0;
const IGNORED: i32 = 1;

fn run(program: &Program, by: By) -> Result<Traced> {
    traced::run(program, &runtimes::libomp_19()?, by, &[RECORD_ONLY])
}

fn assert_ended_well(program: &Program, traced: &Traced) -> Result<()> {
    let said = exactness::ending(program, &traced.run)?;
    assert!(said.is_empty(), "{}:\n{said}", program.name);
    Ok(())
}

fn recorded(run: &Path, event: &str) -> Result<u64> {
    number(&Product::find()?.info(run)?, &format!("/callbacks/{event}/recorded"))
}

#[test]
fn answers_are_the_standards_and_pauses_are_silent() -> Result<()> {
    let program = programs::of_test("tests/control/commands.c")?;
    let traced = run(&program, By::Runtime)?;
    assert_ended_well(&program, &traced)?;
    let until_the_end = [2, 2, 1, 1, 3, 64, 99, 5, 0, -1, 2, 3, 1, 4];
    let answers = until_the_end.map(|it| (it, if (1..=4).contains(&it) { DONE } else { IGNORED }));
    let after = [4, 1, 2, 3, 64].map(|command| (command, IGNORED));
    let lines: String =
        answers.iter().chain(&after).map(|(c, a)| format!("{c} gave {a}\n")).collect();
    assert_eq!(traced.run.stdout, format!("{lines}ok commands\n"));

    let folder = traced.scratch.only_run()?;
    // Recorded: the first, and those after each command but pauses and what came until a start.
    for event in ["parallel_begin", "parallel_end"] {
        assert_eq!(recorded(&folder, event)?, 1 + 8 + 1, "{event}");
    }
    // While paused nothing is recorded but the pause itself and the start that ends it.
    let seen = [2, 1, 1, 3, 64, 99, 5, 0, -1, 2, 1, 4];
    let wanted: Vec<_> =
        seen.map(|it| (it, if (1..=4).contains(&it) { DONE } else { IGNORED })).into();
    assert_eq!(commands(&folder)?.callbacks, wanted);
    Ok(())
}

/// Commands of omp_control_tool that a recording has.
#[derive(Debug, Default)]
struct Commands {
    /// Command and recorded result of each `control_tool` event.
    callbacks: Vec<(i32, i32)>,
    /// Command, modifier and origin of each command that took effect.
    effects: Vec<(u64, u64, u64)>,
}

fn commands(run: &Path) -> Result<Commands> {
    let recording = Recording::open(run)?;
    let mut commands = Commands::default();
    let mut stream = recording.stream(0);
    while let Some(event) = stream.take(|record| record.event()) {
        match event {
            Event::ControlTool(it) => {
                commands.callbacks.push((it.command as i32, it.result as i32))
            }
            Event::Control(it) => commands.effects.push((it.command, it.modifier, it.origin)),
            _ => {}
        }
    }
    Ok(commands)
}

#[test]
fn a_flush_brings_all_that_came_before_it_to_the_files() -> Result<()> {
    let mut program = programs::of_test("tests/control/flush_then_kill.c")?;
    for (arguments, with_pool, without) in [(&[][..], 52, 40), (&["no"], 52, 0)] {
        program.directives.args = arguments.iter().map(|text| (*text).to_string()).collect();
        for by in [By::Runtime, By::Preload] {
            let traced = run(&program, by)?;
            assert_ended_well(&program, &traced)?;
            let folder = traced.scratch.only_run()?;
            assert_eq!(recorded(&folder, "mutex_released")?, with_pool, "{arguments:?} {by:?}");
            remove_pool(&folder)?;
            assert_eq!(recorded(&folder, "mutex_released")?, without, "{arguments:?} {by:?}");
        }
    }
    Ok(())
}

#[test]
fn a_flush_is_complete_while_threads_work_on() -> Result<()> {
    let program = programs::of_test("tests/control/flush_while_busy.c")?;
    let traced = run(&program, By::Runtime)?;
    assert_ended_well(&program, &traced)?;
    let flushed = traced.run.stdout.lines().find_map(|line| line.strip_prefix("flushed "));
    let flushed: u64 = flushed.context("the program prints what it flushed")?.parse()?;
    let folder = traced.scratch.only_run()?;
    remove_pool(&folder)?;
    let found = recorded(&folder, "mutex_released")?;
    assert!(flushed >= 20_000 && found >= flushed, "{found} of {flushed}");
    Ok(())
}

/// A flush dumps a ring: of each thread the newest are in the files, and how many earlier ones are not.
#[test]
fn a_flush_brings_a_ring_to_the_files() -> Result<()> {
    let mut program = programs::of_test("tests/control/flush_of_ring.c")?;
    let ring = [RECORD_ONLY, ("OMPTTRACE_OVERFLOW", "ring"), ("OMPTTRACE_BUFFER", "4K")];
    for rounds in [1, 3] {
        program.directives.args = vec![rounds.to_string()];
        let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &ring)?;
        assert_ended_well(&program, &traced)?;
        let folder = traced.scratch.only_run()?;
        let flushed = 2 * rounds * 20;
        assert_ring(&folder, 2 * rounds * 1000, flushed + 60, "with the pool")?;
        remove_pool(&folder)?;
        assert_ring(&folder, 2 * rounds * 1000, flushed, "the files alone")?;
    }
    Ok(())
}

/// The locks, which are the newest, are all there; of so many critical sections some, and the others
/// are counted.
fn assert_ring(run: &Path, critical: u64, locks: u64, when: &str) -> Result<()> {
    const LOCK: u32 = 1;
    const CRITICAL: u32 = 5;
    let (info, recorded) = (Product::find()?.info(run)?, Recorded::read(run)?);
    assert_eq!((recorded.backwards, recorded.unreadable), (0, 0), "{when}");
    for (event, name) in [
        (MutexAcquire::NUMBER, MutexAcquire::NAME),
        (MutexAcquired::NUMBER, MutexAcquired::NAME),
        (MutexReleased::NUMBER, MutexReleased::NAME),
    ] {
        let of_kind = |kind| recorded.by_kind.get(&(event, kind)).map_or(0, Totals::sum);
        let lost = number(&info, &format!("/callbacks/{name}/lost"))?;
        assert_eq!(of_kind(LOCK), locks, "{when}, {name}: {info}");
        assert!(lost > of_kind(CRITICAL) && of_kind(CRITICAL) > 0, "{when}, {name}: {info}");
        assert_eq!(of_kind(CRITICAL) + lost, critical, "{when}, {name}");
    }
    Ok(())
}

fn remove_pool(run: &Path) -> Result<()> {
    let pool = traced::pool_of(run)?.context("a run has a pool")?;
    std::fs::remove_file(&pool).with_context(|| format!("{}", pool.display()))
}

/// Compiles a program with what it takes to find our header, and with more flags and input files.
fn with_header(source: &str, name: &str, flags: &[&str], inputs: &[&Path]) -> Result<Program> {
    let mut program = programs::of_test(source)?;
    program.binary = format!("control/{name}");
    let include = build::root().join("tracer/tool/include");
    let all = &mut program.directives.flags;
    all.push(format!("-I{}", include.display()));
    all.extend(flags.iter().map(|flag| (*flag).to_string()));
    all.extend(inputs.iter().map(|input| input.display().to_string()));
    program.inputs = inputs.iter().map(|input| input.to_path_buf()).collect();
    program.inputs.push(include.join("ompttrace.h"));
    Ok(program)
}

/// The run of a program that pauses, starts, flushes and ends: two of its five regions.
fn assert_two_regions(program: &Program, scratch: &Scratch, origin: u64) -> Result<()> {
    let folder = scratch.only_run().with_context(|| program.binary.clone())?;
    assert_eq!(recorded(&folder, "parallel_begin")?, 2, "{}", program.binary);
    let (given, recorded) = ([2, 1, 3, 4], commands(&folder)?);
    let effects = given.map(|command| (command, 7, origin));
    assert_eq!(recorded.effects, effects, "{}", program.binary);
    // A call of ours leaves the event that a call of the runtime's does.
    let calls = [(2, DONE), (1, DONE), (3, DONE), (77, IGNORED), (4, DONE)];
    assert_eq!(recorded.callbacks, calls, "{}", program.binary);
    Ok(())
}

const OMPT_CONTROL: u64 = 0;
const OMP_CONTROL_TOOL: u64 = 1;

#[test]
fn the_header_finds_its_way_to_the_tool() -> Result<()> {
    let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic"];
    for (source, standard) in [("by_header.c", "-std=c99"), ("by_header.cpp", "-std=c++11")] {
        let flags = [&strict[..], &[standard]].concat();
        let program = with_header(&format!("tests/control/{source}"), source, &flags, &[])?;
        for (by, origin) in [(By::Runtime, OMP_CONTROL_TOOL), (By::Preload, OMPT_CONTROL)] {
            let traced = run(&program, by)?;
            assert_ended_well(&program, &traced)?;
            assert_two_regions(&program, &traced.scratch, origin)?;
        }
        assert_runs_without_tool(&program)?;
    }
    Ok(())
}

fn assert_runs_without_tool(program: &Program) -> Result<()> {
    let mut command = program.command(&runtimes::libomp_19()?)?;
    let run = process::run(&mut command, program.directives.timeout)?;
    let said = exactness::ending(program, &run)?;
    assert!(said.is_empty() && run.stderr.is_empty(), "{said}{}", run.stderr);
    Ok(())
}

/// Flags that link the tool into a program, as in README.md.
fn linked(product: &Product) -> Result<[(&'static str, Vec<String>, PathBuf); 2]> {
    let folder = product.library.parent().context("a file lies in a folder")?.display();
    let rpath = format!("-Wl,--no-as-needed,-rpath,{folder}");
    let shared = vec![rpath];
    let archive = vec!["-Wl,-u,ompt_start_tool".to_string()];
    Ok([("shared", shared, product.library.clone()), ("static", archive, product.archive.clone())])
}

/// A program with the tool linked in needs no environment; its own references to ompt_control too
/// are resolved, and the archive's program finds the exporter on the PATH.
#[test]
fn a_program_with_the_tool_linked_in_traces_itself() -> Result<()> {
    let product = Product::find()?;
    for (form, flags, library) in linked(&product)? {
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        // The header sees the shared library's symbol; the archive's stays inside the program.
        let origin = if form == "shared" { OMPT_CONTROL } else { OMP_CONTROL_TOOL };
        for (source, origin) in [("by_header", origin), ("by_symbol", OMPT_CONTROL)] {
            let name = format!("{source}-{form}");
            let path = format!("tests/control/{source}.c");
            let program = with_header(&path, &name, &flags, &[&library])?;
            let scratch = run_alone(&program, &product)?;
            assert_two_regions(&program, &scratch, origin)?;
            assert!(scratch.only_run()?.join("trace.pftrace").is_file(), "{name}: no trace");
        }
    }
    Ok(())
}

/// Runs a program that brings its own tool, with the exporter on the PATH.
fn run_alone(program: &Program, product: &Product) -> Result<Scratch> {
    let scratch = Scratch::new()?;
    let mut command = program.command(&runtimes::libomp_19()?)?;
    let folder = product.program.parent().context("a file lies in a folder")?;
    runtimes::prepend(&mut command, "PATH", folder);
    command.env("OMPTTRACE_OUTPUT", scratch.path().join("run"));
    let run = process::run(&mut command, program.directives.timeout)?;
    assert_ended_well(program, &Traced { run, scratch: Scratch::new()? })?;
    Ok(scratch)
}

#[test]
fn the_fortran_module_finds_its_way_to_the_tool() -> Result<()> {
    let module = build::root().join("tracer/tool/include/ompttrace.f90");
    let mut program = programs::of_test("tests/control/by_module.f90")?;
    program.before.push(module);
    // flang 16 knows no procedure pointers: gfortran alone.
    for (by, origin) in [(By::Runtime, OMP_CONTROL_TOOL), (By::Preload, OMPT_CONTROL)] {
        let traced = run(&program, by)?;
        assert_ended_well(&program, &traced)?;
        assert_two_regions(&program, &traced.scratch, origin)?;
    }
    assert_runs_without_tool(&program)
}
