//! The table of calling contexts that Perfetto's package makes of a trace, against the report of the same
//! recording: two ways that share no line of code, the same nanoseconds.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use serde_json::Value;

use super::chains::program;
use super::formats::report;

/// Frames of OpenMP's own and the report's states, of which both know the same.
const STATES: [(&str, &str); 6] = [
    ("<OMP-idle>", "idle"),
    ("<OMP-implicit_barrier>", "wait_barrier_implicit"),
    ("<OMP-explicit_barrier>", "wait_barrier_explicit"),
    ("<OMP-barrier>", "wait_barrier"),
    ("<OMP-taskwait>", "wait_taskwait"),
    ("<OMP-taskgroup>", "wait_taskgroup"),
];

#[test]
fn perfettos_table_of_contexts_says_what_the_report_says() -> Result<()> {
    let settings = [RECORD_ONLY, ("OMPTTRACE_CALLSTACK", "regions")];
    let program = program("chains.c")?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    let run = traced.scratch.only_run()?;
    let mut judged = Judged::exact(&run)?;
    let package = build::root().join("viewer-configs/perfetto/ompttrace");
    judged.judge().register_package(package)?;
    judged.judge().query("include perfetto module ompttrace.contexts")?;
    let expected = times(&report(&run)?)?;
    let mut compared = 0;
    for (frame, state) in STATES {
        let found = judged.lines(&format!(
            "select context || '|' || self_ns from ompttrace_context where frame = '{frame}' order by 1"
        ))?;
        let reported = expected.iter().filter(|((_, reported), _)| reported == state);
        let mut reported: Vec<String> =
            reported.map(|((path, _), ns)| format!("{path} > {frame}|{ns}")).collect();
        reported.sort();
        compared += reported.len();
        ensure!(
            found == reported,
            "{frame}:\n{}\nreport:\n{}",
            found.join("\n"),
            reported.join("\n")
        );
    }
    ensure!(compared > 15, "only {compared} frames");
    let all = "select (select sum(self_ns) from ompttrace_context) \
               - (select sum(end_ts - begin_ts) from ompttrace_thread)";
    ensure!(judged.lines(all)? == ["0"], "not all time: {:?}", judged.lines(all)?);
    let root = "select count(*) from ompttrace_context where depth = 0 and total_ns = \
                (select sum(self_ns) from ompttrace_context) and total_ns = work_ns + wait_ns + idle_ns";
    ensure!(judged.count(root)? == 1, "its root is not the whole");
    Ok(())
}

/// The report's own times above 0, by path and state.
fn times(report: &Value) -> Result<BTreeMap<(String, String), u64>> {
    let (mut paths, mut found) = (Vec::<String>::new(), BTreeMap::new());
    for context in report["contexts"].as_array().context("contexts")? {
        let name = context["name"].as_str().context("a name")?;
        let path = match context["caller"].as_u64() {
            None => name.to_owned(),
            Some(caller) => format!("{} > {name}", paths.get(caller as usize).context("a caller")?),
        };
        for (state, ns) in context["times"].as_object().context("times")? {
            let ns = ns.as_u64().context("a time")?;
            if ns > 0 {
                *found.entry((path.clone(), state.clone())).or_default() += ns;
            }
        }
        paths.push(path);
    }
    Ok(found)
}
