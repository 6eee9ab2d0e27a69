//! The record of a region that begins.

use crate::call::Call;
use core::cell::Cell;
use ompttrace_recorder::{Room, room, site_of};
use ompttrace_recording::events::ParallelBegin;
use ompttrace_recording::{EventCode, Id, Scope};

/// ompt_parallel_invoker_program and ompt_parallel_team.
pub const TEAM: u64 = 0x8000_0001;
/// ompt_parallel_invoker_program and ompt_parallel_league.
pub const LEAGUE: u64 = 0x4000_0001;

/// Records a region that the running task encounters; its id goes to `region` before others can see the record.
pub fn begin(call: &Call, requested: u64, flags: u64, region: &Cell<u64>) {
    let parent = call.task_id();
    call.put_context();
    let code = EventCode::new(ParallelBegin::NUMBER, Scope::None);
    let body = |room: Option<Room>, site: u64| {
        let parts = match &room {
            Some(room) => Some(room.next_id()),
            None => ompttrace_recorder::next_id(),
        };
        let id = parts.map_or(Id::NONE, |(t, n)| Id::region(t, n, site));
        region.set(id.0);
        let Some(room) = room else { return };
        let event = ParallelBegin {
            code: call.code,
            kind: 0,
            region: id.0,
            task: parent,
            requested,
            flags,
        };
        room.put(code, event);
    };
    if let Some(site) = site_of(call.code)
        && let Some(room) = room()
    {
        return body(Some(room), site);
    }
    ompttrace_recorder::slow_with_site(code, call.code, body);
}
