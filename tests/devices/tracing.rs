//! Devices that trace themselves by OMPT (`tests/runtimes/tracing_device.c`): what the program prints is in the recording, however
//! buffers come back, on the host's clock.

use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::{build, oracle, process, soundness};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn built() -> Result<PathBuf> {
    let source = build::root().join("tests/runtimes/tracing_device.c");
    oracle::compiled(&[source], "devices/tracing_device", &["-O1", "-g", "-pthread"])
}

struct Run {
    folder: tempfile::TempDir,
    output: Output,
}

impl Run {
    fn new(words: &[&str]) -> Result<Run> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new(Product::find()?.program);
        process::without_settings(&mut command);
        command.args(["run", "--format", "recording", "--output"]).arg(folder.path().join("run"));
        let output = command.arg("--").arg(built()?).args(words).output()?;
        Ok(Run { folder, output })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    fn info(&self) -> Result<Value> {
        Product::find()?.info(&self.path())
    }

    /// A number that the program printed.
    fn said(&self, what: &str) -> Result<u64> {
        let text = String::from_utf8_lossy(&self.output.stdout);
        let mut words = text.split_whitespace();
        words.find(|word| *word == what).with_context(|| format!("{:?}", self.output))?;
        Ok(words.next().context("a number")?.parse()?)
    }

    /// Compares counts and times in the trace with those of the program.
    fn judge(&self) -> Result<Judged> {
        ensure!(self.output.status.success(), "{:?}", self.output);
        let info = self.info()?;
        for (field, said) in
            [("kernels", "kernels"), ("copies", "copies"), ("copied_bytes", "bytes")]
        {
            let found = number(&info, &format!("/devices/{field}"))?;
            ensure!(found == self.said(said)? && found > 0, "{found} {field}: {:?}", self.output);
        }
        let mut judged = Judged::exact(&self.path())?;
        let count = |judged: &mut Judged, of: &str| -> Result<u64> {
            let sql =
                format!("select count(*) from slice where category = 'device' and name = '{of}'");
            Ok(judged.lines(&sql)?.first().context("a count")?.parse()?)
        };
        for (name, said) in [("target construct", "targets"), ("kernel execution", "natives")] {
            let found = count(&mut judged, name)?;
            ensure!(found == self.said(said)?, "{found} of {name}: {:?}", self.output);
        }
        let sql = "select sum(dur) from slice where category = 'device' and name = 'kernel'";
        let took: u64 = judged.lines(sql)?.first().context("a sum")?.parse()?;
        let said = self.said("kernel_ns")?;
        ensure!(took.abs_diff(said) < said / 1000 + 1000, "{took} ns of {said} ns");
        Ok(judged)
    }
}

#[test]
fn what_a_device_traced_is_recorded() -> Result<()> {
    let run = Run::new(&["5", "native"])?;
    let mut judged = run.judge()?;
    let names = judged.lines(
        "select distinct thread.name from slice s join thread_track t on t.id = s.track_id \
         join thread using (utid) where s.category = 'device' order by thread.name",
    )?;
    ensure!(
        names
            == [
                "device 3 stream 1: stand-in device",
                "device 3 stream 5: stand-in device",
                "device 3 target constructs: stand-in device",
            ],
        "{names:?}"
    );
    let faults = soundness::faults(&mut judged)? + &soundness::sums(&judged.info, &judged.export)?;
    ensure!(faults.is_empty(), "{faults}");
    Ok(())
}

/// Each lies inside of the operation that caused it, to what the pairs of clocks are apart, with an arrow.
#[test]
fn times_of_devices_are_the_hosts() -> Result<()> {
    let run = Run::new(&["5"])?;
    let mut judged = run.judge()?;
    let inside = judged.lines(
        "select count(*) from flow f join slice h on h.id = f.slice_out join slice d on d.id = f.slice_in \
         where d.category = 'device' and h.name in ('submit kernel', 'transfer to device', 'transfer from device') \
         and d.ts >= h.ts - 20000 and d.ts + d.dur <= h.ts + h.dur + 20000",
    )?;
    let all = run.said("kernels")? + run.said("copies")?;
    ensure!(inside == [all.to_string()], "{inside:?} of {all}");
    Ok(())
}

#[test]
fn buffers_may_come_back_in_any_way() -> Result<()> {
    for words in [
        &["tiny"][..],
        &["null", "tiny"],
        &["thread"],
        &["thread", "tiny"],
        &["late"],
        &["shared"],
        &["disordered"],
        &["disordered", "tiny", "thread"],
        &["plain"],
        &["native", "tiny", "shared"],
    ] {
        let run = Run::new(&[&["6"], words].concat())?;
        run.judge().with_context(|| format!("{words:?}"))?;
    }
    Ok(())
}

/// omp_control_tool stops and starts devices, too: what they did in between is not even asked for.
#[test]
fn commands_pause_devices() -> Result<()> {
    let run = Run::new(&["6", "pause"])?;
    run.judge()?;
    ensure!(run.said("kernels")? == 4, "{:?}", run.output);
    Ok(())
}

/// A device that goes on during a pause names its activities in records that are left out: later ones have the names.
#[test]
fn names_in_records_that_are_left_out_are_kept() -> Result<()> {
    let run = Run::new(&["1", "pause", "deaf", "native"])?;
    run.judge()?;
    ensure!(run.said("natives")? == 1, "{:?}", run.output);
    let notes = run.info()?["runtime"]["notes"].to_string();
    ensure!(notes.contains("records of devices are not recorded: recording was paused"), "{notes}");
    Ok(())
}

/// A flush that does not return does not keep the program, and it is said.
#[test]
fn a_runtime_that_hangs_does_not_keep_the_program() -> Result<()> {
    let run = Run::new(&["3", "never"])?;
    ensure!(run.output.status.success(), "{:?}", run.output);
    let info = run.info()?;
    let notes = info["runtime"]["notes"].to_string();
    ensure!(notes.contains("device 3 has not given back all of its records"), "{notes}");
    ensure!(info["closed"] == true, "{info}");
    Ok(())
}

#[test]
fn devices_that_do_not_trace_themselves_are_left_alone() -> Result<()> {
    let run = Run::new(&["2", "none"])?;
    let info = run.info()?;
    ensure!(info["devices"].is_null() && info["closed"] == true, "{info}");
    let run = Run::new(&["2", "refused"])?;
    let notes = run.info()?["runtime"]["notes"].to_string();
    ensure!(
        notes.contains("device 3 does not trace itself: its runtime refuses to start"),
        "{notes}"
    );
    Ok(())
}

/// Buffers that had come back are there.
#[test]
fn a_killed_program_leaves_what_its_device_traced() -> Result<()> {
    let run = Run::new(&["9", "tiny", "kill"])?;
    let kernels = number(&run.info()?, "/devices/kernels")?;
    ensure!(kernels + 3 > run.said("kernels")?, "{kernels}: {:?}", run.output);
    Judged::exact(&run.path())?;
    Ok(())
}
