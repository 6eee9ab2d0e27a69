//! The regions of each lock, remembered so that an event needs no look-up by place.

use ompttrace_timeline::{LockEvent, NameRef, PlaceRef, SliceKind};

use crate::book::Book;
use crate::book::kinds::Shape;
use crate::ids::RegionId;

/// These regions have no name in the timeline.
const NO_NAME: NameRef = NameRef::MAX;

/// The regions of the last place where a lock was acquired and where it was given back.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    acquired: Option<(u64, PlaceRef, (RegionId, Option<RegionId>))>,
    released: Option<(u64, PlaceRef, RegionId)>,
}

/// All locks.
#[derive(Debug, Default)]
pub(crate) struct LockRegions(Vec<Known>);

/// Whether a kind of mutex (ompt_mutex_t) is a construct with a block, not a lock.
pub(crate) fn is_construct(kind: u64) -> bool {
    kind >= 5
}

impl LockRegions {
    /// The construct and its block, or the function that sets the lock.
    #[inline]
    pub(crate) fn of(&mut self, book: &mut Book, event: LockEvent) -> (RegionId, Option<RegionId>) {
        let LockEvent { lock, kind, source } = event;
        let known = self.known(lock);
        match known.acquired {
            Some((of, at, regions)) if (of, at) == (kind, source) => regions,
            _ => {
                let region = book.region(Shape::Slice(SliceKind::MutexWait(kind)), NO_NAME, source);
                let block =
                    is_construct(kind).then(|| book.region(Shape::Block(kind), NO_NAME, source));
                known.acquired = Some((kind, source, (region, block)));
                (region, block)
            }
        }
    }

    /// The function that gives the lock back.
    #[inline]
    pub(crate) fn unlock(&mut self, book: &mut Book, event: LockEvent) -> RegionId {
        let LockEvent { lock, kind, source } = event;
        let known = self.known(lock);
        match known.released {
            Some((of, at, region)) if (of, at) == (kind, source) => region,
            _ => {
                let region = book.region(Shape::Unlock(kind), NO_NAME, source);
                known.released = Some((kind, source, region));
                region
            }
        }
    }

    fn known(&mut self, lock: u32) -> &mut Known {
        let place = lock as usize;
        if self.0.len() <= place {
            self.0.resize(place + 1, Known::default());
        }
        &mut self.0[place]
    }
}
