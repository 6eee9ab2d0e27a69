//! Steps that use a runtime so that its callbacks can be seen: one for each construct, by the functions that GCC's
//! compiler calls, or LLVM's where GCC has none. A step is left out if the runtime lacks one of its functions.

use super::runtime::{Body, Runtime};
use std::ffi::{c_char, c_int, c_long, c_uint, c_void};
use std::ptr::{null, null_mut};

/// A step, which uses one construct.
pub struct Step {
    /// Name of the step, which is printed if the runtime does not survive it.
    pub name: &'static str,
    /// Events that follow from the step.
    pub events: &'static [&'static str],
    /// Takes the step; returns `None` if the runtime has no function for it.
    pub take: fn(&Runtime) -> Option<()>,
}

const fn step(
    name: &'static str,
    events: &'static [&'static str],
    take: fn(&Runtime) -> Option<()>,
) -> Step {
    Step { name, events, take }
}

const MUTEX: [&str; 3] = ["mutex_acquire", "mutex_acquired", "mutex_released"];

/// All steps; those that have been seen to end a runtime come last.
pub const ALL: &[Step] = &[
    step(
        "parallel",
        &["thread_begin", "parallel_begin", "parallel_end", "implicit_task", "sync_region_wait"],
        |runtime| {
            runtime.team(&|| {});
            Some(())
        },
    ),
    step("barrier", &["sync_region", "sync_region_wait"], barrier),
    step("critical", &MUTEX, critical),
    step("lock", &["lock_init", MUTEX[0], MUTEX[1], MUTEX[2], "lock_destroy"], |runtime| {
        // SAFETY: names of the lock's own functions.
        unsafe {
            lock(
                runtime,
                [c"omp_init_lock", c"omp_set_lock", c"omp_unset_lock", c"omp_destroy_lock"],
                1,
            )
        }
    }),
    step("nest lock", &["nest_lock"], |runtime| {
        // SAFETY: as above.
        unsafe {
            lock(
                runtime,
                [
                    c"omp_init_nest_lock",
                    c"omp_set_nest_lock",
                    c"omp_unset_nest_lock",
                    c"omp_destroy_nest_lock",
                ],
                2,
            )
        }
    }),
    step("for dynamic", &["work", "dispatch"], dynamic_loop),
    step("sections", &["work", "dispatch"], sections),
    step("single", &["work"], single),
    step("task", &["task_create", "task_schedule"], |runtime| tasks(runtime, false)),
    step("task depend", &["dependences"], |runtime| tasks(runtime, true)),
    step("taskgroup", &["sync_region", "sync_region_wait"], taskgroup),
    step("control_tool", &["control_tool"], control_tool),
    step("masked", &["masked"], masked),
    step("flush", &["flush"], flush),
    step("cancel parallel", &["cancel"], cancel),
    step("error severity(warning)", &["error"], warning),
];

type Void = unsafe extern "C" fn();
type Truth = unsafe extern "C" fn() -> bool;
type Number = unsafe extern "C" fn() -> c_uint;

fn barrier(runtime: &Runtime) -> Option<()> {
    // SAFETY: the function's type.
    let barrier = unsafe { runtime.function::<Void>(c"GOMP_barrier")? };
    // SAFETY: every thread of the team meets it.
    runtime.team(&|| unsafe { barrier() });
    Some(())
}

fn critical(runtime: &Runtime) -> Option<()> {
    // SAFETY: the functions' type.
    let [begin, end] = unsafe {
        [runtime.function::<Void>(c"GOMP_critical_start")?, runtime.function(c"GOMP_critical_end")?]
    };
    // SAFETY: one after the other.
    runtime.team(&|| unsafe {
        begin();
        end();
    });
    Some(())
}

/// Makes a lock, takes it `times` over, gives it back and destroys it.
///
/// # Safety
/// These are functions of one kind of locks, in this order.
unsafe fn lock(runtime: &Runtime, names: [&std::ffi::CStr; 4], times: usize) -> Option<()> {
    type Function = unsafe extern "C" fn(*mut c_void);
    // Larger than any runtime's lock.
    let mut storage = [0_u64; 8];
    let storage = storage.as_mut_ptr().cast();
    // SAFETY: the functions' type.
    let of = |name| unsafe { runtime.function::<Function>(name) };
    let [make, take, give, destroy] = [of(names[0])?, of(names[1])?, of(names[2])?, of(names[3])?];
    // SAFETY: a lock's life, on one thread.
    unsafe {
        make(storage);
        (0..times).for_each(|_| take(storage));
        (0..times).for_each(|_| give(storage));
        destroy(storage);
    }
    Some(())
}

fn dynamic_loop(runtime: &Runtime) -> Option<()> {
    type Start =
        unsafe extern "C" fn(c_long, c_long, c_long, c_long, *mut c_long, *mut c_long) -> bool;
    type Next = unsafe extern "C" fn(*mut c_long, *mut c_long) -> bool;
    // SAFETY: the functions' types.
    let (start, next, end) = unsafe {
        (
            runtime.function::<Start>(c"GOMP_loop_dynamic_start")?,
            runtime.function::<Next>(c"GOMP_loop_dynamic_next")?,
            runtime.function::<Void>(c"GOMP_loop_end")?,
        )
    };
    runtime.team(&|| {
        let (mut from, mut to) = (0, 0);
        // SAFETY: every thread of the team meets the loop, and takes chunks until there is none.
        unsafe {
            let mut more = start(0, 8, 1, 1, &raw mut from, &raw mut to);
            while more {
                more = next(&raw mut from, &raw mut to);
            }
            end();
        }
    });
    Some(())
}

