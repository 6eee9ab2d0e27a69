//! The report of a job in words and tables.

use super::model::{JobReport, Levels, Pair, PathPart, RankReport, WaitReport};
use crate::model::Report;
use crate::tables::{Cell, Table, cells, columns};
use crate::text::{Page, bytes, count, duration, harmless, percent, table};

/// The whole report for a terminal of so many columns, or for one that takes any; tables have at most `top` lines.
pub fn render(report: &JobReport, top: usize, width: Option<usize>) -> String {
    let mut page = Page::new(width);
    for line in head(report) {
        let line = page.wrapped(&harmless(&line), 0);
        page.push_str(&format!("{line}\n"));
    }
    page.heading("Findings");
    if report.findings.is_empty() {
        page.push_str("None: ranks lose little to each other.\n");
    }
    for (number, finding) in (1..).zip(report.findings.iter().take(top)) {
        let lines =
            [Some(finding.text.clone() + "."), Some(cure(&finding.cure)), Some(gain(finding))];
        let lines: Vec<_> =
            lines.into_iter().flatten().map(|line| page.wrapped(&harmless(&line), 4)).collect();
        page.push_str(&format!("{number:>2}. {}\n", lines.join("\n").trim_start()));
    }
    let nothing = Report::default();
    for one in tables(report, top) {
        table(&one, &nothing, top, &mut page);
    }
    page.into_text()
}

/// The first lines.
pub(super) fn head(report: &JobReport) -> Vec<String> {
    let JobReport { job, size, ranks, wall_ns, messages, missing, .. } = report;
    let mut lines = vec![format!(
        "{job}: {}, {} of {size} ranks, {} messages matched, {} ends of messages unmatched",
        duration(*wall_ns),
        ranks.len(),
        messages.matched,
        messages.unmatched
    )];
    if !missing.is_empty() {
        let missing: Vec<_> = missing.iter().take(20).map(u32::to_string).collect();
        lines.push(format!("Ranks without a recording: {}", missing.join(", ")));
    }
    lines.extend(report.caveats.iter().cloned());
    lines
}

