//! Recording continues, or begins with a command: what each thread is in then, as its source says. What was
//! open before and is not there any more is cut where the recording was paused; what has no recorded begin begins,
//! cut, with the command; what was there before and is there still goes on through the gap.

use super::parallel::Begin;
use super::{Interpreter, Outcome};
use crate::ahead::{Running, is_same};
use crate::names::Subject;
use crate::out::Details;
use crate::state::thread::OpenSlice;
use ompttrace_model::{Mark, SliceKind};
use ompttrace_recording::Id;
use ompttrace_recording::events::{ImplicitTask, OngoingTask};

/// ompt_task_initial.
const INITIAL: u64 = 1;
/// ompt_task_explicit.
const EXPLICIT: u64 = 4;
/// Tasks that one thread reports; the recorder reports fewer.
const MOST: usize = 64;

impl Interpreter<'_> {
    /// Takes one of the tasks that a thread was in; with the last one the list is complete.
    pub(super) fn ongoing_task(&mut self, t: u32, at: u64, event: &OngoingTask) -> Outcome {
        let task = Id(event.task);
        let is_task = event.flags & EXPLICIT == 0 || !(task.is_none() || task.is_implicit());
        let tasks = &mut self.thread(t).ongoing;
        if tasks.len() < MOST && event.flags != 0 && is_task {
            tasks.push(*event);
        }
        if event.left == 0 {
            let chain = std::mem::take(&mut self.thread(t).ongoing);
            self.goes_on(t, at, &chain);
            self.thread(t).asked = Some(at);
        }
        Outcome::Interpreted
    }

    fn goes_on(&mut self, t: u32, at: u64, chain: &[OngoingTask]) {
        self.settle(t);
        let running = self.ahead.running(self.lookahead, t, chain);
        let paused = self.last_pause.unwrap_or(at).max(self.thread(t).seen).min(at);
        let known = self.still_there(t, chain);
        self.cut_above(t, paused, chain.get(..known).unwrap_or_default());
        if let Some(last) = known.checked_sub(1) {
            self.constructs_of(t, (paused, at), chain, last, &running);
        }
        for index in known..chain.len() {
            if !self.was_in(t, at, chain, index, &running) {
                return;
            }
            self.constructs_of(t, (paused, at), chain, index, &running);
        }
    }

    /// Number of tasks of the chain that the thread was in before, from the outermost on.
    fn still_there(&mut self, t: u32, chain: &[OngoingTask]) -> usize {
        let thread = self.thread(t);
        let (mut depth, mut above) = (0, Id::NONE);
        for (index, ongoing) in chain.iter().enumerate() {
            let task = Id(ongoing.task).started();
            let is_explicit = ongoing.flags & EXPLICIT != 0;
            let task_frame = thread.task_frame(if is_explicit { depth } else { depth + 1 });
            let below = thread.task_frame(depth).map_or(Id::NONE, |below| below.running);
            let same = match task_frame {
                Some(task_frame) if is_explicit => task_frame.running == task,
                Some(task_frame) => task_frame.task == task && below == above,
                None => false,
            };
            if !same {
                return index;
            }
            above = if is_explicit { task } else { Id::NONE };
            depth += usize::from(!is_explicit);
        }
        chain.len()
    }

    /// Ends what the thread was in besides `known`.
    fn cut_above(&mut self, t: u32, paused: u64, known: &[OngoingTask]) {
        let keep = known.iter().filter(|task| task.flags & EXPLICIT == 0).count();
        let runs = known.last().is_some_and(|task| task.flags & EXPLICIT != 0);
        while self.thread(t).depth() > keep {
            self.leave_explicit(t, paused);
            let (task, thread_num) = (self.thread(t).top.task, self.thread(t).top.thread_num);
            let above = self.thread(t).depth() - 1;
            self.close_task_frames(t, paused, above, Mark::Cut);
            if thread_num > 0 {
                self.thread(t).expect_late(task);
            }
        }
        if !runs {
            self.leave_explicit(t, paused);
        }
        self.note_state(t, paused);
        self.cut_team_threads_of_over(paused);
    }

    /// Suspends the explicit task that ran, which the thread is not in any more: it is unknown if the task is over.
    fn leave_explicit(&mut self, t: u32, paused: u64) {
        if !self.thread(t).top.running.is_none() {
            self.suspend_running(t, paused, Mark::Cut);
            self.implicit_runs(t, paused);
        }
    }

    /// A thread in a team that no longer exists was in it until the pause, as far as is known.
    pub(super) fn cut_team_threads_of_over(&mut self, paused: u64) {
        while let Some(region) = self.over.pop() {
            for &(t, serial) in &region.team_threads {
                if self.thread(t).task_frames().any(|(_, task_frame)| task_frame.serial == serial) {
                    self.settle(t);
                    self.close_task_frame_of(t, serial, paused, Mark::Cut);
                    let now = self.now;
                    self.note_state(t, paused);
                    self.note_activity(t, now);
                }
            }
            self.regions.recycle(region.team_threads);
        }
    }

    /// The constructs that task `index` of the chain, which is the running one, is in.
    fn constructs_of(
        &mut self,
        t: u32,
        (paused, at): (u64, u64),
        chain: &[OngoingTask],
        index: usize,
        running: &[Running],
    ) {
        let wanted = wanted(chain, index, running);
        let open = self.thread(t).slices().iter().skip(1);
        let is_known = |(open, wanted): &(&OpenSlice, &Running)| {
            is_same(open.kind, wanted.kind) && open.region == wanted.region
        };
        let known = open.zip(&wanted).take_while(is_known).count();
        if self.thread(t).slices().len() > 1 + known {
            self.close_above(t, paused, 1 + known, Mark::Cut);
            self.note_state(t, paused);
        }
        self.cut_team_threads_of_over(paused);
        let runs_task = chain.get(index + 1).is_some_and(|next| next.flags & EXPLICIT != 0);
        for construct in wanted.iter().skip(known) {
            self.was_in_construct(t, at, construct, runs_task);
        }
    }

    /// `runs_task`: a task runs inside it, so that a wait is interrupted.
    fn was_in_construct(&mut self, t: u32, at: u64, construct: &Running, runs_task: bool) {
        let (kind, code) = (construct.kind, construct.code);
        if matches!(kind, SliceKind::Region { .. }) {
            return self.region_was_open(t, at, construct.region);
        }
        let code = if code.address == 0 && is_closing(kind) { self.code_of_team(t) } else { code };
        let named = self.names.at(&mut self.out.to.definitions, Subject::Slice(kind), code);
        let open = OpenSlice::new(kind, named);
        if runs_task && matches!(kind, SliceKind::Wait(_)) {
            self.thread(t).slices().push(OpenSlice { shown: false, ..open });
        } else {
            self.open(t, at, open, Details::mark(Mark::Cut));
        }
    }

    fn region_was_open(&mut self, t: u32, at: u64, region: Id) {
        // It may have lost its end.
        self.finish_region(region, at, Mark::Inferred);
        let code = self.names.sites.get(region.site());
        let mark = Mark::Cut;
        let begin = Begin { region, code, requested: 0, flags: 0, mark, unnamed: false };
        self.begin_region(t, at, &begin);
    }

    /// The thread was in task `index` of the chain, inside those before it; `false`: it was not, for its
    /// region is over and only its end is late.
    fn was_in(
        &mut self,
        t: u32,
        at: u64,
        chain: &[OngoingTask],
        index: usize,
        running: &[Running],
    ) -> bool {
        let Some(ongoing) = chain.get(index) else { return false };
        let (task, region) = (Id(ongoing.task).started(), Id(ongoing.region));
        if ongoing.flags & EXPLICIT != 0 {
            self.run_explicit(t, at, task, false, Mark::Cut);
            return true;
        }
        if ongoing.flags & INITIAL != 0 && region.is_none() {
            self.root_was_there(t, at, task, Mark::Cut);
            return true;
        }
        let mut constructs = running.iter().rev().filter(|construct| construct.task == task);
        let rests = ongoing.thread_num > 0 && constructs.next().is_some_and(|c| is_closing(c.kind));
        let is_open = self.regions.get_mut(region).is_some();
        if rests && !is_open {
            self.thread(t).expect_late(task);
            return false;
        }
        if ongoing.thread_num == 0 && self.thread(t).depth() == 0 {
            self.root_was_there(t, at, Id::NONE, Mark::Cut);
        }
        if ongoing.thread_num == 0 && !is_open {
            self.region_was_open(t, at, region);
        }
        let OngoingTask { team_size, thread_num, flags, .. } = *ongoing;
        let event = ImplicitTask { region: region.0, task: task.0, team_size, thread_num, flags };
        self.implicit_task_begins(t, at, &event, region, Mark::Cut);
        true
    }
}

/// The constructs of task `index`, outermost first; at last the region that the next task of the chain is in,
/// or the one whose end is still to come.
fn wanted(chain: &[OngoingTask], index: usize, running: &[Running]) -> Vec<Running> {
    let Some(task) = chain.get(index).map(|ongoing| Id(ongoing.task).started()) else {
        return Vec::new();
    };
    let own = running.iter().rev().filter(|construct| construct.task == task);
    let is_region = |construct: &&Running| matches!(construct.kind, SliceKind::Region { .. });
    let (regions, mut wanted): (Vec<_>, Vec<_>) = own.partition(is_region);
    let next = chain.get(index + 1).filter(|next| next.flags & EXPLICIT == 0);
    let kind = SliceKind::Region { league: false };
    let inner = next.map(|next| Running {
        task,
        kind,
        code: crate::code::Code::default(),
        region: Id(next.region),
    });
    wanted.extend(inner.as_ref().or(regions.last().copied()));
    wanted.into_iter().copied().collect()
}

fn is_closing(kind: SliceKind) -> bool {
    matches!(kind, SliceKind::Sync(kind) | SliceKind::Wait(kind) if kind.is_closing())
}
