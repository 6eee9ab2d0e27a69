//! The page of `ompttrace report --html` in a real browser, of real runs: it draws its charts, fits a phone
//! and a screen, complains of nothing and asks for nothing.

mod definitions;
mod sources;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::browser::{self, Looks};
use ompttrace_tests::build;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use serde_json::Value;

/// A phone, and a screen.
const WIDTHS: [u32; 2] = [390, 1280];

/// The page of one run of a program.
fn page(program: &Program) -> Result<String> {
    Ok(page_and_report(program, &[])?.0)
}

/// The page of one run of a program and the report as JSON, with these options of `ompttrace report`.
fn page_and_report(program: &Program, options: &[&str]) -> Result<(String, Value)> {
    page_of(program, &[RECORD_ONLY], options)
}

/// The page and the report of a program that is recorded with these settings.
fn page_of(
    program: &Program,
    settings: &[(&str, &str)],
    options: &[&str],
) -> Result<(String, Value)> {
    let traced = traced::run(program, &runtimes::libomp_19()?, By::Runtime, settings)?;
    let file = traced.scratch.path().join("page.html");
    let mut command = Command::new(Product::find()?.program);
    command.args(["report", "--quiet", "--json", "--html"]).arg(&file).args(options);
    let report = build::run(command.arg(traced.scratch.only_run()?), "")?;
    Ok((fs::read_to_string(file)?, serde_json::from_slice(&report)?))
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
            let timeline = seen.timeline.context("no timeline")?;
            ensure!(timeline.colours.len() >= 2, "{source}: {timeline:?}");
        }
    }
    Ok(())
}

/// The tree of calling contexts stands in the page, each frame as far in as it is deep.
#[test]
fn calling_contexts_are_a_tree_in_the_page() -> Result<()> {
    let settings = [RECORD_ONLY, ("OMPTTRACE_CALLSTACK", "regions")];
    let (page, report) = page_of(&programs::of_test("tests/report/tasks.c")?, &settings, &[])?;
    let section = page.split_once("<h2>Calling contexts</h2>").context("no contexts")?.1;
    let section = section.split_once("</section>").context("no end")?.0;
    let all: u64 =
        report["times"].as_object().context("times")?.values().filter_map(Value::as_u64).sum();
    let mut shown = 0;
    for context in report["contexts"].as_array().context("no contexts")? {
        let (name, depth) =
            (context["name"].as_str().context("a name")?, context["depth"].as_u64());
        let own: u64 = ["work_ns", "wait_ns", "idle_ns"]
            .iter()
            .filter_map(|time| context["metrics"][time].as_u64())
            .sum();
        // What hardly counts is left out.
        if own * 100 > all && name.chars().all(|letter| letter.is_ascii_alphanumeric()) {
            let cell = format!("<td>{}{name}", "\u{2003}".repeat(depth.unwrap_or(0) as usize));
            ensure!(section.contains(&cell), "{cell} is not in {section}");
            shown += 1;
        }
    }
    ensure!(shown > 0, "{}", report["contexts"]);
    Ok(())
}

/// The timeline adds up to what the report says of each thread in each state, to the nanosecond.
#[test]
fn the_timeline_adds_up_to_the_report() -> Result<()> {
    let (page, report) = page_and_report(&programs::of_test("tests/report/tasks.c")?, &[])?;
    let data = page.split_once("type=\"application/json\">").context("no timeline")?.1;
    let data: Value = serde_json::from_str(data.split_once("</script>").context("no end")?.0)?;
    let tracks = data["tracks"].as_array().context("no tracks")?;
    let threads = report["threads"].as_array().context("no threads")?;
    ensure!(tracks.len() == threads.len(), "{} tracks", tracks.len());
    for thread in threads {
        let own = tracks.iter().find(|track| track["threads"][0] == thread["number"]);
        let own = own.with_context(|| format!("no track for {}", thread["name"]))?;
        for (state, time) in thread["times"].as_object().context("no times")? {
            let runs = own["times"][state].as_array().map_or(&[][..], Vec::as_slice);
            let time_of = |run: &Value| Some(run[1].as_u64()? * run[2].as_u64()?);
            let sum: u64 = runs.iter().filter_map(time_of).sum();
            ensure!(Some(sum) == time.as_u64(), "{} {state}: {sum}", thread["name"]);
        }
    }
    Ok(())
}

