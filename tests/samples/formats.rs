//! Comparison of samples in all formats, each checked by an independent reader: the number of samples, with the shares
//! that the program gives its functions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::sampled::STACKS;
use ompttrace_tests::traced::By;
use ompttrace_tests::{build, otf2_judge, pprof, product};
use serde_json::Value;

use super::{is_allowed, run};

/// Numbers of samples: all, those in `much`, those in `little`.
type Shares = [u64; 3];

fn product(arguments: &[&str], run: &Path) -> Result<Vec<u8>> {
    let mut command = Command::new(product::Product::find()?.program);
    build::run(command.args(arguments).arg(run), "")
}

/// The output of `ompttrace report --json` for a run folder.
pub fn report(run: &Path) -> Result<Value> {
    Ok(serde_json::from_slice(&product(&["report", "--json"], run)?)?)
}

/// The lines of folded stacks: frames and samples.
pub fn folded(run: &Path, options: &[&str]) -> Result<Vec<(Vec<String>, u64)>> {
    let file = run.join(format!("of-{}.folded", options.len()));
    let output = file.to_str().context("a path in Unicode")?;
    let arguments = ["export", "--quiet", "--format", "folded", "--output", output];
    product(&[&arguments, options].concat(), run)?;
    let line = |line: &str| {
        let (stack, samples) = line.rsplit_once(' ').context("a number of samples")?;
        Ok((stack.split(';').map(str::to_owned).collect(), samples.parse()?))
    };
    fs::read_to_string(file)?.lines().map(line).collect()
}

/// Sums of stacks, each of which has a number of samples.
fn shares<'s>(stacks: impl Iterator<Item = (Vec<&'s str>, u64)>) -> Shares {
    let mut shares = [0; 3];
    for (stack, samples) in stacks {
        let is_in = |function| stack.contains(&function);
        for (share, counts) in shares.iter_mut().zip([true, is_in("much"), is_in("little")]) {
            *share += if counts { samples } else { 0 };
        }
    }
    shares
}

fn in_pprof(run: &Path) -> Result<Shares> {
    product(&["export", "--quiet", "--format", "pprof"], run)?;
    let profile = pprof::read(&run.join("samples.pb.gz"))?;
    ensure!(profile.types[..2] == ["samples count", "cpu nanoseconds"], "{:?}", profile.types);
    // Threads have periods that differ by up to a 32nd, so that they are not interrupted together.
    ensure!(
        (1_900_000..2_100_000).contains(&profile.period),
        "500 in a second: {}",
        profile.period
    );
    for frame in profile.samples.iter().flat_map(|sample| &sample.frames) {
        let in_source = frame.file.ends_with("samples.c") && frame.line > 0;
        ensure!(frame.name != "much" || in_source, "{frame:?}");
    }
    Ok(shares(profile.samples.iter().map(|sample| {
        (sample.frames.iter().map(|frame| frame.name.as_str()).collect(), sample.values[0])
    })))
}

fn in_perfetto(run: &Path) -> Result<Shares> {
    let mut judged = Judged::open(run)?;
    let all = judged.count("select count(*) from perf_sample")?;
    let mut within = |name: &str| {
        judged
            .count(&format!("select count(distinct sample) from ({STACKS}) where name = '{name}'"))
    };
    Ok([all, within("much")?, within("little")?])
}

/// The inner loop of `much`, as the program's source has it: nearly all samples of that function, and so most of all.
fn check_hot_lines(samples: &Value, much: u64) -> Result<()> {
    let source = fs::read_to_string(build::root().join("tests/samples/samples.c"))?;
    let is_hot = |line: &str| line.contains("x = x * 1.0000001 + 0.5;");
    // From 1; the one above has the loop's head.
    let hot = 1 + source.lines().position(is_hot).context("the hot line")? as u64;
    let lines = samples["lines"].as_array().context("lines")?;
    let is_in = |line: &&Value| {
        let number = line["location"]["line"].as_u64();
        line["doing"].is_null() && number.is_some_and(|number| number == hot || number + 1 == hot)
    };
    let first = lines.first().context("a line")?;
    ensure!(is_in(&first) && first["function"] == "much", "{first}, not {hot}");
    let sum: u64 = lines.iter().filter(is_in).filter_map(|line| line["samples"].as_u64()).sum();
    ensure!(sum <= much && sum * 10 > much * 9, "{sum} of {much}: {lines:?}");
    Ok(())
}

