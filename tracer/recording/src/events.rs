//! The table of all events: number, name, scope and payload of each, in one place.
//!
//! Numbers below 256 and their names are those of OpenMP's tool interface (OpenMP 5.2, 19.5.2; names of
//! omp-tools.h without `ompt_callback_`), whatever interface an event came from; ours are from 256 on.
//! After `=` is the event's first code (see [`EventCode`]). Every field is a number as the source
//! gave it; enumerators that nobody knows yet survive.
//!
//! After its name a row says to which [`Group`] the event belongs and what it is to a scan of one thread's records, which
//! finds what is open at the begin of a window of time: the scan has to `follow` it, may `pass` over it, or has to `stop`,
//! because from there on only a whole interpretation knows. What is not declared here does not compile.

use crate::short;
use crate::words::{self, At, Halves, Payload, Store, Word};

#[macro_use]
mod declare;

/// The largest number of words of any record, its header included.
pub const MAX_WORDS: usize = 12;
#[allow(clippy::indexing_slicing, reason = "checked while compiling")]
const _: () = {
    let mut code = 0;
    while code < 256 {
        assert!(WORDS[code] as usize <= MAX_WORDS);
        code += 1;
    }
};

events! {
    /// A thread begins. `thread_type`: 1 initial, 2 worker, 3 other, 4 unknown; bit 32: inferred from its
    /// first event.
    1 = 1 ThreadBegin "thread_begin" Base follow { Word(thread_type) }
    /// A thread ends.
    2 = 2 ThreadEnd "thread_end" Base follow {}
    /// A task encounters a parallel or teams construct. `flags`: invoker and team or league bits.
    3 = 3 ParallelBegin "parallel_begin" Base follow { At(code, kind), Word(region), Word(task), Halves(requested, flags) }
    /// The construct is over for the task that encountered it.
    4 = 4 ParallelEnd "parallel_end" Base follow { At(code, kind), Word(region), Word(task), Word(flags) }
    /// A task is created by `task`. `kind`: 1 when it has dependences. `flags`: ompt_task_flag_t, and
    /// [`TASK_BEGINS`](crate::kinds::TASK_BEGINS).
    5 = 5 TaskCreate "task_create" Task follow { At(code, kind), Word(task), Word(new_task), Word(flags) }
    /// The thread leaves task `prior` in `status` (ompt_task_status_t) for task `next`.
    6 = 6 TaskSchedule "task_schedule" Task follow { Word(prior), Word(next), Word(status) }
    /// An implicit or initial task begins or ends. `team_size` and `thread_num` are what the source said.
    7 = 104 ImplicitTask "implicit_task" Base follow { Word(region), Word(task), Halves(team_size, thread_num), Word(flags) }
    /// A target construct (old form). `kind`: ompt_target_t.
    8 = 108 Target "target" Target follow { At(code, kind), Word(device), Word(task), Word(target) }
    /// A data operation (old form). `kind`: ompt_target_data_op_t. Addresses as given; `bytes` moved or allocated.
    9 = 9 TargetDataOp "target_data_op" Target pass { At(code, kind), Word(target), Word(host_op), Word(src), Word(dest), Halves(src_device, dest_device), Word(bytes) }
    /// A kernel is submitted (old form).
    10 = 10 TargetSubmit "target_submit" Target pass { Word(target), Word(host_op), Word(teams) }
    /// The program called omp_control_tool. `result` is the tool's answer.
    11 = 11 ControlTool "control_tool" Base pass { At(code, kind), Word(command), Word(modifier), Word(result) }
    /// A device is initialised. Its type follows as `text_bytes` bytes of text records.
    12 = 12 DeviceInitialize "device_initialize" Target stop { Halves(device, text_bytes) }
    /// A device is finalised.
    13 = 13 DeviceFinalize "device_finalize" Target stop { Word(device) }
    /// Code is loaded to a device; its file name follows as text records.
    14 = 14 DeviceLoad "device_load" Target stop { Halves(device, text_bytes), Word(offset), Word(vma), Word(bytes), Word(host), Word(device_address), Word(module) }
    /// Code is unloaded from a device.
    15 = 15 DeviceUnload "device_unload" Target stop { Word(device), Word(module) }
    /// A thread waits in a synchronisation. `kind`: ompt_sync_region_t.
    16 = 112 SyncRegionWait "sync_region_wait" Sync follow { At(code, kind), Word(task) }
    /// A mutex is released. `kind`: ompt_mutex_t.
    17 = 17 MutexReleased "mutex_released" Mutex follow { At(code, kind), Word(wait_id) }
    /// A task has `count` dependences, listed by as many `dependence` records.
    18 = 18 Dependences "dependences" Task stop { Word(task), Word(count) }
    /// Task `sink` depends on task `src`.
    19 = 19 TaskDependence "task_dependence" Task stop { Word(src), Word(sink) }
    /// A work-sharing construct. `kind`: ompt_work_t; `count`: iterations, sections or as OMPT says.
    20 = 116 Work "work" Work follow { At(code, kind), Word(task), Word(count) }
    /// A masked (master) region.
    21 = 120 Masked "masked" Work follow { At(code, kind), Word(task) }
    /// `count` items are mapped (old form), listed by `map_item` records.
    22 = 22 TargetMap "target_map" Target stop { At(code, kind), Word(target), Word(count) }
    /// A synchronisation: barriers, taskwait, taskgroup. `kind`: ompt_sync_region_t.
    23 = 124 SyncRegion "sync_region" Sync follow { At(code, kind), Word(task) }
    /// A lock is initialised. `hint`, `implementation` as the runtime says.
    24 = 24 LockInit "lock_init" Mutex follow { At(code, kind), Word(wait_id), Halves(hint, implementation) }
    /// A lock is destroyed.
    25 = 25 LockDestroy "lock_destroy" Mutex follow { At(code, kind), Word(wait_id) }
    /// A thread asks for a mutex.
    26 = 26 MutexAcquire "mutex_acquire" Mutex follow { At(code, kind), Word(wait_id), Halves(hint, implementation) }
    /// The thread has the mutex.
    27 = 27 MutexAcquired "mutex_acquired" Mutex follow { At(code, kind), Word(wait_id) }
    /// A nestable lock is taken again (begin) or given back but still held (end).
    28 = 128 NestLock "nest_lock" Mutex pass { At(code, kind), Word(wait_id) }
    /// A flush.
    29 = 29 Flush "flush" Sync pass { At(code, kind) }
    /// A cancellation. `flags`: ompt_cancel_flag_t.
    30 = 30 Cancel "cancel" Control stop { At(code, kind), Word(task), Word(flags) }
    /// A reduction is performed. `kind`: ompt_sync_region_t.
    31 = 132 Reduction "reduction" Sync follow { At(code, kind), Word(task) }
    /// A chunk of work begins. `kind`: ompt_dispatch_t; `first` and `count`: a loop chunk's
    /// start and iterations, or the instance's raw value or address in `first`.
    32 = 32 Dispatch "dispatch" Work follow { Word(kind), Word(first), Word(count) }
    /// A target construct. `target`: our id of it; `target_task`: the task that runs it.
    33 = 136 TargetEmi "target_emi" Target follow { At(code, kind), Word(device), Word(task), Word(target_task), Word(target) }
    /// A data operation of target construct `target`.
    34 = 140 TargetDataOpEmi "target_data_op_emi" Target follow { At(code, kind), Word(target_task), Word(target), Word(host_op), Word(src), Word(dest), Halves(src_device, dest_device), Word(bytes) }
    /// A kernel is submitted with `teams` teams asked for.
    35 = 144 TargetSubmitEmi "target_submit_emi" Target follow { Word(target), Word(host_op), Word(teams) }
    /// `count` items are mapped, listed by `map_item` records.
    36 = 36 TargetMapEmi "target_map_emi" Target stop { At(code, kind), Word(target), Word(count) }
    /// The runtime reports an error. `kind`: 1 warning, 2 fatal. The message follows as text records.
    37 = 37 Error "error" Control pass { At(code, kind), Word(text_bytes) }

    // Ours.

    /// Kernel thread id of a thread and its name (16 bytes, zero padded): its first record, but
    /// for a forked child's first thread, if the events of its beginning precede it.
    256 = 64 ThreadInfo "thread_info" Definition pass { Word(os_thread), Word(name_low), Word(name_high) }
    /// a code address got index `site` in the table of sites.
    257 = 65 CodeSite "code_site" Definition follow { At(code, kind), Word(site) }
    /// one entry of `dependences`. `kind`: ompt_dependence_type_t.
    258 = 66 Dependence "dependence" Part stop { Word(variable), Word(kind) }
    /// one entry of a target map. `flags`: ompt_target_map_flag_t.
    259 = 67 MapItem "map_item" Part stop { Word(host), Word(device_address), Word(bytes), Word(flags) }
    /// 24 bytes of a text, zero padded.
    260 = 68 Text "text" Part pass { Word(first), Word(second), Word(third) }
    /// `count` records of code byte `event` were lost on this thread for `reason` (see [`loss`]).
    261 = 69 Lost "lost" Extension stop { Halves(event, reason), Word(count) }
    /// the thread waited `ticks` for the tool itself (drain, buffer), from the record's time on.
    262 = 70 Wait "wait" Extension follow { Word(ticks), Word(reason) }
    /// a control command took effect (1 start, 2 pause, 3 flush, 4 end), asked through
    /// `origin` (0 ompt_control, 1 omp_control_tool, 2 the tool itself, 3 MPI_Pcontrol, 4 `ompttrace control`).
    263 = 71 Control "control" Extension stop { Word(command), Word(modifier), Word(origin) }
    /// a frame of the program's call stacks got number `node`: a call that returns to `code`, in
    /// the frame of number `caller` (0: none that belongs to the same task). Number 0 is none.
    264 = 72 CallFrame "call_frame" Definition stop { At(code, kind), Word(node), Word(caller) }
    /// the thread's next region or task, whose id's counter will be `counter`, is made where the
    /// stack's innermost frame is `node` (0: not known). `flags`: [`stack`].
    265 = 73 CallContext "call_context" Extension stop { Halves(counter, flags), Word(node) }
    /// Ours, in no file of events: a record in a device's own form, as `devices` has it. `kind`: 1
    /// information, 2 event. Its type follows as `text_bytes` bytes of text records.
    266 = 74 DeviceNative "device_native" Extension stop { Halves(kind, text_bytes), Word(hardware) }
    /// The thread was in this task when recording went on (the record's time), as its source said when it was
    /// asked before the thread's next event. Outermost first; `left` more follow. `region`: an implicit
    /// task's. `flags`: ompt_task_flag_t; where they are 0 the thread was in no task.
    267 = 75 OngoingTask "ongoing_task" Extension stop { Word(region), Word(task), Halves(team_size, thread_num), Halves(flags, left) }
    /// The chunk or section that the thread took last is over and it asks for the next one, if the source knows that.
    268 = 85 ChunkEnd "chunk_end" Extension follow {}
    /// The thread's count so far of counter `counter`, by its index in `recording.json`.
    288 = 81 CounterValue "counter_value" Extension follow { Word(value), Word(counter) }

    /// MPI is initialised. `rank` of `size` in MPI_COMM_WORLD; `level` of thread support and `abi`: [`crate::mpi`]; the
    /// handles of MPI_COMM_WORLD and MPI_COMM_SELF.
    296 = 86 MpiWorld "mpi_world" Extension follow { Halves(rank, size), Halves(level, abi), Word(world), Word(itself) }
    /// A function of MPI is called. `kind`: its number ([`crate::mpi::FUNCTIONS`]); `communicator`: the handle that it was
    /// given, of a communicator, or of a window or file ([`crate::mpi::Function::takes_object`]); 0: none.
    297 = 87 MpiEnter "mpi_enter" Extension follow { At(code, kind), Word(communicator) }
    /// The open call is over. `result`: its own, an int; where it is 0 usually [`MpiLeft`].
    298 = 88 MpiLeave "mpi_leave" Extension follow { Halves(function, result) }
    /// The next mpi_enter of the thread is to send this. Ranks and tags: [`crate::mpi::rank`].
    299 = 89 MpiSend "mpi_send" Extension follow { Halves(peer, tag), Word(bytes) }
    /// The next mpi_enter of the thread is to receive this at most.
    300 = 90 MpiReceive "mpi_receive" Extension follow { Halves(peer, tag), Word(bytes) }
    /// The open call has received this; of no rank ([`crate::mpi::rank::NONE`]): it has moved so many bytes from or to a file.
    301 = 91 MpiReceived "mpi_received" Extension pass { Halves(peer, tag), Word(bytes) }
    /// The next mpi_enter of the thread is collective. The bytes that this rank gives and takes, as its own arguments say,
    /// each count times its datatype: to or from one other rank, where the function has a count for each.
    302 = 92 MpiCollective "mpi_collective" Extension follow { Halves(root, flags), Word(given), Word(taken) }
    /// The open call has made communicator `handle` of `parent`: its size and this process's rank in it.
    303 = 93 MpiCommunicator "mpi_communicator" Extension follow { Word(handle), Word(parent), Halves(size, rank) }
    /// The open call has made a request of this handle. `kind`: 1 if it is persistent. What it is for: the function, and what
    /// came before its mpi_enter. Handles are not unique: see FORMAT.md.
    304 = 94 MpiPost "mpi_post" Extension follow { Word(request), Word(kind) }
    /// The next mpi_enter is given this request, the one at `index` of its list.
    305 = 148 MpiRequest "mpi_request" Extension follow { Word(request), Word(index) }
    /// The request at `index` is complete in the open call: what it received, if it is that of a receive. `flags`: 1 cancelled.
    306 = 152 MpiDone "mpi_done" Extension follow { Halves(index, flags), Halves(peer, tag), Word(bytes) }
    /// The next mpi_enter of the thread, with its mpi_leave, stands for `count` calls of `function` that found nothing to be
    /// complete or to have come, and `other_count` of `other` (0: none) among them, one right after the other.
    307 = 156 MpiPolls "mpi_polls" Extension follow { Halves(function, count), Halves(other, other_count) }
    /// The open call is over without an error.
    308 = 160 MpiLeft "mpi_left" Extension follow {}
    /// The next mpi_enter of the thread moves so many bytes between the process and a window of rank `peer` or a file
    /// ([`crate::mpi::rank::NONE`]), as its own arguments say; or it locks, unlocks or flushes the window of that rank: `flags`:
    /// [`crate::mpi::lock`].
    309 = 164 MpiAccess "mpi_access" Extension follow { Halves(peer, flags), Word(bytes) }
    /// The clock of this process compared with that of another rank: see [`crate::mpi::Clock`].
    310 = 168 MpiClock "mpi_clock" Extension follow { Halves(reference, measured_by), Word(time), Word(offset), Word(error), Word(rounds) }
    /// The next `count` members of the thread's next mpi_communicator: rank `first` of MPI_COMM_WORLD and those that follow at
    /// a distance of `stride`, an int. `group`: [`crate::mpi::group`].
    311 = 172 MpiMembers "mpi_members" Extension follow { Halves(first, count), Halves(stride, group) }
    /// Communicator `handle` gets a name of `bytes` bytes, 24 of which, from byte `at` on, are here; other records of the thread have
    /// the others.
    312 = 176 MpiName "mpi_name" Extension follow { Word(handle), Halves(at, bytes), Word(first), Word(second), Word(third) }
    /// The open call has made a window or opened a file, by `kind` ([`crate::mpi::object`]), of the ranks of `communicator`; `mode`: of a
    /// file ([`crate::mpi::mode`]). A name of `bytes` bytes follows, in the thread's next mpi_name records of this handle.
    313 = 188 MpiObject "mpi_object" Extension follow { Word(handle), Word(communicator), Halves(kind, mode), Word(bytes) }

    /// Ours, in no file of events: something that a device did, as `device_records` has it. `kind` and `detail`:
    /// [`device_records::kind`](crate::device_records::kind), by which `what` is bytes or the number of a name; `host_op`:
    /// the target operation that caused it.
    320 = 220 DeviceActivity "device_activity" Extension stop { Halves(kind, detail), Word(what), Word(host_op), Word(correlation) }

    /// A phase of the program begins or ends on the thread, or (begin and end at once) was open when recording went on or the one
    /// around it ended. `kind`: [`crate::phases::kind`]; `depth`: number of phases around it; `what`: the number of its name, or of an iteration.
    336 = 180 Phase "phase" Extension follow { Halves(kind, depth), Word(what) }
    /// The name of phases with number `name` has `bytes` bytes, 8 of which, from byte `at` on, are here; other records of the
    /// thread have the others.
    337 = 184 PhaseName "phase_name" Definition follow { Word(name), Halves(at, bytes), Word(text) }

    // Of a thread's core stream only.

    /// The thread loses its core. `preempted`: 1 if it wanted to continue, 0 if it waits for something.
    272 = 76 SwitchOut "switch_out" CoresAndSamples stop { Halves(cpu, preempted) }
    /// The thread has core `cpu`, from the record's time on.
    273 = 77 SwitchIn "switch_in" CoresAndSamples stop { Word(cpu) }
    /// Until the next switch nothing is known, for `reason` (see [`cores`]). `count`: switches lost, if known.
    274 = 78 CoresUnknown "cores_unknown" CoresAndSamples stop { Halves(reason, count) }
    /// The kernel's accounting of the thread since it began: nanoseconds on a core, nanoseconds for which it wanted a
    /// core and had none, and the numbers of times that it gave its core up and was preempted.
    275 = 79 RunDelay "run_delay" CoresAndSamples stop { Word(run_ns), Word(delay_ns), Halves(voluntary, involuntary) }
    /// Everything up to the record's time has been read: the state then is valid until the next record, or is the last
    /// that is known.
    276 = 80 CoresRead "cores_read" CoresAndSamples stop {}

    // Of a thread's sample stream only.

    /// The thread is sampled from here on: about every `period` nanoseconds of its CPU time (`clock` 0) or of all time
    /// (1), by signal `signal`.
    280 = 82 SamplesBegin "samples_begin" CoresAndSamples stop { Word(period), Halves(clock, signal) }
    /// A sample of the thread's activity. `state`: ompt_state_t as its runtime reported it, with its `wait_id`; 0: it
    /// was not asked. `missed`: number of ticks since the last sample that left no sample. `frames`: number of
    /// addresses of its call stack in the `sample_frames` that follow, `flags`: [`stack`]; the innermost is not a
    /// return address.
    281 = 83 Sample "sample" CoresAndSamples stop { Halves(state, missed), Halves(frames, flags), Word(wait_id) }
    /// The next addresses of a sample's call stack, innermost first, the last of which may be 0.
    282 = 84 SampleFrames "sample_frames" Part stop { Word(first), Word(second), Word(third), Word(fourth) }
}

