//! Short forms of the records of tasks, which come by the million: written where the event fits. Readers decode them, or give them
//! out in the long form, so that nobody else knows of them.
//!
//! A creation and two switches take 80 bytes instead of 104, which a drain saves more time with than
//! packing costs.

use crate::events::{EventCode, Scope, TaskCreate, TaskSchedule};
use crate::words::{At, Payload, Store};

/// The code of a task_create without dependences whose flags fit beside its code address.
pub(crate) const CREATE: u8 = 95;
/// The codes from here on are those of a task_schedule of status 1 to [`STATUSES`].
pub(crate) const SCHEDULE: u8 = 96;
const STATUSES: u8 = 8;
pub(crate) const LAST: u8 = SCHEDULE + STATUSES - 1;

/// Payload words of the longest short form, given out at length.
const LONGEST: usize = TaskCreate::WORDS - 1;

/// Flags of ompt_task_flag_t that are stored: kinds of tasks and their properties.
const LOW_FLAGS: u64 = 0x1f;
/// `ompt_task_taskwait`: always reported in the long form, for which there is more time.
pub const TASKWAIT: u64 = 0x10;
const HIGH_SHIFT: u32 = 27;
const HIGH_FLAGS: u64 = 0x1f << HIGH_SHIFT;

/// Adds the short records' words to the table of all.
pub(crate) const fn with_words(mut table: [u8; 256]) -> [u8; 256] {
    #[allow(clippy::indexing_slicing, reason = "checked while compiling")]
    {
        assert!(table[CREATE as usize] == 0, "an event has the short form's code");
        table[CREATE as usize] = 4;
        let mut status = 0;
        while status < STATUSES {
            assert!(table[(SCHEDULE + status) as usize] == 0, "an event has the short form's code");
            table[(SCHEDULE + status) as usize] = 3;
            status += 1;
        }
    }
    table
}

/// The short form of a [`TaskSchedule`].
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// The task that the thread leaves, as in the long form.
    pub prior: u64,
    /// The task for which the thread leaves it, as in the long form.
    pub next: u64,
}

impl Schedule {
    /// The code that reports the status; `None` for one that has no short form.
    #[inline(always)]
    pub fn code(status: u32) -> Option<EventCode> {
        let index = status.wrapping_sub(1);
        (index < STATUSES.into()).then_some(EventCode(SCHEDULE | index as u8))
    }
}

impl Payload for Schedule {
    const WORDS: usize = 2;
    #[inline(always)]
    fn store(&self, slot: &mut impl Store) {
        slot.word(0, self.prior);
        slot.word(1, self.next);
    }
}

/// The short form of a [`TaskCreate`].
#[derive(Clone, Copy, Debug)]
pub struct Create {
    code: u64,
    packed: u64,
    task: u64,
    new_task: u64,
}

impl Create {
    /// The code of the short form.
    pub const CODE: EventCode = EventCode(CREATE);

    /// The short form, if the event has one.
    #[inline(always)]
    pub fn of(event: &TaskCreate) -> Option<Create> {
        let TaskCreate { code, kind, task, new_task, flags } = *event;
        // One question instead of two: the compiler would make three of them.
        if (flags & (!(LOW_FLAGS | HIGH_FLAGS) | TASKWAIT)) | kind != 0 {
            return None;
        }
        // The upper bits are cut where this is stored, the middle ones are 0.
        let packed = flags | flags >> (HIGH_SHIFT - 5);
        Some(Create { code, packed, task, new_task })
    }
}

impl Payload for Create {
    const WORDS: usize = 3;
    #[inline(always)]
    fn store(&self, slot: &mut impl Store) {
        slot.at(0, self.code, self.packed);
        slot.word(1, self.task);
        slot.word(2, self.new_task);
    }
}

/// Returns true for the code of a short form.
#[inline(always)]
pub(crate) fn is_short(code: EventCode) -> bool {
    (CREATE..=LAST).contains(&code.0)
}

/// The code of the event of a record with this code.
#[inline(always)]
pub fn event_code(code: EventCode) -> EventCode {
    match code.0 {
        CREATE => EventCode::new(TaskCreate::NUMBER, Scope::None),
        _ if is_short(code) => EventCode::new(TaskSchedule::NUMBER, Scope::None),
        _ => code,
    }
}

