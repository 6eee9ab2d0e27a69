//! The first pass: what has to be known before the first event is told.
//!
//! Names of threads, the table of code sites, the first and last time, and the counts of all
//! records. Its memory follows threads and sites, never events.

use crate::counts::{Counts, ThreadCounts};
use crate::sink::ThreadInfo;
use ompttrace_recording::Recording;
use ompttrace_recording::events::{
    self, CodeSite, Event, Lost, ParallelBegin, Record, ThreadBegin, Wait,
};
use ompttrace_recording::id::SITES;
use ompttrace_recording::reader::ThreadIndex;
use ompttrace_recording::words::{KIND_FUNCTION, KIND_MASK};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, available_parallelism, scope};

/// Numbers of the interface's events; later ones are ours.
const CALLBACKS: std::ops::RangeInclusive<u8> = 1..=37;

/// What the first pass found.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub counts: Counts,
    pub threads: Vec<ThreadInfo>,
    pub sites: Sites,
    /// Of each thread the code of the first construct with which it forked.
    pub first_forks: Vec<Option<Code>>,
    /// First and last ticks of any record.
    pub span: Option<(u64, u64)>,
    /// What becomes of `threads` and `first_forks`, by position, in the order in which it was read.
    found: Vec<(usize, ThreadInfo, Option<Code>)>,
}

/// A code address and what it means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Code {
    pub address: u64,
    pub function: bool,
}

impl Code {
    pub(crate) fn new(address: u64, kind: u64) -> Code {
        Code { address, function: kind & KIND_FUNCTION != 0 }
    }
}

/// The table of code sites, each as the last of the threads by position tells it; with that thread's
/// position plus one, 0 where nobody tells it.
#[derive(Debug, Default)]
pub(crate) struct Sites(Vec<(usize, Code)>);

impl Sites {
    /// The code of a site; address 0 where it is unknown.
    pub(crate) fn get(&self, site: usize) -> Code {
        self.0.get(site).copied().unwrap_or_default().1
    }

    fn set(&mut self, site: usize, told: (usize, Code)) {
        if site >= SITES {
            return;
        }
        if self.0.len() <= site {
            self.0.resize(site + 1, (0, Code::default()));
        }
        if let Some(known) = self.0.get_mut(site).filter(|(teller, _)| *teller <= told.0) {
            *known = told;
        }
    }
}

/// Reads every thread's records once, several threads' at a time where there are cores for it.
pub(crate) fn survey(recording: &Recording) -> Survey {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut survey = Survey::default();
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(index) = recording.threads.get(position) else { return survey };
            survey.read(recording, position, index);
        }
    };
    let workers = available_parallelism().map_or(1, NonZero::get).min(recording.threads.len());
    let mut survey = scope(|scope| {
        // Where a thread cannot be made the others do its part.
        let others = (1..workers).filter_map(|_| Builder::new().spawn_scoped(scope, work).ok());
        let others: Vec<_> = others.collect();
        let mut survey = work();
        for other in others {
            match other.join() {
                Ok(part) => survey.add(part),
                Err(panic) => resume_unwind(panic),
            }
        }
        survey
    });
    survey.found.sort_unstable_by_key(|(position, ..)| *position);
    survey.counts.threads.sort_unstable_by_key(|thread| thread.position);
    for (_, thread, first_fork) in std::mem::take(&mut survey.found) {
        survey.threads.push(thread);
        survey.first_forks.push(first_fork);
    }
    for (name, count) in &recording.facts.lost {
        survey.counts.add_lost_by_name(name, *count);
    }
    survey
}

impl Survey {
    /// Records of the interface's own events.
    pub(crate) fn events(&self) -> u64 {
        CALLBACKS.map(|number| self.counts.recorded_all(number)).sum()
    }

