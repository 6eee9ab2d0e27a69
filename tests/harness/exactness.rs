//! Compares what the oracle counted with what the tool kept, to the last event: sums by
//! `ompttrace info`, kinds and dependences by the recording itself.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use ompttrace_recording::events::Dependence;
use serde_json::Value;

use crate::oracle::{Counts, EVENTS, EventCounts, Totals};
use crate::process::Finished;
use crate::product::{Product, number};
use crate::programs::Program;
use crate::recorded::Recorded;
use crate::runtimes::Runtime;
use crate::traced::{self, By, Scratch};

/// Events that the runtime may have sent without being recorded, because of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unseen {
    /// No events.
    Nothing,
    /// Any number of these events, after the program ended the recording.
    These(&'static [&'static str]),
    /// Any event while the program had paused the tool; the oracle is notified of the pause.
    WhilePaused,
}

/// A program that may lose events, and their maximum number. Its signal interrupts the tool while it records in about one of a
/// hundred runs: the events that `exit` in the handler causes are counted as lost, the ends of the initial task and of the thread.
const DURING_RECORDING: (&str, u64) = ("c/exit_in_handler", 2);

/// Number of events that a program may lose.
pub fn may_lose(program: &Program) -> u64 {
    if program.name == DURING_RECORDING.0 { DURING_RECORDING.1 } else { 0 }
}

/// Programs that end their own recording, and the events that the runtime sends after that.
const AFTER_THE_END: &[(&str, &[&str])] =
    &[("c/control_tool", &["thread_end", "implicit_task", "sync_region", "sync_region_wait"])];

/// Faults of one program's run on this runtime, one per line; empty if there are none.
pub fn check(program: &Program, runtime: &Runtime) -> Result<String> {
    check_with(program, runtime, By::Oracle, &[])
}

/// Faults of one program's run with this way to load the oracle and these settings of the tool; empty if there are none.
pub fn check_with(
    program: &Program,
    runtime: &Runtime,
    by: By,
    settings: &[(&str, &str)],
) -> Result<String> {
    let settings = [&[traced::RECORD_ONLY], settings].concat();
    let traced = traced::run(program, runtime, by, &settings)?;
    let said = ending(program, &traced.run)?;
    if !traced.scratch.counts_file(traced.run.pid).is_file() {
        return Ok(format!("{said}    the oracle never counted: {}\n", traced.run.stderr));
    }
    Ok(said + &check_left(program, &traced.scratch)?)
}

/// Faults of the recordings in the folder of one program's run; empty if there are none.
pub fn check_left(program: &Program, scratch: &Scratch) -> Result<String> {
    if program.name == DURING_RECORDING.0 {
        return check_during_recording(scratch);
    }
    let after = AFTER_THE_END.iter().find(|(name, _)| *name == program.name);
    check_seen(scratch, after.map_or(Unseen::Nothing, |(_, events)| Unseen::These(events)))
}

/// Faults of the recordings in a folder, whose program kept these events from the tool; empty if there are none.
pub fn check_seen(scratch: &Scratch, unseen: Unseen) -> Result<String> {
    let mut said = String::new();
    let all = scratch.counts()?;
    for counts in &all {
        said += &process(unseen, counts, scratch)?;
    }
    let runs = scratch.runs()?.len();
    let owned: usize = all.iter().map(|counts| scratch.runs_of(counts.pid).len()).sum();
    if runs != owned {
        writeln!(
            said,
            "    {runs} run folders, but only {owned} belong to a process that counted"
        )?;
    }
    Ok(said)
}

fn check_during_recording(scratch: &Scratch) -> Result<String> {
    let mut said = check_sums(scratch)?;
    for run in scratch.runs()? {
        let lost = number(&Product::find()?.info(&run)?, "/events/lost")?;
        if lost > DURING_RECORDING.1 {
            writeln!(said, "    lost {lost}")?;
        }
    }
    Ok(said)
}

