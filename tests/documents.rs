//! The commands in README.md and the pages of `docs` work as they stand there: each is executed, page by page, in a folder with the
//! programs that the pages speak of, unless [`NOT_EXECUTED`] says why not. Commands are the lines of code blocks without a language.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::directives::End;
use ompttrace_tests::process;
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::Scratch;

use crate::cures;

/// Programs of `examples` that pages speak of, and the name that they have there.
const PROGRAMS: [(&str, &str); 4] = [
    ("heat", "heat"),
    ("heat", "program"),
    ("imbalance", "imbalance"),
    ("imbalance-cured", "imbalance-cured"),
];

/// Commands that are not executed: how they begin, and why not.
const NOT_EXECUTED: &[(&str, &str)] = &[
    ("cargo xtask", "runs for minutes; CI is one of them"),
    ("cd viewer-configs/sql", "queries: tests/tables"),
    ("duckdb", "queries: tests/tables"),
    ("ls -d heat.*/ | xargs", "a thousand ranks: cargo xtask many-ranks"),
    ("mpirun", "MPI: tests/mpi"),
    ("ompttrace export program.2043019265", "MPI: tests/mpi"),
    ("ompttrace report program.2043019265", "MPI: tests/mpi"),
    ("ompttrace view program.2043019265", "MPI: tests/mpi"),
    (
        "ompttrace compare before after --fail-above",
        "its exit status depends on the machine: tests/command",
    ),
    ("ompttrace inspect", "a process that hangs: tests/inspect"),
    ("ompttrace view --open", "starts a browser: tests/views"),
    ("ompttrace run -- python3 script.py", "tests/gomp has Python programs"),
    ("OMP_TOOL_LIBRARIES=/opt/", "a path of an installation: every test of `By::Runtime`"),
    ("clang-19 -fopenmp prog.c", "tests/control links the tool into a program"),
];

/// Longer than any command takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// README.md and the pages directly in `docs`.
fn pages() -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(build::root().join("docs"))?.collect::<Result<Vec<_>, _>>()?;
    let paths = entries.into_iter().map(|entry| entry.path());
    let mut pages: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.push(build::root().join("README.md"));
    pages.sort();
    Ok(pages)
}

/// The blocks of commands on a page. What follows two spaces and a `#` is a remark.
fn blocks(page: &str) -> Vec<Vec<String>> {
    let (mut blocks, mut open): (Vec<Vec<String>>, Option<bool>) = (Vec::new(), None);
    for line in page.lines() {
        match (line.strip_prefix("```"), open) {
            (Some(language), None) => {
                open = Some(language.is_empty());
                blocks.extend(language.is_empty().then(Vec::new));
            }
            (Some(_), Some(_)) => open = None,
            (None, Some(true)) => {
                let command = line.split("  #").next().unwrap_or_default().trim();
                blocks.last_mut().into_iter().for_each(|block| block.push(command.to_owned()));
            }
            (None, _) => {}
        }
    }
    blocks
}

fn is_executed(command: &str) -> bool {
    !NOT_EXECUTED.iter().any(|(begin, _)| command.starts_with(begin))
}

/// A folder with the programs.
fn sandbox() -> Result<Scratch> {
    let (scratch, built) = (Scratch::new()?, cures::built()?);
    for (program, name) in PROGRAMS {
        fs::copy(built.join(program), scratch.path().join(name))?;
    }
    let source = build::root().join("examples/imbalance/imbalance.c");
    fs::copy(source, scratch.path().join("imbalance.c"))?;
    Ok(scratch)
}

/// Run folders are removed: a pattern such as `heat.*.ompttrace` is to lead to one.
fn forget_runs(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "ompttrace") {
            fs::remove_dir_all(path)?;
        }
    }
    Ok(())
}

fn execute(command: &str, folder: &Path) -> Result<()> {
    let product = Product::find()?.program;
    let bin = product.parent().context("the command is in a folder")?;
    let path = format!("{}:{}", bin.display(), std::env::var("PATH")?);
    let mut shell = Command::new("sh");
    process::without_settings(&mut shell);
    shell.args(["-c", command]).env("PATH", path).env("OMP_NUM_THREADS", "2").current_dir(folder);
    let run = process::run(&mut shell, LIMIT)?;
    ensure!(run.ended_by(End::Exit(0)), "`{command}`: {run:?}");
    Ok(())
}

/// Executes the commands of a page, one after the other; returns how many.
fn walk(page: &Path) -> Result<usize> {
    let (folder, mut executed, mut has_run) = (sandbox()?, 0, false);
    let folder = folder.path();
    for block in blocks(&fs::read_to_string(page)?) {
        let records = |command: &String| {
            ["ompttrace run", "ompttrace report -- "].iter().any(|begin| command.starts_with(begin))
        };
        if block.iter().any(records) {
            forget_runs(folder)?;
        } else if !has_run {
            // A page may begin where another one has recorded.
            execute("ompttrace run -- ./heat && ompttrace run -- ./imbalance", folder)?;
        }
        has_run = true;
        for command in block.iter().filter(|command| is_executed(command)) {
            execute(command, folder)?;
            executed += 1;
        }
    }
    Ok(executed)
}

#[test]
fn the_commands_of_every_page_work() -> Result<()> {
    let mut executed = 0;
    for page in pages()? {
        executed += walk(&page).with_context(|| format!("{}", page.display()))?;
    }
    ensure!(executed > 20, "only {executed} commands were executed");
    Ok(())
}

/// Each reason is still needed.
#[test]
fn what_is_not_executed_is_still_there() -> Result<()> {
    let mut commands = BTreeSet::new();
    for page in pages()? {
        commands.extend(blocks(&fs::read_to_string(page)?).into_iter().flatten());
    }
    for (begin, _) in NOT_EXECUTED {
        ensure!(
            commands.iter().any(|command| command.starts_with(begin)),
            "no page has `{begin}` any more"
        );
    }
    Ok(())
}
