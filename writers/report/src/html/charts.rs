//! Charts of a page.

use super::draw::{self, Bar};
use super::{Error, label};
use crate::model::Report;
use crate::scale::Scaling;
use crate::state::{State, Times};
use crate::text::{duration, percent};
use maud::{Markup, PreEscaped, html};
use plotters::style::RGBColor;

/// A name, its colour and the states that belong to it.
type Part = (&'static str, RGBColor, fn(State) -> bool);

/// Parts into which charts split time, each with a colour that is distinct on light and on dark paper, also to those
/// who see few colours (after Okabe and Ito).
pub(super) const SPLIT: [Part; 9] = [
    ("work", RGBColor(0, 158, 115), State::is_work),
    ("barrier", RGBColor(213, 94, 0), State::is_barrier),
    ("tasks", RGBColor(204, 121, 167), is_task_wait),
    ("mutex/ordered", RGBColor(230, 159, 0), State::is_mutex),
    ("overhead", RGBColor(46, 134, 193), State::is_overhead),
    ("idle", RGBColor(150, 150, 150), is_idle),
    ("no core", RGBColor(148, 82, 0), State::is_off_core),
    ("MPI", RGBColor(0, 72, 112), State::is_mpi),
    ("device", RGBColor(240, 228, 66), waits_for_device),
];

const WORK: RGBColor = SPLIT[0].1;
const MUTEX: RGBColor = SPLIT[3].1;
const BLUE: RGBColor = SPLIT[4].1;
const GREY: RGBColor = SPLIT[5].1;

fn is_task_wait(state: State) -> bool {
    matches!(state, State::WaitTaskwait | State::WaitTaskgroup)
}

fn waits_for_device(state: State) -> bool {
    state == State::WaitTarget
}

fn is_idle(state: State) -> bool {
    state == State::Idle
}

fn time(nanoseconds: f64) -> String {
    duration(nanoseconds.max(0.0) as u64)
}

/// All charts that have something to show.
pub(super) fn all(report: &Report, top: usize) -> Result<Vec<Markup>, Error> {
    let mut charts = vec![efficiency(report)?, threads(report, top)?];
    if !report.regions.is_empty() {
        charts.push(regions(report, top)?);
    }
    if report.constructs.iter().any(|construct| construct.blame.all() > 0) {
        charts.push(blame(report, top)?);
    }
    if report.holders.iter().any(|holder| holder.blame_ns > 0) {
        charts.push(holders(report, top)?);
    }
    if let Some(site) = report.tasks.sites.first().filter(|site| !site.grains.is_empty()) {
        charts.push(grains(report, site)?);
        charts.push(queue(report)?);
    }
    if report.critical_path.length_ns > 0 {
        charts.push(path(report, top)?);
    }
    Ok(charts)
}

fn figure(title: &str, note: &str, svg: String) -> Markup {
    let svg = svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{title}\" "), 1);
    html! {
        figure {
            figcaption { b { (title) } @if !note.is_empty() { " " span { (note) } } }
            (PreEscaped(svg))
        }
    }
}

/// A chart with a legend of the parts into which it splits time.
fn split_figure(title: &str, note: &str, svg: String) -> Markup {
    html! {
        div.chart {
            (figure(title, note, svg))
            p.legend {
                @for (name, RGBColor(r, g, b), _) in SPLIT {
                    span { i style=(format!("background:rgb({r},{g},{b})")) {} (name) }
                }
            }
        }
    }
}

fn split(times: &Times) -> Vec<(f64, RGBColor)> {
    SPLIT.iter().map(|(_, colour, of)| (times.sum(of) as f64, *colour)).collect()
}

fn efficiency(report: &Report) -> Result<Markup, Error> {
    let e = &report.efficiency;
    let metrics = [
        ("parallel efficiency", e.parallel),
        ("core availability", e.cores.filter(|_| e.parallel.is_some())),
        ("on own cores", e.on_own_cores),
        ("load balance", e.load_balance),
        ("communication", e.communication),
        ("serialisation", e.serialisation),
        ("transfer", e.transfer),
        ("in parallel regions", Some(e.parallel_coverage)),
    ];
    let known = metrics.into_iter().filter_map(|(name, share)| Some((name, share?)));
    let bar = |(name, share): (&str, f64)| Bar {
        label: format!("{name}: {}", percent(share)),
        segments: vec![(share.min(1.0), BLUE)],
    };
    let bars: Vec<Bar> = known.map(bar).collect();
    let svg = draw::bars(&bars, Some(1.0), &|share| percent(share))?;
    Ok(figure("Efficiency", "POP's metrics", svg))
}

