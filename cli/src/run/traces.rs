//! The traces of a run and the words with which it ends: a line for each run folder.

use super::child;
use super::job::Role;
use super::run_folders::FoundRun;
use super::settings::Settings;
use crate::arguments::ExportArguments;
use crate::process::Life;
use crate::recover::recover;
use crate::{export, info, say};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitStatus;

/// The command to type next.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    Report,
    View,
}

impl Next {
    /// The end of the last line, about the run that it is about.
    fn words(self, shown: &str) -> String {
        match self {
            Next::Report => format!("; `ompttrace report {shown}` says where the time went"),
            Next::View => format!("; `ompttrace view {shown}` shows it"),
        }
    }
}

/// Makes what is wanted of one run folder and says so; `status` is how its process ended, where that
/// is known, and `next` the command that the line ends with.
pub fn make(run: &FoundRun, settings: &Settings, status: Option<ExitStatus>, next: Option<Next>) {
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
    if is_silent(run, settings, status) {
        return;
    }
    let status = status.map(child::in_words);
    let outcome = match settings.formats.is_empty() {
        true => info::summary(&run.path, status.as_deref()),
        false => export::summary(&arguments(run, settings), status.as_deref()),
    };
    match outcome {
        Ok(_) if settings.quiet => {}
        Ok(line) => {
            let next = match settings.role {
                Role::Alone => next.map(|next| next.words(&shown)),
                Role::Rank(0) => Some(format!("; {}", commands_of_job(&run.path))),
                Role::Rank(_) | Role::Launcher => None,
            };
            say::remark(&format!("{line}{}", next.unwrap_or_default()));
        }
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

/// True where a line for each of very many ranks would say nothing new: rank 0 speaks, and each that did not end well.
fn is_silent(run: &FoundRun, settings: &Settings, status: Option<ExitStatus>) -> bool {
    let ended_well = run.facts.closed && status.is_none_or(|status| status.success());
    match settings.role {
        Role::Alone | Role::Rank(0) => false,
        Role::Rank(_) | Role::Launcher => settings.formats.is_empty() && ended_well,
    }
}

/// The commands for the job of a rank.
fn commands_of_job(run: &Path) -> String {
    let job = say::shown(run.parent().unwrap_or(run));
    format!("when all ranks have ended: `ompttrace report {job}`, `ompttrace export {job}`")
}

/// A line for each job that the program, a launcher, has started.
pub fn of_launcher(found: &[FoundRun], settings: &Settings) {
    if settings.role != Role::Launcher || settings.quiet {
        return;
    }
    let jobs: BTreeSet<_> = found.iter().filter_map(|run| run.path.parent()).collect();
    for job in jobs {
        let count = found.iter().filter(|run| run.path.parent() == Some(job)).count();
        let job = say::shown(job);
        say::remark(&format!(
            "{job}: recordings of {count} processes; `ompttrace report {job}` shows where the time went, \
             `ompttrace export {job}` makes a trace"
        ));
    }
}
