//! Idleness: serial sections, and regions that do not use all threads.

use super::gain::{ns, region_time};
use super::{Alike, Findings, about, named, of_all, up_to, worth, worth_with_others};
use crate::model::{Blame, Class, ConstructReport, Finding, Gain, Report};
use crate::state::{State, Times};
use crate::text::{duration, percent};
use ompttrace_model::base_name;

/// Advice for threads of a full team that are idle while it works already.
const LATE: &str =
    "let threads wait actively on cores of their own (OMP_WAIT_POLICY=active, OMP_PROC_BIND=true)";

const PARALLEL: &str = "do it in parallel";

/// Advice for a thread that sleeps in the kernel: for a file, a child process, a time.
const MEANWHILE: &str = "do other work while it sleeps";

const MORE: &str = "give them more threads";

pub(super) fn find(report: &Report, found: &mut Findings) {
    let all = report.constructs.iter().enumerate();
    for (at, section) in all.filter(|(_, construct)| construct.class == Class::Serial) {
        let lost = section.blame.unused();
        if worth(report, lost) && !is_of_interpreter(report, section) {
            let finding = about(report, "serial", at, lost, serial(report, section, lost));
            let cure = if mostly_sleeps(&section.times) { MEANWHILE } else { PARALLEL };
            let finding = finding.cured_by(cure, halved(report, section, lost));
            let finding = finding.shown_by("serial_ns", ns(section.times.all()));
            let finding = finding.shown_by("unused_ns", ns(lost));
            found.push(Finding { location: location(report, section), ..finding });
        }
    }
    for region in &report.regions {
        let Some(construct) = report.constructs.get(region.construct) else { continue };
        let idle = region.blame.idle_ns;
        let cores = u64::from(report.program.cores);
        let is_full = cores > 0 && report.efficiency.threads > cores && region.threads >= cores;
        // Where there are more threads than cores, nothing is lost by those that are left over.
        if is_full || !worth_with_others(report, idle) {
            continue;
        }
        let all = report.efficiency.threads;
        let (kind, reason, advice) = match region.threads < all {
            true => ("idle", format!("it has {} of {all} threads", region.threads), MORE),
            false => ("late", "its threads begin late".to_owned(), LATE),
        };
        let text = format!(
            "{}: while it is worked at, threads idle for {} ({} of all thread time): {reason}",
            named(construct),
            duration(idle),
            percent(of_all(report, idle)),
        );
        let loss = "while they are worked at, threads idle for {}";
        let alike = Alike { loss, each_ns: None, advice };
        let wall = region_time(report, region.construct);
        let most = match kind {
            "idle" => wall * (1.0 - region.threads as f64 / all as f64),
            _ => idle as f64 / all as f64,
        };
        let finding = about(report, kind, region.construct, idle, text);
        let finding = finding.cured_by(advice, up_to(report, most));
        found.push_alike(finding.shown_by("idle_ns", ns(idle)), alike);
    }
}

/// True for the serial section before an interpreter's first region, its own start and imports: no directive changes
/// that.
fn is_of_interpreter(report: &Report, section: &ConstructReport) -> bool {
    let is_first = matches!(section.between, Some([None, Some(_)]));
    is_first && is_interpreter(&report.program.executable)
}

/// True if a program carries out scripts.
pub(crate) fn is_interpreter(executable: &str) -> bool {
    let name = base_name(executable);
    let begins = ["python", "pypy", "julia", "octave", "perl", "ruby", "node"];
    begins.iter().any(|begin| name.starts_with(begin)) || name == "R"
}

/// Gain if half of a section is done by all threads, with a range from a quarter to all of it. No more threads can help
/// than had nothing to do.
fn halved(report: &Report, section: &ConstructReport, unused: u64) -> Gain {
    // Time in MPI is no work that others could do, nor is time for devices.
    let time = section.times.sum(|state| !(state.is_mpi() || state.is_offload())) as f64;
    let helpers = if time > 0.0 { unused as f64 / time } else { 0.0 };
    let all = time * helpers / (helpers + 1.0);
    // What a process does before main and behind it is nobody's to cure, and not known apart; nor is what it sleeps for.
    match section.between {
        Some([Some(_), Some(_)]) if !mostly_sleeps(&section.times) => {
            Gain::of(report, (time / 2.0).min(all), all / 4.0, all)
        }
        _ => Gain::of(report, all / 4.0, 0.0, all),
    }
}

