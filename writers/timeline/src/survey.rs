//! The first pass: what has to be known before the first event is told.
//!
//! Names of threads, the table of code sites, the first and last time, and the counts of all
//! records. Its memory follows threads and sites, never events.

use crate::counts::Counts;
use crate::sink::ThreadInfo;
use ompttrace_recording::Recording;
use ompttrace_recording::events::{
    self, CodeSite, Event, Lost, ParallelBegin, Record, ThreadBegin, Wait,
};
use ompttrace_recording::id::SITES;
use ompttrace_recording::reader::ThreadIndex;
use ompttrace_recording::words::{KIND_FUNCTION, KIND_MASK};

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

/// The table of code sites.
#[derive(Debug, Default)]
pub(crate) struct Sites(Vec<Code>);

impl Sites {
    /// The code of a site; address 0 where it is unknown.
    pub(crate) fn get(&self, site: usize) -> Code {
        self.0.get(site).copied().unwrap_or_default()
    }

    fn set(&mut self, site: u64, code: Code) {
        let site = site as usize;
        if site >= SITES {
            return;
        }
        if self.0.len() <= site {
            self.0.resize(site + 1, Code::default());
        }
        if let Some(place) = self.0.get_mut(site) {
            *place = code;
        }
    }
}

/// Reads every thread's records once, thread by thread.
pub(crate) fn survey(recording: &Recording) -> Survey {
    let mut survey = Survey::default();
    for (position, index) in recording.threads.iter().enumerate() {
        let mut thread = ThreadInfo {
            number: index.number,
            os_thread: index.os_thread,
            ..ThreadInfo::default()
        };
        survey.first_forks.push(None);
        survey.read(recording, position, &mut thread);
        survey.threads.push(thread);
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

    fn read(&mut self, recording: &Recording, position: usize, thread: &mut ThreadInfo) {
        let mut stream = recording.stream(position);
        let (mut first, mut last) = self.span.unwrap_or((u64::MAX, 0));
        let mut table = [0u64; 256];
        while stream
            .take(|record| {
                first = first.min(record.ticks);
                last = last.max(record.ticks);
                if let Some(count) = table.get_mut(usize::from(record.code.0)) {
                    *count += 1;
                }
                if is_definition(record.code.number()) {
                    self.define(thread, &record);
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
            self.span = Some((first, last));
        }
    }

    #[cold]
    fn define(&mut self, thread: &mut ThreadInfo, record: &Record<'_>) {
        match record.event() {
            Event::ThreadBegin(begin) if thread.kind == 0 => thread.kind = begin.thread_type,
            Event::ThreadInfo(info) => about_thread(thread, &info),
            Event::CodeSite(CodeSite { code, kind, site }) => {
                self.sites.set(site, Code::new(code, kind & !KIND_MASK));
            }
            Event::ParallelBegin(ParallelBegin { code, kind, .. }) => {
                if let Some(first) = self.first_forks.last_mut() {
                    first.get_or_insert(Code::new(code, kind));
                }
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
    use ompttrace_recording::events::{Error, Flush, Text, ThreadBegin, ThreadInfo};

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
