//! `--region heat.c:104 --instance 3`, `--phase solve`: when that was.

use anyhow::{Context, Result, bail};
use ompttrace_model::{
    Definitions, Event, RegionTrack, RunInfo, Sink, SourceLocation, Summary, ThreadRef,
};
use ompttrace_recording::Recording;
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;

/// Maximum number of locations in the message that lists them.
const NAMED: usize = 8;

/// Begin and end of a time span, in nanoseconds since the run's begin.
pub type Time = (u64, u64);

/// Executions of parallel regions, or of phases.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// That of this number, from 1 on, of the region at a location such as `heat.c:104`.
    Execution(String, u64),
    /// All of the region at a location, from the begin of the first one to the end of the last one.
    All(String),
    /// The first one of any region.
    First,
    /// That of this number of the phase with a name, or all.
    Phase(String, Option<u64>),
}

/// Finds the time span of the wanted executions; an error if the recording has none of them.
pub fn find(recording: &Recording, wanted: Wanted) -> Result<Time> {
    let sink = Finder::of(wanted.clone());
    let Ok((finder, _)) = ompttrace_timeline::run(recording, sink) else { bail!("no timeline") };
    if let Some(found) = finder.found {
        return Ok(found);
    }
    match wanted {
        Wanted::Phase(name, _) if !finder.phases.contains_key(&name) => {
            bail!("--phase {name}: there is no such phase; {}", listed(&finder.phases))
        }
        Wanted::Phase(name, instance) => {
            let count = finder.phases.get(&name).copied().unwrap_or(0);
            bail!("--instance {}: {name} was executed {count} times", instance.unwrap_or(0))
        }
        Wanted::First => bail!("--after-first-region: {}", listed(&finder.seen)),
        Wanted::Execution(location, _) | Wanted::All(location)
            if !finder.seen.contains_key(&location) =>
        {
            bail!("--region {location}: there is no parallel region; {}", listed(&finder.seen))
        }
        Wanted::Execution(location, instance) => {
            let count = finder.seen.get(&location).copied().unwrap_or(0);
            bail!("--instance {instance}: {location} was executed {count} times")
        }
        Wanted::All(location) => bail!("--region {location}: no execution of it ended"),
    }
}

/// Looks for the region, and counts all of them by location.
#[derive(Debug, Default)]
struct Finder {
    wanted: Option<Wanted>,
    run: Time,
    seen: BTreeMap<String, u64>,
    names: HashMap<u32, String>,
    /// Begin of each open execution that is looked for, in nanoseconds of the timeline, by the region's track.
    open: HashMap<RegionTrack, u64>,
    /// Executions of phases by name, and begins of those that are open on each thread; none where it is not looked for.
    phases: BTreeMap<String, u64>,
    open_phases: HashMap<ThreadRef, Vec<Option<u64>>>,
    found: Option<Time>,
}

impl Finder {
    fn of(wanted: Wanted) -> Finder {
        Finder { wanted: Some(wanted), ..Finder::default() }
    }

    fn begins(&mut self, definitions: &Definitions, (track, source): (RegionTrack, u32), at: u64) {
        let name = self.names.entry(source).or_insert_with(|| {
            let known = (source as usize).checked_sub(1);
            let known = known.and_then(|at| definitions.source_locations().get(at));
            known.and_then(name_of).unwrap_or_else(|| "a location without a line".to_owned())
        });
        let count = self.seen.entry(name.clone()).or_default();
        *count += 1;
        let count = &*count;
        let is_wanted = match &self.wanted {
            Some(Wanted::Execution(location, instance)) => name == location && count == instance,
            Some(Wanted::All(location)) => name == location,
            Some(Wanted::First) => self.found.is_none() && self.open.is_empty(),
            Some(Wanted::Phase(..)) | None => false,
        };
        if is_wanted {
            self.open.insert(track, at);
        }
    }

    fn ends(&mut self, track: RegionTrack, at: u64) {
        if let Some(from) = self.open.remove(&track) {
            self.is_found(from, at);
        }
    }

    fn phase_begins(
        &mut self,
        definitions: &Definitions,
        (thread, name): (ThreadRef, u32),
        at: u64,
    ) {
        let text = definitions.strings().get(name as usize);
        let name = text.map(|text| text.to_string()).unwrap_or_default();
        let count = self.phases.entry(name.clone()).or_default();
        *count += 1;
        let is_wanted = matches!(&self.wanted, Some(Wanted::Phase(wanted, instance))
            if *wanted == name && instance.is_none_or(|instance| instance == *count));
        self.open_phases.entry(thread).or_default().push(is_wanted.then_some(at));
    }

    fn phase_ends(&mut self, thread: ThreadRef, at: u64) {
        if let Some(Some(from)) = self.open_phases.get_mut(&thread).and_then(Vec::pop) {
            self.is_found(from, at);
        }
    }

    fn is_found(&mut self, from: u64, at: u64) {
        let since = |time: u64| time.saturating_sub(self.run.0);
        let found = (since(from), since(at));
        let before = self.found.unwrap_or(found);
        self.found = Some((before.0.min(found.0), before.1.max(found.1)));
    }
}

/// The regions or phases of the run in words, the most frequent first.
fn listed(all: &BTreeMap<String, u64>) -> String {
    let mut all: Vec<_> = all.iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let more = if all.len() > NAMED { ", and others" } else { "" };
    let named = all.iter().take(NAMED).map(|(name, count)| format!("{name} ({count})"));
    match all.is_empty() {
        true => "the run has none".to_owned(),
        false => format!("the run has {}{more}", named.collect::<Vec<_>>().join(", ")),
    }
}

/// Name of a location, such as `heat.c:104`.
fn name_of(location: &SourceLocation) -> Option<String> {
    let file = location.file.as_deref()?.rsplit('/').next()?;
    Some(format!("{file}:{}", location.line?))
}

impl Sink for Finder {
    type Output = Finder;
    type Error = Infallible;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.run = (run.begin, run.end);
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        match event {
            Event::RegionBegin(track, slice) => {
                self.begins(definitions, (*track, slice.source), at)
            }
            Event::RegionEnd(track, _) => self.ends(*track, at),
            Event::PhaseBegin(executor, slice) => {
                self.phase_begins(definitions, (executor.thread, slice.name), at);
            }
            Event::PhaseEnd(executor, _) => self.phase_ends(executor.thread, at),
            _ => {}
        }
    }

    fn finish(self, _: &Definitions, _: &Summary) -> Result<Finder, Infallible> {
        Ok(self)
    }
}

/// A window around a time span, with a tenth of it before and after.
pub fn around((from, to): Time) -> Result<(u64, u64)> {
    let margin = to.checked_sub(from).context("a time")? / 10 + 1_000;
    Ok((from.saturating_sub(margin), to.saturating_add(margin)))
}
