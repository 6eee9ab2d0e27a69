//! Libraries that are closed and others that are opened at the same addresses: what a code address means is
//! decided by what was mapped there at the time.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use ompttrace_tests::{build, contexts, process};

const STACKS: (&str, &str) = ("OMPTTRACE_CALLSTACK", "regions");

/// A library of this test, `first` or `second`, as a compiler makes it.
fn library(compiler: &str, name: &str) -> Result<PathBuf> {
    let source = build::root().join(format!("tests/reopened/{name}.c"));
    let folder = build::target_dir().join("test-programs/reopened").join(compiler);
    let library = folder.join(format!("{name}.so"));
    if !build::is_current(&library, std::slice::from_ref(&source)) {
        build::make_in_place(&library, |draft| {
            let mut command = Command::new(compiler);
            command.args(["-g", "-O1", "-fomit-frame-pointer", "-fPIC", "-shared", "-fopenmp"]);
            build::run(command.arg(&source).arg("-o").arg(draft), compiler).map(drop)
        })?;
    }
    Ok(library)
}

/// Runs the libraries in this order and returns the one run folder.
fn run(by: By, order: &[&str], settings: &[(&str, &str)]) -> Result<(Scratch, PathBuf)> {
    let program = programs::of_test("tests/reopened/host.c")?;
    let (compiler, program) = match by {
        By::Gomp => ("gcc", program.by_gcc()),
        _ => ("clang-19", program),
    };
    let mut command = match by {
        By::Gomp => program.command_as_linked()?,
        _ => program.command(&runtimes::libomp_19()?)?,
    };
    for name in order {
        command.arg(library(compiler, name)?);
    }
    let scratch = Scratch::new()?;
    scratch.attach(&mut command, by)?;
    command.env(RECORD_ONLY.0, RECORD_ONLY.1).envs(settings.iter().copied());
    let ended = process::run(&mut command, program.directives.timeout)?;
    ensure!(ended.last_line() == program.last_line(), "{ended:?}");
    let mut addresses: Vec<_> =
        ended.stdout.lines().filter(|line| line.starts_with("run at")).collect();
    addresses.dedup();
    ensure!(addresses.len() == 1, "the libraries do not share their addresses: {addresses:?}");
    let run = scratch.only_run()?;
    Ok((scratch, run))
}

/// A name without the numbers of lines: compilers differ in whether a construct stands at its directive, at its
/// statement or, GCC, at what was moved into the call's arguments.
fn without_lines(name: &str) -> String {
    let mut parts = name.split_inclusive(".c:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| name + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// Function, critical section and label of the region in each library.
struct Known {
    name: &'static str,
    function: &'static str,
    critical: &'static str,
}

const FIRST: Known = Known { name: "first", function: "first_work", critical: "alpha" };
const SECOND: Known = Known { name: "second", function: "other_work", critical: "gamma" };

impl Known {
    fn named(&self, construct: &str) -> String {
        format!("{}.c: {construct} ({})", self.name, self.function)
    }
}

/// The names of the libraries' slices like `pattern`, in the order of time.
fn names(judged: &mut Judged, group: &str, pattern: &str) -> Result<Vec<String>> {
    let names = judged.lines(&format!(
        "select s.name from slice s join track t on t.id = s.track_id \
         left join track p on p.id = t.parent_id \
         where coalesce(p.name, 'threads') = '{group}' and what(s.name) glob '{pattern}' \
         and not s.name glob '*host.c:*' order by s.ts"
    ))?;
    Ok(names.iter().map(|name| without_lines(name)).collect())
}

const ORDER: [&str; 3] = ["first", "second", "first"];

/// Every name of the three openings is that of the library that was open.
fn check(run: &Path) -> Result<()> {
    let mut judged = Judged::open(run)?;
    let expected = |construct| [FIRST, SECOND, FIRST].map(|known| known.named(construct));
    let regions = names(&mut judged, "Parallel regions", "parallel *")?;
    ensure!(regions == expected("parallel"), "{regions:?}");
    let tasks = names(&mut judged, "threads", "task *")?;
    ensure!(tasks == expected("task"), "{tasks:?}");
    let implicit = names(&mut judged, "threads", "implicit task*")?;
    let count = |known: &Known| implicit.iter().filter(|one| one.contains(known.name)).count();
    ensure!((count(&FIRST), count(&SECOND)) == (4, 2), "{implicit:?}");
    let mut criticals = names(&mut judged, "Locks", "critical*")?;
    criticals.dedup();
    let named = |known: &Known| format!("{}.c: critical {}", known.name, known.critical);
    ensure!(criticals == [named(&FIRST), named(&SECOND), named(&FIRST)], "{criticals:?}");
    Ok(())
}

#[test]
fn on_libomp_as_its_tool() -> Result<()> {
    check(&run(By::Runtime, &ORDER, &[])?.1)
}

#[test]
fn on_libomp_preloaded() -> Result<()> {
    check(&run(By::Preload, &ORDER, &[])?.1)
}

#[test]
fn on_libgomp() -> Result<()> {
    check(&run(By::Gomp, &ORDER, &[])?.1)
}

/// Frames too: their functions, and the tables by which they are found.
#[test]
fn call_stacks() -> Result<()> {
    for by in [By::Runtime, By::Gomp] {
        let (_scratch, run) = run(by, &ORDER, &[STACKS])?;
        check(&run)?;
        let mut judged = Judged::open(&run)?;
        let expected = [FIRST, FIRST, FIRST, FIRST, SECOND, SECOND]
            .map(|known| format!("main > run > {} > parallel {}.c:", known.function, known.name));
        let found = judged.lines(contexts::CONTEXTS)?;
        let of_regions =
            found.iter().filter(|found| found.contains("_work") && !found.contains("> task"));
        let found: Vec<_> = of_regions.map(|found| without_lines(found)).collect();
        contexts::compare(&expected, &found)?;
    }
    Ok(())
}

/// A packed recording knows it too.
#[test]
fn packed() -> Result<()> {
    let (_scratch, run) = run(By::Runtime, &ORDER, &[])?;
    let program = Product::find()?.program;
    build::run(Command::new(program).arg("pack").arg(&run), "")?;
    check(&run)
}

/// The numbers of code sites are found again with their library: they do not run out however often that is, nor
/// does the list of modules grow without need.
#[test]
fn opened_again_and_again() -> Result<()> {
    let order: Vec<_> = (0..120).map(|at| if at % 3 == 1 { "second" } else { "first" }).collect();
    let (_scratch, run) = run(By::Runtime, &order, &[STACKS])?;
    let mut judged = Judged::open(&run)?;
    let regions = names(&mut judged, "Parallel regions", "parallel *")?;
    ensure!(regions.len() == order.len());
    for (at, (region, name)) in regions.iter().zip(&order).enumerate() {
        let known = if *name == "second" { SECOND } else { FIRST };
        ensure!(*region == known.named("parallel"), "opening {at}: {region}");
    }
    let size = std::fs::metadata(run.join("modules"))?.len();
    ensure!(size < 1 << 20, "{size} bytes of modules");
    Ok(())
}
