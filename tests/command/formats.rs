//! Several formats at once: one file each, one line.

use super::{folder, names, run, text};
use serde_json::Value;

fn traces(output: &std::process::Output) -> Vec<String> {
    let reported: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let traces = reported["traces"].as_array().expect("a list");
    let name = |path: &Value| path.as_str().expect("a path").rsplit('/').next().map(String::from);
    traces.iter().filter_map(name).collect()
}

#[test]
fn each_format_gets_its_file() {
    let folder = folder();
    let both = run(&["export", "--format", "perfetto,chrome", "--json"], folder.path());
    assert_eq!(traces(&both), ["trace.pftrace", "trace.json"]);
    let again = run(&["export", "--format", "chrome,perfetto", "--json"], folder.path());
    assert_eq!(traces(&again), ["trace.2.pftrace", "trace.2.json"], "earlier traces stay");
    let packed = run(&["export", "--format", "perfetto,chrome", "--gzip", "--json"], folder.path());
    assert_eq!(traces(&packed), ["trace.pftrace.gz", "trace.json.gz"]);
    assert!(!names(folder.path()).iter().any(|name| name.ends_with(".part")));
    let json = std::fs::read(folder.path().join("trace.json")).expect("read");
    assert!(serde_json::from_slice::<Value>(&json).is_ok_and(|json| json.is_array()));
    for gzip in ["trace.pftrace.gz", "trace.json.gz"] {
        let gzip = std::fs::read(folder.path().join(gzip)).expect("read");
        assert!(gzip.starts_with(&[0x1f, 0x8b]));
    }
}

#[test]
fn one_output_is_for_one_format() {
    let folder = folder();
    let output = folder.path().join("out");
    let output = output.to_str().expect("UTF-8");
    let arguments = ["export", "--format", "perfetto,chrome", "--output", output];
    let refused = run(&arguments, folder.path());
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("--output names one trace"));
    let one = run(&["export", "--format", "chrome", "--output", output], folder.path());
    assert!(one.status.success() && text(&one.stdout).contains("out: 2 events, 0 lost"));
}

#[test]
fn a_run_that_is_only_recorded_is_counted_in_one_line() {
    let folder = folder();
    let said = run(&["info", "--closing-line"], folder.path());
    let line = text(&said.stderr);
    assert!(said.status.success() && said.stdout.is_empty(), "{line}");
    assert!(line.contains(": recording of 2 events, 0 lost") && line.lines().count() == 1);
}

/// Paths of traces below the run folder.
fn below(output: &std::process::Output, folder: &std::path::Path) -> Vec<String> {
    let reported: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let below = |path: &Value| {
        let path = std::path::Path::new(path.as_str().expect("a path"));
        path.strip_prefix(folder).expect("in the run folder").display().to_string()
    };
    reported["traces"].as_array().expect("a list").iter().map(below).collect()
}

#[test]
fn each_view_is_an_archive_of_its_own_and_threads_are_the_default() {
    let folder = folder();
    let otf2 = |more: &[&str]| {
        let arguments = [&["export", "--format", "otf2", "--json"], more].concat();
        below(&run(&arguments, folder.path()), folder.path())
    };
    assert_eq!(otf2(&[]), ["trace-otf2/traces.otf2"]);
    let both = ["trace-otf2.2/traces.otf2", "trace-otf2-regions/traces.otf2"];
    assert_eq!(otf2(&["--view", "both"]), both, "earlier archives stay");
    assert_eq!(otf2(&["--view", "regions"]), ["trace-otf2-regions.2/traces.otf2"]);
    assert!(!names(folder.path()).iter().any(|name| name.ends_with(".part")));
}