/// Words of an event's record, header included, as they are mostly stored: short where they can be.
pub fn stored_words(code: EventCode) -> usize {
    match code.number() {
        TaskSchedule::NUMBER => EventCode(SCHEDULE).words(),
        TaskCreate::NUMBER => EventCode(CREATE).words(),
        _ => code.words(),
    }
}

/// The event of a short record with the code [`CREATE`]; missing words read as 0.
#[inline(always)]
pub(crate) fn create(words: &[u64]) -> TaskCreate {
    let [at, task, new_task] = *words.first_chunk().unwrap_or(&[0; Create::WORDS]);
    let (code, packed) = At::unpack(at);
    let flags = (packed & LOW_FLAGS) | (packed << (HIGH_SHIFT - 5) & HIGH_FLAGS);
    TaskCreate { code, kind: 0, task, new_task, flags }
}

/// The event of a short record with a code from [`SCHEDULE`] to [`LAST`]; missing words read as 0.
#[inline(always)]
pub(crate) fn schedule(code: EventCode, words: &[u64]) -> TaskSchedule {
    let [prior, next] = *words.first_chunk().unwrap_or(&[0; Schedule::WORDS]);
    TaskSchedule { prior, next, status: u64::from(code.0.wrapping_sub(SCHEDULE)) + 1 }
}

/// The payload of a short record's event in the long form, and the number of its words that count.
#[inline(always)]
pub(crate) fn at_length(code: EventCode, words: &[u64]) -> ([u64; LONGEST], usize) {
    if code == Create::CODE {
        return (create(words).words(), TaskCreate::WORDS - 1);
    }
    let [prior, next, status] = schedule(code, words).words();
    ([prior, next, status, 0], TaskSchedule::WORDS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event;

    struct Words(Vec<u64>);

    impl Store for Words {
        fn word(&mut self, index: usize, value: u64) {
            assert_eq!(index, self.0.len());
            self.0.push(value);
        }
        fn halves(&mut self, index: usize, low: u64, high: u64) {
            self.word(index, crate::words::Halves::pack(low, high));
        }
        fn at(&mut self, index: usize, code: u64, kind: u64) {
            self.word(index, At::pack(code, kind));
        }
    }

    fn read(code: EventCode, payload: impl Payload) -> Event {
        let mut words = Words(Vec::new());
        payload.store(&mut words);
        assert_eq!(words.0.len() + 1, code.words());
        assert!(is_short(code));
        let event = Event::decode(code, &words.0);
        let (long, count) = at_length(code, &words.0);
        assert_eq!(count + 1, event_code(code).words());
        assert_eq!(Event::decode(event_code(code), &long[..count]), event);
        event
    }

    #[test]
    fn every_status_comes_back_or_has_no_short_form() {
        for status in 1..=8 {
            let code = Schedule::code(status).expect("a short form");
            let event = TaskSchedule { prior: 5, next: 6, status: status.into() };
            assert_eq!(read(code, Schedule { prior: 5, next: 6 }), Event::TaskSchedule(event));
        }
        for status in [0, 9, 255, 256, u32::MAX] {
            assert_eq!(Schedule::code(status), None, "{status}");
        }
    }

    #[test]
    fn all_flags_come_back_or_have_no_short_form() {
        let event =
            |flags, kind| TaskCreate { code: 0x7fff_1234, kind, task: 1, new_task: 2, flags };
        for bit in 0..33 {
            for flags in [1 << bit, (1 << bit) | 4 | 1 << 28] {
                let event = event(flags, 0);
                let short = Create::of(&event);
                assert_eq!(short.is_some(), bit < 4 || (27..32).contains(&bit), "bit {bit}");
                if let Some(short) = short {
                    assert_eq!(read(Create::CODE, short), Event::TaskCreate(event));
                }
            }
        }
        assert!(Create::of(&event(4, 1)).is_none());
    }

    #[test]
    fn other_codes_report_what_they_say() {
        for code in EventCode::all() {
            assert!(!is_short(code) && event_code(code) == code);
        }
    }
}
