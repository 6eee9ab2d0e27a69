//! Description of the traced process: program, arguments, host, cores.

use crate::{arguments, fork_of, surroundings};
use ompttrace_recorder::Owner;
use ompttrace_recording::facts::Process;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Path of the program's file.
pub(crate) fn executable() -> PathBuf {
    std::fs::read_link("/proc/self/exe").unwrap_or_else(|_| PathBuf::from("program"))
}

/// Name of the program's file without its folder.
pub(crate) fn name() -> OsString {
    executable().file_name().map_or_else(|| "program".into(), OsString::from)
}

/// Name of the host, without slashes.
pub(crate) fn host() -> OsString {
    let mut bytes = vec![0u8; 256];
    // SAFETY: the buffer has the length that is passed.
    unsafe { libc::gethostname(bytes.as_mut_ptr().cast(), bytes.len()) };
    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(0);
    bytes.truncate(length);
    // A host name goes into file names.
    bytes.retain(|byte| *byte != b'/');
    OsString::from_vec(bytes)
}

/// All of it, for the recording; `rank` is the process's number in an MPI program of `ranks`, `started_by` names the
/// `ompttrace run` that it was started under.
pub(crate) fn facts((rank, ranks): (Option<u32>, Option<u32>), started_by: &str) -> Process {
    let owner = Owner::this();
    Process {
        pid: owner.pid,
        start: owner.start,
        pid_namespace: owner.pid_namespace,
        time_namespace: owner.time_namespace,
        // SAFETY: a system call without arguments that cannot fail.
        parent: unsafe { libc::getppid() } as u32,
        fork_of: fork_of::of_this(),
        executable: executable().to_string_lossy().into_owned(),
        arguments: arguments::at_load(),
        argument_bytes: arguments::bytes_at_exec().unwrap_or(0),
        host: host().to_string_lossy().into_owned(),
        cores: surroundings::cores(),
        rank,
        ranks,
        started_by: started_by.to_owned(),
    }
}
