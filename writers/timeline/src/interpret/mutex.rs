//! Waiting for a mutex, reported when its end is known: a test that failed is no wait.

use super::{Interpreter, Outcome};
use crate::code::Code;
use crate::names::{NameAndSource, Subject};
use crate::out::{Details, address, word};
use crate::state::locks::Mutex;
use crate::state::pending::{Acquire, FailedTests, Pending};
use crate::state::thread::{Activity, OpenSlice};
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Event, InstantKind, Lock, Mark, SliceKind, State, ompt,
};
use ompttrace_recording::Scope;
use ompttrace_recording::events::{LockDestroy, LockInit, MutexAcquire, MutexAcquired, NestLock};
use ompttrace_recording::words::{KIND_INFERRED, KIND_MASK};

impl Interpreter<'_> {
    /// Names the mutex implementations that the recording knows.
    pub(crate) fn name_implementations(&mut self, table: &[(u64, String)]) {
        for (number, name) in table {
            let name = self.names.word(&mut self.out.to.definitions, name);
            self.implementations.push((*number, name));
        }
    }

    /// Takes a request for a mutex. The thread's next record decides if it becomes a wait or a failed test.
    #[inline(always)]
    pub(super) fn mutex_acquire(&mut self, t: u32, at: u64, event: &MutexAcquire) -> Outcome {
        let MutexAcquire { code, kind, wait_id, implementation, .. } = *event;
        let (code, kind) = (Code::new(code, kind), ompt::Mutex::from(kind & KIND_MASK));
        let failed = FailedTests::default();
        let mut acquire = Acquire { at, kind, wait_id, code, implementation, shown: false, failed };
        let thread = &mut self.threads[t as usize];
        if acquire.is_test()
            && let Pending::Acquire(before) = thread.pending
        {
            // What does not repeat it was settled before.
            acquire.failed = before.failed_too();
            self.out.counters.test_ends(&mut self.out.to, None);
        }
        thread.pending.set(Pending::Acquire(acquire));
        if acquire.is_test() {
            self.out.counters.test_begins();
        } else if self.out.takes.lock_requests {
            let executor = thread.here;
            self.out.to.emit(at, &Event::LockRequested { executor, kind, wait_id });
        }
        Outcome::Interpreted
    }

    #[inline(always)]
    pub(super) fn mutex_acquired(&mut self, t: u32, at: u64, event: &MutexAcquired) -> Outcome {
        let MutexAcquired { code, kind, wait_id } = *event;
        let (which, code) = (ompt::Mutex::from(kind & KIND_MASK), Code::new(code, kind));
        let mutex = self.mutex(which, wait_id, code);
        let wait = self.begin_wait(t, wait_id, mutex);
        // A source that infers that the mutex was had knows the end of a wait and no more.
        if kind & KIND_INFERRED == 0 {
            let asked = wait.map(|(acquire, _)| acquire.at);
            if which == ompt::Mutex::Ordered && asked.is_none() && self.holds(t, mutex) {
                // OpenUH's runtime reports it twice.
                return Outcome::Absorbed;
            }
            self.hold_begins(t, at, (which, mutex), event, asked);
        }
        self.end_wait(t, at, wait);
        Outcome::Interpreted
    }

    /// A nestable lock is taken again by its owner (begin), or given back but still held (end).
    pub(super) fn nest_lock(&mut self, t: u32, at: u64, scope: Scope, event: &NestLock) -> Outcome {
        let NestLock { code, kind, wait_id } = *event;
        let code = Code::new(code, kind);
        let mutex = self.mutex(ompt::Mutex::NestLock, wait_id, code);
        let wait = self.begin_wait(t, wait_id, mutex);
        self.end_wait(t, at, wait);
        let named = self.names.at(&mut self.out.to.definitions, Subject::NestLock, code);
        let end = if scope == Scope::End { "given back once" } else { "taken again" };
        let args = [address(ArgKey::WaitId, wait_id), word(ArgKey::Kind, end)];
        self.lock_instant(t, at, InstantKind::NestLock, named, &args);
        Outcome::Interpreted
    }

    /// The wait that was pending is known to be one: it is begun, if it was not before.
    #[inline(always)]
    fn begin_wait(
        &mut self,
        t: u32,
        wait_id: u64,
        mutex: Option<usize>,
    ) -> Option<(Acquire, OpenSlice)> {
        let thread = self.thread(t);
        let acquire = match thread.pending {
            Pending::Acquire(acquire) if acquire.wait_id == wait_id => acquire,
            _ => return None,
        };
        thread.pending.set(Pending::None);
        if acquire.failed.count > 0 {
            self.tests_failed(t, &acquire, acquire.failed);
        }
        let open = self.wait_slice(&acquire, mutex);
        if acquire.shown {
            return Some((acquire, open));
        }
        self.test_was(t, &acquire, true);
        if acquire.is_test() {
            self.was_in_state(t, acquire.at, State::of_mutex(acquire.kind));
        }
        let (args, count) = self.args_of(acquire.wait_id, acquire.implementation);
        let details = Details::args(args.get(..count).unwrap_or_default());
        let thread = &mut self.threads[t as usize];
        let task = thread.current;
        self.out.begin(thread, acquire.at, &open, task, details);
        Some((acquire, open))
    }

    /// The wait comes to its end.
    #[inline(always)]
    fn end_wait(&mut self, t: u32, at: u64, wait: Option<(Acquire, OpenSlice)>) {
        let Some((acquire, open)) = wait else { return };
        if acquire.shown {
            let outcome = self.end_here(t, at, |kind| kind == SliceKind::MutexWait(acquire.kind));
            debug_assert_ne!(outcome, Outcome::Absorbed);
        } else {
            self.out.end(&mut self.threads[t as usize], at, &open, Mark::Observed);
        }
    }

    #[inline(always)]
    fn wait_slice(&mut self, acquire: &Acquire, mutex: Option<usize>) -> OpenSlice {
        let source = self.names.source_location(&mut self.out.to.definitions, acquire.code);
        let known = mutex.and_then(|position| self.locks.at(position));
        let name = match known {
            Some(mutex) => mutex.wait_name,
            None => self.plain("wait: lock").name,
        };
        OpenSlice::new(SliceKind::MutexWait(acquire.kind), NameAndSource { name, source })
    }

    /// The annotations of a mutex and their number: its wait id, and its implementation if that is known.
    #[inline(always)]
    fn args_of(&self, wait_id: u64, implementation: u64) -> ([Arg; 2], usize) {
        let wait_id = address(ArgKey::WaitId, wait_id);
        match self.implementations.iter().rfind(|(number, _)| *number == implementation) {
            Some((_, name)) => {
                let value = ArgValue::Text(*name);
                ([wait_id, Arg { key: ArgKey::Implementation, value }], 2)
            }
            None => ([wait_id, wait_id], 1),
        }
    }

    /// A pending wait is begun before its end is known: something is to be reported inside it.
    pub(super) fn show_wait(&mut self, t: u32, acquire: Acquire) -> bool {
        let mutex = self.mutex(acquire.kind, acquire.wait_id, acquire.code);
        let open = self.wait_slice(&acquire, mutex);
        let (args, count) = self.args_of(acquire.wait_id, acquire.implementation);
        let details = Details::args(args.get(..count).unwrap_or_default());
        self.test_was(t, &acquire, true);
        self.was_in_state(t, acquire.at, State::of_mutex(acquire.kind));
        self.open(t, acquire.at, open, details) == Outcome::Interpreted
    }

    /// Counts the test of a mutex, if it was one, as soon as it is known if the test is reported as a wait.
    #[inline(always)]
    pub(super) fn test_was(&mut self, t: u32, acquire: &Acquire, wait: bool) {
        if acquire.is_test() {
            // Where activity is not counted no thread is known to work, and no value of that counter is due.
            let wait = wait && self.thread(t).activity == Activity::Working;
            let waited = wait.then_some((acquire.at, self.now));
            self.out.counters.test_ends(&mut self.out.to, waited);
        }
    }

    pub(super) fn lock_init(&mut self, t: u32, at: u64, event: &LockInit) -> Outcome {
        let kind = ompt::Mutex::from(event.kind & KIND_MASK);
        let code = Code::new(event.code, event.kind);
        let location = self.names.location(code);
        if self.locks.find(event.wait_id, kind).is_none() {
            self.add_mutex(kind, event.wait_id, code, location);
        }
        let named = self.names.at(&mut self.out.to.definitions, Subject::LockInit(kind), code);
        let (args, count) = self.args_of(event.wait_id, event.implementation);
        let args = args.get(..count).unwrap_or_default();
        self.lock_instant(t, at, InstantKind::LockInit, named, args);
        Outcome::Interpreted
    }

    pub(super) fn lock_destroy(&mut self, t: u32, at: u64, event: &LockDestroy) -> Outcome {
        let kind = ompt::Mutex::from(event.kind & KIND_MASK);
        let code = Code::new(event.code, event.kind);
        if let Some(position) = self.locks.find(event.wait_id, kind) {
            self.forget_holds(at, position);
        }
        let named = self.names.at(&mut self.out.to.definitions, Subject::LockDestroy(kind), code);
        let args = [address(ArgKey::WaitId, event.wait_id)];
        self.lock_instant(t, at, InstantKind::LockDestroy, named, &args);
        Outcome::Interpreted
    }

    pub(super) fn lock_instant(
        &mut self,
        t: u32,
        at: u64,
        kind: InstantKind,
        named: NameAndSource,
        args: &[Arg],
    ) {
        let thread = &mut self.threads[t as usize];
        let task = thread.current;
        self.out.instant(thread, at, kind, named, task, Details::args(args));
    }

    /// The mutex with this wait id, defined when it is new; `None` when there are too many.
    #[inline(always)]
    pub(super) fn mutex(&mut self, kind: ompt::Mutex, wait_id: u64, code: Code) -> Option<usize> {
        self.locks.find(wait_id, kind).or_else(|| self.add_mutex(kind, wait_id, code, None))
    }

    #[cold]
    pub(super) fn add_mutex(
        &mut self,
        kind: ompt::Mutex,
        wait_id: u64,
        code: Code,
        made_at: Option<String>,
    ) -> Option<usize> {
        let (variable, stands_for) = self.names.mutex_variable(kind, wait_id);
        if let Some(known) = self.locks.again(wait_id, kind, stands_for) {
            return Some(known);
        }
        if self.locks.is_full() {
            return None;
        }
        let text = self.names.mutex(kind, wait_id, code, made_at, variable);
        let definitions = &mut self.out.to.definitions;
        let plain = || kind.name().to_owned();
        let name = self.names.text(definitions, &text, plain);
        let wait = || format!("wait: {}", kind.name());
        let wait_name = self.names.text(definitions, &format!("wait: {text}"), wait);
        let lock = self.locks.next();
        let kept = text.as_str().into();
        definitions.add_lock(Lock { lock, kind, wait_id, name: text, held_name: name, wait_name });
        let mutex = Mutex { lock, name, wait_name, text: kept, stands_for, ..Mutex::default() };
        Some(self.locks.add(wait_id, kind, mutex))
    }
}
