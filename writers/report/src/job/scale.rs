//! Jobs of one program with ever more ranks and threads: speed-up and POP's efficiencies of each combination.

use super::model::{Efficiencies, JobReport, Levels, efficiency_in_words};
use crate::compare::Spread;
use crate::html::{document, in_words, tables as table_on_page};
use crate::model::Report;
use crate::tables::{Cell, Table, columns};
use crate::text::{Page, duration, harmless, percent, table, times};
use maud::html;
use serde::Serialize;

/// The version of this schema: raised where a field changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// Scaling of a program of MPI. Times are nanoseconds; other steps are measured by the first one.
#[derive(Clone, Debug, Serialize)]
pub struct JobScaling {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The program's file.
    pub executable: String,
    /// The fewest ranks first, and of these the fewest threads.
    pub steps: Vec<JobStep>,
    /// Caveats for readers of the numbers.
    pub caveats: Vec<String>,
}

/// The jobs with one number of ranks and threads. Efficiencies are those of the job with the median wall time.
#[derive(Clone, Debug, Serialize)]
pub struct JobStep {
    /// Ranks of each job.
    pub ranks: u32,
    /// Threads of each rank that were asked for (OMP_NUM_THREADS).
    pub threads: u32,
    /// Threads that a rank had, at most.
    pub used: u32,
    /// Jobs.
    pub runs: usize,
    /// Wall time of the jobs.
    pub wall: Spread,
    /// Wall time of the first step / that of this one.
    pub speed_up: f64,
    /// Speed-up / (ranks x threads / those of the first step).
    pub scaling: f64,
    /// Useful time of all threads of the first step / that of this one.
    pub computation: f64,
    /// POP's hybrid efficiencies.
    pub efficiency: Efficiencies,
}

/// Scaling by the jobs with each number of ranks and threads, at least one each; `cores` is the number that there are, if it is known.
pub fn scaling(
    executable: &str,
    jobs: &[((u32, u32), Vec<JobReport>)],
    cores: Option<u32>,
) -> JobScaling {
    let first =
        jobs.first().and_then(|(of, reports)| Some((*of, reports, super::median(reports)?)));
    let step = |((ranks, threads), reports): &((u32, u32), Vec<JobReport>)| {
        let (first, typical) = (first?, super::median(reports)?);
        let ((first_ranks, first_threads), first_jobs, first_typical) = first;
        let (wall, first_wall) = (walls(reports), walls(first_jobs));
        let speed_up = first_wall.median_ns as f64 / wall.median_ns.max(1) as f64;
        let size = |ranks: u32, threads: u32| f64::from(ranks) * f64::from(threads);
        Some(JobStep {
            ranks: *ranks,
            threads: *threads,
            used: typical.ranks.iter().map(|rank| rank.threads).max().unwrap_or(0),
            runs: reports.len(),
            wall,
            speed_up,
            scaling: speed_up * size(first_ranks, first_threads) / size(*ranks, *threads),
            computation: useful(first_typical) / useful(typical).max(1.0),
            efficiency: typical.efficiency,
        })
    };
    let steps: Vec<_> = jobs.iter().filter_map(step).collect();
    let caveats = caveats(&steps, cores);
    JobScaling { schema: SCHEMA, executable: executable.to_owned(), steps, caveats }
}

fn walls(jobs: &[JobReport]) -> Spread {
    Spread::of(&jobs.iter().map(|report| report.wall_ns).collect::<Vec<_>>())
}

/// Useful time of all threads, in nanoseconds.
fn useful(report: &JobReport) -> f64 {
    report.ranks.iter().map(|rank| rank.useful_ns as f64).sum()
}

fn caveats(steps: &[JobStep], cores: Option<u32>) -> Vec<String> {
    let mut caveats = Vec::new();
    if let Some(JobStep { threads, used, .. }) = steps.iter().find(|step| step.used != step.threads)
    {
        let most = if *used == 1 { "1 thread".to_owned() } else { format!("{used} threads") };
        caveats.push(format!("With OMP_NUM_THREADS={threads} a rank had {most} at most."));
    }
    let most = steps.iter().map(|step| u64::from(step.ranks) * u64::from(step.threads)).max();
    if let Some((cores, most)) = cores.zip(most).filter(|(cores, most)| *most > u64::from(*cores)) {
        caveats.push(format!(
            "This machine has {cores} cores, and a step has {most} threads: on one machine it cannot be faster."
        ));
    }
    if steps.iter().any(|step| step.runs < 2) {
        caveats.push("Single runs have no spread: a step may be chance.".to_owned());
    }
    caveats
}

