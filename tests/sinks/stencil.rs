//! A fake heat stencil on four threads: loops, an uneven step, tasks, a contended critical section,
//! nested regions.

use ompttrace_model::ompt;
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Counter, Executor, InstantKind, Mark, RegionTrack, Sink, Slice,
    SliceKind,
};
use ompttrace_recording::Id;

use crate::fake::Fake;

const WORKERS: u32 = 4;
const US: u64 = 1000;

/// The whole program.
pub fn play<S: Sink>(fake: &mut Fake<S>, begin: u64, rounds: u64) {
    let mut play = Play { fake, now: begin, numbers: 0, noise: 7 };
    let main = play.fake.on(0, "0");
    let program = play.fake.slice(SliceKind::InitialTask, "initial task", 0);
    play.fake.begin(begin, main, &program);
    for _ in 0..rounds {
        play.step("parallel stencil.c:42 (heat_step)", 42, "for static stencil.c:44", false);
        play.step("parallel stencil.c:60 (uneven_step)", 60, "for dynamic stencil.c:62", true);
        play.tasks();
        play.critical();
        play.nested();
        play.now += 60 * US;
    }
    let end = play.now;
    play.fake.end(end, main, Mark::Observed);
}

struct Play<'a, S> {
    fake: &'a mut Fake<S>,
    now: u64,
    numbers: u32,
    noise: u64,
}

/// A team at work.
struct Team {
    executors: Vec<Executor>,
    begin: u64,
}

