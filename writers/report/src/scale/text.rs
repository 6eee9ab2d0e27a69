//! Scaling in words and tables.

use super::{Region, Scaling, Step};
use crate::model::Report;
use crate::tables::{Cell, Table, column};
use crate::text::{Page, duration, harmless, percent, table, times};
use anstyle::Style;

const STRONG: Style = Style::new().bold();

/// The whole text for a terminal of so many columns; the table of regions has at most `top` lines.
pub fn render(scaling: &Scaling, top: usize, width: Option<usize>) -> String {
    let mut page = Page::new(width);
    let name = ompttrace_model::base_name(&scaling.executable);
    page.push_str(&format!("{STRONG}{}{STRONG:#}: {}\n", harmless(name), headline(scaling)));
    for caveat in &scaling.caveats {
        page.remark(caveat);
    }
    for one in tables(scaling, top) {
        table(&one, &Report::default(), top, &mut page);
    }
    let stopped = scaling.regions.iter().take(top);
    let reasons: Vec<_> = stopped.filter_map(reason).collect();
    if !reasons.is_empty() {
        page.heading("What stops scaling");
    }
    for line in reasons {
        let line = page.wrapped(&harmless(&line), 2);
        page.push_str(&format!("{line}\n"));
    }
    page.into_text()
}

/// The best speed-up, in words.
pub(crate) fn headline(scaling: &Scaling) -> String {
    let best = scaling.steps.iter().max_by(|a, b| a.speed_up.total_cmp(&b.speed_up));
    let first = scaling.steps.first().map_or(1, |step| step.threads);
    best.map_or_else(String::new, |best| match (times(best.speed_up), best.threads) {
        (_, threads) if threads == first => {
            format!("with more threads than {first} it is no faster")
        }
        (speed_up, threads) => {
            format!("fastest with {threads} threads, {speed_up} as fast as with {first}")
        }
    })
}

/// Reason for which a region stops scaling, if it does.
pub(crate) fn reason(region: &Region) -> Option<String> {
    let (at, reason) = (region.stops_at?, region.reason.as_ref()?);
    let how = if region.is_slower { "slower" } else { "hardly faster" };
    Some(format!("{}: {how} from {at} threads on: {reason}", region.name))
}

/// Steps, and regions by step.
pub(crate) fn tables(scaling: &Scaling, top: usize) -> Vec<Table> {
    let names = [
        "threads",
        "wall",
        "speed-up",
        "efficiency",
        "parallel",
        "balance",
        "serial.",
        "transfer",
        "cores",
        "comput.",
    ];
    let columns = names.map(column).into();
    let steps = Table::of("Steps", columns, &scaling.steps, scaling.steps.len(), step);
    let mut columns = vec![column("region")];
    columns.extend(scaling.steps.iter().map(|step| column(&step.threads.to_string())));
    columns.extend([column("speed-up"), column("stops")]);
    let title = "Elapsed time of regions and serial sections by threads";
    let regions = Table::of(title, columns, &scaling.regions, top, region);
    let legend = "efficiency: speed-up / threads; parallel = balance x serial. x transfer (POP); cores: work that had a \
                  core; comput.: work at the first step / work at this one";
    steps.map(|table| table.legend(legend)).into_iter().chain(regions).collect()
}

fn step(step: &Step) -> Vec<Cell> {
    let share = |share: Option<f64>| share.map_or("-".into(), percent);
    let figures = [
        step.threads.to_string(),
        duration(step.wall.median_ns),
        times(step.speed_up),
        percent(step.efficiency),
        share(step.parallel),
        share(step.load_balance),
        share(step.serialisation),
        share(step.transfer),
        share(step.cores),
        percent(step.computation),
    ];
    figures.into_iter().map(Cell::from).collect()
}

fn region(region: &Region) -> Vec<Cell> {
    let mut cells = vec![Cell::from(region.name.as_str())];
    cells.extend(region.elapsed_ns.iter().map(|time| Cell::from(duration(*time))));
    cells.push(region.speed_up.last().map_or("-".into(), |last| times(*last)).into());
    cells.push(region.stops_at.map_or("-".into(), |at| at.to_string()).into());
    cells
}
