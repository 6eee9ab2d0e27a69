//! OMPT's events: what each says of its thread, and which of the paper's events it is.
//!
//! A begin is delivered when the thread's state says so already, an end while it still does: so the
//! collector can ask in both what it is about.

use crate::held::{self, Holder};
use crate::thread::{Role, Thread, region_ends};
use crate::{session, start};
use collector_sys::{Event, State};
use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use ompt_sys::{
    ompt_data_t, ompt_frame_t, ompt_mutex_t, ompt_scope_begin, ompt_scope_endpoint_t,
    ompt_sync_region_t, ompt_thread_t, ompt_thread_worker, ompt_wait_id_t, ompt_work_t,
};

type Data = *mut ompt_data_t;
type Code = *const c_void;

/// A callback that is registered with the runtime.
pub(crate) struct CallbackEntry {
    /// OMPT's number of the callback.
    pub(crate) number: c_uint,
    /// Address of the callback.
    pub(crate) function: Address,
    /// The events of the paper that cannot be reported without the callback.
    pub(crate) events: &'static [Event],
    /// True for a callback that known runtimes crash in late in some programs: the release of a mutex.
    pub(crate) crashes_late: bool,
}

/// A function's address.
pub(crate) struct Address(pub(crate) *const c_void);
// SAFETY: the address of a function, which never changes.
unsafe impl Sync for Address {}

const fn row(number: c_uint, function: *const (), events: &'static [Event]) -> CallbackEntry {
    CallbackEntry {
        number,
        function: Address(function.cast()),
        events,
        crashes_late: number == RELEASED,
    }
}

/// ompt_callback_mutex_released.
pub(crate) const RELEASED: c_uint = 17;

use Event as E;

/// All callbacks that are registered, with OMPT's numbers.
pub(crate) static ROWS: [CallbackEntry; 13] = [
    row(1, thread_begin as *const (), &[E::BeginIdle]),
    row(2, thread_end as *const (), &[]),
    row(3, parallel_begin as *const (), &[E::Fork]),
    row(4, parallel_end as *const (), &[E::Join]),
    row(7, implicit_task as *const (), &[E::BeginIdle, E::EndIdle]),
    row(23, sync_region as *const (), &[E::BeginIbar, E::EndIbar, E::BeginEbar, E::EndEbar]),
    row(31, reduction as *const (), &[]),
    row(20, work as *const (), &[E::BeginSingle, E::EndSingle]),
    row(21, masked as *const (), &[E::BeginMaster, E::EndMaster]),
    row(26, mutex_acquire as *const (), &[E::BeginLkwt, E::BeginCtwt, E::BeginOdwt, E::BeginAtwt]),
    row(
        27,
        mutex_acquired as *const (),
        &[E::EndLkwt, E::EndCtwt, E::EndOdwt, E::EndAtwt, E::BeginOrdered],
    ),
    row(RELEASED, mutex_released as *const (), &[E::EndOrdered]),
    row(28, nest_lock as *const (), &[]),
];

/// Calls the collector, for which the thread's state follows our events and not the runtime's.
fn deliver(thread: &Thread, event: Event) {
    thread.delivering.store(1, Relaxed);
    session::deliver(event);
    thread.delivering.store(0, Relaxed);
}

/// The value that a begin left in a word of the runtime's; 0 for null.
///
/// # Safety
/// `data` is null or a word that the runtime lets a tool use.
unsafe fn value(data: Data) -> u64 {
    // SAFETY: by the caller's promise; any 64 bits are a value.
    if data.is_null() { 0 } else { unsafe { (*data).value } }
}

unsafe extern "C" fn thread_begin(kind: ompt_thread_t, _thread: Data) {
    let thread = Thread::own();
    if kind == ompt_thread_worker {
        thread.set_role(Role::Worker);
        deliver(thread, Event::BeginIdle);
    }
}

unsafe extern "C" fn thread_end(_thread: Data) {
    Thread::end();
}

/// ompt_parallel_league.
const LEAGUE: c_int = 0x4000_0000;

