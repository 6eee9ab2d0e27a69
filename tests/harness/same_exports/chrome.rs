//! A trace in Chrome's JSON as lines of text: events by process and thread, in the file's order.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use super::tracks::{self, Event, Track};

#[derive(Default)]
struct Reader {
    whole: Vec<String>,
    tracks: BTreeMap<String, Track>,
}

/// A whole trace, an array of events.
pub fn lines(bytes: &[u8]) -> Result<Vec<String>> {
    let mut reader = Reader::default();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    Each(&mut reader).deserialize(&mut json).context("Chrome's JSON")?;
    json.end()?;
    reader.whole.sort();
    let tracks = reader.tracks.into_values().collect();
    Ok(reader.whole.into_iter().chain(tracks::lines(tracks)).collect())
}

impl Reader {
    fn take(&mut self, mut event: Value) {
        let mut part = |name: &str| event.as_object_mut().and_then(|event| event.remove(name));
        let mut text = |name: &str| part(name).map(|value| value.to_string()).unwrap_or_default();
        let (kind, pid, tid) = (text("ph"), text("pid"), text("tid"));
        let (name, ts) = (text("name"), text("ts"));
        let path = format!("{pid}/{tid}");
        if kind == "\"M\"" {
            self.whole.push(format!("about {path}: {name} {event}"));
            return;
        }
        let is_arrow = ["\"s\"", "\"t\"", "\"f\""].contains(&kind.as_str());
        let id = if is_arrow {
            event.as_object_mut().and_then(|event| event.remove("id"))
        } else {
            None
        };
        let links = id.and_then(|id| id.as_u64()).map(|id| (id, "arrow")).into_iter().collect();
        let track = self.tracks.entry(path.clone()).or_default();
        track.path = path;
        let rest = format!(" {event}");
        track.events.push(Event {
            at: nanoseconds(&ts),
            name: format!("{kind} {name}"),
            rest,
            links,
        });
    }
}

/// Times are microseconds with three digits after the point.
fn nanoseconds(ts: &str) -> u64 {
    ts.parse::<f64>().map_or(0, |microseconds| (1000.0 * microseconds).round() as u64)
}

/// Has a reader take every event of an array, one at a time.
struct Each<'r>(&'r mut Reader);

impl<'de> DeserializeSeed<'de> for Each<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Each<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an array of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<(), A::Error> {
        while let Some(event) = events.next_element()? {
            self.0.take(event);
        }
        Ok(())
    }
}