/// A cure as a sentence.
pub(super) fn cure(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

/// The gain of a finding in words, and what follows from it.
pub(super) fn gain(finding: &super::model::JobFinding) -> String {
    let (low, high) = finding.gain_ns;
    let gain = match low == high {
        true => format!("Expected: {} less.", duration(high)),
        false if low == 0 => format!("Expected: up to {} less.", duration(high)),
        false => {
            format!("Expected: {} to {} less.", duration(low.min(high)), duration(low.max(high)))
        }
    };
    match finding.explains.is_empty() {
        true => gain,
        false => format!("{gain} It explains {}.", finding.explains.join(", ").replace('_', " ")),
    }
}

/// All tables.
pub(super) fn tables(report: &JobReport, top: usize) -> Vec<Table> {
    let tables = [
        efficiency(report),
        ranks(report, top),
        waits(report, top),
        matrix(report, top),
        path(report, top),
    ];
    tables.into_iter().flatten().collect()
}

fn efficiency(report: &JobReport) -> Option<Table> {
    let e = &report.efficiency;
    let (additive, product) = (&e.additive, &e.multiplicative);
    let part = |name: &'static str, of: fn(&Levels) -> f64| (name, of(additive), of(product));
    let rows = [
        ("parallel efficiency", e.parallel, e.parallel),
        ("process level", e.process, e.process),
        part("  MPI load balance", |levels| levels.mpi_load_balance),
        part("  MPI communication", |levels| levels.mpi_communication),
        part("    transfer", |levels| levels.mpi_transfer),
        part("    serialisation", |levels| levels.mpi_serialisation),
        part("thread level", |levels| levels.thread),
        part("  OpenMP regions", |levels| levels.openmp_region),
        part("  serial regions", |levels| levels.serial_region),
    ];
    let row = |(name, additive, product): &(&str, f64, f64)| -> Vec<Cell> {
        std::iter::once((*name).into())
            .chain(cells([percent(*additive), percent(*product)]))
            .collect()
    };
    let heads = columns(["efficiency", "additive", "multiplicative"]);
    let table = Table::of("Efficiencies (POP, hybrid)", heads, &rows, usize::MAX, row)?;
    let ideal = duration(e.ideal_network_ns);
    let legend = format!(
        "additive: 1 less what is lost; multiplicative: parts of a product; on an ideal network the job takes {ideal}"
    );
    Some(table.in_order().legend(&legend))
}

fn ranks(report: &JobReport, top: usize) -> Option<Table> {
    let heads = columns([
        "rank",
        "threads",
        "wall",
        "in regions",
        "serial",
        "in MPI",
        "waiting",
        "caused",
        "useful",
    ]);
    let row = |rank: &RankReport| -> Vec<Cell> {
        let share = rank.useful_ns as f64 / (rank.wall_ns * u64::from(rank.threads)).max(1) as f64;
        let figures = [
            rank.threads.to_string(),
            duration(rank.wall_ns),
            duration(rank.regions_ns),
            duration(rank.serial_ns),
            duration(rank.mpi_ns),
            duration(rank.waiting_ns),
            duration(rank.caused_ns),
            percent(share),
        ];
        std::iter::once(format!("{} ({})", rank.rank, rank.host).into())
            .chain(cells(figures))
            .collect()
    };
    let table = Table::of("Ranks", heads, &report.ranks, top, row)?;
    Some(table.legend(
        "regions, serial, MPI: of the rank's first thread; waiting: in MPI for other ranks; caused: waits of others for this rank; \
         useful: of all its threads",
    ))
}

fn waits(report: &JobReport, top: usize) -> Option<Table> {
    let heads = columns(["wait", "time", "count", "most in", "for", "caused most by"]);
    let row = |wait: &WaitReport| -> Vec<Cell> {
        let name = format!("{} {} {}", wait.kind.replace('_', " "), wait.function, wait.location);
        let cause = format!("{} {}", wait.cause_function, wait.cause_location);
        let figures = [
            duration(wait.time_ns),
            count(wait.count),
            format!("rank {}", wait.worst_rank),
            cause.trim_end().to_owned(),
            format!("rank {}", wait.cause_rank),
        ];
        std::iter::once(name.trim_end().into()).chain(cells(figures)).collect()
    };
    Table::of("Waits between ranks", heads, &report.waits, top, row)
}

fn matrix(report: &JobReport, top: usize) -> Option<Table> {
    let heads = columns(["messages from to", "messages", "bytes", "waiting"]);
    let row = |pair: &Pair| -> Vec<Cell> {
        let figures = [count(pair.messages), bytes(pair.bytes), duration(pair.waiting_ns)];
        let name = format!("rank {} to {}", pair.from, pair.to);
        std::iter::once(name.into()).chain(cells(figures)).collect()
    };
    let table = Table::of("Communication", heads, &report.matrix, top, row)?;
    Some(
        table.legend(
            "waiting: of the receiver for late senders and of the sender for late receivers",
        ),
    )
}

fn path(report: &JobReport, top: usize) -> Option<Table> {
    let heads = columns(["critical path", "time", "of the job"]);
    let row = |part: &PathPart| -> Vec<Cell> {
        let share = part.time_ns as f64 / report.wall_ns.max(1) as f64;
        let place = if part.in_mpi { format!("in {}", part.place) } else { part.place.clone() };
        let name = format!("rank {}: {place}", part.rank);
        std::iter::once(name.into())
            .chain(cells([duration(part.time_ns), percent(share)]))
            .collect()
    };
    let table = Table::of("Critical path through ranks", heads, &report.critical_path, top, row)?;
    Some(
        table
            .legend("from the end of the job backwards, at each wait to the rank for which it was"),
    )
}