fn serial(report: &Report, section: &ConstructReport, lost: u64) -> String {
    let [from, to] = ends(report, section);
    format!(
        "Serial from {from} to {to}: one thread {}, the others {}, {} of all thread time",
        done(&section.times),
        unused(&section.blame),
        percent(of_all(report, lost)),
    )
}

/// Words for the only thread's work and sleep, as far as the kernel reported it: time in which it wanted a core is
/// work.
fn done(times: &Times) -> String {
    let asleep = times.of(State::OffCoreBlocked);
    let all = times.work() + times.sum(State::is_off_core);
    let in_mpi = times.sum(State::is_mpi);
    let offloads = times.sum(State::is_offload);
    let mut apart = String::new();
    for (time, what) in [(in_mpi, "in MPI"), (offloads, "in target constructs")] {
        if time > times.all() / 10 {
            apart += &format!(", apart from {} {what}", duration(time));
        }
    }
    match asleep < all / 10 {
        true => format!("works {}{apart}", duration(all)),
        false => {
            format!(
                "works {} and sleeps {} in the kernel{apart}",
                duration(all - asleep),
                duration(asleep)
            )
        }
    }
}

fn mostly_sleeps(times: &Times) -> bool {
    2 * times.of(State::OffCoreBlocked) > times.all()
}

/// Words for the time of the other threads meanwhile: they idle, or do not exist.
fn unused(blame: &Blame) -> String {
    let idle = blame.idle_ns + blame.wait_ns;
    let absent = duration(blame.absent_ns);
    // What hardly counts beside the other is not distinguished.
    match (idle < blame.absent_ns / 10, blame.absent_ns < idle / 10) {
        (true, _) => format!("are not there, which makes {absent}"),
        (_, true) => format!("idle for {}", duration(blame.unused())),
        _ => format!("idle for {} or are not there ({absent})", duration(idle)),
    }
}

/// The locations on either side, in words.
fn ends(report: &Report, section: &ConstructReport) -> [String; 2] {
    let name = |at: Option<usize>, other: &str| {
        let construct = at.and_then(|at| report.constructs.get(at));
        construct.map_or_else(|| other.to_owned(), named)
    };
    let [from, to] = section.between.unwrap_or_default();
    let begin = match report.life.from {
        "process" => "the start of the process",
        "window" => "the begin of the window",
        _ => "the begin",
    };
    let end = match report.life.to.as_str() {
        "off" => "where recording was switched off",
        "runtime" => "where the OpenMP runtime ended",
        "window" => "the end of the window",
        _ => "the end",
    };
    [name(from, begin), name(to, end)]
}

/// The location before which the section lies, or else the one after which it lies.
fn location(report: &Report, section: &ConstructReport) -> String {
    let [from, to] = section.between.unwrap_or_default();
    let construct = to.or(from).and_then(|at| report.constructs.get(at));
    construct.map(|construct| construct.location.short.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_sleeps_is_not_said_to_work() {
        let mut times = Times::default();
        times.add(State::WorkSerial, 60_000_000);
        times.add(State::OffCorePreempted, 39_000_000);
        times.add(State::OffCoreBlocked, 1_000_000);
        assert_eq!((done(&times).as_str(), mostly_sleeps(&times)), ("works 100 ms", false));
        times.add(State::OffCoreBlocked, 900_000_000);
        assert_eq!(done(&times), "works 99.0 ms and sleeps 901 ms in the kernel");
        assert!(mostly_sleeps(&times));
    }

    #[test]
    fn time_in_mpi_is_said_apart() {
        let mut times = Times::default();
        times.add(State::WorkSerial, 60_000_000);
        times.add(State::MpiCollective, 40_000_000);
        assert_eq!(done(&times), "works 60.0 ms, apart from 40.0 ms in MPI");
        times.add(State::WaitTarget, 30_000_000);
        let apart = "apart from 40.0 ms in MPI, apart from 30.0 ms in target constructs";
        assert_eq!(done(&times), format!("works 60.0 ms, {apart}"));
    }
}
