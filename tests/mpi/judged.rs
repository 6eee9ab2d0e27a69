//! A program of two ranks that prints its own numbers, recorded, and the numbers of the recording.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use ompttrace_tests::build;
use ompttrace_tests::product::Product;
use serde_json::Value;

/// The number of ranks.
const RANKS: usize = 2;

/// An implementation of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mpi {
    OpenMpi,
    Mpich,
}

/// All that tests are run with.
pub const IMPLEMENTATIONS: [Mpi; 2] = [Mpi::OpenMpi, Mpi::Mpich];

impl Mpi {
    /// The end of the names of its commands.
    fn name(self) -> &'static str {
        match self {
            Mpi::OpenMpi => "openmpi",
            Mpi::Mpich => "mpich",
        }
    }

    /// The packages that it comes in.
    pub fn packages(self) -> &'static str {
        match self {
            Mpi::OpenMpi => "libopenmpi-dev openmpi-bin",
            Mpi::Mpich => "libmpich-dev mpich",
        }
    }

    /// The command that starts the ranks: on two cores, as root.
    pub fn launcher(self) -> Command {
        self.launcher_of(RANKS)
    }

    /// That of so many ranks.
    pub fn launcher_of(self, ranks: usize) -> Command {
        let mut launcher = Command::new(format!("mpirun.{}", self.name()));
        without_launcher(&mut launcher);
        if self == Mpi::OpenMpi {
            launcher.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
            launcher.arg("--oversubscribe");
        }
        launcher.args(["-n", &ranks.to_string()]);
        launcher
    }

    /// The program, compiled if it is not yet.
    pub fn compiled(self, source: &str) -> Result<PathBuf> {
        let (stem, kind) = source.split_once('.').context("a source file")?;
        if kind == "py" {
            return Ok(build::root().join("tests/mpi").join(source));
        }
        let compiler = if kind == "c" { "mpicc" } else { "mpif90" };
        let program =
            build::target_dir().join("test-programs/mpi").join(format!("{stem}.{}", self.name()));
        let source = build::root().join("tests/mpi").join(source);
        // One is linked with the tool: a new archive is a new program.
        let archive = (stem == "hybrid").then(|| Product::find().map(|product| product.archive));
        let archive = archive.transpose()?;
        let sources: Vec<_> = archive.iter().chain([&source]).cloned().collect();
        if !build::is_current(&program, &sources) {
            build::make_in_place(&program, |draft| {
                let mut compile = Command::new(format!("{compiler}.{}", self.name()));
                // What MPICH's header says of lists of statuses that are left out is no mistake here.
                compile.args(["-O1", "-g", "-w", "-pthread", "-o"]).arg(draft).arg(&source);
                if ["hybrid", "planted"].contains(&stem) {
                    compile.env("OMPI_CC", "clang-19").env("MPICH_CC", "clang-19");
                    compile.arg("-fopenmp");
                }
                if let Some(archive) = &archive {
                    compile.arg("-Wl,-u,ompt_start_tool").arg(archive).arg("-lm");
                }
                build::run(&mut compile, self.packages()).map(drop)
            })?;
        }
        Ok(program)
    }
}

/// Removes what the environment of the tests may have of settings.
pub fn without_launcher(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OMPTTRACE_") {
            command.env_remove(name);
        }
    }
}

/// Counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Calls by function.
    pub calls: BTreeMap<String, u64>,
    /// Messages and bytes.
    pub sent: (u64, u64),
    /// See [`Numbers::sent`].
    pub received: (u64, u64),
    /// Bytes by function of one-sided access and of files.
    pub moved: BTreeMap<String, u64>,
}

/// Functions that poll: in a trace a run of several of them is one slice of the first one's name.
fn polls(name: &str) -> bool {
    name.starts_with("MPI_Test") || ["MPI_Iprobe", "MPI_Request_get_status"].contains(&name)
}

/// A program that has run.
pub struct Recorded {
    mpi: Mpi,
    output: String,
    folder: PathBuf,
}

impl Recorded {
    /// Compiles the program, and records it with these options.
    pub fn new(mpi: Mpi, source: &str, options: &[&str], folder: &Path) -> Result<Recorded> {
        let output = build::run(&mut recorder(mpi, source, options, folder)?, mpi.packages())?;
        Ok(Recorded { mpi, output: String::from_utf8(output)?, folder: folder.to_owned() })
    }

    /// Records a program with an argument, which may say how it ends: the launcher's own status does not count.
    pub fn with(mpi: Mpi, source: &str, how: &str, folder: &Path) -> Result<Recorded> {
        let output = recorder(mpi, source, &[], folder)?.arg(how).output()?;
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(Recorded { mpi, output, folder: folder.to_owned() })
    }

    /// The run folder of a rank.
    pub fn run(&self, rank: usize) -> PathBuf {
        self.folder.join(format!("rank.{rank}"))
    }

    /// All of a rank's numbers agree.
    pub fn judge(&self) -> Result<()> {
        for rank in 0..RANKS {
            let (said, found) = (self.said(rank), self.found(rank)?);
            ensure!(
                !said.calls.is_empty(),
                "{:?}: the program printed nothing of rank {rank}",
                self.mpi
            );
            ensure!(said == found, "{:?}, rank {rank}: {found:?} instead of {said:?}", self.mpi);
        }
        Ok(())
    }

