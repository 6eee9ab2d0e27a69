//! Events of a location in batches of one size, which are used again: lists that grew for each location and window, in memory
//! that was new each time, took up to a tenth of an export's time.

use ompttrace_model::{Collective, MpiEvent, ObjectCall, Pool};

use crate::op::{Attribute, ListRef, Op, Otf2Event};

/// Events of a batch at most. A location that has few takes as much memory, in each window that is made.
const EVENTS: usize = 256;
/// Attributes for which a batch keeps memory: more than most have.
const ATTRIBUTES: usize = 8 * EVENTS;

/// Consecutive events of one location.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub ops: Vec<Op>,
    pub attributes: Vec<Attribute>,
    /// The records of MPI, by the index in their operations.
    pub messages: Vec<MpiRecord>,
}

/// A record of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MpiRecord {
    Event(MpiEvent),
    /// The end of a collective operation.
    CollectiveEnd(Collective),
    /// The end of a call that was given a window or a file.
    ObjectCallEnd(ObjectCall),
}

/// Batches that were encoded, to be filled again.
#[derive(Clone, Debug, Default)]
pub(crate) struct BatchPool(Pool<Batch>);

impl BatchPool {
    fn take(&self) -> Batch {
        let mut batch = self.0.take();
        batch.ops.reserve_exact(EVENTS);
        batch
    }

    /// Takes batches back; what is in them is gone.
    pub(crate) fn give_back(&self, batches: impl IntoIterator<Item = Batch>) {
        let emptied = batches.into_iter().map(|mut batch: Batch| {
            batch.ops.clear();
            batch.attributes.clear();
            batch.messages.clear();
            if batch.attributes.capacity() > ATTRIBUTES {
                batch.attributes = Vec::new();
            }
            batch
        });
        self.0.give_back(emptied);
    }
}

/// Events of a location until they are handed over.
#[derive(Debug)]
pub(crate) struct Batches {
    pool: BatchPool,
    full: Vec<Batch>,
    /// The batch to which events are added; it has no memory for them before the first one.
    last: Batch,
}

impl Batches {
    pub(crate) fn new(pool: &BatchPool) -> Batches {
        Batches { pool: pool.clone(), full: Vec::new(), last: Batch::default() }
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, op: Op) {
        let ops = &mut self.last.ops;
        if ops.len() == ops.capacity() {
            return self.add_first(op);
        }
        ops.push(op);
    }

    /// Adds the first event of a batch.
    #[cold]
    #[inline(never)]
    fn add_first(&mut self, op: Op) {
        self.begin_batch();
        self.last.ops.push(op);
    }

    /// Keeps attributes for the event that is added next.
    pub(crate) fn list(&mut self, attributes: &[Attribute]) -> ListRef {
        self.make_room();
        let first = self.last.attributes.len() as u32;
        self.last.attributes.extend_from_slice(attributes);
        ListRef { first, count: attributes.len() as u32 }
    }

    /// Adds a record of MPI.
    pub(crate) fn add_message(&mut self, at: u64, record: MpiRecord) {
        self.make_room();
        let index = self.last.messages.len() as u32;
        self.last.messages.push(record);
        self.last.ops.push(Op { at, what: Otf2Event::Mpi(index) });
    }

    /// An event and its attributes are in one batch.
    #[inline]
    fn make_room(&mut self) {
        if self.last.ops.len() == self.last.ops.capacity() {
            self.begin_batch();
        }
    }

    #[cold]
    fn begin_batch(&mut self) {
        let last = std::mem::replace(&mut self.last, self.pool.take());
        if !last.ops.is_empty() {
            self.full.push(last);
        }
    }

    /// Takes the batches since the last call.
    pub(crate) fn take(&mut self) -> Vec<Batch> {
        let mut batches = std::mem::take(&mut self.full);
        if !self.last.ops.is_empty() {
            batches.push(std::mem::take(&mut self.last));
        }
        batches
    }

    /// Discards the events since the last call of `take`.
    pub(crate) fn clear(&mut self) {
        let batches = self.take();
        self.pool.give_back(batches);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Value;

    fn enter(batches: &mut Batches, number: u32) {
        let attribute = Attribute { key: number, value: Value::Unsigned(number.into()) };
        let list = batches.list(&[attribute, attribute]);
        batches.add(Op { at: number.into(), what: Otf2Event::EnterWith(number, list) });
    }

    #[test]
    fn all_events_come_in_order_with_their_attributes() {
        let mut batches = Batches::new(&BatchPool::default());
        let count = 3 * EVENTS as u32 + 5;
        (0..count).for_each(|number| enter(&mut batches, number));
        let mut expected = 0..count;
        for Batch { ops, attributes, .. } in batches.take() {
            assert!(ops.len() <= EVENTS);
            for Op { what, .. } in ops {
                let Otf2Event::EnterWith(region, ListRef { first, count: 2 }) = what else {
                    unreachable!("{what:?}")
                };
                assert_eq!(expected.next(), Some(region));
                assert!(attributes[first as usize..][..2].iter().all(|one| one.key == region));
            }
        }
        assert_eq!(expected.next(), None);
        assert!(batches.take().is_empty());
    }

    #[test]
    fn batches_are_used_again() {
        let pool = BatchPool::default();
        let mut batches = Batches::new(&pool);
        enter(&mut batches, 1);
        pool.give_back(batches.take());
        // A new one has no memory for attributes.
        let Batch { ops, attributes, .. } = pool.take();
        assert!(ops.is_empty() && attributes.is_empty() && attributes.capacity() > 0);
        assert_eq!(pool.take().attributes.capacity(), 0);
    }

    #[test]
    fn long_lists_do_not_stay() {
        let pool = BatchPool::default();
        let mut batches = Batches::new(&pool);
        let attribute = Attribute { key: 1, value: Value::Unsigned(1) };
        batches.list(&vec![attribute; 2 * ATTRIBUTES]);
        batches.add(Op { at: 1, what: Otf2Event::Enter(1) });
        let used = batches.last.ops.as_ptr();
        batches.clear();
        let Batch { ops, attributes, .. } = pool.take();
        assert_eq!(ops.as_ptr(), used);
        assert!(attributes.capacity() <= ATTRIBUTES);
    }
}
