//! Waits of streams for events of others, and calls that synchronise: all times are those that the program said.

use super::reports::report;
use super::{Run, near};
use anyhow::{Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::number;

const ROUNDS: u64 = 3;

/// Each round has four waits: two of some time, one for what is done, and one for an event that nobody recorded.
#[test]
fn streams_wait_for_events_of_others() -> Result<()> {
    let run = Run::new(&[&ROUNDS.to_string(), "events"], "")?;
    let info = run.info()?;
    ensure!(number(&info, "/devices/event_waits")? == run.said("waits")?, "{}", info["devices"]);
    ensure!(
        number(&info, "/devices/kernels")? == run.said("kernels")? && info["devices"]["lost"] == 1
    );
    let mut judged = Judged::exact(&run.path())?;
    let waits = judged.lines(
        "select substr(thread.name, 1, 17), count(*), sum(s.dur > 0), min(extract_arg(s.arg_set_id, 'debug.event')), \
         max(extract_arg(s.arg_set_id, 'debug.recorded in stream')) from slice s join thread_track t on t.id = s.track_id \
         join thread using (utid) where s.name = 'wait for event' group by 1 order by 1",
    )?;
    let expected = [
        format!("device 0 stream 8|{ROUNDS}|{ROUNDS}|5|7"),
        format!("device 0 stream 9|{}|{ROUNDS}|5|7", 2 * ROUNDS),
    ];
    ensure!(waits == expected, "{waits:?}");
    near(
        judged.count("select sum(dur) from slice where name = 'wait for event'")?,
        run.said("wait_ns")?,
    )?;
    // From what the event's stream did to what waited for it.
    let arrows = judged.lines(
        "select a.name, b.name, count(*), min(a.ts + a.dur <= b.ts) from flow f join slice a on a.id = f.slice_out \
         join slice b on b.id = f.slice_in where a.category = 'device' and a.name not glob 'cu*' group by 1, 2 order by 1, 2",
    )?;
    let expected = ["late|again", "late|consume", "produce|consume"];
    ensure!(arrows == expected.map(|names| format!("{names}|{ROUNDS}|1")), "{arrows:?}");
    // Calls have what they wait for, and the host waits in those that do.
    let calls = judged.lines(
        "select s.name, extract_arg(arg_set_id, 'debug.stream'), extract_arg(arg_set_id, 'debug.event'), count(*) from slice s \
         where s.name glob 'cuda*Synchronize' or s.name = 'cudaStreamWaitEvent' group by 1, 2, 3 order by 1, 2, 3",
    )?;
    let expected = [
        "cudaDeviceSynchronize|null|null|1",
        "cudaEventSynchronize|null|5|1",
        "cudaStreamSynchronize|8|null|1",
        "cudaStreamWaitEvent|8|5|1",
        "cudaStreamWaitEvent|9|5|2",
        "cudaStreamWaitEvent|9|6|1",
    ];
    let times = |line: &str| -> Option<String> {
        let (names, count) = line.rsplit_once('|')?;
        Some(format!("{names}|{}", count.parse::<u64>().ok()? * ROUNDS))
    };
    let expected: Vec<_> = expected.iter().filter_map(|line| times(line)).collect();
    ensure!(calls == expected, "{calls:?}");
    Ok(())
}

#[test]
fn waits_are_in_the_report_however_records_come() -> Result<()> {
    for words in ["twelve", "small"] {
        let run = Run::new(&[&ROUNDS.to_string(), "events"], words)?;
        let report = report(&run.path())?;
        let device = &report["devices"]["devices"][0];
        ensure!(device["event_waits"] == 3 * ROUNDS, "{words}: {device}");
        near(number(device, "/event_wait_ns")?, run.said("wait_ns")?)?;
        // A stream that waits is not busy.
        let busy = number(device, "/busy_ns")?;
        let parts = number(device, "/kernel_ns")? + number(device, "/copy_ns")?;
        ensure!(busy <= parts && device["unified_ns"] == 0, "{words}: {device}");
    }
    Ok(())
}