#[test]
fn an_archive_goes_where_it_is_wanted_or_nowhere() {
    let folder = folder();
    let output = folder.path().join("archive");
    let output = output.to_str().expect("UTF-8");
    let to = ["export", "--format", "otf2", "--output", output];
    let two = run(&[&to[..], &["--view", "both"]].concat(), folder.path());
    assert_eq!(two.status.code(), Some(1));
    assert!(text(&two.stderr).contains("--output names one archive"), "{}", text(&two.stderr));
    let one = run(&to, folder.path());
    assert!(text(&one.stdout).contains("archive/traces.otf2: 2 events, 0 lost"));
    let again = run(&to, folder.path());
    assert!(text(&again.stderr).contains("archive exists"), "{}", text(&again.stderr));
}

#[test]
fn cuts_that_make_no_sense_are_reported_and_leave_nothing() {
    let folder = folder();
    let before = names(folder.path());
    for (arguments, code, words) in [
        (&["--from", "2s", "--to", "1s"][..], 2, "--from 2s --to 1s: the time window is empty"),
        (&["--from", "soon"], 2, "a time such as 2.5s"),
        (&["--split", "10K"], 2, "a size of at least 1MB"),
        (&["--split", "1M", "--format", "otf2"], 1, "--split is for --format perfetto and chrome"),
        (&["--gzip", "--format", "otf2"], 2, "--gzip is for formats of one file"),
        (&["--limit", "10K"], 2, "a size of at least 1MB"),
        (&["--detail", "some"], 2, "auto, all, or a time"),
        (&["--from", "1min"], 1, "the run, which lasts 0.000000020 s"),
    ] {
        let output = run(&[&["export"], arguments].concat(), folder.path());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
        assert_eq!(names(folder.path()), before, "{arguments:?}");
    }
}

#[test]
fn a_window_says_what_it_shows() {
    let folder = folder();
    let output = run(&["export", "--from", "5ns", "--to", "0.000000015"], folder.path());
    let said = text(&output.stdout);
    assert!(said.contains("trace.pftrace: 0.000000005s to 0.000000015s, "), "{said}");
    assert!(said.contains("read for the window: 2 events, 0 lost"), "{said}");
    let parts = run(&["export", "--split", "1M", "--quiet"], folder.path());
    assert_eq!(parts.status.code(), Some(0), "{}", text(&parts.stderr));
    assert!(names(folder.path()).contains(&"trace-part1.pftrace".to_owned()));
}

#[test]
fn tables_go_where_they_are_wanted_and_are_of_the_whole_run() {
    let folder = folder();
    let both = run(&["export", "--format", "parquet,perfetto", "--json"], folder.path());
    assert_eq!(traces(&both), ["trace.pftrace", "trace-parquet"]);
    let again = run(&["export", "--format", "parquet", "--intervals", "--json"], folder.path());
    assert_eq!(traces(&again), ["trace-parquet.2"], "earlier tables stay");
    for (dataset, files) in [("trace-parquet", 5), ("trace-parquet.2", 6)] {
        assert_eq!(names(&folder.path().join(dataset)), ["rank=0"]);
        assert_eq!(names(&folder.path().join(dataset).join("rank=0")).len(), files);
    }
    for (arguments, status, why) in [
        (&["--format", "parquet", "--from", "1ms"][..], 1, "cover the whole run"),
        (&["--format", "parquet,perfetto", "--split", "1M"], 1, "cover the whole run"),
        (&["--format", "parquet,chrome", "--output", "x"], 1, "--output names one trace"),
        (&["--format", "folded"], 1, "the recording has none: record with --sample"),
        (&["--task-stacks", "execution"], 2, "--task-stacks is for --format folded and pprof"),
        (&["--intervals"], 2, "--intervals and --bin are for --format parquet"),
        (&["--format", "parquet", "--bin", "1ns"], 2, "a time of at least 1us"),
    ] {
        let refused = run(&[&["export"], arguments].concat(), folder.path());
        assert_eq!(refused.status.code(), Some(status), "{arguments:?}");
        assert!(text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
    }
    assert!(!names(folder.path()).iter().any(|name| name.ends_with(".part")));
}
