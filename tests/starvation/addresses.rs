//! Addresses count where they are only reserved: for programs that limit their address space, or lock their memory,
//! when they are at work already, the tool takes no more than its threads use.

use super::*;

fn lowers(arguments: &[&str]) -> Result<Program> {
    let mut program = programs::of_test("tests/starvation/lowers.c")?.with(arguments);
    program.inputs.push(build::root().join("tests/programs/counted.h"));
    Ok(program)
}

/// Runs the program on libomp and, built by GCC, on libgomp.
fn on_both(
    arguments: &[&str],
    starve: impl Fn(&mut Command) -> Result<()>,
) -> Result<[Starved; 2]> {
    let program = lowers(arguments)?;
    let run = |program: &Program, by| starved_program(program, by, |_, command| starve(command));
    Ok([run(&program, By::Runtime)?, run(&program.by_gcc(), By::Gomp)?])
}

#[test]
fn a_limit_that_comes_late() -> Result<()> {
    for starved in on_both(&["as", "700"], |_| Ok(()))? {
        starved.is_whole()?;
    }
    Ok(())
}

#[test]
fn a_limit_that_comes_late_to_a_ring() -> Result<()> {
    let ring = |command: &mut Command| {
        command.env("OMPTTRACE_OVERFLOW", "ring");
        Ok(())
    };
    for starved in on_both(&["as", "700"], ring)? {
        starved.is_whole()?;
    }
    Ok(())
}

/// Programs may lock as much memory as users may by default, without the right to lock more.
#[test]
fn locked_memory() -> Result<()> {
    let little = |command: &mut Command| {
        if is_root()? {
            let mut powerless = Command::new("setpriv");
            powerless.args(["--bounding-set", "-ipc_lock", "--inh-caps", "-ipc_lock"]);
            before(powerless, command);
        }
        within("ulimit -l 8192", command);
        Ok(())
    };
    for starved in on_both(&["lock"], little)? {
        starved.is_whole()?;
    }
    Ok(())
}

/// Threads that come to the runtime for the first time when no page can be had any more.
#[test]
fn no_addresses_at_all() -> Result<()> {
    let program = lowers(&["none"])?.by_gcc();
    let starved = starved_program(&program, By::Gomp, |_, _| Ok(()))?;
    let reported = starved.states_losses()?;
    ensure!(
        reported.lost == 60 && starved.run.stderr.lines().count() == 2,
        "{}",
        starved.run.stderr
    );
    Ok(())
}

/// KiB that the program has with eight threads, by its own word.
fn kibibytes(run: &Finished) -> Result<u64> {
    let line = run.stdout.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let number = line.and_then(|rest| rest.split_whitespace().next()).context("a size")?;
    Ok(number.parse()?)
}

#[test]
fn eight_threads_take_what_their_buffers_need() -> Result<()> {
    // Eight threads with two buffers of 16 KiB and two pages each.
    let buffers = 8 * (2 * 16 + 2 * 4);
    let program = lowers(&["size"])?;
    let alone = [
        process::run(&mut program.command(&runtimes::libomp_19()?)?, program.directives.timeout)?,
        process::run(&mut program.by_gcc().command_as_linked()?, program.directives.timeout)?,
    ];
    for (alone, traced) in alone.iter().zip(on_both(&["size"], |_| Ok(()))?) {
        let (alone, with) = (kibibytes(alone)?, kibibytes(&traced.run)?);
        ensure!(with <= alone + buffers + (16 << 10), "{with} KiB, without the tool {alone}");
    }
    Ok(())
}
