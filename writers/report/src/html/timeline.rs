//! The timeline: the states of each thread over the run, as data in the page that a script draws and zooms.

use super::charts::SPLIT;
use crate::marks::Marks;
use crate::model::Report;
use crate::state::State;
use crate::strip::{Strip, Track};
use maud::{Markup, PreEscaped, html};
use plotters::style::RGBColor;
use serde::Serialize;
use std::collections::BTreeMap;

/// Data that the script reads; times are nanoseconds.
#[derive(Serialize)]
struct Data<'a> {
    bin_ns: u64,
    bins: usize,
    wall_ns: u64,
    /// Names and colours of the groups in which states are drawn.
    groups: Vec<(&'static str, String)>,
    /// The group of each state, by name.
    states: BTreeMap<&'static str, usize>,
    tracks: Vec<TrackData<'a>>,
    /// Tracks above those of threads: findings, with their numbers, and the critical path.
    marks: Vec<MarksData<'a>>,
}

#[derive(Serialize)]
struct MarksData<'a> {
    name: &'static str,
    slices: Vec<MarkData<'a>>,
}

/// Times since the begin of the timeline.
#[derive(Serialize)]
struct MarkData<'a> {
    from_ns: u64,
    to_ns: u64,
    /// A number that is drawn; none of a part of the path.
    number: Option<usize>,
    title: &'a str,
}

#[derive(Serialize)]
struct TrackData<'a> {
    name: String,
    threads: &'a [u32],
    /// Runs of bins with the same time in a state: first bin, number of bins, nanoseconds.
    times: BTreeMap<&'static str, Vec<[u64; 3]>>,
}

/// The data as an element of the page's head, which no text in it can end.
pub(super) fn data(report: &Report, strip: &Strip) -> Markup {
    let groups =
        SPLIT.iter().map(|(name, RGBColor(r, g, b), _)| (*name, format!("rgb({r},{g},{b})")));
    let group =
        |state: &State| SPLIT.iter().position(|(_, _, of)| of(*state)).map(|at| (state.name(), at));
    let data = Data {
        bin_ns: strip.width,
        bins: strip.bins,
        wall_ns: report.wall_ns,
        groups: groups.collect(),
        states: State::ALL.iter().filter_map(group).collect(),
        tracks: strip.tracks.iter().map(|track| track_data(report, track)).collect(),
        marks: marks(&strip.marks),
    };
    let json = serde_json::to_string(&data).unwrap_or_default();
    let json = json.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e");
    html! { script #timeline-data type="application/json" { (PreEscaped(json)) } }
}

/// Those tracks that have something on them.
fn marks(marks: &Marks) -> Vec<MarksData<'_>> {
    let since = |at: u64| at.saturating_sub(marks.begin);
    let findings = marks.findings.iter().map(|mark| MarkData {
        from_ns: since(mark.begin),
        to_ns: since(mark.end),
        number: Some(mark.number),
        title: &mark.title,
    });
    let path = marks.path.iter().map(|mark| MarkData {
        from_ns: since(mark.begin),
        to_ns: since(mark.end),
        number: None,
        title: &mark.title,
    });
    let tracks = [("Findings", findings.collect()), ("Critical path", path.collect::<Vec<_>>())];
    let tracks = tracks.into_iter().map(|(name, slices)| MarksData { name, slices });
    tracks.filter(|track| !track.slices.is_empty()).collect()
}

fn track_data<'a>(report: &Report, track: &'a Track) -> TrackData<'a> {
    let times = State::ALL.iter().map(|state| (state.name(), track.times(*state)));
    let times = times.filter(|(_, runs)| !runs.is_empty()).collect();
    TrackData { name: name(report, &track.threads), threads: &track.threads, times }
}

fn name(report: &Report, threads: &[u32]) -> String {
    match threads {
        [number] => {
            let thread = report.threads.iter().find(|thread| thread.number == *number);
            thread.map_or_else(|| number.to_string(), |thread| thread.name.clone())
        }
        several => format!("{} further threads", several.len()),
    }
}

/// The section of the page in which the script draws the timeline.
pub(super) fn section() -> Markup {
    html! {
        section #timeline {
            h2 { "Timeline" }
            noscript { p { "The timeline needs scripts, which are off; the tables do not." } }
            div.tools hidden="" {
                button type="button" data-zoom="0.5" { "+" }
                button type="button" data-zoom="2" { "−" }
                button type="button" data-zoom="all" { "whole run" }
                span.faint { "mouse wheel or + and − zoom, dragging selects, arrow keys move, Escape shows the whole run" }
            }
            canvas tabindex="0" role="img" aria-label="What each thread does over the run" hidden="" {}
            output {}
            p.legend {
                @for (name, RGBColor(r, g, b), _) in SPLIT {
                    span { i style=(format!("background:rgb({r},{g},{b})")) {} (name) }
                }
            }
        }
    }
}
