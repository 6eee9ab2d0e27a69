//! The whole process counts: before the first event and after the last one.

use crate::script::Script;
use ompttrace_recording::events::Control;
use ompttrace_recording::facts::{End, end};
use ompttrace_report::model::{Class, Report};
use ompttrace_report::{State, text};

/// A region of two from 1,100 to 1,400, after 1,000 of the process without any event.
fn late(began: Option<u64>, ended: Option<u64>) -> Script {
    let mut later = Script::beginning_at(1_000);
    later.fork(1_100, 1, 0x1000).arrive(1, 1_390, 1).arrive(0, 1_390, 1).join(1_390, 1, 0x1000);
    let life = &mut later.0.facts.life;
    life.began = began;
    life.ended = ended.map(|monotonic| End { monotonic, by: end::SIGNAL.into(), number: Some(9) });
    later
}

fn serial(report: &Report) -> Vec<(u64, u64, u64)> {
    let serial = report.constructs.iter().filter(|one| one.class == Class::Serial);
    serial.map(|one| (one.times.work(), one.blame.idle_ns, one.blame.absent_ns)).collect()
}

#[test]
fn the_start_of_the_process_is_serial_work_for_which_threads_are_missing() {
    let report = late(Some(0), Some(2_400)).report();
    assert_eq!(report.wall_ns, 2_400);
    assert_eq!(report.threads[0].times.of(State::WorkSerial), 1_100 + 1_000);
    // The worker begins at 1,000, and idles up to its team and from then on.
    assert_eq!(serial(&report), [(1_100, 100, 1_000), (1_000, 1_000, 0)]);
    let life = &report.life;
    assert_eq!((life.from, life.to.as_str()), ("process", "signal"));
    assert_eq!((life.before_regions_ns, life.after_regions_ns), (Some(1_100), Some(1_000)));
    let work = (1_100 + 1_000 + 280 + 280) as f64;
    assert_eq!(report.efficiency.parallel, Some(work / (2.0 * 2_400.0)));
    assert_eq!(report.critical_path.length_ns, 2_400);
}

#[test]
fn both_are_findings_that_say_what_they_are() {
    let report = late(Some(0), Some(2_400)).report();
    let found: Vec<_> = report.findings.iter().map(|found| (found.kind, found.lost_ns)).collect();
    assert_eq!(found, [("serial", 1_100), ("serial", 1_000)]);
    let text = &report.findings[0].text;
    assert!(text.starts_with("Serial from the start of the process to "), "{text}");
    assert!(
        text.contains("the others idle for 100 ns or are not there (1.00 us), 23% of"),
        "{text}"
    );
    assert!(report.findings[1].text.contains("the others idle for 1.00 us"), "{report:#?}");
    let words = anstream::adapter::strip_str(&text::render(&report, 9, None)).to_string();
    let words = words.replace('\n', " ");
    assert!(
        words.contains(
            "The wall time goes from the start of the process to its end (SIGKILL); 1.10 us before \
             the first parallel region and 1.00 us after the last one count."
        ),
        "{words}"
    );
}

#[test]
fn without_a_known_process_events_are_all_there_is() {
    let report = late(None, None).report();
    assert_eq!(
        (report.wall_ns, report.life.from, report.life.to.as_str()),
        (400, "record", "sign")
    );
    assert!(report.caveats.is_empty(), "{:?}", report.caveats);
}

#[test]
fn time_in_which_recording_was_off_does_not_count() {
    let mut script = late(Some(0), Some(2_400));
    script.once(0, 1_500, Control { command: 2, modifier: 0, origin: 0 });
    let report = script.report();
    assert_eq!((report.wall_ns, report.life.to.as_str()), (1_500, "off"));
    assert_eq!(serial(&report), [(1_100, 100, 1_000), (100, 100, 0)]);
    assert!(report.caveats[0].starts_with("Recording was switched off"), "{:?}", report.caveats);
    script.0.facts.life.paused = true;
    let report = script.report();
    assert_eq!((report.wall_ns, report.life.from), (500, "record"));
    assert!(report.caveats[0].starts_with("Recording was off when"), "{:?}", report.caveats);
}
