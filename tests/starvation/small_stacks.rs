//! Threads and stacks for signals that have the least that there is: what begins a recording and ends it has a stack of its own.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{By, Scratch};

/// PTHREAD_STACK_MIN, and a little more.
const STACKS: [&str; 2] = ["16384", "20480"];

fn run(
    program: &Program,
    by: By,
    arguments: [&str; 2],
    tool: Option<&Scratch>,
) -> Result<Finished> {
    let mut command = match by {
        By::Gomp => program.command_as_linked()?,
        _ => program.command(&runtimes::libomp_19()?)?,
    };
    command.args(arguments);
    if let Some(scratch) = tool {
        scratch.attach(&mut command, by)?;
        command.env("OMPTTRACE_FORMAT", "recording").current_dir(scratch.path());
    }
    process::run(&mut command, Duration::from_secs(30))
}

#[test]
fn all_that_happens_fits_the_smallest_stacks() -> Result<()> {
    let clang = programs::of_test("tests/starvation/small_stack.c")?;
    let mut compared = 0;
    for (program, by) in [(clang.clone(), By::Runtime), (clang.by_gcc(), By::Gomp)] {
        for bytes in STACKS {
            for what in ["use", "exit", "fork", "signal"] {
                let case = || format!("{by:?}, {bytes} bytes, {what}");
                let plain = run(&program, by, [bytes, what], None)?;
                if plain.last_line() != program.last_line() {
                    // The runtime itself needs more.
                    continue;
                }
                let scratch = Scratch::new()?;
                let traced = run(&program, by, [bytes, what], Some(&scratch))?;
                let same = (traced.status, traced.last_line()) == (plain.status, plain.last_line());
                ensure!(same, "{}: {traced:?}", case());
                for run in scratch.runs()? {
                    let info = Product::find()?.info(&run).with_context(case)?;
                    let recorded = number(&info, "/callbacks/mutex_acquired/recorded")?;
                    ensure!(recorded >= 50, "{}: {recorded} critical sections", case());
                    ensure!(number(&info, "/events/lost")? == 0, "{}: {info}", case());
                }
                compared += scratch.runs()?.len();
            }
        }
    }
    ensure!(compared >= 12, "{compared} recordings");
    Ok(())
}
