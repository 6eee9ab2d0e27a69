//! Compiles the baseline tools and the loads into `target/bench`.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

const TOOLS: [&str; 6] = ["null", "tsc", "raw", "otf2", "count", "collector"];

/// Compiles everything and hands back the folder.
pub fn build<'p>(programs: impl Iterator<Item = &'p str>) -> Result<PathBuf> {
    let folder = shell::target_dir().join("bench");
    std::fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    let otf2 = shell::output(shell::command("pkg-config").args(["--cflags", "--libs", "otf2"]))?;
    for tool in TOOLS {
        let mut flags = vec!["-shared", "-fPIC", "-Wl,-z,nodelete"];
        if tool == "otf2" {
            flags.extend(otf2.split_whitespace());
        }
        compile(&format!("tools/{tool}.c"), &flags, &folder.join(format!("{tool}.so")))?;
    }
    direct(&folder)?;
    loads(programs)
}

/// Compiles loads and hands back their folder.
pub fn loads<'p>(programs: impl Iterator<Item = &'p str>) -> Result<PathBuf> {
    let folder = shell::target_dir().join("bench");
    std::fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    for program in programs {
        compile(&format!("loads/{program}.c"), &["-fopenmp"], &folder.join(program))?;
    }
    Ok(folder)
}

/// Compiles `KIND_CALLS_FRAMEPOINTERS`: what is made in this many calls, with frame pointers kept or none.
pub fn calling(program: &str, folder: &Path) -> Result<()> {
    let words: Vec<&str> = program.split('_').collect();
    let [kind, calls, frame_pointers] = words[..] else { bail!("no kind, calls and kept or none") };
    let kept = if frame_pointers == "kept" { "no-omit" } else { "omit" };
    let kept = format!("-f{kept}-frame-pointer");
    let (kind, calls) = (format!("-DKIND_{kind}=1"), format!("-DDEPTH={calls}"));
    compile("loads/stacks.c", &["-fopenmp", &kind, &calls, &kept], &folder.join(program))
}

/// Compiles loads for libgomp, and hands back their folder.
pub fn by_gcc<'p>(programs: impl Iterator<Item = &'p str>) -> Result<PathBuf> {
    let folder = shell::target_dir().join("bench/gcc");
    std::fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
    for program in programs {
        compile_by("gcc", &format!("loads/{program}.c"), &["-fopenmp"], &folder.join(program))?;
    }
    Ok(folder)
}

/// Compiles `observed_KIND` with the test runtime that has the Collector API and no other.
pub fn on_collector_runtime(program: &str, folder: &Path) -> Result<()> {
    let (source, kind) = program.split_once('_').context("observed_KIND")?;
    let kind = format!("-DOBSERVED={kind}");
    // Valgrind 3.19 gives up on clang's DWARF 5 of two sources.
    let flags = [&kind, "-gdwarf-4", "tests/runtimes/collector.c", "-pthread", "-rdynamic"];
    compile(&format!("loads/{source}.c"), &flags, &folder.join(program))
}

/// Compiles the program that calls callbacks directly into `folder`.
pub fn direct(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
    compile("direct.c", &[], &folder.join("direct"))
}

pub fn compile(source: &str, flags: &[&str], output: &Path) -> Result<()> {
    compile_by("clang-19", source, flags, output)
}

fn compile_by(compiler: &str, source: &str, flags: &[&str], output: &Path) -> Result<()> {
    let mut compiler = shell::command(compiler);
    compiler.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror"]);
    // Libraries come after what needs them.
    compiler.arg(format!("tests/bench/{source}")).arg("-o").arg(output).args(flags).arg("-lm");
    shell::run(&mut compiler)
}
