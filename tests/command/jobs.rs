//! `--jobs`: what is written does not depend on how many threads write it, whatever the recording is worth.

use super::{Command, Path, TempDir, program, run, text};
use ompttrace_timeline::testing::nonsense;

const JOBS: [&str; 3] = ["2", "3", "8"];

fn recordings() -> Vec<TempDir> {
    (1..=4).map(|seed| nonsense(seed, 6_000).write().expect("a run folder")).collect()
}

/// Every file of a trace with its bytes, by name. OTF2's anchor file has a random number in it.
fn files(trace: &Path) -> Vec<(String, Vec<u8>)> {
    if trace.is_file() {
        return vec![(String::new(), std::fs::read(trace).expect("read"))];
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(trace).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let inside = files(&entry.path()).into_iter();
        found.extend(inside.map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
    }
    found.retain(|(name, _)| name != "traces.otf2/");
    found.sort();
    found
}

#[test]
fn an_export_is_the_same() {
    let tables = ["parquet", "--intervals", "--bin", "1us"];
    let formats = [&["perfetto"][..], &["chrome"], &tables, &["otf2"]];
    for recording in recordings() {
        for format in formats {
            let export = |jobs: &str| {
                let folder = tempfile::tempdir().expect("a folder");
                let output = folder.path().join("trace");
                let to = output.to_str().expect("UTF-8");
                let to = ["--jobs", jobs, "--output", to];
                let arguments = [&["export", "--view", "threads", "--format"], format, &to];
                let made = run(&arguments.concat(), recording.path());
                assert!(made.status.success(), "{}", text(&made.stderr));
                files(&output)
            };
            let one = export("1");
            assert!(one.iter().any(|(_, bytes)| bytes.len() > 1_000), "{format:?}");
            for jobs in JOBS {
                assert!(export(jobs) == one, "{format:?}, {jobs} threads");
            }
        }
    }
}

#[test]
fn merged_traces_are_the_same() {
    let recordings = recordings();
    let folder = tempfile::tempdir().expect("a folder");
    let merge = |jobs: &str| {
        let output = folder.path().join(jobs);
        let mut command = Command::new(program());
        command.args(["merge", "--json", "--jobs", jobs, "--output"]).arg(&output);
        let made = command.args(recordings.iter().map(TempDir::path)).output().expect("started");
        assert!(made.status.success(), "{}", text(&made.stderr));
        let summary = text(&made.stdout).replace(output.to_str().expect("UTF-8"), "");
        (summary, std::fs::read(&output).expect("read"))
    };
    let one = merge("1");
    for jobs in JOBS {
        assert!(merge(jobs) == one, "{jobs} threads");
    }
    let names: Vec<_> = std::fs::read_dir(folder.path()).expect("listed").flatten().collect();
    assert_eq!(names.len(), 1 + JOBS.len(), "nothing else is left behind");
}

#[test]
fn no_thread_is_not_enough_and_too_many_are_refused() {
    let recording = nonsense(1, 10).write().expect("a run folder");
    for command in ["export", "merge", "pack"] {
        for jobs in ["0", "1025", "-1", "all"] {
            let refused = run(&[command, &format!("--jobs={jobs}")], recording.path());
            assert_eq!(refused.status.code(), Some(2), "{command} {jobs}");
            let said = text(&refused.stderr);
            assert!(said.contains("--jobs <N>") && said.contains(jobs), "{said}");
        }
    }
}
