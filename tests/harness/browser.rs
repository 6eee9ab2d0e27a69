//! A page in front of a real browser: Chromium without a screen shows it in a frame of a given width, and
//! says what it drew, what did not fit, what it complained of and what it tried to fetch.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::process;

const PROBE: &str = include_str!("browser/probe.html");
/// Time limit of the browser, which only keeps a test from hanging: it starts slowly on a machine with other load.
const LIMIT: Duration = Duration::from_secs(600);

/// Measurements of a page in the browser.
#[derive(Debug, Deserialize)]
pub struct Seen {
    /// Width of the frame without a scroll bar, in CSS pixels.
    pub width: f64,
    /// Width of the frame's contents, in CSS pixels.
    pub scroll_width: f64,
    /// First characters of the HTML of elements that extend beyond the frame and do not scroll by themselves.
    pub wide: Vec<String>,
    /// Charts of the page.
    pub charts: Vec<Chart>,
    /// Number of tables.
    pub tables: u64,
    /// Number of entries in the list of findings.
    pub findings: u64,
    /// For each sortable table, the state after one click on the heading of its second column and after another: the order
    /// that the heading states (`aria-sort`), then the column's cells.
    pub sorted: Vec<[Vec<String>; 2]>,
    /// The timeline, if the page shows one.
    pub timeline: Option<Timeline>,
    /// Visible text of the page.
    pub text: String,
    /// Colours of the page's text and of its background.
    pub colours: [String; 2],
    /// Addresses of the resources that the page requested.
    pub fetched: Vec<String>,
    /// Messages on the browser's console: errors of scripts, of the page, of its security policies.
    #[serde(skip)]
    pub complaints: Vec<String>,
}

/// Measurements of one chart.
#[derive(Debug, Deserialize)]
pub struct Chart {
    /// Width of the chart on the page, in CSS pixels.
    pub width: f64,
    /// Number of its shapes that cover an area.
    pub drawn: u64,
    /// Number of its texts that extend beyond it on the left or right.
    pub texts_outside: u64,
}

/// Measurements of the timeline on a report's page.
#[derive(Debug, Deserialize)]
pub struct Timeline {
    /// Colours that are drawn.
    pub colours: Vec<String>,
    /// Descriptions of the displayed range: at first, after a turn of the wheel, after dragging, after Escape, under the pointer.
    pub said: [String; 5],
}

/// Settings of the browser that shows a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Looks {
    /// Default settings.
    #[default]
    Usual,
    /// A user who prefers dark pages.
    Dark,
    /// Scripts are disabled.
    WithoutScripts,
}

impl Seen {
    /// Faults of a page that is self-contained and has charts, one per entry.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = self.complaints.clone();
        faults.extend(self.fetched.iter().map(|address| format!("fetches {address}")));
        faults.extend(self.wide.iter().map(|element| format!("too wide: {element}")));
        if self.scroll_width > self.width {
            faults.push(format!("{} wide in a frame of {}", self.scroll_width, self.width));
        }
        for (number, chart) in self.charts.iter().enumerate() {
            if chart.drawn == 0 || chart.width < 100.0 || chart.texts_outside > 0 {
                faults.push(format!("chart {number}: {chart:?}"));
            }
        }
        faults
    }
}

/// Shows the page in a frame that is `width` CSS pixels wide, with default settings.
pub fn show(page: &str, width: u32) -> Result<Seen> {
    look(page, width, Looks::Usual)
}

/// Shows the page in a frame that is `width` CSS pixels wide, with these settings of the browser.
pub fn look(page: &str, width: u32, looks: Looks) -> Result<Seen> {
    let scratch = tempfile::tempdir()?;
    let probe = scratch.path().join("probe.html");
    let quoted = page.replace('&', "&amp;").replace('"', "&quot;");
    let sandbox = if looks == Looks::WithoutScripts { "sandbox=allow-same-origin" } else { "" };
    let text = PROBE.replace("{{sandbox}}", sandbox).replace("{{width}}", &width.to_string());
    fs::write(&probe, text.replace("{{page}}", &quoted))?;
    let mut chromium = chromium(scratch.path());
    if looks == Looks::Dark {
        chromium.arg("--blink-settings=preferredColorScheme=0");
    }
    let run = process::run(chromium.arg("--dump-dom").arg(&probe), LIMIT)?;
    let found = run.stdout.split_once("<pre id=\"found\">");
    let found = found.and_then(|(_, rest)| rest.split_once("</pre>")).map(|(found, _)| found);
    let found = found.filter(|found| !found.is_empty());
    let found = found.with_context(|| format!("the browser showed nothing: {}", run.stderr))?;
    let plain = found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let mut seen: Seen = serde_json::from_str(&plain).context(plain)?;
    // That scripts are off is said of each of them.
    let is_wanted =
        |line: &str| looks == Looks::WithoutScripts && line.contains("Blocked script execution");
    let complaints =
        run.stderr.lines().filter(|line| line.contains(":CONSOLE") && !is_wanted(line));
    seen.complaints = complaints.map(str::to_owned).collect();
    ensure!(seen.width == f64::from(width), "a frame of {} instead of {width}", seen.width);
    Ok(seen)
}

/// Chromium for one page: as root, without a screen, and without errands of its own in the network.
fn chromium(scratch: &Path) -> Command {
    let mut command = Command::new("chromium");
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]);
    command.args([
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
    ]);
    command.args(["--disable-sync", "--disable-extensions", "--enable-logging=stderr"]);
    command.args(["--window-size=1400,1000", "--hide-scrollbars"]);
    command.args(["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=10000"]);
    command.arg(format!("--user-data-dir={}", scratch.join("profile").display()));
    command.env("HOME", scratch);
    command
}
