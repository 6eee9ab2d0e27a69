//! Phases that a program marks for Kokkos Tools, NVTX and ITT.

use super::{CUT, OBSERVED, program, seen};
use anyhow::{Context, Result, ensure};
use ompttrace_model::{Mark, PhaseKind};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::Program;
use ompttrace_tests::tables::Tables;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};
use ompttrace_tests::{build, runtimes};
use std::path::Path;
use std::process::Command;

const INFERRED: Mark = Mark::Inferred;

/// The name of a kernel that has no label.
const UNLABELLED: &str = "main::{lambda(int)#1}";

/// Kind, name, depth, and the certainties of begin and end.
type Phase = (PhaseKind, &'static str, usize, Mark, Mark);

/// The program, whose pointers to functions are no pedant's.
fn in_c(mode: &str) -> Result<Program> {
    let mut program = program("tools.c", "-std=gnu99", mode)?;
    program.directives.flags.retain(|flag| flag != "-pedantic");
    Ok(program)
}

/// Runs the program with the variables of all three interfaces.
fn run(mode: &str, by: By) -> Result<Traced> {
    let library = Product::find()?.library;
    let library = library.to_str().context("text")?;
    let settings = [
        RECORD_ONLY,
        ("KOKKOS_TOOLS_LIBS", library),
        ("NVTX_INJECTION64_PATH", library),
        ("INTEL_LIBITTNOTIFY64", library),
    ];
    match by {
        By::Gomp => traced::run_as_linked(&in_c(mode)?.by_gcc(), by, &settings),
        _ => traced::run(&in_c(mode)?, &runtimes::libomp_19()?, by, &settings),
    }
}

/// Checks what is recorded, in the process's only recording.
fn check(mode: &str, ways: &[By], wanted: &[Phase]) -> Result<()> {
    for by in ways {
        let traced = run(mode, *by)?;
        ensure!(mode == "killed" || traced.run.last_line() == "ok tools", "{:?}", traced.run);
        let phases = seen(&traced.scratch.only_run()?)?;
        let shown = phases.iter().map(|phase| {
            (phase.kind, phase.name.as_str(), phase.depth, phase.begin_mark, phase.end_mark)
        });
        let shown: Vec<_> = shown.collect();
        ensure!(shown == wanted, "{by:?}: {shown:#?}\n instead of {wanted:#?}");
    }
    Ok(())
}

const fn whole(kind: PhaseKind, name: &'static str, depth: usize) -> Phase {
    (kind, name, depth, OBSERVED, OBSERVED)
}

/// Only the interface loads the tool; so does the runtime; it is preloaded; another copy of it is preloaded, which records.
const WAYS: [By; 4] = [By::Linked, By::Runtime, By::Preload, By::Gomp];

#[test]
fn kernels_regions_fences_and_copies_of_kokkos_are_phases() -> Result<()> {
    use PhaseKind::{KokkosCopy, KokkosFence, KokkosKernel, KokkosRegion};
    check(
        "kokkos",
        &WAYS,
        &[
            whole(KokkosRegion, "assembly", 0),
            whole(KokkosKernel, "axpy", 1),
            whole(KokkosKernel, "dot", 1),
            whole(KokkosKernel, UNLABELLED, 1),
            whole(KokkosFence, "all done", 0),
            whole(KokkosCopy, "Host [mirror] -> Cuda [field]", 0),
        ],
    )
}

#[test]
fn ranges_of_nvtx_are_phases() -> Result<()> {
    use PhaseKind::NvtxRange;
    check(
        "nvtx",
        &WAYS,
        &[
            whole(NvtxRange, "load", 0),
            whole(NvtxRange, "größer", 1),
            whole(NvtxRange, "wide", 1),
            whole(NvtxRange, "io: read", 0),
            (NvtxRange, "math: solve", 1, OBSERVED, INFERRED),
            (NvtxRange, "math: solve", 0, CUT, OBSERVED),
        ],
    )
}

#[test]
fn tasks_of_itt_are_phases() -> Result<()> {
    use PhaseKind::IttTask;
    let wanted = [whole(IttTask, "org.example: outer", 0), whole(IttTask, "org.example: inner", 1)];
    check("itt", &WAYS, &wanted)
}

/// A phase that ends while others are open inside it leaves them open, one less deep.
#[test]
fn marks_of_several_interfaces_need_not_nest() -> Result<()> {
    use PhaseKind::{Iteration, KokkosRegion, NvtxRange};
    const ITERATION: &str = "solve, iteration";
    check(
        "mixed",
        &[By::Runtime],
        &[
            whole(PhaseKind::Phase, "solve", 0),
            whole(KokkosRegion, "region", 1),
            (Iteration, ITERATION, 2, OBSERVED, INFERRED),
            (NvtxRange, "range", 3, OBSERVED, INFERRED),
            (Iteration, ITERATION, 1, CUT, OBSERVED),
            (NvtxRange, "range", 2, CUT, INFERRED),
            (NvtxRange, "range", 1, CUT, OBSERVED),
            (Iteration, ITERATION, 2, OBSERVED, INFERRED),
            (Iteration, ITERATION, 1, CUT, OBSERVED),
        ],
    )
}

#[test]
fn a_pause_cuts_them_and_a_kill_leaves_them_open() -> Result<()> {
    use PhaseKind::{IttTask, KokkosKernel, KokkosRegion, NvtxRange};
    check(
        "paused",
        &[By::Preload],
        &[
            (KokkosRegion, "through it", 0, OBSERVED, CUT),
            (KokkosRegion, "through it", 0, CUT, OBSERVED),
            (IttTask, "a: begins in it", 1, CUT, INFERRED),
            (IttTask, "a: begins in it", 0, CUT, INFERRED),
        ],
    )?;
    check(
        "killed",
        &[By::Linked, By::Gomp],
        &[
            (KokkosRegion, "region", 0, OBSERVED, CUT),
            (NvtxRange, "range", 1, OBSERVED, CUT),
            (IttTask, "a: task", 2, OBSERVED, CUT),
            (KokkosKernel, "kernel", 3, OBSERVED, CUT),
        ],
    )
}

/// Output of the command, or of a reader.
fn words(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8_lossy(&build::run(command, "otf2-tools")?).into_owned())
}