    /// Counts by the program itself.
    pub fn said(&self, rank: usize) -> Numbers {
        let mut numbers = Numbers::default();
        let start = format!("rank {rank}: ");
        for line in self.output.lines().filter_map(|line| line.trim().strip_prefix(&start)) {
            let words: Vec<_> = line.split_whitespace().collect();
            let number = |at: usize| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(0);
            match words[..] {
                ["calls", "of", name, ..] => {
                    numbers.calls.insert(name.trim_end_matches(':').to_owned(), number(3));
                }
                ["bytes", "of", name, ..] => {
                    numbers.moved.insert(name.trim_end_matches(':').to_owned(), number(3));
                }
                ["sent:", ..] => numbers.sent = (number(1), number(3)),
                ["received:", ..] => numbers.received = (number(1), number(3)),
                _ => {}
            }
        }
        numbers
    }

    /// Counts by the recording: calls and what was sent as `info` has it, and the same in a trace, which also has what was
    /// received.
    pub fn found(&self, rank: usize) -> Result<Numbers> {
        let (run, product) = (self.run(rank), Product::find()?);
        let info = product.info(&run)?;
        product.export_with(&run, &["--format", "chrome"])?;
        let trace: Value = serde_json::from_slice(&std::fs::read(run.join("trace.json"))?)?;
        let traced = in_trace(&trace)?;
        let calls = info["mpi"]["calls"].as_object().context("calls in info")?;
        let calls: BTreeMap<String, u64> =
            calls.iter().map(|(name, count)| (name.clone(), count.as_u64().unwrap_or(0))).collect();
        let together = |calls: &BTreeMap<String, u64>| {
            let polled = calls.iter().filter(|(name, _)| polls(name)).map(|(_, count)| count).sum();
            let others = calls.clone().into_iter().filter(|(name, _)| !polls(name));
            (polled, others.collect::<Vec<_>>())
        };
        let (polled, others): (u64, _) = together(&calls);
        ensure!((polled, others) == together(&traced.calls), "{calls:?} and {traced:?}");
        let sent = &info["mpi"]["sent"];
        let sent = (sent["messages"].as_u64().unwrap_or(0), sent["bytes"].as_u64().unwrap_or(0));
        ensure!(sent == traced.sent, "{sent:?} and {traced:?}");
        ensure!(info["mpi"]["rank"] == rank && info["mpi"]["size"] == RANKS, "{}", info["mpi"]);
        Ok(Numbers { calls, ..traced })
    }

    /// Slices of calls in the trace that [`Recorded::found`] has made.
    pub fn slices(&self, rank: usize) -> Result<usize> {
        let trace: Value =
            serde_json::from_slice(&std::fs::read(self.run(rank).join("trace.json"))?)?;
        let events = trace.as_array().or(trace["traceEvents"].as_array()).context("events")?;
        let is_call = |event: &&Value| event["cat"] == "mpi" && event["ph"] != "E";
        Ok(events.iter().filter(is_call).count())
    }

    /// The output of `report --json` for a rank.
    pub fn report(&self, rank: usize) -> Result<Value> {
        let mut report = Command::new(Product::find()?.program);
        let output = build::run(report.args(["report", "--json"]).arg(self.run(rank)), "")?;
        Ok(serde_json::from_slice(&output)?)
    }
}

/// Words in front of a program: the interpreter of a script, that of the system, which has mpi4py.
fn interpreter(source: &str) -> Option<&'static str> {
    source.ends_with(".py").then_some("/usr/bin/python3")
}

/// The command that compiles, starts and records the ranks of a program.
fn recorder(mpi: Mpi, source: &str, options: &[&str], folder: &Path) -> Result<Command> {
    let mut launcher = mpi.launcher();
    launcher.current_dir(folder).arg(Product::find()?.program);
    launcher.args(["run", "--format", "recording"]).args(options);
    launcher.args(["--output", "rank.%r", "--"]).args(interpreter(source));
    launcher.arg(mpi.compiled(source)?);
    Ok(launcher)
}

/// The numbers of a trace: begins of slices, and the arguments of those that send.
fn in_trace(trace: &Value) -> Result<Numbers> {
    let mut numbers = Numbers::default();
    let events = trace.as_array().or(trace["traceEvents"].as_array()).context("events")?;
    for event in events.iter().filter(|event| event["cat"] == "mpi") {
        // The place in the source may come before the name.
        let name = event["name"].as_str().unwrap_or("").rsplit(' ').next().unwrap_or("");
        let phase = event["ph"].as_str().unwrap_or("");
        let bytes = event["args"]["bytes"].as_u64().unwrap_or(0);
        let has_peer = !event["args"]["peer"].is_null();
        match (name, phase) {
            ("received", _) => add(&mut numbers.received, bytes),
            ("complete", _) => {}
            (name, "B" | "X") if name.starts_with("MPI_") => {
                let count = event["args"]["count"].as_u64().unwrap_or(1);
                *numbers.calls.entry(name.to_owned()).or_default() += count;
                if ["MPI_Put", "MPI_Get", "MPI_Acc", "MPI_Fet", "MPI_Fil"].contains(&&name[..7])
                    && bytes > 0
                {
                    *numbers.moved.entry(name.to_owned()).or_default() += bytes;
                }
                if name.to_lowercase().contains("send") && has_peer {
                    add(&mut numbers.sent, bytes);
                }
            }
            (_, "E") => {}
            _ => bail!("an event of another kind: {event}"),
        }
    }
    Ok(numbers)
}

fn add(sum: &mut (u64, u64), bytes: u64) {
    sum.0 += 1;
    sum.1 += bytes;
}
