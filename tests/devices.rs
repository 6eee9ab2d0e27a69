//! Devices of NVIDIA's, by a stand-in for their tracing interface (`devices/cupti.c`) and a program that plays an OpenMP runtime and
//! CUDA's driver: what the program prints is in the recording, the traces and `info`.

mod events;
mod reports;
mod tracing;
mod unified;
mod written;

use std::path::PathBuf;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::{build, oracle, process, soundness, wheels};
use serde_json::Value;

/// The stand-in, and the program that is linked with it.
fn built() -> Result<(PathBuf, PathBuf)> {
    let source = |name: &str| build::root().join("tests/devices").join(name);
    let (header, library) = (source("cupti.h"), "devices/libcupti.so.13");
    let flags = ["-O1", "-shared", "-fPIC", "-pthread"];
    let library = oracle::compiled(&[source("cupti.c"), header.clone()], library, &flags)?;
    let folder = library.parent().context("a folder")?.display();
    let (linked, found) = (library.display().to_string(), format!("-Wl,-rpath,{folder}"));
    let flags = ["-O1", "-g", &linked, &found];
    let sources = [source("offload.c"), header];
    Ok((library.clone(), oracle::compiled(&sources, "devices/offload", &flags)?))
}

/// A run of the program under `ompttrace run`.
struct Run {
    folder: tempfile::TempDir,
    output: Output,
}

impl Run {
    fn new(arguments: &[&str], words: &str) -> Result<Run> {
        let (library, _) = built()?;
        Run::with(&["--cupti", &library.display().to_string()], arguments, words)
    }

