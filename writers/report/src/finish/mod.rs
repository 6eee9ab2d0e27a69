//! The end: sums become a report.

mod constructs;
mod contexts;
mod efficiency;
mod environment;
mod life;
mod lines;
mod metrics;
mod mutexes;
mod path;
mod phases;
mod samples;
mod tasks;

use crate::findings;
use crate::left_out::LeftOut;
use crate::model::{
    Balance, BlameSums, Cores, CounterReport, Recording, Report, SCHEMA, ThreadReport,
};
use crate::sink::ReportSink;
use crate::state::Times;
use metrics::metrics;
use ompttrace_model::{Summary, thread_name};
use ompttrace_recording::facts;

/// The report of a timeline that is over.
pub(crate) fn report(mut sink: ReportSink, summary: &Summary) -> Report {
    let wall_ns = sink.stopped.unwrap_or(sink.end).saturating_sub(sink.begin);
    let threads = threads(&sink);
    let mut times = Times::default();
    threads.iter().for_each(|thread| times.add_all(&thread.times));
    let numbers = std::mem::replace(&mut sink.sums, crate::numbers::Sums::new());
    let numbers = numbers.finish(sink.construct_table.constructs().len());
    let mut constructs = constructs::constructs(&sink, &numbers);
    let left_out = LeftOut::of(&sink.facts);
    if left_out.waits {
        constructs.iter_mut().for_each(|construct| construct.balance = Balance::default());
    }
    let devices = crate::devices::report(&sink, &constructs, wall_ns);
    let mut report = Report {
        schema: SCHEMA,
        program: environment::program(&sink),
        wall_ns,
        capacity_ns: capacity(&sink, wall_ns),
        levels: sink.levels,
        teams: sink.most_teams,
        taken_cores_ns: sink.core_use.taken_ns(),
        life: life::life(&sink),
        window: life::window(&sink),
        caveats: caveats(&sink, summary),
        missing_bytes: summary.missing_bytes,
        busy_machine: None,
        findings: Vec::new(),
        memory_limit: None,
        efficiency: efficiency::efficiency(&sink, &threads, wall_ns),
        times,
        metrics: metrics(&times),
        cores: Cores::of(&times.cores),
        counters: counters(&sink),
        counted_outside: sink.counted.outside(),
        blame: blame(&sink),
        threads,
        regions: constructs::regions(&sink, &constructs, &numbers),
        constructs,
        contexts: contexts::contexts(&sink),
        samples: samples::samples(&sink),
        mpi: crate::mpi::report(&sink),
        devices,
        phases: phases::phases(&sink),
        locks: mutexes::locks(&sink),
        holders: mutexes::holders(&sink),
        unfinished: sink.unfinished(),
        replayed_ns: path::replayed(&sink),
        working_at_stop: sink.working_at_stop,
        tasks: tasks::tasks(&mut sink),
        critical_path: path::path(&sink, times.work()),
        recording: Recording::default(),
        without_lines: None,
    };
    report.recording = Recording {
        record_ns: sink.facts.record_picoseconds as f64 / 1000.0,
        path_ns: report.critical_path.parts.iter().map(|part| part.recording_ns).sum(),
    };
    report.without_lines = lines::module_without_lines(&report);
    report.caveats.extend(report.without_lines.as_deref().map(lines::caveat));
    if report.missing_bytes == 0 {
        let found = findings::find(&report);
        (report.findings, report.busy_machine) = (found.findings, found.busy_machine);
        report.memory_limit = found.memory_limit;
    }
    report
}

fn threads(sink: &ReportSink) -> Vec<ThreadReport> {
    let seen = (0..).zip(sink.infos.iter().zip(&sink.threads));
    seen.filter_map(|(t, (info, thread))| {
        let begin = thread.begin?;
        let is_in_window = !sink.bounds.is_part || thread.since > begin;
        is_in_window.then(|| ThreadReport {
            number: info.number,
            os_thread: info.os_thread,
            name: thread_name(&sink.facts, info),
            lifetime_ns: thread.since - begin,
            begin_ns: begin.saturating_sub(sink.begin),
            times: thread.times,
            metrics: metrics(&thread.times),
            cores: Cores::of(&thread.times.cores),
            counters: sink.counted.of_thread(t),
        })
    })
    .collect()
}

fn counters(sink: &ReportSink) -> Vec<CounterReport> {
    let counters = sink.counted.counters.iter().enumerate();
    let report = |(at, counter): (usize, &facts::Counter)| CounterReport {
        name: counter.name.clone(),
        unit: counter.unit.clone(),
        outside_kernel: counter.outside_kernel,
        sum: sink.counted.sum(at),
    };
    counters.map(report).collect()
}

fn blame(sink: &ReportSink) -> BlameSums {
    BlameSums {
        mutex_ns: sink.locks.waited,
        mutex_uncharged_ns: sink.locks.uncharged,
        ..sink.ledger.sums()
    }
}

/// Wall time x the largest number of threads; before the first team at least one thread for each core.
fn capacity(sink: &ReportSink, wall: u64) -> u64 {
    let before = sink.regions.first.map_or(wall, |first| first.saturating_sub(sink.begin));
    let more = sink.dedicated().saturating_sub(sink.most_present);
    sink.most_present.saturating_mul(wall).saturating_add(more.saturating_mul(before.min(wall)))
}

/// Time of threads of which it is known whether they had a core, and all of it.
fn known_of_cores(sink: &ReportSink) -> (u64, u64) {
    let times = || sink.threads.iter().map(|thread| &thread.times);
    (times().map(|times| times.cores.known()).sum(), times().map(Times::all).sum())
}

/// Caveats for readers of the numbers.
fn caveats(sink: &ReportSink, summary: &Summary) -> Vec<String> {
    let mut caveats = Vec::new();
    let facts = &sink.facts;
    let (threads, cores) = (sink.most_present, u64::from(sink.usable_cores));
    let (known, all) = known_of_cores(sink);
    if threads > cores && cores > 0 && known < all / 2 {
        caveats.push(format!(
            "{threads} threads share {cores} cores, and which threads had one is not recorded: what counts as \
             work is partly waiting for a core."
        ));
    }
    if known > 0 && known < all - all / 10 {
        caveats.push(format!(
            "Whether threads had a core is known for {} of the thread time.",
            crate::text::percent(efficiency::share(known, all))
        ));
    }
    if !facts.finalized {
        caveats.push(sink.ending.caveat().to_owned());
    }
    caveats.extend(life::caveats(sink).map(str::to_owned));
    if summary.lost > 0 {
        caveats.push(format!("{} events were lost.", summary.lost));
    }
    if let Some(missing) = summary.missing {
        caveats.push(format!("The buffers are missing, and with them {missing}."));
    }
    if summary.missing_bytes > 0 {
        caveats.push(format!(
            "The recording is incomplete: its files lack {} bytes of events.",
            summary.missing_bytes
        ));
    }
    let dropped: u64 = summary.dropped.iter().map(|(_, count)| count).sum();
    if dropped > 0 {
        caveats.push(format!("{dropped} records could not be interpreted."));
    }
    caveats.extend(LeftOut::of(facts).caveats().map(str::to_owned));
    caveats
}
