//! The comment directives at the top of a test program: `// run: threads=4 env=A=b`. Fortran's begin
//! with `!`. A word that nobody knows is an error, for a typing slip must not switch a check off.
//!
//! | directive | words |
//! |---|---|
//! | `run:` | `threads=N` (OMP_NUM_THREADS), `env=NAME=value`, `args=a,b`, `exit=CODE`, `signal=N`, `timeout=SECONDS` |
//! | `build:` | `compiler=clang-19`, `flags=-a,-b`, `offload` (kernels for the host as a device) |
//! | `needs:` | `libomp>=19`, `intel>=2025`, `offload`: one that fits the runtime is enough |
//! | `expect:` | what must be counted, see `expectations` |

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::expectations::Expectation;
use crate::runtimes::{Family, Runtime};

/// Directives of one program.
#[derive(Clone, Debug)]
pub struct Directives {
    /// Value of OMP_NUM_THREADS.
    pub threads: u32,
    /// Other environment variables.
    pub env: Vec<(String, String)>,
    /// Arguments of the command line.
    pub args: Vec<String>,
    /// The end that counts as success.
    pub end: End,
    /// Time limit of a run.
    pub timeout: Duration,
    /// Compiler to use instead of the language's default.
    pub compiler: Option<String>,
    /// Additional compiler flags.
    pub flags: Vec<String>,
    /// True if the program is compiled with kernels for the host as a device.
    pub offload: bool,
    /// Runtimes that can run the program; empty if all can.
    pub needs: Vec<Need>,
    /// Counts that the specification guarantees.
    pub expect: Vec<Expectation>,
}

/// Way in which a program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The program exits with this code.
    Exit(i32),
    /// This signal terminates the program.
    Signal(i32),
}

/// A runtime that can run the program.
#[derive(Clone, Debug)]
pub enum Need {
    /// One of this family, from this version on.
    AtLeast(Family, u32),
    /// One that comes with libomptarget and a plugin for the host.
    Offload,
}

impl Need {
    /// True when the runtime meets it.
    pub fn is_met_by(&self, runtime: &Runtime) -> bool {
        match self {
            Need::AtLeast(family, version) => {
                runtime.family == *family && runtime.version >= *version
            }
            Need::Offload => runtime.offload,
        }
    }
}

impl Default for Directives {
    fn default() -> Directives {
        Directives {
            threads: 4,
            env: Vec::new(),
            args: Vec::new(),
            end: End::Exit(0),
            timeout: Duration::from_secs(60),
            compiler: None,
            flags: Vec::new(),
            offload: false,
            needs: Vec::new(),
            expect: Vec::new(),
        }
    }
}

impl Directives {
    /// Reads the comment lines that open a source text.
    pub fn parse(source: &str) -> Result<Directives> {
        let mut directives = Directives::default();
        for (number, line) in source.lines().enumerate() {
            let Some(comment) = comment(line) else { break };
            let Some((key, words)) = comment.split_once(':') else { continue };
            for word in words.split_whitespace() {
                let known = directives.take(key.trim(), word);
                if !known.with_context(|| format!("line {}: {word:?}", number + 1))? {
                    break;
                }
            }
        }
        Ok(directives)
    }

    /// Takes one word in; false when the line is no directive but prose with a colon in it.
    fn take(&mut self, directive: &str, word: &str) -> Result<bool> {
        match directive {
            "run" => self.take_run(word)?,
            "build" => self.take_build(word)?,
            "needs" => self.needs.push(need(word)?),
            "expect" => self.expect.push(word.parse()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn take_run(&mut self, word: &str) -> Result<()> {
        let (key, value) = word.split_once('=').context("key=value wanted")?;
        match key {
            "threads" => self.threads = value.parse()?,
            "env" => {
                let (name, value) = value.split_once('=').context("env=NAME=value wanted")?;
                self.env.push((name.to_string(), value.to_string()));
            }
            "args" => self.args = list(value),
            "exit" => self.end = End::Exit(value.parse()?),
            "signal" => self.end = End::Signal(value.parse()?),
            "timeout" => self.timeout = Duration::from_secs(value.parse()?),
            _ => bail!("run: knows no {key}"),
        }
        Ok(())
    }

    fn take_build(&mut self, word: &str) -> Result<()> {
        match word.split_once('=') {
            None if word == "offload" => self.offload = true,
            Some(("compiler", name)) => self.compiler = Some(name.to_string()),
            Some(("flags", flags)) => self.flags = list(flags),
            _ => bail!("build: knows no {word}"),
        }
        Ok(())
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::to_string).collect()
}

fn comment(line: &str) -> Option<&str> {
    line.strip_prefix("//").or_else(|| line.strip_prefix('!')).map(str::trim)
}

fn need(word: &str) -> Result<Need> {
    if word == "offload" {
        return Ok(Need::Offload);
    }
    let (family, version) = word.split_once(">=").context("family>=version or offload wanted")?;
    let family = match family {
        "libomp" => Family::Llvm,
        "intel" => Family::Intel,
        _ => bail!("no runtime family is called {family}"),
    };
    ensure!(!version.is_empty(), "a version is wanted");
    Ok(Need::AtLeast(family, version.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_no_directive_and_a_slip_is_an_error() {
        let fine = "// Two roots: each with a team.\n// run: threads=2 env=A=b=c\n\n// run: bad\n";
        let read = Directives::parse(fine).unwrap();
        assert_eq!(read.threads, 2);
        assert_eq!(read.env, [("A".to_string(), "b=c".to_string())]);
        assert!(Directives::parse("// run: thread=2").is_err());
        assert!(Directives::parse("// needs: libomp>19").is_err());
        assert!(Directives::parse("! expect: paralel_begin=1").is_err());
    }
}