    fn with(options: &[&str], arguments: &[&str], words: &str) -> Result<Run> {
        let (folder, (_, program)) = (tempfile::tempdir()?, built()?);
        let mut command = Command::new(Product::find()?.program);
        process::without_settings(&mut command);
        command.env_remove("CUDA_INJECTION64_PATH").env("STANDIN_CUPTI", words);
        command.args(["run", "--format", "recording", "--output"]).arg(folder.path().join("run"));
        let output = command.args(options).arg("--").arg(&program).args(arguments).output()?;
        Ok(Run { folder, output })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// A number that the program printed.
    fn said(&self, what: &str) -> Result<u64> {
        let text = String::from_utf8_lossy(&self.output.stdout);
        let mut words = text.split_whitespace();
        words.find(|word| *word == what).with_context(|| format!("{:?}", self.output))?;
        Ok(words.next().context("a number")?.parse()?)
    }

    fn info(&self) -> Result<Value> {
        Product::find()?.info(&self.path())
    }

    /// Compares the numbers in `info` with those of the program, of which these are missing.
    fn counts(&self, lost: u64) -> Result<()> {
        let info = self.info()?;
        for (field, said) in [
            ("kernels", "kernels"),
            ("copies", "copies"),
            ("copied_bytes", "bytes"),
            ("memsets", "sets"),
        ] {
            let found = number(&info, &format!("/devices/{field}"))?;
            ensure!(found == self.said(said)?, "{found} {field}: {:?}", self.output);
        }
        // A kernel is launched and waited for.
        let calls = 2 * self.said("kernels")? + self.said("copies")? + self.said("sets")?;
        ensure!(number(&info, "/devices/calls")? == calls, "{calls} calls: {}", info["devices"]);
        ensure!(number(&info, "/devices/lost")? == lost, "{}", info["devices"]);
        Ok(())
    }

    /// The facts about CUPTI.
    fn cupti(&self) -> Result<Value> {
        let info = self.info()?;
        let mut runtimes = info["runtimes"].as_array().into_iter().flatten();
        let cupti = runtimes.find(|runtime| runtime["interface"] == "cupti");
        Ok(cupti.with_context(|| info["runtimes"].to_string())?.clone())
    }

    /// The notes on CUPTI.
    fn notes(&self) -> Result<String> {
        Ok(self.cupti()?["notes"].to_string())
    }
}

/// Fails unless times are the same but for rounding, and for what the pairs of the two clocks are apart.
fn near(time: u64, said: u64) -> Result<()> {
    ensure!(said > 0 && time.abs_diff(said) < said / 1000 + 1000, "{time} ns of {said} ns");
    Ok(())
}

#[test]
fn what_a_device_did_is_recorded() -> Result<()> {
    let run = Run::new(&["5"], "")?;
    // One activity of which nobody knows when it was.
    run.counts(1)?;
    let info = run.info()?;
    ensure!(info["runtime"]["interface"] == "ompt", "{}", info["runtime"]);
    ensure!(info["closed"] == true && info["finalized"] == true, "{info}");
    Ok(())
}

#[test]
fn activities_lie_inside_of_the_operations_that_caused_them() -> Result<()> {
    let run = Run::new(&["5"], "")?;
    let mut judged = Judged::exact(&run.path())?;
    let all = run.said("kernels")? + run.said("copies")?;
    let inside = judged.lines(
        "select count(*) from flow f join slice h on h.id = f.slice_out join slice d on d.id = f.slice_in \
         where d.category = 'device' and h.name in ('submit kernel', 'transfer to device', 'transfer from device') \
         and d.ts >= h.ts - 20000 and d.ts + d.dur <= h.ts + h.dur + 20000",
    )?;
    ensure!(inside == [all.to_string()], "{inside:?} of {all}");
    // The device's clock runs at half the speed of the host's.
    let took =
        judged.lines("select sum(dur) from slice where name = 'scale' and category = 'device'")?;
    let took: u64 = took.first().context("a sum")?.parse()?;
    near(took, run.said("kernel_ns")?)?;
    let names = judged
        .lines("select distinct s.name from slice s where s.category = 'device' order by s.name")?;
    ensure!(
        names
            == [
                "copy device to host",
                "copy host to device",
                "cuLaunchKernel",
                "cuMemcpyDtoH",
                "cuMemcpyHtoD",
                "cuStreamSynchronize",
                "cudaMemset",
                "memset",
                "scale",
            ],
        "{names:?}"
    );
    let states = judged.lines(
        "select count(*) from slice s join track t on s.track_id = t.id join thread_track tt on tt.id = t.id \
         join thread using (utid) where s.category glob 'state*' and thread.name glob 'device *'",
    )?;
    ensure!(states == ["0"], "a device's stream works: {states:?}");
    let faults = soundness::faults(&mut judged)? + &soundness::sums(&judged.info, &judged.export)?;
    ensure!(faults.is_empty(), "{faults}");
    Ok(())
}

/// Calls of CUDA are slices of the thread that makes them, in the construct in which it does; arrows lead from those that no
/// operation of a target construct has to what they caused.
#[test]
fn calls_on_the_host_are_in_their_constructs() -> Result<()> {
    let run = Run::new(&["5"], "")?;
    let mut judged = Judged::exact(&run.path())?;
    let parents = judged.lines(
        "select c.name, p.name, count(*) from slice c left join slice p on p.id = c.parent_id \
         where c.category = 'device' and c.name glob 'cu*' group by 1, 2 order by 1",
    )?;
    let (kernels, sets) = (run.said("kernels")?, run.said("sets")?);
    let halves = run.said("copies")? / 2;
    let expected = [
        format!("cuLaunchKernel|submit kernel|{kernels}"),
        format!("cuMemcpyDtoH|transfer from device|{halves}"),
        format!("cuMemcpyHtoD|transfer to device|{halves}"),
        format!("cuStreamSynchronize|submit kernel|{kernels}"),
        format!("cudaMemset|initial task|{sets}"),
    ];
    ensure!(parents == expected, "{parents:?}");
    let arrows = judged.lines(
        "select h.name, d.name, count(*) from flow f join slice h on h.id = f.slice_out \
         join slice d on d.id = f.slice_in where h.category = 'device' group by 1, 2",
    )?;
    ensure!(arrows == [format!("cudaMemset|memset|{sets}")], "{arrows:?}");
    // The thread waits where the call does, and offloads where it returns at once.
    let states = judged.lines(
        "select distinct c.name, s.name from slice c join thread_track t on t.id = c.track_id \
         join thread_track st on st.utid = t.utid join slice s on s.track_id = st.id \
         where c.name in ('cuLaunchKernel', 'cuStreamSynchronize') and s.category glob 'state*' \
         and s.name in ('wait for device', 'offload') and s.ts > c.ts and s.ts < c.ts + c.dur order by 1, 2",
    )?;
    ensure!(states.contains(&"cuStreamSynchronize|wait for device".to_owned()), "{states:?}");
    ensure!(!states.contains(&"cuLaunchKernel|wait for device".to_owned()), "{states:?}");
    Ok(())
}

/// A recording that an H100 left of `devices/heat.c` with 5 rounds and 10 empty regions.
fn real() -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    for file in ["device_records", "events.0", "modules", "recording.json"] {
        let from = build::root().join("tests/devices/h100").join(file);
        std::fs::copy(from, folder.path().join(file))?;
    }
    Ok(folder)
}

