//! Threads that spin while they wait, on a machine where others want the cores: to sleep, or to be fewer, are cures of
//! their own, each with its own gain.
//!
//! The model: as many cores as the program had in the mean (time on cores / wall time) it would have had anyway, and
//! spinning is what need not be done on them. Fewer threads spin less; each of them has as much of a core as each had at
//! least, and a whole one at most.

use super::cores::{finding, smaller_teams};
use crate::model::{Cores, Finding, Gain, Report};
use crate::text::{duration, percent};

/// Spinning is worth a sentence from this share of the time on cores on.
const MUCH: f64 = 0.05;
/// The cure that makes threads sleep.
pub(super) const SLEEP: &str = "let threads sleep while they wait (OMP_WAIT_POLICY=passive)";

/// True if threads spin for a part of their time on cores that is worth a sentence.
pub(super) fn is_much(cores: &Cores) -> bool {
    cores.spun_ns as f64 >= MUCH * cores.given_ns as f64
}

/// A finding for each cure that helps, where they do.
pub(super) fn find(report: &Report, cores: &Cores) -> Vec<Finding> {
    if !is_much(cores) {
        return Vec::new();
    }
    let run = Run::of(report, cores);
    let spins = format!(
        "Threads spin for {} of the {} that they have a core ({}), waiting for each other, while others want the cores",
        duration(cores.spun_ns),
        duration(cores.given_ns),
        percent(cores.spun_ns as f64 / cores.given_ns.max(1) as f64),
    );
    let sleep = (!is_passive(report)).then(|| (spins, SLEEP.to_owned(), run.asleep(report)));
    let left = (run.cores.round() as u32).clamp(1, report.program.cores.max(1));
    let cure = smaller_teams(report, left);
    let teams = format!(
        "Threads had {:.2} cores in the mean, and wait for those of their team that have none",
        run.cores
    );
    let fewer = (!cure.is_empty()).then(|| (teams, cure, run.fewer(report, left)));
    let cured = sleep.into_iter().chain(fewer).filter(|(.., gain)| gain.ns > 0);
    let lost = cores.spun_ns;
    cured
        .map(|(text, cure, gain)| finding(report, cores, (lost, text)).cured_by(cure, gain))
        .collect()
}

/// The cores that a run had.
struct Run {
    wall: f64,
    /// Cores in the mean, and of one for each thread that wanted it.
    cores: f64,
    share: f64,
    /// Time on cores but for spinning, and that of the thread that works most.
    needed: f64,
    longest: f64,
}

impl Run {
    fn of(report: &Report, cores: &Cores) -> Run {
        let wall = report.wall_ns.max(1) as f64;
        let longest = report.threads.iter().map(|thread| thread.metrics.work_ns).max().unwrap_or(0);
        Run {
            wall,
            cores: (cores.given_ns as f64 / wall).max(f64::EPSILON),
            share: cores.share.unwrap_or(1.0).max(f64::EPSILON),
            needed: cores.given_ns.saturating_sub(cores.spun_ns) as f64,
            longest: longest as f64,
        }
    }

    /// Gain if waiting threads sleep.
    fn asleep(&self, report: &Report) -> Gain {
        let least = (self.needed / self.cores).max(self.longest);
        let most = self.wall - least;
        Gain::of(report, 0.75 * most, 0.5 * most, most)
    }

    /// Gain of a run with so many threads.
    fn fewer(&self, report: &Report, threads: u32) -> Gain {
        let threads = f64::from(threads);
        let with = |cores: f64| self.wall - self.needed / cores;
        let expected = with(threads.min(self.cores));
        Gain::of(report, expected, with(threads * self.share), with(threads))
    }
}

/// True if the settings make threads sleep while they wait.
fn is_passive(report: &Report) -> bool {
    let settings = &report.program.surroundings.settings;
    let is = |name: &str, value: &str| {
        settings.get(name).is_some_and(|set| set.trim().eq_ignore_ascii_case(value))
    };
    is("OMP_WAIT_POLICY", "passive") || is("KMP_BLOCKTIME", "0") || is("GOMP_SPINCOUNT", "0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{RegionReport, ThreadReport};

    /// Two threads that want two cores for a second and have this much of it, of which they spin for a part.
    fn run(given_ms: u64, spun_ms: u64) -> (Report, Cores) {
        let ms = 1_000_000;
        let cores = Cores {
            wanted_ns: 2_000 * ms,
            given_ns: given_ms * ms,
            share: Some(given_ms as f64 / 2_000.0),
            spun_ns: spun_ms * ms,
            ..Cores::default()
        };
        let region = RegionReport { threads: 2, ..RegionReport::default() };
        let mut report = Report {
            wall_ns: 1_000 * ms,
            capacity_ns: 2_000 * ms,
            levels: 1,
            regions: vec![region],
            threads: Vec::<ThreadReport>::new(),
            ..Report::default()
        };
        report.program.cores = 2;
        (report, cores)
    }

    fn cures(given_ms: u64, spun_ms: u64) -> Vec<(String, f64)> {
        let (report, cores) = run(given_ms, spun_ms);
        find(&report, &cores).into_iter().map(|found| (found.cure, found.gain.share)).collect()
    }

    #[test]
    fn each_cure_has_its_own_gain() {
        // A third of a core for both: what is not spun takes 140 ms of them, or of a thread alone with at least a sixth.
        let [(sleep, asleep), (fewer, alone)] = &cures(340, 200)[..] else { panic!("two cures") };
        assert!(sleep.contains("OMP_WAIT_POLICY=passive"), "{sleep}");
        assert!((asleep - 0.75 * 200.0 / 340.0).abs() < 0.01, "{asleep}");
        assert!(fewer.contains("OMP_NUM_THREADS=1"), "{fewer}");
        assert!((alone - (1.0 - 140.0 / 340.0)).abs() < 0.01, "{alone}");
    }

    #[test]
    fn threads_that_do_not_spin_have_no_cure_here() {
        assert!(cures(340, 10).is_empty());
    }

    #[test]
    fn threads_that_sleep_already_are_not_told_to() {
        let (mut report, cores) = run(1_300, 900);
        report.program.surroundings.settings.insert("OMP_WAIT_POLICY".into(), "PASSIVE".into());
        let found = find(&report, &cores);
        assert!(matches!(&found[..], [one] if !one.cure.contains("passive")), "{found:?}");
    }

    #[test]
    fn one_thread_is_advised_only_where_it_gains() {
        // Two threads work all the time that they have cores: one alone takes longer.
        let found = cures(1_300, 100);
        assert!(found.iter().all(|(cure, _)| cure.contains("passive")), "{found:?}");
    }
}
