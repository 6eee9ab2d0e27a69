//! Operations of target constructs: which construct caused what a device does, and whether it copies the same memory again.

use crate::construct_table::ConstructRef;
use ompttrace_model::ompt::DataOp;
use ompttrace_model::{ArgKey, HostOperations, Slice, SliceKind};
use rustc_hash::FxHashSet;

/// Pieces of memory that are found again; what is copied beyond these counts as copied once.
const MOST_PIECES: usize = 1 << 18;

/// Cause of an activity: an operation of the host.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) construct: ConstructRef,
    /// True if the same memory of the host was copied in this direction before.
    pub(super) is_repeated: bool,
}

/// Memory of the host that is copied: the direction, the address and the bytes.
type Piece = (bool, u64, u64);

#[derive(Debug, Default)]
pub(super) struct Operations {
    known: HostOperations<Operation>,
    copied: FxHashSet<Piece>,
}

impl Operations {
    pub(super) fn begins(&mut self, slice: &Slice<'_>, construct: ConstructRef) {
        let is_repeated = piece(slice).is_some_and(|piece| self.is_copied_again(piece));
        self.known.begins(slice, || Operation { construct, is_repeated });
    }

    fn is_copied_again(&mut self, piece: Piece) -> bool {
        if self.copied.len() >= MOST_PIECES {
            return self.copied.contains(&piece);
        }
        !self.copied.insert(piece)
    }

    /// The operation that caused an activity.
    pub(super) fn of_activity(&self, slice: &Slice<'_>) -> Option<Operation> {
        self.known.of_activity(slice)
    }
}

/// The memory of the host that an operation copies; none where it is unknown.
fn piece(slice: &Slice<'_>) -> Option<Piece> {
    use DataOp::*;
    let SliceKind::DataOp(operation) = slice.kind else { return None };
    let to_device = match operation {
        TransferToDevice | TransferToDeviceAsync => true,
        TransferFromDevice | TransferFromDeviceAsync => false,
        _ => return None,
    };
    let address = if to_device { ArgKey::Source } else { ArgKey::Destination };
    let address = slice.number(address).filter(|address| *address != 0)?;
    Some((to_device, address, slice.number(ArgKey::Bytes)?))
}
