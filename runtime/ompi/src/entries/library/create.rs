//! Teams (section 2.3): requested, created, working, waited for. The parent is a thread of its team from the creation
//! of the others until it waits for them; a region that it executes alone is not seen.

use super::of_library;
use crate::call::Call;
use crate::eelib;
use crate::own;
use crate::region::{ImplicitTask, as_implicit_task};
use crate::report::{self, kind, waiting};
use crate::teams::{self, Team};
use core::cell::Cell;
use core::ffi::{c_int, c_void};
use ompttrace_in_front::regions::{self, TEAM};
use ompttrace_in_front::thread::CALLED_DIRECTLY;
use ompttrace_recorder::arm_child;
use ompttrace_recording::Scope;
use ompttrace_recording::events::ParallelEnd;

/// Records a region for which the parent requests a team of `size` threads; ORT hands `secret` to its threads.
fn begins(call: &Call, size: u64, secret: usize) -> u64 {
    let requested = own::of(call.thread).map_or(0, |own| own.requested.replace(0));
    let region = Cell::new(0);
    regions::begin(call, requested.max(size), TEAM, &region);
    teams::add(Team { secret, region: region.get(), size });
    region.get()
}

/// Begins the implicit task of the parent, which is a thread of the team.
fn parent_joins(call: &Call, region: u64, size: u64, secret: usize) {
    let outer = call.task();
    let Some(task) = own::of(call.thread).and_then(|own| own.push()) else { return };
    task.is_now(0, outer, call.code);
    task.region.set(region);
    task.team.set(size);
    task.exit.set(CALLED_DIRECTLY);
    task.data.set(secret);
    call.thread.task.set(task);
    report::implicit_task(Scope::Begin, task, 0, report::IMPLICIT);
}

/// Ends the parent's implicit task and the region, when all its threads are done.
fn ends(call: &Call) {
    let Some(own) = own::of(call.thread) else { return };
    let Some(task) = own.pop() else { return };
    task.team.set(0);
    report::implicit_task(Scope::End, task, 0, report::IMPLICIT);
    call.thread.task.set(task.outer());
    let (region, code) = (task.region.get(), task.code.get());
    teams::remove(task.data.get(), region);
    own.leave();
    let event = ParallelEnd { code, kind: 0, region, task: call.task_id(), flags: TEAM };
    report::put(ParallelEnd::NUMBER, Scope::None, event);
}

of_library! {
    // The third argument is ORT 2.5's.
    othr_request, oprc_request (entities: c_int, level: c_int, beyond: c_int) -> c_int |call, real| {
        call.task();
        if let Some(own) = own::of(call.thread) {
            own.requested.set(entities.max(0) as u64 + 1);
        }
        real(entities, level, beyond)
    }
    // Processes are forked in here: those of the team find it.
    othr_create, oprc_create (entities: c_int, level: c_int, secret: *mut c_void, info: *mut *mut c_void) |call, real| {
        let size = entities.max(0) as u64 + 1;
        let region = begins(&call, size, secret.addr());
        real(entities, level, secret, info);
        parent_joins(&call, region, size, secret.addr());
    }
    // Where tasks are the library's, its threads wait for the region's end in its taskwait.
    othr_waitall, oprc_waitall (info: *mut *mut c_void) |call, real| {
        match eelib::brings_tasks() {
            true => real(info),
            false => waiting(&call, kind::BARRIER_PARALLEL, || real(info)),
        }
        ends(&call);
    }
}

crate::entry::entries! { of_library;
    // By the library for each entity that it has created; ORT calls it for the parent.
    ort_ee_dowork (number: c_int, secret: *mut c_void) |call, real| {
        let team = teams::of(secret.addr()).filter(|_| number > 0);
        let Some(Team { region, size, .. }) = team else { return real(number, secret) };
        if eelib::makes_processes() {
            // Its implicit task may be all that there is of it.
            arm_child();
        }
        if call.thread.task.get().is_null() {
            report::worker_begins(call.thread);
        }
        let (code, number) = (call.code, number as u64);
        let flags = report::IMPLICIT;
        let implicit = ImplicitTask { region, team: size, number, flags, code, data: 0, in_league: false };
        as_implicit_task(call.thread, &implicit, |_| real(number as c_int, secret))
    }
}
