//! Events on tracks as lines of text that say nothing of numbers a writer is free to choose: what a
//! track is called instead of its number, and an arrow's next event instead of the arrow's.

use std::collections::{BTreeSet, HashMap};

/// One event.
#[derive(Clone, Debug, Default)]
pub struct Event {
    /// Time of the event in nanoseconds.
    pub at: u64,
    /// Name of the event, short enough to be shown where an arrow leads to the event.
    pub name: String,
    /// Text of all other properties.
    pub rest: String,
    /// Ids of the chains of arrows that the event is part of, with a word for its part in each.
    pub links: Vec<(u64, &'static str)>,
}

/// A track with its events in the order in which a reader sees them.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// Names of the tracks that contain it and its own, as a path.
    pub path: String,
    /// Other properties of the track.
    pub about: BTreeSet<String>,
    /// Events of the track in the order in which a reader sees them.
    pub events: Vec<Event>,
}

/// An event: the index of its track, and its own on that track.
type EventIndex = (usize, usize);

/// Canonical text of the tracks, sorted by name; tracks with the same name are sorted by their contents.
pub fn lines(mut tracks: Vec<Track>) -> Vec<String> {
    tracks.sort_by(|one, other| {
        let key = |track: &Track| (track.path.clone(), track.about.clone());
        key(one).cmp(&key(other)).then_with(|| contents(one).cmp(contents(other)))
    });
    let next = next_of_each(&tracks);
    let mut lines = Vec::new();
    for (at, track) in tracks.iter().enumerate() {
        lines.push(format!("track {}", track.path));
        lines.extend(track.about.iter().map(|about| format!("  {about}")));
        for (index, event) in track.events.iter().enumerate() {
            lines.push(line(event, (at, index), &next, &tracks));
        }
    }
    lines
}

fn contents(track: &Track) -> impl Iterator<Item = (u64, &str, &str)> {
    track.events.iter().map(|event| (event.at, event.name.as_str(), event.rest.as_str()))
}

/// For each event of a chain the next event of the chain, in order of time.
fn next_of_each(tracks: &[Track]) -> HashMap<(u64, EventIndex), EventIndex> {
    let mut chains: HashMap<u64, Vec<(u64, EventIndex)>> = HashMap::new();
    for (at, track) in tracks.iter().enumerate() {
        for (index, event) in track.events.iter().enumerate() {
            for (id, _) in &event.links {
                chains.entry(*id).or_default().push((event.at, (at, index)));
            }
        }
    }
    let mut next = HashMap::new();
    for (id, mut stops) in chains {
        stops.sort_unstable();
        next.extend(stops.windows(2).map(|pair| ((id, pair[0].1), pair[1].1)));
    }
    next
}

fn line(
    event: &Event,
    event_index: EventIndex,
    next: &HashMap<(u64, EventIndex), EventIndex>,
    tracks: &[Track],
) -> String {
    let mut arrows: Vec<String> = Vec::new();
    for (id, word) in &event.links {
        arrows.push(match next.get(&(*id, event_index)) {
            None => format!(" {word} to nothing"),
            Some((track, index)) => {
                let (track, to) = (&tracks[*track], &tracks[*track].events[*index]);
                format!(" {word} to {} {} on {}", to.at, to.name, track.path)
            }
        });
    }
    arrows.sort();
    format!("  {} {}{}{}", event.at, event.name, event.rest, arrows.concat())
}
