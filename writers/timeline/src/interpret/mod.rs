//! The meaning of records: one file per family of events, one state for all of them.
//!
//! `record` is called for every record in the order of time. Each handler says what became of its
//! record, so that the sum of the [`Summary`](crate::Summary) can be reported.

mod begun;
mod blame;
mod calls;
mod cancel;
mod context;
mod control;
mod cores;
mod cut;
mod device;
mod device_call;
mod doacross;
mod expected;
mod gather;
mod holds;
mod implicit;
mod known;
mod mpi;
mod mpi_objects;
mod mpi_requests;
mod mutex;
mod ongoing;
mod outcome;
mod parallel;
mod phases;
mod process;
mod samples;
mod slices;
mod states;
mod sync;
mod target;
mod task;
mod task_frames;
mod taskwait;
mod test_lock;
mod thread;
mod work;

use crate::ahead::Ahead;
use crate::clock::Clock;
use crate::code::Code;
use crate::hash::FastMap;
use crate::lookahead::Lookahead;
use crate::matching::OfJob;
use crate::names::{CodeNames, Names};
use crate::out::Out;
use crate::source_ids::SourceIds;
use crate::state::activities::Activities;
use crate::state::communicators::Communicators;
use crate::state::contexts::Contexts;
use crate::state::doacross::Doacross;
use crate::state::locks::Locks;
use crate::state::logical_threads::LogicalThreads;
use crate::state::phases::Phases;
use crate::state::regions::{Region, Regions};
use crate::state::requests::{Call, Requests};
use crate::state::tasks::Tasks;
use crate::state::thread::Thread;
pub(crate) use cores::CoreState;
use ompttrace_model::{Chunks, NameRef, Summary};
use ompttrace_recording::events::{Event, EventCode, MpiLeave, Record, TargetMap, TargetMapEmi};
use ompttrace_recording::short;
pub(crate) use outcome::{Outcome, Reason};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The state of the interpretation of a recording, and the way to the sink.
pub(crate) struct Interpreter<'a> {
    out: Out<'a>,
    names: Names<'a>,
    lookahead: Lookahead<'a>,
    ahead: Ahead<'a>,
    clock: Clock,
    /// Latest time so far, in nanoseconds.
    now: u64,
    /// End of the run, in nanoseconds: not before its last record.
    end: u64,
    threads: Vec<Thread>,
    /// Positions of threads by the number that ids carry.
    by_number: FastMap<u64, u32>,
    logical_threads: LogicalThreads,
    regions: Regions,
    tasks: Tasks,
    doacross: Doacross,
    locks: Locks,
    contexts: Contexts<'a>,
    communicators: Communicators,
    requests: Requests<Call>,
    /// The process's part in a job.
    job: Option<OfJob<'a>>,
    /// Phases of the program.
    phases: Phases,
    /// Names of kernels, and operations that caused activities.
    activities: Activities<'a>,
    /// Regions that are over and whose implicit tasks are still to be closed.
    over: Vec<Region>,
    /// Implicit-task frames so far.
    serial: u64,
    /// The events that are recorded of the chunks of loops and of sections.
    chunks: Chunks,
    /// Core state of each thread, by the thread's position; empty if cores are not recorded.
    cores: Vec<CoreState>,
    /// Sample streams so far, by thread.
    samples: Vec<samples::Sampled>,
    /// Ends of threads' waits for the tool, earliest first: time in nanoseconds and thread.
    tool_waits: BinaryHeap<Reverse<(u64, u32)>>,
    /// Time at which the recording was last paused or resumed by a command, in nanoseconds.
    paused: Option<u64>,
    /// Time at which the recording was last paused, in nanoseconds.
    last_pause: Option<u64>,
    /// True while recording is off.
    off: bool,
    /// Mutex implementations, a few: their numbers and names.
    implementations: Vec<(u64, NameRef)>,
    /// Names of combinations of flags.
    flag_names: FastMap<(u64, u8), NameRef>,
    last_flags: Option<((u64, u8), NameRef)>,
    /// Reused for flows of one event.
    flows: Vec<u64>,
    flow_ends: Vec<u64>,
    /// True if records have to be translated before they are interpreted.
    translates: bool,
    /// Ids of sources that have their own numbers, where there is such a source.
    source_ids: Option<Box<SourceIds>>,
    /// True if task switches are recorded, so that the end of a taskwait with dependences is known.
    has_switches: bool,
    /// Records so far, by code byte.
    recorded: Box<[u64; 256]>,
    interpreted: u64,
    dropped: [u64; Reason::ALL.len()],
    /// Records that were lost, as far as records say.
    lost: u64,
}

