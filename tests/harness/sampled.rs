//! Samples of a recording, as they were taken and as the trace processor has them.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::Recording;
use ompttrace_recording::events::{self, Event};

use crate::judged::Judged;

/// Each sample with all functions of its call stack, for the trace processor.
pub const STACKS: &str = "with recursive up as (select s.id as sample, c.id as site, c.parent_id, c.frame_id from perf_sample s \
     join stack_profile_callsite c on c.id = s.callsite_id union all select up.sample, c.id, c.parent_id, c.frame_id \
     from up join stack_profile_callsite c on c.id = up.parent_id) \
     select sample, f.name from up join stack_profile_frame f on f.id = up.frame_id";

/// Nearer to a change of state either side may be the one that knows it already, nanoseconds.
const NEAR: i64 = 200_000;

/// One sample of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// The kernel's id of the thread.
    pub os_thread: u32,
    /// State of the thread that the runtime reported (ompt_state_t).
    pub state: u64,
    /// Time that the sample represents, in nanoseconds.
    pub weight: u64,
    /// Number of addresses in its call stack.
    pub frames: u64,
}

/// All samples, thread by thread and each thread's in the order of time.
pub fn taken(recording: &Recording) -> Result<Vec<Taken>> {
    let mut samples = Vec::new();
    for at in 0..recording.samples.len() {
        let os_thread = recording.samples[at].os_thread;
        let mut period = 0;
        let (mut stream, mut left, mut first) = (recording.sample_stream(at), 0, true);
        let mut wrong = None;
        while stream
            .take(|record| match record.event() {
                Event::SamplesBegin(begin) if first || left == 0 => {
                    first = false;
                    period = begin.period;
                }
                Event::Sample(sample) if left == 0 && !first => {
                    let weight = period * (sample.missed + 1);
                    let events::Sample { state, frames, .. } = sample;
                    samples.push(Taken { os_thread, state, weight, frames });
                    left = frames.div_ceil(4);
                }
                Event::SampleFrames(_) if left > 0 => left -= 1,
                other => wrong = Some(other),
            })
            .is_some()
        {}
        ensure!(wrong.is_none() && stream.undecoded() == 0, "{wrong:?}");
    }
    samples.sort_by_key(|taken| taken.os_thread);
    Ok(samples)
}

/// A sample away from changes of its thread's state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Compared {
    /// State of the thread that the runtime reported, in one word as on tracks.
    pub by_runtime: &'static str,
    /// State of the thread according to the events around the sample.
    pub by_events: String,
    /// True if the program's function `work` is on the sample's call stack.
    pub in_work: bool,
    /// Innermost frame of the call stack, if OpenMP is at work there.
    pub pseudo_frame: Option<String>,
}

/// The state of a runtime (ompt_state_t) in one word, as the track has it.
fn activity(state: u64) -> &'static str {
    match state {
        0..=0xf => "work",
        0x10..=0xff => "wait",
        0x100 => "idle",
        0x101 => "overhead",
        _ => "undefined",
    }
}

/// Samples beside the state by events at their instants.
pub fn compared(recording: &Recording, folder: &Path) -> Result<Vec<Compared>> {
    let query = format!(
        "with state as (select t.utid, s.ts, s.dur, s.name from slice s \
         join thread_track t on t.id = s.track_id where s.category = 'state') \
         select th.tid, state.name, min(p.ts - state.ts, state.ts + state.dur - p.ts), \
         p.id in (select sample from ({STACKS}) where name = 'work'), f.name from perf_sample p \
         join thread th using (utid) join stack_profile_callsite c on c.id = p.callsite_id \
         join stack_profile_frame f on f.id = c.frame_id left join state on state.utid = p.utid \
         and state.ts <= p.ts and p.ts < state.ts + state.dur order by th.tid, p.ts, p.id"
    );
    let rows = Judged::with_view(folder, "threads")?.judge().query(&query)?.rows;
    let samples = taken(recording)?;
    ensure!(rows.len() == samples.len(), "{} in the trace, {} recorded", rows.len(), samples.len());
    let mut compared = Vec::new();
    for (row, taken) in rows.iter().zip(&samples) {
        let thread = row.first().and_then(|tid| tid.as_u64()).context("a thread")?;
        ensure!(thread == u64::from(taken.os_thread));
        let (Some(by_events), Some(distance)) = (row[1].as_str(), row[2].as_i64()) else {
            continue;
        };
        if distance > NEAR {
            compared.push(Compared {
                by_runtime: activity(taken.state),
                by_events: by_events.to_owned(),
                in_work: row[3].as_i64() == Some(1),
                pseudo_frame: row[4]
                    .as_str()
                    .filter(|name| name.starts_with('<'))
                    .map(str::to_owned),
            });
        }
    }
    Ok(compared)
}