/// A click on a heading sorts by it, the largest first, and another one turns that round; the timeline is zoomed by the
/// wheel and by dragging, and says what it shows.
#[test]
fn tables_are_sorted_and_the_timeline_is_zoomed() -> Result<()> {
    let page = page(&programs::of_test("tests/report/uneven.c")?)?;
    let seen = browser::show(&page, 1280)?;
    let mut lengths = 0;
    for [down, up] in &seen.sorted {
        ensure!((&*down[0], &*up[0]) == ("descending", "ascending"), "{down:?} {up:?}");
        let figures = |cells: &[String]| cells.iter().map(|cell| figure(cell)).collect::<Vec<_>>();
        let (down, up) = (figures(&down[1..]), figures(&up[1..]));
        ensure!(down.is_sorted_by(|a, b| a >= b) && up.is_sorted(), "{down:?} {up:?}");
        lengths = lengths.max(down.len());
    }
    ensure!(seen.sorted.len() >= 4 && lengths >= 3, "{:?}", seen.sorted);
    let [all, wheel, dragged, again, under] = seen.timeline.context("no timeline")?.said;
    ensure!(all.starts_with("0 ns to ") && all == again, "{all} {again}");
    ensure!(wheel != all && dragged != wheel && dragged != all, "{all} {wheel} {dragged}");
    ensure!(under.contains('%'), "{under}");
    Ok(())
}

/// Nanoseconds or a count of a cell; less than all where there is none.
fn figure(cell: &str) -> f64 {
    let (number, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    let number = number.split('x').next().unwrap_or_default().trim_end_matches('%');
    let times = match unit {
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => 1.0,
    };
    number.parse().map_or(f64::NEG_INFINITY, |number: f64| number * times)
}

/// A page without scripts has its tables, and one for the dark is light on dark.
#[test]
fn pages_are_readable_without_scripts_and_in_the_dark() -> Result<()> {
    let page = page(&programs::of_test("tests/report/uneven.c")?)?;
    for (looks, width) in [(Looks::WithoutScripts, 390), (Looks::Dark, 390), (Looks::Usual, 1280)] {
        let seen = browser::look(&page, width, looks)?;
        let faults = seen.faults();
        ensure!(faults.is_empty(), "{looks:?}: {faults:#?}");
        for words in ["Parallel regions", "longest/mean", "OMP_NUM_THREADS", "recorded"] {
            ensure!(seen.text.contains(words), "{looks:?}: no {words}");
        }
        ensure!(seen.timeline.is_some() == (looks != Looks::WithoutScripts), "{looks:?}");
        let is_said = seen.text.contains("The timeline needs scripts");
        ensure!(is_said == (looks == Looks::WithoutScripts), "{looks:?}: {is_said}");
        let [ink, paper] = seen.colours.map(|colour| brightness(&colour));
        ensure!((ink > paper) == (looks == Looks::Dark), "{looks:?}: {ink} on {paper}");
    }
    Ok(())
}

/// The sum of red, green and blue of `rgb(22, 24, 28)`.
fn brightness(colour: &str) -> u32 {
    let parts = colour.split(|letter: char| !letter.is_ascii_digit());
    parts.filter_map(|part| part.parse::<u32>().ok()).take(3).sum()
}

/// Lines of the program's source stand in the page where they are asked for, and only there.
#[test]
fn source_lines_are_shown_where_they_are_asked_for() -> Result<()> {
    let program = programs::of_test("tests/report/uneven.c")?;
    let (with, _) = page_and_report(&program, &["--source"])?;
    let pragma = "#pragma omp";
    ensure!(with.contains(pragma) && with.contains("<mark>"), "no lines");
    let seen = browser::show(&with, 390)?;
    ensure!(seen.faults().is_empty() && seen.text.contains(pragma), "{:#?}", seen.faults());
    ensure!(!page(&program)?.contains(pragma), "lines that nobody asked for");
    Ok(())
}

/// A recording that others may change could name any file of the user's.
#[test]
fn source_lines_are_not_shown_for_recordings_that_others_may_change() -> Result<()> {
    let program = programs::of_test("tests/report/uneven.c")?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let (run, file) = (traced.scratch.only_run()?, traced.scratch.path().join("page.html"));
    fs::set_permissions(&run, fs::Permissions::from_mode(0o777))?;
    let mut command = Command::new(Product::find()?.program);
    let ended = command.args(["report", "--source", "--html"]).arg(&file).arg(&run).output()?;
    let said = String::from_utf8_lossy(&ended.stderr);
    ensure!(!ended.status.success() && said.contains("others may write to"), "{ended:?}");
    ensure!(!file.exists(), "a page that should not be there");
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
