//! The entry points of libgomp, by family.

use crate::entry_point::Entry;

mod barrier;
mod cancel;
mod critical;
mod dependences;
mod doacross;
mod errors;
mod locks;
mod loops;
mod loops_ull;
mod nest_locks;
mod ordered;
mod parallel;
mod scope;
mod sections;
mod single;
mod target;
mod taskloop;
mod tasks;
mod taskwait;
mod teams;

pub(crate) use tasks::schedule;

/// Tables of all entry points, by family.
pub(crate) const TABLES: &[&[&Entry]] = &[
    barrier::TABLE,
    cancel::TABLE,
    critical::TABLE,
    doacross::TABLE,
    errors::TABLE,
    locks::TABLE,
    loops::TABLE,
    loops::NEXT,
    loops_ull::TABLE,
    nest_locks::TABLE,
    ordered::TABLE,
    parallel::TABLE,
    parallel::LOOPS,
    parallel::OLD,
    scope::TABLE,
    sections::TABLE,
    single::TABLE,
    target::TABLE,
    taskloop::TABLE,
    tasks::TABLE,
    taskwait::TABLE,
    teams::TABLE,
];

/// The tables at the symbol by which [`libgomp`](crate::libgomp) finds them.
static ALL: &[&[&Entry]] = TABLES;

core::arch::global_asm!(
    ".pushsection .data.rel.ro.ompttrace_libgomp_entries,\"aw\",@progbits",
    ".p2align 3",
    ".globl ompttrace_libgomp_entries",
    ".hidden ompttrace_libgomp_entries",
    ".type ompttrace_libgomp_entries,@object",
    "ompttrace_libgomp_entries:",
    ".quad {all}",
    ".size ompttrace_libgomp_entries, 8",
    ".popsection",
    all = sym ALL,
);
