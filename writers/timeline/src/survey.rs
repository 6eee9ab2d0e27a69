//! Counts of the records of each event for `ompttrace info`: every thread's records are read once, in no order.

use crate::counts::{Counts, ThreadCounts};
use crate::devices::Devices;
use crate::lookahead::about_thread;
use ompttrace_model::ThreadInfo;
use ompttrace_recording::Recording;
use ompttrace_recording::events::{
    self, CallContext, CallFrame, DeviceActivity, Event, EventCode, Lost, MpiClock, MpiEnter,
    MpiPolls, MpiSend, MpiWorld, Record, Scope, ThreadBegin, Wait,
};
use ompttrace_recording::reader::{Stream, usable_cores};
use ompttrace_workers::each;
use std::sync::{Mutex, PoisonError};

/// Reads every thread's records once, several threads' at a time where there are cores for it.
pub(crate) fn survey(recording: &Recording) -> Counts {
    let counts = Mutex::new(Counts::default());
    each(
        "count",
        usable_cores().get(),
        recording.threads.iter().enumerate(),
        |(position, index)| {
            let (number, os_thread) = (index.number, index.os_thread);
            let thread = ThreadInfo { number, os_thread, ..ThreadInfo::default() };
            let mut own = Counts::default();
            read(&mut own, recording.stream(position), position, thread);
            counts.lock().unwrap_or_else(PoisonError::into_inner).add(&own);
        },
    );
    let mut counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Streams beside the threads' own.
    for position in recording.threads.len()..recording.streams() {
        counts.add_other(recording.stream_at(position));
    }
    let devices = Devices::of(recording);
    counts.undecoded += devices.unreadable;
    for (device, position) in devices.threads.iter().zip(recording.threads.len()..) {
        read(&mut counts, device.stream(), position, device.info.clone());
    }
    counts.threads.sort_unstable_by_key(|thread| thread.position);
    counts.devices.lost = devices.lost;
    counts.devices.event_waits = devices.event_waits;
    for (name, count) in &recording.facts.lost {
        counts.add_lost_by_name(name, *count);
    }
    counts
}

impl Counts {
    /// Adds the records of a core or sample stream: they count, but are no thread's own.
    fn add_other(&mut self, mut stream: Stream<'_>) {
        while stream.take(|_| ()).is_some() {}
        self.records += stream.taken();
        self.undecoded += stream.undecoded();
    }
}

fn read(counts: &mut Counts, mut stream: Stream<'_>, position: usize, mut thread: ThreadInfo) {
    let (mut first, mut last) = (u64::MAX, 0);
    let waited = counts.tool_wait_ticks;
    let mut table = [0u64; 256];
    while stream
        .take(|record| {
            first = first.min(record.ticks);
            last = last.max(record.ticks);
            if let Some(count) = table.get_mut(usize::from(record.code.0)) {
                *count += 1;
            }
            if is_special(record.code) {
                note(counts, &mut thread, &record);
            }
        })
        .is_some()
    {}
    for (sum, count) in counts.by_code.iter_mut().zip(table) {
        *sum += count;
    }
    let records: u64 = table.iter().sum();
    counts.records += records;
    counts.undecoded += stream.undecoded();
    let (ticks, waited) = (last.saturating_sub(first), counts.tool_wait_ticks - waited);
    counts.threads.push(ThreadCounts { position, thread, records, ticks, waited });
}

#[cold]
fn note(counts: &mut Counts, thread: &mut ThreadInfo, record: &Record<'_>) {
    match record.event() {
        Event::Lost(Lost { event, count, .. }) => counts.add_lost(event as u8, count),
        Event::Wait(Wait { ticks, .. }) => {
            counts.tool_waits += 1;
            counts.tool_wait_ticks = counts.tool_wait_ticks.saturating_add(ticks);
        }
        Event::CallFrame(_) => counts.stacks.frames += 1,
        Event::CallContext(CallContext { flags, .. }) => counts.stacks.note(flags),
        event @ (Event::MpiEnter(_)
        | Event::MpiPolls(_)
        | Event::MpiSend(_)
        | Event::MpiWorld(_)
        | Event::MpiClock(_)) => counts.mpi.note(&event),
        Event::DeviceActivity(event) if record.code.scope() == Scope::Begin => {
            counts.devices.note(&event);
        }
        _ => {
            about_thread(thread, record);
        }
    }
}

#[inline(always)]
fn is_special(code: EventCode) -> bool {
    matches!(
        code.number(),
        ThreadBegin::NUMBER
            | events::ThreadInfo::NUMBER
            | Lost::NUMBER
            | CallFrame::NUMBER
            | CallContext::NUMBER
            | Wait::NUMBER
            | MpiEnter::NUMBER
            | MpiPolls::NUMBER
            | MpiSend::NUMBER
            | MpiWorld::NUMBER
            | MpiClock::NUMBER
            | DeviceActivity::NUMBER
    )
}

#[cfg(test)]
mod tests {
    use crate::testing::{Checker, RunBuilder};
    use ompttrace_recording::Scope;
    use ompttrace_recording::events::{Error, Flush, Text, ThreadBegin, ThreadInfo};

    #[test]
    fn threads_stand_in_their_order_whichever_worker_read_them() {
        let mut run = RunBuilder::new();
        for t in 0..100 {
            run.put(t, 5, Scope::None, ThreadBegin { thread_type: t as u64 % 3 });
            run.put(t, 6, Scope::None, Flush::default());
        }
        let (_folder, recording) = run.open().expect("a run folder");
        let counts = super::survey(&recording);
        let kinds: Vec<_> = counts.threads.iter().map(|known| known.thread.kind).collect();
        assert_eq!(
            kinds,
            (0..100).map(|t| ompttrace_model::ompt::Thread::from(t % 3)).collect::<Vec<_>>()
        );
        assert_eq!(counts.records, 200);
    }

    #[test]
    fn the_summary_counts_callbacks_and_not_our_own_records() {
        let mut run = RunBuilder::new();
        run.put(0, 1, Scope::None, ThreadInfo::default());
        run.put(0, 2, Scope::None, ThreadBegin { thread_type: 1 });
        run.put(0, 3, Scope::None, Error { text_bytes: 3, ..Error::default() });
        run.put(0, 4, Scope::None, Text::default());
        run.put(1, 5, Scope::None, Flush::default());
        let (_folder, recording) = run.open().expect("a run folder");
        let (_, summary) = crate::run(&recording, Checker::default()).expect("a timeline");
        assert_eq!((summary.events, summary.records), (3, 5));
    }
}
