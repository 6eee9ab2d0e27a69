//! The entry points of libgomp, by family.

use crate::entry::Entry;

mod barrier;
mod cancel;
mod critical;
mod doacross;
mod locks;
mod loops;
mod loops_ull;
mod nest_locks;
mod ordered;
mod parallel;
mod sections;
mod single;
mod target;
mod taskloop;
mod tasks;
mod taskwait;
mod teams;

pub(crate) use tasks::schedule;

/// All of them.
pub(crate) const TABLES: &[&[&Entry]] = &[
    barrier::TABLE,
    cancel::TABLE,
    critical::TABLE,
    doacross::TABLE,
    locks::TABLE,
    loops::TABLE,
    loops::NEXT,
    loops_ull::TABLE,
    nest_locks::TABLE,
    ordered::TABLE,
    parallel::TABLE,
    parallel::LOOPS,
    parallel::OLD,
    sections::TABLE,
    single::TABLE,
    target::TABLE,
    taskloop::TABLE,
    tasks::TABLE,
    taskwait::TABLE,
    teams::TABLE,
];
