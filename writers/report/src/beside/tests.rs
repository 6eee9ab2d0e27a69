//! Every kind of event through a batch.

use super::batch::Batch;
use ompttrace_model::ompt::{self, Work};
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Core, Counter, Definitions, Event, Executor, Instant, InstantKind,
    LockEvent, Mark, Sink, Slice, SliceKind,
};
use ompttrace_model::{CoreSums, RegionTrack, RunInfo, Summary, TeamThread};
use ompttrace_recording::Id;

/// The fields that a report reads of each event, with the number of definitions by then.
#[derive(Default)]
struct Log(Vec<String>);

impl Sink for Log {
    type Output = ();
    type Error = ();

    fn start(&mut self, _: &RunInfo<'_>) {}

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        let defined = definitions.count();
        let read = |args: &[Arg], keys: &[ArgKey]| {
            let is_read = |arg: &&Arg| keys.contains(&arg.key);
            format!("{:?}", args.iter().filter(is_read).collect::<Vec<_>>())
        };
        let rest = match *event {
            Event::Begin(executor, ref slice) => {
                let is_region = matches!(slice.kind, SliceKind::Region { .. });
                let task = if is_region { slice.task } else { Id::NONE };
                let keys = match slice.kind {
                    SliceKind::Region { .. } => &[ArgKey::Invoker][..],
                    SliceKind::Work(_) => &[ArgKey::Count],
                    _ => &[],
                };
                let (context, args) = (slice.context, read(slice.args, keys));
                let Slice { kind, name, source, resumed, .. } = *slice;
                let thread = executor.thread;
                format!("{thread} {kind:?} {name} {source} {task:?} {context} {resumed} {args}")
            }
            Event::End(executor, ..) => format!("end {}", executor.thread),
            Event::Suspend(executor, ..) => format!("suspend {}", executor.thread),
            Event::Instant(executor, ref instant) => {
                let (thread, args) =
                    (executor.thread, read(instant.args, &[ArgKey::Task, ArgKey::Flags]));
                let Instant { kind, name, source, .. } = *instant;
                format!("{thread} {kind:?} {name} {source} {args}")
            }
            Event::HoldBegin(lock, executor, ref slice) => {
                format!("hold {lock} {} {}", executor.thread, slice.source)
            }
            Event::HoldEnd(lock, _) => format!("hold end {lock}"),
            Event::TaskEnd(executor, task, _) => {
                format!("task end {} {task:?}", executor.thread)
            }
            Event::LockAcquired(executor, lock) => format!("{} {}", executor.thread, lock.lock),
            Event::LockReleased(..) => return,
            ref event => format!("{event:?}"),
        };
        self.0.push(format!("{at} {defined} {rest}"));
    }

    fn finish(self, _: &Definitions, _: &Summary) -> Result<(), ()> {
        Ok(())
    }
}

/// Events of every kind, frequent and not, of a thread.
fn events(thread: u32, take: &mut impl FnMut(Event<'_>)) {
    let on = Executor { thread, logical_thread: None };
    let mark = Mark::Observed;
    let args = [
        Arg { key: ArgKey::Invoker, value: ArgValue::Word("program") },
        Arg { key: ArgKey::Count, value: ArgValue::Number(100) },
        Arg { key: ArgKey::Task, value: ArgValue::Id(Id(1 << 40 | 7)) },
        Arg { key: ArgKey::Flags, value: ArgValue::Text(3) },
    ];
    let work = Slice::new(SliceKind::Work(Work::LoopStatic), 1, 2);
    let region =
        Slice { task: Id(1 << 50), ..Slice::new(SliceKind::Region { league: false }, 1, 2) };
    let lock = LockEvent { lock: 70_000, kind: ompt::Mutex::Critical, source: 3 };
    let track = RegionTrack { level: 1, number: 0 };
    let team_thread =
        TeamThread { task: Id(1), region: Id(2), thread_num: 3, team_size: 4, root: false };
    take(Event::Begin(on, Slice { args: &args, ..region }));
    take(Event::RegionBegin(track, region));
    take(Event::TeamThreadBegin(on, team_thread));
    take(Event::Begin(on, Slice { args: &args, ..work }));
    take(Event::Begin(on, Slice::new(SliceKind::Task, 70_000, 2)));
    take(Event::Begin(on, Slice { context: 9, ..Slice::new(SliceKind::Task, 1, 2) }));
    take(Event::Begin(on, Slice { resumed: true, ..Slice::new(SliceKind::Task, 1, 2) }));
    for _ in 0..300 {
        take(Event::Suspend(on, SliceKind::Task, mark));
    }
    let created = Instant::new(InstantKind::TaskCreate, 4, 5);
    take(Event::Instant(on, Instant { args: &args, ..created }));
    take(Event::Instant(on, Instant { args: &args[..3], ..created }));
    take(Event::Instant(on, created));
    take(Event::Instant(on, Instant::new(InstantKind::Flush, 4, 5)));
    take(Event::TaskRuns(on, Id(u64::MAX - 1)));
    take(Event::TaskEnd(on, Id(u64::MAX - 1), None));
    take(Event::LockRequested { executor: on, kind: ompt::Mutex::Ordered, wait_id: 1 << 63 });
    take(Event::LockAcquired(on, lock));
    take(Event::HoldBegin(7, on, Slice::new(SliceKind::MutexHold(ompt::Mutex::Lock), 0, 70_000)));
    take(Event::LockReleased(on, lock));
    take(Event::HoldEnd(7, mark));
    take(Event::Core(thread, Core::Blocked(2)));
    take(Event::CoreSums(thread, CoreSums { unknown_ns: 3, run_ns: 2, delay_ns: 1 }));
    take(Event::Counter(Counter::OfThread(thread, 1), -1));
    take(Event::End(on, SliceKind::Task, mark));
    take(Event::TeamThreadEnd(on));
    take(Event::RegionEnd(track, mark));
    take(Event::Stop);
}

#[test]
fn a_sink_gets_what_a_report_reads_of_every_event() {
    let (mut batch, mut definitions) = (Batch::default(), Definitions::default());
    let (mut direct, mut behind) = (Log::default(), Log::default());
    let mut handed_over = Definitions::default();
    for round in 0..2 {
        // Late, at the same time, and far ahead.
        for (at, thread) in [(10, 0), (10, 65_535), (3, 65_536), (20_000_000_000, 1), (11, 2)] {
            let known = definitions.lengths();
            definitions.add_string(&format!("text {round} {at}"));
            batch.define(definitions.since(known));
            events(thread, &mut |event| {
                direct.event(&definitions, at, &event);
                batch.push(at, &event);
            });
        }
        batch.hand_over(&mut handed_over, &mut behind);
        assert_eq!(batch.len(), 0);
    }
    assert_eq!(direct.0.len(), 2 * 5 * 324);
    for (direct, behind) in direct.0.iter().zip(&behind.0) {
        assert_eq!(direct, behind);
    }
    assert_eq!(direct.0.len(), behind.0.len());
}
