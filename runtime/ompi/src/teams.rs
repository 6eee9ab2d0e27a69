//! Teams that the execution entity library has been asked for, by what ORT hands to their members ("secret"): the
//! members find in here which region they are in. A forked process finds what its parent had.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Teams at one time; members of further ones are not known to be in a region.
const MOST: usize = 256;
/// How far secrets, which are addresses of large things, lie apart at least.
const APART: usize = 64;
/// In place of a secret: nobody's place, and one that is being filled.
const FREE: usize = 0;
const TAKEN: usize = 1;

/// A team.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team {
    pub(crate) secret: usize,
    pub(crate) region: u64,
    pub(crate) size: u64,
}

struct Place {
    secret: AtomicUsize,
    region: AtomicU64,
    size: AtomicU64,
}

static PLACES: [Place; MOST] = [const {
    Place { secret: AtomicUsize::new(FREE), region: AtomicU64::new(0), size: AtomicU64::new(0) }
}; MOST];

/// All places, from the one on where a secret is looked for.
fn from(secret: usize) -> impl Iterator<Item = &'static Place> {
    let (before, rest) = PLACES.split_at(secret / APART % MOST);
    rest.iter().chain(before)
}

/// A team is about to be created.
pub(crate) fn add(team: Team) {
    if team.secret <= TAKEN {
        return;
    }
    let is_mine = |place: &&Place| {
        place.secret.compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
    };
    if let Some(place) = from(team.secret).find(is_mine) {
        place.region.store(team.region, Ordering::Relaxed);
        place.size.store(team.size, Ordering::Relaxed);
        place.secret.store(team.secret, Ordering::Release);
    }
}

/// The team of this secret, which is not over.
pub(crate) fn of(secret: usize) -> Option<Team> {
    let known = secret > TAKEN;
    let place =
        from(secret).find(|place| known && place.secret.load(Ordering::Acquire) == secret)?;
    let (region, size) = (place.region.load(Ordering::Relaxed), place.size.load(Ordering::Relaxed));
    Some(Team { secret, region, size })
}

/// It is over.
pub(crate) fn remove(secret: usize, region: u64) {
    let is_it = |place: &&Place| {
        place.secret.load(Ordering::Acquire) == secret
            && place.region.load(Ordering::Relaxed) == region
    };
    if secret > TAKEN
        && let Some(place) = from(secret).find(is_it)
    {
        place.secret.store(FREE, Ordering::Release);
    }
}
