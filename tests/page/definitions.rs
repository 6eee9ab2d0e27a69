//! Definitions of a page's figures, which the page must contain.

use super::{WIDTHS, page_and_report};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use ompttrace_tests::{browser, build, programs, runtimes};
use std::fs;
use std::process::Command;

/// Each heading of a column and each figure at the head stands among the definitions, at the page's end.
#[test]
fn every_figure_of_a_page_is_defined_on_it() -> Result<()> {
    for source in ["tests/report/holder.c", "tests/report/tasks.c", "tests/report/uneven.c"] {
        let (page, report) = page_and_report(&programs::of_test(source)?, &[])?;
        let mut figures = headings(&page);
        let head = page.split_once("</header>").context("no head")?.0;
        let cards = texts(head, "<span><b>", "</span>");
        figures
            .extend(cards.iter().filter_map(|card| Some(card.split_once("</b> ")?.1.to_owned())));
        for finding in report["findings"].as_array().context("no findings")? {
            let evidence = finding["evidence"].as_array().context("no evidence")?;
            figures
                .extend(evidence.iter().filter_map(|one| one["name"].as_str().map(str::to_owned)));
            figures.push(finding["kind"].as_str().context("no kind")?.to_owned());
        }
        ensure!(figures.len() > 30, "{source}: {figures:?}");
        are_defined(&page, figures).context(source)?;
    }
    Ok(())
}

/// Headings of columns with figures: the first column of a table names what they belong to.
fn headings(page: &str) -> Vec<String> {
    let heads = texts(page, "<thead>", "</thead>").into_iter();
    heads.flat_map(|head| texts(&head, "<th>", "</th>").into_iter().skip(1)).collect()
}

/// Checks that the page defines each of these words; numbers of threads are excluded.
fn are_defined(page: &str, mut figures: Vec<String>) -> Result<()> {
    let defined = texts(page, "<dt>", "</dt>");
    figures.retain(|name| !name.is_empty() && name.parse::<u32>().is_err());
    figures.retain(|name| !defined.iter().any(|known| known.eq_ignore_ascii_case(name)));
    ensure!(figures.is_empty(), "not defined: {figures:?}");
    Ok(())
}

/// The pages of `compare` and `scale` fit as well, and define their figures.
#[test]
fn pages_of_comparisons_and_scaling_are_pages_as_well() -> Result<()> {
    let (program, runtime) = (programs::of_test("tests/report/uneven.c")?, runtimes::libomp_19()?);
    let runs = [(); 2].map(|()| traced::run(&program, &runtime, By::Runtime, &[RECORD_ONLY]));
    let [before, after] = runs;
    let (before, after) = (before?, after?);
    let folder = before.scratch.path();
    let mut compare = Command::new(Product::find()?.program);
    compare.args(["compare", "--html"]).arg(folder.join("compare.html"));
    compare.arg(before.scratch.only_run()?).arg(after.scratch.only_run()?);
    build::run(&mut compare, "")?;
    let alone = program.command(&runtime)?;
    let mut scale = Command::new(Product::find()?.program);
    scale.args(["scale", "--threads", "1,2", "--repeat", "1", "--html"]);
    scale.arg(folder.join("scale.html")).arg("--").arg(alone.get_program());
    scale.envs(alone.get_envs().filter_map(|(name, value)| Some((name, value?))));
    build::run(&mut scale, "")?;
    for name in ["compare.html", "scale.html"] {
        let page = fs::read_to_string(folder.join(name))?;
        are_defined(&page, headings(&page)).context(name)?;
        for width in WIDTHS {
            let seen = browser::show(&page, width)?;
            let faults = seen.faults();
            ensure!(faults.is_empty() && seen.tables >= 1, "{name} at {width}: {faults:#?}");
        }
    }
    Ok(())
}

/// Texts between each `from` and the next `to` in the page.
fn texts(page: &str, from: &str, to: &str) -> Vec<String> {
    let parts = page.split(from).skip(1).filter_map(|rest| rest.split_once(to));
    parts.map(|(text, _)| text.to_owned()).collect()
}
