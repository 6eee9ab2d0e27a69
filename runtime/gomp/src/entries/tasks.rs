//! Explicit tasks. libgomp copies a task's data to where the task keeps it; it is given a copy function
//! of ours, which puts a header in front of the program's own data.
//!
//! So a task is reported when it is really made, nothing is allocated, and the task's wrapper finds its header wherever and
//! whenever it runs. After a cancellation libgomp makes none: that is reported as a task that was discarded, which is what other
//! runtimes say of it.

use crate::call::Call;
use crate::entries::dependences;
use crate::entry::entries;
use crate::fulfil;
use crate::inquiry;
use crate::region::Outlined;
use crate::report;
use crate::thread::{self, Task, Thread};
use core::cell::Cell;
use core::ffi::{c_int, c_long, c_uint, c_void};
pub(crate) use ompttrace_in_front::tasks::schedule;
use ompttrace_in_front::tasks::{self, COMPLETE, SWITCH, UNDEFERRED};
use ompttrace_recording::events::Dispatch;
use ompttrace_recording::{Id, Scope};

/// The program's function that copies a task's data.
pub(crate) type Copy = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void);

/// Flags of libgomp's (gomp-constants.h).
const UNTIED_FINAL_MERGEABLE: c_uint = 7;
const DEPEND: c_uint = 8;
const DETACH: c_uint = 1 << 13;

/// Bits of ompt_task_flag_t. Three have the order that libgomp's flags have.
const EXPLICIT: u64 = 4;
const UNTIED: u32 = 28;

/// ompt_dispatch_taskloop_chunk.
const DISPATCH_TASKLOOP: u64 = 4;

/// ompt_task_cancel.
const CANCELLED: u32 = 3;

/// The flags of a task as an ompt_task_flag_t.
pub(crate) fn flags_of(flags: c_uint, deferred: bool) -> u64 {
    let undeferred = if deferred { 0 } else { UNDEFERRED };
    EXPLICIT | undeferred | u64::from(flags & UNTIED_FINAL_MERGEABLE) << UNTIED
}

/// Header in front of the data of an explicit task.
#[repr(C)]
pub(crate) struct Header {
    /// libgomp writes a detachable task's handle into the first word.
    handle: Cell<usize>,
    id: Id,
    function: Outlined,
    library: usize,
    /// Offset of the data from the header, in bytes.
    data_at: usize,
    detach: bool,
    /// True if the task must not run once it is cancelled before it begins; libgomp ensures that only if it copied the
    /// data by itself.
    may_be_dropped: bool,
}

/// Arguments of the copy function, on the stack of the thread that creates the task.
#[repr(C)]
struct Source<'a> {
    /// See [`Header::handle`].
    handle: Cell<usize>,
    call: &'a Call,
    function: Outlined,
    data: *mut c_void,
    copy: Option<Copy>,
    bytes: usize,
    data_at: usize,
    flags: c_uint,
    deferred: bool,
    dependences: *mut *mut c_void,
    /// True once libgomp has created the task.
    made: Cell<bool>,
}

