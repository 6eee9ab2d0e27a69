//! The Python package `ompttrace` with a job.

use std::fs;
use std::path::Path;

use anyhow::Result;
use ompttrace_tests::build;
use ompttrace_tests::product::Product;

use super::jobs::{Recorded, command_of};
use super::judged::Mpi;

#[test]
fn the_package_says_of_a_job_what_the_command_says() -> Result<()> {
    let recorded = Recorded::new(Mpi::Mpich, "judge.c", &[])?;
    let folder = tempfile::tempdir()?;
    let report = folder.path().join("report.json");
    fs::write(&report, command_of(&["report", "--json"], &recorded.folder)?)?;
    let mut python = crate::python::python(&Product::find()?, folder.path())?;
    let script: &Path = &build::root().join("tests/python/job.py");
    python.arg(script).arg(&recorded.folder).arg(&report);
    build::run(&mut python, "python3").map(drop)
}
