//! A recorded program that runs, and commands to it through the header of its buffers' file.

use crate::arguments::ControlCommand;
use crate::inspect;
use crate::job::Job;
use crate::process::Life;
use crate::say;
use anyhow::{Context, Result, anyhow, bail};
use ompttrace_recording::facts::Facts;
use ompttrace_recording::outside::{Carried, Commands, Request};
use ompttrace_recording::reader::{Pool, PoolFile, read_facts};
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The shortest and the longest time between two looks for an answer.
const LOOKS: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(20)];
/// Time between two looks at the process.
const LIFE: Duration = Duration::from_millis(200);
/// Maximum time for which another command to the same program may be under way.
const TURN: Duration = Duration::from_secs(60);

/// A recorded program that runs.
pub struct Program {
    /// Its name in messages: the run folder, in a job with its rank.
    pub name: String,
    /// Its rank in the job that was given; `None`: it was given by itself.
    pub rank: Option<u32>,
    /// Its run folder.
    pub run: PathBuf,
    /// Its facts as they are now.
    pub facts: Facts,
    /// Its buffers.
    pub pool: PoolFile,
}

/// Outcome of a command.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    Carried(Carried),
    /// The program has not taken it within this time.
    Pending(Duration),
    /// The program has taken it, and was not done within this time.
    UnderWay(Duration),
    /// The program ended before.
    Over,
}

/// A command that was given.
pub struct Asked {
    commands: Commands,
    request: Request,
}

/// The programs that a process, a run folder or the folder of a job stand for.
pub fn programs(given: &OsStr) -> Result<Vec<Program>> {
    if let Some(job) = Job::at(Path::new(given))? {
        job.remark_missing();
        let ranks = job.ranks.iter().map(|rank| {
            let shown = say::shown(&rank.path);
            let name = format!("rank {} ({shown})", rank.number);
            Ok(Program { rank: Some(rank.number), ..Program::running(name, &rank.path)? })
        });
        return those_that_run(ranks);
    }
    let target = inspect::target(given)?;
    Ok(vec![Program::running(say::shown(&target.run), &target.run)?])
}

/// The programs that run here; a line says of each of the others why it gets no command. An error if there is none.
fn those_that_run(all: impl Iterator<Item = Result<Program>>) -> Result<Vec<Program>> {
    let (running, others): (Vec<_>, Vec<_>) = all.partition(Result::is_ok);
    let mut others = others.into_iter().filter_map(Result::err);
    if running.is_empty() {
        return Err(others.next().unwrap_or_else(|| anyhow!("the job has no rank")));
    }
    others.for_each(|why| say::remark(&format!("{why:#}")));
    running.into_iter().collect()
}

/// Gives a command to all programs before it waits for any: the ranks of a job take it at about the same time.
pub fn give(programs: &[Program], command: ControlCommand, wait: Duration) -> Vec<Result<Outcome>> {
    let asked: Vec<_> = programs.iter().map(|program| program.ask(command)).collect();
    let each = programs.iter().zip(asked);
    let outcome = |(program, asked): (&Program, Result<Option<Asked>>)| match asked? {
        Some(asked) => program.wait(asked, wait),
        None => Ok(Outcome::Over),
    };
    each.map(outcome).collect()
}

impl Program {
    /// The fields by which JSON names it.
    pub fn value(&self) -> Value {
        json!({ "rank": self.rank, "pid": self.facts.process.pid, "run": self.run })
    }

    /// The program of a run folder, which must run on this machine.
    fn running(name: String, run: &Path) -> Result<Program> {
        let facts = read_facts(run)?;
        Program::with_facts(name, run, facts)
    }

    /// The program of a run folder by what its facts were a moment ago.
    fn with_facts(name: String, run: &Path, facts: Facts) -> Result<Program> {
        match Life::of_run(run, &facts) {
            Life::Runs => {}
            Life::Over => bail!("{name}: the program has ended"),
            Life::Unknown => bail!(
                "{name}: it is unknown here whether the program runs (another machine or PID namespace): give the command there"
            ),
        }
        match Pool::of(run, &facts)? {
            Pool::Found(pool) => Ok(Program { name, rank: None, run: run.to_owned(), facts, pool }),
            Pool::None => bail!("{name}: the program has ended"),
            // It needs its buffers no more: they are removed when its facts say so, which they may do by now.
            Pool::Missing if matches!(Pool::of(run, &read_facts(run)?)?, Pool::None) => {
                bail!("{name}: the program has ended")
            }
            _ => {
                bail!("{name}: the program's buffers are not here: give the command where it runs")
            }
        }
    }

