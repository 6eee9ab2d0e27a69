//! `ompttrace doctor --probe`: of each runtime the callbacks that were asked for, what it promised, and what came when a
//! program of one step for each construct used it.

use super::trial::{self, Way};
use super::use_runtime::{DONE, STEP};
use crate::info;
use crate::say::harmless;
use ompttrace_recording::Recording;
use ompttrace_recording::facts::Runtime;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

/// Results of the probe of one runtime.
pub struct Probe {
    library: String,
    outcome: Result<Answers, String>,
}

/// Answers of a runtime, and the callbacks that it delivered.
struct Answers {
    runtime: Runtime,
    /// The reason why the program did not take all steps.
    stopped: Option<String>,
    callbacks: Vec<Callback>,
}

/// Results for one callback.
struct Callback {
    name: String,
    /// True if the runtime was asked for the callback.
    asked: bool,
    /// The runtime's answer to that.
    promised: Option<String>,
    /// True if a step of the program uses the callback.
    used: bool,
    /// Number of recorded calls; none for events of another interface, which have no such names in a recording.
    seen: Option<u64>,
    /// Why it was not requested, or a note on the remaining ones.
    note: String,
}

/// Probes one runtime.
pub fn probe(runtime: &Path, library: &Path) -> Probe {
    let outcome = Way::to(runtime, library).and_then(|way| answers(runtime, &way));
    Probe { library: runtime.display().to_string(), outcome }
}

fn answers(file: &Path, way: &Way) -> Result<Answers, String> {
    let scratch = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let run = scratch.path().join("run");
    let output = way.record(file, &["--all"], &run)?;
    let steps = String::from_utf8_lossy(&output.stdout).into_owned();
    let stopped = stopped(&output, &steps);
    let recording = Recording::open(&run).map_err(|_| {
        stopped.clone().unwrap_or_else(|| trial::why_nothing(trial::last_stderr_line(&output)))
    })?;
    let runtime = recording.facts.runtimes.last().cloned().unwrap_or_default();
    let callbacks = callbacks(&runtime, &used(&steps), &info::delivered(&recording));
    Ok(Answers { runtime, stopped, callbacks })
}

/// Step at which the program ended before its end, with its exit status.
fn stopped(output: &Output, steps: &str) -> Option<String> {
    if output.status.success() {
        return None;
    }
    let last = steps.lines().rev().find_map(|line| line.strip_prefix(STEP)).unwrap_or("the begin");
    let last_line = trial::last_stderr_line(output);
    let last_line = if last_line.is_empty() { last_line } else { format!(": {last_line}") };
    Some(format!("its program ended at `{last}` ({}){last_line}", output.status))
}

/// Events that the steps which were taken bring.
fn used(steps: &str) -> BTreeSet<&str> {
    let done = steps.lines().filter_map(|line| line.strip_prefix(DONE));
    done.flat_map(|line| line.split(' ')).collect()
}

