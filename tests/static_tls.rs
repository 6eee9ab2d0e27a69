//! Thread-local memory of the kind that is there from a thread's start is scarce: the tool leaves the program's own
//! libraries what they need, and comes with little enough itself where an audit module is about.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use ompttrace_tests::{build, process, runtimes};

/// A shared object of this test.
fn shared(name: &str) -> Result<PathBuf> {
    let source = build::root().join(format!("tests/static_tls/{name}.c"));
    let library = build::target_dir().join(format!("test-programs/static_tls/{name}.so"));
    if !build::is_current(&library, std::slice::from_ref(&source)) {
        build::make_in_place(&library, |draft| {
            let mut compiler = Command::new("gcc");
            compiler.args(["-O1", "-fPIC", "-shared"]).arg(&source);
            build::run(compiler.arg("-o").arg(draft), "gcc").map(drop)
        })?;
    }
    Ok(library)
}

fn program() -> Result<Program> {
    programs::of_test("tests/static_tls/opens.c")
}

/// Runs the command, which must not notice the tool, and finds its two regions recorded.
fn check(command: Command, by: By) -> Result<()> {
    check_regions(&program()?, command, by, 2)
}

fn check_regions(program: &Program, mut command: Command, by: By, regions: u64) -> Result<()> {
    let scratch = Scratch::new()?;
    scratch.attach(&mut command, by)?;
    command.env(RECORD_ONLY.0, RECORD_ONLY.1);
    let ended = process::run(&mut command, program.directives.timeout)?;
    ensure!(ended.ended_by(program.directives.end), "{ended:?}");
    ensure!(ended.last_line() == program.last_line(), "{ended:?}");
    let info = Product::find()?.info(&scratch.only_run()?)?;
    ensure!(number(&info, "/callbacks/parallel_begin/recorded")? == regions, "{info}");
    Ok(())
}

#[test]
fn libraries_of_the_program_load_beside_libomp_and_the_tool() -> Result<()> {
    let mut command = program()?.command(&runtimes::libomp_19()?)?;
    command.arg(shared("library")?);
    check(command, By::Runtime)
}

#[test]
fn libraries_of_a_gcc_program_load_beside_the_tool() -> Result<()> {
    let mut command = program()?.by_gcc().command_as_linked()?;
    command.arg(shared("library")?);
    check(command, By::Gomp)
}

#[test]
fn a_gcc_program_is_traced_where_an_audit_module_is_loaded() -> Result<()> {
    let mut command = program()?.by_gcc().command_as_linked()?;
    command.env("LD_AUDIT", shared("audit")?);
    check(command, By::Gomp)
}

#[test]
fn a_libomp_program_is_traced_where_an_audit_module_is_loaded() -> Result<()> {
    for by in [By::Runtime, By::Preload] {
        let mut command = program()?.command(&runtimes::libomp_19()?)?;
        command.env("LD_AUDIT", shared("audit")?);
        check(command, by)?;
    }
    Ok(())
}

/// The memory that threads have instead of thread-local memory is freed when they end.
#[test]
fn threads_that_end_leave_no_memory_behind() -> Result<()> {
    let program = programs::of_test("tests/static_tls/threads.c")?.by_gcc();
    check_regions(&program, program.command_as_linked()?, By::Gomp, 420)
}
