//! `view --region heat.c:104 --instance 3`: the time of that execution.

use anyhow::{Context, Result, bail};
use ompttrace_model::{Definitions, Event, RegionTrack, RunInfo, Sink, SourceLocation, Summary};
use ompttrace_recording::Recording;
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;

/// Maximum number of locations in the message that lists them.
const NAMED: usize = 8;

/// Begin and end of a time span, in nanoseconds since the run's begin.
pub type Time = (u64, u64);

/// Time of the `instance`th execution, from 1 on, of the region at a location such as `heat.c:104`.
pub fn find(recording: &Recording, location: &str, instance: u64) -> Result<Time> {
    let sink = Finder { location: location.to_owned(), instance, ..Finder::default() };
    let Ok((finder, _)) = ompttrace_timeline::run(recording, sink) else { bail!("no timeline") };
    if let Some(found) = finder.found {
        return Ok(found);
    }
    match finder.seen.get(location) {
        Some(count) => bail!("--instance {instance}: {location} was executed {count} times"),
        None => bail!("--region {location}: there is no parallel region; {}", finder.there()),
    }
}

/// Looks for the region, and counts all of them by location.
#[derive(Debug, Default)]
struct Finder {
    location: String,
    instance: u64,
    run: Time,
    seen: BTreeMap<String, u64>,
    names: HashMap<u32, String>,
    /// Track of the execution that is looked for while it lasts, and its begin in nanoseconds.
    open: Option<(RegionTrack, u64)>,
    found: Option<Time>,
}

impl Finder {
    fn begins(&mut self, definitions: &Definitions, (track, source): (RegionTrack, u32), at: u64) {
        let name = self.names.entry(source).or_insert_with(|| {
            let known = (source as usize).checked_sub(1);
            let known = known.and_then(|at| definitions.source_locations().get(at));
            known.and_then(name_of).unwrap_or_else(|| "a location without a line".to_owned())
        });
        let count = self.seen.entry(name.clone()).or_default();
        *count += 1;
        if *name == self.location && *count == self.instance {
            self.open = Some((track, at));
        }
    }

    fn ends(&mut self, track: RegionTrack, at: u64) {
        if let Some((_, from)) = self.open.take_if(|(open, _)| *open == track) {
            let since = |time: u64| time.saturating_sub(self.run.0);
            self.found = Some((since(from), since(at)));
        }
    }

    /// The regions of the run in words, the most frequent first.
    fn there(&self) -> String {
        let mut all: Vec<_> = self.seen.iter().collect();
        all.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let more = if all.len() > NAMED { ", and others" } else { "" };
        let named = all.iter().take(NAMED).map(|(name, count)| format!("{name} ({count})"));
        match all.is_empty() {
            true => "the run has none".to_owned(),
            false => format!("the run has {}{more}", named.collect::<Vec<_>>().join(", ")),
        }
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
