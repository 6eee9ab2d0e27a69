//! Expected recording of one round by one thread: every record for every argument that `direct.c` passes, in order. Numbers
//! are those of omp-tools.h.

use ompttrace_recording::events::{
    Cancel, Control, ControlTool, Dependence, Dependences, DeviceFinalize, DeviceInitialize,
    DeviceLoad, DeviceUnload, Dispatch, Error, Flush, ImplicitTask, LockDestroy, LockInit, MapItem,
    Masked, MutexAcquire, MutexAcquired, MutexReleased, NestLock, ParallelBegin, ParallelEnd,
    Reduction, SyncRegion, SyncRegionWait, Target, TargetDataOp, TargetDataOpEmi, TargetEmi,
    TargetMap, TargetMapEmi, TargetSubmit, TargetSubmitEmi, TaskCreate, TaskDependence,
    TaskSchedule, Text, ThreadBegin, ThreadEnd, Work,
};
use ompttrace_recording::{Event, Scope};

use Scope::{Begin, BeginEnd, End, None as Point};

/// One record.
pub type Entry = (Scope, Event);

/// The values that the tool chose itself, and where the program lay.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chosen {
    pub here: u64,
    pub initial: u64,
    pub region: u64,
    pub implicit: u64,
    /// The worker's at the end of another thread's region.
    pub closing: u64,
    /// Id of the task when it is created, before it runs.
    pub task: u64,
    pub other: u64,
    pub target: u64,
    pub data_op: u64,
    pub submit: u64,
    /// The region and the task that were given no storage for their ids.
    pub region_without_storage: u64,
    pub task_without_storage: u64,
}

const TEAM: u64 = 0x8000_0002;
const LOCK: u64 = 0xabcd_ef01_2345_6789;
const BYTES: u64 = 1 << 40;

/// The whole stream.
pub fn records(chosen: &Chosen) -> Vec<Entry> {
    let Chosen { here, initial, region, implicit, .. } = *chosen;
    let initial_task =
        |team_size| ImplicitTask { region: 0, task: initial, team_size, thread_num: 1, flags: 1 };
    let implicit_task =
        |region| ImplicitTask { region, task: implicit, team_size: 1, thread_num: 0, flags: 2 };
    let begin = ParallelBegin {
        code: here + 31,
        kind: 0,
        region,
        task: initial,
        requested: 3,
        flags: TEAM,
    };
    let end = ParallelEnd { code: here + 32, kind: 0, region, task: initial, flags: TEAM };
    let mut all = vec![
        (Point, Event::ThreadBegin(ThreadBegin { thread_type: 1 })),
        (Begin, Event::ImplicitTask(initial_task(1))),
        (Point, Event::ParallelBegin(begin)),
        (Begin, Event::ImplicitTask(implicit_task(region))),
    ];
    all.extend(work(chosen));
    all.extend(tasks(chosen));
    all.extend(mutexes(here));
    all.extend(targets_emi(chosen));
    all.extend(targets(chosen));
    all.extend(devices(here));
    all.push((End, Event::ImplicitTask(implicit_task(0))));
    all.push((Point, Event::ParallelEnd(end)));
    all.extend(closing(chosen.closing));
    all.extend(nothings(chosen));
    all.extend(controls(here));
    all.push((End, Event::ImplicitTask(initial_task(0))));
    all.push((Point, Event::ThreadEnd(ThreadEnd {})));
    all
}

fn work(chosen: &Chosen) -> Vec<Entry> {
    let Chosen { here, implicit: task, .. } = *chosen;
    let work = |n| Event::Work(Work { code: here + n, kind: 11, task, count: 100 });
    let masked = |n| Event::Masked(Masked { code: here + n, kind: 0, task });
    let group = |n| Event::SyncRegion(SyncRegion { code: here + n, kind: 6, task });
    let wait = |n| Event::SyncRegionWait(SyncRegionWait { code: here + n, kind: 6, task });
    let dispatch = |kind, first, count| Event::Dispatch(Dispatch { kind, first, count });
    vec![
        (Begin, work(4)),
        (Point, dispatch(3, 10, 5)),
        (Point, dispatch(2, 0x5ec, 0)),
        (End, work(5)),
        (Begin, masked(6)),
        (End, masked(7)),
        (Begin, group(8)),
        (Begin, wait(9)),
        (End, wait(10)),
        (End, group(11)),
        (BeginEnd, Event::Reduction(Reduction { code: here + 12, kind: 7, task })),
        (Point, Event::Flush(Flush { code: here + 13, kind: 0 })),
    ]
}

