//! Samples: records of threads' sample streams, each with the addresses of a call stack.
//!
//! Samples show the user's model (Collector API, sections 5 and 6; Rice's tools API): the construct that the thread
//! carries out in the context where it was created, below it the functions that the construct's own code called,
//! without the runtime's, and last a pseudo-frame for what OpenMP does there.

use super::{Interpreter, Outcome, Reason};
use crate::code::Code;
use crate::names::{Called, NameAndSource};
use crate::state::thread::OpenSlice;
use ompttrace_model::{
    CodeLine, ContextRef, Event as TimelineEvent, FrameKind, Sample, SliceKind, State, ThreadRef,
    pseudo_frame, sampled_frame,
};
use ompttrace_recording::events::{self, Event, Record};

/// Frames of one sample, at most.
const MOST_FRAMES: usize = 1 << 10;
/// Name of the frame that represents a stack of which nothing is known.
const NOTHING_KNOWN: &str = "(no function known)";
/// The program's first function.
const MAIN: &str = "main";

/// The sample stream of one thread, so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sampled {
    period: u64,
    /// The sample whose frames are still to come.
    next: Option<events::Sample>,
    frames: Vec<u64>,
    /// Time of the thread's last sample, in nanoseconds.
    last: u64,
}

/// The frames of a sample that are the program's, innermost first.
#[derive(Debug, Default)]
struct Program {
    /// Frames of the construct that the thread carries out.
    own: Vec<Called>,
    /// Frames in which the thread began to carry out the construct, up to the runtime's next ones.
    around: Vec<Called>,
    /// Line of the innermost frame, even if a construct's own frame represents it.
    line: Option<CodeLine>,
    /// True if the innermost frames are the runtime's.
    in_runtime: bool,
}

