//! Programs that end while threads are sampled.

use anyhow::{Result, ensure};
use ompttrace_tests::directives::End;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use ompttrace_tests::{programs, runtimes};

/// Intel's runtime unmaps at its end what such workers sleep on, and a signal would have them look at it: without us,
/// too, any signal at that time ends the program.
#[test]
fn no_signal_comes_where_the_runtime_has_ended_under_sleeping_workers() -> Result<()> {
    let program = programs::of_test("tests/samples/lasting.c")?;
    let intel = cfg!(target_arch = "x86_64").then_some("intel-2026");
    for runtime in ["libomp-19"].into_iter().chain(intel) {
        for by in [By::Runtime, By::Preload] {
            let settings = [RECORD_ONLY, ("OMPTTRACE_SAMPLE", "5000,wall")];
            let traced = traced::run(&program, &runtimes::by_name(runtime)?, by, &settings)?;
            ensure!(traced.run.ended_by(End::Exit(3)), "{runtime}, {by:?}: {:?}", traced.run);
        }
    }
    Ok(())
}

/// At exit the tool makes the program wait until no thread that a signal woke is about to read the word that it slept on: that
/// time is the tool's and no work of the program.
#[test]
fn the_wait_for_sleepers_at_exit_is_the_tools_time() -> Result<()> {
    let settings = [RECORD_ONLY, ("OMPTTRACE_SAMPLE", "1000,wall")];
    let traced = traced::run_own("tests/samples/sleepers.c", &["4"], By::Runtime, &settings)?;
    let info = Product::find()?.info(&traced.scratch.only_run()?)?;
    ensure!(number(&info, "/waits/count")? == 1, "{}", info["waits"]);
    Ok(())
}