impl<S: Sink> Play<'_, S> {
    fn number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    fn jitter(&mut self, bound: u64) -> u64 {
        self.noise = self.noise.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.noise >> 33) % bound
    }

    /// A region of `executors`, which does `work` on each; gives the time when the last one is done.
    fn region(
        &mut self,
        parent: Executor,
        level: u32,
        named: (&str, u32),
        executors: Vec<Executor>,
        mut work: impl FnMut(&mut Self, &Team) -> Vec<u64>,
    ) {
        let (name, line) = named;
        let (number, begin) = (self.number(), self.now);
        let id = Id::region(0, number, 5);
        let flow = |thread_num: usize| u64::from(number) << 8 | thread_num as u64;
        let flows: Vec<u64> = (1..executors.len()).map(flow).collect();
        let args =
            [arg(ArgKey::Region, ArgValue::Id(id)), arg(ArgKey::Requested, ArgValue::Number(4))];
        let plain = self.fake.slice(SliceKind::Region { league: false }, name, line);
        let slice = Slice { args: &args, task: id, ..plain };
        self.fake.begin(begin, parent, &Slice { flows: &flows, ..slice });
        for (thread_num, &executor) in executors.iter().enumerate() {
            let plain =
                self.fake.slice(SliceKind::ImplicitTask, "implicit task stencil.c:42", line);
            let args = [arg(ArgKey::ThreadNum, ArgValue::Number(thread_num as u64))];
            let flow = [flow(thread_num)];
            let flow_ends: &[u64] = if thread_num > 0 { &flow } else { &[] };
            let slice = Slice { args: &args, flow_ends, ..plain };
            self.fake.begin(begin + US + thread_num as u64 * US, executor, &slice);
        }
        let team = Team { executors, begin: begin + 6 * US };
        let done = work(self, &team);
        self.close(&team, &done);
        let end = self.now + 2 * US;
        self.fake.end(end, parent, Mark::Observed);
        let row = if parent.thread == 1 { 1 } else { 0 };
        self.fake.region(begin, end, RegionTrack { level, number: row }, &slice);
        self.now = end + 5 * US;
    }

    /// The closing barrier: all wait for the last.
    fn close(&mut self, team: &Team, done: &[u64]) {
        let last = done.iter().copied().max().unwrap_or(team.begin) + 500;
        for (&executor, &at) in team.executors.iter().zip(done) {
            self.wait(
                at,
                last,
                executor,
                ompt::SyncRegion::BarrierImplicitWorkshare,
                "barrier (implicit)",
                executor.thread > 0,
            );
            let mark = if executor.thread > 0 { Mark::Inferred } else { Mark::Observed };
            self.fake.end(last + 300, executor, mark);
        }
        self.now = last + 400;
    }

    fn wait(
        &mut self,
        begin: u64,
        end: u64,
        executor: Executor,
        kind: ompt::SyncRegion,
        name: &str,
        inferred: bool,
    ) {
        let mark = if inferred { Mark::Inferred } else { Mark::Observed };
        let sync = self.fake.slice(SliceKind::Sync(kind), name, 50);
        self.fake.begin(begin + 50, executor, &sync);
        let wait = self.fake.slice(SliceKind::Wait(kind), &format!("wait: {name}"), 50);
        self.fake.begin(begin + 100, executor, &wait);
        self.fake.end(end, executor, mark);
        self.fake.end(end + 100, executor, mark);
    }

    fn team(&mut self, numbers: std::ops::Range<u32>, prefix: &str) -> Vec<Executor> {
        numbers.map(|i| self.fake.on(i, &format!("{prefix}.{i}"))).collect()
    }

    fn step(&mut self, name: &str, line: u32, work: &str, uneven: bool) {
        let (main, team) = (self.fake.on(0, "0"), self.team(0..WORKERS, "0"));
        self.region(main, 1, (name, line), team, |play, team| {
            play.count(team.begin, 4, 0, 0);
            let done: Vec<u64> = team
                .executors
                .iter()
                .zip(1..)
                .map(|(&executor, share)| {
                    let slope = if uneven { 260 * share } else { 900 };
                    let end = team.begin + slope * US + play.jitter(60 * US);
                    let slice =
                        play.fake.slice(SliceKind::Work(ompt::Work::LoopStatic), work, line + 2);
                    play.fake.begin(team.begin, executor, &slice);
                    if uneven {
                        play.chunks(team.begin, end, executor);
                    }
                    play.fake.end(end, executor, Mark::Observed);
                    end
                })
                .collect();
            play.finish_counts(&done);
            done
        });
        self.count(self.now, 1, 3, 0);
    }

    fn chunks(&mut self, begin: u64, end: u64, executor: Executor) {
        let length = (end - begin) / 8;
        for i in 0..8 {
            let args = [
                arg(ArgKey::First, ArgValue::Number(i * 32)),
                arg(ArgKey::Count, ArgValue::Number(32)),
            ];
            let plain =
                self.fake.slice(SliceKind::Dispatch(ompt::Dispatch::LoopChunk), "chunk", 62);
            self.fake.begin(begin + i * length + 10, executor, &Slice { args: &args, ..plain });
            self.fake.end(begin + (i + 1) * length, executor, Mark::Observed);
        }
    }

    fn count(&mut self, at: u64, working: i64, idle: i64, tasks: i64) {
        self.fake.counter(at, Counter::ThreadsWorking, working);
        self.fake.counter(at, Counter::ThreadsIdle, idle);
        self.fake.counter(at, Counter::LiveTasks, tasks);
    }

    fn finish_counts(&mut self, done: &[u64]) {
        let mut times = done.to_vec();
        times.sort_unstable();
        for (i, at) in times.into_iter().enumerate() {
            self.count(at, done.len() as i64 - 1 - i as i64, 0, 0);
        }
    }

    /// The first thread makes tasks; all run them while they wait at the barrier.
    fn tasks(&mut self) {
        let (main, team) = (self.fake.on(0, "0"), self.team(0..WORKERS, "0"));
        self.region(main, 1, ("parallel tree.c:12 (refine)", 12), team, |play, team| {
            let single = play.fake.slice(
                SliceKind::Work(ompt::Work::SingleExecutor),
                "single tree.c:14",
                14,
            );
            play.fake.begin(team.begin, team.executors[0], &single);
            let made: Vec<u32> = (0..12).map(|i| play.create(team, i)).collect();
            play.fake.end(team.begin + 30 * US, team.executors[0], Mark::Observed);
            let mut at = [team.begin + 40 * US; WORKERS as usize];
            for (&task, i) in made.iter().zip(1..) {
                let runner = i % WORKERS as usize;
                at[runner] = play.segments(team, task, runner, at[runner]);
            }
            at.to_vec()
        });
        self.count(self.now, 1, 3, 0);
    }

    fn create(&mut self, team: &Team, i: u64) -> u32 {
        let task = self.number();
        let at = team.begin + US + i * 2 * US;
        let flow = [1 << 40 | u64::from(task)];
        let args = [arg(ArgKey::Task, ArgValue::Id(Id::fresh_task(0, task, 3)))];
        let plain =
            self.fake.new_instant(InstantKind::TaskCreate, "create task tree.c:16 (split)", 16);
        let instant = ompttrace_model::Instant { flows: &flow, args: &args, ..plain };
        self.fake.instant(at, team.executors[0], &instant);
        self.fake.counter(at, Counter::LiveTasks, i as i64 + 1);
        task
    }

    /// A task in two segments; gives the end of the second.
    fn segments(&mut self, team: &Team, number: u32, runner: usize, at: u64) -> u64 {
        let (executor, id) = (team.executors[runner], Id::fresh_task(0, number, 3));
        let flow = [1 << 40 | u64::from(number)];
        let args = [arg(ArgKey::Task, ArgValue::Id(id))];
        let length = 20 * US + self.jitter(40 * US);
        let plain = self.fake.slice(SliceKind::Task, "task tree.c:16 (split)", 16);
        let slice = Slice { task: id, args: &args, flows: &flow, ..plain };
        self.fake.begin(at, executor, &slice);
        self.fake.end(at + length, executor, Mark::Observed);
        let resumed = Slice { task: id.started(), resumed: true, ..slice };
        self.fake.begin(at + length + US, executor, &resumed);
        self.fake.end(at + length + 15 * US, executor, Mark::Observed);
        at + length + 16 * US
    }

    /// All want the same critical section, one after the other.
    fn critical(&mut self) {
        let (main, team) = (self.fake.on(0, "0"), self.team(0..WORKERS, "0"));
        let lock = self.fake.lock("critical update");
        self.region(main, 1, ("parallel stencil.c:80 (record)", 80), team, |play, team| {
            let mut done = vec![team.begin; team.executors.len()];
            let mut free = team.begin;
            for turn in 0..12u64 {
                let thread_num = turn as usize % team.executors.len();
                let (executor, asked) = (team.executors[thread_num], done[thread_num] + 5 * US);
                let granted = asked.max(free + 200);
                if granted > asked {
                    let kind = SliceKind::MutexWait(ompt::Mutex::Critical);
                    let wait = play.fake.slice(kind, "wait: critical update", 82);
                    play.fake.begin(asked, executor, &wait);
                    play.fake.end(granted, executor, Mark::Observed);
                }
                free = granted + 15 * US;
                let base = u64::from(play.numbers) << 20;
                let (to, from) = ([base | turn], [base | turn.wrapping_sub(1)]);
                let flow_ends: &[u64] = if turn > 0 { &from } else { &[] };
                let plain = play.fake.slice(
                    SliceKind::MutexHold(ompt::Mutex::Critical),
                    "critical update",
                    82,
                );
                let hold = Slice { flows: &to, flow_ends, ..plain };
                play.fake.hold(granted, free, lock, executor, &hold);
                done[thread_num] = free;
            }
            done
        });
    }

    /// Two threads each make a team of two.
    fn nested(&mut self) {
        let main = self.fake.on(0, "0");
        let outer = self.team(0..2, "0");
        self.region(main, 1, ("parallel quad.c:9 (quadrants)", 9), outer, |play, team| {
            let mut done = Vec::new();
            for &parent in &team.executors {
                play.now = team.begin;
                let path = format!("0.{}", parent.thread);
                let inner = vec![
                    play.fake.on(parent.thread, &format!("{path}.0")),
                    play.fake.on(parent.thread + 2, &format!("{path}.1")),
                ];
                play.region(
                    parent,
                    2,
                    ("parallel quad.c:14 (quadrant)", 14),
                    inner,
                    |play, team| {
                        let begin = team.begin;
                        team.executors
                            .iter()
                            .map(|_| begin + 100 * US + play.jitter(200 * US))
                            .collect()
                    },
                );
                done.push(play.now);
            }
            done
        });
    }
}

fn arg(key: ArgKey, value: ArgValue) -> Arg {
    Arg { key, value }
}