/// The whole text for a terminal of so many columns.
pub fn render(scaling: &JobScaling, width: Option<usize>) -> String {
    let mut page = Page::new(width);
    page.push_str(&format!("{}\n", harmless(&headline(scaling))));
    for caveat in &scaling.caveats {
        page.remark(caveat);
    }
    for one in tables(scaling) {
        table(&one, &Report::default(), usize::MAX, &mut page);
    }
    page.into_text()
}

/// The scaling as a self-contained page.
pub fn page(scaling: &JobScaling) -> String {
    let nothing = Report::default();
    let name = ompttrace_model::base_name(&scaling.executable);
    document(
        &format!("{name}: scaling"),
        &html! {
            header {
                h1 { (name) }
                p { (in_words(&headline(scaling))) }
                @for caveat in &scaling.caveats { p.caveat { (caveat) } }
            }
            @for one in tables(scaling) { (table_on_page::one(&one, &nothing)) }
        },
    )
}

/// The best speed-up, in words.
fn headline(scaling: &JobScaling) -> String {
    let name = ompttrace_model::base_name(&scaling.executable);
    let words = |number: u32, word: &str| match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    };
    let of = |step: &JobStep| {
        format!("{} of {}", words(step.ranks, "rank"), words(step.threads, "thread"))
    };
    let best = scaling.steps.iter().max_by(|a, b| a.speed_up.total_cmp(&b.speed_up));
    match (best, scaling.steps.first()) {
        (Some(best), Some(first)) if of(best) != of(first) => {
            format!(
                "{name}: fastest with {}, {} as fast as with {}",
                of(best),
                times(best.speed_up),
                of(first)
            )
        }
        (_, Some(first)) => format!("{name}: fastest with {}", of(first)),
        _ => name.to_owned(),
    }
}

/// Times, and efficiencies in both ways.
fn tables(scaling: &JobScaling) -> Vec<Table> {
    let heads = columns([
        "ranks x threads",
        "wall",
        "speed-up",
        "efficiency",
        "parallel",
        "process",
        "thread",
        "comput.",
    ]);
    let steps = Table::of("Steps", heads, &scaling.steps, usize::MAX, |step| {
        let JobStep { efficiency, .. } = step;
        let figures = [
            size(step),
            duration(step.wall.median_ns),
            times(step.speed_up),
            percent(step.scaling),
            percent(efficiency.parallel),
            percent(efficiency.process),
            percent(efficiency.multiplicative.thread),
            percent(step.computation),
        ];
        figures.into_iter().map(Cell::from).collect()
    });
    let legend = "efficiency: speed-up / threads of all ranks; parallel, and its levels process and thread: POP's; comput.: useful time \
                  at the first step / at this one";
    let steps = steps.map(|table| table.in_order().legend(legend));
    let parts = scaling.steps.first().map(|first| first.efficiency.multiplicative.parts());
    let mut heads = vec!["ranks x threads".to_owned()];
    heads.extend(parts.into_iter().flatten().map(|(name, _)| efficiency_in_words(name)));
    let heads = |()| heads.iter().map(|name| crate::tables::column(name)).collect::<Vec<_>>();
    let of = |title, of: fn(&Efficiencies) -> Levels| {
        let table = Table::of(title, heads(()), &scaling.steps, usize::MAX, |step| {
            let parts = of(&step.efficiency).parts();
            let figures = parts.into_iter().map(|(_, part)| percent(part).into());
            std::iter::once(size(step).into()).chain(figures).collect()
        });
        table.map(Table::in_order)
    };
    let product = of("Efficiencies (POP, multiplicative)", |all| all.multiplicative);
    let additive = of("Efficiencies (POP, additive)", |all| all.additive);
    [steps, product, additive].into_iter().flatten().collect()
}

fn size(step: &JobStep) -> String {
    format!("{} x {}", step.ranks, step.threads)
}
