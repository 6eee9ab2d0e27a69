//! Test whether any process, in whichever namespaces, can still write a pool.
//!
//! The kernel answers by a read lease (fcntl(2)), which is granted while no process has the file open for writing. A
//! mapping counts as that until it goes, with the process or with an exec, although its descriptor was closed:
//! a lock on the file would be dropped by a program that closes all descriptors (closefrom), and would live on in
//! any child that inherits one. A forked child has the mapping too.

use rustix::fs::fstatfs;
use std::fs::File;
use std::os::fd::AsRawFd;

/// The kernel's numbers of file systems that no other machine writes: tmpfs, ext2 to ext4, XFS, Btrfs.
const LOCAL: [u32; 4] = [0x0102_1994, 0xef53, 0x5846_5342, 0x9123_683e];

/// Command of fcntl(2) that sets the signal of a broken lease; the `libc` crate lacks it.
const F_SETSIG: libc::c_int = 10;

/// True if a process has `file`, which we have open for reading only, open or mapped for writing. `None` if the kernel
/// does not report that: the file may be another user's, or on a file system that several machines share.
pub fn is_written(file: &File) -> Option<bool> {
    let asked = lease(file, libc::F_RDLCK);
    match asked {
        Ok(()) => {
            let _ = lease(file, libc::F_UNLCK);
            // Elsewhere another machine may write it.
            fstatfs(file)
                .is_ok_and(|system| LOCAL.contains(&(system.f_type as u32)))
                .then_some(false)
        }
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Some(true),
        Err(_) => None,
    }
}

fn lease(file: &File, kind: i32) -> std::io::Result<()> {
    // If another process opens the file for writing while we have the lease, the kernel sends us a signal: one that is
    // ignored, for the lease goes at once in any case.
    // SAFETY: plain system calls on a descriptor that is open during the calls.
    let done = unsafe {
        libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGURG);
        libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, kind)
    };
    if done == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// A file in memory, and one on the disk.
    fn files() -> [tempfile::NamedTempFile; 2] {
        [Path::new("/dev/shm"), &std::env::temp_dir()]
            .map(|folder| tempfile::NamedTempFile::new_in(folder).expect("a file"))
    }

    #[test]
    fn a_process_that_writes_the_file_is_found() {
        for written in files() {
            let file = File::open(written.path()).expect("opened");
            assert_eq!(is_written(&file), Some(true));
        }
    }

    #[test]
    fn readers_do_not_count() {
        let [in_memory, on_disk] = files().map(tempfile::NamedTempFile::into_temp_path);
        let open = |path| File::open::<&Path>(path).expect("opened");
        let _other = open(&on_disk);
        assert_ne!(is_written(&open(&on_disk)), Some(true));
        let _other = open(&in_memory);
        assert_eq!(is_written(&open(&in_memory)), Some(false));
    }
}
