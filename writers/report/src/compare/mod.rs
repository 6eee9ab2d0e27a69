//! Comparison of two sides of runs, before and after a change: faster and slower regions and constructs, with the part
//! of the whole that each change is.

mod gate;
mod matching;
mod side;
pub(crate) mod tables;
pub mod text;

pub use gate::{Verdict, gate};
pub(crate) use side::{Item, items};
pub(crate) use tables::tables;

use crate::model::{Class, Report};
use serde::Serialize;
use std::cmp::Reverse;

/// The version of this schema: raised where a field changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// A side of fewer runs says too little of chance.
const FEWEST: usize = 3;

/// Comparison of two sides. Times are nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The runs before.
    pub before: Side,
    /// The runs after.
    pub after: Side,
    /// The wall time.
    pub wall: Change,
    /// Elapsed time of regions and serial sections, the largest change first; shares are of the wall time before.
    pub elapsed: Vec<Line>,
    /// Thread time of constructs without those inside of them, the same; shares are of all thread time before.
    pub constructs: Vec<Line>,
    /// Caveats for readers of the numbers.
    pub caveats: Vec<String>,
}

/// The runs of one side.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// Number of runs.
    pub runs: usize,
    /// The program's file, of the first.
    pub executable: String,
    /// Largest number of threads at the same time in a run, the median over the runs.
    pub threads: u64,
    /// Time of all threads, the median.
    pub thread_time_ns: u64,
    /// Parallel efficiency, the median; none where waiting was not recorded.
    pub parallel_efficiency: Option<f64>,
}

/// A time of several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// The median; of an even number of runs the mean of the two in the middle.
    pub median_ns: u64,
    /// The least.
    pub least_ns: u64,
    /// The most.
    pub most_ns: u64,
}

impl Spread {
    pub(crate) fn of(times: &[u64]) -> Spread {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        let at = |at: usize| sorted.get(at).copied().unwrap_or(0);
        let last = sorted.len().saturating_sub(1);
        let median_ns = at(last / 2).midpoint(at(last.div_ceil(2)));
        Spread { median_ns, least_ns: at(0), most_ns: at(last) }
    }
}

/// A time before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Change {
    /// Time before the change; none where the construct did not exist.
    pub before: Option<Spread>,
    /// Time after the change; none where the construct does not exist any more.
    pub after: Option<Spread>,
    /// Growth of the median, in nanoseconds; negative values are faster.
    pub change_ns: i64,
    /// `change_ns` as a share of the whole before.
    pub share: f64,
    /// True if all runs of one side took longer than all of the other; none where a side has fewer than three runs: of two
    /// and two, one in three does so by chance.
    pub is_clear: Option<bool>,
}

/// Way in which a construct was found on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// The construct is at the same line.
    Line,
    /// The construct is at another line of its function, matched by kind and order.
    Moved,
    /// The construct is at the same line, but of another kind now: another schedule, for example.
    OtherKind,
    /// The construct exists only before, or only after.
    None,
}

/// A region, serial section or construct.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Class of the construct.
    pub class: Class,
    /// Name of the construct before the change; after it, where it exists only there.
    pub name: String,
    /// Name of the construct after the change, where that is another.
    pub name_after: Option<String>,
    /// Way in which both were found.
    pub found: Match,
    /// Time of the construct before and after.
    pub time: Change,
    /// Part of its thread time that is work, before and after, medians in nanoseconds.
    pub work_ns: [u64; 2],
    /// Instances, medians.
    pub calls: [u64; 2],
}

