//! Teams that end while tasks of theirs are suspended, because the recording stops: the tasks end with their
//! team.

use super::archives;
use super::waiting_teams::{ROOT, TEAM, implicit_task};
use ompttrace_recording::events::{Flush, ParallelBegin, TaskCreate, TaskSchedule, ThreadBegin};
use ompttrace_recording::{Id, Scope};
use ompttrace_tests::otf2_judge::check;
use ompttrace_timeline::testing::RunBuilder;

const OUTER: Id = Id::implicit_task(0, 7, Id::NONE);
const INNER: Id = Id::implicit_task(0, 8, Id::NONE);
const OTHER: Id = Id::implicit_task(Id::thread_part(1), 7, Id::NONE);
const NESTED: Id = Id::region(0, 2, 0);

fn fork(run: &mut RunBuilder, at: u64, region: Id, task: Id) {
    let (region, task, flags) = (region.0, task.0, 0x8000_0002);
    run.put(
        0,
        at,
        Scope::None,
        ParallelBegin { code: 16, kind: 0, region, task, requested: 1, flags },
    );
}

/// A run in which a team of two has begun.
fn in_a_team() -> RunBuilder {
    let mut run = RunBuilder::new();
    run.put(0, 10, Scope::None, ThreadBegin { thread_type: 1 });
    implicit_task(&mut run, 11, Scope::Begin, (Id::NONE, ROOT), (1, 0));
    fork(&mut run, 20, TEAM, ROOT);
    implicit_task(&mut run, 21, Scope::Begin, (TEAM, OUTER), (2, 0));
    run.put(1, 20, Scope::None, ThreadBegin { thread_type: 2 });
    implicit_task(&mut run, 22, Scope::Begin, (TEAM, OTHER), (2, 1));
    run
}

/// Makes three tasks in a team of two, begins each and leaves it.
fn with_suspended_tasks() -> RunBuilder {
    let mut run = in_a_team();
    for number in 0..3 {
        let at = 30 + 10 * u64::from(number);
        let task = Id::fresh_task(0, 100 + number, 0);
        let create = TaskCreate { code: 32, kind: 0, task: OUTER.0, new_task: task.0, flags: 4 };
        run.put(0, at, Scope::None, create);
        let [begins, left] = [(OUTER.0, task.0), (task.started().0, OUTER.0)]
            .map(|(prior, next)| TaskSchedule { prior, next, status: 7 });
        run.put(0, at + 1, Scope::None, begins);
        run.put(0, at + 2, Scope::None, Flush::default());
        run.put(0, at + 5, Scope::None, left);
    }
    run
}

fn check_all(run: &RunBuilder) {
    let archives = archives(run);
    for archive in [&archives.threads, &archives.logical_threads] {
        let read = check(archive).expect("sound");
        assert_eq!((read.events("ThreadTaskCreate"), read.events("ThreadTaskComplete")), (3, 3));
    }
    assert_eq!(archives.written.archives[0].unfinished_tasks, 0);
}

#[test]
fn a_recording_that_stops_in_a_team_ends_its_tasks() {
    check_all(&with_suspended_tasks());
}

#[test]
fn a_recording_that_stops_as_a_team_thread_begins_has_that_in_its_team() {
    let run = in_a_team();
    let read = check(&archives(&run).threads).expect("sound");
    assert_eq!((read.events("ThreadTeamBegin"), read.events("ThreadTeamEnd")), (2, 2));
}

#[test]
fn a_recording_that_stops_before_the_primary_begins_has_it_in_its_team() {
    let mut run = RunBuilder::new();
    run.put(0, 10, Scope::None, ThreadBegin { thread_type: 1 });
    implicit_task(&mut run, 11, Scope::Begin, (Id::NONE, ROOT), (1, 0));
    fork(&mut run, 20, TEAM, ROOT);
    run.put(1, 20, Scope::None, ThreadBegin { thread_type: 2 });
    implicit_task(&mut run, 22, Scope::Begin, (TEAM, OTHER), (2, 1));
    let archives = archives(&run);
    for archive in [&archives.threads, &archives.logical_threads] {
        let read = check(archive).expect("sound");
        assert_eq!((read.events("ThreadTeamBegin"), read.events("ThreadTeamEnd")), (2, 2));
    }
}

#[test]
fn a_recording_that_stops_in_an_inner_team_ends_the_outer_ones_tasks() {
    let mut run = with_suspended_tasks();
    fork(&mut run, 80, NESTED, OUTER);
    implicit_task(&mut run, 81, Scope::Begin, (NESTED, INNER), (1, 0));
    run.put(0, 90, Scope::None, Flush::default());
    check_all(&run);
}
