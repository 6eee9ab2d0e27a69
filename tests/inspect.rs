//! `ompttrace inspect`: what hangs is seen to hang, in the program's own lines, on every runtime, while it hangs and
//! after it was killed; what is busy goes on and ends as without a look.

#[cfg(target_arch = "x86_64")]
#[path = "inspect/attach.rs"]
mod attach;
#[path = "inspect/busy.rs"]
mod busy;
#[cfg(target_arch = "x86_64")]
#[path = "inspect/cores.rs"]
mod cores;
#[path = "inspect/hanging.rs"]
mod hanging;
#[path = "inspect/hangs.rs"]
mod hangs;
#[cfg(target_arch = "x86_64")]
#[path = "inspect/ompd.rs"]
mod ompd;
#[cfg(target_arch = "x86_64")]
#[path = "inspect/refusals.rs"]
mod refusals;
#[path = "inspect/uninterruptible.rs"]
mod uninterruptible;
