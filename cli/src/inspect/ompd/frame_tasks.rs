//! The task to which each frame of a call stack belongs, by the frames that OMPD gives: the code of a task reaches from
//! the frame after the one by which it called the runtime (enter) to the one by which the runtime called it (exit).

use crate::inspect::unwind::Walk;
use ompttrace_ompd::{Answer, Task};

/// Flags of ompt_frame_t: the frame belongs to the application; below, the part of the frame that its address is.
const APPLICATION: i64 = 0x01;
const POSITION: i64 = 0xf0;
const CFA: i64 = 0x10;
/// Maximum number of tasks of one stack that are followed.
const MOST_TASKS: usize = 256;

/// The task of each frame, by its position in the answer; none for frames of the runtime, and none at all if OMPD
/// refused the frames.
pub fn tasks_of(frames: &[Walk], answer: &Answer, thread: u32) -> Vec<Option<usize>> {
    let mut owners = vec![None; frames.len()];
    if answer.refused.iter().any(|what| what.starts_with("ompd_get_task_frame")) {
        return owners;
    }
    let own = answer.threads.iter().find(|own| own.id == thread);
    let mut next = own.and_then(|own| own.task);
    let mut begin = 0;
    for depth in 0..MOST_TASKS {
        let Some((at, task)) = next.and_then(|at| Some((at, answer.tasks.get(at)?))) else { break };
        match code(frames, begin, task, depth == 0) {
            Some((from, to)) => {
                owners.iter_mut().take(to).skip(from).for_each(|owner| *owner = Some(at));
                begin = to;
            }
            // It is on another thread's stack: so are those that it comes from.
            None => break,
        }
        next = task.scheduling.or(task.generating).filter(|from| *from != at);
    }
    owners
}

/// Range of the frames of a task's code from `begin` on; none if they are not on this stack, as for a task that is not
/// the innermost and has not called the runtime.
fn code(frames: &[Walk], begin: usize, task: &Task, innermost: bool) -> Option<(usize, usize)> {
    let from = match task.enter_frame {
        Some(enter) => {
            let is_own = task.enter_frame_flags & APPLICATION != 0;
            position(frames, enter, task.enter_frame_flags)? + usize::from(!is_own)
        }
        None if innermost => begin,
        None => return None,
    };
    let to = match task.exit_frame {
        Some(exit) => {
            let is_own = task.exit_frame_flags & APPLICATION != 0;
            position(frames, exit, task.exit_frame_flags)? + usize::from(is_own)
        }
        // An initial task is called by nobody; another one without such a frame has come to its end.
        None if task.function.is_none() && task.generating.is_none() => frames.len(),
        None => from,
    };
    (begin <= from && from <= to).then_some((from, to))
}

/// The frame that an address of the stack means.
fn position(frames: &[Walk], address: u64, flags: i64) -> Option<usize> {
    let means = |pair: &[Walk]| match flags & POSITION {
        CFA => pair[0].sp < address && address <= pair[1].sp,
        _ => pair[0].sp <= address && address < pair[1].sp,
    };
    frames.windows(2).position(means)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_ompd::Thread;

    const FRAME_POINTER: i64 = 0x20;

    /// Frames of 0x10 bytes from 0x100 on.
    fn stack(count: u64) -> Vec<Walk> {
        (0..count).map(|at| Walk { address: at, sp: 0x100 + 0x10 * at }).collect()
    }

    fn task(enter: Option<u64>, exit: Option<u64>, generating: Option<usize>) -> Task {
        Task {
            function: generating.map(|_| 7),
            enter_frame: enter,
            exit_frame: exit,
            enter_frame_flags: FRAME_POINTER,
            exit_frame_flags: FRAME_POINTER,
            generating,
            ..Task::default()
        }
    }

    fn answer(tasks: Vec<Task>) -> Answer {
        let threads = vec![Thread { id: 1, task: Some(0), ..Thread::default() }];
        Answer { threads, tasks, ..Answer::default() }
    }

    #[test]
    fn tasks_reach_from_where_they_called_the_runtime_to_where_it_called_them() {
        // A barrier (0, 1), the region's code (2, 3), the fork (4, 5), the code around it (6, 7).
        let inner = task(Some(0x118), Some(0x148), Some(1));
        let outer = task(Some(0x158), None, None);
        let all = answer(vec![inner, outer]);
        let (code, around) = (Some(0), Some(1));
        let wanted = [None, None, code, code, None, None, around, around];
        assert_eq!(tasks_of(&stack(8), &all, 1), wanted);
        assert_eq!(tasks_of(&stack(8), &all, 2), [None; 8], "a thread that OMPD does not know");
    }

    #[test]
    fn addresses_may_be_of_the_callers_frame_or_the_programs() {
        let mut inner = task(Some(0x120), Some(0x140), Some(1));
        (inner.enter_frame_flags, inner.exit_frame_flags) = (CFA, CFA | APPLICATION);
        let all = answer(vec![inner, task(Some(0x900), None, None)]);
        let wanted = [None, None, Some(0), Some(0), None, None];
        assert_eq!(tasks_of(&stack(6), &all, 1), wanted, "the other one is on another stack");
    }

    #[test]
    fn where_frames_were_not_to_be_had_there_are_no_tasks() {
        let mut all = answer(vec![task(None, None, Some(1)), task(None, None, None)]);
        assert_eq!(tasks_of(&stack(4), &all, 1), [None; 4], "whoever made it called nobody");
        all.tasks.remove(0);
        assert_eq!(tasks_of(&stack(4), &all, 1), [Some(0); 4]);
        all.refused.push("ompd_get_task_frame: needs OMP_DEBUG=enabled".to_owned());
        assert_eq!(tasks_of(&stack(4), &all, 1), [None; 4]);
    }

    #[test]
    fn a_task_that_left_its_code_has_no_frames() {
        let all = answer(vec![task(None, None, Some(1)), task(Some(0x128), None, None)]);
        assert_eq!(tasks_of(&stack(4), &all, 1), [None, None, None, Some(1)]);
    }
}
