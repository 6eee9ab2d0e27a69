//! Facts that are reported while the recording is paused, as at MPI_Init in a program that starts its recording later: they are recorded
//! when it goes on.

use ompttrace_life::Origin;
use ompttrace_mpi_interface::{Clock, World};
use ompttrace_recorder::{Locked, State, state};

/// The last of each.
#[derive(Clone, Copy)]
struct Facts {
    world: Option<World>,
    clock: Option<Clock>,
}

const NONE: Facts = Facts { world: None, clock: None };

static FACTS: Locked<Facts> = Locked::new(NONE);

/// True if the recording is paused: the world is kept then.
pub(crate) fn keeps_world(world: &World) -> bool {
    keeps(|facts| facts.world = Some(*world))
}

/// True if the recording is paused: the comparison is kept then.
pub(crate) fn keeps_clock(clock: &Clock) -> bool {
    keeps(|facts| facts.clock = Some(*clock))
}

/// The state is looked at while the lock is held: a command that ends the pause changes it before it takes what is kept.
fn keeps(keep: impl FnOnce(&mut Facts)) -> bool {
    let kept = FACTS.with(|facts| {
        let is_paused = state() == State::Paused;
        if is_paused {
            keep(facts);
        }
        is_paused
    });
    kept.unwrap_or(false)
}

/// A command has changed the recorder's state: records what was kept if events are recorded again.
pub(crate) fn on_command(state: State, _: Origin) {
    if state != State::Recording {
        return;
    }
    let Some(Facts { world, clock }) = FACTS.with(|facts| core::mem::replace(facts, NONE)) else {
        return;
    };
    world.iter().for_each(crate::report::put_world);
    clock.iter().for_each(crate::report::put_clock);
}
