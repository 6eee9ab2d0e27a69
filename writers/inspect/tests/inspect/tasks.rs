//! Tasks that are not complete, and waits for them.

use crate::script::{Script, TASKWAIT, found, implicit, task};
use ompttrace_inspect::FindingKind::{Deadlock, Tasks};
use ompttrace_inspect::TaskState;

const SECOND: u64 = 1_000_000_000;
/// ompt_task_complete and ompt_task_switch.
const COMPLETE: u64 = 1;
const SWITCH: u64 = 7;
const A: u64 = 0xa0;

#[test]
fn complete_tasks_are_forgotten_and_others_have_their_state() {
    let own = implicit(0);
    let mut script = Script::team(2);
    script.creates(0, own, task(10)).creates(0, own, task(11)).creates(0, own, task(12));
    script.creates(0, own, task(13)).depends(0, task(12), task(13));
    script.switches(0, own, task(10), SWITCH).switches(0, task(10), own, COMPLETE);
    script.switches(0, own, task(11), SWITCH);
    let seen = script.seen(SECOND);
    let states: Vec<_> = seen.tasks.iter().map(|task| (task.id, task.state)).collect();
    assert_eq!(
        states,
        [
            (task(11).started(), TaskState::Runs),
            (task(12).started(), TaskState::Created),
            (task(13).started(), TaskState::Created),
        ]
    );
    assert_eq!(seen.tasks[2].waits_for, [task(12).started()]);
    assert_eq!((seen.tasks[0].parent, seen.tasks[0].thread), (own, Some(0)));
}

#[test]
fn a_taskwait_names_its_children_and_what_they_do() {
    let own = implicit(0);
    let mut script = Script::team(2);
    script.creates(0, own, task(10)).creates(0, own, task(11)).waits(0, own, TASKWAIT);
    script.switches(1, implicit(1), task(10), SWITCH);
    script.creates(1, task(10), task(12));
    let seen = script.seen(SECOND);
    let [tasks] = found(&seen, Tasks)[..] else { panic!("{:?}", seen.findings) };
    assert!(tasks.starts_with("thread 0 waits at the taskwait for 2 tasks"), "{tasks}");
    assert!(tasks.contains("runs on thread 1") && tasks.contains("has not begun"), "{tasks}");
    assert!(!tasks.contains("0.12"), "a grandchild is not waited for: {tasks}");
}

/// The thread may continue with the outer task only when the inner one is over, which waits for a lock of the outer one.
#[test]
fn a_lock_of_a_suspended_task_is_a_deadlock_with_the_task_above_it() {
    let own = implicit(0);
    let mut script = Script::team(1);
    script.creates(0, own, task(10)).switches(0, own, task(10), SWITCH).takes(0, A);
    script.creates(0, task(10), task(11)).waits(0, task(10), TASKWAIT);
    script.switches(0, task(10).started(), task(11), SWITCH).asks(0, A);
    let seen = script.seen(SECOND);
    let [deadlock] = found(&seen, Deadlock)[..] else { panic!("{:?}", seen.findings) };
    assert!(deadlock.contains("thread 0 waits for lock"), "{deadlock}");
    assert!(deadlock.contains("task 0.10"), "{deadlock}");
    let outer = seen.tasks.iter().find(|one| one.id == task(10).started()).expect("it is there");
    assert_eq!(outer.state, TaskState::Suspended);
}

#[test]
fn a_chain_of_many_tasks_is_followed() {
    let (own, most) = (implicit(0), 20_000);
    let mut script = Script::team(1);
    for number in 0..most {
        script.creates(0, own, task(100 + number));
        if number > 0 {
            script.depends(0, task(99 + number), task(100 + number));
        }
    }
    script.waits(0, own, TASKWAIT);
    let seen = script.seen(SECOND);
    assert_eq!(seen.tasks.len(), most as usize);
    assert_eq!(found(&seen, Deadlock), [""; 0]);
    assert!(found(&seen, Tasks)[0].contains("for 20000 tasks"), "{:?}", seen.findings);
}
