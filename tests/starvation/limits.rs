//! Limits of the process: addresses, descriptors, sizes of files.

use super::*;

#[test]
fn little_address_space() -> Result<()> {
    for kilobytes in [160_000, 300_000] {
        let limit = format!("ulimit -v {kilobytes}");
        let starved = starved(2000, |_, command| {
            within(&limit, command);
            Ok(())
        })?;
        starved.is_whole()?;
        // What its threads allocate when is chance: with arenas of their own 11 of 250 failed.
        for time in 0..25 {
            let trace = starved.scratch.path().join(format!("{time}.pftrace"));
            let mut export = Command::new(Product::find()?.program);
            export
                .args(["export", "--jobs", "2"])
                .arg(starved.folder()?)
                .arg("--output")
                .arg(&trace);
            within("ulimit -v 100000", &mut export);
            build::run(&mut export, "")?;
        }
    }
    Ok(())
}

/// Enough for its threads' files, but not for the end: the limit that a process may raise itself
/// does not cost the recording its last words and its trace.
#[test]
fn few_descriptors() -> Result<()> {
    for descriptors in [7, 8, 12] {
        starved(2000, |_, command| {
            within(&format!("ulimit -S -n {descriptors}"), command);
            Ok(())
        })?
        .is_whole()?;
    }
    Ok(())
}

/// Threads that find none have no buffers; that is counted. Whether one finds none is chance: all that is left is
/// taken only while another thread opens its own.
#[test]
fn fewer_descriptors_than_threads() -> Result<()> {
    let starved = starved(2000, |_, command| {
        within("ulimit -S -n 5", command);
        Ok(())
    })?;
    if starved.reported()?.lost > 0 {
        starved.states_losses().map(drop)
    } else {
        starved.is_whole()
    }
}

/// There are no descriptors even for the facts: the losses are reported on stderr, except those that a thread reports, which
/// found the last descriptor taken only while another opened its buffers. The files open from the start may even suffice.
#[test]
fn no_descriptors_at_all() -> Result<()> {
    let starved = starved(2000, |_, command| {
        within("ulimit -n 5", command);
        Ok(())
    })?;
    let (reported, said) = (starved.reported()?, starved.said_lost()?);
    let lost = said + losses(&starved.folder()?)?.reported;
    // Other events are lost as well, but few.
    let range = 3 * reported.lost..3 * reported.lost + 100;
    ensure!(range.contains(&lost), "{reported:?}\n{}", starved.run.stderr);
    Ok(())
}

#[test]
fn small_files() -> Result<()> {
    let starved = starved(20_000, |_, command| {
        command.env("OMP_NUM_THREADS", "1");
        // In units of 512 bytes.
        within("ulimit -f 2200", command);
        Ok(())
    })?;
    let reported = starved.states_losses()?;
    ensure!(reported.recorded > 10_000, "{reported:?}");
    // The trace is too large as well: the exporter says so instead of being killed on the way.
    let (stderr, folder) = (&starved.run.stderr, starved.folder()?);
    ensure!(stderr.contains("File too large") && stderr.contains("ompttrace export"), "{stderr}");
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        ensure!(!name.to_string_lossy().ends_with(".part"), "{name:?} is left");
    }
    Ok(())
}

#[test]
fn files_too_small_to_begin() -> Result<()> {
    let starved = starved(10, |_, command| {
        // The program's own counts do not fit either.
        command.env_remove("OWN_COUNTS");
        within("ulimit -f 100", command);
        Ok(())
    })?;
    ensure!(starved.run.stderr.contains("ulimit -f"), "{}", starved.run.stderr);
    ensure!(starved.run.stderr.lines().count() == 1, "{}", starved.run.stderr);
    ensure!(starved.scratch.runs()?.is_empty());
    Ok(())
}

/// Descriptor 2 is a file of the program's: neither the closing line nor a complaint about a setting goes into it.
#[test]
fn no_stderr() -> Result<()> {
    let clang = programs::of_test("tests/starvation/closed_stderr.c")?;
    for (program, by) in [(clang.clone(), By::Runtime), (clang.by_gcc(), By::Gomp)] {
        for setting in ["recording", "nonsense"] {
            let scratch = Scratch::new()?;
            let mut command = match by {
                By::Gomp => program.command_as_linked()?,
                _ => program.command(&runtimes::libomp_19()?)?,
            };
            scratch.attach(&mut command, by)?;
            command.env("OMPTTRACE_FORMAT", setting).current_dir(scratch.path());
            within("exec 2>&-", &mut command);
            let run = process::run(&mut command, program.directives.timeout)?;
            ensure!(run.last_line() == program.last_line(), "{run:?}");
            let data = std::fs::read(scratch.path().join("data"))?;
            ensure!(data == b"DATA", "{by:?}, {setting}: {}", String::from_utf8_lossy(&data));
        }
    }
    Ok(())
}