impl Interpreter<'_> {
    /// Interprets one record of the sample stream of the thread at position `t`.
    #[cold]
    pub(crate) fn sample_record(&mut self, t: ThreadRef, record: Record<'_>) {
        self.recorded[usize::from(record.code.0)] += 1;
        let threads = self.threads.len();
        self.samples.resize_with(threads, Sampled::default);
        let Some(state) = self.samples.get_mut(t as usize) else { return };
        match record.event() {
            Event::SamplesBegin(begin) => state.period = begin.period,
            Event::Sample(sample) => {
                state.frames.clear();
                state.next = Some(sample);
            }
            Event::SampleFrames(frames) => {
                let events::SampleFrames { first, second, third, fourth } = frames;
                state.frames.extend([first, second, third, fourth]);
            }
            _ => return self.not_interpreted(Outcome::Dropped(Reason::OtherStream)),
        }
        self.interpreted += 1;
        let wanted = state.next.map(|sample| (sample.frames as usize).min(MOST_FRAMES));
        if wanted.is_none_or(|wanted| state.frames.len() < wanted) {
            return;
        }
        let mut state = std::mem::take(state);
        state.last =
            self.clock.nanoseconds(record.ticks).min(self.end).max(self.now).max(state.last);
        state.frames.truncate(wanted.unwrap_or(0));
        self.tool_waits_until(state.last);
        if let Some(sample) = state.next.take().filter(|_| !self.off) {
            self.sample(t, &state, sample);
        }
        if let Some(kept) = self.samples.get_mut(t as usize) {
            *kept = state;
        }
    }

    fn sample(&mut self, t: ThreadRef, of: &Sampled, sample: events::Sample) {
        let program = self.program_frames(t, &of.frames);
        let doing = self.state(t, of.last);
        let pseudo = sampled_frame(doing, program.in_runtime);
        let created = self.created_in(t);
        let executed = self.executed_in(t, &program.around);
        let context = self.stack(created, &program.own, pseudo, doing);
        let executed_in = match executed {
            Some(executed) => self.stack(executed, &program.own, pseudo, doing),
            None => context,
        };
        let ticks = sample.missed.saturating_add(1);
        let time = of.period.saturating_mul(ticks);
        let sample = Sample {
            context,
            executed_in,
            line: program.line,
            doing,
            state: sample.state,
            period_ns: of.period,
            ticks,
            in_runtime: program.in_runtime,
            blame: self.blame(t, of.last, (doing, time)),
        };
        self.out.summary.samples += 1;
        let executor = self.thread(t).here;
        self.out.to.emit(of.last, &TimelineEvent::Sample(executor, sample));
    }

    /// The program's frames. Those of the C library are the program's where it called them; around `main` they are
    /// nobody's. A thread that is in the runtime and no more in its task's code (at the barrier after it) has the frames
    /// of earlier callers of the runtime: they are not the task's.
    fn program_frames(&mut self, t: ThreadRef, frames: &[u64]) -> Program {
        let mut program = Program::default();
        let mut groups: [Vec<Called>; 2] = Default::default();
        let (mut at, mut is_whole) = (0, false);
        for (depth, address) in frames.iter().enumerate() {
            // All but the innermost are return addresses.
            let after = address.wrapping_add(u64::from(depth == 0));
            let called = self.names.called(&mut self.out.to.definitions, Code::new(after, 0));
            let Some(group) = groups.get_mut(at) else { break };
            let has_code = group.iter().any(|called| !called.libc_or_runtime);
            if called.iter().any(|called| called.runtime) {
                program.in_runtime |= at == 0 && !has_code;
                group.retain(|_| has_code);
                at += usize::from(has_code);
                continue;
            }
            group.extend(
                called
                    .iter()
                    .rev()
                    .filter(|called| called.is_named || !called.libc_or_runtime)
                    .cloned(),
            );
            if called.iter().any(|called| &*called.function == MAIN && !called.outlined) {
                is_whole = at == 0;
                break;
            }
        }
        if program.in_runtime {
            let in_task = innermost_task(self.thread(t).slices()).is_some();
            let [own, _] = &mut groups;
            let is_outside = in_task && is_whole && !own.iter().any(|called| called.outlined);
            if is_outside || own.iter().all(|called| called.libc_or_runtime) {
                own.clear();
            }
        }
        let line = |called: &Called| {
            let NameAndSource { name, source } = called.named;
            CodeLine { function: name, source }
        };
        program.line =
            groups.first().and_then(|own| own.iter().find(|one| !one.libc_or_runtime).map(line));
        let [own, around] = groups.map(of_program);
        Program { own, around, ..program }
    }

    /// A call stack in a context: functions, then what OpenMP does in them. An idle thread is in none.
    fn stack(
        &mut self,
        context: ContextRef,
        functions: &[Called],
        pseudo: Option<&str>,
        state: State,
    ) -> ContextRef {
        let mut context = context;
        if state == State::Idle {
            context = 0;
        } else {
            for called in functions.iter().rev() {
                context = self.function(context, called);
            }
        }
        match pseudo {
            Some(pseudo) => self.word_frame(context, FrameKind::State, pseudo),
            None if context == 0 => self.word_frame(0, FrameKind::Unknown, NOTHING_KNOWN),
            None => context,
        }
    }

    fn function(&mut self, context: ContextRef, called: &Called) -> ContextRef {
        let named = (called.named.name, called.named.source);
        self.add(context, FrameKind::Function, named, &called.function, false)
    }

    fn word_frame(&mut self, context: ContextRef, kind: FrameKind, word: &str) -> ContextRef {
        let name = self.names.word(&mut self.out.to.definitions, word);
        self.add(context, kind, (name, 0), word, false)
    }

    /// The context in which the task was created whose code a thread runs, itself the innermost frame.
    fn created_in(&mut self, t: ThreadRef) -> ContextRef {
        let task = innermost_task(self.thread(t).slices());
        task.map_or(0, |task| self.task_frame(task, None))
    }

    /// The context in which a thread executes an explicit task: its implicit task, and the functions and the wait in
    /// which it began to execute the task. `None` if it executes no explicit task.
    fn executed_in(&mut self, t: ThreadRef, around: &[Called]) -> Option<ContextRef> {
        let top = &self.thread(t).top;
        let explicit = innermost_task(&top.task_slices).filter(|_| !top.running.is_none())?;
        let implicit = innermost_task(&top.own);
        let wait = top.own.iter().rev().find_map(|open| match open.kind {
            SliceKind::Sync(kind) => pseudo_frame(State::of_wait(kind)),
            _ => None,
        });
        let mut context = implicit.map_or(0, |implicit| self.task_frame(implicit, None));
        for called in around.iter().rev() {
            context = self.function(context, called);
        }
        if let Some(wait) = wait {
            context = self.word_frame(context, FrameKind::State, wait);
        }
        Some(self.task_frame(explicit, Some(context)))
    }

    /// The frame of a task: in the context of its creation where that was recorded, or in this one.
    fn task_frame(&mut self, open: OpenSlice, context: Option<ContextRef>) -> ContextRef {
        let OpenSlice { name, source, context: created, kind, .. } = open;
        if created != 0 && context.is_none() {
            return created;
        }
        let kind = if kind == SliceKind::Task { FrameKind::Task } else { FrameKind::Region };
        let strings = self.out.to.definitions.strings();
        let text = strings.get(name as usize).map_or(String::new(), |text| text.to_string());
        self.add(context.unwrap_or(0), kind, (name, source), &text, false)
    }
}

/// The innermost explicit or implicit task. An initial task is no construct: its functions begin with `main`.
fn innermost_task(slices: &[OpenSlice]) -> Option<OpenSlice> {
    let is_task = |kind| matches!(kind, SliceKind::Task | SliceKind::ImplicitTask);
    slices.iter().rev().find(|open| is_task(open.kind)).copied()
}

/// A group of frames without those that a construct stands for, and without what the C library does around it. A
/// group of the C library alone is one that it could not be seen through.
fn of_program(mut group: Vec<Called>) -> Vec<Called> {
    if let Some(last) = group.iter().rposition(|called| !called.libc_or_runtime) {
        group.truncate(last + 1);
    }
    group.retain(|called| !called.outlined);
    group
}
