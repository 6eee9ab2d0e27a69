//! Lists that an event carries (dependences of a task, iterations of a doacross loop): every entry of them
//! in each format, as other people's readers show it, and the arrows between iterations.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::soundness;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};
use serde_json::Value;

/// The traces of one run.
struct Exported {
    export: Value,
    info: Value,
    traces: Vec<PathBuf>,
}

impl Exported {
    fn of(traced: &Traced) -> Result<Exported> {
        let (product, run) = (Product::find()?, traced.scratch.only_run()?);
        let mut command = Command::new(&product.program);
        command.args(["export", "--json", "--view", "threads", "--format", "perfetto,chrome,otf2"]);
        let export: Value = serde_json::from_slice(&build::run(command.arg(&run), "")?)?;
        let traces = export["traces"].as_array().context("traces")?.iter();
        let traces = traces.filter_map(Value::as_str).map(PathBuf::from).collect();
        Ok(Exported { info: product.info(&run)?, export, traces })
    }

    fn judged(&self) -> Result<Judged> {
        Judged::of(&self.traces[0], self.export.clone(), self.info.clone())
    }

    /// The lists of this name in the Chrome trace: JSON arrays.
    fn in_chrome(&self, name: &str) -> Result<Vec<Value>> {
        let events: Vec<Value> = serde_json::from_slice(&fs::read(&self.traces[1])?)?;
        let lists = events.iter().filter_map(|event| event["args"].get(name)).cloned();
        Ok(lists.collect())
    }

    /// The same as OTF2's attributes, by python3-otf2: `name[0]=…` for each event that has one.
    fn in_otf2(&self, name: &str) -> Result<Vec<String>> {
        let script = build::root().join("tests/lists/attributes.py");
        let mut command = Command::new("/usr/bin/python3");
        let output =
            build::run(command.arg(script).arg(&self.traces[2]).arg(name), "python3-otf2")?;
        Ok(String::from_utf8(output)?.lines().map(str::to_owned).collect())
    }
}

/// A program of this test on libomp, and on libgomp as GCC builds it.
fn recorded(program: &str) -> Result<[Traced; 2]> {
    let program = programs::of_test(&format!("tests/lists/{program}.c"))?;
    let libomp = runtimes::libomp_19()?;
    let traced = traced::run(&program, &libomp, By::Runtime, &[RECORD_ONLY])?;
    Ok([traced, on_libgomp(&program)?])
}

fn on_libgomp(program: &Program) -> Result<Traced> {
    traced::run_as_linked(&program.by_gcc(), By::Gomp, &[RECORD_ONLY])
}

/// The address that the program has no name for, as it prints it.
fn address(traced: &Traced) -> Result<String> {
    let printed = &traced.run.stdout;
    let address = printed.lines().find(|line| line.starts_with("0x")).context("an address")?;
    Ok(address.to_owned())
}

#[test]
fn every_dependence_of_a_task_is_in_every_format() -> Result<()> {
    for (traced, others_first) in recorded("dependences")?.iter().zip([false, true]) {
        let (exported, fourth) = (Exported::of(traced)?, address(traced)?);
        let mut wanted =
            ["in first", "inout second", "inout third+0x8"].map(str::to_owned).to_vec();
        wanted.push(format!("in {fourth}"));
        if others_first {
            // libgomp's lists have what is written first.
            wanted = [1, 2, 0, 3].map(|at: usize| wanted[at].clone()).to_vec();
        }
        let mut judged = exported.judged()?;
        let keys = judged.lines(
            "select a.key, a.display_value from slice s join args a using (arg_set_id) where \
             s.name glob 'create task*' and a.flat_key = 'debug.dependences' order by a.key",
        )?;
        let numbered = (0..).zip(&wanted);
        let numbered: Vec<_> =
            numbered.map(|(at, one)| format!("debug.dependences[{at}]|{one}")).collect();
        ensure!(keys == numbered, "Perfetto: {keys:?}");
        ensure!(soundness::faults(&mut judged)?.is_empty(), "the trace has faults");
        let chrome = exported.in_chrome("dependences")?;
        ensure!(chrome == [Value::from(wanted.clone())], "Chrome: {chrome:?}");
        let attributes = exported.in_otf2("dependences")?;
        let named = (0..).zip(&wanted).map(|(at, one)| format!("dependences[{at}]={one}"));
        ensure!(attributes == [named.collect::<Vec<_>>().join(" ")], "OTF2: {attributes:?}");
    }
    Ok(())
}

/// From each iteration that others wait for to each that waits for it, as `i,j > i,j`.
const ARROWS: &str = "select extract_arg(a.arg_set_id, 'debug.iteration[0]') || ',' || \
    extract_arg(a.arg_set_id, 'debug.iteration[1]') || ' > ' || \
    extract_arg(b.arg_set_id, 'debug.iteration[0]') || ',' || \
    extract_arg(b.arg_set_id, 'debug.iteration[1]'), count(*), min(b.ts - a.ts) >= 0 \
    from flow join slice a on a.id = slice_out join slice b on b.id = slice_in \
    where a.name = 'depend(source)' and b.name = 'depend(sink)' group by 1 order by 1";

#[test]
fn iterations_of_a_doacross_loop_are_numbers_with_arrows_between_them() -> Result<()> {
    for traced in recorded("wavefront")? {
        let exported = Exported::of(&traced)?;
        let mut judged = exported.judged()?;
        let sources = judged.lines(
            "select extract_arg(arg_set_id, 'debug.iteration[0]'), \
             extract_arg(arg_set_id, 'debug.iteration[1]'), count(*) from slice \
             where name = 'depend(source)' group by 1, 2 order by 1, 2",
        )?;
        let all = (0..5).flat_map(|i| (0..4).map(move |j| format!("{i}|{j}|2")));
        ensure!(sources == all.collect::<Vec<_>>(), "{sources:?}");
        let arrows = judged.lines(ARROWS)?;
        let down = (0..4).flat_map(|i| (0..4).map(move |j| (i, j, i + 1, j)));
        let right = (0..5).flat_map(|i| (0..3).map(move |j| (i, j, i, j + 1)));
        let wanted = down.chain(right).map(|(a, b, i, j)| format!("{a},{b} > {i},{j}|2|1"));
        let mut wanted: Vec<String> = wanted.collect();
        wanted.sort();
        ensure!(arrows == wanted, "{arrows:#?}");
        ensure!(soundness::faults(&mut judged)?.is_empty(), "the trace has faults");
        let chrome = exported.in_chrome("iteration")?;
        ensure!(chrome.contains(&serde_json::json!([4, 3])), "Chrome: {chrome:?}");
        let attributes = exported.in_otf2("iteration")?;
        ensure!(attributes.contains(&"iteration[0]=4 iteration[1]=3".to_owned()), "{attributes:?}");
    }
    Ok(())
}