/// All callbacks of today's interface, and after them the events of another.
fn callbacks(
    runtime: &Runtime,
    used: &BTreeSet<&str>,
    seen: &[(&'static str, u64)],
) -> Vec<Callback> {
    let of = |name: &str, count: Option<u64>| {
        let answer = runtime.callbacks.get(name).map(String::as_str);
        Callback::new(name, answer, used.contains(name), count)
    };
    let known = seen.iter().map(|(name, count)| of(name, Some(*count)));
    let is_known = |name: &str| seen.iter().any(|(known, _)| *known == name);
    let others = runtime.callbacks.keys().filter(|name| !is_known(name));
    known.chain(others.map(|name| of(name, None))).collect()
}

impl Callback {
    fn new(name: &str, answer: Option<&str>, used: bool, seen: Option<u64>) -> Callback {
        let reason = answer.and_then(|answer| answer.strip_prefix("left out: "));
        let asked = answer.is_some_and(|answer| reason.is_none() && answer != "not wanted");
        let promised = answer.filter(|_| asked);
        let is_late = used && seen == Some(0) && promised == Some("always");
        let note = match reason {
            Some(reason) => format!("left out: {reason}"),
            None if is_late => "promised, used, and not received".to_owned(),
            None => String::new(),
        };
        let promised = promised.map(str::to_owned);
        Callback { name: name.to_owned(), asked, promised, used, seen, note }
    }

    fn line(&self) -> String {
        let yes = |is: bool| if is { "yes" } else { "no" };
        let promised = self.promised.as_deref().unwrap_or("-");
        let seen = self.seen.map_or("-".to_owned(), |seen| seen.to_string());
        let line = format!(
            "{:<22}{:<7}{:<18}{:<5}{seen:>7}  {}",
            harmless(&self.name),
            yes(self.asked),
            harmless(promised),
            yes(self.used),
            harmless(&self.note)
        );
        line.trim_end().to_owned()
    }

    fn value(&self) -> Value {
        json!({
            "name": self.name,
            "asked": self.asked,
            "promised": self.promised,
            "used": self.used,
            "seen": self.seen,
            "note": self.note,
        })
    }
}

impl Probe {
    /// The probe as a table for people.
    pub fn lines(&self) -> Vec<String> {
        let title =
            |words: &str| format!("\nprobe    {}: {}", harmless(&self.library), harmless(words));
        let answers = match &self.outcome {
            Ok(answers) => answers,
            Err(why) => return vec![title(why)],
        };
        let Runtime { interface, dialect, version, .. } = &answers.runtime;
        let dialect = if dialect.is_empty() { String::new() } else { format!(", {dialect}") };
        let mut lines = vec![title(&format!("{version}; interface {interface}{dialect}"))];
        lines.extend(answers.stopped.iter().map(|why| format!("         {}", harmless(why))));
        lines.push(format!(
            "{:<22}{:<7}{:<18}{:<5}{:>7}",
            "callback", "asked", "promised", "used", "seen"
        ));
        lines.extend(answers.callbacks.iter().map(Callback::line));
        lines
    }

    /// The probe in JSON.
    pub fn value(&self) -> Value {
        let answers = self.outcome.as_ref().ok();
        let runtime = answers.map(|answers| &answers.runtime);
        json!({
            "library": self.library,
            "why_not": self.outcome.as_ref().err(),
            "interface": runtime.map(|runtime| &runtime.interface),
            "dialect": runtime.map(|runtime| &runtime.dialect),
            "version": runtime.map(|runtime| &runtime.version),
            "omp_version": runtime.map(|runtime| runtime.omp_version),
            "notes": runtime.map(|runtime| &runtime.notes),
            "stopped": answers.and_then(|answers| answers.stopped.as_ref()),
            "callbacks": answers.map(|answers| {
                answers.callbacks.iter().map(Callback::value).collect::<Vec<_>>()
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_promised_and_used_events_are_reported() {
        let of = |answer, used, seen| Callback::new("work", answer, used, seen);
        assert_eq!(of(Some("always"), true, Some(0)).note, "promised, used, and not received");
        for (used, seen) in [(true, Some(1)), (false, Some(0)), (true, None)] {
            assert_eq!(of(Some("always"), used, seen).note, "", "{used} {seen:?}");
        }
        let sometimes = of(Some("sometimes"), true, Some(0));
        assert_eq!((sometimes.asked, &*sometimes.note), (true, ""));
    }

    #[test]
    fn what_was_not_asked_for_has_no_promise() {
        let left_out = Callback::new("error", Some("left out: it crashes"), true, Some(0));
        assert_eq!((left_out.asked, left_out.promised.as_deref()), (false, None));
        assert_eq!(left_out.note, "left out: it crashes");
        for answer in [None, Some("not wanted")] {
            let other = Callback::new("flush", answer, true, Some(0));
            assert_eq!((other.asked, other.promised, &*other.note), (false, None, ""));
        }
    }

    #[test]
    fn events_of_another_interface_come_behind() {
        let mut runtime = Runtime::default();
        runtime.callbacks.insert("fork".to_owned(), "OMP_ERRCODE_OK".to_owned());
        let seen = [("work", 3), ("flush", 0)];
        let steps = format!("{STEP}loop\n{DONE}work dispatch\n{STEP}flush\n");
        let all = callbacks(&runtime, &used(&steps), &seen);
        let lines: Vec<_> =
            all.iter().map(|one| (&*one.name, one.asked, one.used, one.seen)).collect();
        let expected = [
            ("work", false, true, Some(3)),
            ("flush", false, false, Some(0)),
            ("fork", true, false, None),
        ];
        assert_eq!(lines, expected);
    }
}
