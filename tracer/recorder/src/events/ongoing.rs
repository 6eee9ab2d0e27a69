//! Records of the tasks in which a thread is when recording resumes: the answer of its source when it is asked
//! ([`resumed`]).

use crate::blocks::tls;
use crate::events::slow::make_earlier_room;
use crate::host::sync::Ordering;
use crate::registry::resumed;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{OngoingTask, Scope};

/// Maximum number of tasks that one thread reports.
pub const MOST_ONGOING: usize = 32;

/// Records the tasks in which the calling thread is, outermost first; an empty list means that it is in no task.
/// `order` is the number of tasks around the first one, on other threads too: readers see those before.
pub fn put_ongoing(order: u64, tasks: &[OngoingTask]) {
    let code = EventCode::new(OngoingTask::NUMBER, Scope::None);
    let event = tls::block().private.asked_before.load(Ordering::Relaxed);
    let ticks = resumed::time().saturating_add(order).min(event);
    let none = [OngoingTask::default()];
    let tasks = if tasks.is_empty() { &none } else { tasks };
    for (task, left) in tasks.iter().zip((0..tasks.len() as u64).rev()) {
        if let Some(room) = make_earlier_room(code, ticks) {
            room.put(code, OngoingTask { left, ..*task });
        }
    }
}
