//! Teams whose last thread comes late: events that name the team wait for it, though not for ever.

use super::archives;
use ompttrace_recording::events::{
    Flush, ImplicitTask, ParallelBegin, ParallelEnd, TaskCreate, TaskSchedule, ThreadBegin,
};
use ompttrace_recording::{Id, Scope};
use ompttrace_tests::otf2_judge::{Statistics, check};
use ompttrace_timeline::testing::RunBuilder;

pub const ROOT: Id = Id::implicit_task(0, 1, Id::NONE);
pub const TEAM: Id = Id::region(0, 1, 0);

pub fn implicit_task(
    run: &mut RunBuilder,
    at: u64,
    scope: Scope,
    (region, task): (Id, Id),
    team: (u64, u64),
) {
    let (team_size, thread_num) = team;
    let thread = if task == ROOT { 0 } else { thread_num as usize };
    let flags = if task == ROOT { 1 } else { 2 };
    let (region, task) = (region.0, task.0);
    run.put(thread, at, scope, ImplicitTask { region, task, team_size, thread_num, flags });
}

/// Thread 0 forks a team of two, makes and runs tasks, and only then thread 1 comes.
fn late(tasks: u32) -> Statistics {
    let mut run = RunBuilder::new();
    let own = |thread: u64| Id::implicit_task(Id::thread_part(thread), 7, Id::NONE);
    run.put(0, 10, Scope::None, ThreadBegin { thread_type: 1 });
    implicit_task(&mut run, 11, Scope::Begin, (Id::NONE, ROOT), (1, 0));
    let (region, root) = (TEAM.0, ROOT.0);
    let fork =
        ParallelBegin { code: 16, kind: 0, region, task: root, requested: 2, flags: 0x8000_0002 };
    run.put(0, 20, Scope::None, fork);
    implicit_task(&mut run, 21, Scope::Begin, (TEAM, own(0)), (2, 0));
    let mut at = 30;
    for number in 0..tasks {
        let task = Id::fresh_task(0, 100 + number, 0);
        let (implicit, new_task) = (own(0).0, task.0);
        let create = TaskCreate { code: 32, kind: 0, task: implicit, new_task, flags: 4 };
        run.put(0, at, Scope::None, create);
        let [first, last] = [(implicit, task.0, 7), (task.started().0, implicit, 1)]
            .map(|(prior, next, status)| TaskSchedule { prior, next, status });
        run.put(0, at + 1, Scope::None, first);
        run.put(0, at + 2, Scope::None, Flush::default());
        run.put(0, at + 3, Scope::None, last);
        at += 10;
    }
    run.put(1, at, Scope::None, ThreadBegin { thread_type: 2 });
    implicit_task(&mut run, at + 1, Scope::Begin, (TEAM, own(1)), (2, 1));
    implicit_task(&mut run, at + 8, Scope::End, (Id::NONE, own(1)), (2, 1));
    implicit_task(&mut run, at + 9, Scope::End, (Id::NONE, own(0)), (2, 0));
    let join = ParallelEnd { code: 16, kind: 0, region, task: root, flags: 0x8000_0002 };
    run.put(0, at + 10, Scope::None, join);
    implicit_task(&mut run, at + 11, Scope::End, (Id::NONE, ROOT), (1, 0));
    let archives = archives(&run);
    let read = check(&archives.threads).expect("sound");
    check(&archives.logical_threads).expect("sound");
    assert_eq!(archives.written.archives[0].unfinished_tasks, 0);
    read
}

fn check_team(read: &Statistics, tasks: u64) {
    assert_eq!(read.events["ThreadTaskCreate"], tasks);
    assert_eq!(read.events["ThreadTaskComplete"], tasks);
    let members: Vec<_> = read.comms.iter().map(|comm| comm.members.clone()).collect();
    assert!(members.contains(&vec![Some(0), Some(1)]), "{members:?}");
}

#[test]
fn a_team_thread_that_comes_late_is_waited_for() {
    check_team(&late(1_000), 1_000);
}

#[test]
fn a_team_thread_that_comes_too_late_is_reported_in_the_end() {
    check_team(&late(20_000), 20_000);
}
