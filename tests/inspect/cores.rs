//! A core file of a program that hangs says by OMPD and by its call stacks what the program itself said.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileExt;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::{build, runtimes};
use serde_json::{Value, json};

use super::hanging::{LIBRARY, On, Running, json as answer_of, location, look};

/// Time limit for reading a damaged core.
const LIMIT: Duration = Duration::from_secs(30);

/// Parts of OMPD's answer that do not change between inspections, by thread: waiting threads still change in the kernel.
fn settled(answer: &Value) -> BTreeMap<u64, Value> {
    let region = |at: &Value| answer["parallels"][at.as_u64().unwrap_or(u64::MAX) as usize].clone();
    let threads = answer["threads"].as_array().into_iter().flatten();
    let settled = threads.map(|thread| {
        let regions = thread["parallels"].as_array().into_iter().flatten().map(region);
        let known = json!([thread["icvs"], regions.collect::<Vec<_>>(), thread["tool_data"]]);
        (thread["id"].as_u64().unwrap_or_default(), known)
    });
    settled.collect()
}

/// The thread's number among its variables.
fn number(icvs: &Value) -> Option<u64> {
    let icv = icvs.as_array()?.iter().find(|icv| icv["name"] == "thread-num-var")?;
    icv["value"].as_str()?.parse().ok()
}

/// Hangs at a barrier, and is ready for OMPD.
fn program() -> Result<Program> {
    let mut program = programs::of_test("tests/inspect/hangs.c")?;
    program.directives.env.push(("OMP_DEBUG".into(), "enabled".into()));
    Ok(program)
}

fn hangs(running: &mut Running) -> Result<()> {
    let hung = |seen: &Value| {
        let all = seen["threads"].as_array().into_iter().flatten();
        all.filter(|thread| thread["waits"]["for"] == "barrier").count() == 3
    };
    running.until(hung).map(drop)
}

/// Writes a core file of it.
fn core_of(running: &Running) -> Result<String> {
    let pid = running.child.id().to_string();
    let core = running.scratch.path().join("core");
    let mut gcore = Command::new("gcore");
    build::run(gcore.arg("-o").arg(&core).arg(&pid), "gdb")?;
    Ok(format!("{}.{pid}", core.display()))
}

fn seen(arguments: &[&str]) -> Result<Value> {
    let look = look(arguments)?;
    answer_of(&look)?.with_context(|| format!("{look:?}"))
}

/// The program's own frames of a stack: function, location, and whether OMPD gives it a task.
fn own_frames(stack: &Value) -> Vec<(String, String, bool)> {
    let frames = stack.as_array().into_iter().flatten().filter(|frame| frame["system"] == false);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let known = |frame: &Value| {
        (text(&frame["function"]), text(&frame["location"]), frame["task"].is_u64())
    };
    frames.map(known).collect()
}

/// The frames of each thread, by its id.
fn stacks(threads: &Value, stack: impl Fn(&Value) -> (u64, Value)) -> Stacks {
    let threads = threads.as_array().into_iter().flatten().map(stack);
    threads.map(|(id, stack)| (id, own_frames(&stack))).collect()
}

type Stacks = BTreeMap<u64, Vec<(String, String, bool)>>;