fn tasks(chosen: &Chosen) -> Vec<Entry> {
    let Chosen { here, implicit, task: fresh, other: fresh_other, .. } = *chosen;
    let (task, other) = (fresh & !(1 << 63), fresh_other & !(1 << 63));
    let create = |n, kind, new_task, flags| {
        Event::TaskCreate(TaskCreate { code: here + n, kind, task: implicit, new_task, flags })
    };
    let schedule = |prior, status, next| Event::TaskSchedule(TaskSchedule { prior, next, status });
    let on = |variable, kind| Event::Dependence(Dependence { variable, kind });
    let events = [
        create(1, 1, fresh, 4),
        Event::Dependences(Dependences { task: fresh, count: 3 }),
        on(0xd1, 1),
        on(0xd2, 2),
        on(7, 3),
        create(2, 0, fresh_other, 0x1000_0004),
        Event::TaskDependence(TaskDependence { src: fresh, sink: fresh_other }),
        schedule(implicit, 7, fresh),
        schedule(task, 1, implicit),
        schedule(implicit, 7, fresh_other),
        schedule(other, 2, implicit),
        schedule(implicit, 7, other),
        Event::Cancel(Cancel { code: here + 3, kind: 0, task: other, flags: 0x18 }),
        schedule(other, 3, implicit),
    ];
    events.map(|event| (Point, event)).to_vec()
}

fn mutexes(here: u64) -> Vec<Entry> {
    let (kind, wait_id) = (3, LOCK);
    let nest = |n| Event::NestLock(NestLock { code: here + n, kind: 0, wait_id });
    let init = LockInit { code: here + 14, kind, wait_id, hint: 3, implementation: 4 };
    let acquire = MutexAcquire { code: here + 15, kind, wait_id, hint: 5, implementation: 6 };
    vec![
        (Point, Event::LockInit(init)),
        (Point, Event::MutexAcquire(acquire)),
        (Point, Event::MutexAcquired(MutexAcquired { code: here + 16, kind, wait_id })),
        (Begin, nest(17)),
        (End, nest(18)),
        (Point, Event::MutexReleased(MutexReleased { code: here + 19, kind, wait_id })),
        (Point, Event::LockDestroy(LockDestroy { code: here + 20, kind, wait_id })),
    ]
}

fn items() -> [Entry; 2] {
    let item = |host, device_address, bytes, flags| {
        (Point, Event::MapItem(MapItem { host, device_address, bytes, flags }))
    };
    [item(0x10, 0x30, 8, 1), item(0x20, 0x40, BYTES, 2)]
}

fn targets_emi(chosen: &Chosen) -> Vec<Entry> {
    let Chosen { here, implicit: task, target, data_op, submit, .. } = *chosen;
    let construct = |n| {
        let (code, device) = (here + n, u64::MAX);
        Event::TargetEmi(TargetEmi { code, kind: 9, device, task, target_task: 55, target })
    };
    let operation = |n, target_task| {
        Event::TargetDataOpEmi(TargetDataOpEmi {
            code: here + n,
            kind: 1,
            target_task,
            target,
            host_op: data_op,
            src: 0x10,
            dest: 0x30,
            src_device: 0xffff_ffff,
            dest_device: 0,
            bytes: BYTES,
        })
    };
    let kernel = Event::TargetSubmitEmi(TargetSubmitEmi { target, host_op: submit, teams: 9 });
    let map = Event::TargetMapEmi(TargetMapEmi { code: here + 22, kind: 0, target, count: 2 });
    let mut all = vec![(Begin, construct(21)), (Point, map)];
    all.extend(items());
    all.extend([(Begin, operation(23, 55)), (End, operation(24, 0))]);
    all.extend([(Begin, kernel), (End, kernel), (End, construct(25))]);
    all
}

fn targets(chosen: &Chosen) -> Vec<Entry> {
    let Chosen { here, implicit: task, .. } = *chosen;
    let construct =
        |n| Event::Target(Target { code: here + n, kind: 4, device: 2, task, target: 5 });
    let operation = TargetDataOp {
        code: here + 28,
        kind: 2,
        target: 5,
        host_op: 6,
        src: 0x10,
        dest: 0x30,
        src_device: 0xffff_ffff,
        dest_device: 2,
        bytes: 64,
    };
    let map = TargetMap { code: here + 27, kind: 0, target: 5, count: 2 };
    let mut all = vec![(Begin, construct(26)), (Point, Event::TargetMap(map))];
    all.extend(items());
    all.push((Point, Event::TargetDataOp(operation)));
    all.push((Point, Event::TargetSubmit(TargetSubmit { target: 5, host_op: 7, teams: 8 })));
    all.push((End, construct(29)));
    all
}

