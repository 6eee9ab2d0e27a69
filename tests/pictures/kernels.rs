//! Regions of kernels that the host runs as a device: they stand where their target construct does.

use anyhow::{Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::programs;

use super::{line_of, record};

const NAME: &str = "c/target_parallel";

#[test]
fn regions_of_kernels_and_loops_in_them_have_locations() -> Result<()> {
    let traced = record(&programs::by_name(NAME)?)?;
    let mut judged = Judged::open(&traced.scratch.only_run()?)?;
    let [parallel, nowait, teams] = [
        line_of(NAME, "#pragma omp target parallel", 1)?,
        line_of(NAME, "#pragma omp target parallel", 2)?,
        line_of(NAME, "#pragma omp target teams", 1)?,
    ];
    let names = judged.lines("select distinct name from slice order by 1")?;
    // A line that the compiler gave or the nearest one: the function's, the directive's or the loop's.
    let at = |word: &str, line: usize| {
        let locations = [line - 1, line, line + 1].map(|line| format!("target_parallel.c:{line}"));
        let near = if word.starts_with("for") { [""].as_slice() } else { &["", "near "] };
        let mut texts = locations
            .iter()
            .flat_map(|location| near.iter().map(move |near| format!("{near}{location} {word}")));
        texts.any(|text| names.iter().any(|name| name.split(" (").next() == Some(&text)))
    };
    for (word, line) in [
        ("target", parallel),
        ("target", teams),
        ("target", nowait),
        ("parallel", parallel),
        ("parallel", nowait),
        ("implicit task", parallel),
        ("for static", parallel),
        ("for static", nowait),
        ("teams", teams),
    ] {
        ensure!(at(word, line), "no {word} of line {line}: {names:#?}");
    }
    let strange = names.iter().find(|name| name.contains("libomptarget") || name.contains(" 0x"));
    ensure!(strange.is_none(), "{strange:?}");
    Ok(())
}