fn in_report(report: &Value) -> Result<Shares> {
    let samples = &report["samples"];
    let stacks = samples["stacks"].as_array().context("stacks")?;
    let mut paths: Vec<Vec<&str>> = Vec::new();
    for frame in stacks {
        let caller = frame["caller"].as_u64().and_then(|at| paths.get(at as usize));
        let mut path = caller.cloned().unwrap_or_default();
        path.push(frame["name"].as_str().context("a name")?);
        paths.push(path);
    }
    let own = stacks.iter().map(|frame| frame["own_samples"].as_u64().unwrap_or(0));
    let shares = shares(paths.into_iter().zip(own));
    check_hot_lines(samples, shares[1])?;
    for list in ["constructs", "lines", "functions"] {
        let list = samples[list].as_array().context("a list")?;
        let sum: u64 = list.iter().filter_map(|one| one["samples"].as_u64()).sum();
        ensure!(sum == shares[0], "{sum} samples, not {}: {list:?}", shares[0]);
    }
    Ok(shares)
}

/// Sums of the samples that otf2-print lists as events, by the calling contexts that it lists as definitions.
fn in_otf2(run: &Path) -> Result<Shares> {
    product(&["export", "--quiet", "--format", "otf2"], run)?;
    let archive = run.join("trace-otf2");
    otf2_judge::check(&archive)?;
    let print = |option: &[&str]| -> Result<String> {
        let mut command = Command::new("otf2-print");
        command.args(option).arg(archive.join("traces.otf2"));
        Ok(String::from_utf8_lossy(&build::run(&mut command, "otf2-tools")?).into_owned())
    };
    let definitions = print(&["-G"])?;
    let generator = definitions.lines().find(|line| line.starts_with("INTERRUPT_GENERATOR "));
    ensure!(generator.is_some_and(|line| line.contains("Period: ")), "{generator:?}");
    // After the last bracket: names may have some, too.
    let number = |text: &str| text.rsplit('<').next()?.split('>').next()?.parse::<u64>().ok();
    let mut paths: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for line in definitions.lines().filter(|line| line.starts_with("CALLING_CONTEXT ")) {
        let own = line.split_whitespace().nth(1).context("a number")?.parse()?;
        let name = line.split("Region: \"").nth(1).and_then(|rest| rest.split('"').next());
        let parent = line.split("Parent: ").nth(1).context("a parent")?;
        let parent =
            parent.rsplit_once('<').and_then(|(_, rest)| rest.split('>').next()?.parse().ok());
        let mut path = parent.and_then(|at: u64| paths.get(&at)).cloned().unwrap_or_default();
        path.push(name.context("a region")?);
        paths.insert(own, path);
    }
    let mut stacks = Vec::new();
    for line in print(&[])?.lines().filter(|line| line.starts_with("CALLING_CONTEXT_SAMPLE")) {
        let context = line.split(", Unwind Distance").next().and_then(number);
        let context = context.context("a context")?;
        stacks.push((paths.get(&context).context("its definition")?.clone(), 1));
    }
    Ok(shares(stacks.into_iter()))
}

#[test]
fn every_format_has_all_samples_and_their_shares() -> Result<()> {
    let run = run("hot", By::Runtime, "500")?;
    if !is_allowed(&run) {
        return Ok(());
    }
    let count = run.samples()?.len() as u64;
    let folder = run.scratch.only_run()?;
    let folded = folded(&folder, &[])?;
    let in_folded = shares(
        folded
            .iter()
            .map(|(stack, samples)| (stack.iter().map(String::as_str).collect(), *samples)),
    );
    let all = [
        ("folded", in_folded),
        ("pprof", in_pprof(&folder)?),
        ("perfetto", in_perfetto(&folder)?),
        ("otf2", in_otf2(&folder)?),
        ("report", in_report(&report(&folder)?)?),
    ];
    for (format, shares) in all {
        ensure!(shares == in_folded && shares[0] == count, "{format} of {count}: {all:?}");
    }
    let [_, much, little] = in_folded;
    let share = much as f64 / (much + little) as f64;
    ensure!((0.68..0.82).contains(&share), "three quarters: {all:?}");
    Ok(())
}
