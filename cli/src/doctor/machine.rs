//! Room in memory and on the disk, and what was built in.

use super::finding::{Finding, Level};
use std::io;
use std::path::Path;

/// Size of the buffers of 64 threads, in bytes: if less is free, buffers are in the run folder.
const BUFFERS: u64 = 64 * 40 * 1024;
/// Size of a recording of about ten million events, in bytes.
const ROOM: u64 = 1 << 30;

pub fn findings() -> Vec<Finding> {
    let yama = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
    let is_root = rustix::process::geteuid().is_root();
    vec![
        shared_memory(free(Path::new("/dev/shm"))),
        disk(free(Path::new("."))),
        otf2(),
        inspection(yama.ok().as_deref(), is_root),
    ]
}

/// Version and system: for readers of the output on another machine.
pub fn system() -> Finding {
    let names = rustix::system::uname();
    let word = |name: &std::ffi::CStr| name.to_string_lossy().into_owned();
    let kernel = [names.sysname(), names.release(), names.machine()].map(word).join(" ");
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.unwrap_or("unknown distribution").trim_matches('"');
    let text = format!("ompttrace {}; {name}; {kernel}", env!("CARGO_PKG_VERSION"));
    Finding::new(Level::Good, "system", text)
}

/// Free bytes of the file system at `path`, and all its bytes.
fn free(path: &Path) -> io::Result<(u64, u64)> {
    let status = rustix::fs::statvfs(path)?;
    let bytes = |blocks: u64| blocks.saturating_mul(status.f_frsize);
    Ok((bytes(status.f_bavail), bytes(status.f_blocks)))
}

fn shared_memory(free: io::Result<(u64, u64)>) -> Finding {
    let instead = "the buffers will be in the run folder, which costs more";
    let (level, text) = match free {
        Ok((free, all)) if free >= BUFFERS => {
            (Level::Good, format!("{} free of {}", size(free), size(all)))
        }
        Ok((free, all)) => {
            (Level::Note, format!("{} free of {}: {instead}", size(free), size(all)))
        }
        Err(error) => (Level::Note, format!("{error}: {instead}")),
    };
    Finding::new(level, "/dev/shm", text)
}

fn disk(free: io::Result<(u64, u64)>) -> Finding {
    let elsewhere = "choose another folder with --output or OMPTTRACE_OUTPUT";
    let (level, text) = match free {
        Ok((free, _)) if free >= ROOM => {
            (Level::Good, format!("{} free in the working folder", size(free)))
        }
        Ok((free, _)) => {
            (Level::Note, format!("only {} free in the working folder: {elsewhere}", size(free)))
        }
        Err(error) => (Level::Problem, format!("the working folder: {error}: {elsewhere}")),
    };
    Finding::new(level, "disk", text)
}

fn otf2() -> Finding {
    match cfg!(feature = "otf2") {
        true => Finding::new(Level::Good, "OTF2", "built in"),
        false => Finding::new(Level::Note, "OTF2", "not built in: build with the feature `otf2`"),
    }
}

/// Finding about call stacks and OMPD in `ompttrace inspect`; `yama` is none where the kernel has no such rule.
fn inspection(yama: Option<&str>, is_root: bool) -> Finding {
    let all_else = "`ompttrace inspect` shows everything except call stacks and data from OMPD";
    let allow = "root can allow them with `sysctl kernel.yama.ptrace_scope=0`";
    let (level, text) = match (yama.map_or("0", str::trim), is_root) {
        ("3", _) => (Level::Note, format!("{all_else}: ptrace is switched off (Yama)")),
        ("0", _) | (_, true) => {
            (Level::Good, "`ompttrace inspect` can read call stacks and use OMPD".to_owned())
        }
        ("1", false) => {
            (Level::Note, format!("{all_else} of processes that it did not start (Yama); {allow}"))
        }
        _ => (Level::Note, format!("{all_else} (Yama); {allow}")),
    };
    Finding::new(level, "inspect", text)
}

fn size(bytes: u64) -> String {
    indicatif::BinaryBytes(bytes).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permission_to_read_call_stacks_is_reported() {
        for (yama, is_root, level) in [
            (None, false, Level::Good),
            (Some("0\n"), false, Level::Good),
            (Some("1\n"), false, Level::Note),
            (Some("1\n"), true, Level::Good),
            (Some("3\n"), true, Level::Note),
        ] {
            assert_eq!(inspection(yama, is_root).level, level, "{yama:?} {is_root}");
        }
    }

    #[test]
    fn little_room_is_reported_with_what_to_do() {
        let cases = [(BUFFERS, Level::Good), (BUFFERS - 1, Level::Note), (0, Level::Note)];
        for (free, level) in cases {
            assert_eq!(shared_memory(Ok((free, 1 << 30))).level, level, "{free}");
        }
        for (free, level) in [(ROOM, Level::Good), (ROOM - 1, Level::Note)] {
            let finding = disk(Ok((free, 1 << 40)));
            assert_eq!(finding.level, level, "{free}");
            assert_eq!(finding.text.contains("--output"), level != Level::Good);
        }
        let gone = || Err(io::ErrorKind::NotFound.into());
        assert_eq!(disk(gone()).level, Level::Problem);
        assert_eq!(shared_memory(gone()).level, Level::Note);
    }
}
