//! The direction of dependencies: which of our crates may use which. Only
//! what ends in a product counts (normal and build dependencies); tests may
//! look across.

use crate::shell;
use anyhow::{Context, Result};
use serde_json::Value;

/// Crates that a source of events may depend on. It depends on no other source, and only the libraries that contain it
/// depend on it.
const SOURCE: &[&str] = &[
    "ompttrace-tls",
    "ompttrace-recording",
    "ompttrace-recorder",
    "ompttrace-stacks",
    "ompttrace-life",
    "ompt-sys",
    "collector-sys",
];

/// Crates that a source may depend on that wraps its runtime's functions.
const IN_FRONT: &[&str] = &[
    "ompttrace-in-front",
    "ompttrace-tls",
    "ompttrace-recording",
    "ompttrace-recorder",
    "ompttrace-stacks",
    "ompttrace-life",
];

/// Every crate of the workspace and all it may depend on among ours. The two
/// branches, what runs in the traced process and what reads its recording,
/// meet in the recording format only.
const ALLOWED: &[(&str, &[&str])] = &[
    ("ompttrace-recording", &[]),
    ("ompttrace-tls", &[]),
    ("ompttrace-direct", &[]),
    ("ompttrace-recorder", &["ompttrace-recording", "ompttrace-tls"]),
    ("ompttrace-stacks", &["ompttrace-recording", "ompttrace-recorder"]),
    (
        "ompttrace-life",
        &["ompttrace-direct", "ompttrace-recording", "ompttrace-recorder", "ompttrace-stacks"],
    ),
    ("ompt-sys", &[]),
    ("ompttrace-ompt", SOURCE),
    ("ompttrace-ompt-tr2", SOURCE),
    ("collector-sys", &[]),
    ("ompttrace-collector", SOURCE),
    ("ompttrace-collector-provider", &["collector-sys", "ompt-sys", "ompttrace-tls"]),
    ("ompttrace-in-front", SOURCE),
    ("ompttrace-libgomp", IN_FRONT),
    ("ompttrace-ompi", IN_FRONT),
    ("ompttrace-mpi-interface", &[]),
    (
        "ompttrace-mpi",
        &["ompttrace-mpi-interface", "ompttrace-recording", "ompttrace-recorder", "ompttrace-life"],
    ),
    ("ompttrace-cupti", SOURCE),
    ("ompttrace-phases", SOURCE),
    // It has no recorder: the one in the process is the tool's.
    ("ompttrace-mpi-entries", &["ompttrace-mpi-interface", "ompttrace-recording", "ompttrace-tls"]),
    (
        "ompttrace-tool",
        &[
            "ompttrace-direct",
            "ompttrace-cupti",
            "ompttrace-mpi",
            "ompttrace-ompt",
            "ompttrace-ompt-tr2",
            "ompttrace-phases",
            "ompttrace-collector",
        ],
    ),
    (
        "ompttrace-tool-gomp",
        &[
            "ompttrace-direct",
            "ompttrace-cupti",
            "ompttrace-mpi",
            "ompttrace-ompt",
            "ompttrace-ompt-tr2",
            "ompttrace-phases",
            "ompttrace-collector",
            "ompttrace-libgomp",
        ],
    ),
    ("ompttrace-workers", &[]),
    ("ompttrace-symbols", &[]),
    ("ompttrace-packed", &["ompttrace-recording", "ompttrace-workers"]),
    ("ompttrace-model", &["ompttrace-recording"]),
    (
        "ompttrace-timeline",
        &["ompttrace-model", "ompttrace-recording", "ompttrace-symbols", "ompttrace-workers"],
    ),
    ("ompttrace-tracks", &["ompttrace-model", "ompttrace-recording"]),
    ("ompttrace-perfetto-protos", &[]),
    (
        "ompttrace-perfetto",
        &[
            "ompttrace-model",
            "ompttrace-recording",
            "ompttrace-tracks",
            "ompttrace-perfetto-protos",
        ],
    ),
    ("otf2-sys", &[]),
    ("ompttrace-chrome", &["ompttrace-model", "ompttrace-recording", "ompttrace-tracks"]),
    (
        "ompttrace-otf2",
        &["ompttrace-model", "ompttrace-recording", "ompttrace-workers", "otf2-sys"],
    ),
    ("ompttrace-samples", &["ompttrace-model"]),
    ("ompttrace-report", &["ompttrace-model", "ompttrace-recording", "ompttrace-samples"]),
    (
        "ompttrace-parquet",
        &["ompttrace-model", "ompttrace-recording", "ompttrace-report", "ompttrace-workers"],
    ),
    // A client in a process of its own: it is in no branch.
    ("ompttrace-ompd", &[]),
    ("ompttrace-inspect", &["ompttrace-model", "ompttrace-recording"]),
    (
        "ompttrace-cli",
        &[
            "ompttrace-recording",
            "ompttrace-workers",
            "ompttrace-symbols",
            "ompttrace-packed",
            "ompttrace-model",
            "ompttrace-timeline",
            "ompttrace-tracks",
            "ompttrace-perfetto",
            "ompttrace-chrome",
            "ompttrace-otf2",
            "ompttrace-report",
            "ompttrace-parquet",
            "ompttrace-samples",
            "ompttrace-inspect",
            "ompttrace-ompd",
        ],
    ),
    ("ompttrace-tests", ANY),
    ("xtask", &[]),
];