#[test]
fn a_recording_of_a_real_device_is_read() -> Result<()> {
    let folder = real()?;
    let mut judged = Judged::exact(folder.path())?;
    let devices = &judged.info["devices"];
    ensure!(devices["kernels"] == 21 && devices["copies"] == 6, "{devices}");
    ensure!(devices["copied_bytes"] == 402_661_428 && devices["lost"] == 0, "{devices}");
    // All lie inside of their target construct, to the nanosecond; one copy is the runtime's own.
    let inside = judged.lines(
        "select count(*), sum(d.ts >= c.ts and d.ts + d.dur <= c.ts + c.dur) from flow f \
         join slice h on h.id = f.slice_out join slice c on c.id = h.parent_id join slice d on d.id = f.slice_in \
         where d.category = 'device' and c.name glob 'target*'",
    )?;
    ensure!(inside == ["26|26"], "{inside:?}");
    Ok(())
}

#[test]
fn buffers_may_come_back_in_any_way() -> Result<()> {
    for words in ["small", "thread", "small,thread", "backwards", "small,early"] {
        let run = Run::new(&["4"], words)?;
        run.counts(1).with_context(|| words.to_owned())?;
        let mut judged = Judged::exact(&run.path())?;
        let flows = judged.lines(
            "select count(*) from flow f join slice d on d.id = f.slice_in where d.category = 'device'",
        )?;
        let all = run.said("kernels")? + run.said("copies")? + run.said("sets")?;
        ensure!(flows == [all.to_string()], "{words}: {flows:?} of {all}");
    }
    Ok(())
}

#[test]
fn a_program_without_openmp_is_recorded_by_its_driver() -> Result<()> {
    let run = Run::new(&["3", "driver"], "")?;
    run.counts(1)?;
    let info = run.info()?;
    ensure!(info["runtime"]["interface"] == "cupti" && info["closed"] == true, "{info}");
    let mut judged = Judged::exact(&run.path())?;
    let kernels = judged.lines("select count(*) from slice where name = 'plain_kernel'")?;
    ensure!(kernels == ["3"], "{kernels:?}");
    // The thread that calls has no records of its own.
    let calls = judged.lines(
        "select count(*), min(thread.name glob 'CUDA calls of thread *') from flow f join slice h on h.id = f.slice_out \
         join slice d on d.id = f.slice_in join thread_track t on t.id = h.track_id join thread using (utid) \
         where h.name = 'cudaLaunchKernel' and d.name = 'plain_kernel'",
    )?;
    ensure!(calls == ["3|1"], "{calls:?}");
    Ok(())
}

/// Names of CUDA's functions are no user's, and say which calls wait.
#[test]
fn an_anonymised_copy_knows_which_calls_wait() -> Result<()> {
    let run = Run::new(&["3"], "")?;
    let copy = crate::anonymised::copied(&run.path(), "--anonymise=all", "all")?;
    let contents = crate::anonymised::contents(&copy)?;
    let has = |text: &str| crate::anonymised::has(&contents, text);
    ensure!(has("cuStreamSynchronize") && has("cudaMemset") && !has("scale"));
    let times = |run: &std::path::Path| anyhow::Ok(reports::report(run)?["times"].clone());
    let (original, copied) = (times(&run.path())?, times(&copy)?);
    ensure!(original == copied && number(&copied, "/wait_target")? > 0, "{original}: {copied}");
    Ok(())
}

