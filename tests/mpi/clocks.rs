//! Clocks of ranks: measured where they differ, and nothing exchanged where not all ranks are recorded.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use ompttrace_tests::build;
use ompttrace_tests::product::Product;
use serde_json::Value;

use super::judged::{IMPLEMENTATIONS, Mpi};

const PROGRAM: &str = "exchanges.c";

/// Seconds by which the clock of rank 1 is ahead of that of rank 0, by their time namespaces.
const AHEAD: i64 = 1000;

/// Starts a program in a time namespace of its rank: the clock is some thousand seconds ahead.
const IN_NAMESPACE: &str =
    r#"exec unshare $UNSHARE --time --fork --monotonic $((($RANK + 5) * 1000)) "$@""#;

/// The options of unshare that are needed here besides that of a time namespace.
fn unshare() -> Result<&'static str> {
    for options in ["", "--user --map-root-user"] {
        let mut trial = Command::new("unshare");
        trial.args(options.split_whitespace()).args(["--time", "--fork", "true"]);
        if trial.output()?.status.success() {
            return Ok(options);
        }
    }
    bail!("unshare --time is not permitted here")
}

/// The variable of a launcher that has the rank.
fn rank_variable(mpi: Mpi) -> &'static str {
    if mpi == Mpi::OpenMpi { "OMPI_COMM_WORLD_RANK" } else { "PMI_RANK" }
}

/// `ompttrace run` with these options, before the program.
fn recorder(options: &[&str]) -> Result<Vec<String>> {
    let program = Product::find()?.program.display().to_string();
    let words = [&["run", "--format", "recording"], options, &["--output", "rank.%r", "--"]];
    Ok(std::iter::once(program).chain(words.concat().into_iter().map(str::to_owned)).collect())
}

/// The ranks of a program in a folder, each under the command and in a time namespace of its own.
pub(super) fn in_namespaces(mpi: Mpi, source: &str, folder: &Path) -> Result<Command> {
    let mut launcher = mpi.launcher();
    launcher.current_dir(folder).env("UNSHARE", unshare()?);
    let script = IN_NAMESPACE.replace("$RANK", &format!("${}", rank_variable(mpi)));
    launcher.args(["sh", "-c", &script, "sh"]).args(recorder(&[])?).arg(mpi.compiled(source)?);
    Ok(launcher)
}

/// The program's output, and what was said on stderr.
fn output(command: &mut Command) -> Result<(String, String)> {
    let output = command.output()?;
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    ensure!(output.status.success(), "{:?}: {stdout}{stderr}", output.status);
    ensure!(stdout.matches("is complete").count() == 2, "{stdout}{stderr}");
    Ok((stdout, stderr))
}

fn clocks(folder: &Path, rank: usize) -> Result<Vec<Value>> {
    let info = Product::find()?.info(&folder.join(format!("rank.{rank}")))?;
    Ok(info["mpi"]["clocks"].as_array().context("clocks")?.clone())
}

fn number(clock: &Value, key: &str) -> Result<i64> {
    clock[key].as_i64().with_context(|| format!("{key} in {clock}"))
}

#[test]
fn clocks_of_time_namespaces_are_measured_with_their_error() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let folder = tempfile::tempdir()?;
        output(&mut in_namespaces(mpi, PROGRAM, folder.path())?)?;
        for clock in clocks(folder.path(), 0)? {
            ensure!(number(&clock, "offset_ns")? == 0 && number(&clock, "error_ns")? == 0);
        }
        let compared = clocks(folder.path(), 1)?;
        ensure!(compared.len() == 2, "{mpi:?}: at MPI_Init and MPI_Finalize, not {compared:?}");
        for clock in compared {
            let (offset, error) = (number(&clock, "offset_ns")?, number(&clock, "error_ns")?);
            let is_right = (offset + AHEAD * 1_000_000_000).abs() <= error;
            ensure!(is_right && error > 0, "{mpi:?}: {clock}");
            ensure!(clock["reference"] == 0 && clock["measured_by"] == 1, "{mpi:?}: {clock}");
        }
    }
    Ok(())
}

#[test]
fn ranks_with_one_clock_measure_nothing() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let folder = tempfile::tempdir()?;
        let mut launcher = mpi.launcher();
        launcher.current_dir(folder.path()).args(recorder(&[])?);
        let (_, said) = output(launcher.arg(mpi.compiled(PROGRAM)?))?;
        for rank in 0..2 {
            let found = clocks(folder.path(), rank)?;
            ensure!(found.len() == 1 && found[0]["rounds"] == 0, "{mpi:?}, rank {rank}: {found:?}");
        }
        ensure!(said.contains("calls and messages recorded on all 2 ranks"), "{mpi:?}: {said}");
    }
    Ok(())
}

