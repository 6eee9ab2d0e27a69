//! Samples: records of threads' sample streams, each with the addresses of a call stack.
//!
//! What is shown is the user's model (Collector API, section 5; Rice's tools API): the construct that the thread
//! carries out, and below it the functions that the construct's own code called, without the runtime's.

use super::{Outcome, Reason, World};
use crate::code::Code;
use crate::names::Called;
use ompttrace_model::{ContextRef, Event as Told, FrameKind, Sample, Sink, SliceKind, ThreadRef};
use ompttrace_recording::events::{self, Event, Record};

/// Frames of one sample, at most.
const MOST_FRAMES: usize = 1 << 10;

/// The sample stream of one thread, so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sampled {
    period: u64,
    /// The sample whose frames are still to come.
    next: Option<events::Sample>,
    frames: Vec<u64>,
    /// The time of its last sample.
    last: u64,
}

impl<S: Sink> World<'_, S> {
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
        if let Some(sample) = state.next.take().filter(|_| !self.off) {
            self.sample(t, &state, sample);
        }
        if let Some(place) = self.samples.get_mut(t as usize) {
            *place = state;
        }
    }

    fn sample(&mut self, t: ThreadRef, of: &Sampled, sample: events::Sample) {
        let (called, in_runtime) = self.own_functions(&of.frames);
        let mut context = self.sampled_in(t);
        for called in called.iter().rev() {
            let named = (called.named.name, called.named.source);
            context = self.add(context, FrameKind::Function, named, &called.function, false);
        }
        let period_ns = of.period.saturating_mul(sample.missed.saturating_add(1));
        let sample = Sample { context, state: sample.state, period_ns, in_runtime };
        self.out.to.emit(of.last, &Told::Sample(t, sample));
    }

    /// The program's functions below the runtime's last call of its code, innermost first, and whether the innermost of
    /// all is the runtime's.
    fn own_functions(&mut self, frames: &[u64]) -> (Vec<Called>, bool) {
        let (mut own, mut in_runtime) = (Vec::new(), false);
        for (depth, address) in frames.iter().enumerate() {
            // All but the innermost are return addresses.
            let after = address.wrapping_add(u64::from(depth == 0));
            let called = self.names.called(&mut self.out.to.definitions, Code::new(after, 0));
            in_runtime |= depth == 0 && called.last().is_some_and(|called| called.foreign);
            if called.iter().any(|called| called.foreign) && !own.is_empty() {
                break;
            }
            let of_program = |called: &&Called| !called.foreign && !called.outlined;
            own.extend(called.iter().rev().filter(of_program).cloned());
        }
        (own, in_runtime)
    }

    /// The context of the construct whose code a thread runs.
    fn sampled_in(&mut self, t: ThreadRef) -> ContextRef {
        let slices = self.thread(t).slices();
        let is_task = |kind| matches!(kind, SliceKind::Task | SliceKind::ImplicitTask);
        let Some(open) = slices.iter().rev().find(|open| is_task(open.kind)) else { return 0 };
        let (name, source, context, kind) = (open.name, open.source, open.context, open.kind);
        if context != 0 {
            return context;
        }
        let kind = if kind == SliceKind::Task { FrameKind::Task } else { FrameKind::Region };
        let strings = self.out.to.definitions.strings();
        let text = strings.get(name as usize).map_or(String::new(), |text| text.to_string());
        self.add(0, kind, (name, source), &text, false)
    }
}
