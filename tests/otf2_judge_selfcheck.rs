//! Judges the judge of OTF2 archives: a sound archive that has everything must pass, and each of
//! many archives with one known fault must be reported by that fault's own name.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use ompttrace_tests::build;
use ompttrace_tests::otf2_judge::{self, ForkJoin, Lock, Marker, Metric, Parameter};
use serde::Deserialize;
use tempfile::TempDir;

/// One archive, and the kinds of breach that the judge has to find in it.
#[derive(Deserialize)]
struct Case {
    name: String,
    kinds: BTreeSet<String>,
}

/// All archives of `tests/otf2_judge/defects.py`.
struct Cases {
    folder: TempDir,
    cases: Vec<Case>,
}

impl Cases {
    /// Fails unless every kind of breach has a case.
    fn write() -> Result<Cases> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new("/usr/bin/python3");
        command.arg("-B").arg(build::root().join("tests/otf2_judge/defects.py")).arg(folder.path());
        let list = String::from_utf8(build::run(&mut command, "python3-otf2 python3-six")?)?;
        let cases = list.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        Ok(Cases { folder, cases })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

#[test]
fn each_fault_is_reported_by_its_own_name_and_no_other() -> Result<()> {
    let cases = Cases::write()?;
    assert!(cases.cases.len() > 80);
    let mut wrong = Vec::new();
    for Case { name, kinds } in &cases.cases {
        let verdict = otf2_judge::judge(&cases.path(name))?;
        let reported: BTreeSet<_> = verdict.breaches.iter().map(|one| one.kind.clone()).collect();
        if reported != *kinds {
            wrong.push(format!("{name}: {kinds:?} expected\n{}", verdict.report()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    Ok(())
}

#[test]
fn a_sound_archive_passes_and_is_counted_exactly() -> Result<()> {
    let cases = Cases::write()?;
    let statistics = otf2_judge::check(&cases.path("good"))?;
    assert_eq!(statistics.events("ThreadTaskSwitch"), 10);
    assert_eq!(statistics.events("ThreadCreate"), 0);
    // Location 0: 300 ns, less 30 and 1 in the tasks; location 1: less 40 and 1.
    let team = statistics.region("!$omp parallel @good.c:10").expect("is defined");
    assert_eq!((team.enters, team.active_ns), (2, 269 + 259));
    assert_eq!((team.role.as_str(), team.paradigm.as_str()), ("PARALLEL", "OPENMP"));
    assert_eq!((team.file.as_str(), team.line), ("good.c", 10));
    assert_eq!(team.canonical_name, "!$omp parallel");
    // 5 in the root's own, 70 in the one that goes from 0 to 1, 2 in the one that goes back.
    let task = statistics.region("!$omp task @good.c:14").expect("is defined");
    assert_eq!((task.enters, task.active_ns), (3, 77));
    let kernel = statistics.region("kernel").expect("is defined");
    assert_eq!((kernel.role.as_str(), kernel.paradigm.as_str()), ("KERNEL", "OPENMP_TARGET"));
    assert_eq!(statistics.fork_join, ForkJoin { count: 4, ns: 300 + 50 + 30 + 50 });
    let inner = &statistics.comms[2];
    assert_eq!((inner.parent, &inner.members[..]), (Some(1), &[Some(1), Some(2)][..]));
    assert_eq!(statistics.locks[0], Lock { lock: 0, acquires: 3, releases: 3 });
    let lost = Marker { group: "ompttrace".into(), category: "lost".into(), count: 2 };
    assert_eq!(statistics.markers, [lost]);
    assert_eq!(statistics.metrics["threads"], Metric { count: 2, last: 4712.into() });
    let texts = [("static".to_owned(), 2)].into();
    assert_eq!(statistics.parameters["schedule"], Parameter { count: 2, texts });
    assert_eq!(statistics.attributes["ThreadId"], 3);
    assert_eq!(statistics.locations[3].kind, "GPU");
    assert_eq!(statistics.property("archive", "TESTS::KIND"), Some("good"));
    assert_eq!(statistics.property("Location 0", "number"), Some("7"));
    let template = statistics.property("Paradigm 3", "COMM_NAME_TEMPLATE");
    assert_eq!(template, Some("Thread team ${id}"));
    Ok(())
}

#[test]
fn both_halves_of_otf2_print_are_heard() -> Result<()> {
    let cases = Cases::write()?;
    let complaint = |name| otf2_judge::print(&cases.path(name), 100).unwrap_err().to_string();
    let text = complaint("group_member_beyond_the_locations");
    assert!(text.contains("invalid rank in Group"), "{text}");
    let text = complaint("region_undefined");
    assert!(text.contains("Region: INVALID <99>"), "{text}");
    Ok(())
}

#[test]
fn three_readers_count_the_same() -> Result<()> {
    let cases = Cases::write()?;
    let archive = cases.path("good");
    let events = otf2_judge::judge(&archive)?.statistics.events;
    assert_eq!(otf2_judge::count_events(&archive)?, events);
    assert_eq!(otf2_judge::count_again(&archive)?, events);
    Ok(())
}

#[test]
fn a_torn_or_missing_archive_is_an_error() -> Result<()> {
    let cases = Cases::write()?;
    let torn = cases.path("good");
    let events = fs::OpenOptions::new().write(true).open(torn.join("traces/0.evt"))?;
    events.set_len(300)?;
    for archive in [torn, cases.path("nothing")] {
        let error = otf2_judge::judge(&archive).unwrap_err().to_string();
        assert!(error.contains("cannot be read"), "{error}");
    }
    Ok(())
}
