//! Other tools wrap functions of the C library, and free in their destructors what their wrappers use (libfaketime does): what is
//! left to do for a recording after that calls none of them, whichever functions our libraries import.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::traced::{self, By, Scratch};
use ompttrace_tests::{build, oracle, process, programs, runtimes};

/// Beginnings of names that are not wrapped: memory, strings and the allocator, which the dynamic linker and the C library need
/// themselves, and what no library puts functions of its own in front of: unwinding, errno, thread-local memory.
const NEVER: &[&str] = &[
    "mem",
    "str",
    "bcmp",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "posix_memalign",
    "_Unwind_",
    "_ITM_",
    "__errno_location",
    "__tls_get_addr",
    "__gmon_start__",
    "__cxa_finalize",
    // Called by our destructor, for the last handler: only the C library itself can call that one.
    "__cxa_atexit",
    // By which the wrappers find the functions; and data.
    "dlsym",
    "environ",
    "program_invocation_name",
];

#[test]
fn no_wrapper_is_called_after_its_destructor() -> Result<()> {
    let wrappers = wrappers()?;
    let settings: [&[(&str, &str)]; 4] = [
        &[],
        &[("OMPTTRACE_OVERFLOW", "drop"), ("OMPTTRACE_BUFFER", "4K")],
        &[("OMPTTRACE_SAMPLE", "1000")],
        &[("OMPTTRACE_FORMAT", "recording"), ("OMPTTRACE_CORES", "off")],
    ];
    for by in [By::Runtime, By::Preload, By::Gomp] {
        for settings in settings {
            ends_well(&wrappers, by, settings)?;
        }
    }
    Ok(())
}

fn ends_well(wrappers: &Path, by: By, settings: &[(&str, &str)]) -> Result<()> {
    let what = format!("{by:?} {settings:?}");
    let program = programs::of_test("tests/programs/c/hello.c")?;
    let mut command = match by {
        By::Gomp => program.by_gcc().command_as_linked()?,
        _ => program.command(&runtimes::libomp_19()?)?,
    };
    let scratch = Scratch::new()?;
    scratch.attach(&mut command, by)?;
    runtimes::prepend(&mut command, "LD_PRELOAD", wrappers);
    command.envs(settings.iter().copied());
    let run = process::run(&mut command, program.directives.timeout)?;
    ensure!(run.ended_by(program.directives.end), "{what}: {run:?}");
    let folder = scratch.only_run()?;
    let info = Product::find()?.info(&folder)?;
    ensure!(info["closed"] == true && number(&info, "/events/lost")? == 0, "{what}: {info}");
    ensure!(traced::pool_of(&folder)?.is_some_and(|pool| !pool.exists()), "{what}: a pool is left");
    let is_recorded_only = settings.iter().any(|(name, _)| *name == "OMPTTRACE_FORMAT");
    ensure!(is_recorded_only || folder.join("trace.pftrace").is_file(), "{what}: {}", run.stderr);
    Ok(())
}

/// The library of wrappers, made for what the product imports now.
fn wrappers() -> Result<PathBuf> {
    let product = Product::find()?;
    let mut names = imports(&product.library)?;
    names.extend(imports(&product.gomp)?);
    names.extend(imports(&product.gomp.with_file_name("libompttrace_collector.so"))?);
    names.retain(|name| !NEVER.iter().any(|never| name.starts_with(never)));
    ensure!(names.contains("write") && names.len() > 50, "{names:?}");
    let lines: String = names.iter().map(|name| format!("WRAPPED({name})\n")).collect();
    let header = build::target_dir().join("test-programs/endings/wrapped.names.h");
    fs::create_dir_all(header.parent().unwrap_or(Path::new("/")))?;
    if fs::read_to_string(&header).ok().as_deref() != Some(&lines) {
        fs::write(&header, lines)?;
    }
    let sources = [build::root().join("tests/endings/wrapped.c"), header.clone()];
    let names = format!("-DNAMES=\"{}\"", header.display());
    // Initialised first, and without the call of __gmon_start__, which is ours: both call what it wraps.
    let flags =
        ["-O1", "-w", "-fPIC", "-shared", "-Wl,-z,initfirst", "-nostartfiles", "-ldl", &names];
    oracle::compiled(&sources, "endings/libwrapped.so", &flags)
}

/// The functions that a library takes from others.
fn imports(library: &Path) -> Result<BTreeSet<String>> {
    let mut nm = Command::new("nm");
    nm.args(["-D", "--undefined-only", "--format=posix"]).arg(library);
    let lines = String::from_utf8(build::run(&mut nm, "binutils")?)?;
    let names = lines.lines().filter_map(|line| line.split([' ', '@']).next());
    Ok(names.map(str::to_owned).collect())
}
