//! The page of `ompttrace report --html` in a real browser, of real runs: it draws its charts, fits a phone
//! and a screen, complains of nothing and asks for nothing.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};
use ompttrace_tests::browser;
use ompttrace_tests::build;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};

/// A phone, and a screen.
const WIDTHS: [u32; 2] = [390, 1280];

/// The page of one run.
fn page(program: &Program) -> Result<String> {
    let traced = traced::run(program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let file = traced.scratch.path().join("page.html");
    let mut command = Command::new(Product::find()?.program);
    command.args(["report", "--quiet", "--html"]).arg(&file).arg(traced.scratch.only_run()?);
    build::run(&mut command, "")?;
    Ok(fs::read_to_string(file)?)
}

/// Pages with every kind of chart: loops and barriers, mutexes, tasks.
#[test]
fn pages_fit_phones_and_screens_and_stand_by_themselves() -> Result<()> {
    let programs = [
        ("tests/report/uneven.c", 4),
        ("tests/report/holder.c", 5),
        ("tests/report/tasks.c", 6),
        ("tests/report/long_names.c", 4),
    ];
    for (source, charts) in programs {
        let page = page(&programs::of_test(source)?)?;
        for width in WIDTHS {
            let seen = browser::show(&page, width)?;
            let faults = seen.faults();
            ensure!(faults.is_empty(), "{source} at {width}: {faults:#?}");
            ensure!(seen.charts.len() >= charts, "{source}: {} charts", seen.charts.len());
            ensure!(seen.findings > 0 && seen.tables >= 3, "{source}: {seen:?}");
        }
    }
    Ok(())
}

/// Each of these is wrong in one way, and the browser sees it.
#[test]
fn the_browser_sees_what_is_wrong() -> Result<()> {
    let chart = |inside: &str| {
        format!(
            "<svg viewBox='0 0 400 100' style='width: 100%'>{inside}<text x='9' y='20'>a</text></svg>"
        )
    };
    let good = chart("<rect width='90' height='30'/>");
    let pages = [
        (good.clone(), ""),
        (format!("{good}<div style='width: 500px'>wide</div>"), "too wide: <div"),
        (format!("{good}<div style='overflow-x: auto'><p style='width: 500px'>wide</p></div>"), ""),
        (chart("<rect width='90' height='0'/>"), "chart 0"),
        (chart("<rect width='90' height='30'/><text x='390' y='20'>cut off</text>"), "chart 0"),
        (format!("{good}<script>nonsense.call()</script>"), "CONSOLE"),
        (
            format!("{good}<img src='http://127.0.0.1:9/x.png' alt=''>"),
            "fetches http://127.0.0.1:9",
        ),
    ];
    for (body, fault) in pages {
        let page =
            format!("<!doctype html><meta charset=utf-8><body style='margin: 0'>{body}</body>");
        let faults = browser::show(&page, 390)?.faults();
        let is_seen = match fault {
            "" => faults.is_empty(),
            fault => faults.iter().any(|one| one.contains(fault)),
        };
        ensure!(is_seen, "{body}: {faults:#?}");
    }
    Ok(())
}