/// Chart of the speed-up by the number of threads, with the ideal speed-up.
pub(super) fn speed_up(scaling: &Scaling) -> Result<Markup, Error> {
    let first = scaling.steps.first().map_or(1, |step| step.threads);
    let bars: Vec<Bar> = scaling
        .steps
        .iter()
        .map(|step| {
            let best = f64::from(step.threads) / f64::from(first);
            let rest = (best - step.speed_up).max(0.0);
            let speed_up = crate::text::times(step.speed_up);
            let threads = if step.threads == 1 { "thread" } else { "threads" };
            let label = format!("{} {threads}: {speed_up}", step.threads);
            Bar { label, segments: vec![(step.speed_up, WORK), (rest, GREY)] }
        })
        .collect();
    let svg = draw::bars(&bars, None, &crate::text::times)?;
    Ok(figure("Speed-up", "grey: what is missing to as many times the threads", svg))
}

fn threads(report: &Report, top: usize) -> Result<Markup, Error> {
    let bars: Vec<Bar> = report
        .threads
        .iter()
        .take(top)
        .map(|thread| Bar { label: thread.name.clone(), segments: split(&thread.times) })
        .collect();
    Ok(split_figure("Load of each thread", "", draw::bars(&bars, None, &time)?))
}

fn regions(report: &Report, top: usize) -> Result<Markup, Error> {
    let bars: Vec<Bar> = report
        .regions
        .iter()
        .take(top)
        .map(|region| Bar {
            label: label(report, region.construct),
            segments: split(&region.times),
        })
        .collect();
    let svg = draw::bars(&bars, None, &time)?;
    Ok(split_figure("Time in each region", "all threads together", svg))
}

fn blame(report: &Report, top: usize) -> Result<Markup, Error> {
    let mut blamed: Vec<_> = report.constructs.iter().enumerate().collect();
    blamed.retain(|(_, construct)| construct.blame.all() > 0);
    blamed.sort_by_key(|(_, construct)| std::cmp::Reverse(construct.blame.all()));
    let bars: Vec<Bar> = blamed
        .iter()
        .take(top)
        .map(|(at, construct)| {
            let blame = &construct.blame;
            let segments = vec![
                (blame.idle_ns as f64, GREY),
                (blame.wait_ns as f64, SPLIT[1].1),
                (blame.mutex_ns as f64, MUTEX),
            ];
            Bar { label: label(report, *at), segments }
        })
        .collect();
    let note =
        "what others lost while this was worked at: idle, at barriers, for mutexes and turns";
    Ok(split_figure("Blame", note, draw::bars(&bars, None, &time)?))
}

fn holders(report: &Report, top: usize) -> Result<Markup, Error> {
    let blamed = report.holders.iter().filter(|holder| holder.blame_ns > 0).take(top);
    let bars: Vec<Bar> = blamed
        .map(|holder| {
            let what = crate::findings::holder_name(holder).replace('`', "");
            let label = format!("{what} at {}", holder.location.short);
            Bar { label, segments: vec![(holder.blame_ns as f64, MUTEX)] }
        })
        .collect();
    let svg = draw::bars(&bars, None, &time)?;
    Ok(figure(
        "Blame for waiting for mutexes and turns",
        "by the source location that holds them",
        svg,
    ))
}

fn grains(report: &Report, site: &crate::model::TaskReport) -> Result<Markup, Error> {
    let columns: Vec<_> =
        site.grains.iter().map(|grain| (duration(grain.from_ns), grain.tasks as f64)).collect();
    let svg = draw::columns(&columns, WORK)?;
    Ok(figure("Work of tasks", &label(report, site.construct), svg))
}

fn queue(report: &Report) -> Result<Markup, Error> {
    let points = report.tasks.queue.iter();
    let points: Vec<_> = points.map(|point| (point.at_ns as f64, point.longest as f64)).collect();
    let svg = draw::area(&points, report.wall_ns as f64, BLUE, &time)?;
    Ok(figure("Tasks that wait to begin", "over the run", svg))
}

fn path(report: &Report, top: usize) -> Result<Markup, Error> {
    let path = &report.critical_path;
    let bars: Vec<Bar> = path
        .parts
        .iter()
        .take(top)
        .map(|part| {
            let name = part.construct.map(|at| label(report, at));
            let rest = part.ns - part.work_ns;
            let segments = vec![(part.work_ns as f64, WORK), (rest as f64, GREY)];
            Bar { label: name.unwrap_or_else(|| "outside of all constructs".into()), segments }
        })
        .collect();
    let note =
        format!("{} long, {} switches; grey is no work", duration(path.length_ns), path.switches);
    Ok(figure("Critical path", &note, draw::bars(&bars, None, &time)?))
}