static REGIONS: AtomicU64 = AtomicU64::new(0);

/// A league is no region of the paper, which knows no teams construct.
unsafe extern "C" fn parallel_begin(
    _task: Data,
    _frame: *const ompt_frame_t,
    parallel: Data,
    _requested: c_uint,
    flags: c_int,
    _code: Code,
) {
    if flags & LEAGUE != 0 {
        return;
    }
    let thread = Thread::own();
    let region = REGIONS.fetch_add(1, Relaxed) + 1;
    if !parallel.is_null() {
        // SAFETY: the runtime's word for this region.
        unsafe { (*parallel).value = region };
    }
    let outer = thread.level().region.load(Relaxed);
    thread.push(region, outer, true);
    thread.level().set_doing(Some(State::Ovhd));
    deliver(thread, Event::Fork);
}

unsafe extern "C" fn parallel_end(_parallel: Data, _task: Data, flags: c_int, _code: Code) {
    let thread = Thread::own();
    if flags & LEAGUE != 0 || thread.level().is_master.load(Relaxed) == 0 {
        return;
    }
    region_ends(thread.level().region.load(Relaxed));
    thread.pop();
    deliver(thread, Event::Join);
}

/// ompt_task_initial.
const INITIAL: c_int = 1;

unsafe extern "C" fn implicit_task(
    endpoint: ompt_scope_endpoint_t,
    parallel: Data,
    _task: Data,
    _team: c_uint,
    _index: c_uint,
    flags: c_int,
) {
    if flags & INITIAL != 0 {
        return;
    }
    let thread = Thread::own();
    let is_master = thread.level().is_master.load(Relaxed) != 0;
    if endpoint == ompt_scope_begin {
        // SAFETY: the runtime's word for this region.
        let region = unsafe { value(parallel) };
        if is_master && thread.level().region.load(Relaxed) == region {
            return thread.level().set_doing(None);
        }
        thread.push(region, 0, false);
        deliver(thread, Event::EndIdle);
    } else if is_master {
        // Until the region itself is over.
        thread.level().set_doing(Some(State::Ovhd));
    } else if !thread.is_outside() {
        thread.pop();
        deliver(thread, Event::BeginIdle);
    }
}

/// The barrier of the paper that a synchronisation is (ompt_sync_region_t): implicit ones by all their
/// names and those that the runtime adds, or explicit ones; none for what is no barrier.
fn barrier(kind: ompt_sync_region_t) -> Option<(State, Event, Event)> {
    match kind {
        2 | 4 | 8..=10 => Some((State::Ibar, Event::BeginIbar, Event::EndIbar)),
        1 | 3 => Some((State::Ebar, Event::BeginEbar, Event::EndEbar)),
        _ => None,
    }
}

unsafe extern "C" fn sync_region(
    kind: ompt_sync_region_t,
    endpoint: ompt_scope_endpoint_t,
    _parallel: Data,
    _task: Data,
    _code: Code,
) {
    let Some((state, begin, end)) = barrier(kind) else { return };
    let thread = Thread::own();
    let level = thread.level();
    if endpoint == ompt_scope_begin {
        level.barriers.fetch_add(1, Relaxed);
        level.set_doing(Some(state));
        deliver(thread, begin);
    } else {
        deliver(thread, end);
        level.set_doing(None);
    }
}

unsafe extern "C" fn reduction(
    _kind: ompt_sync_region_t,
    endpoint: ompt_scope_endpoint_t,
    _parallel: Data,
    _task: Data,
    _code: Code,
) {
    let level = Thread::own().level();
    // It may be inside a barrier, which continues after it.
    if endpoint == ompt_scope_begin {
        level.before.store(level.doing.load(Relaxed), Relaxed);
        level.set_doing(Some(State::Reduc));
    } else {
        level.doing.store(level.before.load(Relaxed), Relaxed);
    }
}

/// ompt_work_single_executor: the others do not enter the region.
const SINGLE: ompt_work_t = 3;