/// Returns true if the payload of a record with this code begins with a code address. No other word of a payload is one.
#[inline]
#[allow(clippy::indexing_slicing, reason = "a byte is below 256")]
pub const fn begins_with_code(code: EventCode) -> bool {
    WITH_CODE[code.0 as usize]
}

mod code;
pub mod cores;
mod group;
pub mod loss;
pub mod stack;

pub use code::{EventCode, OURS, Scope, WITH_ENDS, name};
use code::{every, is_code_first};
pub use group::Group;
use group::is_passed;

/// One record as a reader finds it.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Full clock ticks.
    pub ticks: u64,
    /// The event's code.
    pub code: EventCode,
    /// The payload's words, as they are stored where the code is that of a short form.
    pub words: &'a [u64],
}

impl Record<'_> {
    /// Gives the record to `use_record` in the long form, if it is in a short one.
    #[inline(always)]
    pub fn at_length<T>(self, use_record: impl FnOnce(Record<'_>) -> T) -> T {
        let Record { ticks, code, words } = self;
        let (long, count);
        let (code, words) = if short::is_short(code) {
            (long, count) = short::at_length(code, words);
            (short::event_code(code), long.get(..count).unwrap_or(&[]))
        } else {
            (code, words)
        };
        // In one function: handling a record is much code, which is instantiated once.
        use_record(Record { ticks, code, words })
    }

    /// The event, decoded.
    #[inline(always)]
    pub fn event(&self) -> Event {
        Event::decode(self.code, self.words)
    }

    /// The event, decoded, if a scan has to follow such events.
    #[inline(always)]
    pub fn followed(&self) -> Option<Followed> {
        Followed::decode(self.code, self.words)
    }
}

