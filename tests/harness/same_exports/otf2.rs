//! An OTF2 archive as lines of text: otf2-print's listing with definitions called by what they say
//! instead of their numbers, and the events of each location together.

mod definitions;
mod references;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::build;
use definitions::Definitions;

const DEFINITIONS: &str = "=== Global Definitions ===";
const EVENTS: &str = "=== Events ===";
/// Begins of lines that differ between any two archives, or depend on the numbers of definitions.
const LEFT_OUT: [&str; 2] = ["Trace identifier ", "Number of global definitions "];
/// Columns of an event's line: its name, location and time.
const COLUMNS: usize = 3;

/// Canonical text of the archive in a folder.
pub fn lines(folder: &Path) -> Result<Vec<String>> {
    let mut print = Command::new("otf2-print");
    let listing =
        build::run(print.arg("--show-all").arg(folder.join("traces.otf2")), "otf2-tools")?;
    text(&String::from_utf8_lossy(&listing))
}

/// Canonical text of a listing by otf2-print.
pub fn text(listing: &str) -> Result<Vec<String>> {
    let (head, rest) = listing.split_once(DEFINITIONS).context("a listing with definitions")?;
    let (definitions, events) = rest.split_once(EVENTS).unwrap_or((rest, ""));
    let is_reported = |line: &&str| !LEFT_OUT.iter().any(|word| line.starts_with(word));
    let mut lines: Vec<String> = head.lines().filter(is_reported).map(str::to_owned).collect();
    let mut definitions = Definitions::parse(definitions);
    lines.extend(definitions.lines());
    for (location, events) in by_location(events, &mut definitions) {
        lines.push(format!("location {location}"));
        lines.extend(events);
    }
    Ok(lines)
}

/// Lines of the events by location, in the order of the listing, which is that of time.
fn by_location(listing: &str, definitions: &mut Definitions) -> BTreeMap<String, Vec<String>> {
    let (mut locations, mut names) = (BTreeMap::<String, Vec<String>>::new(), HashMap::new());
    for (head, attributes) in events(listing) {
        let [kind, location, time] = head;
        let name: &mut String = names
            .entry(location)
            .or_insert_with(|| definitions.name("LOCATION", location.parse().unwrap_or(u64::MAX)));
        let attributes = definitions.resolved(kind, &attributes);
        let line = format!("  {time} {kind} {attributes}");
        locations.entry(name.clone()).or_default().push(line);
    }
    locations
}

/// An event's columns and all that is said of it, further lines too.
fn events(listing: &str) -> Vec<([&str; COLUMNS], String)> {
    let mut events: Vec<([&str; COLUMNS], String)> = Vec::new();
    for line in listing.lines() {
        if let Some((head, attributes)) = event(line) {
            events.push((head, attributes.to_owned()));
        } else if let Some((_, attributes)) = events.last_mut() {
            attributes.push(' ');
            attributes.push_str(line.trim());
        }
    }
    events
}

fn event(line: &str) -> Option<([&str; COLUMNS], &str)> {
    if !line.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    let (kind, rest) = column(line);
    let (location, rest) = column(rest);
    let (time, rest) = column(rest);
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    (is_number(location) && is_number(time)).then_some(([kind, location, time], rest))
}

/// The first word and all after it.
fn column(line: &str) -> (&str, &str) {
    let line = line.trim_start();
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    (word, rest.trim_start())
}
