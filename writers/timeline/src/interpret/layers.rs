//! Implicit tasks put on a thread and taken off again, with their lanes.

use super::World;
use crate::names::{Named, Subject};
use crate::out::Told;
use crate::state::lanes::Root;
use crate::state::thread::{Layer, Open};
use ompttrace_model::{Event, Lane, LaneRef, Mark, Member, Sink, SliceKind};
use ompttrace_recording::Id;

/// Implicit tasks on one thread; a recording that nests deeper is not believed.
pub(super) const MAX_LAYERS: usize = 4096;

impl<S: Sink> World<'_, S> {
    /// An implicit task begins on a thread.
    pub(super) fn push_layer(
        &mut self,
        t: u32,
        at: u64,
        mut layer: Layer,
        team_size: u64,
        open: Open,
        told: Told<'_>,
    ) {
        if self.thread(t).depth() >= MAX_LAYERS {
            self.close_layers(t, at, MAX_LAYERS - 1, Mark::Inferred);
        }
        self.out.show(&mut self.threads[t as usize], Mark::Observed);
        self.serial += 1;
        layer.serial = self.serial;
        let mut free_from = 0;
        if let Some(lane) = layer.lane {
            self.evict(lane);
            free_from = self.lanes.take(lane, (t, layer.serial));
        }
        layer.own = self.tasks.empty();
        layer.task_slices = self.tasks.empty();
        let thread = &mut self.threads[t as usize];
        thread.last = thread.last.max(free_from);
        let task = layer.task;
        let Layer { region, member: thread_num, root, .. } = layer;
        thread.push(layer);
        self.out.member(thread, at, &Member { task, region, thread_num, team_size, root });
        self.out.begin(thread, at, &open, task, told);
        thread.top.own.push(open);
    }

    /// Closes implicit tasks until `keep` are left, and the explicit tasks above them.
    pub(super) fn close_layers(&mut self, t: u32, at: u64, keep: usize, mark: Mark) {
        while self.thread(t).depth() > keep {
            self.end_explicit(t, at, mark);
            self.close_above(t, at, 0, mark);
            self.drop_layer(t);
        }
    }

    /// Closes the explicit task that runs in the top layer, if one does.
    pub(super) fn close_explicit(&mut self, t: u32, at: u64, mark: Mark) {
        if self.thread(t).top.running.is_none() {
            return;
        }
        self.close_above(t, at, 0, mark);
        let thread = self.thread(t);
        thread.top.running = Id::NONE;
        thread.refresh();
    }

    /// As [`World::close_explicit`], for a task whose end was not told.
    pub(super) fn end_explicit(&mut self, t: u32, at: u64, mark: Mark) {
        let task = self.thread(t).top.running;
        if !task.is_none() {
            self.close_explicit(t, at, mark);
            self.tasks.over(task);
            self.out.task_over(&mut self.threads[t as usize], at, task, None);
            self.implicit_runs(t, at);
        }
    }

    /// Takes off the top layer, whose slices are all closed.
    pub(super) fn drop_layer(&mut self, t: u32) {
        let thread = &mut self.threads[t as usize];
        let last = thread.last;
        if thread.depth() > 0 {
            self.out.to.emit(last, &Event::TeamThreadEnd(thread.here));
        }
        let Some(layer) = thread.pop() else { return };
        if let Some(lane) = layer.lane {
            self.lanes.leave(lane, (t, layer.serial), last);
        }
        self.tasks.recycle(layer.own);
        self.tasks.recycle(layer.task_slices);
    }

    /// Whoever stands on a lane that another implicit task needs is over without having said so.
    fn evict(&mut self, lane: LaneRef) {
        let Some((owner, serial)) = self.lanes.owner(lane) else { return };
        self.settle(owner);
        let (seen, at) = (self.thread(owner).seen, self.now);
        self.close_layer_of(owner, serial, seen, Mark::Inferred);
        self.note_activity(owner, at);
    }

    /// Closes one layer and all above it, by its serial number; its own late end may still come.
    pub(super) fn close_layer_of(&mut self, t: u32, serial: u64, at: u64, mark: Mark) {
        let found = self.thread(t).layers().find(|(_, layer)| layer.serial == serial);
        let Some((depth, task)) = found.map(|(depth, layer)| (depth, layer.task)) else { return };
        self.close_layers(t, at, depth - 1, mark);
        self.thread(t).expect_late(task);
    }

    /// The lane of a root thread.
    pub(super) fn root_lane(&mut self, t: u32, root: Root) -> Option<LaneRef> {
        if let Some(lane) = self.thread(t).root_lane {
            return Some(lane);
        }
        let (lane, defined) = self.lanes.root(root);
        self.define(defined);
        self.thread(t).root_lane = lane;
        lane
    }

    /// The lane of a member of a region that a task on `parent` forked.
    pub(super) fn member_lane(
        &mut self,
        parent: Option<LaneRef>,
        number: u64,
        league: bool,
    ) -> Option<LaneRef> {
        let (lane, defined) = self.lanes.member(parent?, number, league);
        self.define(defined);
        lane
    }

    fn define(&mut self, lane: Option<Lane>) {
        if let Some(lane) = lane {
            self.out.to.definitions.add_logical_thread(lane);
        }
    }

    /// The name of an implicit task, after the place of its region.
    pub(super) fn implicit_name(&mut self, task: Id, region: Id) -> Named {
        let known = self.regions.get_mut(region).map(|region| region.code);
        let known = known.filter(|code| code.address != 0);
        let code = known.unwrap_or_else(|| self.names.sites.get(task.site()));
        self.names.at(&mut self.out.to.definitions, Subject::Slice(SliceKind::ImplicitTask), code)
    }

    /// A fixed word as a name.
    pub(super) fn plain(&mut self, word: &'static str) -> Named {
        Named { name: self.names.word(&mut self.out.to.definitions, word), source: 0 }
    }
}
