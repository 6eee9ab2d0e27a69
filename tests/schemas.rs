//! Schemas of the JSON output of `info`, `report` and `doctor` (those of `control` and `snapshot`: tests/control/json.rs): a validator from PyPI checks outputs for various recordings.
//! The schemas allow no other fields, so that an undescribed new one is found.

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};
use ompttrace_tests::{build, process, wheels};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const WHEELS: &[&str] = &[
    "jsonschema==4.26.0",
    "jsonschema-specifications==2025.9.1",
    "attrs==26.1.0",
    "referencing==0.37.0",
    "rpds-py==2026.9.1",
    "typing_extensions==4.16.0",
];

/// Names of the schemas by command.
const INFO: &str = "info-1";
const REPORT: &str = "report-4";
const DOCTOR: &str = "doctor-1";

/// Messages of the validator about a value; empty if the value follows the schema.
fn faults(value: &Value, schema: &str) -> Result<String> {
    let schema = build::root().join(format!("schemas/{schema}.schema.json"));
    let mut python = Command::new("python3");
    python.arg(build::root().join("tests/schemas/validate.py")).arg(schema);
    python.env("PYTHONPATH", wheels::packages("test-wheels-schemas", WHEELS)?);
    python.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = python.spawn().context("python3")?;
    child.stdin.take().context("stdin is piped")?.write_all(value.to_string().as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "the validator failed: {}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

/// Fails unless a value follows the schema.
pub(crate) fn follows(value: &Value, schema: &str) -> Result<()> {
    let faults = faults(value, schema)?;
    ensure!(faults.is_empty(), "{schema}:\n{faults}");
    Ok(())
}

/// Outputs for a rank of an MPI program follow their schemas, too.
pub(crate) fn outputs_follow(run: &Path) -> Result<()> {
    both(run).map(drop)
}

/// Outputs for a job follow theirs.
pub(crate) fn outputs_of_job_follow(job: &Path) -> Result<()> {
    follows(&printed("info", job)?, "info-job-1")?;
    follows(&printed("report", job)?, "report-job-1")
}

/// JSON that a command prints about a run folder or a job.
fn printed(command: &str, run: &Path) -> Result<Value> {
    let mut ompttrace = Command::new(Product::find()?.program);
    process::without_settings(&mut ompttrace);
    let output = build::run(ompttrace.args([command, "--json"]).arg(run), "")?;
    Ok(serde_json::from_slice(&output)?)
}

/// Both outputs of a run folder, which follow their schemas.
fn both(run: &Path) -> Result<(Value, Value)> {
    let (info, report) = (printed("info", run)?, printed("report", run)?);
    follows(&info, INFO).with_context(|| run.display().to_string())?;
    follows(&report, REPORT).with_context(|| run.display().to_string())?;
    Ok((info, report))
}

fn run(program: &str, by: By, settings: &[(&str, &str)]) -> Result<Traced> {
    let settings = [&[RECORD_ONLY], settings].concat();
    let program = programs::by_name(program)?;
    let traced = match by {
        By::Gomp => traced::run_as_linked(&program.by_gcc(), by, &settings)?,
        _ => traced::run(&program, &runtimes::libomp_19()?, by, &settings)?,
    };
    ensure!(traced.run.ended_by(program.directives.end), "{:?}", traced.run);
    Ok(traced)
}

fn is_full(value: &Value) -> bool {
    match value {
        Value::Array(all) => !all.is_empty(),
        other => !other.is_null(),
    }
}

/// Recordings with everything that can be recorded, of both families of runtimes.
#[test]
fn whole_runs_follow_their_schemas() -> Result<()> {
    let everything = [
        ("OMPTTRACE_CORES", "auto"),
        ("OMPTTRACE_COUNTERS", "page-faults,context-switches"),
        ("OMPTTRACE_CALLSTACK", "regions"),
        ("OMPTTRACE_SAMPLE", "200"),
    ];
    let traced = run("c/fib", By::Runtime, &everything)?;
    let (info, report) = both(&traced.scratch.only_run()?)?;
    for (value, pointer) in [
        (&info, "/counters"),
        (&info, "/cores"),
        (&info, "/samples"),
        (&info, "/life/ended"),
        (&report, "/counters"),
        (&report, "/contexts"),
        (&report, "/tasks/sites"),
        (&report, "/critical_path/parts"),
    ] {
        ensure!(
            value.pointer(pointer).is_some_and(is_full),
            "{pointer} was to be tried: {value:#}"
        );
    }
    for (program, by, pointer) in [
        ("c/lock_contended", By::Runtime, "/holders"),
        ("c/for_ordered", By::Runtime, "/regions"),
        ("c/nested", By::Runtime, "/regions"),
        ("c/gcc_loops", By::Gomp, "/constructs"),
    ] {
        let traced = run(program, by, &[])?;
        let (_, report) = both(&traced.scratch.only_run()?).context(program)?;
        ensure!(report.pointer(pointer).is_some_and(is_full), "{program}: {pointer}: {report:#}");
    }
    Ok(())
}

/// Killed with records in its buffers, without these buffers, packed, with losses.
#[test]
fn damaged_runs_follow_their_schemas() -> Result<()> {
    let traced = run("c/killed", By::Runtime, &[])?;
    let folder = traced.scratch.only_run()?;
    let pool = traced::pool_of(&folder)?.context("a killed run leaves its buffers")?;
    ensure!(both(&folder)?.0["damage"]["bytes_from_pool"].as_u64() > Some(0));
    // The report has moved them.
    let _ = std::fs::remove_file(pool).or_else(|_| std::fs::remove_file(folder.join("pool")));
    ensure!(both(&folder)?.0["damage"]["pool_missing"] == true);
    let traced = run("c/many_events", By::Runtime, &[("OMPTTRACE_OVERFLOW", "ring")])?;
    let folder = traced.scratch.only_run()?;
    ensure!(both(&folder)?.0["overflow"] == "ring");
    build::run(Command::new(Product::find()?.program).args(["pack", "--quiet"]).arg(&folder), "")?;
    ensure!(both(&folder)?.0["packed"]["bytes"].as_u64() > Some(0));
    Ok(())
}

/// Recordings of older tools.
#[test]
fn kept_samples_follow_the_schemas() -> Result<()> {
    for entry in std::fs::read_dir(build::root().join("tracer/recording/tests/samples"))? {
        let path = entry?.path();
        if path.is_dir() {
            both(&path)?;
        }
    }
    Ok(())
}

#[test]
fn doctors_answer_follows_its_schema() -> Result<()> {
    for options in [&["--json"][..], &["--json", "--probe"]] {
        let mut doctor = Command::new(Product::find()?.program);
        process::without_settings(&mut doctor);
        let value = serde_json::from_slice(&build::run(doctor.arg("doctor").args(options), "")?)?;
        follows(&value, DOCTOR)?;
        let is_probed = value["probes"].as_array().is_some_and(|all| !all.is_empty());
        ensure!(is_probed == options.contains(&"--probe"), "{value:#}");
    }
    Ok(())
}

/// An extra field, a missing one and one of another type are faults, at any depth.
#[test]
fn what_does_not_follow_is_found() -> Result<()> {
    let traced = run("c/hello", By::Runtime, &[])?;
    let folder = traced.scratch.only_run()?;
    let (info, report) = both(&folder)?;
    for (value, schema, path) in
        [(&info, INFO, ""), (&info, INFO, "/events"), (&report, REPORT, "/regions/0")]
    {
        for (field, to) in [("nonsense", Some(json!(1))), ("", None), ("", Some(json!([true])))] {
            let mut bad = value.clone();
            let object =
                bad.pointer_mut(path).and_then(Value::as_object_mut).context("an object")?;
            let first = object.keys().next().context("a field")?.clone();
            let field = if field.is_empty() { first } else { field.to_owned() };
            match to {
                Some(to) => object.insert(field.clone(), to),
                None => object.remove(&field),
            };
            ensure!(!faults(&bad, schema)?.is_empty(), "{schema} {path} {field}");
        }
    }
    Ok(())
}
