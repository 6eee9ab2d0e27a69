//! Wall time of a report: its begin and end, and its parts before and after all parallel regions.

use crate::model::{Life, TimeWindow};
use crate::sink::ReportSink;
use ompttrace_model::end_in_words;

pub(super) fn life(sink: &ReportSink) -> Life {
    let stop = sink.stopped.unwrap_or(sink.end);
    let regions = &sink.regions;
    let (run_begin, run_end) = sink.run;
    let is_cut = sink.bounds.ends_before(run_end);
    let ended = sink.facts.life.ended.as_ref().filter(|_| !is_cut);
    Life {
        from: match begins_with_process(sink) {
            _ if sink.bounds.begins_after(run_begin) => "window",
            true => "process",
            false => "record",
        },
        to: match ended {
            _ if is_cut && !is_off(sink) => "window".to_owned(),
            _ if is_off(sink) && sink.facts.life.silent.is_some() => "runtime".to_owned(),
            _ if is_off(sink) => "off".to_owned(),
            Some(end) => end.by.clone(),
            None => "sign".to_owned(),
        },
        ended: ended.map(end_in_words),
        before_regions_ns: regions.first.map(|first| first.saturating_sub(sink.begin)),
        after_regions_ns: regions.first.map(|_| stop.saturating_sub(regions.last)),
    }
}

/// The part of the run that is reported, if it is not all of it.
pub(super) fn window(sink: &ReportSink) -> Option<TimeWindow> {
    let since = |at: u64| at.saturating_sub(sink.run.0);
    let window = || TimeWindow { from_ns: since(sink.begin), to_ns: since(sink.end) };
    sink.bounds.is_part.then(window)
}

/// Caveats about time that was not recorded: before recording was on, after it ended, or because the program's end was not seen.
pub(super) fn caveats(sink: &ReportSink) -> impl Iterator<Item = &'static str> {
    let life = &sink.facts.life;
    let paused = life.paused.then_some(
        "Recording was off when it was made: the time before its first event does not count.",
    );
    let off = is_off(sink).then_some(match life.silent {
        Some(_) => {
            "The OpenMP runtime ended while the program went on, as omp_pause_hard and unloading its library make it, and no \
             other reported anything after that: the time after that is unknown and does not count."
        }
        None => "Recording was switched off before the end: the time after that does not count.",
    });
    // Older tools never say when a process ended.
    let unseen = (life.began.is_some() && life.ended.is_none()).then_some(
        "Nobody saw when the program ended: the run ends with its last sign of life. \
         `ompttrace run` sees it.",
    );
    [paused, off, unseen].into_iter().flatten()
}

fn begins_with_process(sink: &ReportSink) -> bool {
    let life = &sink.facts.life;
    life.began.is_some() && !life.paused
}

/// True if recording stopped before the run was over: it was switched off, or the runtime ended.
fn is_off(sink: &ReportSink) -> bool {
    sink.stopped.is_some_and(|stopped| stopped < sink.end)
}
