//! Teams and implicit tasks, which the interface does not report: inferred from forks, joins, idleness
//! and the region that a thread says it is in, and marked so.

use crate::ask;
use crate::thread::{Here, Team};
use crate::unmatched;
use collector_sys::Event;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicI64};
use ompttrace_recorder::Room;
use ompttrace_recording::events::{ImplicitTask, ParallelBegin, ParallelEnd, Scope};
use ompttrace_recording::kinds::UNREPORTED;
use ompttrace_recording::words::{FLAG_INFERRED, KIND_INFERRED, Payload};
use ompttrace_recording::{EventCode, Id};
use ompttrace_stacks::Request;

/// ompt_task_implicit.
const IMPLICIT: u64 = 2;
/// ompt_parallel_team.
const TEAM: u64 = 0x8000_0000;

/// Regions that were forked and not joined, in the whole process.
static OPEN: AtomicI64 = AtomicI64::new(0);

/// True while any thread of the process is inside a region that it forked.
pub(crate) fn any_open() -> bool {
    OPEN.load(Relaxed) > 0
}

/// Resets the count in a forked child: the open regions are those of the parent process.
pub(crate) fn forget() {
    OPEN.store(0, Relaxed);
}

fn count_open(change: i64) {
    OPEN.fetch_add(change, Relaxed);
}

/// The code byte of an event at this end.
#[inline(always)]
pub(crate) const fn code<const NUMBER: u16>(scope: Scope) -> EventCode {
    EventCode::new(NUMBER, scope)
}

/// Continues with a slot for a record, or without one if nothing is recorded; the clock is read
/// before anything else is done.
#[inline(always)]
pub(crate) fn with_room(code: EventCode, body: impl FnOnce(Option<Room>)) {
    match ompttrace_recorder::room() {
        Some(room) => body(Some(room)),
        None => ompttrace_recorder::slow(code, body),
    }
}

/// Records an event whose payload is complete.
#[inline(always)]
pub(crate) fn record(code: EventCode, payload: impl Payload) {
    with_room(code, |room| {
        if let Some(room) = room {
            room.put(code, payload);
        }
    });
}

/// A new id of its parts, also when the event itself is not recorded.
fn new_id(room: Option<&Room>, make: impl FnOnce(u64, u32) -> Id) -> Id {
    let parts = room.map(Room::next_id).or_else(ompttrace_recorder::next_id);
    parts.map_or(Id::NONE, |(thread, counter)| make(thread, counter))
}

fn task_code(scope: Scope) -> EventCode {
    code::<{ ImplicitTask::NUMBER }>(scope)
}

fn task(team: &Team, thread_num: u64) -> ImplicitTask {
    let (region, task) = (team.region.0, team.task.0);
    let flags = IMPLICIT | FLAG_INFERRED;
    ImplicitTask { region, task, team_size: UNREPORTED, thread_num, flags }
}

/// Region in which the calling thread forks another; 0 if there is none. A real runtime reports the new region itself
/// as the outer one, which is treated as none.
pub(crate) fn outer_region() -> u64 {
    let outer = ask::outer_region();
    if outer == ask::region() { 0 } else { outer }
}

/// The calling thread forks a team.
pub(crate) fn fork(here: &Here) {
    if here.is_outside() {
        // It may be a worker without any report so far.
        join_team(here, outer_region());
    }
    count_open(1);
    if ompttrace_stacks::are_wanted() {
        // Neither location nor frames are reported: the first frame outside the runtime is the location.
        ompttrace_stacks::put_numbered_context(&Request::default());
    }
    let outer = here.team();
    let begin = code::<{ ParallelBegin::NUMBER }>(Scope::None);
    with_room(begin, |room| {
        let reported = Id::from_source(ask::region());
        // A runtime that still says the region outside has given this one no number so far.
        let is_new = !reported.is_none() && reported != outer.region;
        let own = |thread, counter| Id::region(thread, counter, 0);
        let region = if is_new { reported } else { new_id(room.as_ref(), own) };
        let implicit = |thread, counter| Id::implicit_task(thread, counter, Id::NONE);
        let task = new_id(room.as_ref(), implicit);
        here.push(Team { region, task, is_primary: true });
        let (region, task) = (region.0, outer.task.0);
        if let Some(room) = room {
            let event = ParallelBegin { code: 0, kind: 0, region, task, requested: 0, flags: TEAM };
            room.put(begin, event);
        }
    });
    let team = here.team();
    if team.is_primary && !team.task.is_none() {
        record(task_code(Scope::Begin), task(&team, 0));
    }
}

