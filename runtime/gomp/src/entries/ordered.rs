//! Ordered sections of a loop.

use crate::call::Call;
use crate::entry::entries;
use crate::report::{acquire, acquired, kind, released};

/// The wait id of all ordered sections of a region, since its loops cannot be distinguished.
fn wait_id(call: &Call) -> u64 {
    call.task().region.get()
}

entries! { TABLE;
    [GOMP_ordered_start] () |call, real| {
        let id = wait_id(&call);
        acquire(&call, kind::ORDERED, id);
        real();
        acquired(&call, kind::ORDERED, id);
    }
    [GOMP_ordered_end] () |call, real| {
        real();
        released(&call, kind::ORDERED, wait_id(&call));
    }
}
