//! OMPT of 2014 on the runtimes of `tests/runtimes`: every event of Technical Report 2, sent in each of its three
//! dialects, is in the recording, and the traces are sound.

mod drawn;
mod meaning;
mod runtime;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::{build, otf2_judge, soundness};
use runtime::{Dialect, Run};
use std::collections::BTreeMap;
use std::process::Command;

/// The recording has as many records of each event as the runtime reported, and every event of the dialect was reported.
#[test]
fn every_event_is_recorded() -> Result<()> {
    for dialect in Dialect::ALL {
        let run = Run::new(dialect, &["3"], &[])?;
        let unreported: Vec<_> =
            dialect.events().filter(|event| run.reported[event] == 0).collect();
        ensure!(unreported.is_empty(), "{dialect:?} never reported {unreported:?}");
        let (reported, recorded) =
            (meaning::expected(dialect, &run.reported), meaning::recorded(&run.folder)?);
        ensure!(reported == recorded, "{dialect:?}: {}", differences(&reported, &recorded));
        let info = Product::find()?.info(&run.folder)?;
        ensure!(info["runtime"]["interface"] == "ompt-tr2", "{}", info["runtime"]);
        let named = info["runtime"]["dialect"].as_str().context("no dialect")?;
        ensure!(named.starts_with(dialect.named()), "{named}");
        ensure!(info["finalized"] == true && info["closed"] == true, "{dialect:?} {info}");
        ensure!(run.finished.stdout == Run::alone(dialect, &["3"])?.stdout, "{:?}", run.finished);
    }
    Ok(())
}

fn differences<K: Ord + std::fmt::Debug>(
    reported: &BTreeMap<K, u64>,
    recorded: &BTreeMap<K, u64>,
) -> String {
    let keys = reported.keys().chain(recorded.keys());
    let both = keys.map(|key| (key, reported.get(key), recorded.get(key)));
    let different: BTreeMap<_, _> =
        both.filter(|(_, a, b)| a != b).map(|(key, a, b)| (key, (a, b))).collect();
    format!("reported and recorded differ: {different:?}")
}

/// The trace processor and the judge of archives find nothing wrong, and nothing was dropped.
#[test]
fn the_traces_are_sound() -> Result<()> {
    for dialect in Dialect::ALL {
        let run = Run::new(dialect, &["3"], &[])?;
        let mut judged = Judged::open(&run.folder)?;
        let said =
            soundness::faults(&mut judged)? + &soundness::sums(&judged.info, &judged.export)?;
        ensure!(said.is_empty(), "{dialect:?}:\n{said}");
        for view in ["threads", "regions"] {
            let product = Product::find()?;
            let mut command = Command::new(&product.program);
            command.args(["export", "--json", "--format", "otf2", "--view", view]);
            let said = build::run(command.arg(&run.folder), "")?;
            let said: serde_json::Value = serde_json::from_slice(&said)?;
            let anchor = said["traces"][0].as_str().context("no archive")?;
            let archive = std::path::Path::new(anchor).with_file_name("");
            otf2_judge::check(&archive).with_context(|| format!("{dialect:?} {view}"))?;
        }
    }
    Ok(())
}

/// Ends that never come, begins that never come: may-events, of which no runtime has all.
#[test]
fn events_that_a_runtime_does_not_have_are_missing_and_nothing_else() -> Result<()> {
    let without =
        ["23,12,40", "10,28,42", "9,10", "22,23", "26", "4,26", "24,25", "1,2", "3", "39,40,11"];
    for dialect in Dialect::ALL {
        for list in without {
            let run = Run::new(dialect, &["2"], &[("TR2_LEAVE_OUT", list)])?;
            let (reported, recorded) =
                (meaning::expected(dialect, &run.reported), meaning::recorded(&run.folder)?);
            ensure!(
                reported == recorded,
                "{dialect:?} -{list}: {}",
                differences(&reported, &recorded)
            );
            let mut judged = Judged::open(&run.folder)?;
            let said = soundness::faults(&mut judged)?;
            ensure!(said.is_empty(), "{dialect:?} without {list}:\n{said}");
        }
    }
    Ok(())
}

/// The lines of `export` and `run` and the JSON say how many records are not in the trace, with the reason.
#[test]
fn what_could_not_be_placed_is_said() -> Result<()> {
    let run = Run::new(Dialect::Report, &["1"], &[("TR2_LEAVE_OUT", "43")])?;
    let dropped = run.reported[&44];
    let judged = Judged::open(&run.folder)?;
    ensure!(
        number(&judged.export, "/records/dropped/end without a begin")? == dropped && dropped > 0,
        "{}",
        judged.export
    );
    let mut command = Command::new(&Product::find()?.program);
    let said = build::run(command.arg("export").arg(&run.folder), "")?;
    let said = String::from_utf8(said)?;
    let words = format!(" 0 lost, {dropped} could not be interpreted (end without a begin)");
    ensure!(said.lines().next().is_some_and(|line| line.ends_with(&words)), "{said}");
    let said = Run::closing_line(Dialect::Report, "43")?;
    ensure!(said.contains(&format!("{words}; ")), "{said}");
    Ok(())
}