/// The driver loads the copy of the tool that it is told to, and another one is preloaded and records the program's OpenMP: that one
/// records the device as well.
#[test]
fn of_two_copies_one_records() -> Result<()> {
    let ((library, program), folder) = (built()?, tempfile::tempdir()?);
    let product = Product::find()?;
    let mut command = Command::new(program);
    process::without_settings(&mut command);
    command.args(["3", "injected"]).env("CUDA_INJECTION64_PATH", &product.library);
    command.env("LD_PRELOAD", &product.gomp).env("OMP_TOOL_LIBRARIES", &product.gomp);
    command.env("OMPTTRACE_CUPTI", library).env("OMPTTRACE_FORMAT", "recording");
    command.env("OMPTTRACE_OUTPUT", folder.path().join("run.%p"));
    let output = command.output()?;
    ensure!(output.status.success(), "{output:?}");
    let runs: Vec<_> = std::fs::read_dir(folder.path())?.collect::<Result<_, _>>()?;
    ensure!(runs.len() == 1, "{runs:?}");
    let info = product.info(&runs[0].path())?;
    ensure!(info["devices"]["kernels"] == 3 && info["runtime"]["interface"] == "ompt", "{info}");
    Ok(())
}

#[test]
fn what_cannot_be_recorded_is_said() -> Result<()> {
    let run = Run::new(&["2"], "subscribed")?;
    ensure!(run.notes()?.contains("another tool uses CUPTI"), "{}", run.notes()?);
    let run = Run::new(&["2"], "refused")?;
    ensure!(run.notes()?.contains("kernels are not recorded: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"));
    ensure!(run.info()?["devices"]["copies"] == run.said("copies")?);
    let run = Run::with(&["--cupti", "/nowhere/libcupti.so"], &["2"], "")?;
    ensure!(run.notes()?.contains("cannot load /nowhere/libcupti.so (OMPTTRACE_CUPTI)"));
    ensure!(run.output.status.success(), "{:?}", run.output);
    let run = Run::with(&["--cupti", "off"], &["2"], "")?;
    ensure!(
        run.info()?["devices"].is_null()
            && run.info()?["runtimes"].as_array().map(Vec::len) == Some(1)
    );
    Ok(())
}

/// NVIDIA's own libraries, where there is no driver: the program runs as it does without them, and what failed is said.
#[test]
fn the_real_libraries_refuse_without_a_driver() -> Result<()> {
    let wheels = ["nvidia-cuda-cupti==13.0.85", "nvidia-cuda-cupti-cu12==12.9.79"];
    for (wheel, folder) in wheels.iter().zip(["test-wheels-cupti-13", "test-wheels-cupti-12"]) {
        let folder = wheels::packages(folder, &[wheel])?;
        let find =
            build::run(Command::new("find").arg(folder).args(["-name", "libcupti.so.1[23]"]), "")?;
        let library = String::from_utf8(find)?.lines().next().context("a libcupti")?.to_owned();
        let run = Run::with(&["--cupti", &library], &["2"], "")?;
        ensure!(run.output.status.success() && run.said("kernels")? == 2, "{:?}", run.output);
        ensure!(run.notes()?.contains("not recorded"), "{wheel}: {}", run.notes()?);
        ensure!(
            run.info()?["closed"] == true && run.info()?["devices"].is_null(),
            "{}",
            run.info()?
        );
    }
    Ok(())
}

#[test]
fn losses_of_the_driver_are_counted() -> Result<()> {
    let run = Run::new(&["2"], "dropped")?;
    run.counts(1 + 3)
}

/// Buffers that had come back are there.
#[test]
fn a_killed_program_leaves_what_its_device_did() -> Result<()> {
    let run = Run::new(&["20", "kill"], "small")?;
    let info = run.info()?;
    let kernels = number(&info, "/devices/kernels")?;
    ensure!(kernels + 3 > run.said("kernels")?, "{kernels}: {:?}", run.output);
    Judged::exact(&run.path())?;
    Ok(())
}
