//! The sums of an OTF2 archive, by its judge's statistics.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use ompttrace_tests::otf2_judge::{Region, Statistics};

use super::sums::{self, Sums};

/// The sums, and what in the archive is not part of them, a line each.
pub fn sums(statistics: &Statistics) -> Result<(Sums, String)> {
    let mut sums = Sums::default();
    let mut said = String::new();
    // A construct is there from the first try to the end: it is all waiting and block.
    let mut neither: BTreeMap<String, i64> = BTreeMap::new();
    for region in statistics.regions.iter().filter(|region| region.enters > 0) {
        let (count, ns) = (region.enters, i64::try_from(region.active_ns)?);
        if let Some(kind) = mutex(region) {
            let row = sums::mutex_wait(kind, location(region).as_deref());
            if region.role == "ARTIFICIAL" {
                *neither.entry(row.clone()).or_default() -= ns;
            }
            sums.add(row, count, ns);
        } else if region.name.split(" @").next() == Some(sums::ASKED) {
            sums.add(sums::ASKED, count, ns);
        } else if let Some(kind) = failed(region) {
            sums.add(sums::failed_tests(kind, location(region).as_deref()), count, ns);
        } else if let Some((kind, is_whole)) = construct(region) {
            let row = sums::mutex_wait(kind, location(region).as_deref());
            *neither.entry(row).or_default() += if is_whole { ns } else { -ns };
        } else if region.role == "SINGLE_SBLOCK" {
            sums.add(sums::SINGLE_BLOCKS, count, ns);
        } else if region.role == "PARALLEL" {
            sums.add(sums::implicit_task(&region.canonical_name), count, ns);
        } else if region.role == "SINGLE" {
            sums.add(sums::single(&region.canonical_name), count, ns);
        } else if region.name.starts_with("omp_unset_") {
            // Its time is the lock's hold's end, which is no event elsewhere.
            if ns != 0 {
                said += &format!("    {} takes {ns} ns\n", region.name);
            }
        } else if region.canonical_name.is_empty() {
            said += &format!("    {} has no canonical name\n", region.name);
        } else {
            sums.add(&region.canonical_name, count, ns);
        }
    }
    for (row, ns) in neither.into_iter().filter(|(_, ns)| *ns != 0) {
        said += &format!("    {row}: {ns} ns of the construct are neither wait nor block\n");
    }
    let forks = &statistics.fork_join;
    add_if(&mut sums, sums::FORKS, forks.count, i64::try_from(forks.ns)?);
    add_if(&mut sums, sums::ACQUIRED, statistics.events("ThreadAcquireLock"), 0);
    add_if(&mut sums, sums::CREATED, statistics.events("ThreadTaskCreate"), 0);
    for (name, metric) in &statistics.metrics {
        // Which core each thread has is of the kernel's switches, not of OpenMP's events.
        if name == "core" {
            continue;
        }
        let last = metric.last.as_i64().context("a counter's value is an integer")?;
        add_if(&mut sums, &sums::counter(name), metric.count, last);
    }
    Ok((sums, said))
}

fn add_if(sums: &mut Sums, row: &str, count: u64, ns: i64) {
    if count > 0 {
        sums.add(row, count, ns);
    }
}

/// The kind of mutex that a region waits for.
fn mutex(region: &Region) -> Option<&'static str> {
    let word = region.name.split(" @").next()?;
    Some(match word {
        "omp_set_lock" | "omp_test_lock" => "lock",
        "omp_set_nest_lock" | "omp_test_nest_lock" => "nest lock",
        _ => return mutual_exclusion(word.strip_suffix(" wait")?),
    })
}

/// The kind of lock that a region tests in vain.
fn failed(region: &Region) -> Option<&'static str> {
    match region.name.split(" @").next()? {
        "omp_test_lock failed" => Some("lock"),
        "omp_test_nest_lock failed" => Some("nest lock"),
        _ => None,
    }
}

/// The kind of mutex of a construct (true) or of the block inside it.
fn construct(region: &Region) -> Option<(&'static str, bool)> {
    let word = region.name.split(" @").next()?;
    let block = word.strip_suffix(" sblock");
    Some((mutual_exclusion(block.unwrap_or(word))?, block.is_none()))
}

fn mutual_exclusion(word: &str) -> Option<&'static str> {
    match word {
        "!$omp critical" => Some("critical"),
        "!$omp atomic" => Some("atomic"),
        "!$omp ordered" => Some("ordered"),
        _ => None,
    }
}

/// File and line, where both are known.
fn location(region: &Region) -> Option<String> {
    let file = Path::new(&region.file).file_name()?.to_string_lossy().into_owned();
    (region.line > 0).then(|| format!("{file}:{}", region.line))
}