/// Compares two sides of at least one run each.
pub fn compare(before: &[Report], after: &[Report]) -> Comparison {
    let sides = [before, after];
    let [of_before, of_after] = sides.map(side::side);
    let [items_before, items_after] = sides.map(side::items);
    let pairs = matching::pairs(&items_before, &items_after);
    let runs = [before.len(), after.len()];
    let wall: u64 = Spread::of(&walls(before)).median_ns;
    let pick = |is_wanted: &dyn Fn(&Item) -> bool, of: &dyn Fn(&Item) -> Vec<u64>, whole: u64| {
        let mut lines: Vec<Line> = pairs
            .iter()
            .filter_map(|pair| {
                let a = pair.before.and_then(|at| items_before.get(at));
                let b = pair.after.and_then(|at| items_after.get(at));
                a.or(b).filter(|item| is_wanted(item))?;
                line([a, b], pair.found, of, (whole, runs))
            })
            .collect();
        lines.sort_by(|a, b| {
            let size = |line: &Line| Reverse(line.time.change_ns.unsigned_abs());
            size(a).cmp(&size(b)).then_with(|| a.name.cmp(&b.name))
        });
        lines
    };
    let is_elapsed = |item: &Item| matches!(item.class, Class::Region | Class::Serial);
    let is_construct = |item: &Item| !matches!(item.class, Class::Serial | Class::Outside);
    let elapsed = pick(&is_elapsed, &|item| item.elapsed.clone(), wall);
    let constructs = pick(&is_construct, &|item| item.time.clone(), of_before.thread_time_ns);
    Comparison {
        schema: SCHEMA,
        wall: change([Some(walls(before)), Some(walls(after))], (wall, runs)),
        elapsed,
        constructs,
        caveats: caveats(&of_before, &of_after),
        before: of_before,
        after: of_after,
    }
}

fn walls(runs: &[Report]) -> Vec<u64> {
    runs.iter().map(|report| report.wall_ns).collect()
}

fn line(
    items: [Option<&Item>; 2],
    found: Match,
    of: &dyn Fn(&Item) -> Vec<u64>,
    whole: (u64, [usize; 2]),
) -> Option<Line> {
    let first = items[0].or(items[1])?;
    let after = items[1].filter(|_| items[0].is_some()).map(|item| item.name.clone());
    let medians = |of: &dyn Fn(&Item) -> &[u64]| {
        items.map(|item| item.map_or(0, |item| Spread::of(of(item)).median_ns))
    };
    Some(Line {
        class: first.class,
        name: first.name.clone(),
        name_after: after.filter(|name| *name != first.name),
        found,
        time: change(items.map(|item| item.map(of)), whole),
        work_ns: medians(&|item| &item.work),
        calls: medians(&|item| &item.calls),
    })
}

pub(crate) fn change(times: [Option<Vec<u64>>; 2], (whole, runs): (u64, [usize; 2])) -> Change {
    let [before, after] = times.map(|times| times.map(|times| Spread::of(&times)));
    let [a, b] = [before, after].map(Option::unwrap_or_default);
    let change_ns = b.median_ns as i64 - a.median_ns as i64;
    let is_clear = runs.iter().all(|runs| *runs >= FEWEST);
    Change {
        before,
        after,
        change_ns,
        share: change_ns as f64 / whole.max(1) as f64,
        is_clear: is_clear.then_some(a.most_ns < b.least_ns || b.most_ns < a.least_ns),
    }
}

fn caveats(before: &Side, after: &Side) -> Vec<String> {
    let mut caveats = Vec::new();
    let [a, b] = [before, after].map(|side| ompttrace_model::base_name(&side.executable));
    if a != b {
        caveats.push(format!("Two programs are compared: {a} and {b}."));
    }
    if before.threads != after.threads {
        caveats.push(format!("Threads differ: {} and {}.", before.threads, after.threads));
    }
    caveats.extend(few_runs(before.runs.min(after.runs)));
    caveats
}

/// A caveat about a side that has this many runs, if they are few.
pub(crate) fn few_runs(runs: usize) -> Option<String> {
    let caveat = "runs of a side no change is called clear: it may be chance.";
    (runs < FEWEST).then(|| format!("With fewer than {FEWEST} {caveat}"))
}
