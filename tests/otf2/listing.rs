//! An archive as otf2-print lists it, in few words.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use ompttrace_tests::build;

/// The events of a location in their order. What a run decides by chance is left out: times, numbers
/// of teams, the order in which threads get a lock, addresses in the runtime.
pub fn events(archive: &Path, location: u64) -> Result<Vec<String>> {
    let lines = print(archive, &["-L", &location.to_string()])?;
    lines.iter().filter(|line| is_event(line)).map(|line| event(line)).collect()
}

/// All definitions but strings, in the order of the file.
pub fn definitions(archive: &Path) -> Result<Vec<String>> {
    let lines = print(archive, &["--show-global-defs", "--silent"])?.into_iter();
    Ok(lines.map(|line| words(&line)).filter(|line| !line.starts_with("STRING ")).collect())
}

/// The attributes of a location's events of this kind: name and number of each.
pub fn attributes(archive: &Path, location: u64, kind: &str) -> Result<Vec<(String, u64)>> {
    let lines = print(archive, &["-L", &location.to_string()])?;
    let pairs = lines.windows(2).filter(|pair| pair[0].starts_with(kind));
    let lists = pairs.filter_map(|pair| pair[1].split_once("ADDITIONAL ATTRIBUTES: "));
    let mut found = Vec::new();
    for one in lists.flat_map(|(_, list)| list.split("), (")) {
        let (name, value) = one.split_once("; UINT64; ").context("a number")?;
        let name = name.split('"').nth(1).context("a name")?;
        found.push((name.to_string(), value.trim_end_matches(')').parse()?));
    }
    Ok(found)
}

fn print(archive: &Path, arguments: &[&str]) -> Result<Vec<String>> {
    let mut command = Command::new("otf2-print");
    command.args(arguments).arg(archive.join("traces.otf2"));
    let text = String::from_utf8(build::run(&mut command, "otf2-tools")?)?;
    Ok(text.lines().map(str::to_string).collect())
}

fn is_event(line: &str) -> bool {
    let kind = line.split(' ').next().unwrap_or_default();
    !kind.is_empty()
        && kind
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
}

fn event(line: &str) -> Result<String> {
    let kind = line.split(' ').next().context("a kind")?;
    let text = |at: usize| line.split('"').nth(at).with_context(|| line.to_string());
    let number = |name: &str| -> Result<&str> {
        let (_, value) = line.split_once(name).with_context(|| line.to_string())?;
        value.split([' ', ',']).next().context("a value")
    };
    Ok(match kind {
        "ENTER" | "LEAVE" => format!("{kind} {}", known(text(1)?)),
        "THREAD_FORK" => format!("{kind} {}", number("Requested Threads: ")?),
        "THREAD_TASK_CREATE" | "THREAD_TASK_SWITCH" | "THREAD_TASK_COMPLETE" => {
            format!("{kind} {}.{}", number("Creating Thread: ")?, number("Generation Number: ")?)
        }
        "PARAMETER_STRING" => format!("{kind} {} {}", text(1)?, text(3)?),
        "PARAMETER_UINT64" => format!("{kind} {} {}", text(1)?, number("Value: ")?),
        "THREAD_ACQUIRE_LOCK" | "THREAD_RELEASE_LOCK" => {
            format!("{kind} {}", number("Lock: ")?)
        }
        _ => kind.to_string(),
    })
}

/// A region's name, without an address in the runtime.
fn known(name: &str) -> &str {
    match name.split_once(" @/") {
        Some((word, _)) => word,
        None => name,
    }
}

/// A line with single spaces.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
