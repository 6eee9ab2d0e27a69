//! Disks that are full, slow, read-only or gone, and /dev/shm likewise.

use super::*;
use std::fs;

use ompttrace_tests::{oracle, traced};

// Errors of Linux, by their numbers.
const EIO: &str = "5";
const ESTALE: &str = "116";
const EDQUOT: &str = "122";

/// Puts the preloaded disk under a folder: its size in bytes, if any, and microseconds for a write.
pub fn preload(command: &mut Command, folder: &Path, bytes: Option<u64>, delay: u64) -> Result<()> {
    let source = build::root().join("tests/starvation/disk.c");
    let flags = ["-O1", "-fPIC", "-shared", "-ldl"];
    let disk = oracle::compiled(&[source], "starvation/libdisk.so", &flags)?;
    runtimes::prepend(command, "LD_PRELOAD", &disk);
    command.env("DISK_PATH", folder).env("DISK_DELAY", delay.to_string());
    if let Some(bytes) = bytes {
        command.env("DISK_BYTES", bytes.to_string());
    }
    Ok(())
}

/// Mounts a real disk of this size for the program alone; false where that is not permitted.
fn mount(command: &mut Command, folder: &Path, options: &str) -> Result<bool> {
    let ways: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    let mount = format!("mount -t tmpfs -o {options} none '{}'", folder.display());
    // The disk goes with the program: what it holds is taken out before.
    let keep = format!("cp -r '{}'/run.* \"$KEPT\" 2>/dev/null", folder.display());
    for way in ways {
        let mut first = Command::new("unshare");
        first.args(way).args(["sh", "-c"]);
        let mut trial = Command::new("unshare");
        trial.args(way).args(["sh", "-c", &mount]);
        if trial.output()?.status.success() {
            first.arg(format!("{mount} && \"$0\" \"$@\"; end=$?; {keep}; exit $end"));
            before(first, command);
            return Ok(true);
        }
    }
    Ok(false)
}

/// The run folders of a disk that full, on a real disk where one can be mounted.
fn on_full_disk(bytes: u64, real: bool) -> Result<Starved> {
    starved(4000, |scratch, command| {
        let folder = scratch.path().join("disk");
        fs::create_dir(&folder)?;
        // On a busy machine the program takes a hundred times as long, and what is recorded of cores would fill the disk.
        command.env("OMPTTRACE_CORES", "off");
        command.env("OMPTTRACE_OUTPUT", folder.join("run.%p")).env("KEPT", scratch.path());
        let options = format!("size={}k", bytes / 1024);
        if !real || !mount(command, &folder, &options)? {
            preload(command, &folder, Some(bytes), 0)?;
            within("trap 'cp -r disk/run.* .' EXIT; \"$0\" \"$@\"; exit", command);
        }
        Ok(())
    })
}

#[test]
fn full() -> Result<()> {
    for real in [true, false] {
        let starved = on_full_disk(480 << 10, real).with_context(|| format!("real: {real}"))?;
        let reported = starved.states_losses().with_context(|| format!("real: {real}"))?;
        ensure!(reported.recorded > 1000, "{reported:?}");
        let folder = starved.folder()?;
        let export = Product::find()?.export(&folder)?;
        ensure!(number(&export, "/lost")? >= 3 * reported.lost, "{export}");
        ensure!(!folder.join("recording.json.new").exists(), "a draft is left");
    }
    Ok(())
}

/// There is no room for anything but the first facts: every record is lost, and the line says so.
#[test]
fn full_from_the_beginning() -> Result<()> {
    for real in [true, false] {
        let starved = on_full_disk(4 << 10, real).with_context(|| format!("real: {real}"))?;
        let (lost, missing) = (starved.said_lost()?, 3 * starved.counted()?);
        // Other events are lost as well, but few.
        ensure!((missing..missing + 200).contains(&lost), "{lost} of {missing}, real: {real}");
        let reported = starved.reported()?;
        ensure!(reported.recorded == 0 && reported.lost == reported.counted, "{reported:?}");
        let drafts = fs::read_dir(starved.folder()?)?.flatten().map(|entry| entry.file_name());
        let is_draft = |name: &std::ffi::OsString| name.to_string_lossy().ends_with(".new");
        ensure!(!drafts.collect::<Vec<_>>().iter().any(is_draft), "a draft is left");
    }
    Ok(())
}

