//! The number of threads with which reading a recording is fastest.

use rustix::process::{Resource, getrlimit};
use std::num::NonZero;
use std::thread::available_parallelism;

/// Addresses that a thread may take: its stack, and the heap that glibc gives to each thread (128 MiB while it is made),
/// with what it allocates there.
const ADDRESSES: u64 = 256 << 20;

/// One thread for each core that the process may use, and fewer if it may use few addresses (`ulimit -v`).
#[must_use]
pub fn usable_cores() -> NonZero<usize> {
    let cores = available_parallelism().map_or(1, NonZero::get);
    let most = getrlimit(Resource::As).current.map_or(cores, |most| (most / ADDRESSES) as usize);
    NonZero::new(cores.min(most)).unwrap_or(NonZero::<usize>::MIN)
}
