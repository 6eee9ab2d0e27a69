//! Facts that are needed before their records come in the order of time: they are found by reading ahead in the records
//! of single threads.
//!
//! A thread's identity is where its records begin, the end of the run where they end. All of them are
//! read only where something is missing there.

use crate::code::Code;
use crate::moves::Moves;
use ompttrace_model::ThreadInfo;
use ompttrace_model::ompt::Thread;
use ompttrace_recording::Recording;
use ompttrace_recording::events::{
    self, CallFrame, CodeSite, Event, Group, ImplicitTask, ParallelBegin, Record, Scope,
    ThreadBegin, ThreadEnd,
};
use ompttrace_recording::reader::Stream;
use ompttrace_recording::words::FLAG_INFERRED;
use ompttrace_symbols::Change;

/// A recording that is looked into out of turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookahead<'a> {
    recording: &'a Recording,
    /// Changes of the meaning of code addresses during the run.
    changes: &'a [Change],
}

impl<'a> Lookahead<'a> {
    pub(crate) fn new(recording: &'a Recording) -> Lookahead<'a> {
        Lookahead { recording, changes: &[] }
    }

    /// This lookahead for a run in which the meaning of code addresses changes.
    pub(crate) fn with_changes(self, changes: &'a [Change]) -> Lookahead<'a> {
        Lookahead { changes, ..self }
    }

    /// Reads a thread's records to their end, with code addresses that mean one thing only; returns the latest ticks.
    fn each(self, position: usize, mut visit: impl FnMut(Record<'_>)) -> Option<u64> {
        let mut moves = Moves::new(self.changes);
        each(&mut self.recording.stream(position), |record| match moves.apply(&record) {
            Some(words) => visit(words.record(&record)),
            None => visit(record),
        })
    }

    /// Every thread, and the first and last ticks of the run.
    pub(crate) fn threads(self) -> (Vec<ThreadInfo>, Option<(u64, u64)>) {
        let mut span: Option<(u64, u64)> = None;
        let threads = (0..self.recording.threads.len()).map(|position| {
            let stream = self.recording.stream(position);
            if let Some(first) = self.first_ticks(position) {
                let last = each(&mut self.recording.tail(position), |_| {}).unwrap_or(first);
                let known = span.unwrap_or((first, first));
                span = Some((known.0.min(first), known.1.max(last)));
            }
            self.thread(position, stream)
        });
        (threads.collect(), span)
    }

    /// The ticks of a thread's first record; where recording was off at the begin, without definitions,
    /// which are made anyway.
    fn first_ticks(self, position: usize) -> Option<u64> {
        let mut stream = self.recording.stream(position);
        if !self.recording.facts.life.paused {
            return stream.next_ticks();
        }
        let look = |record: Record<'_>| {
            (record.code.group() != Some(Group::Definition)).then_some(record.ticks)
        };
        std::iter::from_fn(|| stream.take(look)).find_map(|found| found)
    }

    fn thread(self, position: usize, mut stream: Stream<'_>) -> ThreadInfo {
        let index = self.recording.threads.get(position);
        let (number, os_thread) = index.map_or((0, 0), |index| (index.number, index.os_thread));
        let mut thread = ThreadInfo { number, os_thread, ..ThreadInfo::default() };
        let mut named = false;
        while !(named && thread.kind != Thread::Unknown)
            && stream.take(|record| named |= about_thread(&mut thread, &record)).is_some()
        {}
        thread
    }

    /// All records of the thread at a position.
    pub(crate) fn stream(self, position: u32) -> Stream<'a> {
        self.recording.stream(position as usize)
    }

    /// The code of the first construct with which a thread forks.
    pub(crate) fn first_fork(self, position: u32) -> Option<Code> {
        let mut stream = self.recording.stream(position as usize);
        let (mut moves, mut fork) = (Moves::new(self.changes), None);
        let mut look = |record: Record<'_>| match record.code.number() {
            ParallelBegin::NUMBER => {
                let ParallelBegin { code, kind, .. } = ParallelBegin::from_words(record.words);
                Some(Code::new(moves.code(record.ticks, code), kind))
            }
            _ => None,
        };
        while fork.is_none()
            && let Some(found) = stream.take(&mut look)
        {
            fork = found;
        }
        fork
    }