/// Takes the first record off `words`; `None` at the end, on a partial record or an unknown code.
#[inline(always)]
pub fn next_record<'a>(words: &mut &'a [u64], near: u64) -> Option<Record<'a>> {
    let header = *words.first()?;
    let code = EventCode(words::header_code(header));
    let (record, rest) = words.split_at_checked(code.words())?;
    let payload = record.get(1..)?;
    *words = rest;
    Some(Record {
        ticks: words::unwrap_ticks(words::header_ticks(header), near),
        code,
        words: payload,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_went_in() {
        let event = ImplicitTask { region: 7, task: 9, team_size: 4, thread_num: 3, flags: 1 };
        let code = EventCode::new(ImplicitTask::NUMBER, Scope::Begin);
        let mut bytes = vec![words::header(123_456, code.0)];
        bytes.extend(event.words());
        let mut rest = &bytes[..];
        let record = next_record(&mut rest, 123_000).expect("one record");
        assert_eq!((record.ticks, record.code.scope()), (123_456, Scope::Begin));
        assert_eq!(record.event(), Event::ImplicitTask(event));
        assert!(next_record(&mut rest, 0).is_none());
    }

    #[test]
    fn partial_records_and_unknown_codes_end_the_stream() {
        let code = EventCode::new(ParallelBegin::NUMBER, Scope::None);
        let partial = [words::header(1, code.0), 2];
        assert!(next_record(&mut &partial[..], 0).is_none());
        assert!(next_record(&mut &[words::header(1, 255)][..], 0).is_none());
        assert!(next_record(&mut &[words::header(1, 0), 0, 0][..], 0).is_none());
    }

    #[test]
    fn numbers_and_scopes_come_back_from_codes() {
        for number in EventCode::numbers() {
            for scope in [Scope::None, Scope::Begin, Scope::End, Scope::BeginEnd] {
                let code = EventCode::new(number, scope);
                assert_eq!((code.number(), code.name()), (number, name(number)));
                assert_eq!(code.scope(), if code.0 < WITH_ENDS { Scope::None } else { scope });
            }
        }
        let mut ompts: Vec<_> = EventCode::numbers().filter(|number| *number < OURS).collect();
        ompts.sort_unstable();
        assert!(ompts.into_iter().eq(1..=37));
        for unknown in [0, 38, 63, 255, 319, u16::MAX] {
            assert_eq!(EventCode::new(unknown, Scope::End).words(), 0, "{unknown}");
        }
    }

    #[test]
    fn callbacks_1_to_37_are_all_there() {
        for number in 1..=37 {
            let code = EventCode::new(number, Scope::End);
            assert!(code.words() > 0 && !code.name().is_empty(), "event {number}");
        }
    }
}
