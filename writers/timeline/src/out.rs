//! Calls of the sink: positions, clamped times and the sums of what was reported.

use crate::counters::Counters;
use crate::hash::task_flow;
use crate::names::NameAndSource;
use crate::state::thread::{OpenSlice, Thread};
use ompttrace_model::AnySink;
use ompttrace_model::ompt::TaskStatus;
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Definitions, Event, Instant, InstantKind, Item, Mark, MpiEvent, Slice,
    Summary, Takes, TeamThread,
};
use ompttrace_recording::Id;

/// Properties of a begin or an instant besides its name and location.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Details<'a> {
    pub args: &'a [Arg],
    /// Items of a list; instants only.
    pub items: &'a [Item],
    pub flows: &'a [u64],
    pub flow_ends: &'a [u64],
    pub mark: Mark,
    pub resumed: bool,
}

impl<'a> Details<'a> {
    /// Details that have arguments only.
    #[inline(always)]
    pub(crate) fn args(args: &'a [Arg]) -> Details<'a> {
        Details { args, ..Details::default() }
    }

    /// Details that have a mark only: the certainty of the event.
    #[inline(always)]
    pub(crate) fn mark(mark: Mark) -> Details<'a> {
        Details { mark, ..Details::default() }
    }
}

/// The sink, and the definitions that its events refer to.
pub(crate) struct Emitter<'s> {
    pub sink: &'s mut dyn AnySink,
    pub definitions: Definitions,
}

impl<'s> Emitter<'s> {
    pub(crate) fn new(sink: &'s mut dyn AnySink) -> Emitter<'s> {
        Emitter { sink, definitions: Definitions::default() }
    }

    #[inline(always)]
    pub(crate) fn emit(&mut self, at: u64, event: &Event<'_>) {
        self.sink.event(&self.definitions, at, event);
    }
}

/// The way to the sink, and what was reported to it so far.
pub(crate) struct Out<'s> {
    pub to: Emitter<'s>,
    /// See [`ompttrace_model::Sink::TAKES`].
    pub takes: Takes,
    pub summary: Summary,
    pub counters: Counters,
    /// See [`ompttrace_model::Sink::MIN_RESUME_NS`].
    pub min_resume_ns: u64,
}

