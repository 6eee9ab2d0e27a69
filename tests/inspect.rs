//! `ompttrace inspect`: what hangs is seen to hang, in the program's own lines, on every runtime, while it hangs and
//! after it was killed; what is busy goes on and ends as without a look.

#[cfg(target_arch = "x86_64")]
mod attach;
mod busy;
#[cfg(target_arch = "x86_64")]
mod cores;
mod hanging;
mod hangs;
#[cfg(target_arch = "x86_64")]
mod ompd;
#[cfg(target_arch = "x86_64")]
mod refusals;
mod uninterruptible;
