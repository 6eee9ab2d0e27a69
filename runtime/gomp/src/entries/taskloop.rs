//! taskloop: one call makes all its tasks, and libgomp writes each one's share of the iterations into
//! the first two words of its data.
//!
//! A copy function of ours would make libgomp keep all tasks on the stack at once where it runs them
//! at once. So the data is copied here, with what the wrapper needs in front of it, and libgomp copies both for each
//! task. The number of tasks, and the number of each task, follow from the iterations.

use crate::call::Call;
use crate::entries::tasks::{self, Copy, flags_of};
use crate::entry::entries;
use crate::region::Outlined;
use crate::report::{kind, sync, wait, work};
use crate::thread;
use core::ffi::{c_int, c_long, c_uint, c_ulong, c_void};
use ompttrace_recording::{Id, Scope};

const UP: c_uint = 1 << 8;
const GRAINSIZE: c_uint = 1 << 9;
const IF: c_uint = 1 << 10;
const NOGROUP: c_uint = 1 << 11;
const STRICT: c_uint = 1 << 14;

/// Header in front of the data of each of a loop's tasks.
#[repr(C, align(16))]
struct Header {
    /// First iteration of the task and the end of its iterations, written by libgomp for each task.
    start: u64,
    end: u64,
    /// The data's third word if there are task reductions, read by libgomp; else 0.
    reductions: usize,
    /// The loop's own first iteration and step, and how its tasks share it.
    first: u64,
    step: u64,
    share: Share,
    /// Id of the first task; the ids of the others follow it.
    id: Id,
    function: Outlined,
    copy: Option<Copy>,
    library: usize,
    bytes: usize,
    data_at: usize,
    data: *mut c_void,
}

/// Distribution of a loop's iterations over tasks: each of the first `longer` tasks has one iteration more than the
/// others, which have `size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    tasks: u64,
    longer: u64,
    size: u64,
}

impl Share {
    /// Computes the distribution as libgomp does. `wanted` is the number of the clause, of tasks or of iterations in
    /// each; 0 without a clause.
    fn of(iterations: u64, wanted: u64, flags: c_uint, team: u64) -> Share {
        let grains = flags & GRAINSIZE != 0;
        if grains && flags & STRICT != 0 {
            let size = wanted.max(1);
            return Share { tasks: iterations.div_ceil(size), longer: 0, size };
        }
        let tasks = match wanted {
            _ if grains => iterations / wanted.max(1),
            0 => team,
            _ => wanted,
        };
        let tasks = tasks.clamp(1, iterations.max(1));
        Share { tasks, longer: iterations % tasks, size: iterations / tasks }
    }

    /// Number of the task, from 0, to which the iteration belongs.
    fn task_of(&self, iteration: u64) -> u64 {
        let of_longer = self.longer * (self.size + 1);
        if iteration < of_longer {
            return iteration / (self.size + 1);
        }
        self.longer + (iteration - of_longer) / self.size.max(1)
    }
}

/// Memory for a header and data after it; larger data is passed on without a report of its tasks.
#[repr(C, align(64))]
struct Buffer {
    bytes: [u8; BUFFER],
}
const BUFFER: usize = 2048;
const ALIGN: c_long = align_of::<Buffer>() as c_long;

/// Copies a task's data with the program's own function.
unsafe extern "C-unwind" fn make(memory: *mut c_void, source: *mut c_void) {
    // SAFETY: libgomp passes what it was given, and room for as much as was asked for.
    unsafe {
        let header = &*source.cast::<Header>();
        core::ptr::copy_nonoverlapping(header, memory.cast(), 1);
        if let Some(copy) = header.copy {
            copy(memory.byte_add(header.data_at), header.data);
        }
    }
}

/// Function that libgomp calls for each task instead of the loop's function.
unsafe extern "C-unwind" fn run(memory: *mut c_void) {
    // SAFETY: a header, and the data behind it, whose first two words are the iterations.
    let (header, data) = unsafe {
        let header = &*memory.cast::<Header>();
        let data = memory.byte_add(header.data_at);
        data.cast::<[u64; 2]>().write([header.start, header.end]);
        (header, data)
    };
    let down = (header.step as i64) < 0;
    let (from, to) = if down { (header.start, header.first) } else { (header.first, header.start) };
    let step = if down { header.step.wrapping_neg() } else { header.step };
    let task = header.share.task_of(to.wrapping_sub(from) / step.max(1));
    let id = Id(header.id.0 + task);
    let thread = thread::current();
    let distance = (header.end as i64).wrapping_sub(header.start as i64).unsigned_abs();
    let count = distance.div_ceil(step.max(1));
    let run = tasks::TaskRun { id, library: header.library, function: header.function, data };
    run.run(thread, None, Some((header.start, count)));
}

/// A taskloop as the program requested it.
struct Wanted {
    function: Outlined,
    data: *mut c_void,
    copy: Option<Copy>,
    bytes: c_long,
    align: c_long,
    flags: c_uint,
    number: c_ulong,
    first: u64,
    step: u64,
    iterations: u64,
}

