//! Teams that the execution entity library has been asked for, by what ORT hands to their threads ("secret"): the
//! threads find in here which region they are in. A forked process finds what its parent had.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Teams at one time; threads of further ones are not known to be in a region.
const MOST: usize = 256;
/// How far secrets, which are addresses of large things, lie apart at least.
const APART: usize = 64;
/// In place of a secret: a free slot, and one that is being filled.
const FREE: usize = 0;
const TAKEN: usize = 1;

/// A team.
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

/// All slots, from the one on where a secret is looked for.
fn from(secret: usize) -> impl Iterator<Item = &'static Slot> {
    let (before, rest) = SLOTS.split_at(secret / APART % MOST);
    rest.iter().chain(before)
}

/// A team is about to be created.
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

/// The team of this secret, which is not over.
pub(crate) fn of(secret: usize) -> Option<Team> {
    let known = secret > TAKEN;
    let slot = from(secret).find(|slot| known && slot.secret.load(Ordering::Acquire) == secret)?;
    let (region, size) = (slot.region.load(Ordering::Relaxed), slot.size.load(Ordering::Relaxed));
    Some(Team { secret, region, size })
}

/// It is over.
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