    /// Adds what was read of other threads.
    fn add(&mut self, part: Survey) {
        self.counts.add(&part.counts);
        self.found.extend(part.found);
        for (site, told) in part.sites.0.into_iter().enumerate() {
            self.sites.set(site, told);
        }
        self.span = match (self.span, part.span) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        };
    }

    fn read(&mut self, recording: &Recording, position: usize, index: &ThreadIndex) {
        let (number, os_thread) = (index.number, index.os_thread);
        let thread = ThreadInfo { number, os_thread, ..ThreadInfo::default() };
        let mut found = (position, thread, None);
        let mut stream = recording.stream(position);
        let (mut first, mut last) = (u64::MAX, 0);
        let waited = self.counts.tool_wait_ticks;
        let mut table = [0u64; 256];
        while stream
            .take(|record| {
                first = first.min(record.ticks);
                last = last.max(record.ticks);
                if let Some(count) = table.get_mut(usize::from(record.code.0)) {
                    *count += 1;
                }
                if is_definition(record.code.number()) {
                    self.define(&mut found, &record);
                }
            })
            .is_some()
        {}
        for (sum, count) in self.counts.by_code.iter_mut().zip(table) {
            *sum += count;
        }
        let records: u64 = table.iter().sum();
        self.counts.records += records;
        self.counts.undecoded += stream.undecoded();
        if records > 0 {
            let (begin, end) = self.span.unwrap_or((first, last));
            self.span = Some((begin.min(first), end.max(last)));
        }
        self.counts.threads.push(ThreadCounts {
            position,
            thread: found.1.clone(),
            records,
            ticks: last.saturating_sub(first),
            waited: self.counts.tool_wait_ticks - waited,
        });
        self.found.push(found);
    }

    #[cold]
    fn define(
        &mut self,
        (position, thread, first_fork): &mut (usize, ThreadInfo, Option<Code>),
        record: &Record<'_>,
    ) {
        match record.event() {
            Event::ThreadBegin(begin) if thread.kind == 0 => thread.kind = begin.thread_type,
            Event::ThreadInfo(info) => about_thread(thread, &info),
            Event::CodeSite(CodeSite { code, kind, site }) => {
                let code = Code::new(code, kind & !KIND_MASK);
                self.sites.set(site as usize, (*position + 1, code));
            }
            Event::ParallelBegin(ParallelBegin { code, kind, .. }) => {
                first_fork.get_or_insert(Code::new(code, kind));
            }
            Event::Lost(Lost { event, count, .. }) => self.counts.add_lost(event as u8, count),
            Event::Wait(Wait { ticks, .. }) => {
                self.counts.tool_waits += 1;
                self.counts.tool_wait_ticks = self.counts.tool_wait_ticks.saturating_add(ticks);
            }
            _ => {}
        }
    }
}

#[inline(always)]
fn is_definition(number: usize) -> bool {
    const DEFINITIONS: u64 = 1 << ThreadBegin::NUMBER
        | 1 << events::ThreadInfo::NUMBER
        | 1 << CodeSite::NUMBER
        | 1 << ParallelBegin::NUMBER
        | 1 << Lost::NUMBER
        | 1 << Wait::NUMBER;
    DEFINITIONS >> number & 1 != 0
}

fn about_thread(thread: &mut ThreadInfo, info: &events::ThreadInfo) {
    thread.os_thread = info.os_thread as u32;
    let bytes = [info.name_low.to_ne_bytes(), info.name_high.to_ne_bytes()].concat();
    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    thread.name = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default()).into_owned();
}

/// Whether `index` is the thread that the process began with.
pub(crate) fn is_first_of_process(index: &ThreadIndex, recording: &Recording) -> bool {
    let pid = recording.facts.process.pid;
    pid != 0 && index.os_thread == pid
}

#[cfg(test)]
mod tests {
    use crate::testing::{Checker, RunBuilder};
    use ompttrace_recording::Scope;
    use ompttrace_recording::events::{CodeSite, Error, Flush, Text, ThreadBegin, ThreadInfo};

    #[test]
    fn threads_stand_in_their_order_whoever_read_them() {
        let mut run = RunBuilder::new();
        for t in 0..100 {
            run.put(t, 5, Scope::None, ThreadBegin { thread_type: t as u64 % 3 });
            run.put(t, 6, Scope::None, CodeSite { code: 1000 + t as u64, kind: 0, site: 7 });
            run.put(t, 7, Scope::None, CodeSite { code: 9, kind: 0, site: 8 + t as u64 });
        }
        let (_folder, recording) = run.open().expect("a run folder");
        let survey = super::survey(&recording);
        let kinds: Vec<_> = survey.threads.iter().map(|thread| thread.kind).collect();
        assert_eq!(kinds, (0..100).map(|t| t % 3).collect::<Vec<_>>());
        assert_eq!(survey.sites.get(7).address, 1099);
        assert!((8..108).all(|site| survey.sites.get(site).address == 9));
        assert_eq!((survey.counts.records, survey.first_forks.len()), (300, 100));
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
