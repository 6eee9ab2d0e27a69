//! gdb with LLVM's own OMPD plug-in as the judge of ours: every internal control variable of each thread, its region and its
//! task, and the states and functions of the threads of its team.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::{build, programs, runtimes};
use serde_json::Value;

use super::hanging::{LIBRARY, On, Running, json, look};

/// Of libomp-19-dev.
const PLUG_IN: &str = "/usr/lib/llvm-19/share/gdb/python/ompd/__init__.py";
/// Its own function for messages takes no line feed.
const REPAIR: &str = "python import ompd_callbacks; ompd_callbacks._print = lambda *_: None";

/// What gdb says of a thread: variables by name with their scope and value, and of its innermost team the state and
/// function of each thread's task.
#[derive(Debug, Default)]
struct Said {
    icvs: BTreeMap<String, (String, String)>,
    team: Vec<(String, u64)>,
}

/// All that gdb says, by the kernel's id of the thread.
fn asked(pid: &str) -> Result<BTreeMap<u64, Said>> {
    // The runtime names the library that gdb is to load; this one knows how to work with gdb.
    let folder = tempfile::tempdir()?;
    symlink(LIBRARY, folder.path().join("libiomp5_db.so"))?;
    let mut gdb = Command::new("gdb");
    gdb.env("LD_LIBRARY_PATH", folder.path()).args(["-nx", "-q", "-batch", "-p", pid]);
    let source = format!("source {PLUG_IN}");
    let (each, of_team) = ("thread apply all -s ompd icvs", "thread apply all -s ompd parallel");
    for command in
        ["set pagination off", &source, REPAIR, "ompd init", "ompd threads", each, of_team]
    {
        gdb.args(["-ex", command]);
    }
    let output = build::run(&mut gdb, "gdb")?;
    let text = String::from_utf8_lossy(&output).into_owned();
    let said = parse(&text);
    ensure!(!said.is_empty(), "{text}");
    Ok(said)
}

fn parse(text: &str) -> BTreeMap<u64, Said> {
    let mut all: BTreeMap<u64, Said> = BTreeMap::new();
    let (mut thread, mut regions) = (0, 0);
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once(" (LWP ").filter(|_| line.starts_with("Thread ")) {
            thread = rest.split(')').next().and_then(|id| id.parse().ok()).unwrap_or(0);
            regions = 0;
        }
        regions += usize::from(line.starts_with("Parallel Region: "));
        let (first, rest) = line.trim().split_once(' ').unwrap_or((line, ""));
        let (second, value) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        if first.ends_with("-var") {
            let icv = (second.to_owned(), value.trim().to_owned());
            all.entry(thread).or_default().icvs.insert(first.to_owned(), icv);
        } else if regions == 1 && line.contains(" ompt_state_") {
            let words = line.trim().trim_start_matches(|letter: char| letter.is_ascii_digit());
            let words: Vec<_> =
                words.trim().trim_start_matches("(master)").split_whitespace().collect();
            let function = words.get(2).and_then(|word| word.strip_prefix("0x"));
            let function = function.and_then(|hex| u64::from_str_radix(hex, 16).ok());
            let known = (words.first().copied().unwrap_or_default(), function.unwrap_or_default());
            all.entry(thread).or_default().team.push((known.0.to_owned(), known.1));
        }
    }
    all
}

fn at(list: &Value, place: &Value) -> Value {
    place.as_u64().map_or(Value::Null, |at| list[at as usize].clone())
}

/// Our own value of a variable of a thread.
fn own(ompd: &Value, thread: &Value, name: &str, scope: &str) -> Option<String> {
    let of = match scope {
        "address_space" => ompd.clone(),
        "thread" => thread.clone(),
        "parallel" => at(&ompd["parallels"], &thread["parallels"][0]),
        _ => at(&ompd["tasks"], &thread["task"]),
    };
    let icv = of["icvs"].as_array()?.iter().find(|icv| icv["name"] == name)?;
    Some(icv["value"].as_str()?.trim().to_owned())
}

/// The states and functions of the threads in a thread's innermost region.
fn team(ompd: &Value, thread: &Value) -> Vec<(String, u64)> {
    let threads = ompd["threads"].as_array().into_iter().flatten();
    let same = threads.filter(|other| other["parallels"][0] == thread["parallels"][0]);
    let mut team: Vec<_> = same
        .map(|other| {
            let state = other["state"].as_str().unwrap_or_default().to_owned();
            let task = at(&ompd["tasks"], &other["task"]);
            (state, task["function"].as_u64().unwrap_or_default())
        })
        .collect();
    team.sort();
    team
}

/// How much of what gdb says was compared.
fn compare(ompd: &Value, said: &BTreeMap<u64, Said>) -> Result<(usize, usize)> {
    let (mut icvs, mut teams) = (0, 0);
    for thread in ompd["threads"].as_array().context("no threads")? {
        let Some(judge) = thread["id"].as_u64().and_then(|id| said.get(&id)) else { continue };
        for (name, (scope, value)) in &judge.icvs {
            let own = own(ompd, thread, name, scope);
            ensure!(own.as_deref() == Some(value), "{name} of {thread}: {own:?}, gdb: {value}");
            icvs += 1;
        }
        let (own, mut wanted) = (team(ompd, thread), judge.team.clone());
        wanted.sort();
        // Who is in a region inside of it is not in this one as its innermost.
        ensure!(own.iter().all(|one| wanted.contains(one)), "{own:?} {judge:?}");
        teams += usize::from(own == wanted);
    }
    Ok((icvs, teams))
}

#[test]
fn gdb_says_the_same() -> Result<()> {
    let intel = runtimes::intel_for_debuggers()?;
    for (way, hung, threads) in [("barrier", 3, 4), ("nested", 2, 2)] {
        let mut program = programs::of_test("tests/inspect/hangs.c")?;
        program.directives.env.push(("OMP_DEBUG".into(), "enabled".into()));
        let mut running = Running::start(&program, &On::Ompt(intel.clone()), &[way])?;
        running.until(|seen| {
            let all = seen["threads"].as_array().into_iter().flatten();
            all.filter(|thread| thread["waits"]["for"] == "barrier").count() == hung
        })?;
        let pid = running.child.id().to_string();
        // Without a name it is Intel's own library, which lies beside the runtime.
        for option in [format!("--ompd={LIBRARY}"), "--ompd".to_owned()] {
            let seen = look(&[&pid, &option])?;
            let snapshot = json(&seen)?.with_context(|| format!("{seen:?}"))?;
            let (icvs, teams) = compare(&snapshot["ompd"], &asked(&pid)?)
                .with_context(|| format!("{way}, {option}: {}", snapshot["ompd"]))?;
            ensure!(icvs >= 20 * threads && teams >= threads, "{way}: {icvs} and {teams}");
        }
    }
    Ok(())
}
