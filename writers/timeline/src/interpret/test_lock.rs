//! Tests of locks that failed: a program that spins on one makes thousands, which are one slice
//! with their number. One alone is an instant: it waited for nothing.

use super::Interpreter;
use crate::names::NameAndSource;
use crate::out::{Details, address, number};
use crate::state::pending::{Acquire, FailedTests};
use crate::state::thread::OpenSlice;
use ompttrace_model::{ArgKey, Event, InstantKind, Mark, SliceKind, State};

impl Interpreter<'_> {
    /// The thread asked for a mutex and went on without it.
    #[cold]
    pub(super) fn went_without(&mut self, t: u32, acquire: &Acquire) {
        if acquire.is_test() {
            self.test_was(t, acquire, false);
            return self.tests_failed(t, acquire, acquire.failed_too());
        }
        let source = self.names.source_location(&mut self.out.to.definitions, acquire.code);
        let named = NameAndSource { source, ..self.plain("asked for a mutex") };
        let args = [address(ArgKey::WaitId, acquire.wait_id)];
        let kind = InstantKind::LockTestFailed(acquire.kind);
        self.lock_instant(t, acquire.at, kind, named, &args);
        self.note_state(t, acquire.at);
    }

    /// Tests of the lock of `acquire` that failed, if any.
    #[cold]
    pub(super) fn tests_failed(&mut self, t: u32, acquire: &Acquire, failed: FailedTests) {
        if failed.count == 0 {
            return;
        }
        let Acquire { kind, wait_id, .. } = *acquire;
        let named = self.failed_test(acquire);
        let (executor, FailedTests { count, first, .. }) = (self.thread(t).here, failed);
        let refused = Event::LockRefused { executor, kind, wait_id, count, first };
        self.out.to.emit(self.now, &refused);
        let args = [address(ArgKey::WaitId, wait_id), number(ArgKey::Count, failed.count)];
        if failed.count == 1 {
            let kind = InstantKind::LockTestFailed(kind);
            return self.lock_instant(t, failed.first, kind, named, &args[..1]);
        }
        let open = OpenSlice::new(SliceKind::LockTests(kind), named);
        let thread = &mut self.threads[t as usize];
        let task = thread.current;
        self.out.begin(thread, failed.first, &open, task, Details::args(&args));
        let state = State::of_slice(open.kind, thread.work(), self.chunks);
        self.out.end(thread, failed.last, &open, Mark::Observed);
        self.was_in_state(t, failed.first, state);
        self.note_state(t, failed.last);
    }

    /// Name of failed tests of a lock: the lock's name, or its kind if there are too many locks.
    fn failed_test(&mut self, acquire: &Acquire) -> NameAndSource {
        let Acquire { kind, wait_id, code, .. } = *acquire;
        let source = self.names.source_location(&mut self.out.to.definitions, code);
        let plain = || format!("test failed: {}", kind.name());
        let mutex = self.mutex(kind, wait_id, code).and_then(|position| self.locks.at(position));
        let name = match mutex {
            Some(mutex) => *mutex.test_name.get_or_insert_with(|| {
                let text = format!("test failed: {}", mutex.text);
                self.names.text(&mut self.out.to.definitions, &text, plain)
            }),
            None => self.names.word(&mut self.out.to.definitions, &plain()),
        };
        NameAndSource { name, source }
    }
}
