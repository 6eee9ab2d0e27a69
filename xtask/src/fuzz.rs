//! `cargo xtask fuzz`: builds one of `fuzz/`'s targets with counters in every branch and lets libFuzzer
//! look for inputs that are not borne.
//!
//! The flags are those of `cargo fuzz run --sanitizer none`, which does the same on the same folder: the
//! code in question has no unsafe blocks of its own, so that a sanitizer, and with it a nightly
//! toolchain, would find little more.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

const FLAGS: [&str; 8] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "-Cdebug-assertions",
    "-Coverflow-checks",
];
/// Files on a disk would be most of the time.
const MEMORY: &str = "/dev/shm";
const SECONDS: u64 = 60;

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    let (target, seconds) = match arguments {
        [target] => (target, SECONDS),
        [target, option, seconds] if option == "--seconds" => {
            (target, seconds.parse().with_context(|| format!("--seconds {seconds}"))?)
        }
        _ => bail!("fuzz TARGET [--seconds N], the targets being {}", targets()?.join(", ")),
    };
    if !targets()?.contains(target) {
        bail!("no target {target}, but {}", targets()?.join(", "));
    }
    let program = build(target)?;
    let kept = corpus(target);
    // What is found anew goes into the first folder, what fails beside the kept ones.
    let found = shell::target_dir().join("fuzz/corpus").join(target);
    std::fs::create_dir_all(&found).with_context(|| format!("cannot make {}", found.display()))?;
    let mut fuzzer = shell::command(&program.to_string_lossy());
    fuzzer.arg(&found).arg(&kept).arg(format!("-max_total_time={seconds}"));
    fuzzer.args(["-max_len=65536", "-rss_limit_mb=4096", "-timeout=20", "-print_final_stats=1"]);
    fuzzer.arg(format!("-artifact_prefix={}/", kept.display()));
    if Path::new(MEMORY).is_dir() {
        fuzzer.env("TMPDIR", MEMORY);
    }
    shell::run(&mut fuzzer)
}

fn corpus(target: &str) -> PathBuf {
    shell::root().join("tests/fuzz/corpus").join(target)
}

/// Every target has its kept inputs.
fn targets() -> Result<Vec<String>> {
    let mut targets = Vec::new();
    for entry in std::fs::read_dir(shell::root().join("fuzz/fuzz_targets"))? {
        let path = entry?.path();
        targets.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    targets.sort();
    Ok(targets)
}

fn build(target: &str) -> Result<PathBuf> {
    // With a machine given, the flags are not for build scripts and macros.
    let machine = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let folder = shell::target_dir().join("fuzz");
    let mut cargo = shell::cargo();
    cargo.args(["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--bin", target]);
    cargo.args(["--target", &machine, "--target-dir"]).arg(&folder);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"));
    shell::run(&mut cargo)?;
    Ok(folder.join(machine).join("release").join(target))
}
