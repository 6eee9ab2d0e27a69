//! Several OpenMP runtimes in one process, runtimes that come and go with libraries, and threads and
//! teams of all shapes: one recording each, whole.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::Recording;
use ompttrace_tests::extent;
use ompttrace_tests::judged::{Judged, dropped};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{By, Scratch};
use ompttrace_tests::{build, own_counts, process};

const SHAPES: &[&str] =
    &["roots", "short threads", "helpers", "one thread", "no iterations", "deep", "crowd"];

#[test]
fn all_shapes_on_libomp() -> Result<()> {
    shapes(&runtimes::libomp_19()?, SHAPES.iter())
}

#[cfg(target_arch = "x86_64")]
#[test]
fn all_shapes_on_intels_runtime() -> Result<()> {
    shapes(&runtimes::by_name("intel-2026")?, extent::some(SHAPES, 3))
}

fn shapes<'s>(runtime: &Runtime, shapes: impl Iterator<Item = &'s &'s str>) -> Result<()> {
    for shape in shapes {
        for by in [By::Runtime, By::Preload] {
            check("shapes.c", shape, runtime, by, 1)?;
        }
    }
    Ok(())
}

/// Runtimes that would crash if a tool heard of the end of critical sections: it does not, and says so.
#[test]
fn the_thread_that_came_first_ends() -> Result<()> {
    let mut program = programs::of_test("tests/several_runtimes/first_root.c")?;
    program.inputs.push(build::root().join("tests/programs/counted.h"));
    for runtime in runtimes::all()? {
        let scratch = Scratch::new()?;
        let mut command = command(&program, &runtime, &scratch)?;
        scratch.attach(&mut command, By::Runtime)?;
        let traced = process::run(&mut command, program.directives.timeout)?;
        let what = format!("{}: {traced:?}", runtime.name);
        ensure!(traced.ended_by(program.directives.end), "{what}");
        let info = Product::find()?.info(&scratch.only_run()?)?;
        let own = own_counts::read(&scratch, traced.pid)?;
        let counted: u64 = own.values().map(|own| own.done).sum();
        let locked = 2;
        for event in ["mutex_acquire", "mutex_acquired", "mutex_released"] {
            let reported = &info["callbacks"][event];
            let is_left_out =
                reported["registered"].as_str().context("words")?.starts_with("left out");
            let recorded = number(reported, "/recorded")?;
            let wanted = if is_left_out { 0 } else { counted + locked };
            ensure!(recorded == wanted, "{event}: {recorded} of {wanted}, {what}");
            ensure!(!is_left_out || event == "mutex_released", "{event}: {reported}, {what}");
        }
    }
    Ok(())
}

/// libomp is linked to stay when the library that brought it goes.
#[test]
fn libraries_that_come_again() -> Result<()> {
    for by in [By::Runtime, By::Preload] {
        check("plugins.c", "again", &runtimes::libomp_19()?, by, 1)?;
    }
    Ok(())
}

/// A runtime that is unloaded with its library and loaded again with the next is recorded in the same recording.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_runtime_that_comes_again() -> Result<()> {
    for by in [By::Runtime, By::Preload] {
        check("plugins.c", "again", &runtimes::by_name("intel-2026")?, by, 4)?;
    }
    Ok(())
}

#[cfg(target_arch = "x86_64")]
#[test]
fn two_runtimes_at_once() -> Result<()> {
    for by in [By::Runtime, By::Preload] {
        check("plugins.c", "both", &runtimes::libomp_19()?, by, 2)?;
        check("plugins.c", "one leaves", &runtimes::libomp_19()?, by, 2)?;
    }
    Ok(())
}

/// Unless they are told to tolerate each other (KMP_DUPLICATE_LIB_OK), the second one ends the program, with and
/// without us.
#[cfg(target_arch = "x86_64")]
#[test]
fn two_runtimes_that_do_not_bear_each_other() -> Result<()> {
    let mut program = programs::of_test("tests/several_runtimes/plugins.c")?;
    program.directives.args = vec!["both".to_string()];
    let (runtime, limit) = (runtimes::libomp_19()?, program.directives.timeout);
    let run = |by: Option<By>| -> Result<_> {
        let scratch = Scratch::new()?;
        let mut command = command(&program, &runtime, &scratch)?;
        by.map_or(Ok(()), |by| scratch.attach(&mut command, by))?;
        let run = process::run(command.env_remove("KMP_DUPLICATE_LIB_OK"), limit)?;
        Ok((run.status, run.stdout, run.stderr.contains("OMP: Error #15")))
    };
    let alone = run(None)?;
    ensure!(alone.2, "{alone:?}");
    for by in [By::Runtime, By::Preload] {
        let traced = run(Some(by))?;
        ensure!(traced == alone, "{by:?}: {traced:?}, alone {alone:?}");
    }
    Ok(())
}