/// Writes header and data to the memory that libgomp allocated for the task, and records that the task was created.
unsafe extern "C-unwind" fn make(memory: *mut c_void, source: *mut c_void) {
    // SAFETY: libgomp passes what it was given, while the call that gave it is still waiting.
    let source = unsafe { &*source.cast::<Source<'_>>() };
    source.made.set(true);
    let detach = source.flags & DETACH != 0;
    let handle = source.handle.get();
    let id = source.created();
    let header = Header {
        handle: Cell::new(handle),
        id,
        function: source.function,
        library: source.call.library,
        data_at: source.data_at,
        detach,
        may_be_dropped: source.copy.is_none() && inquiry::may_cancel(source.call.library),
    };
    // SAFETY: the memory has room for as much as was asked for, aligned for both; the program's data is
    // as large as it said, and its own copy function knows what to do with it.
    unsafe {
        memory.cast::<Header>().write(header);
        if detach && !source.data.is_null() {
            source.data.cast::<usize>().write(handle);
        }
        let data = memory.byte_add(source.data_at);
        match source.copy {
            Some(copy) => copy(data, source.data),
            None if source.bytes > 0 => {
                core::ptr::copy_nonoverlapping(source.data.cast::<u8>(), data.cast(), source.bytes);
            }
            None => {}
        }
    }
    if detach {
        fulfil::made(handle, id);
    }
}

/// Function that libgomp calls for a task instead of the program's function.
unsafe extern "C-unwind" fn run(memory: *mut c_void) {
    // SAFETY: what `make` put there.
    let header = unsafe { &*memory.cast::<Header>() };
    let thread = thread::current();
    let detach = header.detach.then(|| header.handle.get());
    let cancelled = header.may_be_dropped && super::cancel::is_cancelled(header.library);
    if cancelled {
        return dropped(thread, header.id);
    }
    // SAFETY: the data lies behind the header.
    let data = unsafe { memory.byte_add(header.data_at) };
    let Header { id, library, function, .. } = *header;
    TaskRun { id, library, function, data }.run(thread, detach, None);
}

/// Records that a task was cancelled before it began.
fn dropped(thread: &'static Thread, id: Id) {
    let task = id.started().0;
    super::cancel::dropped(task);
    schedule(task, CANCELLED, thread.task_id().0);
}

/// A task that is about to run.
pub(crate) struct TaskRun {
    pub(crate) id: Id,
    pub(crate) library: usize,
    pub(crate) function: Outlined,
    pub(crate) data: *mut c_void,
}

impl TaskRun {
    /// Runs the task, and records its begin and its end. `detach` is the handle of a detachable task; `chunk` the
    /// iterations of a taskloop's task: the first one and their number.
    #[inline(always)]
    pub(crate) fn run(
        self,
        thread: &'static Thread,
        detach: Option<usize>,
        chunk: Option<(u64, u64)>,
    ) {
        let outer = thread.task();
        let id = self.id.started().0;
        let task = Task::explicit(id, outer, self.library, self.function as usize as u64 + 1);
        schedule(outer.id.get(), SWITCH, self.id.0);
        thread.task.set(&raw const task);
        if let Some((first, count)) = chunk {
            let event = Dispatch { kind: DISPATCH_TASKLOOP, first, count };
            report::put(Dispatch::NUMBER, Scope::None, event);
        }
        // SAFETY: the program's own function with the program's own data.
        unsafe { (self.function)(self.data) };
        let status = detach.map_or(COMPLETE, fulfil::body_is_over);
        thread.task.set(outer);
        schedule(id, status, outer.id.get());
    }
}

/// Records a new task of the running one, and its dependences; returns the id of the new task.
#[inline(always)]
pub(crate) fn created(call: &Call, flags: u64, listed: *mut *mut c_void) -> Id {
    let has_dependences = !listed.is_null();
    let id = tasks::created(call, flags, has_dependences);
    if has_dependences {
        // SAFETY: the program's own list.
        unsafe { dependences::put(id, listed) };
    }
    id
}

impl Source<'_> {
    /// A deferred task without code, data or dependences.
    #[inline(always)]
    fn empty(call: &Call) -> Source<'_> {
        Source {
            handle: Cell::new(0),
            call,
            function: nothing,
            data: core::ptr::null_mut(),
            copy: None,
            bytes: 0,
            data_at: 0,
            flags: 0,
            deferred: true,
            dependences: core::ptr::null_mut(),
            made: Cell::new(false),
        }
    }

    fn created(&self) -> Id {
        created(self.call, flags_of(self.flags, self.deferred), self.dependences)
    }

    /// Passes the task on to libgomp: `real` gets data, size and alignment that include the header.
    #[inline(always)]
    fn make(
        mut self,
        bytes: c_long,
        align: c_long,
        real: impl FnOnce(*mut c_void, c_long, c_long),
    ) {
        let align = align.max(align_of::<Header>() as c_long);
        let data_at = (size_of::<Header>() as c_long + align - 1) & !(align - 1);
        self.bytes = bytes as usize;
        self.data_at = data_at as usize;
        real((&raw const self).cast_mut().cast(), bytes + data_at, align);
        if !self.made.get() {
            dropped(thread::current(), self.created());
        }
    }
}

unsafe extern "C-unwind" fn nothing(_: *mut c_void) {}

entries! { TABLE;
    [GOMP_task] (function: Outlined, data: *mut c_void, copy: Option<Copy>, bytes: c_long, align: c_long, deferred: bool,
        flags: c_uint, dependences: *mut *mut c_void, priority: c_int, detach: *mut c_void) |call, real| {
        let listed = if flags & DEPEND != 0 { dependences } else { core::ptr::null_mut() };
        let source = Source { function, data, copy, flags, deferred, dependences: listed, ..Source::empty(&call) };
        source.make(bytes, align, |ours, bytes, align| {
            real(run, ours, Some(make), bytes, align, deferred, flags, dependences, priority, detach)
        })
    }
    // Nobody waits: libgomp makes a task without code, and so do we, to see when it runs.
    [GOMP_taskwait_depend_nowait] (dependences: *mut *mut c_void) |call, real| {
        let Some(task) = GOMP_task::real(call.library) else { return real(dependences) };
        Source { dependences, ..Source::empty(&call) }.make(0, 1, |ours, bytes, align| {
            task(run, ours, Some(make), bytes, align, true, DEPEND, dependences, 0, core::ptr::null_mut())
        })
    }
    // A task switch only where another task runs, which records it itself.
    [GOMP_taskyield] () |call, real| {
        call.task();
        real()
    }
    [omp_fulfill_event, omp_fulfill_event_] (event: usize) |call, real| {
        call.task();
        fulfil::fulfilled(event);
        real(event)
    }
}
