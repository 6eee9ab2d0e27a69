//! The callbacks of the interface, by family.

mod closing;
pub(crate) mod control;
mod device;
mod mutex;
mod parallel;
pub(crate) mod stack;
mod sync;
mod target;
mod task;
mod thread;
mod work;

use crate::table::CallbackEntry;

pub(crate) use closing::UNRECORDED;

/// All rows, family by family.
pub(crate) const TABLES: &[&[CallbackEntry]] = &[
    thread::TABLE,
    thread::END,
    parallel::TABLE,
    parallel::IMPLICIT,
    task::TASKS,
    task::TABLE,
    work::WORK,
    work::TABLE,
    sync::TABLE,
    closing::TABLE,
    mutex::TABLE,
    control::TABLE,
    control::TOOL,
    device::TABLE,
    target::TABLE,
];
