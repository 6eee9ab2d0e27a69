//! Disks that are full, slow, read-only or gone, and /dev/shm likewise.

use super::*;
use std::fs;
use std::path::Path;

use ompttrace_tests::{oracle, traced};

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
        let starved = on_full_disk(120 << 10, real).with_context(|| format!("real: {real}"))?;
        let told = starved.states_losses().with_context(|| format!("real: {real}"))?;
        ensure!(told.recorded > 1000, "{told:?}");
        let folder = starved.folder()?;
        let export = Product::find()?.export(&folder)?;
        ensure!(number(&export, "/lost")? >= 3 * told.lost, "{export}");
        ensure!(!folder.join("recording.json.new").exists(), "a draft is left");
    }
    Ok(())
}

/// There is no room for anything: nothing but the program's own end is asked for.
#[test]
fn full_from_the_beginning() -> Result<()> {
    for real in [true, false] {
        let starved = on_full_disk(4 << 10, real).with_context(|| format!("real: {real}"))?;
        let stderr = &starved.run.stderr;
        ensure!(stderr.contains("lost") || stderr.contains("untraced"), "{stderr}");
    }
    Ok(())
}

/// Not even the facts of the run can be written: it does not begin, and leaves nothing.
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

#[test]
fn full_for_a_while() -> Result<()> {
    let starved = starved(4000, |scratch, command| {
        let full = scratch.path().join("full");
        fs::write(&full, "")?;
        preload(command, &scratch.path().join("run."), Some(120 << 10), 0)?;
        command.env("DISK_WHILE", &full).env("AMID", "rm full");
        Ok(())
    })?;
    let told = starved.states_losses()?;
    // The second region found room again, and the trace too.
    ensure!(told.recorded > told.counted / 2, "{told:?}");
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

#[test]
fn taken_away() -> Result<()> {
    for what in
        ["rm -r run.*", "rm run.*/*", "mv run.* else", "chmod 0 run.*", "rm run.*/recording.json"]
    {
        let starved = starved(2000, |_, command| {
            command.env("AMID", what);
            Ok(())
        })
        .with_context(|| what.to_string())?;
        let stderr = &starved.run.stderr;
        ensure!((1..=3).contains(&stderr.lines().count()), "{what}: {stderr}");
    }
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

/// Where the pool lies in the end is told.
#[test]
fn shared_memory_is_left_where_it_is_small() -> Result<()> {
    let starved = starved(10, |_, command| preload(command, Path::new("/dev/shm/"), Some(0), 0))?;
    let pool = traced::pool_of(&starved.folder()?)?.context("a run has a pool")?;
    ensure!(pool.starts_with(starved.scratch.path()), "{}", pool.display());
    Ok(())
}