/// Records a loop and its tasks, and makes libgomp run it: `real` gets function, data, copy function,
/// size and alignment.
///
/// # Safety
/// `wanted` holds the arguments that the program passed.
unsafe fn record_and_run(
    call: &Call,
    wanted: &Wanted,
    real: impl FnOnce(Outlined, *mut c_void, Option<Copy>, c_long, c_long),
) {
    let Wanted { function, data, copy, bytes, align, flags, .. } = *wanted;
    let align_of_both = align.max(align_of::<Header>() as c_long);
    let data_at = (size_of::<Header>() as c_long + align_of_both - 1) & !(align_of_both - 1);
    let too_large = align_of_both > ALIGN || data_at + bytes > BUFFER as c_long;
    if (copy.is_none() && too_large)
        || wanted.iterations == 0
        || crate::entries::cancel::is_cancelled(call.library)
    {
        return real(function, data, copy, bytes, align);
    }
    let task = call.task_id();
    let share = Share::of(
        wanted.iterations,
        wanted.number,
        flags,
        crate::inquiry::num_threads(call.library),
    );
    work(Scope::Begin, kind::TASKLOOP, call.code, task, wanted.iterations);
    let group = flags & NOGROUP == 0;
    if group {
        sync(Scope::Begin, kind::TASKGROUP, call.code, task);
    }
    let ompt_flags = flags_of(flags & 7, flags & IF != 0);
    let id = tasks::created(call, ompt_flags, core::ptr::null_mut());
    for _ in 1..share.tasks {
        tasks::created(call, ompt_flags, core::ptr::null_mut());
    }
    let header = Header {
        start: 0,
        end: 0,
        // SAFETY: data of a loop with task reductions has the third word, of others two at least.
        reductions: unsafe {
            if flags & REDUCTION != 0 { data.cast::<usize>().add(2).read() } else { 0 }
        },
        first: wanted.first,
        step: wanted.step,
        share,
        id,
        function,
        copy,
        library: call.library,
        bytes: usize::try_from(bytes).unwrap_or(0),
        data_at: data_at as usize,
        data,
    };
    if group {
        wait(Scope::Begin, kind::TASKGROUP, call.code, task);
    }
    // SAFETY: the caller's promise.
    unsafe { pass_on(header, bytes + data_at, align_of_both, real) };
    if group {
        wait(Scope::End, kind::TASKGROUP, call.code, task);
        sync(Scope::End, kind::TASKGROUP, call.code, task);
    }
    work(Scope::End, kind::TASKLOOP, call.code, task, wanted.iterations);
}

const REDUCTION: c_uint = 1 << 12;

/// # Safety
/// The header's data is as large as it says, and has room in the buffer if it has no copy function.
unsafe fn pass_on(
    mut header: Header,
    bytes: c_long,
    align: c_long,
    real: impl FnOnce(Outlined, *mut c_void, Option<Copy>, c_long, c_long),
) {
    if header.copy.is_some() {
        return real(run, (&raw mut header).cast(), Some(make), bytes, align);
    }
    let (data, size, data_at) = (header.data, header.bytes, header.data_at);
    let mut buffer = core::mem::MaybeUninit::<Buffer>::uninit();
    let memory = buffer.as_mut_ptr().cast::<c_void>();
    // SAFETY: header and data fit, which the caller has seen to.
    unsafe {
        memory.cast::<Header>().write(header);
        core::ptr::copy_nonoverlapping(data.cast::<u8>(), memory.byte_add(data_at).cast(), size);
    }
    real(run, memory, None, bytes, align);
}

entries! { TABLE;
    [GOMP_taskloop] (function: Outlined, data: *mut c_void, copy: Option<Copy>, bytes: c_long, align: c_long,
        flags: c_uint, number: c_ulong, priority: c_int, start: c_long, end: c_long, step: c_long) |call, real| {
        let iterations = crate::entries::loops::trips(start, end, step);
        let first = start as u64;
        let wanted =
            Wanted { function, data, copy, bytes, align, flags, number, first, step: step as u64, iterations };
        record_and_run(&call, &wanted, |function, data, copy, bytes, align| {
            real(function, data, copy, bytes, align, flags, number, priority, start, end, step)
        })
    }
    [GOMP_taskloop_ull] (function: Outlined, data: *mut c_void, copy: Option<Copy>, bytes: c_long, align: c_long,
        flags: c_uint, number: c_ulong, priority: c_int, start: u64, end: u64, step: u64) |call, real| {
        let iterations = crate::entries::loops_ull::trips(flags & UP != 0, start, end, step);
        let wanted = Wanted { function, data, copy, bytes, align, flags, number, first: start, step, iterations };
        record_and_run(&call, &wanted, |function, data, copy, bytes, align| {
            real(function, data, copy, bytes, align, flags, number, priority, start, end, step)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_iteration_belongs_to_the_task_that_libgomp_gives_it_to() {
        let share = Share::of(100, 8, 0, 4);
        assert_eq!(share, Share { tasks: 8, longer: 4, size: 12 });
        assert_eq!([0, 12, 13, 51, 52, 64, 99].map(|i| share.task_of(i)), [0, 0, 1, 3, 4, 5, 7]);
        assert_eq!(Share::of(100, 10, GRAINSIZE, 4).tasks, 10);
        assert_eq!(Share::of(105, 10, GRAINSIZE, 4), Share { tasks: 10, longer: 5, size: 10 });
        assert_eq!(Share::of(5, 10, GRAINSIZE, 4).tasks, 1);
        assert_eq!(Share::of(105, 10, GRAINSIZE | STRICT, 4).tasks, 11);
        assert_eq!(Share::of(105, 10, GRAINSIZE | STRICT, 4).task_of(104), 10);
        assert_eq!(Share::of(3, 0, 0, 4).tasks, 3);
        assert_eq!(Share::of(30, 0, 0, 4).tasks, 4);
    }
}
