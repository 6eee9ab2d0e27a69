//! Forked children and killed programs: both know the frames of what they recorded.

use anyhow::{Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By};

use super::chains::{CONTEXTS, SETTINGS, line_of_region, program};

fn context() -> Result<String> {
    Ok(format!("main > solve > parallel forked.c:{}", line_of_region("forked.c")?))
}

/// A child has no record of frames that its parent reported: it reports them again.
#[test]
fn a_forked_child_reports_frames_that_its_parent_knew() -> Result<()> {
    let traced =
        traced::run(&program("forked.c")?, &runtimes::libomp_19()?, By::Runtime, &SETTINGS)?;
    let runs = traced.scratch.runs()?;
    ensure!(runs.len() == 2, "{runs:?}");
    let mut regions = Vec::new();
    for run in runs {
        let mut judged = Judged::open(&run)?;
        let found = judged.lines(CONTEXTS)?;
        ensure!(
            found.iter().all(|context| *context == self::context().unwrap_or_default()),
            "{}: {found:?}",
            run.display()
        );
        regions.push(found.len());
    }
    regions.sort_unstable();
    ensure!(regions == [2, 4], "{regions:?}");
    Ok(())
}

#[test]
fn a_killed_program_leaves_its_contexts() -> Result<()> {
    let mut program = program("forked.c")?;
    program.directives.args = vec!["killed".into()];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &SETTINGS)?;
    let mut judged = Judged::open(&traced.scratch.only_run()?)?;
    let found = judged.lines(CONTEXTS)?;
    ensure!(
        !found.is_empty()
            && found.iter().all(|context| *context == self::context().unwrap_or_default()),
        "{found:?}"
    );
    Ok(())
}
