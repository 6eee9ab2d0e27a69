//! Implicit and initial tasks: logical threads, teams and leagues, late ends.

use super::{Interpreter, Outcome, Reason};
use crate::hash::fork_flow;
use crate::out::{Details, number};
use crate::state::logical_threads::Root;
use crate::state::thread::{OpenSlice, TaskFrame};
use ompttrace_model::{ArgKey, Mark, SliceKind, ompt};
use ompttrace_recording::events::ImplicitTask;
use ompttrace_recording::words::FLAG_INFERRED;
use ompttrace_recording::{Id, Scope};

/// ompt_task_initial.
const INITIAL: u64 = 1;

impl Interpreter<'_> {
    pub(super) fn implicit_task(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        event: &ImplicitTask,
    ) -> Outcome {
        match scope {
            Scope::Begin if self.is_awaited(t, event) => Outcome::Interpreted,
            Scope::Begin => {
                let region = self.region_of(t, event);
                let is_root =
                    event.flags & INITIAL != 0 && region.is_none() && event.team_size <= 1;
                if is_root && self.thread(t).is_in_team() {
                    // No runtime begins an initial task in one of its own teams: another one is used there for the first time.
                    self.thread(t).guests.push(Id(event.task).started());
                    Outcome::Interpreted
                } else if is_root {
                    self.root_begins(t, at, event)
                } else {
                    self.implicit_task_begins(t, at, event, region, mark_of(event.flags))
                }
            }
            Scope::End => self.implicit_ends(t, at, Id(event.task), mark_of(event.flags)),
            Scope::None | Scope::BeginEnd => Outcome::Dropped(Reason::NoScope),
        }
    }

    /// The region of an implicit task that begins; none for a root's initial task. A league of one
    /// team is not named by its initial task: then it is the one that the thread has just begun.
    fn region_of(&mut self, t: u32, event: &ImplicitTask) -> Id {
        let region = Id(event.region);
        let initial = event.flags & INITIAL != 0;
        let known = self.regions.get_mut(region).is_some();
        if known || (!region.is_none() && (!initial || event.team_size > 1)) {
            return region;
        }
        match self.thread(t).innermost() {
            Some(open) if matches!(open.kind, SliceKind::Region { .. }) => open.region,
            _ => Id::NONE,
        }
    }

    /// The kind of root that a thread is.
    pub(super) fn root_kind(&mut self, t: u32) -> Root {
        let thread = self.thread(t);
        match (thread.kind, thread.first_of_process) {
            (ompt::Thread::Other, _) => Root::Helper,
            (_, true) => Root::Initial,
            _ if self.is_helper(t) => Root::Helper,
            _ => Root::Other,
        }
    }

    /// Returns true if the runtime itself forks from a thread, so that the thread is no root of the program.
    fn is_helper(&mut self, t: u32) -> bool {
        let lookahead = self.lookahead;
        let helper = &mut self.threads[t as usize].helper;
        let ask = || lookahead.first_fork(t).is_some_and(|code| self.names.is_in_runtime(code));
        *helper.get_or_insert_with(ask)
    }

    fn root_begins(&mut self, t: u32, at: u64, event: &ImplicitTask) -> Outcome {
        self.close_task_frames(t, at, 0, Mark::Inferred);
        let root = self.root_kind(t);
        let logical_thread = self.root_logical_thread(t, root);
        let region = Id(event.region);
        let task_frame = TaskFrame {
            task: Id(event.task).started(),
            region,
            logical_thread,
            root: true,
            ..TaskFrame::default()
        };
        let open = OpenSlice::new(SliceKind::InitialTask, self.plain("initial task"));
        self.push_task_frame(
            t,
            at,
            task_frame,
            event.team_size,
            open,
            Details::mark(mark_of(event.flags)),
        );
        Outcome::Interpreted
    }

    pub(super) fn implicit_task_begins(
        &mut self,
        t: u32,
        at: u64,
        event: &ImplicitTask,
        region: Id,
        mark: Mark,
    ) -> Outcome {
        let task = Id(event.task).started();
        // A thread becomes another's worker only when it was idle. Its own are the teams of a league that
        // libgomp runs one after the other.
        if event.thread_num > 0 && self.by_number.get(&region.thread()) != Some(&t) {
            self.close_task_frames(t, at, 0, Mark::Inferred);
            self.end_idleness(t, at);
        }
        if self.regions.get_mut(region).is_none() && !region.is_none() {
            self.make_up_region(at, region);
        }
        let known = self.regions.get_mut(region);
        let (parent, league, level, flows, context) = known.map_or((None, false, 0, 0, 0), |r| {
            (r.parent, r.league, r.track.level, r.flows, r.context)
        });
        let logical_thread = self.team_logical_thread(parent, event.thread_num, league);
        let thread_num = event.thread_num;
        let task_frame =
            TaskFrame { task, region, logical_thread, level, thread_num, ..TaskFrame::default() };
        let flow = [fork_flow(region, thread_num)];
        let ends: &[u64] = if thread_num > 0 && thread_num < flows { &flow } else { &[] };
        let args =
            [number(ArgKey::ThreadNum, thread_num), number(ArgKey::TeamSize, event.team_size)];
        // No team is of size 0: it was not reported.
        let args = args.get(..if event.team_size == 0 { 1 } else { 2 }).unwrap_or_default();
        let initial = event.flags & INITIAL != 0;
        let kind = if initial { SliceKind::InitialTask } else { SliceKind::ImplicitTask };
        let named =
            if initial { self.plain("initial task") } else { self.implicit_name(task, region) };
        let details = Details { args, flow_ends: ends, mark, ..Details::default() };
        let open = OpenSlice { context, ..OpenSlice::new(kind, named) };
        self.push_task_frame(t, at, task_frame, event.team_size, open, details);
        let serial = self.serial;
        if let Some(region) = self.regions.get_mut(region) {
            region.team_threads.push((t, serial));
        }
        Outcome::Interpreted
    }

    fn implicit_ends(&mut self, t: u32, at: u64, task: Id, mark: Mark) -> Outcome {
        let task = task.started();
        let thread = self.thread(t);
        if thread.guest_ends(task) {
            return Outcome::Interpreted;
        }
        if thread.is_late(task) {
            thread.late_over(task);
            return Outcome::Absorbed;
        }
        // A source that does not say which means the innermost one.
        let depth = if task.is_none() { Some(thread.depth()) } else { thread.depth_of(task) };
        let Some(depth) = depth.filter(|depth| *depth > 0) else {
            return self.implicit_ends_elsewhere(t, at, task, mark);
        };
        self.close_task_frames(t, at, depth, Mark::Inferred);
        self.end_explicit(t, at, Mark::Inferred);
        self.close_above(t, at, 1, Mark::Inferred);
        self.close_top(t, at, mark);
        let (thread_num, region, root) = {
            let top = &self.thread(t).top;
            (top.thread_num, top.region, top.root)
        };
        self.drop_task_frame(t);
        if thread_num == 0 && !root {
            self.team_done(region, at);
        }
        Outcome::Interpreted
    }

    /// A thread of which one runtime has said that it ends is another one to us when a second runtime ends its initial task.
    #[cold]
    fn implicit_ends_elsewhere(&mut self, t: u32, at: u64, task: Id, mark: Mark) -> Outcome {
        let began_on = self.by_number.get(&task.thread()).copied();
        let there = began_on.filter(|began_on| {
            let thread = self.thread(*began_on);
            *began_on != t && (thread.guests.contains(&task) || thread.depth_of(task).is_some())
        });
        match there {
            Some(began_on) => self.implicit_ends(began_on, at, task, mark),
            None => Outcome::Dropped(Reason::EndWithoutBegin),
        }
    }

    /// The primary thread has left its team: everybody else has come to the closing barrier.
    fn team_done(&mut self, region: Id, at: u64) {
        let Some(region) = self.regions.get_mut(region) else { return };
        let team_threads = std::mem::take(&mut region.team_threads);
        self.close_team_threads(&team_threads, at);
        self.regions.recycle(team_threads);
    }
}

/// The mark of an implicit task, by its flags, or of a thread, by its type: `Inferred` if the source inferred it.
pub(super) fn mark_of(word: u64) -> Mark {
    if word & FLAG_INFERRED == 0 { Mark::Observed } else { Mark::Inferred }
}
