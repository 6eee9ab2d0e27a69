//! The test programs of `tests/programs`: found, compiled once and made ready to run on a runtime.
//! A missing compiler is an error that names its Debian package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::build;
use crate::directives::Directives;
use crate::process;
use crate::runtimes::{LinkedWith, Runtime};

/// One test program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Folder and stem, such as `c/for_static`.
    pub name: String,
    /// Source file of the program.
    pub source: PathBuf,
    /// Directives in the opening comment of the source.
    pub directives: Directives,
    /// The binary's name among all that tests build: its own name unless a test says otherwise.
    pub binary: String,
    /// Other sources, which are compiled before the program's own.
    pub before: Vec<PathBuf>,
    /// Other files that the binary is made of, whose modification times are checked.
    pub inputs: Vec<PathBuf>,
}

/// Every program, sorted by name.
pub fn all() -> Result<Vec<Program>> {
    let mut all = Vec::new();
    for language in ["c", "cpp", "fortran"] {
        let folder = build::root().join("tests/programs").join(language);
        for entry in fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))? {
            all.push(Program::open(language, &entry?.path())?);
        }
    }
    all.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(all)
}

/// The program of that name, such as `c/for_static`.
pub fn by_name(name: &str) -> Result<Program> {
    let found = all()?.into_iter().find(|program| program.name == name);
    found.with_context(|| format!("no test program is called {name}"))
}

/// A program of one test alone, such as `tests/settings/sleeps.c`: not among [`all`].
pub fn of_test(source: &str) -> Result<Program> {
    let source = build::root().join(source);
    let folder = source.parent().and_then(Path::file_name).context("it lies in a folder")?;
    Program::open(&folder.to_string_lossy(), &source)
}

impl Program {
    fn open(language: &str, source: &Path) -> Result<Program> {
        let stem = source.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(source)?;
        let directives = Directives::parse(&text).with_context(|| source.display().to_string())?;
        let name = format!("{language}/{stem}");
        Ok(Program {
            binary: name.clone(),
            name,
            source: source.to_path_buf(),
            directives,
            before: Vec::new(),
            inputs: Vec::new(),
        })
    }

    /// The program with these arguments.
    pub fn with(mut self, arguments: &[&str]) -> Program {
        self.directives.args = arguments.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    /// The last line that it prints when all went well.
    pub fn last_line(&self) -> String {
        format!("ok {}", self.name.rsplit('/').next().unwrap_or_default())
    }

    /// False when its `needs:` name no such runtime.
    pub fn runs_on(&self, runtime: &Runtime) -> bool {
        let needs = &self.directives.needs;
        needs.is_empty() || needs.iter().any(|need| need.is_met_by(runtime))
    }

    /// Compiles it when the binary is not current and returns the binary's path.
    pub fn build(&self) -> Result<PathBuf> {
        let binary = build::target_dir().join("test-programs").join(&self.binary);
        let header = build::root().join("tests/programs/check.h");
        let mut sources = vec![self.source.clone(), header];
        sources.extend(self.inputs.iter().chain(&self.before).cloned());
        if build::is_current(&binary, &sources) {
            return Ok(binary);
        }
        build::make_in_place(&binary, |draft| {
            build::run(&mut self.compile(draft)?, package_of(self.compiler()?)).map(drop)
        })
        .with_context(|| format!("cannot compile {}", self.name))?;
        Ok(binary)
    }

    /// Compiles it and returns the command that runs it on `runtime`, as its directives want it and
    /// free of the caller's own OpenMP settings.
    pub fn command(&self, runtime: &Runtime) -> Result<Command> {
        let mut command = self.command_as_linked()?;
        runtime.put_under(&mut command, self.linked_with()?);
        Ok(command)
    }

    /// Compiles the program and returns the command that runs it on the runtime that it is linked with.
    pub fn command_as_linked(&self) -> Result<Command> {
        let mut command = Command::new(self.build()?);
        process::without_settings(&mut command);
        command.args(&self.directives.args);
        command.env("OMP_NUM_THREADS", self.directives.threads.to_string());
        command.envs(self.directives.env.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }

    /// The program built by GCC, as a binary with a name of its own.
    pub fn by_gcc(&self) -> Program {
        let compiler = match self.source.extension().and_then(|extension| extension.to_str()) {
            Some("cpp") => "g++",
            Some("f90") => "gfortran",
            _ => "gcc",
        };
        let mut program = self.clone();
        program.directives.compiler = Some(compiler.to_owned());
        program.directives.flags.retain(|flag| !flag.starts_with("-fopenmp-version"));
        program.binary = format!("gcc/{}", self.name);
        program
    }

    /// Library whose OpenMP functions the compiler calls.
    pub fn linked_with(&self) -> Result<LinkedWith> {
        let gnu = ["gcc", "g++", "gfortran"].contains(&self.compiler()?);
        Ok(if gnu { LinkedWith::Libgomp } else { LinkedWith::Libomp })
    }

    fn compiler(&self) -> Result<&str> {
        if let Some(compiler) = &self.directives.compiler {
            return Ok(compiler);
        }
        match self.source.extension().and_then(|extension| extension.to_str()) {
            Some("c") => Ok("clang-19"),
            Some("cpp") => Ok("clang++-19"),
            Some("f90") => Ok("gfortran"),
            _ => bail!("{}: no compiler for this kind of file", self.source.display()),
        }
    }

    fn compile(&self, binary: &Path) -> Result<Command> {
        let compiler = self.compiler()?;
        let mut command = Command::new(compiler);
        command.args(["-g", "-O1", "-fopenmp"]).args(&self.before);
        command.arg(&self.source).arg("-o").arg(binary).args(&self.directives.flags);
        // gfortran leaves module files where it stands.
        command.current_dir(binary.parent().context("a binary lies in a folder")?);
        if self.directives.offload {
            command.arg(format!("-fopenmp-targets={}-pc-linux-gnu", std::env::consts::ARCH));
        }
        if compiler.starts_with("flang") {
            // flang 16 links only when asked to, and finds no libomp by itself.
            command.args(["-flang-experimental-exec", "-L/usr/lib/llvm-19/lib", "-lomp"]);
        } else {
            command.args(["-pthread", "-lm"]);
        }
        Ok(command)
    }
}

fn package_of(compiler: &str) -> &'static str {
    match compiler {
        "clang-19" | "clang++-19" => "clang-19 libomp-19-dev",
        "flang-new-16" => "flang-16 libomp-19-dev",
        "gcc" => "gcc",
        "g++" => "g++",
        "gfortran" => "gfortran",
        _ => "(a package that holds it)",
    }
}
