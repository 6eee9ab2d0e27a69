//! Exports of one recording: time by the wall and by the processor, bytes, peak of memory.

use super::Case;
use super::recorded::Recorded;
use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Ticks a second of the times in /proc: the same on every Linux that we know.
const TICKS: f64 = 100.0;
/// How often a running export is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// What was seen of one case, the best of all rounds.
pub struct Measured {
    pub load: String,
    pub format: &'static str,
    pub view: &'static str,
    pub events: u64,
    /// Begins, ends, instants and values in the trace.
    pub told: u64,
    pub bytes: u64,
    pub wall: f64,
    pub processor: f64,
    pub peak_kib: u64,
}

/// One run of the exporter.
struct Run {
    wall: f64,
    processor: f64,
    peak_kib: u64,
    said: Value,
}

/// Exports so many times.
pub fn measure(recorded: &Recorded, case: &Case, rounds: usize) -> Result<Measured> {
    let mut best: Option<Measured> = None;
    for _ in 0..rounds {
        let run = export(recorded, case)?;
        let bytes = take_traces(&recorded.run, &run.said)?;
        let before = best.take();
        let least = |now: f64, known: fn(&Measured) -> f64| {
            before.as_ref().map_or(now, |b| known(b).min(now))
        };
        let peak_kib = before.as_ref().map_or(0, |b| b.peak_kib).max(run.peak_kib);
        best = Some(Measured {
            load: recorded.load.name(),
            format: case.format,
            view: case.view,
            events: count(&run.said, "events"),
            told: told(&run.said, case.view),
            bytes,
            wall: least(run.wall, |b| b.wall),
            processor: least(run.processor, |b| b.processor),
            peak_kib,
        });
    }
    best.context("no rounds")
}

fn export(recorded: &Recorded, case: &Case) -> Result<Run> {
    let mut command = Command::new(shell::target_dir().join("release/ompttrace"));
    command.arg("export").arg(&recorded.run).args(["--format", case.format, "--view", case.view]);
    command.arg("--json").stdout(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().context("cannot start ompttrace")?;
    let mut peak_kib = 0;
    // Not waited for yet: the times of a child that has ended stay until it is.
    while !has_ended(&child)? {
        peak_kib = peak(&child).unwrap_or(peak_kib);
        sleep(LOOK);
    }
    let wall = start.elapsed().as_secs_f64();
    let processor = processor(&child)?;
    let mut text = String::new();
    child.stdout.take().context("no output")?.read_to_string(&mut text)?;
    if !child.wait()?.success() {
        bail!("`{}` failed", shell::shown(&command));
    }
    let said = serde_json::from_str(&text).context("the export said something else than JSON")?;
    Ok(Run { wall, processor, peak_kib, said })
}

/// The fields of /proc/pid/stat behind the name, which may hold anything.
fn stat(child: &Child) -> Result<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{}/stat", child.id()))?;
    let fields = text.rsplit_once(") ").context("a strange /proc/pid/stat")?.1;
    Ok(fields.split(' ').map(str::to_owned).collect())
}

fn has_ended(child: &Child) -> Result<bool> {
    Ok(stat(child)?.first().is_some_and(|state| state == "Z"))
}

/// Seconds of processor time of all threads.
fn processor(child: &Child) -> Result<f64> {
    let fields = stat(child)?;
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    let (user, system) = ticks(11).zip(ticks(12)).context("a short /proc/pid/stat")?;
    Ok((user + system) / TICKS)
}

/// Peak of resident memory so far, KiB; nothing once the process has ended.
fn peak(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// Removes the traces that an export left in the run folder; returns their bytes.
fn take_traces(run: &Path, said: &Value) -> Result<u64> {
    let mut bytes = 0;
    for trace in said["traces"].as_array().into_iter().flatten() {
        let path = Path::new(trace.as_str().context("a trace without a path")?);
        let trace = top_below(run, path).context("a trace outside of the run folder")?;
        bytes += bytes_of(&trace)?;
        if trace.is_dir() { fs::remove_dir_all(&trace)? } else { fs::remove_file(&trace)? }
    }
    Ok(bytes)
}

/// What of a trace lies in the run folder itself: of an archive its folder, though the export names
/// the file in it that readers open.
fn top_below(run: &Path, trace: &Path) -> Option<PathBuf> {
    let name = trace.strip_prefix(run).ok()?.components().next()?;
    Some(run.join(name))
}

fn bytes_of(path: &Path) -> Result<u64> {
    if !path.is_dir() {
        return Ok(path.metadata()?.len());
    }
    fs::read_dir(path)?.map(|entry| bytes_of(&entry?.path())).sum()
}

fn count(said: &Value, field: &str) -> u64 {
    said[field].as_u64().unwrap_or(0)
}

fn told(said: &Value, view: &str) -> u64 {
    let on_lanes = if view == "both" { 1 } else { 0 };
    let slices = count(said, "slices") + on_lanes * count(said, "lane_slices");
    let shared = count(said, "region_slices") + count(said, "hold_slices");
    let instants = count(said, "instants") + on_lanes * count(said, "lane_instants");
    2 * (slices + shared) + instants + count(said, "counter_values")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_archive_is_measured_as_a_whole() {
        let top = |trace| top_below(Path::new("/tmp/run"), Path::new(trace));
        let archive = Some(PathBuf::from("/tmp/run/trace-otf2"));
        assert_eq!(top("/tmp/run/trace-otf2/traces.otf2"), archive);
        assert_eq!(top("/tmp/run/trace.json"), Some(PathBuf::from("/tmp/run/trace.json")));
        assert_eq!((top("/tmp/run"), top("/tmp/other")), (None, None));
    }

    #[test]
    fn a_slice_is_told_twice_and_on_lanes_again() {
        let said = json!({ "slices": 100, "lane_slices": 10, "hold_slices": 1000, "instants": 7,
            "lane_instants": 3, "counter_values": 5 });
        assert_eq!(told(&said, "threads"), 2212);
        assert_eq!(told(&said, "both"), 2235);
    }
}
