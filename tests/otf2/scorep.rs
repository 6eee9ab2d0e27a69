//! Point by point what Score-P is described to write, in archives of a nested program and of one with
//! tasks; and a second libotf2 that reads the same bytes.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::otf2_judge::{self, Comm, Statistics};
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};
use ompttrace_tests::{programs, runtimes};

use super::expected::{CONSTRUCTS, REGIONS, TREE, TREE_REGIONS};
use super::exported::Exported;
use super::listing;

/// A run with the archives of both views, OS threads first, and what they hold.
struct Archives {
    traced: Traced,
    folders: [PathBuf; 2],
    statistics: [Statistics; 2],
}

fn archives(source: &str) -> Result<Archives> {
    let program = programs::of_test(source)?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let folders = Exported::new(&traced.scratch.only_run()?)?.archives;
    let statistics = [otf2_judge::check(&folders[0])?, otf2_judge::check(&folders[1])?];
    Ok(Archives { traced, folders, statistics })
}

#[test]
fn each_thread_says_what_it_does_in_the_documented_order() -> Result<()> {
    for (source, expected) in [("constructs", CONSTRUCTS), ("tree", TREE)] {
        let archives = archives(&format!("tests/otf2/{source}.c"))?;
        for folder in &archives.folders {
            assert_eq!(listing::events(folder, 0)?, expected, "{}", folder.display());
        }
    }
    Ok(())
}

#[test]
fn regions_have_names_roles_and_locations() -> Result<()> {
    for (source, regions) in [("constructs", REGIONS), ("tree", TREE_REGIONS)] {
        let source = format!("tests/otf2/{source}.c");
        for statistics in archives(&source)?.statistics {
            for (name, role, line) in regions {
                let region = statistics.region(name).context(*name)?;
                let reported = (region.role.as_str(), region.line, region.paradigm.as_str());
                assert_eq!(reported, (*role, *line, "OPENMP"), "{name}");
                ensure!(region.file.ends_with(&source), "{name}: {}", region.file);
            }
        }
    }
    Ok(())
}

#[test]
fn a_paradigm_comes_with_the_name_of_its_teams_and_its_locations_before_their_groups() -> Result<()>
{
    for folder in archives("tests/otf2/constructs.c")?.folders {
        let lines = listing::definitions(&folder)?;
        let at = |opening: &str, part: &str| -> Result<usize> {
            let found =
                lines.iter().position(|line| line.starts_with(opening) && line.contains(part));
            found.with_context(|| format!("no {opening} {part}: {lines:#?}"))
        };
        at("PARADIGM 3 OPENMP,", "Class: THREAD_FORK_JOIN")?;
        at("PARADIGM_PROPERTY ", "COMM_NAME_TEMPLATE, Type: STRING, Value: \"Thread team ${id}\"")?;
        let locations = at("GROUP ", "Type: COMM_LOCATIONS, Paradigm: \"OpenMP\"")?;
        let (group, comm) = (at("GROUP ", "Type: COMM_GROUP")?, at("COMM ", "Group: ")?);
        ensure!(locations < group && group < comm, "{lines:#?}");
        // An empty name: the template applies.
        ensure!(lines[comm].contains("Name: \"\""), "{}", lines[comm]);
    }
    Ok(())
}

