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
/// Only so that nothing hangs for ever: a browser is slow to start on a machine with other work.
const LIMIT: Duration = Duration::from_secs(600);

/// What a page looks like.
#[derive(Debug, Deserialize)]
pub struct Seen {
    /// Of the frame, without a scroll bar.
    pub width: f64,
    /// Of all that is in it.
    pub scroll_width: f64,
    /// Begins of the elements that reach beyond the frame and do not scroll by themselves.
    pub wide: Vec<String>,
    /// The drawings.
    pub charts: Vec<Chart>,
    /// Tables.
    pub tables: u64,
    /// Entries of the list of findings.
    pub findings: u64,
    /// Of each table that can be sorted its second column after one click on its heading, and after another: the order
    /// that it says, and the cells.
    pub sorted: Vec<[Vec<String>; 2]>,
    /// The timeline, where one is shown.
    pub timeline: Option<Timeline>,
    /// What can be read.
    pub text: String,
    /// Of letters, and of what they stand on.
    pub colours: [String; 2],
    /// Addresses that the page asked for.
    pub fetched: Vec<String>,
    /// What the browser had to say: errors of scripts, of the page, of its policies.
    #[serde(skip)]
    pub complaints: Vec<String>,
}

/// One drawing.
#[derive(Debug, Deserialize)]
pub struct Chart {
    /// Its width on the page.
    pub width: f64,
    /// Shapes in it that cover something.
    pub drawn: u64,
    /// Words of which a part is cut off.
    pub texts_outside: u64,
}

/// The timeline of a report.
#[derive(Debug, Deserialize)]
pub struct Timeline {
    /// Those that are drawn.
    pub colours: Vec<String>,
    /// What it says: of all, after a turn of the wheel, after dragging, after Escape, under the pointer.
    pub said: [String; 5],
}

/// How a page is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Looks {
    /// As most do.
    #[default]
    Usual,
    /// By somebody who wants pages dark.
    Dark,
    /// With scripts switched off.
    WithoutScripts,
}

impl Seen {
    /// What is wrong with a page that stands by itself and has charts.
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

/// Shows the page in a frame that is `width` wide.
pub fn show(page: &str, width: u32) -> Result<Seen> {
    look(page, width, Looks::Usual)
}

/// The same to somebody with wishes of their own.
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