/// LLVM's own threads, beside the program's, run what a target leaves to the host; Intel's do not.
#[test]
fn hidden_helper_threads() -> Result<()> {
    for by in [By::Runtime, By::Preload] {
        let threads = check("shapes.c", "helpers", &runtimes::libomp_19()?, by, 1)?;
        ensure!(threads.len() > 2, "{threads:?}");
    }
    Ok(())
}

/// Sixty threads that the kernel calls by the same number are sixty threads.
#[test]
fn thread_ids_that_come_again() -> Result<()> {
    for by in [By::Runtime, By::Preload] {
        let threads = check("shapes.c", "same ids", &runtimes::libomp_19()?, by, 1)?;
        let same = threads.iter().filter(|thread| **thread == threads[1]).count();
        ensure!(threads.len() == 61 && same == 60, "{threads:?}");
    }
    Ok(())
}

/// One program in one shape: as without the tool, with all that it counted, and as many initialisations
/// of a runtime. Returns the kernel's numbers of its threads.
fn check(
    source: &str,
    shape: &str,
    runtime: &Runtime,
    by: By,
    runtimes: usize,
) -> Result<Vec<u32>> {
    let mut program = programs::of_test(&format!("tests/several_runtimes/{source}"))?;
    program.directives.args = vec![shape.to_string()];
    program.inputs.push(build::root().join("tests/programs/counted.h"));
    if shape == "same ids" {
        // Which threads have a core is asked in /proc, and the kernel gives the number of a thread that was looked up there away
        // some time after it has gone.
        program.directives.env.push(("OMPTTRACE_CORES".to_owned(), "off".to_owned()));
    }
    check_program(&program, runtime, by, runtimes)
        .with_context(|| format!("{source} {shape:?}, {}, {by:?}", runtime.name))
}

fn check_program(
    program: &Program,
    runtime: &Runtime,
    by: By,
    runtimes: usize,
) -> Result<Vec<u32>> {
    let limit = program.directives.timeout;
    let alone = process::run(&mut command(program, runtime, &Scratch::new()?)?, limit)?;
    ensure!(alone.ended_by(program.directives.end), "alone {alone:?}");
    let scratch = Scratch::new()?;
    let mut command = command(program, runtime, &scratch)?;
    scratch.attach(&mut command, by)?;
    let traced = process::run(&mut command, limit)?;
    ensure!(traced.status == alone.status && traced.stdout == alone.stdout, "{traced:?}");
    let ours = traced.stderr.strip_prefix(&alone.stderr).context("other words on stderr")?;
    // Of two initial tasks on one thread the one that ends first takes the other one with it: that one's own end
    // finds nothing any more, nor, where its runtime continues, that of the task which is inferred then.
    let not_interpreted =
        |count| format!(", {count} could not be interpreted (end without a begin)");
    let not_interpreted: Vec<_> =
        (1..runtimes + 1).filter(|_| runtimes > 1).map(not_interpreted).collect();
    let ours = not_interpreted.iter().fold(ours.to_owned(), |ours, text| ours.replace(text, ""));
    ensure!(ours.lines().count() == 1 && ours.contains(" events, 0 lost\n"), "{ours}");
    let run = scratch.only_run()?;
    let pid = own_counts::only_pid(&scratch)?;
    let said = own_counts::check(&scratch, pid, std::slice::from_ref(&run))?;
    ensure!(said.is_empty(), "{said}");
    let mut judged = Judged::open(&run)?;
    let faults = judged.judge().stats_errors()?;
    ensure!(faults.is_empty(), "{faults:?}");
    ensure!(number(&judged.export, "/truncated")? == 0, "{}", judged.export);
    let known = judged.info["runtimes"].as_array().map_or(0, Vec::len);
    ensure!(known == runtimes, "{known} runtimes");
    Ok(Recording::open(&run)?.threads.iter().map(|thread| thread.os_thread).collect())
}

