//! Confinement of a process of ours that loads code of others: that code reaches neither the terminal nor the open files of
//! whoever started the command, gets no further rights, and ends with the command.

use anyhow::{Context, Result};
use rustix::process::{Signal, set_parent_process_death_signal, setsid};
use std::fs;

/// The first descriptor after stdin, stdout and stderr.
const FIRST: u32 = 3;

/// Confines this process, which has opened no files and loaded no code yet.
pub fn confine() -> Result<()> {
    end_with_parent()?;
    rustix::thread::set_no_new_privs(true)?;
    // A terminal takes typed input from every process of its session.
    setsid().context("no session of its own")?;
    close_inherited().context("inherited descriptors cannot be closed")
}

/// Has the kernel kill this process when its parent ends. A change of user or group undoes it.
pub fn end_with_parent() -> Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Closes file descriptors that other programs kept open across exec.
fn close_inherited() -> Result<()> {
    // SAFETY: no value of this process owns a descriptor from `FIRST` on: it has opened no files yet.
    let closed = unsafe { libc::syscall(libc::SYS_close_range, FIRST, u32::MAX, 0) };
    if closed == 0 {
        return Ok(());
    }
    // Kernels before 5.9 have no such call, and some containers refuse it.
    let entries = fs::read_dir("/proc/self/fd").context("/proc/self/fd")?;
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let open: Vec<i32> = numbers.filter(|number| *number >= FIRST as i32).collect();
    for number in open {
        // SAFETY: as above; the folder's own descriptor is closed by now, and closing it again is an error without effect.
        unsafe { libc::close(number) };
    }
    Ok(())
}