/// The teams of `constructs.c` by the paths of their threads: in the view of regions a location is
/// named by its position in the tree of teams, and thread 0 stays where it forked.
#[test]
fn a_team_is_a_comm_with_its_members_in_order_below_the_team_that_forked() -> Result<()> {
    let archives = archives("tests/otf2/constructs.c")?;
    let [threads, regions] = &archives.statistics;
    let name = |location: &Option<u64>| {
        let found = regions.locations.iter().find(|one| Some(one.id) == *location);
        found.map_or("?", |one| one.name.as_str())
    };
    let names = |comm: &Comm| comm.members.iter().map(name).collect::<Vec<_>>();
    let parent = |comm: &Comm| {
        let parent = regions.comms.iter().find(|one| Some(one.id) == comm.parent);
        parent.map(&names).unwrap_or_default()
    };
    let mut teams: Vec<_> = regions.comms.iter().map(|comm| (names(comm), parent(comm))).collect();
    teams.sort();
    let outer = vec!["0", "0.1"];
    let expected = [
        (vec!["0"], vec![]),
        (vec!["0", "0.0.1"], outer.clone()),
        (outer.clone(), vec!["0"]),
        (vec!["0.1", "0.1.1"], outer),
    ];
    assert_eq!(teams, expected);
    let shape = |statistics: &Statistics| {
        let mut sizes: Vec<_> = statistics.comms.iter().map(|comm| comm.members.len()).collect();
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(shape(threads), [1, 2, 2, 2]);
    Ok(())
}

#[test]
fn teams_say_which_thread_of_which_process_begins() -> Result<()> {
    let archives = archives("tests/otf2/constructs.c")?;
    let [statistics, _] = &archives.statistics;
    let process = u64::from(archives.traced.run.pid);
    for location in statistics.locations.iter().filter(|one| one.kind == "CPU_THREAD") {
        let of = format!("Location {}", location.id);
        let thread = statistics.property(&of, "OMPTTRACE::OS thread").context("no OS thread")?;
        let expected = [("ThreadId".to_string(), thread.parse()?), ("ProcessId".into(), process)];
        let reported = listing::attributes(&archives.folders[0], location.id, "THREAD_TEAM_BEGIN")?;
        ensure!(!reported.is_empty() && reported.len() % 2 == 0, "{reported:?}");
        reported.chunks(2).for_each(|pair| assert_eq!(pair, expected, "{}", location.name));
    }
    Ok(())
}

#[test]
fn the_clock_knows_the_date() -> Result<()> {
    let archives = archives("tests/otf2/tree.c")?;
    let lines = listing::definitions(&archives.folders[0])?;
    let clock =
        lines.iter().find(|line| line.starts_with("CLOCK_PROPERTIES ")).context("a clock")?;
    ensure!(clock.contains("Ticks per Seconds: 1000000000,"), "{clock}");
    let (_, date) = clock.split_once("Date: ").context(clock.clone())?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let (_, fraction) = date.split_once('.').context("nanoseconds")?;
    ensure!(fraction.len() >= 9, "{clock}");
    let seconds = seconds(date).context(date.to_string())?;
    let age = now.saturating_sub(Duration::from_secs(seconds));
    ensure!(seconds <= now.as_secs() && age < Duration::from_secs(120), "{date}, {now:?}");
    Ok(())
}

/// Seconds since 1970 of `2026-11-21 07:06:31...+0000`, by the calendar's rules.
fn seconds(date: &str) -> Option<u64> {
    let number = |from: usize, to: usize| date.get(from..to)?.parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    // Years begin in March, so that a leap day is the last of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let days = days.checked_sub(719_468)?;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[test]
fn a_newer_libotf2_reads_the_same() -> Result<()> {
    for source in ["tests/otf2/constructs.c", "tests/programs/c/task_untied.c"] {
        let archives = archives(source)?;
        for (folder, statistics) in archives.folders.iter().zip(&archives.statistics) {
            let counts = otf2_judge::count_events(folder)?;
            assert_eq!(counts, otf2_judge::count_again(folder)?, "{}", folder.display());
            assert_eq!(counts.values().sum::<u64>(), statistics.events.values().sum::<u64>());
        }
    }
    Ok(())
}

/// A traced program writes its traces in several formats at its end, as a user would request them.
#[test]
fn a_run_makes_its_traces_in_several_formats() -> Result<()> {
    let program = programs::of_test("tests/otf2/tree.c")?;
    let formats = [("OMPTTRACE_FORMAT", "otf2,chrome")];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &formats)?;
    ensure!(traced.run.stderr.lines().count() == 1, "{}", traced.run.stderr);
    let run = traced.scratch.only_run()?;
    ensure!(run.join("trace.json").is_file() && !run.join("trace.pftrace").exists());
    let statistics = otf2_judge::check(&run.join("trace-otf2"))?;
    assert_eq!(statistics.events("ThreadTaskComplete"), 2);
    Ok(())
}
