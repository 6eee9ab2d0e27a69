//! Calls of CUDA on the host: slices of the thread that makes them, inside of the construct and the task in which it does.

use super::{Interpreter, Outcome, Reason};
use crate::names::NameAndSource;
use crate::out::{Details, number};
use crate::state::thread::OpenSlice;
use ompttrace_model::{ArgKey, SliceKind, ThreadRef};
use ompttrace_recording::Scope;
use ompttrace_recording::device_records::kind;
use ompttrace_recording::events::{DeviceActivity, Event, Record};

impl Interpreter<'_> {
    /// A record of the calls of a thread that has records of its own.
    pub(crate) fn call_record(&mut self, t: ThreadRef, record: Record<'_>) {
        let at = self.clock.nanoseconds(record.ticks).max(self.now);
        self.now = at;
        self.recorded[usize::from(record.code.0)] += 1;
        self.tool_waits_until(at);
        let outcome = match record.event() {
            Event::DeviceActivity(event) if event.kind == u64::from(kind::CALL) => {
                self.device_call(t, at, record.code.scope(), &event)
            }
            _ => Outcome::Dropped(Reason::OtherStream),
        };
        match outcome {
            Outcome::Interpreted => self.interpreted += 1,
            other => self.not_interpreted(other),
        }
        self.note_activity(t, at);
    }

    /// A thread calls CUDA, or returns.
    pub(super) fn device_call(
        &mut self,
        t: ThreadRef,
        at: u64,
        scope: Scope,
        event: &DeviceActivity,
    ) -> Outcome {
        if scope == Scope::End {
            return self.end_here(t, at, |open| matches!(open, SliceKind::DeviceCall { .. }));
        }
        let DeviceActivity { detail: result, what, correlation, .. } = *event;
        let definitions = &mut self.out.to.definitions;
        let name = self.activities.kernel(&mut self.names, definitions, what, "CUDA");
        let slice = SliceKind::DeviceCall { waits: self.activities.waits(what) };
        let flow = self.activities.begin_call(correlation, t);
        let waits = self.activities.synchronization(correlation);
        let stream = waits.and_then(|waits| waits.stream);
        let of_event = waits.and_then(|waits| waits.event);
        let args = [
            flow.map(|_| number(ArgKey::Correlation, correlation)),
            stream.map(|stream| number(ArgKey::Stream, stream.into())),
            of_event.map(|event| number(ArgKey::Event, event.into())),
            (result != 0).then(|| number(ArgKey::Result, result)),
        ];
        let args: Vec<_> = args.into_iter().flatten().collect();
        let details = Details { args: &args, flows: flow.as_slice(), ..Details::default() };
        let named = NameAndSource { name, ..NameAndSource::default() };
        self.open(t, at, OpenSlice::new(slice, named), details)
    }
}