/// Records that the team that the calling thread forked has ended.
pub(crate) fn join(here: &Here) {
    let team = here.team();
    if !team.is_primary {
        unmatched::count(Event::Join);
        let task = team.task.0;
        let event = ParallelEnd { code: 0, kind: 0, region: 0, task, flags: TEAM };
        return record(code::<{ ParallelEnd::NUMBER }>(Scope::None), event);
    }
    leave(here, 0);
}

/// The calling thread leaves its innermost team; `kind` marks the end of a region that was not reported.
fn leave(here: &Here, kind: u64) -> bool {
    let kept = here.pop();
    let Some((team, open)) = kept else {
        // Nested too deep to be kept apart: only the region's own end is reported.
        let task = here.team().task.0;
        let event = ParallelEnd { code: 0, kind, region: 0, task, flags: TEAM };
        if !here.is_outside() {
            record(code::<{ ParallelEnd::NUMBER }>(Scope::None), event);
            count_open(-1);
        }
        return !here.is_outside();
    };
    unmatched::count_open(open);
    record(task_code(Scope::End), task(&team, if team.is_primary { 0 } else { UNREPORTED }));
    if team.is_primary {
        count_open(-1);
        let (region, task) = (team.region.0, here.team().task.0);
        let event = ParallelEnd { code: 0, kind, region, task, flags: TEAM };
        record(code::<{ ParallelEnd::NUMBER }>(Scope::None), event);
    }
    true
}

/// The calling thread leaves all its teams.
pub(crate) fn leave_all(here: &Here) {
    while !here.is_outside() && leave(here, KIND_INFERRED) {}
}

/// Records that the calling thread is in a team of the region with this number of the runtime; 0: it is in none.
pub(crate) fn join_team(here: &Here, number: u64) {
    let region = Id::from_source(number);
    if region.is_none() {
        return;
    }
    let begin = task_code(Scope::Begin);
    with_room(begin, |room| {
        let implicit = |thread, counter| Id::implicit_task(thread, counter, Id::NONE);
        let team = Team { region, task: new_id(room.as_ref(), implicit), is_primary: false };
        here.push(team);
        if let Some(room) = room {
            room.put(begin, task(&team, UNREPORTED));
        }
    });
}

/// True if the runtime reports idleness; otherwise a worker's team may end without an event.
static IDLENESS_REPORTED: AtomicBool = AtomicBool::new(false);

/// Notes that the runtime reports when workers are idle.
pub(crate) fn idleness_is_reported() {
    IDLENESS_REPORTED.store(true, Relaxed);
}

/// Ensures that the calling thread is in the team that the runtime reports for it, if its own events do not determine
/// the team: it is outside all teams, or events were missed.
#[inline]
pub(crate) fn settle(here: &Here) {
    let is_sure = here.team().is_primary || IDLENESS_REPORTED.load(Relaxed);
    if !is_sure || here.is_outside() || here.has_missed() {
        settle_anew(here);
    }
}

#[cold]
fn settle_anew(here: &Here) {
    let number = ask::region();
    let region = Id::from_source(number);
    while !here.is_outside() && here.team().region != region && leave(here, KIND_INFERRED) {}
    if here.is_outside() {
        join_team(here, number);
    }
}