impl<'s> Out<'s> {
    pub(crate) fn new(sink: &'s mut dyn AnySink, min_resume_ns: u64) -> Out<'s> {
        let (counters, takes) = (Counters::new(min_resume_ns), sink.takes());
        Out { to: Emitter::new(sink), takes, summary: Summary::default(), counters, min_resume_ns }
    }

    /// A slice begins on `thread`.
    #[inline(always)]
    pub(crate) fn begin(
        &mut self,
        thread: &mut Thread,
        at: u64,
        open: &OpenSlice,
        task: Id,
        details: Details<'_>,
    ) {
        self.show_hidden(thread);
        self.emit_begin(thread, at, open, task, details);
    }

    /// Slices that went on without being reported are reported now.
    #[inline(always)]
    pub(crate) fn show_hidden(&mut self, thread: &mut Thread) {
        if thread.unshown.is_some() {
            self.show(thread, Mark::Observed);
        }
    }

    /// Reports the begins of slices that continued without being reported, outermost first, each with `mark`.
    #[inline(never)]
    pub(crate) fn show(&mut self, thread: &mut Thread, mark: Mark) {
        let Some(since) = thread.unshown.take() else { return };
        let task = thread.current;
        let flow = [task_flow(task)];
        let mut flows: &[u64] = if thread.top.running.is_none() { &[] } else { &flow };
        let mut position = thread.first_hidden();
        while let Some(open) = thread.slices().get_mut(position) {
            position += 1;
            open.shown = true;
            let open = *open;
            let details = Details { flows, mark, resumed: true, ..Details::default() };
            let shown_as = if open.region.is_none() { task } else { open.region };
            self.emit_begin(thread, since, &open, shown_as, details);
            flows = &[];
        }
    }

    #[inline(never)]
    fn emit_begin(
        &mut self,
        thread: &mut Thread,
        at: u64,
        open: &OpenSlice,
        task: Id,
        details: Details<'_>,
    ) {
        let at = self.advance(thread, at);
        self.summary.slices += 1;
        self.summary.logical_thread_slices += u64::from(thread.here.logical_thread.is_some());
        self.note(details.mark);
        let Details { args, flows, flow_ends, mark, resumed, .. } = details;
        let OpenSlice { kind, name, source, context, .. } = *open;
        let slice =
            Slice { kind, name, source, task, args, flows, flow_ends, mark, resumed, context };
        self.to.emit(at, &Event::Begin(thread.here, slice));
    }

    /// The innermost slice that was begun on `thread` ends.
    #[inline(never)]
    pub(crate) fn end(&mut self, thread: &mut Thread, at: u64, open: &OpenSlice, mark: Mark) {
        let at = self.advance(thread, at);
        self.note(mark);
        self.to.emit(at, &Event::End(thread.here, open.kind, mark));
    }

    /// The innermost slice that was begun on `thread` is reported no further for now.
    #[inline(never)]
    pub(crate) fn suspend(&mut self, thread: &mut Thread, at: u64, open: &OpenSlice, mark: Mark) {
        let at = self.advance(thread, at);
        self.note(mark);
        self.to.emit(at, &Event::Suspend(thread.here, open.kind, mark));
    }

    /// Slices that are not shown continue, and are reported at once only if they have a mark or all are.
    #[inline(always)]
    pub(crate) fn go_on(&mut self, thread: &mut Thread, at: u64, mark: Mark) {
        if !self.takes.resumptions && thread.innermost().is_none_or(|open| open.shown) {
            return;
        }
        thread.unshown = Some(at);
        if mark != Mark::Observed || self.min_resume_ns == 0 {
            self.show(thread, mark);
        }
    }

    /// Counts a task that resumed at `thread.unshown` and stops again at `at`, if nothing was reported in between: the
    /// resumption stays unreported.
    #[inline]
    pub(crate) fn leave_unreported(&mut self, thread: &mut Thread, at: u64) {
        if let Some(since) = thread.unshown.take() {
            self.summary.unreported_resumes += 1;
            self.summary.unreported_ns += at.saturating_sub(since);
        }
    }

    /// `thread` begins an implicit task, which is its top frame now.
    pub(crate) fn team_thread(&mut self, thread: &mut Thread, at: u64, team_thread: &TeamThread) {
        let at = self.advance(thread, at);
        self.to.emit(at, &Event::TeamThreadBegin(thread.here, *team_thread));
    }

    /// A mutex's owner changes.
    #[inline(always)]
    pub(crate) fn hold(&mut self, at: u64, event: &Event<'_>) {
        if self.takes.holds {
            self.to.emit(at, event);
        }
    }

    /// Reports an event in the call of MPI that `thread` is in.
    pub(crate) fn message(&mut self, thread: &mut Thread, at: u64, event: MpiEvent) {
        self.show_hidden(thread);
        let at = self.advance(thread, at);
        if self.takes.messages {
            self.to.emit(at, &Event::Mpi(thread.here, event));
        }
    }

    /// `task` runs on `thread` from now on.
    #[inline]
    pub(crate) fn runs(&mut self, thread: &mut Thread, at: u64, task: Id) {
        let at = self.advance(thread, at);
        if self.takes.task_switches {
            self.to.emit(at, &Event::TaskRuns(thread.here, task));
        }
    }

    /// An explicit task is over.
    #[inline]
    pub(crate) fn task_over(
        &mut self,
        thread: &mut Thread,
        at: u64,
        task: Id,
        status: Option<TaskStatus>,
    ) {
        self.show_hidden(thread);
        let at = self.advance(thread, at);
        if self.takes.task_switches {
            self.to.emit(at, &Event::TaskEnd(thread.here, task, status));
        }
    }

    /// Reports an instant on `thread`.
    #[inline(never)]
    pub(crate) fn instant(
        &mut self,
        thread: &mut Thread,
        at: u64,
        kind: InstantKind,
        named: NameAndSource,
        task: Id,
        details: Details<'_>,
    ) {
        self.show_hidden(thread);
        let at = self.advance(thread, at);
        self.summary.instants += 1;
        self.summary.logical_thread_instants += u64::from(thread.here.logical_thread.is_some());
        self.note(details.mark);
        let Details { args, items, flows, flow_ends, mark, .. } = details;
        let NameAndSource { name, source } = named;
        let instant = Instant { kind, name, source, task, args, items, flows, flow_ends, mark };
        self.to.emit(at, &Event::Instant(thread.here, instant));
    }

    /// Counts an event in the summary if its mark is not `Observed`.
    #[inline(always)]
    pub(crate) fn note(&mut self, mark: Mark) {
        match mark {
            Mark::Observed => {}
            Mark::Inferred => self.summary.inferred += 1,
            Mark::Cut => self.summary.cut += 1,
        }
    }

    /// The time at which something may be reported of a thread: never before the last one.
    #[inline(always)]
    fn advance(&mut self, thread: &mut Thread, at: u64) -> u64 {
        self.summary.clamped += u64::from(at < thread.last);
        thread.last = thread.last.max(at);
        thread.last
    }
}

#[inline(always)]
pub(crate) const fn number(key: ArgKey, value: u64) -> Arg {
    Arg { key, value: ArgValue::Number(value) }
}

#[inline(always)]
pub(crate) const fn address(key: ArgKey, value: u64) -> Arg {
    Arg { key, value: ArgValue::Address(value) }
}

#[inline(always)]
pub(crate) const fn id(key: ArgKey, value: Id) -> Arg {
    Arg { key, value: ArgValue::Id(value) }
}

#[inline(always)]
pub(crate) const fn word(key: ArgKey, value: &'static str) -> Arg {
    Arg { key, value: ArgValue::Word(value) }
}
