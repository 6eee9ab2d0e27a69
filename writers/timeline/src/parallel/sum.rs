//! The counts of all windows, added up.

use ompttrace_model::Summary;

/// Adds those of the next window.
pub(super) fn add(sum: &mut Summary, window: Summary) {
    let Summary {
        events,
        records,
        skipped,
        interpreted,
        absorbed,
        dropped,
        slices,
        logical_thread_slices,
        instants,
        logical_thread_instants,
        region_slices,
        hold_slices,
        counter_values,
        samples,
        inferred,
        cut,
        lost,
        missing,
        missing_bytes,
        // The same one may be in several windows.
        logical_threads: _,
        clamped,
        untracked_holds,
        unreported_resumes,
        unreported_ns,
    } = window;
    sum.events += events;
    sum.records += records;
    sum.skipped += skipped;
    sum.interpreted += interpreted;
    sum.absorbed += absorbed;
    for (reason, count) in dropped {
        match sum.dropped.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, known)) => *known += count,
            None => sum.dropped.push((reason, count)),
        }
    }
    sum.slices += slices;
    sum.logical_thread_slices += logical_thread_slices;
    sum.instants += instants;
    sum.logical_thread_instants += logical_thread_instants;
    sum.region_slices += region_slices;
    sum.hold_slices += hold_slices;
    sum.counter_values += counter_values;
    sum.samples += samples;
    sum.inferred += inferred;
    sum.cut += cut;
    sum.lost += lost;
    sum.missing = sum.missing.take().or(missing);
    // That of the recording, in every window.
    sum.missing_bytes = sum.missing_bytes.max(missing_bytes);
    sum.clamped += clamped;
    sum.untracked_holds += untracked_holds;
    sum.unreported_resumes += unreported_resumes;
    sum.unreported_ns += unreported_ns;
}
