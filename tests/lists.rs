//! Lists that an event carries (dependences of a task, iterations of a doacross loop): every entry of them
//! in each format, as other people's readers show it, and the arrows between iterations.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::recorded::Recorded;
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
        command.args(["export", "--json", "--no-findings", "--view", "threads"]);
        command.args(["--format", "perfetto,chrome,otf2"]);
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

    /// Lists of this name as OTF2's attributes, by python3-otf2: `name[0]=…` for each event that has one.
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
    for traced in recorded("dependences")? {
        let (exported, fourth) = (Exported::of(&traced)?, format!("in {}", address(&traced)?));
        let mut judged = exported.judged()?;
        let rows = judged.judge().query(
            "select a.key, a.display_value from slice s join args a using (arg_set_id) where \
             what(s.name) glob 'create task*' and a.flat_key = 'debug.dependences' order by a.key",
        )?;
        let cells = |at: usize| rows.rows.iter().filter_map(move |row| row[at].as_str());
        let wanted: Vec<&str> = cells(1).collect();
        let keys = (0..4).map(|at| format!("debug.dependences[{at}]"));
        ensure!(cells(0).eq(keys), "Perfetto: {rows:?}");
        // In which order they stand is up to the compiler.
        let all = BTreeSet::from(["in first", "inout second", "inout third+0x8", &fourth]);
        ensure!(all == wanted.iter().copied().collect(), "Perfetto: {rows:?}");
        ensure!(soundness::faults(&mut judged)?.is_empty(), "the trace has faults");
        let chrome = exported.in_chrome("dependences")?;
        ensure!(chrome == [Value::from(wanted.clone())], "Chrome: {chrome:?}");
        let attributes = exported.in_otf2("dependences")?;
        let named = (0..).zip(&wanted).map(|(at, one)| format!("dependences[{at}]={one}"));
        ensure!(attributes == [named.collect::<Vec<_>>().join(" ")], "OTF2: {attributes:?}");
    }
    Ok(())
}

/// Each iteration that others wait for, with the arrows to them, and whether all of these lead on and to
/// something that waited for this one.
const ARROWS: &str = "select extract_arg(a.arg_set_id, 'debug.iteration[0]') as i, \
    extract_arg(a.arg_set_id, 'debug.iteration[1]') as j, count(*) as arrows, min(b.ts >= a.ts \
    and extract_arg(a.arg_set_id, 'debug.iteration[0]') = extract_arg(b.arg_set_id, 'debug.iteration[0]') \
    and extract_arg(a.arg_set_id, 'debug.iteration[1]') = extract_arg(b.arg_set_id, 'debug.iteration[1]')) \
    from flow join slice a on a.id = slice_out join slice b on b.id = slice_in \
    where what(a.name) = 'depend(source)' and what(b.name) = 'depend(sink)' group by 1, 2 order by 1, 2";

#[test]
fn iterations_of_a_doacross_loop_are_numbers_with_arrows_between_them() -> Result<()> {
    for (traced, says_first) in recorded("wavefront")?.iter().zip([false, true]) {
        let exported = Exported::of(traced)?;
        let mut judged = exported.judged()?;
        let sources = judged.lines(
            "select extract_arg(arg_set_id, 'debug.iteration[0]'), \
             extract_arg(arg_set_id, 'debug.iteration[1]'), count(*) from slice \
             where what(name) = 'depend(source)' group by 1, 2 order by 1, 2",
        )?;
        let all = (0..5).flat_map(|i| (0..4).map(move |j| format!("{i}|{j}|2")));
        ensure!(sources == all.collect::<Vec<_>>(), "{sources:?}");
        // Two rounds; the last iteration of each loop has none after it.
        let after = |i, j| 2 * (u64::from(i < 4) + u64::from(j < 3));
        let mut found = 0;
        for row in judged.judge().query(ARROWS)?.rows {
            let [i, j, arrows, sound] = [0, 1, 2, 3].map(|at| row[at].as_u64().unwrap_or(u64::MAX));
            ensure!(arrows <= after(i, j) && sound == 1, "{row:?}");
            found += arrows;
        }
        // LLVM's runtime lets others go on before it reports an iteration: where that takes longer than
        // what they do next, nothing leads to them.
        let least = if says_first { 62 } else { 31 };
        ensure!(found >= least, "{found} arrows");
        ensure!(soundness::faults(&mut judged)?.is_empty(), "the trace has faults");
        let chrome = exported.in_chrome("iteration")?;
        ensure!(chrome.contains(&serde_json::json!([4, 3])), "Chrome: {chrome:?}");
        let attributes = exported.in_otf2("iteration")?;
        ensure!(attributes.contains(&"iteration[0]=4 iteration[1]=3".to_owned()), "{attributes:?}");
    }
    Ok(())
}

/// A list has more records than a chunk holds, while older chunks are discarded: the records at the head of the next chunk
/// are not later than the rest of the list. With the slow clock no event has room on the fast path, and the list is part
/// of the event's work.
#[test]
fn a_list_longer_than_a_chunk_is_in_the_order_of_time() -> Result<()> {
    let program = programs::of_test("tests/lists/long_list.c")?;
    for overflow in ["wait", "ring"] {
        let settings = [
            RECORD_ONLY,
            ("OMPTTRACE_CLOCK", "quanta"),
            ("OMPTTRACE_BUFFER", "4K"),
            ("OMPTTRACE_OVERFLOW", overflow),
        ];
        let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
        let run = traced.scratch.only_run()?;
        let recorded = Recorded::read(&run)?;
        let lost = number(&Product::find()?.info(&run)?, "/events/lost")?;
        ensure!((lost > 0) == (overflow == "ring"), "{overflow}: {lost} lost");
        ensure!(recorded.backwards + recorded.unreadable == 0, "{overflow}: {recorded:?}");
    }
    Ok(())
}
