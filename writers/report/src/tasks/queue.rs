//! Number of tasks that were created and have not begun, over the run.

/// Parts of the run in which the queue is reported.
const PARTS: usize = 100;

/// Number of tasks that wait to begin, over time.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    begin: u64,
    part: u64,
    now: u64,
    length: u64,
    /// Length x time of each part, and the largest length.
    parts: Vec<(u64, u64)>,
}

impl Queue {
    pub(super) fn new(begin: u64, end: u64) -> Queue {
        let part = end.saturating_sub(begin).div_ceil(PARTS as u64).max(1);
        Queue { begin, part, now: begin, length: 0, parts: vec![(0, 0); PARTS] }
    }

    pub(super) fn change(&mut self, at: u64, by: i64) {
        self.advance(at);
        self.length = self.length.saturating_add_signed(by);
        let part = self.index(self.now);
        if let Some((_, longest)) = self.parts.get_mut(part) {
            *longest = (*longest).max(self.length);
        }
    }

    fn index(&self, at: u64) -> usize {
        (((at - self.begin) / self.part) as usize).min(PARTS - 1)
    }

    /// The length so far goes on to `at`.
    fn advance(&mut self, at: u64) {
        while self.now < at {
            let part = self.index(self.now);
            let next = self.begin + (part as u64 + 1) * self.part;
            let until = if part + 1 < PARTS { at.min(next) } else { at };
            if let Some((area, longest)) = self.parts.get_mut(part) {
                *area = area.saturating_add(self.length.saturating_mul(until - self.now));
                *longest = (*longest).max(self.length);
            }
            self.now = until;
        }
    }

    /// Begin of each part, mean and longest length in it.
    pub(crate) fn finish(mut self, end: u64) -> Vec<(u64, f64, u64)> {
        self.advance(end);
        let part = self.part;
        let reported = self.parts.iter().enumerate();
        reported
            .map(|(at, (area, longest))| (at as u64 * part, *area as f64 / part as f64, *longest))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_reported_in_parts_of_the_run() {
        let mut queue = Queue::new(1000, 2000);
        queue.change(1005, 1);
        queue.change(1005, 1);
        queue.change(1025, -2);
        let parts = queue.finish(2000);
        assert_eq!(parts[..4], [(0, 1.0, 2), (10, 2.0, 2), (20, 1.0, 2), (30, 0.0, 0)]);
    }
}