/// The disk has no room even for the facts of the run: the recording does not begin, and leaves no files.
#[test]
fn full_before_the_beginning() -> Result<()> {
    let starved = starved(10, |scratch, command| {
        preload(command, &scratch.path().join("run."), Some(100), 0)
    })?;
    let stderr = &starved.run.stderr;
    ensure!(stderr.contains("No space left") && stderr.contains("untraced"), "{stderr}");
    ensure!(stderr.lines().count() == 1, "{stderr}");
    let names = starved.scratch.names()?;
    ensure!(names.iter().all(|name| !name.starts_with("run.")), "{names:?}");
    Ok(())
}

/// A file system that cannot preallocate, as NFS before 4.2: buffers in the run folder get their room by writing, and
/// where there is none the line says so.
#[test]
fn buffers_without_preallocation() -> Result<()> {
    for (bytes, is_recorded) in [(None, true), (Some(100), false)] {
        let starved = starved(10, |scratch, command| {
            command.env("OMPTTRACE_BUFFER", "4K@run").env("DISK_NO_FALLOCATE", "1");
            preload(command, &scratch.path().join("run."), bytes, 0)
        })?;
        if is_recorded {
            starved.is_whole()?;
            continue;
        }
        let stderr = &starved.run.stderr;
        ensure!(stderr.contains("No space left") && stderr.contains("untraced"), "{stderr}");
    }
    Ok(())
}

/// The user's quota is used up, on a file system that not even writes over what is there. The facts stay
/// those of the beginning; what was lost is reported by the buffers, which stay, wherever they go.
#[test]
fn quota() -> Result<()> {
    let starved = starved(4000, |scratch, command| {
        command.env("DISK_ERROR", EDQUOT);
        preload(command, &scratch.path().join("run."), Some(480 << 10), 0)
    })?;
    let (reported, stderr) = (starved.reported()?, &starved.run.stderr);
    ensure!(reported.lost > 0 && reported.recorded > 1000, "{reported:?}");
    let naming = stderr.lines().filter(|line| line.contains("the disk quota is used up")).count();
    ensure!(naming == 1 && stderr.contains("lost and counted"), "{stderr}");
    ensure!(starved.said_lost()? >= 3 * reported.lost, "{reported:?}\n{stderr}");
    let folder = starved.folder()?;
    let pool = || traced::pool_of(&folder)?.context("a run has a pool");
    ensure!(pool()?.is_file() && !pool()?.starts_with(&folder));
    let export = Product::find()?.export(&folder)?;
    ensure!(number(&export, "/lost")? >= 3 * reported.lost, "{export}");
    ensure!(pool()?.is_file() && pool()?.starts_with(&folder));
    ensure!(starved.reported()?.lost == reported.lost);
    Ok(())
}

/// From the middle of the run on every write fails: earlier events are in the recording, and all others are counted as lost.
#[test]
fn failing() -> Result<()> {
    for (error, words) in [(EIO, "the disk fails"), (ESTALE, "no longer knows the file")] {
        let starved = starved(4000, |scratch, command| {
            command.env("DISK_ERROR", error).env("DISK_WHILE", scratch.path().join("failing"));
            command.env("BETWEEN", "touch failing");
            preload(command, &scratch.path().join("run."), Some(0), 0)
        })?;
        let (reported, stderr) = (starved.reported()?, &starved.run.stderr);
        // The first of two regions, except for what was in the buffers.
        ensure!(
            reported.recorded > reported.counted / 4 && reported.lost > reported.counted / 4,
            "{reported:?}"
        );
        ensure!(stderr.lines().filter(|line| line.contains(words)).count() == 1, "{stderr}");
        ensure!(starved.said_lost()? >= 3 * reported.lost, "{reported:?}\n{stderr}");
    }
    Ok(())
}