    /// The type of a thread, and its first record of an implicit task, of a region's begin or of the thread's end.
    pub(crate) fn first_task(self, position: usize) -> (Thread, Option<(Event, Scope)>) {
        let mut stream = self.recording.stream(position);
        let mut thread = ThreadInfo::default();
        let mut look = |record: Record<'_>| {
            about_thread(&mut thread, &record);
            let number = record.code.number();
            let reporting = [ImplicitTask::NUMBER, ParallelBegin::NUMBER, ThreadEnd::NUMBER];
            reporting.contains(&number).then(|| (record.event(), record.code.scope()))
        };
        let found = std::iter::from_fn(|| stream.take(&mut look)).find_map(|found| found);
        (thread.kind, found)
    }

    /// All frames of call stacks that any thread reports: number, code, caller.
    pub(crate) fn frames(self) -> Vec<(u64, Code, u64)> {
        let mut frames = Vec::new();
        for position in 0..self.recording.threads.len() {
            self.each(position, |record| {
                if record.code.number() == CallFrame::NUMBER {
                    let CallFrame { code, kind, node, caller } =
                        CallFrame::from_words(record.words);
                    frames.push((node, Code::new(code, kind), caller));
                }
            });
        }
        frames
    }

    /// All code sites that any thread reports.
    pub(crate) fn sites(self) -> Vec<(u64, Code)> {
        let mut sites = Vec::new();
        for position in 0..self.recording.threads.len() {
            self.each(position, |record| {
                if record.code.number() == CodeSite::NUMBER {
                    let CodeSite { code, kind, site } = CodeSite::from_words(record.words);
                    sites.push((site, Code::new(code, kind)));
                }
            });
        }
        sites
    }
}

/// Reads a stream to its end; returns the latest ticks.
fn each(stream: &mut Stream<'_>, mut visit: impl FnMut(Record<'_>)) -> Option<u64> {
    let mut last = None;
    while let Some(ticks) = stream.take(|record| {
        visit(record);
        record.ticks
    }) {
        last = last.max(Some(ticks));
    }
    last
}

/// Takes the type, name and id of a thread from a record. Returns true if the record has the name.
pub(crate) fn about_thread(thread: &mut ThreadInfo, record: &Record<'_>) -> bool {
    match record.code.number() {
        ThreadBegin::NUMBER if thread.kind == Thread::Unknown => {
            let thread_type = ThreadBegin::from_words(record.words).thread_type;
            thread.kind = Thread::from(thread_type & !FLAG_INFERRED);
            false
        }
        events::ThreadInfo::NUMBER => {
            name_thread(thread, &events::ThreadInfo::from_words(record.words));
            true
        }
        _ => false,
    }
}

fn name_thread(thread: &mut ThreadInfo, info: &events::ThreadInfo) {
    thread.os_thread = info.os_thread as u32;
    let bytes = [info.name_low.to_ne_bytes(), info.name_high.to_ne_bytes()].concat();
    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    thread.name = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default()).into_owned();
}

/// Returns true if the thread at a position is the main thread of the process.
pub(crate) fn is_first_of_process(recording: &Recording, position: usize) -> bool {
    let pid = recording.facts.process.pid;
    pid != 0 && recording.threads.get(position).is_some_and(|index| index.os_thread == pid)
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use ompttrace_recording::Scope;
    use ompttrace_recording::events::Flush;

    #[test]
    fn threads_and_the_span_are_found_wherever_they_are_reported() {
        let mut run = RunBuilder::new();
        for t in 0..10 {
            run.put(t, 10 - t as u64, Scope::None, Flush::default());
            let far = if t == 3 { 20_000 } else { 1 };
            for n in 0..far {
                run.put(t, 20 + n, Scope::None, Flush::default());
            }
            run.put(t, 30_000, Scope::None, ThreadBegin { thread_type: 1 + t as u64 % 3 });
            let name = events::ThreadInfo { os_thread: 70 + t as u64, ..Default::default() };
            run.put(t, 30_000 + t as u64, Scope::None, name);
        }
        let (_folder, recording) = run.open().expect("a run folder");
        let (threads, span) = Lookahead::new(&recording).threads();
        assert_eq!(span, Some((1, 30_009)));
        for (thread, t) in threads.iter().zip(0..) {
            assert_eq!(
                (thread.kind, thread.os_thread),
                (Thread::from(1 + u64::from(t) % 3), 70 + t)
            );
        }
    }

    #[test]
    fn the_first_fork_is_the_first() {
        let mut run = RunBuilder::new();
        for t in 0..2 {
            run.put(t, 5, Scope::None, Flush::default());
        }
        for code in [11, 12] {
            run.put(1, 6, Scope::None, ParallelBegin { code, ..ParallelBegin::default() });
        }
        let (_folder, recording) = run.open().expect("a run folder");
        let lookahead = Lookahead::new(&recording);
        assert_eq!(lookahead.first_fork(0), None);
        assert_eq!(lookahead.first_fork(1), Some(Code::new(11, 0)));
    }
}
