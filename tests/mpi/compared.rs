//! Jobs compared with jobs, and jobs of ever more ranks.

use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::Product;
use serde_json::Value;

use super::jobs::Recorded;
use super::judged::{Mpi, without_launcher};

fn run(arguments: &[&str]) -> Result<Output> {
    let mut command = Command::new(Product::find()?.program);
    without_launcher(&mut command);
    Ok(command.args(arguments).output()?)
}

fn json(arguments: &[&str]) -> Result<Value> {
    let output = run(arguments)?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Waits of a report or a comparison, by kind and call site, with the time that `time` leads to. `moved` is the field of a call site
/// at another line, if the wait has one.
fn waits(value: &Value, moved: &str, time: &str) -> Result<Vec<(String, i64)>> {
    let one = |wait: &Value| {
        let [kind, function, location, cause] =
            ["kind", "function", "location", "cause_function"].map(|name| &wait[name]);
        let location = Some(&wait[moved]).filter(|moved| moved.is_string()).unwrap_or(location);
        Some((format!("{kind} {function} {location} {cause}"), wait.pointer(time)?.as_i64()?))
    };
    let all = value["waits"].as_array().context("waits")?;
    let mut all = all.iter().map(one).collect::<Option<Vec<_>>>().context("a time")?;
    all.retain(|(_, time)| *time > 0);
    all.sort();
    Ok(all)
}

#[test]
fn a_comparison_of_jobs_has_what_their_reports_have() -> Result<()> {
    let before = Recorded::new(Mpi::Mpich, "patterns.c", &["late_sender"])?;
    let after = Recorded::new(Mpi::Mpich, "patterns.c", &["barrier"])?;
    let [one, other] = [&before, &after].map(|job| job.folder.to_str().unwrap_or_default());
    let compared = json(&["compare", "--json", one, other])?;
    for (job, side) in [(&before, "before"), (&after, "after")] {
        let report = job.json(&["report", "--json"])?;
        ensure!(compared["wall"][side]["median_ns"] == report["wall_ns"], "{compared:#}");
        ensure!(compared[side]["ranks"] == 2 && compared[side]["runs"] == 1, "{compared:#}");
        let moved = format!("location_{side}");
        let found = waits(&compared, &moved, &format!("/time/{side}/median_ns"))?;
        let wanted = waits(&report, &moved, "/time_ns")?;
        ensure!(!wanted.is_empty() && found == wanted, "{side}: {found:?} instead of {wanted:?}");
        let efficiencies = compared["efficiencies"].as_array().context("efficiencies")?;
        ensure!(efficiencies.len() == 2 + 2 * 7, "{efficiencies:?}");
        for one in efficiencies {
            let name = one["name"].as_str().context("a name")?;
            let wanted = match one["method"].as_str() {
                Some("both") => &report["efficiency"][name],
                method => &report["efficiency"][method.unwrap_or_default()][name],
            };
            ensure!(one[side] == *wanted, "{side}: {one} instead of {wanted}");
        }
        let findings = compared["findings"].as_array().context("findings")?;
        let known = findings.iter().filter(|one| !one[format!("gain_{side}_ns")].is_null()).count();
        let all = report["findings"].as_array().map(Vec::len);
        ensure!(all == Some(known), "{side}: {findings:?}");
    }
    let said = String::from_utf8(run(&["compare", one, other])?.stdout)?;
    for head in ["Efficiencies (POP, hybrid)", "Waits between ranks", "before: "] {
        ensure!(said.contains(head), "{head}: {said}");
    }
    let page = before.folder.with_extension("html");
    json(&["compare", "--json", "--html", page.to_str().context("a path")?, one, other])?;
    ensure!(std::fs::read_to_string(&page)?.contains("Waits between ranks"));
    let gate = run(&["compare", "--fail-above", "5%", one, one])?;
    ensure!(gate.status.code() == Some(0), "{gate:?}");
    // What cannot be compared is said in one line.
    let rank = before.folder.join("rank.0");
    let mixed = [one, rank.to_str().context("a path")?];
    for (arguments, why) in [
        (&["compare", mixed[0], mixed[1]][..], "give jobs only, or the run folders of ranks"),
        (&["compare", "--after-first-region", one, other], "are for runs of one process"),
    ] {
        let output = run(arguments)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_one_line = said.trim_end().lines().count() == 1;
        ensure!(!output.status.success() && said.contains(why) && is_one_line, "{said}");
    }
    Ok(())
}

#[test]
fn jobs_of_more_ranks_and_threads_have_a_step_each() -> Result<()> {
    let program = Mpi::Mpich.compiled("patterns.c")?;
    let program = program.to_str().context("a path")?;
    let launcher = ["--launcher", "mpirun.mpich", "--repeat", "1"];
    let sizes = ["scale", "--json", "--ranks", "2,1", "--threads", "1,2"];
    let scaling = json(&[&sizes[..], &launcher, &["--", program, "barrier"]].concat())?;
    let steps = scaling["steps"].as_array().context("steps")?;
    let of = |step: &Value| (step["ranks"].as_u64(), step["threads"].as_u64());
    let wanted = [(1, 1), (1, 2), (2, 1), (2, 2)].map(|(r, t)| (Some(r), Some(t)));
    ensure!(steps.iter().map(of).eq(wanted), "{steps:#?}");
    for step in steps {
        let parallel = step["efficiency"]["parallel"].as_f64().context("an efficiency")?;
        ensure!(parallel > 0.0 && parallel <= 1.0 && step["runs"] == 1, "{step}");
    }
    // The program has no teams.
    ensure!(steps.iter().all(|step| step["used"] == 1), "{steps:#?}");
    let caveats = scaling["caveats"].as_array().context("caveats")?;
    ensure!(
        caveats.contains(&"With OMP_NUM_THREADS=2 a rank had 1 thread at most.".into()),
        "{caveats:?}"
    );
    // One rank comes late to each barrier: of two ranks the other one waits.
    let balance =
        |at: usize| steps[at]["efficiency"]["multiplicative"]["mpi_load_balance"].as_f64();
    ensure!(balance(0) > balance(2), "{steps:#?}");
    for (launcher, program, why) in [
        ("no-such-launcher", program, "no program no-such-launcher in PATH"),
        ("mpirun.mpich", "false", "with 1 rank of 1 thread mpirun.mpich ended with"),
    ] {
        let output = run(&[
            "scale",
            "--ranks",
            "1",
            "--launcher",
            launcher,
            "--repeat",
            "1",
            "--",
            program,
        ])?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(!output.status.success() && said.contains(why), "{said}");
    }
    Ok(())
}
