//! The runs of one side as one: the same construct of each is one item with a time for each run.

use super::{Side, Spread};
use crate::model::{Class, ConstructReport, Report};
use rustc_hash::FxHashMap;

/// A construct of several runs. Its lists have an entry for each of them, 0 where a run has no such thing.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Key that distinguishes the item from all others of its side.
    pub key: String,
    pub class: Class,
    pub name: String,
    /// The name without the location.
    pub what: String,
    pub location: String,
    pub file: String,
    pub line: u32,
    pub function: String,
    /// Keys of the regions before and after a serial section.
    pub between: Option<[Option<String>; 2]>,
    /// Elapsed time of a region or serial section, in nanoseconds; thread time of others.
    pub elapsed: Vec<u64>,
    /// Thread time, and the work in it, in nanoseconds.
    pub time: Vec<u64>,
    pub work: Vec<u64>,
    pub calls: Vec<u64>,
}

/// Sums of a side as a whole.
pub(super) fn side(runs: &[Report]) -> Side {
    let median = |of: &dyn Fn(&Report) -> u64| {
        Spread::of(&runs.iter().map(of).collect::<Vec<_>>()).median_ns
    };
    let mut efficiencies: Vec<f64> =
        runs.iter().filter_map(|report| report.efficiency.parallel).collect();
    efficiencies.sort_by(f64::total_cmp);
    let first = runs.first();
    Side {
        runs: runs.len(),
        executable: first.map(|report| report.program.executable.clone()).unwrap_or_default(),
        threads: median(&|report| report.efficiency.threads),
        thread_time_ns: median(&|report| report.times.all()),
        parallel_efficiency: efficiencies.get(efficiencies.len().saturating_sub(1) / 2).copied(),
    }
}

/// The constructs of all runs of a side, in the order of their first events.
pub(crate) fn items(runs: &[Report]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut known: FxHashMap<String, usize> = FxHashMap::default();
    for (run, report) in runs.iter().enumerate() {
        let keys = keys(report);
        for (at, construct) in report.constructs.iter().enumerate() {
            let Some(key) = keys.get(at) else { continue };
            // Of a window of a run that it is not in.
            if report.window.is_some() && construct.calls == 0 && construct.times.all() == 0 {
                continue;
            }
            let position = *known.entry(key.clone()).or_insert_with(|| {
                items.push(item(key, construct, &keys, runs.len()));
                items.len() - 1
            });
            if let Some(item) = items.get_mut(position) {
                note(item, run, report, at, construct);
            }
        }
    }
    items
}

/// A key for each construct: class, name, region, and a number among constructs for which these are equal.
fn keys(report: &Report) -> Vec<String> {
    let mut seen: FxHashMap<String, u32> = FxHashMap::default();
    let name = |at: usize| report.constructs.get(at).map_or("", |one| one.name.as_str());
    let all = report.constructs.iter().map(|construct| {
        let region = construct.region.map_or("", name);
        let alike = format!("{}|{}|{region}", construct.class.name(), construct.name);
        let count = seen.entry(alike.clone()).and_modify(|count| *count += 1).or_insert(0);
        format!("{alike}|{count}")
    });
    all.collect()
}

fn item(key: &str, construct: &ConstructReport, keys: &[String], runs: usize) -> Item {
    let key_of = |at: Option<usize>| at.and_then(|at| keys.get(at).cloned());
    let location = &construct.location;
    let none = || vec![0; runs];
    Item {
        key: key.to_owned(),
        class: construct.class,
        name: construct.name.clone(),
        what: construct.what.clone(),
        location: location.short.clone(),
        file: location.short.split([':', '+']).next().unwrap_or_default().to_owned(),
        line: location.line.unwrap_or(0),
        function: location.function.clone().unwrap_or_default(),
        between: construct.between.map(|between| between.map(key_of)),
        elapsed: none(),
        time: none(),
        work: none(),
        calls: none(),
    }
}

fn note(item: &mut Item, run: usize, report: &Report, at: usize, construct: &ConstructReport) {
    let region = report.regions.iter().find(|region| region.construct == at);
    let elapsed = region.map_or(construct.times.all(), |region| region.wall_ns);
    let put = |list: &mut Vec<u64>, value: u64| {
        if let Some(entry) = list.get_mut(run) {
            *entry = value;
        }
    };
    put(&mut item.elapsed, elapsed);
    put(&mut item.time, construct.times.all());
    put(&mut item.work, construct.times.work());
    put(&mut item.calls, construct.calls);
}
