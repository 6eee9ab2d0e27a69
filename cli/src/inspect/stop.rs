//! Stops a thread of another process for as long as its registers and its stack are copied, and lets it continue.
//!
//! PTRACE_SEIZE sends no signal, and the kernel lets the thread continue by itself if the thread of ours that attached
//! to it ends before it has detached. Each copy is made by a thread of its own, which ends with it: so a thread that
//! the kernel keeps meanwhile (state D), and that would stop later, is released at once, too. The kernel restarts a
//! system call that the stop interrupts, except the few that return EINTR according to signal(7).

use super::memory::{Memory, StackCopy};
use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use ompttrace_ompd::CoreThread;
use std::time::{Duration, Instant};

/// Maximum time for a thread to stop: one that the kernel keeps (state D) does not.
const PATIENCE: Duration = Duration::from_millis(200);

/// A thread's registers, as far as unwinding needs them.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    pub pc: u64,
    pub sp: u64,
    pub fp: u64,
    #[cfg(target_arch = "aarch64")]
    pub lr: u64,
}

impl From<CoreThread> for Registers {
    fn from(core: CoreThread) -> Registers {
        let CoreThread { pc, sp, fp, .. } = core;
        Registers {
            pc,
            sp,
            fp,
            // Core files of such a machine are not read.
            #[cfg(target_arch = "aarch64")]
            lr: 0,
        }
    }
}

/// Registers and stack of a thread when it was stopped.
pub struct Stopped {
    pub registers: Registers,
    pub stack: StackCopy,
}

/// Stops a thread and copies its registers and stack; returns the reason in words if that fails.
pub fn look(thread: u32, memory: &Memory<'_>) -> Result<Stopped, String> {
    std::thread::scope(|scope| {
        let look = std::thread::Builder::new().name("look".to_owned());
        let look = look.spawn_scoped(scope, || look_here(thread, memory));
        let looked = look.map_err(|error| error.to_string())?.join();
        looked.unwrap_or_else(|_| Err("reading it failed".to_owned()))
    })
}

/// Stops a thread and copies its registers and stack, on the calling thread.
fn look_here(thread: u32, memory: &Memory<'_>) -> Result<Stopped, String> {
    let pid = Pid::from_raw(thread as i32);
    ptrace::seize(pid, Options::empty()).map_err(refused)?;
    // From here on the thread is let go on whatever happens, at the latest when this thread of ours ends.
    let mut seized = Seized { pid, signal: None, is_stopped: false };
    ptrace::interrupt(pid).map_err(|error| error.to_string())?;
    seized.wait()?;
    let registers = registers(pid).map_err(|error| error.to_string())?;
    let stack = memory.copy_stack(registers.sp);
    Ok(Stopped { registers, stack })
}

/// A thread that we are attached to.
struct Seized {
    pid: Pid,
    /// A signal that was pending when the thread stopped, and is passed on.
    signal: Option<Signal>,
    is_stopped: bool,
}

impl Seized {
    fn wait(&mut self) -> Result<(), String> {
        let started = Instant::now();
        let flags = WaitPidFlag::__WALL | WaitPidFlag::WNOHANG;
        loop {
            match waitpid(self.pid, Some(flags)) {
                Ok(WaitStatus::StillAlive) | Err(Errno::EINTR) => {}
                Ok(WaitStatus::Stopped(_, signal)) => {
                    (self.signal, self.is_stopped) = (Some(signal), true);
                    return Ok(());
                }
                Ok(WaitStatus::PtraceEvent(..) | WaitStatus::PtraceSyscall(_)) => {
                    self.is_stopped = true;
                    return Ok(());
                }
                Ok(_) => return Err("the thread has ended".to_owned()),
                Err(error) => return Err(error.to_string()),
            }
            if started.elapsed() > PATIENCE {
                let (limit, why) = (
                    PATIENCE.as_millis(),
                    "it gets no core, or is blocked in the kernel (state D)",
                );
                return Err(format!("it did not stop within {limit} ms: {why}"));
            }
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

impl Drop for Seized {
    fn drop(&mut self) {
        // One that did not stop cannot be left by a call: it is when this thread ends.
        if self.is_stopped {
            let _ = ptrace::detach(self.pid, self.signal);
        }
    }
}

fn refused(error: Errno) -> String {
    match error {
        Errno::EPERM => "the kernel does not allow reading its registers: another debugger is attached, or only \
            root or the process's parent may read them (/proc/sys/kernel/yama/ptrace_scope)"
            .to_owned(),
        Errno::ESRCH => "the thread has ended".to_owned(),
        error => error.to_string(),
    }
}

/// The registers of a thread that is stopped.
#[cfg(target_arch = "x86_64")]
pub fn registers(pid: Pid) -> nix::Result<Registers> {
    let all = ptrace::getregs(pid)?;
    Ok(Registers { pc: all.rip, sp: all.rsp, fp: all.rbp })
}

/// The registers of a thread that is stopped.
#[cfg(target_arch = "aarch64")]
pub fn registers(pid: Pid) -> nix::Result<Registers> {
    let all = ptrace::getregs(pid)?;
    Ok(Registers { pc: all.pc, sp: all.sp, fp: all.regs[29], lr: all.regs[30] })
}