/// Faults of the sums of runs that may have lost events: each callback that returned must be recorded or reported as lost.
/// Empty if there are none.
pub fn check_sums(scratch: &Scratch) -> Result<String> {
    let mut said = String::new();
    for counts in scratch.counts()? {
        let runs = scratch.runs_of(counts.pid);
        let Some(run) = runs.last() else {
            said += &without_run(&counts);
            continue;
        };
        let info = Product::find()?.info(run)?;
        for name in EVENTS.iter().skip(1) {
            let (counted, reported) = (counts.event(name), InfoCounts::read(name, &info)?);
            let adds_up = reported.observed == reported.recorded + reported.lost;
            if !adds_up || !reported.totals.is_between(&counted.returned, &counted.entered) {
                let (totals, lost) = (reported.totals, reported.lost);
                let EventCounts { entered, returned, .. } = counted;
                write!(said, "    {name:<20} reported {totals}, of which {lost} lost")?;
                writeln!(said, ", counted {returned} (entered {entered})")?;
            }
        }
    }
    Ok(said)
}

/// Faults of the program's end: it must end, and print its last line, as it would without a tool. Empty if there are none.
pub fn ending(program: &Program, run: &Finished) -> Result<String> {
    let mut said = String::new();
    if !run.ended_by(program.directives.end) {
        writeln!(said, "    wanted {:?}, got {:?}", program.directives.end, run.status)?;
    }
    if run.last_line() != program.last_line() {
        let (wanted, got) = (program.last_line(), run.last_line());
        writeln!(said, "    wanted last line {wanted:?}, got {got:?}")?;
    }
    if !said.is_empty() {
        writeln!(said, "    stderr: {}", run.stderr.trim_end())?;
    }
    Ok(said)
}

/// One process of the run: after an exec, its last life, which is the one the oracle counted.
fn process(unseen: Unseen, counts: &Counts, scratch: &Scratch) -> Result<String> {
    let runs = scratch.runs_of(counts.pid);
    let said = match runs.last() {
        None => without_run(counts),
        Some(run) => with_run(unseen, counts, run)?,
    };
    Ok(if said.is_empty() { said } else { format!("  process {}\n{said}", counts.pid) })
}

/// A forked child that used no OpenMP leaves nothing: the runtime reported only that it exists.
fn without_run(counts: &Counts) -> String {
    let small_talk = ["thread_begin", "implicit_task", "thread_end"];
    let real = counts.events.iter().filter(|(name, event)| {
        let said = event.by_kind.keys().any(|&kind| kind != 1);
        event.entered.sum() > 0 && (!small_talk.contains(name) || (**name != "thread_end" && said))
    });
    let real: Vec<_> = real.map(|(name, _)| *name).collect();
    if real.is_empty() {
        String::new()
    } else {
        format!("    no run folder, but events: {real:?}\n")
    }
}

fn with_run(unseen: Unseen, counts: &Counts, run: &Path) -> Result<String> {
    let info = Product::find()?.info(run)?;
    let recorded = Recorded::read(run)?;
    let mut said = String::new();
    if recorded.backwards + recorded.unreadable > 0 {
        let Recorded { backwards, unreadable, .. } = recorded;
        writeln!(said, "    {backwards} records back in time, {unreadable} bytes unreadable")?;
    }
    if number(&info, "/events/lost")? != 0 {
        writeln!(said, "    lost {}", info["events"]["lost"])?;
    }
    let entries = recorded.ours.get(&Dependence::NUMBER).copied().unwrap_or(0);
    let few = entries < counts.dependences && unseen != Unseen::WhilePaused;
    if is_whole(counts.event("dependences")) && (few || entries > counts.dependences) {
        writeln!(said, "    {entries} dependences of {}", counts.dependences)?;
    }
    for (id, name) in (0..).zip(EVENTS).skip(1) {
        let only_heard = is_only_heard(name, &info);
        let excused = match unseen {
            _ if only_heard => true,
            Unseen::Nothing => false,
            Unseen::These(events) => events.contains(&name),
            Unseen::WhilePaused => true,
        };
        let counted = counts.event(name);
        let low = match unseen {
            Unseen::WhilePaused if !only_heard => counted.due,
            _ if excused => Totals::default(),
            _ => counted.returned,
        };
        said += &event(name, counted, &info, &low)?;
        let (read, reported) =
            (recorded.event(id).sum(), number(&info, &format!("/callbacks/{name}/recorded"))?);
        if read != reported {
            writeln!(said, "    {name}: info has {reported}, its files {read}")?;
        }
        said += &kinds(id, name, counts.event(name), &recorded, excused);
    }
    Ok(said)
}

