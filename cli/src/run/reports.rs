//! The reports at the end of a run: one of each process that recorded.

use super::run_folders::FoundRun;
use crate::arguments::ReportArguments;
use crate::process::Life;
use crate::{report, say};
use anyhow::{Result, bail};

/// Prints the reports; whether there are any, and none failed.
pub fn print(found: &[FoundRun], arguments: &ReportArguments) -> bool {
    let over: Vec<_> = found.iter().filter(|run| run.life != Life::Runs).collect();
    let outcome = is_one(&over, arguments).and_then(|()| {
        over.iter().try_for_each(|run| {
            let (run, program) = (Some(run.path.clone()), Vec::new());
            report::run(&ReportArguments { run, program, ..arguments.clone() })
        })
    });
    if let Err(error) = &outcome {
        say::remark(&format!("no report: {error:#}"));
    }
    outcome.is_ok() && !over.is_empty()
}

/// A page and a JSON object are of one recording.
fn is_one(over: &[&FoundRun], arguments: &ReportArguments) -> Result<()> {
    if over.len() > 1 && (arguments.json || arguments.html.is_some()) {
        bail!(
            "{} processes have recorded, and --json and --html are of one: `ompttrace report RUN` with one of their folders",
            over.len()
        );
    }
    Ok(())
}