    /// Gives it a command. Only one at a time can be under way. `None`: the program has ended.
    pub fn ask(&self, command: ControlCommand) -> Result<Option<Asked>> {
        let name = &self.name;
        let commands = match Commands::open(&self.pool) {
            Ok(Some(commands)) => commands,
            Ok(None) => bail!(
                "{name}: the program is recorded by ompttrace {}, which takes no commands from outside",
                say::harmless(&self.facts.tool)
            ),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                bail!("{name}: the program belongs to another user")
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| name.clone()),
        };
        take_turn(&commands).with_context(|| format!("{name}: another command is under way"))?;
        self.remark_replaced(&commands).with_context(|| name.clone())?;
        let request = commands.give(command as u8).with_context(|| name.clone())?;
        Ok(Some(Asked { commands, request }))
    }

    /// Says so if the next command replaces one that the program has not taken.
    fn remark_replaced(&self, commands: &Commands) -> std::io::Result<()> {
        let last = commands.last()?;
        if last.number != 0 && !commands.is_taken(last)? {
            say::remark(&format!(
                "{}: the command before was not taken, and is not carried out",
                self.name
            ));
        }
        Ok(())
    }

    /// Waits until the program has taken a command, or has ended, or the time is over.
    pub fn wait(&self, asked: Asked, most: Duration) -> Result<Outcome> {
        let (started, [mut nap, longest]) = (Instant::now(), LOOKS);
        let answer = || asked.commands.answer(asked.request).with_context(|| self.name.clone());
        let mut life_at = LIFE;
        loop {
            if let Some(carried) = answer()? {
                return Ok(Outcome::Carried(carried));
            }
            let waited = started.elapsed();
            if waited >= life_at {
                life_at = waited + LIFE;
                if Life::at(&self.run) == Life::Over {
                    // It may have taken the command before its end.
                    return Ok(answer()?.map_or(Outcome::Over, Outcome::Carried));
                }
            }
            if waited >= most {
                let is_taken = asked.commands.is_taken(asked.request);
                return Ok(match is_taken.with_context(|| self.name.clone())? {
                    true => Outcome::UnderWay(most),
                    false => Outcome::Pending(most),
                });
            }
            sleep(nap.min(most - waited));
            nap = longest.min(2 * nap);
        }
    }
}

/// Waits until no other process gives commands to the same program; the turn ends when the file is closed.
fn take_turn(commands: &Commands) -> std::io::Result<()> {
    let started = Instant::now();
    loop {
        match flock(commands.file(), FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) if started.elapsed() < TURN => sleep(LOOKS[1]),
            outcome => return Ok(outcome?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::this;
    use ompttrace_recording::FORMAT_VERSION;
    use ompttrace_recording::folder::FACTS;

    /// The program closes its recording between two looks of ours, and still runs.
    #[test]
    fn a_program_that_closes_its_recording_has_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let stored = |facts: &Facts| {
            let text = serde_json::to_string(facts).expect("written");
            std::fs::write(folder.path().join(FACTS), text).expect("stored");
        };
        let pool = Some("/dev/shm/ompttrace.removed".to_owned());
        let format = FORMAT_VERSION;
        let open = Facts { format, little_endian: true, process: this(), pool, ..Facts::default() };
        let refused = |facts| {
            let program = Program::with_facts("it".into(), folder.path(), facts);
            program.err().map(|error| error.to_string()).unwrap_or_default()
        };
        stored(&open);
        assert!(refused(open.clone()).contains("buffers are not here"));
        for [emptied, closed] in [[true, false], [true, true], [false, true]] {
            stored(&Facts { emptied, closed, ..open.clone() });
            assert_eq!(refused(open.clone()), "it: the program has ended", "{emptied} {closed}");
        }
    }
}
