//! The time from MPI_Init to MPI_Finalize: what is done once at its begin and once at its end, also while nothing is recorded,
//! for all ranks take part.

use crate::abi::{self, Handle};
use crate::{clocks, communicators, members, participants, status, tool};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use ompttrace_mpi_interface::Ranks;

/// MPI_Init has succeeded, and MPI_Finalize was not called yet.
static IS_OPEN: AtomicBool = AtomicBool::new(false);
/// The ranks that were found to be recorded; 0: not known.
static RECORDED: AtomicU32 = AtomicU32::new(0);

/// MPI_Init or MPI_Init_thread has succeeded.
pub(crate) fn begins() {
    let Some(tool) = tool::known() else { return };
    if IS_OPEN.swap(true, Ordering::Relaxed) {
        return;
    }
    status::find();
    members::find();
    communicators::world(tool);
    let place = communicators::rank_and_size(abi::own(Handle::World));
    let agreement = clocks::at_init(tool, place);
    let recorded = agreement.and_then(|agreement| agreement.ranks).unwrap_or(0);
    RECORDED.store(recorded, Ordering::Relaxed);
}

/// MPI_Finalize is called.
pub(crate) fn ends() {
    let Some(tool) = tool::known() else { return };
    if !IS_OPEN.swap(false, Ordering::Relaxed) {
        return;
    }
    clocks::at_finalize(tool);
    participants::end();
    let (rank, size) = communicators::rank_and_size(abi::own(Handle::World));
    (tool.ends)(&Ranks { rank, size, recorded: RECORDED.load(Ordering::Relaxed) });
}