/// Devices write their own records, with a clock of their own, in buffers that come and go: all of them
/// are there, and what a device does for a target lies within that target on the host's clock.
#[test]
fn devices_trace_themselves() -> Result<()> {
    for (dialect, records) in
        [(Dialect::Report, "1000"), (Dialect::Report, "2"), (Dialect::OpenUh, "5")]
    {
        let run = Run::new(dialect, &["1"], &[("TR2_RECORDS", records)])?;
        let counts = run.counts["devices"].as_array().context("no devices")?;
        ensure!(counts.len() == 2, "{counts:?}");
        let mut natives = 0;
        for (device, reported) in (0..).zip(counts) {
            let of = meaning::of_device(&run.folder, device)?;
            let expected = meaning::expected_of_device(dialect, &reported["events"])?;
            ensure!(!expected.is_empty() && of.events == expected, "{of:?}, not {expected:?}");
            let native = number(reported, "/native")?;
            ensure!(native > 0 && of.natives == native, "{of:?} {reported}");
            // A pair at the start, and one with every buffer.
            ensure!(of.clocks == number(reported, "/buffers")? + 1, "{of:?} {reported}");
            natives += native;
        }
        let mut judged = Judged::open(&run.folder)?;
        let said =
            soundness::faults(&mut judged)? + &soundness::sums(&judged.info, &judged.export)?;
        ensure!(said.is_empty(), "{dialect:?}:\n{said}");
        let of_devices = "from slice s join thread_track t on t.id = s.track_id \
             join thread using (utid) where thread.name glob 'device *'";
        let drawn =
            judged.count(&format!("select count(*) {of_devices} and s.name glob 'kernel *'"))?;
        ensure!(drawn == natives, "{drawn} native records of {natives}");
        let kernels = format!("{of_devices} and s.name glob 'all_events.c:* for*'");
        let all = judged.count(&format!("select count(*) {kernels}"))?;
        let within = judged.count(&format!(
            "select count(*) from (select s.ts, s.dur {kernels}) k where exists \
             (select 1 from slice h where h.name glob 'all_events.c:* target*' \
             and h.ts <= k.ts and h.ts + h.dur >= k.ts + k.dur)"
        ))?;
        ensure!(all == 4 && within == 4, "{within} of {all} kernels lie in their targets");
    }
    Ok(())
}

/// Records that a device returns while the recording is paused are not in it, and are counted; full buffers
/// are returned at once, larger ones at the end.
#[test]
fn what_devices_bring_while_paused_is_counted() -> Result<()> {
    for (records, some) in [("2", true), ("1000", false)] {
        let run = Run::new(Dialect::Report, &["1", "pause"], &[("TR2_RECORDS", records)])?;
        let reported = run.counts["devices"].as_array().context("no devices")?.iter();
        let reported: u64 = reported.map(meaning::reported_by_device).sum();
        let kept = [0, 1].map(|device| Ok(meaning::of_device(&run.folder, device)?.records()));
        let kept = kept.into_iter().sum::<Result<u64>>()?;
        let info = Product::find()?.info(&run.folder)?;
        let notes = info["runtime"]["notes"].as_array().context("no notes")?.iter();
        let mut notes =
            notes.filter_map(|note| note.as_str()?.split_once(" records of devices came"));
        let left_out = notes.next().map_or(Ok(0), |(count, _)| count.parse::<u64>())?;
        ensure!(
            kept + left_out == reported,
            "{kept} kept and {left_out} left out of {reported}: {info}"
        );
        ensure!((left_out > 0) == some, "{left_out} left out with {records} in a buffer");
        ensure!(number(&info, "/events/lost")? == 0);
    }
    Ok(())
}

/// `ompttrace run` brings the library in where a runtime of 2014 finds it.
#[test]
fn the_command_traces_such_programs() -> Result<()> {
    for dialect in Dialect::ALL {
        let run = Run::by_command(dialect, &["1"])?;
        let (reported, recorded) =
            (meaning::expected(dialect, &run.reported), meaning::recorded(&run.folder)?);
        ensure!(reported == recorded, "{dialect:?}: {}", differences(&reported, &recorded));
    }
    Ok(())
}

/// The program's command reaches the tool once, by the tool's own function or by the runtime's event.
#[test]
fn commands_are_carried_out_once() -> Result<()> {
    for dialect in Dialect::ALL {
        let run = Run::new(dialect, &["1", "pause"], &[])?;
        let commands = meaning::commands(&run.folder)?;
        ensure!(commands == [(2, 7), (1, 8)], "{dialect:?}: {commands:?}");
        ensure!(run.reported[&7] == 1, "{:?}", run.reported);
        let recorded = meaning::recorded(&run.folder)?;
        let calls = [2, 1, 64].map(|command| recorded.get(&(11, 0, command)).copied());
        ensure!(calls == [Some(1); 3], "{dialect:?}: control_tool {calls:?}");
        let regions = recorded.get(&(3, 0, 0)).copied();
        ensure!(regions == Some(run.reported[&1] - 1), "{dialect:?}: {regions:?} regions");
        ensure!(number(&Product::find()?.info(&run.folder)?, "/events/lost")? == 0);
    }
    Ok(())
}
