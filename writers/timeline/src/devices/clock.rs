//! Conversion of a device's clock to the host's: pairs of readings of both, and straight lines between them.

/// Ticks between two pairs of clocks that count by themselves: nearer ones report more of how long it took
/// to read them than of the clocks.
const APART: u64 = 100_000_000;

/// Pairs of host ticks and device time.
#[derive(Debug, Default)]
pub(super) struct Clock(Vec<(u64, u64)>);

impl Clock {
    pub(super) fn add(&mut self, ticks: u64, time: u64) {
        // A pair between two others says nothing if it is too near to the one before.
        if let [.., before, last] = self.0[..]
            && last.0 < before.0.saturating_add(APART)
        {
            self.0.pop();
        }
        if self.0.last().is_none_or(|last| last.0 < ticks && last.1 < time) {
            self.0.push((ticks, time));
        }
    }

    /// The device's time of the first pair.
    pub(super) fn begin(&self) -> Option<u64> {
        self.0.first().map(|pair| pair.1)
    }

    /// The host's ticks at a device's time: on the line through the pairs around it, or the nearest two.
    pub(super) fn ticks(&self, time: u64) -> u64 {
        let behind = self.0.partition_point(|pair| pair.1 <= time);
        let second = behind.clamp(1, self.0.len().saturating_sub(1).max(1));
        match (self.0.get(second - 1), self.0.get(second)) {
            (Some(a), Some(b)) => {
                let way = i128::from(time) - i128::from(a.1);
                let ticks =
                    way.checked_mul(i128::from(b.0 - a.0)).map(|t| t / i128::from(b.1 - a.1));
                ticks.and_then(|t| u64::try_from(i128::from(a.0) + t).ok()).unwrap_or(0)
            }
            (Some(a), None) => a.0,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_devices_time_is_the_hosts_on_the_line_between_pairs() {
        let mut clock = Clock::default();
        let far = 10 * APART;
        // Twice as fast as the host, then three times, with pairs that are too near in between.
        for (ticks, time) in [(1000, 5000), (1010, 5600), (1000 + far, 5000 + 2 * far)] {
            clock.add(ticks, time);
        }
        clock.add(1000 + 2 * far, 5000 + 5 * far);
        assert_eq!(clock.ticks(5000), 1000);
        assert_eq!(clock.ticks(5000 + far), 1000 + far / 2);
        assert_eq!(clock.ticks(5000 + 2 * far + 300), 1000 + far + 100);
        assert_eq!(clock.ticks(5000 + 8 * far), 1000 + 3 * far);
        assert_eq!(clock.ticks(4000), 500);
        assert_eq!(Clock::default().ticks(7), 0);
        assert_eq!(Clock(vec![(3, 4)]).ticks(7), 3);
        assert_eq!(Clock(vec![(0, 1), (u64::MAX, 2)]).ticks(u64::MAX), 0);
    }
}
