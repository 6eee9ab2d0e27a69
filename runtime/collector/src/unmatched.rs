//! Begins without an end and ends without a begin, counted by event.

use collector_sys::Event;
use core::sync::atomic::{AtomicU64, Ordering};

const EVENTS: usize = Event::ALL.len() + 1;

static COUNTS: [AtomicU64; EVENTS] = [const { AtomicU64::new(0) }; EVENTS];

/// Counts an event whose other half is missing.
pub(crate) fn count(event: Event) {
    if let Some(count) = COUNTS.get(event as usize) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Resets the counts in a forked child: the counted events are those of the parent process.
pub(crate) fn forget() {
    COUNTS.iter().for_each(|count| count.store(0, Ordering::Relaxed));
}

/// Counts the begins whose bits are set: those of a level that is over.
pub(crate) fn count_open(open: u16) {
    if open != 0 {
        Event::ALL
            .iter()
            .filter(|event| open & bit(**event) != 0 && is_begin(**event))
            .for_each(|event| count(*event));
    }
}

/// The bit of an event and of its other half.
#[inline]
pub(crate) const fn bit(event: Event) -> u16 {
    1 << ((event as i32 - 1) / 2)
}

/// True for the begin of a pair of events: begins have odd numbers.
#[inline]
pub(crate) const fn is_begin(event: Event) -> bool {
    event as i32 % 2 == 1
}

/// Formatted counts, a line for each event whose other half was missing at least once.
pub(crate) fn lines() -> Vec<String> {
    let line = |event: &Event| {
        let count = COUNTS.get(*event as usize)?.load(Ordering::Relaxed);
        let half = if is_begin(*event) { "no end" } else { "no begin" };
        (count > 0).then(|| format!("{} had {half} {count} times", event.name()))
    };
    Event::ALL.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_share_a_bit_and_are_counted_by_name() {
        assert_eq!(bit(Event::BeginSingle), bit(Event::EndSingle));
        assert_ne!(bit(Event::BeginSingle), bit(Event::BeginMaster));
        count_open(bit(Event::EndSingle) | bit(Event::BeginAtwt));
        count(Event::EndEbar);
        assert_eq!(
            lines(),
            [
                "thr_end_ebar had no begin 1 times",
                "thr_begin_single had no end 1 times",
                "thr_begin_atwt had no end 1 times"
            ]
        );
    }
}
