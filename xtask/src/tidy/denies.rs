//! Crates that run inside the traced process must not be able to panic by a
//! slip: their lib.rs denies unwrap, expect and panic outside tests.

use crate::shell;
use anyhow::{Context, Result};
use std::fs;

/// The crates inside other people's processes.
pub const GUESTS: &[&str] = &[
    "tracer/tls",
    "tracer/recording",
    "tracer/recorder",
    "tracer/stacks",
    "tracer/life",
    "tracer/tool",
    "tracer/tool-gomp",
    "runtime/ompt",
    "runtime/ompt-tr2",
    "runtime/collector-sys",
    "runtime/collector",
    "runtime/collector-provider",
    "runtime/in-front",
    "runtime/gomp",
    "runtime/ompi",
    "runtime/mpi-interface",
    "runtime/mpi",
    "runtime/cupti",
    "runtime/mpi-entries",
];

const LINTS: [&str; 3] = ["clippy::unwrap_used", "clippy::expect_used", "clippy::panic"];

/// Complaints about the crates in these folders.
pub fn check_crates(folders: &[&str]) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    for folder in folders {
        let name = format!("{folder}/src/lib.rs");
        let text = fs::read_to_string(shell::root().join(&name))
            .with_context(|| format!("cannot read {name}"))?;
        complaints.extend(check(&name, &text));
    }
    Ok(complaints)
}

fn check(name: &str, text: &str) -> Vec<String> {
    let attributes = denied(text);
    let missing = LINTS.iter().filter(|lint| !attributes.iter().any(|one| one == *lint));
    missing
        .map(|lint| {
            format!("{name}: lacks `{lint}` in #![cfg_attr(not(test), deny(...))], and it runs in other people's processes")
        })
        .collect()
}

/// The lints in the crate's own `deny(...)` attributes, comments left out.
fn denied(text: &str) -> Vec<String> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let code: String = code.split_whitespace().collect();
    let mut lints = Vec::new();
    for start in ["#![deny(", "#![cfg_attr(not(test),deny("] {
        for part in code.split(start).skip(1) {
            let list = part.split(')').next().unwrap_or("");
            lints.extend(list.split(',').map(str::to_owned));
        }
    }
    lints
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_missing_lint_is_found() {
        let good = "//! Doc.\n#![cfg_attr(\n    not(test),\n    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)\n)]\n";
        assert!(check("lib.rs", good).is_empty());
        assert_eq!(check("lib.rs", "//! Doc.\n").len(), 3);
        let partly = good.replace("clippy::panic", "clippy::todo");
        assert_eq!(check("lib.rs", &partly).len(), 1);
        let comment = good.replace("\n    deny", "\n    // deny");
        assert_eq!(check("lib.rs", &comment).len(), 3);
        assert_eq!(check("lib.rs", &good.replace("deny(", "allow(")).len(), 3);
    }
}