/// Dependences of the crate of tests, which is in no product: any crate.
const ANY: &[&str] = &["*"];

/// The output of `cargo metadata` for the workspace, without its dependencies.
pub fn metadata() -> Result<Value> {
    let mut cargo = shell::cargo();
    cargo.args(["metadata", "--no-deps", "--format-version", "1"]);
    serde_json::from_str(&shell::output(&mut cargo)?).context("cargo metadata is not JSON")
}

/// Complaints about every edge that is not in the table.
pub fn check(metadata: &Value) -> Vec<String> {
    let packages = array(metadata, "packages");
    let ours: Vec<&str> = packages.iter().map(|package| text(package, "name")).collect();
    let mut complaints = Vec::new();
    for package in packages {
        let name = text(package, "name");
        let Some((_, allowed)) = ALLOWED.iter().find(|(one, _)| *one == name) else {
            complaints.push(format!("{name}: not in the table of xtask/src/tidy/edges.rs"));
            continue;
        };
        let uses = array(package, "dependencies").iter().filter(|one| in_product(one));
        let uses = uses.map(|one| text(one, "name")).filter(|one| ours.contains(one));
        let bad = uses.filter(|one| *allowed != ANY && !allowed.contains(one));
        complaints.extend(bad.map(|one| format!("{name} must not depend on {one}")));
    }
    complaints
}

/// cargo says null for a normal dependency.
fn in_product(dependency: &Value) -> bool {
    text(dependency, "kind") != "dev"
}

fn array<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::check;
    use serde_json::{Value, json};

    fn workspace(user: &str, used: &str, kind: Value) -> Value {
        json!({ "packages": [
            { "name": user, "dependencies": [{ "name": used, "kind": kind }] },
            { "name": used, "dependencies": [{ "name": "libc", "kind": null }] },
        ]})
    }

    #[test]
    fn an_edge_between_the_branches_is_found() {
        let bad = workspace("ompttrace-recorder", "ompttrace-timeline", Value::Null);
        assert_eq!(check(&bad), ["ompttrace-recorder must not depend on ompttrace-timeline"]);
        let bad = workspace("ompttrace-perfetto", "ompttrace-recorder", json!("build"));
        assert_eq!(check(&bad), ["ompttrace-perfetto must not depend on ompttrace-recorder"]);
    }

    #[test]
    fn an_edge_upwards_is_found() {
        let bad = workspace("ompttrace-recording", "ompttrace-recorder", Value::Null);
        assert_eq!(check(&bad), ["ompttrace-recording must not depend on ompttrace-recorder"]);
    }

    #[test]
    fn the_life_cycle_and_other_sources_know_no_source() {
        for source in [
            "ompttrace-ompt",
            "ompttrace-ompt-tr2",
            "ompttrace-phases",
            "ompttrace-collector",
            "ompttrace-libgomp",
            "ompttrace-ompi",
            "ompttrace-cupti",
        ] {
            for user in ["ompttrace-recorder", "ompttrace-in-front", "ompttrace-ompt-tr2"] {
                let bad = workspace(user, source, Value::Null);
                let complaint = format!("{user} must not depend on {source}");
                assert!(user == source || check(&bad).contains(&complaint), "{user} {source}");
            }
        }
    }

    #[test]
    fn tests_and_allowed_edges_pass() {
        let dev = workspace("ompttrace-recording", "ompttrace-recorder", json!("dev"));
        assert!(check(&dev).is_empty());
        let down = workspace("ompttrace-recorder", "ompttrace-recording", Value::Null);
        assert!(check(&down).is_empty());
        let tests = workspace("ompttrace-tests", "ompttrace-recorder", Value::Null);
        assert!(check(&tests).is_empty());
    }

    #[test]
    fn a_crate_that_nobody_thought_about_is_found() {
        let new = workspace("ompttrace-new", "ompttrace-recording", Value::Null);
        assert_eq!(check(&new).len(), 1);
    }
}
