//! The entry points of ORT, by family.

mod barrier;
mod cancel;
mod control;
mod critical;
pub(crate) mod immediate;
pub(crate) mod library;
mod life;
mod locks;
pub(crate) mod loops;
mod nest_locks;
mod ordered;
mod parallel;
mod reduction;
mod sections;
mod single;
mod target;
pub(crate) mod tasks;
mod taskwait;
mod teams;

/// An address in the code of the file that contains ORT.
pub(crate) fn ort_code() -> u64 {
    parallel::ort_execute_parallel::real as *const () as u64
}