fn devices(here: u64) -> Vec<Entry> {
    let (kind, file) = ("a device", "/a/file with a longer name than one record holds.so");
    let message = "a warning of exactly 31 letters";
    let load = DeviceLoad {
        device: 1,
        text_bytes: file.len() as u64,
        offset: -3i64 as u64,
        vma: 0x50,
        bytes: 100,
        host: 0x60,
        device_address: 0x70,
        module: 3,
    };
    let initialize = DeviceInitialize { device: 1, text_bytes: kind.len() as u64 };
    let mut events = vec![Event::DeviceInitialize(initialize)];
    events.extend(text(kind));
    events.push(Event::DeviceLoad(load));
    events.extend(text(file));
    events.push(Event::DeviceUnload(DeviceUnload { device: 1, module: 3 }));
    events.push(Event::DeviceFinalize(DeviceFinalize { device: 1 }));
    events.push(Event::Error(Error { code: here + 30, kind: 1, text_bytes: 31 }));
    events.extend(text(message));
    events.into_iter().map(|event| (Point, event)).collect()
}

/// A text in parts of 24 bytes.
fn text(text: &str) -> impl Iterator<Item = Event> {
    text.as_bytes().chunks(24).map(|part| {
        let mut bytes = [0; 24];
        bytes[..part.len()].copy_from_slice(part);
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        Event::Text(Text { first: word(0), second: word(8), third: word(16) })
    })
}

fn closing(task: u64) -> [Entry; 6] {
    let region = 3 << 32 | 1;
    let implicit_task =
        |region, team_size| ImplicitTask { region, task, team_size, thread_num: 1, flags: 2 };
    let sync = Event::SyncRegion(SyncRegion { code: 0, kind: 9, task });
    let wait = Event::SyncRegionWait(SyncRegionWait { code: 0, kind: 9, task });
    let (begins, ends) = (implicit_task(region, 2), implicit_task(0, 0));
    [
        (Begin, Event::ImplicitTask(begins)),
        (Begin, sync),
        (Begin, wait),
        (End, wait),
        (End, sync),
        (End, Event::ImplicitTask(ends)),
    ]
}

fn nothings(chosen: &Chosen) -> Vec<Entry> {
    let region = ParallelBegin { region: chosen.region_without_storage, ..Default::default() };
    let task = TaskCreate { new_task: chosen.task_without_storage, ..Default::default() };
    let waited = TaskSchedule { status: 8, ..Default::default() };
    let map = TargetMapEmi { count: 1, ..Default::default() };
    vec![
        (Point, Event::ThreadBegin(ThreadBegin { thread_type: 4 })),
        (Point, Event::ParallelBegin(region)),
        (Begin, Event::ImplicitTask(Default::default())),
        (End, Event::ImplicitTask(Default::default())),
        (Point, Event::ParallelEnd(Default::default())),
        (Point, Event::TaskCreate(task)),
        (Point, Event::Dependences(Default::default())),
        (Point, Event::Dependences(Default::default())),
        (Point, Event::TaskDependence(Default::default())),
        (Point, Event::TaskSchedule(waited)),
        (Begin, Event::Work(Default::default())),
        (Point, Event::Dispatch(Dispatch { kind: 3, first: 0, count: 0 })),
        (Begin, Event::Masked(Default::default())),
        (End, Event::SyncRegion(Default::default())),
        (End, Event::SyncRegionWait(Default::default())),
        (End, Event::Reduction(Default::default())),
        (Point, Event::MutexAcquire(Default::default())),
        (Point, Event::Cancel(Default::default())),
        (Begin, Event::TargetEmi(Default::default())),
        (Point, Event::TargetMapEmi(map)),
        (Point, Event::MapItem(Default::default())),
        (Begin, Event::TargetDataOpEmi(Default::default())),
        (Begin, Event::TargetSubmitEmi(Default::default())),
        (Point, Event::DeviceInitialize(Default::default())),
        (Point, Event::DeviceLoad(Default::default())),
        (Point, Event::Error(Error { kind: 2, ..Default::default() })),
    ]
}

fn controls(here: u64) -> Vec<Entry> {
    let tool = |command, modifier, result| {
        Event::ControlTool(ControlTool { code: here + 33, kind: 0, command, modifier, result })
    };
    let took_effect = Event::Control(Control { command: 3, modifier: 4, origin: 1 });
    [tool(3, 4, 0), took_effect, tool(64, 5, 1)].map(|event| (Point, event)).to_vec()
}