fn id(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

#[test]
fn a_core_says_what_the_process_said() -> Result<()> {
    let on = On::Ompt(runtimes::by_name("intel-2026")?);
    let mut running = Running::start(&program()?, &on, &["barrier"])?;
    hangs(&mut running)?;
    let library = format!("--ompd={LIBRARY}");
    let live = seen(&[&running.child.id().to_string(), &library])?;
    let path = core_of(&running)?;
    running.kill()?;
    let dead = seen(&[&path, &library])?;
    assert_eq!(settled(&dead["ompd"]), settled(&live["ompd"]));
    let numbers = settled(&dead["ompd"]).into_values().map(|known| number(&known[0]));
    assert_eq!(numbers.collect::<BTreeSet<_>>(), (0..4).map(Some).collect());
    let of_live =
        stacks(&live["threads"], |one| (id(&one["os"]["id"]), one["os"]["stack"].clone()));
    let of_core = stacks(&dead["threads"], |one| (id(&one["id"]), one["stack"].clone()));
    assert_eq!(of_core, of_live);
    let all: Vec<_> = of_core.values().flatten().collect();
    ensure!(all.iter().all(|(_, _, has_task)| *has_task), "{of_core:?}");
    let spins = all.iter().filter(|(function, at, _)| {
        function == "spin" && at == &location("spin").unwrap_or_default()
    });
    assert_eq!((spins.count(), of_core.len()), (1, 4), "{of_core:?}");
    let main = all.iter().filter(|(function, ..)| function == "main");
    assert_eq!(main.count(), 1, "{of_core:?}");
    damaged(&path)?;
    // Half of it is an error or says less, in one line.
    let file = std::fs::File::options().write(true).open(&path)?;
    file.set_len(file.metadata()?.len() / 2)?;
    let half = look(&[&path, &library])?;
    ensure!(answer_of(&half)?.is_none(), "{half:?}");
    Ok(())
}

/// No byte of the headers, the notes or a stack is believed: each look ends, with an answer or in one line.
fn damaged(path: &str) -> Result<()> {
    const ROUNDS: u64 = 24;
    let file = std::fs::File::options().read(true).write(true).open(path)?;
    let length = file.metadata()?.len();
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    for round in 0..ROUNDS {
        let mut next = |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        // gdb writes the headers first and the notes last.
        let at = if round % 2 == 0 { 64 + next(2400) } else { length - 1 - next(18_000) };
        let (mut before, damage) = ([0], [[0, 0xff, 0x7f, next(256) as u8][next(4) as usize]]);
        file.read_exact_at(&mut before, at)?;
        file.write_all_at(&damage, at)?;
        let started = Instant::now();
        let seen = look(&[path, "--ompd=/nowhere"])?;
        if !seen.status.success() {
            let said = String::from_utf8_lossy(&seen.stderr);
            ensure!(seen.status.code() == Some(1) && said.lines().count() <= 2, "{at}: {seen:?}");
        }
        ensure!(started.elapsed() < LIMIT, "byte {at}: {:?}", started.elapsed());
        file.write_all_at(&before, at)?;
    }
    Ok(())
}

/// A program that was moved, or another file at its path: names come from the right file only.
#[test]
fn a_core_finds_its_program_where_the_user_says() -> Result<()> {
    let on = On::Ompt(runtimes::libomp_19()?);
    let (mut running, here) = Running::copied(&program()?, &on, &["barrier"], "was-here")?;
    hangs(&mut running)?;
    let core = core_of(&running)?;
    let moved = running.scratch.path().join("is-here");
    std::fs::rename(&here, &moved)?;
    running.child.kill()?;
    let names = |seen: &Value| {
        let threads = seen["threads"].as_array().into_iter().flatten();
        let frames: Vec<_> = threads.flat_map(|thread| own_frames(&thread["stack"])).collect();
        frames.iter().filter(|(function, ..)| function == "spin").count()
    };
    let why =
        |seen: &Value| seen["files_left_out"][0]["why"].as_str().unwrap_or_default().to_owned();
    let gone = seen(&[&core])?;
    ensure!(names(&gone) == 0 && why(&gone).contains("No such file"), "{gone}");
    std::fs::copy("/bin/true", &here)?;
    let another = seen(&[&core])?;
    ensure!(names(&another) == 0 && why(&another).contains("is not the file"), "{another}");
    let given = seen(&[&core, "--exe", &moved.display().to_string()])?;
    ensure!(names(&given) == 1 && given["files_left_out"][0].is_null(), "{given}");
    let wrong = look(&[&core, "--exe", "/bin/true"])?;
    let said = String::from_utf8_lossy(&wrong.stderr);
    ensure!(
        answer_of(&wrong)?.is_none() && said.contains("/bin/true: it is not the file"),
        "{said}"
    );
    Ok(())
}
