//! Arrows within one window: an end whose begin is in another one is left out.

use crate::hash::{FastMap, task_flow};
use ompttrace_model::{Event, MESSAGE_FLOW};
use ompttrace_recording::Id;

/// Begins that are remembered; those of a program that never ends its arrows are forgotten.
const MOST: usize = 1 << 20;

/// The window in which each arrow was last seen.
#[derive(Debug, Default)]
pub(super) struct Flows {
    time_windows: FastMap<u64, usize>,
    ends: Vec<u64>,
}

impl Flows {
    /// An event in no window.
    #[inline]
    pub(super) fn leave(&mut self, event: &Event<'_>) {
        let (task, flows, ends) = match event {
            Event::Begin(_, slice)
            | Event::RegionBegin(_, slice)
            | Event::HoldBegin(_, _, slice) => (slice.task, slice.flows, slice.flow_ends),
            Event::Instant(_, instant) => (instant.task, instant.flows, instant.flow_ends),
            _ => return,
        };
        self.at(None, task, flows, ends);
    }

    /// Takes what begins and ends at an event of window `number`; returns the arrows that may end there.
    #[inline]
    pub(super) fn at(
        &mut self,
        number: Option<usize>,
        task: Id,
        flows: &[u64],
        ends: &[u64],
    ) -> &[u64] {
        if flows.is_empty() && ends.is_empty() {
            return &[];
        }
        self.ends.clear();
        for flow in ends {
            // The begin of one between processes is in another process's trace.
            if flow & MESSAGE_FLOW != 0 {
                self.ends.push(*flow);
                continue;
            }
            let time_window = self.time_windows.remove(flow);
            self.ends.extend((time_window.is_some() && time_window == number).then_some(*flow));
        }
        if self.time_windows.len() > MOST {
            self.time_windows.clear();
        }
        // A task's own arrow goes on through its segments and is never said to end.
        let own = task_flow(task);
        for flow in flows.iter().filter(|flow| **flow != own && **flow & MESSAGE_FLOW == 0) {
            match number {
                Some(number) => self.time_windows.insert(*flow, number),
                None => self.time_windows.remove(flow),
            };
        }
        &self.ends
    }
}