/// Fails, works and fails again: what the threads reported of the first losses while it worked is not reported once
/// more at the end.
#[test]
fn failing_twice() -> Result<()> {
    let starved = starved(4000, |scratch, command| {
        let failing = scratch.path().join("failing");
        command.env("DISK_ERROR", EIO).env("DISK_WHILE", &failing).env("OMPTTRACE_BUFFER", "16K");
        command.env("BEFORE", "touch failing").env("BETWEEN", "rm failing");
        command.env("AFTER", "touch failing");
        preload(command, &scratch.path().join("run."), Some(0), 0)
    })?;
    let (reported, said) = (starved.reported()?, starved.said_lost()?);
    ensure!(reported.recorded > 0 && said > 0 && said < reported.lost, "{said} said, {reported:?}");
    ensure!(
        losses(&starved.folder()?)?.reported + said >= 3 * reported.lost,
        "{said} said, {reported:?}"
    );
    Ok(())
}

/// The program leaves while its threads continue: the line makes no count of what is still being counted.
#[test]
fn failing_in_midst_of_a_region() -> Result<()> {
    let starved = starved(2000, |scratch, command| {
        command.env("DISK_ERROR", EIO).env("DISK_WHILE", scratch.path().join("failing"));
        command.env("AFTER", "touch failing").env("LEAVE", "1");
        preload(command, &scratch.path().join("run."), Some(0), 0)
    })?;
    let stderr = &starved.run.stderr;
    let lines = || stderr.lines().filter(|line| line.contains("cannot be updated"));
    ensure!(
        lines().count() == 1 && lines().all(|line| line.contains("in the buffers")),
        "{stderr}"
    );
    let (read, info) = (losses(&starved.folder()?)?, Product::find()?.info(&starved.folder()?)?);
    ensure!(read.unreported > 0 && info["closed"] == false, "{read:?}\n{info}");
    Ok(())
}

#[test]
fn full_for_a_while() -> Result<()> {
    let starved = starved(4000, |scratch, command| {
        let full = scratch.path().join("full");
        fs::write(&full, "")?;
        preload(command, &scratch.path().join("run."), Some(480 << 10), 0)?;
        command.env("DISK_WHILE", &full).env("BETWEEN", "rm full");
        Ok(())
    })?;
    let reported = starved.states_losses()?;
    // The second region found room again, and the trace too.
    ensure!(reported.recorded > reported.counted / 2, "{reported:?}");
    ensure!(starved.folder()?.join("trace.pftrace").is_file(), "{}", starved.run.stderr);
    Ok(())
}

#[test]
fn slow() -> Result<()> {
    let starved = starved(2000, |scratch, command| {
        preload(command, &scratch.path().join("run."), None, 2000)
    })?;
    starved.is_whole()?;
    let info = Product::find()?.info(&starved.folder()?)?;
    ensure!(number(&info, "/waits/count")? > 10, "{info}");
    Ok(())
}

/// Root may write anywhere, so where we are root the program runs without that right: as nobody else,
/// who might not get at the program, below a home folder.
#[test]
fn read_only() -> Result<()> {
    let starved = starved(10, |scratch, command| {
        let folder = scratch.path().join("closed");
        fs::create_dir(&folder)?;
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))
        };
        mode(&folder, 0o555)?;
        command.env("OMPTTRACE_OUTPUT", folder.join("run")).env_remove("OWN_COUNTS");
        if fs::write(folder.join("we are root"), "").is_ok() {
            let mut powerless = Command::new("setpriv");
            let rights = "-dac_override,-dac_read_search";
            powerless.args(["--bounding-set", rights, "--inh-caps", rights]);
            before(powerless, command);
        }
        Ok(())
    })?;
    let stderr = &starved.run.stderr;
    ensure!(stderr.contains("Permission denied") && stderr.contains("untraced"), "{stderr}");
    ensure!(stderr.lines().count() == 1, "{stderr}");
    Ok(())
}

