//! Ways to hang, and what is said of each.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::hanging::{On, Running, findings, json, location, look, thread};

/// Checks what is said of one way, on every runtime, while it hangs and when it was killed.
fn check(
    way: &str,
    hangs: impl Fn(&Value) -> bool,
    said: impl Fn(&Value, &On) -> Result<()>,
) -> Result<()> {
    for on in On::all()? {
        let mut running = Running::hanging(&on, way)?;
        let live = running.until(&hangs).with_context(|| format!("{way} on {on:?}"))?;
        let of = |state: &str| format!("{way} on {on:?}, {state}");
        said(&live, &on).with_context(|| of("live"))?;
        assert_eq!(live["running"], true);
        let run = running.kill()?;
        let dead = look(&[&run.display().to_string()])?;
        let dead = json(&dead)?.with_context(|| format!("{dead:?}"))?;
        said(&dead, &on).with_context(|| of("killed"))?;
        assert_eq!(dead["running"], false);
        ensure!(dead["threads"][0]["os"].is_null(), "{dead}");
    }
    Ok(())
}

fn has_text(snapshot: &Value, kind: &str, texts: &[String]) -> Result<()> {
    let found = findings(snapshot, kind);
    let fits = |one: &String| texts.iter().all(|text| one.contains(text.as_str()));
    ensure!(found.iter().any(fits), "no {kind} with {texts:?}: {}", snapshot["findings"]);
    Ok(())
}

/// A region as it is named: GCC's begins with the line of its function.
fn region(on: &On, count: &str, comment: &str) -> Result<String> {
    Ok(match on {
        On::Ompt(_) => format!("{count} threads of parallel {}", location(comment)?),
        On::Libgomp => format!("{count} threads of parallel hangs.c:"),
    })
}

/// Returns true if exactly `count` threads wait for this kind of object.
fn waiting(snapshot: &Value, what: &str, count: usize) -> bool {
    let threads = snapshot["threads"].as_array().into_iter().flatten();
    threads.filter(|thread| thread["waits"]["for"] == what).count() == count
}

#[test]
fn a_thread_missing_at_a_barrier_is_named_with_its_location() -> Result<()> {
    let hangs =
        |seen: &Value| waiting(seen, "barrier", 3) && seen["locks"][0]["holder"].is_object();
    check("barrier", hangs, |seen, on| {
        let (barrier, critical) = (location("barrier")?, location("critical")?);
        let texts = [
            region(on, "3 of 4", "barrier region")?,
            format!("wait at the barrier {barrier}, for "),
            format!("thread 2 is in critical update {critical}, for which no other thread waits"),
        ];
        has_text(seen, "barrier", &texts)?;
        if seen["running"] == true {
            // Where the program is inside the critical section only its call stack says.
            has_text(seen, "barrier", &[format!(", at {} (spin)", location("spin")?)])?;
            let os = &thread(seen, "thread 2")?["os"];
            let names: Vec<_> = os["stack"].as_array().into_iter().flatten().collect();
            let at = |name: &str| names.iter().position(|frame| frame["function"] == name);
            let (spin, caller) =
                (at("spin").context("no spin")?, at("barrier").context("no caller")?);
            ensure!(spin < caller && os["stack_note"].is_null(), "{os}");
        }
        let threads = seen["threads"].as_array().map_or(0, Vec::len);
        assert_eq!(threads, 4, "{seen}");
        Ok(())
    })
}

#[test]
fn locks_that_are_asked_for_in_a_circle_are_a_deadlock() -> Result<()> {
    check(
        "locks",
        |seen| !findings(seen, "deadlock").is_empty(),
        |seen, _| {
            let (first, second) = (location("first lock")?, location("second lock")?);
            let texts = [
                format!(
                    "Deadlock: thread 0 waits for lock a at {second}, which thread 1 holds, taken at {first}"
                ),
                format!(
                    "thread 1 waits for lock b at {second}, which thread 0 holds, taken at {first}"
                ),
            ];
            has_text(seen, "deadlock", &texts)?;
            assert_eq!(findings(seen, "mutex"), [""; 0], "the deadlock says it already");
            Ok(())
        },
    )
}

#[test]
fn the_holder_of_a_contended_critical_section_is_named() -> Result<()> {
    check(
        "contended",
        |seen| waiting(seen, "mutex", 2),
        |seen, _| {
            let location = location("contended")?;
            let texts =
                ["wait for critical update; ".to_owned(), format!("took it at {location} ")];
            has_text(seen, "mutex", &texts)?;
            assert_eq!(findings(seen, "deadlock"), [""; 0]);
            Ok(())
        },
    )
}

#[test]
fn tasks_that_never_begin_are_listed_with_what_they_depend_on() -> Result<()> {
    let created = |seen: &Value| {
        let tasks = seen["tasks"].as_array().map_or(0, Vec::len);
        tasks == 2 && seen["tasks"][0]["state"] == "runs" && !findings(seen, "barrier").is_empty()
    };
    check("tasks", created, |seen, on| {
        let (first, second) = (&seen["tasks"][0], &seen["tasks"][1]);
        assert_eq!(second["state"], "created");
        let spins = thread(seen, "thread 0").or_else(|_| thread(seen, "thread 1"))?;
        ensure!(spins["implicit_tasks"].is_array(), "{spins}");
        // GCC's entry points do not say which task depends on which.
        if matches!(on, On::Ompt(_)) {
            assert_eq!(second["waits_for"][0], first["id"]);
            let (first, second) = (location("first task")?, location("second task")?);
            let text = format!(" {second} depends on task ");
            has_text(seen, "barrier", &[text, first])?;
        }
        Ok(())
    })
}

#[test]
fn a_task_whose_child_asks_for_what_it_holds_is_a_deadlock() -> Result<()> {
    check(
        "held",
        |seen| !findings(seen, "deadlock").is_empty(),
        |seen, on| {
            let (asked, held) = (location("asked lock")?, location("held lock")?);
            let texts =
                [format!("waits for lock a at {asked}, which "), format!(", taken at {held}")];
            has_text(seen, "deadlock", &texts)?;
            if matches!(on, On::Ompt(_)) {
                let tasks = seen["tasks"].as_array().into_iter().flatten();
                let flags: Vec<_> = tasks.map(|task| &task["flags"]).collect();
                ensure!(flags.iter().any(|flags| *flags == "explicit, untied"), "{flags:?}");
            }
            Ok(())
        },
    )
}

#[test]
fn threads_of_nested_teams_have_their_whole_path() -> Result<()> {
    // Before thread 0 is at the end of the outer region, its inner team waits as well.
    let hangs = |seen: &Value| {
        let of_both = ["; thread 0.1.1 ", "; thread 0.1.0 waits"];
        let found = findings(seen, "barrier");
        of_both.iter().all(|thread| found.iter().any(|text| text.contains(thread)))
            && waiting(seen, "barrier", 2)
    };
    check("nested", hangs, |seen, on| {
        let inner = region(on, "1 of 2", "inner region")?;
        let barrier = format!("at the barrier {}, for ", location("inner barrier")?);
        has_text(seen, "barrier", &[inner, barrier, "; thread 0.1.1 ".to_owned()])?;
        let outer = region(on, "1 of 2", "outer region")?;
        let waits = format!("; thread 0.1.0 waits at the barrier {}", location("inner barrier")?);
        has_text(seen, "barrier", &[outer, waits])?;
        let levels = seen["regions"].as_array().into_iter().flatten().map(|one| &one["level"]);
        assert_eq!(levels.collect::<Vec<_>>(), [1, 2]);
        Ok(())
    })
}
