//! Barriers. GCC's code calls the same function for a `barrier` directive and for the implicit one that ends a
//! `single` or a static loop, so they are not distinguished.

use crate::entries::scope;
use crate::entry::entries;
use crate::report::{kind, waiting};

entries! { TABLE;
    [GOMP_barrier] () |call, real| {
        scope::ends(&call);
        waiting(&call, kind::BARRIER, || real())
    }
    [GOMP_barrier_cancel] () -> bool |call, real| {
        waiting(&call, kind::BARRIER, || real())
    }
}
