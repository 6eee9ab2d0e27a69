//! Cancellation: an instant, and what the thread leaves by it.
//!
//! A thread that cancels a loop or sections, or finds them cancelled, leaves them at once. libgomp's threads say so
//! with their next record, and so does LLVM's runtime of sections and static loops. Of a loop whose chunks
//! it hands out it says nothing more: no thread asks for a next chunk, where it would notice the end. So
//! what the thread's next record does not end has ended where it was cancelled.

use super::{Interpreter, Outcome};
use crate::code::Code;
use crate::names::Subject;
use crate::out::Details;
use crate::state::pending::{Cancelled, Pending};
use ompttrace_model::ompt::Work;
use ompttrace_model::{Arg, ArgKey, ArgValue, InstantKind, Mark, SliceKind};
use ompttrace_recording::events::{Cancel, Event};
use ompttrace_recording::{Id, Scope};

/// ompt_cancel_flag_t.
mod flag {
    pub const PARALLEL: u64 = 0x01;
    pub const SECTIONS: u64 = 0x02;
    pub const LOOP: u64 = 0x04;
    /// A thread has cancelled the construct, or has found it cancelled.
    pub const ACTIVATED: u64 = 0x10;
    pub const DETECTED: u64 = 0x20;
}

impl Interpreter<'_> {
    pub(super) fn cancel(&mut self, t: u32, at: u64, event: &Cancel) -> Outcome {
        let code = Code::new(event.code, event.kind);
        let named = self.names.at(&mut self.out.to.definitions, Subject::Cancel, code);
        let flags = ArgValue::Text(self.flag_name(event.flags, 1));
        let args = [Arg { key: ArgKey::Flags, value: flags }];
        let thread = &mut self.threads[t as usize];
        let task = if event.task == 0 { thread.current } else { Id(event.task).started() };
        self.out.instant(thread, at, InstantKind::Cancel, named, task, Details::args(&args));
        let thread = &mut self.threads[t as usize];
        let leaves = event.flags & (flag::ACTIVATED | flag::DETECTED) != 0;
        if leaves && task == thread.current && first_left(thread.slices(), event.flags).is_some() {
            thread.pending = Pending::Cancelled(Cancelled { at, task, flags: event.flags });
        }
        Outcome::Interpreted
    }

    /// The thread's next record after a cancellation: the end of what was cancelled, or of anything else.
    pub(super) fn before_left(
        &mut self,
        t: u32,
        cancelled: Cancelled,
        event: &Event,
        scope: Scope,
    ) {
        match event {
            Event::CodeSite(_) | Event::ThreadInfo(_) | Event::Text(_) => {}
            Event::Work(work) if scope == Scope::End && is_of(work.task, cancelled.task) => {
                self.thread(t).pending = Pending::None;
            }
            _ => {
                self.thread(t).pending = Pending::None;
                self.leave_cancelled(t, cancelled);
            }
        }
    }

    /// Ends the constructs that a thread left by a cancellation, at its time, as no record reports their ends.
    pub(super) fn leave_cancelled(&mut self, t: u32, cancelled: Cancelled) {
        let Cancelled { at, task, flags } = cancelled;
        let thread = self.thread(t);
        if thread.current != task {
            return;
        }
        if let Some(first) = first_left(thread.slices(), flags) {
            thread.left_work = task;
            self.close_above(t, at, first, Mark::Inferred);
        }
    }
}

/// The outermost slice of the running task that a thread leaves by a cancellation with these flags.
fn first_left(slices: &[crate::state::thread::OpenSlice], flags: u64) -> Option<usize> {
    if flags & flag::PARALLEL != 0 {
        return (slices.len() > 1).then_some(1);
    }
    slices.iter().rposition(|open| match open.kind {
        SliceKind::Work(Work::Sections) => flags & flag::SECTIONS != 0,
        SliceKind::Work(work) => flags & flag::LOOP != 0 && work.is_loop(),
        _ => false,
    })
}

/// Returns true if a record that names task `named`, or none (0), belongs to `task`.
fn is_of(named: u64, task: Id) -> bool {
    named == 0 || Id(named).started() == task
}
