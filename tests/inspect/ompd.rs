//! Agreement of OMPD's answers with the recording: LLVM's library on Intel's runtime, which has the symbols that
//! distributions strip from LLVM's.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::Id;
use ompttrace_tests::fake_runtime::Spy;
use ompttrace_tests::process;
use ompttrace_tests::product::Product;
use ompttrace_tests::{programs, runtimes};
use serde_json::Value;

use super::hanging::{LIBRARY, On, Running, json, look};

fn start(way: &str) -> Result<Running> {
    let mut program = programs::of_test("tests/inspect/hangs.c")?;
    program.directives.env.push(("OMP_DEBUG".into(), "enabled".into()));
    Running::start(&program, &On::Ompt(runtimes::by_name("intel-2026")?), &[way])
}

fn icv(of: &Value, name: &str) -> Option<i64> {
    let icvs = of["icvs"].as_array()?;
    icvs.iter().find(|icv| icv["name"] == name)?["value"].as_str()?.parse().ok()
}

/// The id that the tool gave the runtime for a task or region.
fn id(of: &Value) -> Option<String> {
    Some(Id(of["tool_data"].as_u64()?).started().to_string())
}

/// Everything that both know of the teams and implicit tasks of each thread.
fn compare(snapshot: &Value) -> Result<usize> {
    let ompd = &snapshot["ompd"];
    let threads = ompd["threads"].as_array().context("no threads")?;
    let mut compared = 0;
    for thread in snapshot["threads"].as_array().context("no threads")? {
        let own = threads.iter().find(|one| one["id"] == thread["os"]["id"]);
        let own = own.with_context(|| format!("OMPD does not know {thread}"))?;
        let implicit = thread["implicit_tasks"].as_array().into_iter().flatten().rev();
        for (depth, one) in implicit.filter(|one| one["initial"] == false).enumerate() {
            let index = own["parallels"][depth].as_u64().context("no region")?;
            let parallel = &ompd["parallels"][index as usize];
            ensure!(id(parallel).as_deref() == one["region"].as_str(), "{parallel} {one}");
            assert_eq!(icv(parallel, "team-size-var"), one["team_size"].as_i64(), "{one}");
            if depth == 0 && one["runs"].is_null() {
                assert_eq!(icv(own, "thread-num-var"), one["thread_num"].as_i64(), "{own}");
                let index = own["task"].as_u64().context("no task")?;
                let task = &ompd["tasks"][index as usize];
                ensure!(id(task).as_deref() == one["task"].as_str(), "{task} {one}");
                assert_eq!(icv(task, "implicit-task-var"), Some(1));
                // A thread that has come to the end of a region has left its code.
                let left = one["barrier"]["name"] == "barrier (implicit)";
                ensure!(task["function"].is_u64(), "{task}");
                ensure!(left || task["exit_frame"].is_u64(), "{task}");
            }
            compared += 1;
        }
    }
    Ok(compared)
}

#[test]
fn both_sources_agree_about_teams_and_tasks() -> Result<()> {
    for (way, hung, threads) in [("barrier", 3, 4), ("nested", 2, 4)] {
        let mut running = start(way)?;
        running.until(|seen| {
            let all = seen["threads"].as_array().into_iter().flatten();
            all.filter(|thread| thread["waits"]["for"] == "barrier").count() == hung
        })?;
        let pid = running.child.id().to_string();
        let seen = look(&[&pid, &format!("--ompd={LIBRARY}")])?;
        let snapshot = json(&seen)?.with_context(|| format!("{seen:?}"))?;
        ensure!(compare(&snapshot)? >= threads, "{snapshot}");
        let states = snapshot["ompd"]["threads"].as_array().into_iter().flatten();
        let waiting =
            |state: &Value| state.as_str().is_some_and(|state| state.contains("wait_barrier"));
        let count = states.filter(|thread| waiting(&thread["state"])).count();
        ensure!(count >= hung, "{}", snapshot["ompd"]["threads"]);
        ensure!(running.child.try_wait()?.is_none(), "it went on to its end");
    }
    Ok(())
}

/// The library is named by the user, but is none; the runtime has no symbols; there is no runtime of this kind.
#[test]
fn what_ompd_cannot_say_leaves_the_rest() -> Result<()> {
    let none = std::env::current_exe()?.display().to_string();
    for (on, library, words) in [
        (On::Ompt(runtimes::by_name("intel-2026")?), none.as_str(), "OMPD: "),
        (On::Ompt(runtimes::libomp_19()?), LIBRARY, "was stripped of its symbols"),
        (On::Libgomp, LIBRARY, "no OpenMP runtime with symbols for OMPD is in memory"),
    ] {
        let mut running = Running::hanging(&on, "contended")?;
        running.until(|seen| seen["locks"][0]["holder"].is_object())?;
        let pid = running.child.id().to_string();
        let seen = look(&[&pid, &format!("--ompd={library}")])?;
        let said = String::from_utf8_lossy(&seen.stderr);
        ensure!(said.contains(words), "{on:?}: {said}");
        let snapshot = json(&seen)?.with_context(|| format!("{seen:?}"))?;
        ensure!(snapshot["locks"][0]["holder"].is_object() && snapshot["ompd"].is_null());
    }
    Ok(())
}

#[test]
fn run_makes_a_program_inspectable() -> Result<()> {
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    let words = ["run", "--inspectable", "--", "sh", "-c", "echo debug=$OMP_DEBUG"];
    let output = command.args(words).output()?;
    ensure!(output.stdout == b"debug=enabled\n", "{output:?}");
    Ok(())
}

/// The library's process has no terminal, and none of the files that were open when the command was started.
#[test]
fn the_library_reaches_neither_the_terminal_nor_open_files() -> Result<()> {
    let (mut running, spy) = (start("barrier")?, Spy::build()?);
    running.until(|seen| seen["threads"].is_array())?;
    let (program, pid) = (Product::find()?.program, running.child.id().to_string());
    let library = format!("--ompd={}", spy.runtime.library.display());
    let Some(said) = spy.watch(&[program.to_str().context("text")?, "inspect", &pid, &library])?
    else {
        return Ok(());
    };
    ensure!(said.contains(Spy::NOTHING), "{said}");
    Ok(())
}
