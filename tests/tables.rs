//! Tables of Parquet in front of engines that are not ours: every sum is the report's, every reader finds the columns
//! that are promised, and the queries that ship say what reports say.

mod notebook;
mod queries;
mod readers;
mod room;
mod sums;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use ompttrace_tests::build;
use ompttrace_tests::product::Product;
use serde_json::Value;

/// The output of `ompttrace report --json` for a run folder.
fn report(run: &Path) -> Result<Value> {
    let product = Product::find()?;
    let output = build::run(Command::new(product.program).args(["report", "--json"]).arg(run), "")?;
    serde_json::from_slice(&output).context("report --json printed no JSON")
}

/// Sums of a site in nanoseconds: all time, and the idleness, waiting and waiting for mutexes that it caused.
type Sums = [i64; 4];

/// Sums by site, whose key is the kind, file, line and function.
type BySite = BTreeMap<String, Sums>;

/// Sums of a report's constructs by site.
fn sites(report: &Value) -> Result<BySite> {
    let constructs = report["constructs"].as_array().context("constructs")?;
    let mut sites = BySite::new();
    for construct in constructs {
        let before =
            construct["between"][0].as_u64().map(|at| &constructs[at as usize]["location"]);
        let location = match construct["class"].as_str() {
            Some("serial") => before.unwrap_or(&Value::Null),
            _ => &construct["location"],
        };
        let parts =
            [&construct["class"], &location["file"], &location["line"], &location["function"]];
        let times = construct["times"].as_object().context("times")?;
        let blame = ["idle_ns", "wait_ns", "mutex_ns"].map(|name| &construct["blame"][name]);
        let all: i64 = times.values().filter_map(Value::as_i64).sum();
        let sums: &mut Sums = sites.entry(key(&parts)).or_default();
        sums[0] += all;
        for (sum, blame) in sums[1..].iter_mut().zip(blame) {
            *sum += blame.as_i64().context("a time")?;
        }
    }
    sites.retain(|_, sums| *sums != [0; 4]);
    Ok(sites)
}

fn key(parts: &[&Value]) -> String {
    let text = |value: &&Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    parts.iter().map(text).collect::<Vec<_>>().join("|")
}

/// Adds the sums of another run.
fn add(all: &mut BySite, more: &BySite) {
    for (site, sums) in more {
        let entry = all.entry(site.clone()).or_default();
        entry.iter_mut().zip(sums).for_each(|(sum, more)| *sum += more);
    }
}
