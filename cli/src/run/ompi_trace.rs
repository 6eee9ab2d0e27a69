//! Processes that are the execution entities of one program, each of which has recorded its part: one trace of all.

use super::run_folders::FoundRun;
use super::settings::Settings;
use crate::arguments::MergeArguments;
use crate::detail::Detail;
use crate::formats::table::Format;
use crate::jobs::Jobs;
use crate::process::Life;
use crate::{merge, say};

/// Name of the interface of OMPi's runtime; below, end of its dialect if the execution entities are processes.
const OMPI: &str = "ompi";
const PROCESSES: &str = "processes";

/// Makes the trace of all, in the run folder of the first, where there are several such processes.
pub fn make(found: &[FoundRun], settings: &Settings) {
    let processes: Vec<_> = found.iter().filter(|run| is_execution_entity(run)).collect();
    let [first, _, ..] = &processes[..] else { return };
    if !settings.formats.contains(&Format::Perfetto) {
        return;
    }
    let trace = first.path.join("merged.pftrace");
    let arguments = MergeArguments {
        correct_clocks: false,
        runs: processes.iter().map(|run| run.path.clone()).collect(),
        output: Some(trace.clone()),
        view: settings.view,
        exact: false,
        from: None,
        to: None,
        limit: settings.limit,
        detail: Detail::Auto,
        jobs: Jobs::default(),
        json: false,
        quiet: true,
    };
    let shown = say::shown(&trace);
    match merge::run(&arguments) {
        Ok(()) if settings.quiet => {}
        Ok(()) => {
            say::remark(&format!("{shown}: all {} processes of the program", processes.len()))
        }
        Err(error) => say::remark(&format!("{shown}: {error:#}")),
    }
}

fn is_execution_entity(run: &FoundRun) -> bool {
    let mut runtimes = run.facts.runtimes.iter();
    run.life != Life::Runs
        && runtimes.any(|one| one.interface == OMPI && one.dialect.ends_with(PROCESSES))
}
