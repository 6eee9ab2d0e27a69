//! The end of a process that is not our child, as the kernel reports it for a pidfd since Linux 6.15
//! (`PIDFD_GET_INFO` in include/uapi/linux/pidfd.h).

use rustix::fd::{AsFd, AsRawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// `struct pidfd_info` as its first version has it.
#[derive(Default)]
#[repr(C)]
struct Info {
    /// The fields that are asked for, and then those that were filled in.
    mask: u64,
    cgroup: u64,
    /// Numbers of process, thread, parent, users and groups.
    ids: [u32; 11],
    /// Status of the process as wait() returns it.
    exit_code: i32,
}

/// `PIDFD_INFO_EXIT`.
const EXIT: u64 = 1 << 3;
/// `PIDFD_GET_INFO`: `_IOWR(0xff, 11, struct pidfd_info)`.
const GET_INFO: libc::Ioctl =
    0xc000_ff0b_u32 as libc::Ioctl | (size_of::<Info>() << 16) as libc::Ioctl;

/// Exit status of the process; `None` if it has not ended, its parent has not waited for it, or the kernel does not
/// report it.
pub fn exit_status(pidfd: impl AsFd) -> Option<ExitStatus> {
    let mut info = Info { mask: EXIT, ..Info::default() };
    // SAFETY: the request writes at most as many bytes as its number states, which are those of `info`, and any bytes are a
    // value of its fields.
    let answer = unsafe { libc::ioctl(pidfd.as_fd().as_raw_fd(), GET_INFO, &raw mut info) };
    let is_known = answer == 0 && info.mask & EXIT != 0;
    is_known.then(|| ExitStatus::from_raw(info.exit_code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use std::process::Command;

    #[test]
    fn a_process_that_was_waited_for_says_how_it_ended_or_nothing() {
        for (line, status) in [("exit 3", 3 << 8), ("kill -9 $$", 9)] {
            let mut child = Command::new("sh").args(["-c", line]).spawn().expect("started");
            let handle = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).expect("a pidfd");
            child.wait().expect("waited");
            let found = exit_status(&handle).map(ExitStatus::into_raw);
            assert!(found.is_none_or(|found| found == status), "{line}: {found:?}");
        }
    }
}