unsafe extern "C" fn work(
    kind: ompt_work_t,
    endpoint: ompt_scope_endpoint_t,
    _parallel: Data,
    _task: Data,
    _count: u64,
    _code: Code,
) {
    if kind == SINGLE {
        let begins = endpoint == ompt_scope_begin;
        deliver(Thread::own(), if begins { Event::BeginSingle } else { Event::EndSingle });
    }
}

unsafe extern "C" fn masked(
    endpoint: ompt_scope_endpoint_t,
    _parallel: Data,
    _task: Data,
    _code: Code,
) {
    let begins = endpoint == ompt_scope_begin;
    deliver(Thread::own(), if begins { Event::BeginMaster } else { Event::EndMaster });
}

/// The wait of the paper for a mutex (ompt_mutex_t); none where a lock is only tested.
fn wait(kind: ompt_mutex_t) -> Option<(State, Event, Event)> {
    match kind {
        1 | 3 => Some((State::Lkwt, Event::BeginLkwt, Event::EndLkwt)),
        5 => Some((State::Ctwt, Event::BeginCtwt, Event::EndCtwt)),
        6 => Some((State::Atwt, Event::BeginAtwt, Event::EndAtwt)),
        ORDERED => Some((State::Odwt, Event::BeginOdwt, Event::EndOdwt)),
        _ => None,
    }
}

const NEST_LOCK: ompt_mutex_t = 3;
const ORDERED: ompt_mutex_t = 7;

unsafe extern "C" fn mutex_acquire(
    kind: ompt_mutex_t,
    _hint: c_uint,
    _implementation: c_uint,
    wait_id: ompt_wait_id_t,
    _code: Code,
) {
    let Some((state, begin, _)) = wait(kind) else { return };
    let thread = Thread::own();
    if !has_to_wait(thread, kind, wait_id) {
        return;
    }
    thread.level().wait_id.store(wait_id, Relaxed);
    thread.level().set_waiting(Some(state));
    deliver(thread, begin);
}

/// True if the thread has to wait for the mutex because another thread owns it. If the runtime does not report
/// releases, and for ordered regions, which have no owner, every request counts as a wait.
fn has_to_wait(thread: &Thread, kind: ompt_mutex_t, wait_id: ompt_wait_id_t) -> bool {
    if kind == ORDERED || !start::reports_releases() {
        return true;
    }
    match held::claim(wait_id, thread.number()) {
        Holder::Nobody => false,
        // Only nestable locks can be acquired again by their owner.
        Holder::Caller => kind != NEST_LOCK,
        Holder::Another | Holder::Unknown => true,
    }
}

unsafe extern "C" fn mutex_acquired(kind: ompt_mutex_t, wait_id: ompt_wait_id_t, _code: Code) {
    let thread = Thread::own();
    if kind == ORDERED {
        end_wait(thread, kind);
        deliver(thread, Event::BeginOrdered);
    } else {
        held::take(wait_id, thread.number());
        end_wait(thread, kind);
    }
}

/// Ends a wait of this kind, if the thread is in one: it is not when the lock was only tested.
fn end_wait(thread: &Thread, kind: ompt_mutex_t) {
    let Some((state, _, end)) = wait(kind) else { return };
    if thread.level().waiting.load(Relaxed) == state as u32 {
        deliver(thread, end);
        thread.level().set_waiting(None);
    }
}

unsafe extern "C" fn mutex_released(kind: ompt_mutex_t, wait_id: ompt_wait_id_t, _code: Code) {
    let thread = Thread::own();
    if kind == ORDERED {
        deliver(thread, Event::EndOrdered);
    } else {
        held::release(wait_id, thread.number());
    }
}

/// A nestable lock is taken again by its owner: that ends the wait, if one was reported, as acquiring it would.
unsafe extern "C" fn nest_lock(
    endpoint: ompt_scope_endpoint_t,
    _wait_id: ompt_wait_id_t,
    _code: Code,
) {
    if endpoint == ompt_scope_begin {
        end_wait(Thread::own(), NEST_LOCK);
    }
}
