//! A process that executes another program, started as posix_spawn does it, by system calls alone: it runs in this process's memory
//! until it has executed the program, on a stack of its own, while the calling thread waits.

use crate::signals::{Action, SET_BYTES, change};
use crate::system::call;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;

/// The program to be executed and its surroundings.
pub struct Child<'a> {
    /// Path of the program.
    pub program: &'a CStr,
    /// Its arguments, ended by null.
    pub arguments: &'a [*const c_char],
    /// Its environment, ended by null.
    pub environment: &'a [*const c_char],
    /// The folder that it starts in, if it can be entered.
    pub folder: &'a CStr,
    /// True where its descriptor 2 is to lead nowhere.
    pub is_silent: bool,
}

/// Units of 16 bytes of its stack, which is a part of the caller's: there may be no memory for another one. Its few functions take
/// a twentieth of it.
const STACK: usize = 512;
/// Signals of the kernel.
const SIGNALS: std::ops::RangeInclusive<c_int> = 1..=64;

/// The task of the new process.
struct Task<'a> {
    child: &'a Child<'a>,
    /// The error's number of an execve that failed, negative.
    failed: isize,
}

/// Starts the process and waits until it has executed the program; returns its id, or the error's number. No signal is blocked, those with
/// handlers get their default action, ignored ones stay ignored, as is SIGXFSZ: a file that may not grow is an error.
pub fn start(child: &Child<'_>) -> Result<c_int, c_int> {
    let mut task = Task { child, failed: 0 };
    let mut stack = [MaybeUninit::<u128>::uninit(); STACK];
    let top = stack.as_mut_ptr_range().end;
    let (all, mut before) = (u64::MAX, 0u64);
    // SAFETY: the new process has the stack for itself, and all that it reads lives until it has executed or ended, for which the
    // call waits. The program's handlers must not run in it: signals are blocked until it has reset them.
    let process = unsafe {
        mask(&all, Some(&mut before));
        let process = clone(top.cast(), execute, (&raw mut task).cast());
        mask(&before, None);
        process
    };
    if process > 0 && task.failed != 0 {
        // SAFETY: waits for the process that has just ended.
        unsafe { call(libc::SYS_wait4, [process as usize, 0, 0, 0, 0, 0]) };
    }
    match (process, task.failed) {
        (process, 0) if process > 0 => Ok(process as c_int),
        (process, 0) => Err(-process as c_int),
        (_, failed) => Err(-failed as c_int),
    }
}

/// Sets the thread's mask of signals.
unsafe fn mask(new: &u64, before: Option<&mut u64>) {
    let new = std::ptr::from_ref(new).expose_provenance();
    let before = before.map_or(0, |set| std::ptr::from_mut(set).expose_provenance());
    let how = libc::SIG_SETMASK as usize;
    // SAFETY: both words live during the call.
    unsafe { call(libc::SYS_rt_sigprocmask, [how, new, before, SET_BYTES, 0, 0]) };
}

/// The new process's work.
unsafe extern "C" fn execute(task: *mut c_void) -> ! {
    // SAFETY: `start` passes its task and waits.
    unsafe {
        let task = &mut *task.cast::<Task<'_>>();
        reset_signals();
        let folder = task.child.folder.as_ptr().expose_provenance();
        call(libc::SYS_chdir, [folder, 0, 0, 0, 0, 0]);
        if task.child.is_silent {
            silence();
        }
        mask(&0, None);
        task.failed = call(
            libc::SYS_execve,
            [
                task.child.program.as_ptr().expose_provenance(),
                task.child.arguments.as_ptr().expose_provenance(),
                task.child.environment.as_ptr().expose_provenance(),
                0,
                0,
                0,
            ],
        );
        loop {
            call(libc::SYS_exit_group, [127, 0, 0, 0, 0, 0]);
        }
    }
}

/// Handlers are the program's functions; what is ignored stays ignored.
unsafe fn reset_signals() {
    for signal in SIGNALS {
        let mut found = Action::default();
        // SAFETY: actions that call no function.
        unsafe {
            if signal == libc::SIGXFSZ {
                change(signal, Some(&Action::ignore()), &mut found);
            } else if change(signal, None, &mut found) == 0 && found.handler != libc::SIG_IGN {
                change(signal, Some(&Action::default()), &mut found);
            }
        }
    }
}

/// Descriptor 2 leads to /dev/null.
unsafe fn silence() {
    let (here, null) = (libc::AT_FDCWD as usize, c"/dev/null".as_ptr().expose_provenance());
    // SAFETY: descriptors of the new process, which has a table of its own.
    unsafe {
        call(libc::SYS_close, [2, 0, 0, 0, 0, 0]);
        let opened = call(libc::SYS_openat, [here, null, libc::O_WRONLY as usize, 0, 0, 0]);
        if opened >= 0 && opened != 2 {
            call(libc::SYS_dup3, [opened as usize, 2, 0, 0, 0, 0]);
            call(libc::SYS_close, [opened as usize, 0, 0, 0, 0, 0]);
        }
    }
}

/// vfork with a stack of its own for the new process, which calls `work`; its id, or an error's number, negative.
unsafe fn clone(
    stack: *mut c_void,
    work: unsafe extern "C" fn(*mut c_void) -> !,
    argument: *mut c_void,
) -> isize {
    let flags = (libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD) as usize;
    let process: isize;
    // SAFETY: the caller's stack, function and argument. In the calling process only the registers named here change; the new one
    // never leaves `work`.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r13",
            "call r12",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone as isize => process,
            in("rdi") flags, in("rsi") stack, in("rdx") 0, in("r10") 0, in("r8") 0,
            in("r12") work, in("r13") argument,
            lateout("rcx") _, lateout("r11") _,
        );
    }
    // SAFETY: the same.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x21",
            "blr x20",
            "brk 1",
            "2:",
            in("x8") libc::SYS_clone,
            inlateout("x0") flags as isize => process,
            in("x1") stack, in("x2") 0, in("x3") 0, in("x4") 0,
            in("x20") work, in("x21") argument,
        );
    }
    process
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(program: &CStr, script: &CStr, is_silent: bool) -> Result<c_int, c_int> {
        let arguments = [c"sh".as_ptr(), c"-c".as_ptr(), script.as_ptr(), std::ptr::null()];
        let environment = [c"WORD=passed".as_ptr(), std::ptr::null()];
        let (arguments, environment) = (&arguments[..], &environment[..]);
        let process =
            start(&Child { program, arguments, environment, folder: c"/proc", is_silent })?;
        let mut status = 0;
        // SAFETY: waits for the process just started; the status is on this stack.
        unsafe { libc::waitpid(process, &raw mut status, 0) };
        Ok(libc::WEXITSTATUS(status))
    }

    #[test]
    fn a_program_has_its_arguments_and_surroundings() {
        let script = c"test \"$WORD\" = passed && test \"$(pwd)\" = /proc && exit 7";
        assert_eq!(run(c"/bin/sh", script, false), Ok(7));
        let script = c"test \"$(readlink /proc/self/fd/2)\" = /dev/null && exit 8";
        assert_eq!(run(c"/bin/sh", script, true), Ok(8));
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        assert_eq!(run(c"/nowhere/sh", c"", false), Err(libc::ENOENT));
    }
}
