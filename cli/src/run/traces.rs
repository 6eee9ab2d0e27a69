//! The traces of a run and the words with which it ends: a line for each run folder.

use super::child;
use super::run_folders::FoundRun;
use super::settings::Settings;
use crate::arguments::ExportArguments;
use crate::process::Life;
use crate::recover::recover;
use crate::{export, info, say};
use std::process::ExitStatus;

/// Makes the traces of one run folder and reports them; `status` is the exit status of its process, if it is known.
pub fn make(run: &FoundRun, settings: &Settings, status: Option<ExitStatus>) {
    let shown = say::shown(&run.path);
    if run.life == Life::Runs {
        let pid = run.facts.process.pid;
        say::remark(&format!(
            "{shown}: process {pid} still runs; when it has ended: `ompttrace export {shown}`"
        ));
        return;
    }
    if let Some(obstacle) = recover(&run.path, false).and_then(|recovery| recovery.obstacle()) {
        say::remark(&obstacle);
    }
    let status = status.map(child::in_words);
    let outcome = match settings.formats.is_empty() {
        true => info::summary(&run.path, status.as_deref()),
        false => export::summary(&arguments(run, settings), status.as_deref()),
    };
    match outcome {
        Ok(_) if settings.quiet => {}
        Ok(line) => say::remark(&line),
        Err(error) => say::remark(&format!("{shown}: {error:#}; the recording is kept")),
    }
}

fn arguments(run: &FoundRun, settings: &Settings) -> ExportArguments {
    ExportArguments {
        format: settings.formats.clone(),
        view: settings.view,
        limit: settings.limit,
        quiet: settings.quiet,
        ..ExportArguments::of(&run.path)
    }
}
