//! The way to the sink: places, clamped times and the sums of what was told.

use crate::counters::Counters;
use crate::hash::task_flow;
use crate::names::Named;
use crate::state::thread::{Open, Thread};
use ompttrace_model::ompt::TaskStatus;
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Definitions, Event, Instant, InstantKind, Item, Mark, Member, Sink,
    Slice, Summary,
};
use ompttrace_recording::Id;

/// What a begin or an instant tells besides its name and place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told<'a> {
    pub args: &'a [Arg],
    /// Of an instant only.
    pub items: &'a [Item],
    pub flows: &'a [u64],
    pub flow_ends: &'a [u64],
    pub mark: Mark,
    pub resumed: bool,
}

impl<'a> Told<'a> {
    /// Nothing but arguments.
    #[inline(always)]
    pub(crate) fn args(args: &'a [Arg]) -> Told<'a> {
        Told { args, ..Told::default() }
    }

    /// Nothing but how certain it is.
    #[inline(always)]
    pub(crate) fn mark(mark: Mark) -> Told<'a> {
        Told { mark, ..Told::default() }
    }
}

/// The sink, and the definitions that its events refer to.
pub(crate) struct Emitter<S> {
    pub sink: S,
    pub definitions: Definitions,
}

impl<S: Sink> Emitter<S> {
    pub(crate) fn new(sink: S) -> Emitter<S> {
        Emitter { sink, definitions: Definitions::default() }
    }

    #[inline(always)]
    pub(crate) fn emit(&mut self, at: u64, event: &Event<'_>) {
        self.sink.event(&self.definitions, at, event);
    }
}

/// The way to the sink, and what it was told so far.
pub(crate) struct Out<S> {
    pub to: Emitter<S>,
    pub summary: Summary,
    pub counters: Counters,
    /// See [`Sink::MIN_RESUME_NS`].
    pub min_resume_ns: u64,
}

impl<S: Sink> Out<S> {
    pub(crate) fn new(sink: S, min_resume_ns: u64) -> Out<S> {
        let counters = Counters::new(min_resume_ns);
        Out { to: Emitter::new(sink), summary: Summary::default(), counters, min_resume_ns }
    }

    /// A slice begins on `thread`.
    #[inline(always)]
    pub(crate) fn begin(
        &mut self,
        thread: &mut Thread,
        at: u64,
        open: &Open,
        task: Id,
        told: Told<'_>,
    ) {
        self.show_hidden(thread);
        self.tell(thread, at, open, task, told);
    }

    /// Slices that went on without being told are told now.
    #[inline(always)]
    pub(crate) fn show_hidden(&mut self, thread: &mut Thread) {
        if thread.unshown.is_some() {
            self.show(thread, Mark::Observed);
        }
    }

    /// The same with a mark: outermost first.
    #[inline(never)]
    pub(crate) fn show(&mut self, thread: &mut Thread, mark: Mark) {
        let Some(since) = thread.unshown.take() else { return };
        let task = thread.current;
        let flow = [task_flow(task)];
        let mut flows: &[u64] = if thread.top.running.is_none() { &[] } else { &flow };
        let hidden = thread.hidden().len();
        let first = thread.slices().len() - hidden;
        for position in first..first + hidden {
            let Some(open) = thread.slices().get_mut(position) else { return };
            open.shown = true;
            let open = *open;
            let told = Told { flows, mark, resumed: true, ..Told::default() };
            let shown_as = if open.region.is_none() { task } else { open.region };
            self.tell(thread, since, &open, shown_as, told);
            flows = &[];
        }
    }

    #[inline(never)]
    fn tell(&mut self, thread: &mut Thread, at: u64, open: &Open, task: Id, told: Told<'_>) {
        let at = self.advance(thread, at);
        self.summary.slices += 1;
        self.summary.lane_slices += u64::from(thread.here.lane.is_some());
        self.note(told.mark);
        let Told { args, flows, flow_ends, mark, resumed, .. } = told;
        let Open { kind, name, source, context, .. } = *open;
        let slice =
            Slice { kind, name, source, task, args, flows, flow_ends, mark, resumed, context };
        self.to.emit(at, &Event::Begin(thread.here, slice));
    }

    /// The innermost slice that was begun on `thread` ends.
    #[inline(never)]
    pub(crate) fn end(&mut self, thread: &mut Thread, at: u64, open: &Open, mark: Mark) {
        let at = self.advance(thread, at);
        self.note(mark);
        self.to.emit(at, &Event::End(thread.here, open.kind, mark));
    }

    /// The innermost slice that was begun on `thread` is told no further for now.
    #[inline(never)]
    pub(crate) fn suspend(&mut self, thread: &mut Thread, at: u64, open: &Open, mark: Mark) {
        let at = self.advance(thread, at);
        self.note(mark);
        self.to.emit(at, &Event::Suspend(thread.here, open.kind, mark));
    }

    /// What went on at `thread.unshown` stops again at `at`, and nothing was told in between.
    #[inline]
    pub(crate) fn leave_untold(&mut self, thread: &mut Thread, at: u64) {
        if let Some(since) = thread.unshown.take() {
            self.summary.untold_moments += 1;
            self.summary.untold_ns += at.saturating_sub(since);
        }
    }

    /// `thread` takes up an implicit task, which is its top layer now.
    pub(crate) fn member(&mut self, thread: &mut Thread, at: u64, member: &Member) {
        let at = self.advance(thread, at);
        self.to.emit(at, &Event::TeamThreadBegin(thread.here, *member));
    }

    /// `task` runs on `thread` from now on.
    #[inline]
    pub(crate) fn runs(&mut self, thread: &mut Thread, at: u64, task: Id) {
        let at = self.advance(thread, at);
        self.to.emit(at, &Event::TaskRuns(thread.here, task));
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
        self.to.emit(at, &Event::TaskEnd(thread.here, task, status));
    }

    /// Something happens on `thread`.
    #[inline(never)]
    pub(crate) fn instant(
        &mut self,
        thread: &mut Thread,
        at: u64,
        kind: InstantKind,
        named: Named,
        task: Id,
        told: Told<'_>,
    ) {
        self.show_hidden(thread);
        let at = self.advance(thread, at);
        self.summary.instants += 1;
        self.summary.lane_instants += u64::from(thread.here.lane.is_some());
        self.note(told.mark);
        let Told { args, items, flows, flow_ends, mark, .. } = told;
        let Named { name, source } = named;
        let instant = Instant { kind, name, source, task, args, items, flows, flow_ends, mark };
        self.to.emit(at, &Event::Instant(thread.here, instant));
    }

    /// Counts what is not simply observed.
    #[inline(always)]
    pub(crate) fn note(&mut self, mark: Mark) {
        match mark {
            Mark::Observed => {}
            Mark::Inferred => self.summary.inferred += 1,
            Mark::Cut => self.summary.cut += 1,
        }
    }

    /// The time at which something may be told of a thread: never before the last one.
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