/// Any function that is collective would wait for ever.
#[test]
fn a_program_of_which_some_ranks_are_recorded_runs_on() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        for recorded in 0..2 {
            let folder = tempfile::tempdir()?;
            let program = mpi.compiled(PROGRAM)?;
            let (recorder, program) = (recorder(&[])?, program.display().to_string());
            let part = |rank: usize| match rank == recorded {
                true => [&recorder[..], std::slice::from_ref(&program)].concat(),
                false => vec![program.clone()],
            };
            let mut launcher = mpi.launcher_of(1);
            launcher.current_dir(folder.path()).args(part(0));
            let (_, said) = output(launcher.args([":", "-n", "1"]).args(part(1)))?;
            ensure!(clocks(folder.path(), recorded)?.is_empty());
            let expected = "calls and messages recorded on 1 of 2 ranks";
            ensure!(said.contains(expected) == (recorded == 0), "{mpi:?}: {said}");
        }
    }
    Ok(())
}

/// Hydra's name server, which several jobs have.
struct NameServer {
    process: Child,
    address: String,
}

impl NameServer {
    fn start() -> Result<NameServer> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let process =
            Command::new("hydra_nameserver").args(["-port", &port.to_string()]).spawn()?;
        let server = NameServer { process, address: format!("127.0.0.1:{port}") };
        while TcpStream::connect(&server.address).is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(server)
    }

    /// A launcher whose ranks ask this server. A job that hangs is ended.
    fn launcher(&self, ranks: usize) -> Command {
        let mut launcher = Mpi::Mpich.launcher_of(ranks);
        launcher.args(["-nameserver", &self.address]).env("MPIEXEC_TIMEOUT", "60");
        launcher
    }

    /// Records a job, and returns what was said on stderr.
    fn job(&self, folder: &Path, before: &[&str]) -> Result<String> {
        let mut launcher = self.launcher(2);
        launcher.current_dir(folder).env("UNSHARE", unshare()?).args(before).args(recorder(&[])?);
        Ok(output(launcher.arg(Mpi::Mpich.compiled(PROGRAM)?))?.1)
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn jobs_with_one_name_server_agree_each_by_itself() -> Result<()> {
    let (server, folder) = (NameServer::start()?, tempfile::tempdir()?);
    let script = IN_NAMESPACE.replace("$RANK", &format!("${}", rank_variable(Mpi::Mpich)));
    let all = "calls and messages recorded on all 2 ranks";
    let said = server.job(folder.path(), &["sh", "-c", &script, "sh"])?;
    ensure!(said.contains(all), "{said}");
    let folder = tempfile::tempdir()?;
    let said = server.job(folder.path(), &[])?;
    ensure!(said.contains(all), "{said}");
    for rank in 0..2 {
        let found = clocks(folder.path(), rank)?;
        ensure!(found.len() == 1 && found[0]["rounds"] == 0, "rank {rank}: {found:?}");
    }
    Ok(())
}

/// A killed job keeps the next one from measuring by what it has published, and no more than that.
#[test]
fn a_job_after_one_that_was_killed_runs_on() -> Result<()> {
    let server = NameServer::start()?;
    let mut left = server.launcher(1);
    build::run(left.arg(Mpi::Mpich.compiled("left.c")?), Mpi::Mpich.packages())?;
    for expected in ["whether on the other 1 is not known", "recorded on all 2 ranks"] {
        let folder = tempfile::tempdir()?;
        let said = server.job(folder.path(), &[])?;
        ensure!(said.contains(expected), "{said}");
    }
    Ok(())
}

#[test]
fn calls_alone_have_no_clocks() -> Result<()> {
    let (folder, mpi) = (tempfile::tempdir()?, Mpi::Mpich);
    let mut launcher = mpi.launcher();
    launcher.current_dir(folder.path()).args(recorder(&["--mpi", "calls"])?);
    let (_, said) = output(launcher.arg(mpi.compiled(PROGRAM)?))?;
    ensure!(clocks(folder.path(), 1)?.is_empty());
    ensure!(said.contains("calls recorded on all 2 ranks"), "{said}");
    Ok(())
}
