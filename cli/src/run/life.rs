//! Facts about the program's process that only this command knows: the exact time of its start, its arguments, and its
//! end if no exit handler ran. They are put into the recordings of that process before anything is made of them. The
//! recordings of processes that the program started get the time of their end.

use super::family::Seen;
use super::run_folders::FoundRun;
use crate::amend::amend;
use crate::{process, say};
use ompttrace_recording::Recording;
use ompttrace_recording::facts::{End, Life, Process, end};
use ompttrace_timeline::last_known;
use serde_json::Value;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Observations of the process; times are of CLOCK_MONOTONIC, in nanoseconds.
pub struct ObservedProcess {
    pub pid: u32,
    /// Times between which the process was started.
    pub started: (u64, u64),
    pub ended: u64,
    pub status: ExitStatus,
    /// Arguments with which the process was started, its name among them.
    pub arguments: Vec<OsString>,
}

/// Completes the recordings of the process: several, in the order of time, where it became another program by exec.
pub fn note(found: &[FoundRun], seen: &ObservedProcess) {
    let images: Vec<&FoundRun> =
        found.iter().filter(|run| run.facts.process.pid == seen.pid).collect();
    let last_signs: Vec<_> = images.iter().map(|image| last_sign(image, images.len())).collect();
    for (at, image) in
        images.iter().enumerate().filter(|(_, image)| image.life == process::Life::Over)
    {
        let before = at.checked_sub(1).and_then(|before| last_signs.get(before).copied().flatten());
        let is_last = at + 1 == images.len();
        let life = &image.facts.life;
        let began = match before {
            None if at == 0 => started(life, seen.started),
            before => before.max(life.began),
        };
        let end =
            if is_last { end_of(seen) } else { by_exec(last_signs.get(at).copied().flatten()) };
        let life = Life { began, ended: life.ended.clone().or(end), ..life.clone() };
        let arguments = seen.arguments_of(&image.facts.process);
        if life != image.facts.life || arguments != image.facts.process.arguments {
            write(image, &life, &arguments);
        }
    }
}

/// Completes the recordings of the processes that process `pid` started: of each the last one, where it became another program
/// by exec.
pub fn note_children(found: &[FoundRun], pid: u32, seen: &Seen) {
    let own = process::namespace("pid");
    for (at, image) in found.iter().enumerate() {
        let process = &image.facts.process;
        let is_last =
            !found.iter().skip(at + 1).any(|later| later.facts.process.pid == process.pid);
        let is_known = process.pid != pid && process.pid_namespace == own && is_last;
        let life = &image.facts.life;
        let ended = seen.ended.get(&process.pid).filter(|_| is_known && life.ended.is_none());
        if let Some(ended) = ended.filter(|_| image.life == process::Life::Over) {
            let life = Life { ended: Some(end_at(ended.at, ended.status)), ..life.clone() };
            write(image, &life, &process.arguments);
        }
    }
}

impl ObservedProcess {
    /// The arguments that exec gave the process: those of this command if they are as long. The recording's own may
    /// be what the program wrote over them, as setproctitle does.
    fn arguments_of(&self, process: &Process) -> Vec<String> {
        let bytes: usize = self.arguments.iter().map(|argument| argument.len() + 1).sum();
        match bytes as u64 == process.argument_bytes {
            true => self.arguments.iter().map(|text| text.to_string_lossy().into_owned()).collect(),
            false => process.arguments.clone(),
        }
    }
}

/// Last sign of life of another image of the same process, whose exec was not observed; none is read if there is only
/// one image.
fn last_sign(image: &FoundRun, images: usize) -> Option<u64> {
    let recording = (images > 1).then(|| Recording::open(&image.path).ok())?;
    recording.as_ref().and_then(last_known)
}

/// The start of the process: its own estimate goes by a coarse clock. One that does not fit to what was seen
/// here, as on another clock (a time namespace), stays.
fn started(life: &Life, (before, after): (u64, u64)) -> Option<u64> {
    life.began.map(|own| if own >= before { own.min(after) } else { own })
}

/// The end of a process without exit handlers; where those ran, their time counts.
fn end_of(seen: &ObservedProcess) -> Option<End> {
    Some(end_at(seen.ended, Some(seen.status)))
}

fn end_at(monotonic: u64, status: Option<ExitStatus>) -> End {
    let (by, number) = match status {
        None => (end::UNKNOWN, None),
        Some(status) => match status.signal() {
            Some(signal) => (end::SIGNAL, Some(signal)),
            None => (end::AT_ONCE, status.code()),
        },
    };
    End { monotonic, by: by.to_owned(), number }
}

fn by_exec(last_sign: Option<u64>) -> Option<End> {
    let monotonic = last_sign?;
    Some(End { monotonic, by: end::EXEC.to_owned(), number: None })
}

fn write(image: &FoundRun, life: &Life, arguments: &[String]) {
    let written = serde_json::to_value(life).map_err(anyhow::Error::from);
    let written = written.and_then(|life: Value| {
        amend(&image.path, |facts| {
            facts.insert("life".into(), life);
            if let Some(process) = facts.get_mut("process").and_then(Value::as_object_mut) {
                process.insert("arguments".into(), arguments.into());
            }
        })
    });
    if let Err(error) = written {
        let run = say::shown(&image.path);
        say::remark(&say::harmless(&format!(
            "{run}: the end of its process was not stored: {error:#}"
        )));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_known_to_the_time_that_starting_took() {
        let life = |began| Life { began, ..Life::default() };
        assert_eq!(started(&life(Some(1_009)), (1_000, 1_003)), Some(1_003));
        assert_eq!(started(&life(Some(1_001)), (1_000, 1_003)), Some(1_001));
        assert_eq!(started(&life(Some(7)), (1_000, 1_003)), Some(7), "another clock");
        assert_eq!(started(&life(None), (1_000, 1_003)), None);
    }

    #[test]
    fn a_process_ends_by_signal_or_without_handlers() {
        let seen = |wait| ObservedProcess {
            pid: 1,
            started: (1, 2),
            ended: 9,
            status: ExitStatus::from_raw(wait),
            arguments: Vec::new(),
        };
        let end = |wait| end_of(&seen(wait)).map(|end| (end.monotonic, end.by, end.number));
        assert_eq!(end(9), Some((9, "signal".to_owned(), Some(9))));
        assert_eq!(end(3 << 8), Some((9, "_exit".to_owned(), Some(3))));
    }
}
