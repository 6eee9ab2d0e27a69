//! The regions of each lock, remembered so that an event needs no look-up by source location.

use ompttrace_model::ompt::Mutex;
use ompttrace_model::{Lock, LockEvent, NameRef, SliceKind, SourceRef};

use crate::ids::RegionId;
use crate::tables::DefinitionTables;
use crate::tables::kinds::Shape;

/// These regions have no name in the timeline.
const NO_NAME: NameRef = NameRef::MAX;

/// The regions of the last source location where a lock was acquired and where it was given back.
#[derive(Clone, Copy, Debug, Default)]
struct LastRegions {
    /// Name of the lock, by which its construct is called.
    name: NameRef,
    acquired: Option<(Mutex, SourceRef, (RegionId, Option<RegionId>))>,
    released: Option<(Mutex, SourceRef, RegionId)>,
}

/// All locks.
#[derive(Debug, Default)]
pub(crate) struct LockRegions {
    locks: Vec<LastRegions>,
    /// Names of locks, by the names of the waits for them.
    waited_for: Vec<NameRef>,
}

impl LockRegions {
    /// Number of locks that are known.
    pub(crate) fn count(&self) -> usize {
        self.locks.len()
    }

    /// Adds a lock, with its name.
    pub(crate) fn define(&mut self, lock: &Lock) {
        self.known(lock.lock).name = lock.held_name;
        let index = lock.wait_name as usize;
        if self.waited_for.len() <= index {
            self.waited_for.resize(index + 1, NO_NAME);
        }
        self.waited_for[index] = lock.held_name;
    }

    /// The construct in which a thread waits, in a slice of this name.
    #[inline]
    pub(crate) fn construct(
        &self,
        tables: &mut DefinitionTables,
        kind: Mutex,
        wait_name: NameRef,
        source: SourceRef,
    ) -> RegionId {
        let name = self.waited_for.get(wait_name as usize).copied().unwrap_or(NO_NAME);
        tables.region(Shape::Construct(kind), name, source)
    }

    /// The construct and its block, or the function that sets the lock.
    #[inline]
    pub(crate) fn of(
        &mut self,
        tables: &mut DefinitionTables,
        event: LockEvent,
    ) -> (RegionId, Option<RegionId>) {
        let LockEvent { lock, kind, source } = event;
        let known = self.known(lock);
        match known.acquired {
            Some((of, at, regions)) if (of, at) == (kind, source) => regions,
            _ => {
                let (region, block) = if kind.is_lock() {
                    let set = Shape::Slice(SliceKind::MutexWait(kind));
                    (tables.region(set, NO_NAME, source), None)
                } else {
                    let block = tables.region(Shape::Block(kind), NO_NAME, source);
                    (tables.region(Shape::Construct(kind), known.name, source), Some(block))
                };
                known.acquired = Some((kind, source, (region, block)));
                (region, block)
            }
        }
    }

    /// The function that gives the lock back.
    #[inline]
    pub(crate) fn unlock(&mut self, tables: &mut DefinitionTables, event: LockEvent) -> RegionId {
        let LockEvent { lock, kind, source } = event;
        let known = self.known(lock);
        match known.released {
            Some((of, at, region)) if (of, at) == (kind, source) => region,
            _ => {
                let region = tables.region(Shape::Unlock(kind), NO_NAME, source);
                known.released = Some((kind, source, region));
                region
            }
        }
    }

    fn known(&mut self, lock: u32) -> &mut LastRegions {
        let index = lock as usize;
        if self.locks.len() <= index {
            self.locks.resize(index + 1, LastRegions::default());
        }
        &mut self.locks[index]
    }
}