#[test]
fn every_format_shows_their_kinds() -> Result<()> {
    let traced = run("kokkos", By::Runtime)?;
    let run = traced.scratch.only_run()?;
    let mut trace = Judged::open(&run)?;
    let kinds = trace.lines(
        "select s.name || ': ' || a.display_value from slice s join args a using (arg_set_id) \
         where s.category = 'phase' and a.key = 'debug.kind' order by s.ts",
    )?;
    let wanted = ["assembly: Kokkos region", "axpy: Kokkos kernel", "dot: Kokkos kernel"];
    ensure!(kinds.starts_with(&wanted.map(str::to_owned)) && kinds.len() == 6, "{kinds:?}");
    let product = Product::find()?;
    let info = words(Command::new(&product.program).arg("info").arg(&run))?;
    ensure!(info.contains("interface phases by Kokkos Tools, version 20240906"), "{info}");
    let report = words(Command::new(&product.program).args(["report", "--json"]).arg(&run))?;
    let report: serde_json::Value = serde_json::from_str(&report)?;
    let phases = report["phases"].as_array().context("phases")?;
    let fence = phases.iter().find(|phase| phase["kind"] == "Kokkos fence").context("a fence")?;
    ensure!(fence["name"] == "all done" && fence["calls"] == 1, "{fence}");
    let archive = product.export_with(&run, &["--format", "otf2"])?;
    let anchor = archive["trace"].as_str().context("a path")?;
    let definitions = words(Command::new("otf2-print").arg("-G").arg(anchor))?;
    let kernel = definitions.lines().find(|line| line.contains("Name: \"axpy\""));
    ensure!(kernel.is_some_and(|line| line.contains("Paradigm: KOKKOS")), "{definitions}");
    let tables = Path::new(anchor).with_file_name("tables");
    let tables = tables.to_str().context("text")?;
    product.export_with(&run, &["--format", "parquet", "--output", tables])?;
    let rows = Tables::new()?.query(&format!(
        "select name from '{tables}/rank=0/phases.parquet' where kind = 'Kokkos kernel' order by ts_ns"
    ))?;
    let names: Vec<_> = rows.rows.iter().map(|row| row[0].clone()).collect();
    ensure!(names == ["axpy", "dot", UNLABELLED], "{names:?}");
    Ok(())
}
