//! The end of the archives, and how much they hold.

use std::sync::Arc;

use ompttrace_model::Summary;
use ompttrace_recording::reader::Missing;

use crate::Error;
use crate::archive::{Archive, Markers};
use crate::archive_state::LocationKind;
use crate::define::Plan;
use crate::join::Assembly;
use crate::marks::{self, CUT, LOST};
use crate::process::{OfArchive, Process};

/// Contents of the archives that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Contents of each archive: that of OS threads first.
    pub archives: Vec<Contents>,
}

/// Numbers of items in an archive, which its readers must find again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Number of events of all locations.
    pub events: u64,
    /// Number of threads or logical threads.
    pub locations: u64,
    /// Number of distinct teams, and communicators of MPI.
    pub communicators: u64,
    /// Number of regions.
    pub regions: u64,
    /// Number of tasks that were created and did not end: the recording was truncated.
    pub unfinished_tasks: u64,
}

impl Assembly {
    /// Ends the archives of this process alone after the last segment.
    pub(crate) fn end(mut self, summary: &Summary) -> Result<Written, Error> {
        let archives = std::mem::take(&mut self.archives);
        let process = self.leave(summary)?;
        end(archives, &[process], None)
    }
}

/// Ends archives of these processes: of a job of so many ranks, or of one process.
pub(crate) fn end(
    archives: Vec<(LocationKind, Arc<Archive>)>,
    processes: &[Process],
    ranks: Option<u32>,
) -> Result<Written, Error> {
    let mut written = Written::default();
    for (at, (_, archive)) in archives.into_iter().enumerate() {
        let parts: Vec<_> =
            processes.iter().filter_map(|one| Some((one, one.views.get(at)?))).collect();
        written.archives.push(end_archive(&archive, &parts, ranks)?);
        match Arc::try_unwrap(archive) {
            Ok(archive) => archive.close()?,
            Err(_) => return Err(Error::Thread("it still has the archive".into())),
        }
    }
    Ok(written)
}

/// A process and its part of an archive.
pub(crate) type Part<'a> = (&'a Process, &'a OfArchive);

fn end_archive(
    archive: &Archive,
    parts: &[Part<'_>],
    ranks: Option<u32>,
) -> Result<Contents, Error> {
    describe(archive, parts, ranks)?;
    let definitions = Plan::of(parts, ranks);
    for location in definitions.empty_locations() {
        archive.write_empty(location)?;
    }
    archive.begin_local_definitions()?;
    for ((process, of), mapping) in parts.iter().zip(definitions.mappings()) {
        archive.write_local_definitions(process.locations(of), mapping)?;
    }
    archive.write_local_definitions(definitions.empty_locations(), &Default::default())?;
    archive.end_local_definitions()?;
    let (communicators, regions) = definitions.write(archive)?;
    mark(archive, parts)?;
    let sum = |of: fn(&OfArchive) -> u64| parts.iter().map(|(_, part)| of(part)).sum();
    Ok(Contents {
        events: sum(|part| part.done.all().map(|location| location.events).sum()),
        locations: sum(|part| part.done.tracks.len() as u64),
        communicators,
        regions,
        unfinished_tasks: sum(|part| part.done.unfinished as u64),
    })
}

/// Writes the markers of all processes, and one where something is missing or was cut.
fn mark(archive: &Archive, parts: &[Part<'_>]) -> Result<(), Error> {
    let mut markers = Markers::open(archive)?;
    marks::define(&mut markers)?;
    for (process, of) in parts {
        for marker in &of.done.markers {
            let location = process.first_location + u64::from(marker.track);
            markers.mark(marker.at, marker.marker, Some(location), &marker.text)?;
        }
        let (end, summary) = (process.end(of), &process.summary);
        // In which process, where there are several.
        let of_which = match parts.len() {
            1 => String::new(),
            _ => format!("{}: ", process.run.process_name),
        };
        let mut mark =
            |kind, text: &str| markers.mark(end, kind, None, &format!("{of_which}{text}"));
        if summary.lost > 0 && !process.reports_loss {
            mark(LOST, &format!("{} records lost", summary.lost))?;
        }
        if let Some(missing) = summary.missing {
            mark(LOST, &format!("buffers missing: {missing} lost"))?;
        }
        if summary.cut > 0 {
            mark(CUT, "the recording stops here; what was open is ended here")?;
        }
    }
    markers.close(archive)
}

fn describe(archive: &Archive, parts: &[Part<'_>], ranks: Option<u32>) -> Result<(), Error> {
    let creator = format!("ompttrace {}", env!("CARGO_PKG_VERSION"));
    let distinct = |of: &dyn Fn(&Process) -> Vec<String>| {
        let mut all = Vec::new();
        for text in parts.iter().flat_map(|(process, _)| of(process)) {
            if !all.contains(&text) {
                all.push(text);
            }
        }
        all
    };
    let hosts = distinct(&|process| vec![process.run.host.clone()]).join(", ");
    let lines = distinct(&|process| vec![process.run.command_line()]);
    archive.describe(&creator, &hosts, lines.first().map_or("", String::as_str))?;
    let runtimes = distinct(&|process| process.run.runtimes.clone());
    archive.property("RUNTIME", &runtimes.join("; "))?;
    let tools = distinct(&|process| vec![process.run.tool.clone()]);
    archive.property("RECORDED_BY", &tools.join("; "))?;
    let sum = |of: fn(&Summary) -> u64| {
        parts.iter().map(|(process, _)| of(&process.summary)).sum::<u64>().to_string()
    };
    archive.property("LOST_RECORDS", &sum(|summary| summary.lost))?;
    let missing = parts.iter().filter_map(|(process, _)| process.summary.missing);
    if let Some(most) = missing.map(Missing::records_per_thread).max() {
        archive.property("LOST_RECORDS_PER_THREAD_AT_MOST", &most.to_string())?;
    }
    archive.property("INFERRED", &sum(|summary| summary.inferred))?;
    let unfinished: usize = parts.iter().map(|(_, of)| of.done.unfinished).sum();
    archive.property("UNFINISHED_TASKS", &unfinished.to_string())?;
    archive.property("CUT", &sum(|summary| summary.cut))?;
    match ranks {
        Some(size) => {
            archive.property("RANKS", &parts.len().to_string())?;
            archive.property("INCOMPLETE_RANKS", &incomplete(parts, size))
        }
        None => Ok(()),
    }
}

/// Ranks that are missing, or of which something is missing, as ranges: `0-3, 7`.
fn incomplete(parts: &[Part<'_>], size: u32) -> String {
    let whole = |rank: &u32| {
        let found = parts.binary_search_by_key(rank, |(process, _)| process.number);
        found.ok().and_then(|at| parts.get(at)).is_some_and(|(process, _)| process.is_whole())
    };
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for rank in (0..size).filter(|rank| !whole(rank)) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => ranges.push((rank, rank)),
        }
    }
    let text = |(first, last): (u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    ranges.into_iter().map(text).collect::<Vec<_>>().join(", ")
}