/// The results of an interpreter.
pub(crate) struct Done {
    pub summary: Summary,
    /// Paths of the logical threads.
    pub paths: Vec<String>,
    /// Names that this interpreter looked up, for the next one.
    pub code_names: CodeNames,
}

impl<'a> Interpreter<'a> {
    pub(crate) fn new(
        out: Out<'a>,
        names: Names<'a>,
        lookahead: Lookahead<'a>,
        clock: Clock,
        end: u64,
        (threads, by_number): (Vec<Thread>, FastMap<u64, u32>),
    ) -> Interpreter<'a> {
        Interpreter {
            translates: names.moves.are_there(),
            out,
            names,
            lookahead,
            ahead: Ahead::default(),
            clock,
            now: 0,
            end,
            threads,
            by_number,
            logical_threads: LogicalThreads::default(),
            regions: Regions::default(),
            tasks: Tasks::default(),
            doacross: Doacross::default(),
            locks: Locks::default(),
            contexts: Contexts::new(lookahead),
            communicators: Communicators::default(),
            requests: Requests::default(),
            job: None,
            phases: Phases::default(),
            activities: Activities::default(),
            over: Vec::new(),
            serial: 0,
            chunks: Chunks::default(),
            cores: Vec::new(),
            samples: Vec::new(),
            tool_waits: BinaryHeap::new(),
            paused: None,
            off: false,
            last_pause: None,
            implementations: Vec::new(),
            flag_names: FastMap::default(),
            last_flags: None,
            flows: Vec::new(),
            flow_ends: Vec::new(),
            source_ids: None,
            has_switches: true,
            recorded: Box::new([0; 256]),
            interpreted: 0,
            dropped: [0; Reason::ALL.len()],
            lost: 0,
        }
    }

    /// Interprets one record of the thread at position `t`, as it is stored.
    #[inline(always)]
    pub(crate) fn record(&mut self, t: u32, record: Record<'_>) {
        if self.translates {
            record.at_length(|record| self.translated_record(t, record));
        } else {
            self.own_record(t, record);
        }
    }

    /// Translates the code addresses and ids of a record to what they mean at its time, and interprets it.
    #[cold]
    #[inline(never)]
    fn translated_record(&mut self, t: u32, record: Record<'_>) {
        let moved = self.names.moves.apply(&record);
        self.locks.come_to(self.names.moves.generation);
        match &moved {
            Some(words) => self.source_id_record(t, words.record(&record)),
            None => self.source_id_record(t, record),
        }
    }

    fn source_id_record(&mut self, t: u32, record: Record<'_>) {
        let number = self.threads[t as usize].number;
        let translated = self.source_ids.as_mut().and_then(|source_ids| {
            source_ids.translate((t, number), &record, &mut self.names.sites)
        });
        match translated {
            Some(words) => self.own_record(t, words.record(&record)),
            None => self.own_record(t, record),
        }
    }

    #[inline(always)]
    fn own_record(&mut self, t: u32, record: Record<'_>) {
        let stamped = self.clock.nanoseconds(record.ticks);
        self.out.summary.clamped += u64::from(stamped < self.now);
        let at = stamped.max(self.now);
        self.now = at;
        self.recorded[usize::from(record.code.0)] += 1;
        if !self.tool_waits.is_empty() {
            self.tool_waits_until(at);
        }
        let (least, thread) = (self.out.min_resume_ns, self.thread(t));
        let lasts = thread.unshown.is_some_and(|since| at - since >= least);
        let wants = thread.pending.wants(&record);
        if lasts {
            self.show_what_lasts(t);
        }
        let taken = wants && self.before(t, at, &record);
        match if taken { Outcome::Interpreted } else { self.interpret(t, at, record) } {
            Outcome::Interpreted => self.interpreted += 1,
            other => self.not_interpreted(other),
        }
        self.note_record(t, at);
        if !self.over.is_empty() {
            self.close_team_threads_of_over(at);
        }
    }

    /// Number of bytes of the records so far, if all that have a short form are stored in it.
    pub(crate) fn bytes(&self) -> u64 {
        let codes = (0..=u8::MAX).map(|code| short::stored_words(EventCode(code)) as u64);
        8 * self.recorded.iter().zip(codes).map(|(count, words)| count * words).sum::<u64>()
    }

    /// The thread at a position from the merge or a frame's owner.
    #[inline(always)]
    fn thread(&mut self, t: u32) -> &mut Thread {
        &mut self.threads[t as usize]
    }

    #[inline(always)]
    fn interpret(&mut self, t: u32, at: u64, record: Record<'_>) -> Outcome {
        let scope = record.code.scope();
        match record.event() {
            Event::MutexAcquire(event) => self.mutex_acquire(t, at, &event),
            Event::MutexAcquired(event) => self.mutex_acquired(t, at, &event),
            Event::MutexReleased(event) => self.mutex_released(t, at, &event),
            Event::TaskCreate(event) => self.task_create(t, at, &event),
            Event::TaskSchedule(event) => self.task_schedule(t, at, &event),
            Event::SyncRegion(event) => self.sync_region(t, at, scope, &event),
            Event::SyncRegionWait(event) => self.sync_wait(t, at, scope, &event),
            Event::Work(event) => self.work(t, at, scope, &event),
            Event::Dispatch(event) => self.dispatch(t, at, &event),
            Event::ChunkEnd(_) => self.chunk_end(t, at),
            Event::ImplicitTask(event) => self.implicit_task(t, at, scope, &event),
            Event::ParallelBegin(event) => self.parallel_begin(t, at, &event),
            Event::ParallelEnd(event) => self.parallel_end(t, at, &event),
            Event::Masked(event) => self.masked(t, at, scope, &event),
            Event::Reduction(event) => self.reduction(t, at, scope, &event),
            Event::MpiEnter(event) => self.mpi_enter(t, (at, record.ticks), &event),
            Event::MpiLeft(_) => self.mpi_leave(t, at, &MpiLeave::default()),
            Event::MpiLeave(event) => self.mpi_leave(t, at, &event),
            _ => self.interpret_rare(t, at, record),
        }
    }

    #[cold]
    #[inline(never)]
    fn interpret_rare(&mut self, t: u32, at: u64, record: Record<'_>) -> Outcome {
        let scope = record.code.scope();
        match record.event() {
            Event::ThreadBegin(event) => self.thread_begin(t, at, &event),
            Event::ThreadEnd(_) => self.thread_end(t, at),
            Event::Flush(event) => self.flush(t, at, &event),
            Event::Cancel(event) => self.cancel(t, at, &event),
            Event::LockInit(event) => self.lock_init(t, at, &event),
            Event::LockDestroy(event) => self.lock_destroy(t, at, &event),
            Event::NestLock(event) => self.nest_lock(t, at, scope, &event),
            Event::Dependences(event) => self.dependences(t, at, &event),
            Event::TaskDependence(event) => self.task_dependence(t, at, &event),
            Event::TargetEmi(event) => self.target_emi(t, at, scope, &event),
            Event::Target(event) => self.target(t, at, scope, &event),
            Event::TargetDataOpEmi(event) => self.data_op_emi(t, at, scope, &event),
            Event::TargetDataOp(event) => self.data_op(t, at, scope, &event),
            Event::TargetSubmitEmi(event) => self.submit_emi(t, at, scope, &event),
            Event::TargetSubmit(event) => self.submit(t, at, scope, &event),
            Event::ControlTool(event) => self.control_tool(t, at, &event),
            Event::Control(event) => self.control(t, at, &event),
            Event::Wait(event) => self.tool_wait(t, at, &event),
            Event::Lost(event) => self.lost(t, at, &event),
            Event::CodeSite(event) => self.code_site(&event),
            Event::CallFrame(event) => self.call_frame(&event),
            Event::CallContext(event) => self.call_context(t, &event),
            Event::CounterValue(event) => self.counter_value(t, at, &event),
            Event::OngoingTask(event) => self.ongoing_task(t, at, &event),
            Event::DeviceInitialize(event) => self.device_initialize(t, at, &event),
            Event::DeviceFinalize(event) => self.device_finalize(t, at, &event),
            Event::DeviceLoad(event) => self.device_load(t, at, &event),
            Event::DeviceUnload(event) => self.device_unload(t, at, &event),
            Event::DeviceNative(event) => self.device_native(t, at, &event),
            Event::DeviceActivity(event) => self.device_activity(t, at, scope, &event),
            Event::TargetMap(TargetMap { code, kind, target, count })
            | Event::TargetMapEmi(TargetMapEmi { code, kind, target, count }) => {
                self.target_map(t, at, Code::new(code, kind), target, count)
            }
            Event::Error(event) => self.error(t, at, &event),
            Event::MpiSend(event) => self.mpi_send(t, &event),
            Event::MpiReceive(event) => self.mpi_receive(t, &event),
            Event::MpiCollective(event) => self.mpi_collective(t, &event),
            Event::MpiReceived(event) => self.mpi_received(t, (at, record.ticks), &event),
            Event::MpiPost(event) => self.mpi_post(t, at, &event),
            Event::MpiRequest(event) => self.mpi_request(t, &event),
            Event::MpiDone(event) => self.mpi_done(t, (at, record.ticks), &event),
            Event::MpiAccess(event) => self.mpi_access(t, &event),
            Event::MpiPolls(event) => self.mpi_polls(t, &event),
            Event::MpiWorld(event) => self.mpi_world(&event),
            Event::MpiMembers(event) => self.mpi_members(t, &event),
            Event::MpiCommunicator(event) => self.mpi_communicator(t, &event),
            Event::MpiName(event) => self.mpi_name(t, at, &event),
            Event::MpiObject(event) => self.mpi_object(t, at, &event),
            Event::Phase(event) => self.phase(t, at, scope, &event),
            Event::PhaseName(event) => self.phase_name(t, &event),
            // They have streams of their own.
            Event::SwitchOut(_)
            | Event::SwitchIn(_)
            | Event::CoresUnknown(_)
            | Event::RunDelay(_)
            | Event::CoresRead(_)
            | Event::SamplesBegin(_)
            | Event::Sample(_)
            | Event::SampleFrames(_) => Outcome::Dropped(Reason::OtherStream),
            // Threads were identified before, and clocks are for those who read several ranks.
            Event::ThreadInfo(_) | Event::MpiClock(_) => Outcome::Interpreted,
            // Those that belong to something were taken by `before`.
            Event::Dependence(_) | Event::MapItem(_) | Event::Text(_) => {
                Outcome::Dropped(Reason::PartOfNothing)
            }
            // The frequent ones have their arms above: they are listed here so that no event is forgotten.
            Event::MutexAcquire(_)
            | Event::MutexAcquired(_)
            | Event::MutexReleased(_)
            | Event::TaskCreate(_)
            | Event::TaskSchedule(_)
            | Event::SyncRegion(_)
            | Event::SyncRegionWait(_)
            | Event::Work(_)
            | Event::Dispatch(_)
            | Event::ChunkEnd(_)
            | Event::ImplicitTask(_)
            | Event::ParallelBegin(_)
            | Event::ParallelEnd(_)
            | Event::Masked(_)
            | Event::Reduction(_)
            | Event::MpiEnter(_)
            | Event::MpiLeave(_)
            | Event::MpiLeft(_)
            | Event::Unknown => Outcome::Dropped(Reason::Unknown),
        }
    }
}