/// Each runtime has what it has begun on a thread to itself: one that is used for the first time in the middle of another
/// one's region ends nothing of that.
#[test]
fn a_runtime_that_begins_in_anothers_region_ends_nothing() -> Result<()> {
    // What GCC compiles calls LLVM's runtime where that is there first, in whose region another one is serial.
    for (host, guest, of_guest) in [("gcc", "clang-19", 4 * 3), ("clang-19", "gcc", 4)] {
        let scratch = Scratch::new()?;
        let compiled = |name: &str, compiler: &str, flags: &[&str]| {
            let source = build::root().join(format!("tests/several_runtimes/{name}.c"));
            let made = scratch.path().join(name);
            let mut command = Command::new(compiler);
            command.args(["-g", "-O1", "-fopenmp", "-o"]).arg(&made).arg(source).args(flags);
            build::run(&mut command, compiler).map(|_| made)
        };
        let program = compiled("host", host, &["-ldl"])?;
        let library = compiled("guest", guest, &["-fPIC", "-shared"])?;
        let mut command = Command::new(Product::find()?.program);
        process::without_settings(&mut command);
        command.args(["run", "--format", "recording", "--"]).arg(program);
        command.env("GUEST", library).env("OMP_NUM_THREADS", "2").current_dir(scratch.path());
        runtimes::prepend(
            &mut command,
            "LD_LIBRARY_PATH",
            runtimes::libomp_19()?.library.parent().context("a folder")?,
        );
        let finished = process::run(&mut command, Duration::from_secs(60))?;
        ensure!(finished.stdout.ends_with("ok host\n"), "{finished:?}");
        let own: u64 = finished.stdout.split_whitespace().next().context("a time")?.parse()?;
        check_guest(&scratch.only_run()?, own, of_guest)
            .with_context(|| format!("{host}, {guest}"))?;
    }
    Ok(())
}

/// The trace of a region that took so long by the program's own clock, and of regions of another runtime in it.
fn check_guest(run: &Path, own: u64, of_guest: u64) -> Result<()> {
    let mut judged = Judged::exact(run)?;
    ensure!(dropped(&judged.export)?.is_empty(), "{}", judged.export);
    // The other one is on the track of regions.
    let of_host = "name glob 'host.c:* parallel*' and parent_id is not null";
    let time = judged.count(&format!("select sum(dur) from slice where {of_host}"))?;
    // The tool begins with the runtime, in the region.
    ensure!(time <= own && time >= 40_000_000, "{time} of {own} ns");
    let counts = [
        (format!("select count(*) from slice where {of_host}"), 1),
        ("select count(*) from slice where name glob 'host.c:* implicit task'".to_owned(), 2),
        (
            "select count(*) from slice s join slice p on p.id = s.parent_id where \
             s.name glob 'guest.c:* parallel*' and p.name glob 'host.c:* implicit task'"
                .to_owned(),
            4,
        ),
        (
            "select count(*) from slice where name glob 'guest.c:* implicit task'".to_owned(),
            of_guest,
        ),
    ];
    for (query, count) in counts {
        let found = judged.count(&query)?;
        ensure!(found == count, "{found} instead of {count}: {query}");
    }
    Ok(())
}

fn command(program: &Program, runtime: &Runtime, scratch: &Scratch) -> Result<Command> {
    let mut command = program.command(runtime)?;
    own_counts::attach(&mut command, scratch);
    command.env("PLUGIN", plugin("libplugin.so", &["-fopenmp"])?);
    if cfg!(target_arch = "x86_64") {
        let other = libiomp5()?;
        let library = format!("-L{}", other.display());
        command.env("OTHER", plugin("libother.so", &["-fopenmp=libiomp5", &library])?);
        runtimes::prepend(&mut command, "LD_LIBRARY_PATH", &other);
        // The runtimes know of each other and would refuse to live in one process.
        command.env("KMP_DUPLICATE_LIB_OK", "TRUE");
    }
    Ok(command)
}

fn plugin(name: &str, flags: &[&str]) -> Result<PathBuf> {
    let source = build::root().join("tests/several_runtimes/plugin.c");
    let header = build::root().join("tests/programs/counted.h");
    let flags = [&["-g", "-O1", "-fPIC", "-shared"], flags].concat();
    ompttrace_tests::oracle::compiled(
        &[source, header],
        &format!("several_runtimes/{name}"),
        &flags,
    )
}

/// A folder that has Intel's runtime under its own name, which lives beside LLVM's.
fn libiomp5() -> Result<PathBuf> {
    let library = runtimes::by_name("intel-2026")?.library;
    let folder = build::target_dir().join("test-programs/several_runtimes/intel");
    build::make_in_place(&folder.join("libiomp5.so"), |draft| Ok(symlink(&library, draft)?))?;
    Ok(folder)
}