/// The oracle and `info` on one event.
fn event(name: &str, counted: &EventCounts, info: &Value, low: &Totals) -> Result<String> {
    let reported = InfoCounts::read(name, info)?;
    let mut said = String::new();
    if !is_only_heard(name, info) && !registration_fits(counted.registered, &reported.registered) {
        let InfoCounts { registered, .. } = &reported;
        writeln!(said, "    {name}: registered {:?}, reported {registered:?}", counted.registered)?;
    }
    if !reported.totals.is_between(low, &counted.entered) || reported.lost != 0 {
        let (entered, returned) = (counted.entered, low);
        write!(said, "    {name:<20} reported {} lost {}", reported.totals, reported.lost)?;
        writeln!(said, ", counted {returned} (entered {entered})")?;
    }
    if reported.observed != reported.recorded + reported.lost
        || reported.observed != reported.totals.sum()
    {
        let InfoCounts { observed, recorded, lost, totals, .. } = &reported;
        writeln!(
            said,
            "    {name}: {observed} observed, {recorded} recorded, {lost} lost, {totals}"
        )?;
    }
    Ok(said)
}

/// The oracle and the recording on the kinds of one event.
fn kinds(id: u16, name: &str, counted: &EventCounts, recorded: &Recorded, excused: bool) -> String {
    let whole = is_whole(counted);
    let found = recorded.by_kind.keys().filter(|(event, _)| *event == id).map(|(_, kind)| *kind);
    let mut kinds: Vec<u32> = counted.by_kind.keys().copied().chain(found).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut said = String::new();
    for kind in kinds {
        let counted = counted.by_kind.get(&kind).copied().unwrap_or_default();
        let found = recorded.by_kind.get(&(id, kind)).copied().unwrap_or_default();
        let low = if excused { Totals::default() } else { counted };
        let high = if whole { counted } else { Totals::MAX };
        if !found.is_between(&low, &high) {
            said += &format!("    {name} of kind {kind}: recorded {found}, counted {counted}\n");
        }
    }
    said
}

/// Every callback that began also returned and was counted by kind as well: then nothing but equality
/// will do. A process can end between any two of the oracle's counters.
fn is_whole(counted: &EventCounts) -> bool {
    let by_kind = counted.by_kind.values().fold(Totals::default(), |sum, kind| sum.plus(kind));
    counted.entered == counted.returned && by_kind == counted.returned
}

/// Returns true if the tool registers this callback without recording it, which keeps runtimes from aborting.
fn is_only_heard(name: &str, info: &Value) -> bool {
    name == "sync_region_wait" && info["callbacks"][name]["registered"] == "not wanted"
}

fn registration_fits(answer: Option<i32>, reported: &str) -> bool {
    let words = ["error", "never", "impossible", "sometimes", "sometimes_paired", "always"];
    match answer {
        None => reported.starts_with("left out: ") || reported == "not wanted",
        Some(answer) => words.get(answer as usize).is_some_and(|word| *word == reported),
    }
}

/// Counts of one event as `ompttrace info` reports them.
struct InfoCounts {
    registered: String,
    totals: Totals,
    observed: u64,
    recorded: u64,
    lost: u64,
}

impl InfoCounts {
    fn read(name: &str, info: &Value) -> Result<InfoCounts> {
        let at = |field: &str| number(info, &format!("/callbacks/{name}/{field}"));
        let (begin, end, beginend) = (at("begin")?, at("end")?, at("beginend")?);
        let observed = at("observed")?;
        let none = observed.saturating_sub(begin + end + beginend);
        let registered = info["callbacks"][name]["registered"].as_str().unwrap_or_default();
        Ok(InfoCounts {
            registered: registered.to_string(),
            totals: Totals { none, begin, end, beginend },
            observed,
            recorded: at("recorded")?,
            lost: at("lost")?,
        })
    }
}
