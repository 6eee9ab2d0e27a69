//! Values that each setting takes, and the line about those that it does not take.

use super::*;
use crate::events::{Error, Flush};
use crate::settings::values::limit;

fn read(variable: &str, value: &str) -> Result<Settings, String> {
    let mut settings = Settings::default();
    settings.take_variable(variable.as_ref(), value.as_ref()).map(|()| settings)
}

fn good(variable: &str, value: &str) -> Settings {
    read(variable, value).expect("allowed")
}

#[test]
fn good_values_are_taken() {
    use Format::{Chrome, Otf2, Perfetto};
    assert_eq!(good("OMPTTRACE_FORMAT", "recording").format, []);
    let formats = good("OMPTTRACE_FORMAT", "otf2,chrome, recording,perfetto,chrome").format;
    assert_eq!(formats, [Otf2, Chrome, Perfetto]);
    assert_eq!(good("OMPTTRACE_VIEW", " regions ").view, Some(View::Regions));
    let buffer = good("OMPTTRACE_BUFFER", "64K@run").buffer;
    assert_eq!(buffer, Buffer { bytes: Some(65536), in_run_folder: true });
    assert_eq!(good("OMPTTRACE_BUFFER", "@shm").buffer, Buffer::default());
    assert_eq!(good("OMPTTRACE_OVERFLOW", "ring").overflow, Overflow::Ring);
    assert!(!good("OMPTTRACE_START", "off").start && good("OMPTTRACE_QUIET", "1").quiet);
    assert_eq!(good("OMPTTRACE_CLOCK", "quanta").clock, Clock::Quanta);
    let depth = |value| good("OMPTTRACE_CALLSTACK", value).callstack;
    assert_eq!(["off", "regions", "regions:1", "regions: 128"].map(depth), [0, 32, 1, 128]);
    let cores = |name: &&str| good("OMPTTRACE_CORES", name).cores.name();
    assert!(CoresMode::NAMES.iter().all(|name| cores(name) == *name));
    for name in ["OTHER", "OMPTTRACE_CORES", "OMPTTRACE_FROMAT", "OMPTTRACE_RUN"] {
        let value = if name == "OTHER" { "x" } else { "" };
        assert_eq!(read(name, value), Ok(Settings::default()), "{name}");
    }
}

#[test]
fn events_are_kept_or_left_out() {
    let events = |value| good("OMPTTRACE_EVENTS", value).events;
    let left_out = events("-mutex,-flush");
    assert_eq!(left_out.without, [Family::Mutex]);
    assert_eq!(left_out.without_events, [Flush::NUMBER]);
    let kept = events("sync, task").without;
    assert!(!kept.contains(&Family::Sync) && kept.contains(&Family::Mutex));
    assert_eq!(events("flush").without.len(), Family::ALL.len());
    let all = events("all,error");
    assert!(all.without.is_empty() && all.insisted == [Error::NUMBER]);
}

#[test]
fn samples_have_a_rate_a_clock_and_a_signal() {
    let sampling = |text| good("OMPTTRACE_SAMPLE", text).sample;
    let cpu = |rate, signal| Some(Sampling { rate, clock: SampleClock::Cpu, signal });
    assert_eq!(sampling("off"), None);
    assert_eq!(sampling("200"), cpu(200, 0));
    assert_eq!(sampling("10000, cpu, signal=40"), cpu(10_000, 40));
    let wall = sampling("200,wall").map(|sampling| sampling.clock);
    assert_eq!(wall, Some(SampleClock::Wall));
    for wrong in ["0", "10001", "-1", "on", "200,gpu", "200,signal=9", "200,signal=", "200,"] {
        assert!(read("OMPTTRACE_SAMPLE", wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_limit_is_none_or_megabytes() {
    for (right, bytes) in [("80MB", 80_000_000), ("1m", 1 << 20), ("1.5 G", 3 << 29)] {
        assert_eq!(limit(right), Some(bytes), "{right}");
    }
    assert_eq!((limit("none"), limit("2GiB")), (Some(u64::MAX), Some(2 << 30)));
    for wrong in ["", "80", "0.5M", "1K", "MB", "-1M", "nanM", "1e9M", "1TB", "all"] {
        assert_eq!(limit(wrong), None, "{wrong}");
    }
}

#[test]
fn the_variable_of_a_run_has_two_words() {
    let read = StartedBy::read("1f-2c.3d").expect("two words");
    assert_eq!(read, StartedBy { word: "1f-2c", socket: "3d" });
    let long = format!("a.{}", "b".repeat(65));
    for wrong in ["", "1f-2c", ".", "a.", ".b", "a b.c", "a.b.c", &long] {
        assert_eq!(StartedBy::read(wrong), None, "{wrong:?}");
    }
}

#[test]
fn wrong_values_name_variable_value_and_what_is_allowed() {
    for (name, value, allowed) in [
        ("OMPTTRACE_FORMAT", "otf3", "perfetto"),
        ("OMPTTRACE_FORMAT", ",", "perfetto"),
        ("OMPTTRACE_VIEW", "both ways", "auto, threads, regions or both"),
        ("OMPTTRACE_LIMIT", "1K", "80MB"),
        ("OMPTTRACE_BUFFER", "1G", "4K to 64M"),
        ("OMPTTRACE_BUFFER", "4095", "4K to 64M"),
        ("OMPTTRACE_BUFFER", "99999999999999999999", "4K to 64M"),
        ("OMPTTRACE_BUFFER", "64K@nowhere", "@shm or @run"),
        ("OMPTTRACE_OVERFLOW", "block", "wait, drop or ring"),
        ("OMPTTRACE_EVENTS", "-parallel_begin", "excludes one"),
        ("OMPTTRACE_START", "maybe", "on or off"),
        ("OMPTTRACE_QUIET", "2", "1 or 0"),
        ("OMPTTRACE_CALLSTACK", "tasks", "off, regions or regions:N"),
        ("OMPTTRACE_CALLSTACK", "regions:0", "from 1 to 128"),
        ("OMPTTRACE_CALLSTACK", "regions:129", "from 1 to 128"),
        ("OMPTTRACE_CORES", "on", "auto, switches, accounting or off"),
        ("OMPTTRACE_COUNTERS", "flops", "a list of up to 8 of page-faults, "),
        ("OMPTTRACE_SAMPLE", "fast", "samples of each thread per second"),
        ("OMPTTRACE_RUN", "1f-2c", "ompttrace run"),
        ("OMPTTRACE_OUTPUT", "%", "%r"),
        ("OMPTTRACE_OUTPUT", "x.%q", "%r"),
        ("OMPTTRACE_FROMAT", "perfetto", "OMPTTRACE_FORMAT"),
    ] {
        let line = read(name, value).expect_err(value);
        assert!(line.contains(name) && line.contains(allowed), "{line}");
        assert!(name == "OMPTTRACE_FROMAT" || line.contains(&format!("{value:?}")), "{line}");
        assert!(!line.contains('\n'));
    }
    let line = read("OMPTTRACE_VIEW", "a\nb\u{1b}[2J").expect_err("not allowed");
    assert!(!line.contains('\n') && !line.contains('\u{1b}'), "{line}");
    let unknown = read("OMPTTRACE_NONE", "1").expect_err("no such setting");
    assert!(!unknown.contains("OMPTTRACE_RUN"), "{unknown}");
}
