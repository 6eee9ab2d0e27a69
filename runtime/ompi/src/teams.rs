//! Teams that were requested of the execution entity library, by the value that ORT hands to their threads ("secret"):
//! by it the threads find their region. A forked process has the teams of its parent.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Maximum number of teams at a time; threads of further ones are not known to be in a region.
const MOST: usize = 256;
/// Minimum distance between secrets, which are addresses of large objects, in bytes.
const APART: usize = 64;
/// Values instead of a secret: for a free slot, and for one that is being filled.
const FREE: usize = 0;
const TAKEN: usize = 1;

/// A team: ORT's secret, its region's id, and its number of threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team {
    pub(crate) secret: usize,
    pub(crate) region: u64,
    pub(crate) size: u64,
}

struct Slot {
    secret: AtomicUsize,
    region: AtomicU64,
    size: AtomicU64,
}

static SLOTS: [Slot; MOST] = [const {
    Slot { secret: AtomicUsize::new(FREE), region: AtomicU64::new(0), size: AtomicU64::new(0) }
}; MOST];

/// All slots, beginning with the one at which a secret is looked up first.
fn from(secret: usize) -> impl Iterator<Item = &'static Slot> {
    let (before, rest) = SLOTS.split_at(secret / APART % MOST);
    rest.iter().chain(before)
}

/// Adds a team that is about to be created.
pub(crate) fn add(team: Team) {
    if team.secret <= TAKEN {
        return;
    }
    let is_mine = |slot: &&Slot| {
        slot.secret.compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
    };
    if let Some(slot) = from(team.secret).find(is_mine) {
        slot.region.store(team.region, Ordering::Relaxed);
        slot.size.store(team.size, Ordering::Relaxed);
        slot.secret.store(team.secret, Ordering::Release);
    }
}

/// The team with this secret, if it has not ended.
pub(crate) fn of(secret: usize) -> Option<Team> {
    let known = secret > TAKEN;
    let slot = from(secret).find(|slot| known && slot.secret.load(Ordering::Acquire) == secret)?;
    let (region, size) = (slot.region.load(Ordering::Relaxed), slot.size.load(Ordering::Relaxed));
    Some(Team { secret, region, size })
}

/// Removes a team that has ended.
pub(crate) fn remove(secret: usize, region: u64) {
    let is_it = |slot: &&Slot| {
        slot.secret.load(Ordering::Acquire) == secret
            && slot.region.load(Ordering::Relaxed) == region
    };
    if secret > TAKEN
        && let Some(slot) = from(secret).find(is_it)
    {
        slot.secret.store(FREE, Ordering::Release);
    }
}
