//! Parallel regions and leagues: on the thread that encounters them, on their track, and their ends.

use super::calls::Creation;
use super::{Interpreter, Outcome, Reason};
use crate::code::Code;
use crate::hash::fork_flow;
use crate::names::Subject;
use crate::out::{Details, id, number, word};
use crate::state::regions::Region;
use crate::state::thread::{OpenSlice, TaskFrame};
use ompttrace_model::{ArgKey, Event, FrameKind, Mark, Slice, SliceKind};
use ompttrace_recording::Id;
use ompttrace_recording::events::{ParallelBegin, ParallelEnd};

/// ompt_parallel_league.
const LEAGUE: u64 = 0x4000_0000;
/// ompt_parallel_invoker_program.
const BY_PROGRAM: u64 = 1;
/// ompt_parallel_invoker_runtime.
const BY_RUNTIME: u64 = 2;
/// Flows of one region.
const MAX_FLOWS: u64 = 256;

/// Properties of a region that are known at its begin.
pub(super) struct Begin {
    pub region: Id,
    pub code: Code,
    pub requested: u64,
    pub flags: u64,
    pub mark: Mark,
    pub unnamed: bool,
}

impl Interpreter<'_> {
    pub(super) fn parallel_begin(&mut self, t: u32, at: u64, event: &ParallelBegin) -> Outcome {
        let region = Id(event.region);
        if let Some(known) = self.regions.get_mut(region) {
            if std::mem::take(&mut known.made_up) {
                return Outcome::Interpreted;
            }
            self.finish_region(region, at, Mark::Inferred);
        }
        self.enter(t, at, Id(event.task));
        if event.task == 0 && self.thread(t).depth() == 0 {
            self.make_up_root(t, at, Id::NONE);
        }
        let code = Code::new(event.code, event.kind);
        let ParallelBegin { requested, flags, .. } = *event;
        let unnamed = event.task == 0;
        let mark = Mark::Observed;
        self.begin_region(t, at, &Begin { region, code, requested, flags, mark, unnamed })
    }

    pub(super) fn begin_region(&mut self, t: u32, at: u64, begin: &Begin) -> Outcome {
        // A task encounters one region at a time: an open one has lost its end.
        if matches!(
            self.thread(t).innermost().map(|open| open.kind),
            Some(SliceKind::Region { .. })
        ) {
            self.close_top(t, at, Mark::Inferred);
        }
        let league = begin.flags & LEAGUE != 0;
        let kind = SliceKind::Region { league };
        let code = self.location_of_region(t, begin.code);
        self.regions.any_elsewhere |= code != begin.code;
        let begin = &Begin { code, ..*begin };
        let named = self.names.at(&mut self.out.to.definitions, Subject::Slice(kind), code);
        let made = Creation {
            id: begin.region,
            kind: FrameKind::Region,
            word: if league { "teams" } else { "parallel" },
            code,
            inline: false,
            base: None,
        };
        let context = self.context_of(t, &made);
        let open = OpenSlice::new(kind, named);
        let open = OpenSlice { region: begin.region, context, ..open };
        let invoker = if begin.flags & BY_RUNTIME != 0 { "runtime" } else { "program" };
        let args = [
            id(ArgKey::Region, begin.region),
            number(ArgKey::Requested, begin.requested),
            word(ArgKey::Invoker, invoker),
        ];
        let made_up = begin.mark != Mark::Observed;
        // A region without a recorded begin, or of which a source says neither.
        let is_bare = made_up || begin.requested == 0;
        let args = args.get(..if is_bare { 1 } else { 3 }).unwrap_or_default();
        let flows = begin.requested.min(MAX_FLOWS);
        self.flows.clear();
        self.flows.extend((1..flows).map(|thread_num| fork_flow(begin.region, thread_num)));
        let shown_flows = std::mem::take(&mut self.flows);
        let details = Details { args, flows: &shown_flows, mark: begin.mark, ..Details::default() };
        let outcome = self.open(t, at, open, details);
        self.flows = shown_flows;
        if outcome == Outcome::Interpreted && !begin.region.is_none() {
            self.show_region(t, at, begin, &open, args, flows);
        }
        outcome
    }

    /// The location of a region. Kernels that run on the host jump into the runtime from their last instruction, so that
    /// what called seems to be the library that called the kernel: the target construct stands for it.
    fn location_of_region(&mut self, t: u32, code: Code) -> Code {
        let open = self.thread(t).slices().iter().rev();
        let target = open.copied().find(|open| matches!(open.kind, SliceKind::Target(_)));
        match target {
            Some(OpenSlice { code: target, .. })
                if target.address != 0 && self.names.is_in_offload(code) =>
            {
                target
            }
            _ => code,
        }
    }

    /// The region on its track.
    fn show_region(
        &mut self,
        t: u32,
        at: u64,
        begin: &Begin,
        open: &OpenSlice,
        args: &[ompttrace_model::Arg],
        flows: u64,
    ) {
        let (level, parent) = (self.thread(t).top.level + 1, self.thread(t).top.logical_thread);
        let league = matches!(open.kind, SliceKind::Region { league: true });
        let made_up = begin.mark != Mark::Observed;
        let (track, team_threads) =
            (self.regions.take_track(level), self.regions.no_team_threads());
        let context = open.context;
        let Begin { unnamed, flags, code, .. } = *begin;
        let region = Region {
            track,
            begin: at,
            parent,
            league,
            code,
            by_program: flags & BY_PROGRAM != 0,
            flows,
            made_up,
            unnamed,
            team_threads,
            context,
        };
        self.regions.add(begin.region, region);
        let slice = Slice {
            kind: open.kind,
            name: open.name,
            source: open.source,
            task: begin.region,
            args,
            flows: &[],
            flow_ends: &[],
            mark: begin.mark,
            resumed: false,
            context: open.context,
        };
        self.out.summary.region_slices += 1;
        self.out.note(begin.mark);
        self.out.to.emit(at, &Event::RegionBegin(track, slice));
    }

    /// The begin of a region was lost: its id says which thread forked it.
    pub(super) fn make_up_region(&mut self, at: u64, region: Id) {
        let Some(&t) = self.by_number.get(&region.thread()) else { return };
        self.settle(t);
        if self.thread(t).depth() == 0 {
            self.make_up_root(t, at, Id::NONE);
        }
        let code = self.names.sites.get(region.site());
        let mark = Mark::Inferred;
        let begin = Begin { region, code, requested: 0, flags: 0, mark, unnamed: false };
        self.begin_region(t, at, &begin);
        self.note_activity(t, at);
    }

    pub(super) fn parallel_end(&mut self, t: u32, at: u64, event: &ParallelEnd) -> Outcome {
        let region = Id(event.region);
        let entered = self.enter_known(t, at, Id(event.task));
        let slices = self.thread(t).slices();
        if let Some(found) = slices.iter().rposition(|open| is_region(open, region)) {
            self.close_above(t, at, found + 1, Mark::Inferred);
            self.close_top(t, at, Mark::Observed);
            return Outcome::Interpreted;
        }
        if entered.is_ok() && self.end_own_region(t, at) {
            return Outcome::Interpreted;
        }
        if self.regions.get_mut(region).is_some() {
            self.finish_region(region, at, Mark::Observed);
            return Outcome::Interpreted;
        }
        entered.err().unwrap_or(Outcome::Dropped(Reason::EndWithoutBegin))
    }

    /// The running task encounters one region at a time, so this is the one that ends, whatever id
    /// came with it: runtimes read the region's word where its team was, which another thread may have
    /// taken over already.
    fn end_own_region(&mut self, t: u32, at: u64) -> bool {
        let slices = self.thread(t).slices();
        let own = slices.iter().rposition(|open| matches!(open.kind, SliceKind::Region { .. }));
        if let Some(found) = own {
            self.close_above(t, at, found, Mark::Inferred);
        }
        own.is_some()
    }

    /// A region is over: its track is free, its implicit tasks are closed when this record is done.
    pub(super) fn finish_region(&mut self, region: Id, at: u64, mark: Mark) {
        let Some(region) = self.regions.remove(region) else { return };
        self.out.note(mark);
        // A made-up region may have begun after its thread's last record, where a repair ends it.
        self.out.to.emit(at.max(region.begin), &Event::RegionEnd(region.track, mark));
        self.over.push(region);
    }

    /// Closes the implicit tasks of all regions that are over. One may end further regions.
    #[cold]
    pub(super) fn close_team_threads_of_over(&mut self, at: u64) {
        while let Some(region) = self.over.pop() {
            self.close_team_threads(&region.team_threads, at);
            self.regions.recycle(region.team_threads);
        }
    }

    /// The team is done: threads in their closing barrier are idle from now on.
    pub(super) fn close_team_threads(&mut self, team_threads: &[(u32, u64)], at: u64) {
        for &(t, serial) in team_threads {
            let thread = self.thread(t);
            if !thread.task_frames().any(|(_, task_frame)| task_frame.serial == serial) {
                continue;
            }
            self.settle(t);
            let thread = self.thread(t);
            let sits = thread.top.serial == serial && in_closing_barrier(&thread.top);
            // One that still works should not be; nothing says how long it went on.
            let until = if sits { at } else { thread.seen };
            self.close_task_frame_of(t, serial, until, Mark::Inferred);
            self.note_state(t, until);
            self.note_activity(t, at);
        }
    }
}

fn is_region(open: &OpenSlice, region: Id) -> bool {
    matches!(open.kind, SliceKind::Region { .. }) && open.region == region
}

/// Returns true if nothing but the implicit task is open, or its innermost open slice is a barrier.
fn in_closing_barrier(task_frame: &TaskFrame) -> bool {
    let barrier = task_frame.own.last().is_some_and(|open| match open.kind {
        SliceKind::Sync(kind) | SliceKind::Wait(kind) => kind.is_barrier(),
        _ => false,
    });
    task_frame.running.is_none() && (barrier || task_frame.own.len() <= 1)
}
