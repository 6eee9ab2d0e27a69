//! A clock that somebody sets while the program runs: times and their order are those of a clock that
//! nobody can set.

use super::*;

use ompttrace_tests::judged::Judged;
use ompttrace_tests::oracle::compiled;
use ompttrace_tests::recorded::Recorded;

/// Seconds by which the time of day jumps: more than any run of a test takes.
const JUMP: i64 = 36_000;

#[test]
fn the_time_of_day_jumps() -> Result<()> {
    let source = build::root().join("tests/starvation/clock.c");
    let flags = ["-O1", "-fPIC", "-shared", "-ldl"];
    let shim = compiled(&[source], "starvation/libclock.so", &flags)?;
    for clock in ["auto", "quanta"] {
        let starved = starved(2000, |_, command| {
            runtimes::prepend(command, "LD_PRELOAD", &shim);
            command.env("JUMP", JUMP.to_string()).env("OMPTTRACE_CLOCK", clock);
            Ok(())
        })
        .context(clock)?;
        starved.is_whole().context(clock)?;
        let folder = starved.folder()?;
        let recorded = Recorded::read(&folder)?;
        ensure!(recorded.backwards == 0, "{clock}: {} records go back", recorded.backwards);
        lasts_as_long_as_it_took(&folder, &starved.run).context(clock)?;
    }
    Ok(())
}

/// Checks that the run's duration by the trace is positive and at most that of its process.
fn lasts_as_long_as_it_took(folder: &std::path::Path, run: &Finished) -> Result<()> {
    let mut judged = Judged::open(folder)?;
    let faults = judged.judge().stats_errors()?;
    ensure!(faults.is_empty(), "{faults:?}");
    let span = judged.count("select max(ts + dur) - min(ts) from slice")?;
    ensure!((1..=run.elapsed.as_nanos() as u64).contains(&span), "{span} of {:?}", run.elapsed);
    Ok(())
}
