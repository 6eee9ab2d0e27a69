//! Words that an adapter keeps for the calling thread, where the runtime's own may not contain them.

use crate::blocks::block::IN_USE;
use crate::blocks::tls;
use crate::host::sync::Ordering;
use ompttrace_recording::Id;

/// Keeps an id until [`take_kept`]; of two, the second. A thread without a block has none to keep.
#[inline(always)]
pub fn keep(id: Id) {
    let private = &tls::block().private;
    // The blocks of threads that have none are shared.
    if private.magic.load(Ordering::Relaxed) == IN_USE {
        private.kept.store(id.0, Ordering::Relaxed);
    }
}

/// The id that the calling thread kept, [`Id::NONE`] if it kept none or has taken it already.
#[inline(always)]
pub fn take_kept() -> Id {
    let private = &tls::block().private;
    let kept = private.kept.load(Ordering::Relaxed);
    if kept != 0 {
        private.kept.store(0, Ordering::Relaxed);
    }
    Id(kept)
}

/// The team that [`keep_team`] keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptTeam {
    /// The region.
    pub region: Id,
    /// Number of threads in the region's team.
    pub size: u64,
    /// The thread's number among them.
    pub thread_num: u64,
}

/// Keeps the team of the implicit task `of`, whose id is kept as well.
pub fn keep_team(of: Id, team: KeptTeam) {
    let private = &tls::block().private;
    if private.magic.load(Ordering::Relaxed) == IN_USE {
        let words = [of.0, team.region.0, team.size << 32 | team.thread_num];
        private.kept_team.iter().zip(words).for_each(|(word, value)| {
            word.store(value, Ordering::Relaxed);
        });
    }
}

/// The id that the calling thread keeps, and its team if that was kept with it.
pub fn kept() -> (Id, Option<KeptTeam>) {
    let private = &tls::block().private;
    let [of, region, packed] = [0, 1, 2]
        .map(|at| private.kept_team.get(at).map_or(0, |word| word.load(Ordering::Relaxed)));
    let kept = private.kept.load(Ordering::Relaxed);
    let team =
        KeptTeam { region: Id(region), size: packed >> 32, thread_num: packed & 0xffff_ffff };
    (Id(kept), (kept == of).then_some(team))
}

/// Keeps the id of the task that the current event leaves for another task.
pub fn leave(task: Id) {
    let private = &tls::block().private;
    if private.magic.load(Ordering::Relaxed) == IN_USE {
        private.left.store(task.0, Ordering::Relaxed);
    }
}

/// The id of the task that [`leave`] kept last.
pub fn left() -> Id {
    Id(tls::block().private.left.load(Ordering::Relaxed))
}

/// The code address of the construct by which `task` creates tasks now, as the calling thread remembers it by
/// [`set_creates_at`]; `None`: not known.
pub fn creates_at(task: Id) -> Option<u64> {
    let private = &tls::block().private;
    let known = !task.is_none() && private.creator.load(Ordering::Relaxed) == task.0;
    known.then(|| private.creates_at.load(Ordering::Relaxed))
}

/// Remembers for the calling thread that `task` creates tasks at a code address; [`Id::NONE`]: no task does any more.
pub fn set_creates_at(task: Id, address: u64) {
    let private = &tls::block().private;
    if private.magic.load(Ordering::Relaxed) == IN_USE {
        private.creates_at.store(address, Ordering::Relaxed);
        private.creator.store(task.0, Ordering::Relaxed);
    }
}