/// Runs while a shell does this between the regions.
fn between_regions(what: &str) -> Result<Starved> {
    starved(2000, |_, command| {
        command.env("BETWEEN", what);
        Ok(())
    })
    .with_context(|| what.to_string())
}

/// The folder goes: the program ends as it would, the reason is reported, and nothing replaces it.
#[test]
fn taken_away() -> Result<()> {
    let starved = between_regions("rm -r run.*")?;
    let (stderr, names) = (&starved.run.stderr, starved.scratch.names()?);
    ensure!(stderr.contains("cannot be updated: No such file"), "{stderr}");
    ensure!(stderr.lines().count() == 3, "{stderr}");
    ensure!(names.iter().all(|name| name.starts_with("own.")), "{names:?}");
    Ok(())
}

/// The folder is empty all at once: the trace begins anew, and its line does not pass for the whole.
#[test]
fn emptied() -> Result<()> {
    let starved = between_regions("rm run.*/*")?;
    let stderr = &starved.run.stderr;
    ensure!(stderr.contains("3 event files were removed while the program ran"), "{stderr}");
    ensure!(stderr.contains("events.2 (0 of ") && stderr.lines().count() == 3, "{stderr}");
    ensure!(starved.folder()?.join("trace.pftrace").is_file(), "{stderr}");
    Ok(())
}

/// Files that are open go on being written, wherever it is now; so do the facts, and the trace.
#[test]
fn moved_and_closed() -> Result<()> {
    between_regions("chmod 0 run.*")?.is_whole()?;
    between_regions("rm run.*/recording.json")?.is_whole()?;
    let starved = between_regions("mv run.* else")?;
    let reported = starved.reported()?;
    ensure!(starved.folder()?.ends_with("else") && reported.lost == 0, "{reported:?}");
    ensure!(starved.folder()?.join("trace.pftrace").is_file(), "{}", starved.run.stderr);
    Ok(())
}

/// A container's /dev/shm is small, some have none that can be written.
#[test]
fn shared_memory() -> Result<()> {
    for (bytes, options) in [(0, "ro"), (20 << 10, "size=20k"), (200 << 10, "size=200k")] {
        for real in [true, false] {
            let starved = starved(2000, |_, command| {
                let shm = Path::new("/dev/shm");
                if !real || !mount(command, shm, options)? {
                    preload(command, &shm.join("ompttrace."), Some(bytes), 0)?;
                }
                Ok(())
            })?;
            starved.is_whole().with_context(|| format!("{options}, real: {real}"))?;
        }
    }
    Ok(())
}

/// Signals that come into our system calls cost nothing: neither records nor the pool's location.
#[test]
fn interrupted() -> Result<()> {
    for files in [Some("/dev/shm/ompttrace."), None] {
        let starved = starved(2000, |scratch, command| {
            let run = scratch.path().join("run.");
            preload(command, files.map_or(run.as_path(), Path::new), None, 0)?;
            command.env("DISK_INTERRUPTS", "1");
            Ok(())
        })?;
        starved.is_whole()?;
        let pool = traced::pool_of(&starved.folder()?)?.context("a run has a pool")?;
        ensure!(pool.starts_with("/dev/shm"), "{}", pool.display());
    }
    Ok(())
}

/// The recording names the final path of its pool.
#[test]
fn shared_memory_is_left_where_it_is_small() -> Result<()> {
    let starved = starved(10, |_, command| preload(command, Path::new("/dev/shm/"), Some(0), 0))?;
    let pool = traced::pool_of(&starved.folder()?)?.context("a run has a pool")?;
    ensure!(pool.starts_with(starved.scratch.path()), "{}", pool.display());
    Ok(())
}