fn sections(runtime: &Runtime) -> Option<()> {
    // SAFETY: the functions' types.
    let (start, next, end) = unsafe {
        (
            runtime.function::<unsafe extern "C" fn(c_uint) -> c_uint>(c"GOMP_sections_start")?,
            runtime.function::<Number>(c"GOMP_sections_next")?,
            runtime.function::<Void>(c"GOMP_sections_end")?,
        )
    };
    // SAFETY: every thread of the team meets the sections, and takes them until there is none.
    runtime.team(&|| unsafe {
        let mut section = start(2);
        while section != 0 {
            section = next();
        }
        end();
    });
    Some(())
}

fn single(runtime: &Runtime) -> Option<()> {
    // SAFETY: the functions' types.
    let (start, barrier) = unsafe {
        (
            runtime.function::<Truth>(c"GOMP_single_start")?,
            runtime.function::<Void>(c"GOMP_barrier")?,
        )
    };
    // SAFETY: every thread of the team meets both.
    runtime.team(&|| unsafe {
        start();
        barrier();
    });
    Some(())
}

extern "C" fn nothing(_: *mut c_void) {}

/// Tasks that each thread creates and waits for: two in sequence, of which the second may depend on the first.
fn tasks(runtime: &Runtime, depend: bool) -> Option<()> {
    type Copy = Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>;
    type Task = unsafe extern "C" fn(
        Body,
        *mut c_void,
        Copy,
        c_long,
        c_long,
        bool,
        c_uint,
        *mut *mut c_void,
        c_int,
        *mut c_void,
    );
    /// GCC's flag of a task with dependences, whose list begins with their number and that of those that write.
    const DEPEND: c_uint = 8;
    // SAFETY: the functions' types.
    let (task, wait) = unsafe {
        (runtime.function::<Task>(c"GOMP_task")?, runtime.function::<Void>(c"GOMP_taskwait")?)
    };
    runtime.team(&|| {
        let mut variable = 0_u64;
        let address = (&raw mut variable).cast();
        let one = std::ptr::without_provenance_mut(1);
        for writes in [one, null_mut()] {
            let mut list: [*mut c_void; 3] = [one, writes, address];
            let (flags, list) = if depend { (DEPEND, list.as_mut_ptr()) } else { (0, null_mut()) };
            // SAFETY: a task without data, whose list is read before the call returns.
            unsafe { task(nothing, null_mut(), None, 0, 1, true, flags, list, 0, null_mut()) };
        }
        // SAFETY: by the thread that made them.
        unsafe { wait() };
    });
    Some(())
}

fn taskgroup(runtime: &Runtime) -> Option<()> {
    // SAFETY: the functions' type.
    let [begin, end] = unsafe {
        [
            runtime.function::<Void>(c"GOMP_taskgroup_start")?,
            runtime.function(c"GOMP_taskgroup_end")?,
        ]
    };
    // SAFETY: one after the other.
    runtime.team(&|| unsafe {
        begin();
        end();
    });
    Some(())
}

/// Calls `omp_control_tool` with a command that is the program's own and means nothing to the tool.
fn control_tool(runtime: &Runtime) -> Option<()> {
    type Control = unsafe extern "C" fn(c_int, c_int, *mut c_void) -> c_int;
    const OWN: c_int = 64;
    // SAFETY: the function's type.
    let control = unsafe { runtime.function::<Control>(c"omp_control_tool")? };
    // SAFETY: it may be called anywhere.
    unsafe { control(OWN, 0, null_mut()) };
    Some(())
}

/// A source location of LLVM's, which may be none.
type Location = *const c_void;

fn masked(runtime: &Runtime) -> Option<()> {
    type Thread = unsafe extern "C" fn(Location) -> c_int;
    type Master = unsafe extern "C" fn(Location, c_int) -> c_int;
    type End = unsafe extern "C" fn(Location, c_int);
    // SAFETY: the functions' types.
    let (thread, begin, end) = unsafe {
        (
            runtime.function::<Thread>(c"__kmpc_global_thread_num")?,
            runtime.function::<Master>(c"__kmpc_master")?,
            runtime.function::<End>(c"__kmpc_end_master")?,
        )
    };
    // SAFETY: by a thread of the team; only a thread that was let in ends it.
    runtime.team(&|| unsafe {
        let number = thread(null());
        if begin(null(), number) != 0 {
            end(null(), number);
        }
    });
    Some(())
}

fn flush(runtime: &Runtime) -> Option<()> {
    // SAFETY: the function's type.
    let flush = unsafe { runtime.function::<unsafe extern "C" fn(Location)>(c"__kmpc_flush")? };
    // SAFETY: it may be called anywhere.
    runtime.team(&|| unsafe { flush(null()) });
    Some(())
}

fn cancel(runtime: &Runtime) -> Option<()> {
    /// GCC's number of the construct.
    const PARALLEL: c_int = 1;
    type Cancel = unsafe extern "C" fn(c_int, bool) -> bool;
    // SAFETY: the function's type.
    let cancel = unsafe { runtime.function::<Cancel>(c"GOMP_cancel")? };
    // SAFETY: whoever cancels leaves the region at once.
    runtime.team(&|| _ = unsafe { cancel(PARALLEL, true) });
    Some(())
}

fn warning(runtime: &Runtime) -> Option<()> {
    const TEXT: &[u8] = b"a step of ompttrace doctor --probe";
    type Warning = unsafe extern "C" fn(*const c_char, usize);
    // SAFETY: the function's type.
    let warning = unsafe { runtime.function::<Warning>(c"GOMP_warning")? };
    // SAFETY: this many letters.
    unsafe { warning(TEXT.as_ptr().cast(), TEXT.len()) };
    Some(())
}
