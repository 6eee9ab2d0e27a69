//! Tests that lines become threads, with records that fit into memory and with more.

use super::*;
use ompttrace_recording::device_records::{Activity, Entry, kind};
use ompttrace_recording::events::{DeviceNative, Event, EventCode, Scope};

/// Reads the devices in `text` with at most `budget` bytes of records in memory; `None` for no limit.
fn read(text: &str, budget: Option<usize>) -> Devices {
    let folder = std::env::temp_dir();
    let files = (Some(text.as_bytes()), None::<&[u8]>, Waits::default());
    Devices::read(files, 5, (budget.unwrap_or(usize::MAX), &[&folder]))
}

fn records(device: &Device) -> Vec<(u64, Event)> {
    let (mut stream, mut all) = (device.stream(), Vec::new());
    while stream.take(|record| all.push((record.ticks, record.event()))).is_some() {}
    assert_eq!(stream.undecoded(), 0);
    all
}

#[test]
fn lines_become_threads_with_records_in_order() {
    let code = EventCode::new(29, Scope::None).0;
    let bad = format!("nonsense 1\nevent 1 7 200 {code:x}\nclock 1 2\n");
    let good = format!(
        "device 1 a box\nclock 1 1000 10\nevent 1 7 300 {code:x} 0\n\
         native 1 -1 0 1 a name of more than 24 bytes\nevent 1 7 200 {code:x} 0\n\
         clock 1 1000000000 1000000010\n"
    );
    let devices = read(&(good + &bad), None);
    assert_eq!(devices.unreadable, bad.len() as u64);
    let names: Vec<_> = devices.threads.iter().map(|device| &device.info.name[..]).collect();
    assert_eq!(names, ["device 1 thread 7: a box", "device 1: a box"]);
    assert_eq!(devices.threads[1].info.number, 6);
    let first = records(&devices.threads[0]);
    assert!(first.len() == 2 && first[0].0 < first[1].0, "{first:?}");
    let events = records(&devices.threads[1]);
    assert_eq!(events.len(), 3);
    assert_eq!(events[0].0, first[1].0);
    assert!(matches!(events[0].1, Event::DeviceNative(DeviceNative { kind: 1, .. })));
}

/// A record without a time has that of its neighbour, and never that of another device.
#[test]
fn records_without_a_time_get_one() {
    let text = "clock 0 1000 10\nclock 1 1000 10\nnative 0 0 0 1 a\nnative 1 2 0 1 b\nnative 2 0 0 1 c\n\
                native 0 0 500 2 d\nnative 0 -7 0 1 e\nnative 1 0 700 2 f\n\
                clock 0 2000 1010\nclock 1 2000 1010\n";
    let devices = read(text, None);
    let seen = devices.threads.iter().map(|device| {
        let times = records(device).into_iter();
        let times = times.filter(|(_, event)| matches!(event, Event::DeviceNative(_)));
        (&device.info.name[..], times.map(|(ticks, _)| ticks).collect())
    });
    let seen: Vec<(&str, Vec<u64>)> = seen.collect();
    assert_eq!(
        seen,
        [
            ("device 0", vec![1490]),
            ("device 0 hardware 0", vec![1490, 1490]),
            ("device 1 hardware 0", vec![1690]),
            ("device 1 hardware 2", vec![1690]),
            ("device 2 hardware 0", vec![0]),
        ]
    );
}

/// Several threads, times forth and back, equal ones among them, names of all lengths.
fn disordered(lines: u64) -> String {
    let code = EventCode::new(29, Scope::None).0;
    let mut text = "clock 0 1000 1000\nclock 1 1000 1\n".to_owned();
    for line in 0..lines {
        let (device, thread) = (line % 2, line % 5);
        let time = 1000 + line * 7919 % 100_000 / 10;
        text += &match line % 3 {
            0 => {
                format!("native {device} {thread} {time} 2 {}\n", "n".repeat(line as usize % 100))
            }
            _ => format!("event {device} {thread} {time} {code:x} {line:x}\n"),
        };
    }
    text + "clock 0 1000000000 2000000000\nclock 1 1000000000 500000000\n"
}

#[test]
fn what_does_not_fit_into_memory_is_read_all_the_same() {
    let text = disordered(5000);
    let (whole, spilt) = (read(&text, None), read(&text, Some(20_000)));
    assert!(whole.threads.iter().all(|device| device.runs.len() == 1));
    assert!(spilt.threads.iter().all(|device| device.runs.len() > 3), "{:?}", spilt.threads);
    assert_eq!(whole.threads.len(), spilt.threads.len());
    for (one, other) in whole.threads.iter().zip(&spilt.threads) {
        assert_eq!((&one.info, one.span()), (&other.info, other.span()));
        let all = records(one);
        assert!(all.is_sorted_by_key(|record| record.0));
        assert_eq!(one.span(), Some((all[0].0, all[all.len() - 1].0)));
        assert!(all == records(other), "{} differs", one.info.name);
    }
}

#[test]
fn without_a_file_records_stay_in_memory() {
    let text = disordered(1000);
    let nowhere = Path::new("/proc/self/no folder");
    let files = (Some(text.as_bytes()), None::<&[u8]>, Waits::default());
    let devices = Devices::read(files, 5, (1000, &[nowhere]));
    let whole = read(&text, None);
    for (one, other) in whole.threads.iter().zip(&devices.threads) {
        assert!(records(one) == records(other) && other.runs.len() == 1);
    }
}

#[test]
fn a_run_that_cannot_be_read_to_its_end_is_reported_as_lost() {
    let mut devices = read(&disordered(3000), Some(20_000));
    let device = &mut devices.threads[0];
    let before = records(device).len();
    let mut cut = 0;
    for run in &mut device.runs {
        if let SortedRun::File { from, to, entries, .. } = run {
            // As if the file had been cut.
            (*from, *to, cut) = (u64::MAX / 2, u64::MAX / 2 + 8, cut + *entries);
            break;
        }
    }
    let lost = |event: &Event| if let Event::Lost(lost) = event { lost.count } else { 0 };
    let reported: u64 = records(device).iter().map(|(_, event)| lost(event)).sum();
    assert!(before > 0 && reported == cut, "{reported} reported of {cut}");
}

#[test]
fn lines_that_are_too_long_are_not_kept_in_memory() {
    let text = "native 0 0 1 1 ".to_owned() + &"n".repeat(1 << 20) + "\nclock 0 1 1\n";
    let devices = read(&text, None);
    assert!(devices.unreadable > 900 << 10, "{}", devices.unreadable);
    assert_eq!(devices.threads.len(), 1);
}

/// A file of records, with an activity for each of these: stream, begin, end.
fn records_file(activities: &[(u32, u64, u64)]) -> Vec<u8> {
    let mut words = Vec::new();
    Entry::Device { device: 0, name: "a GPU".to_owned() }.put(&mut words);
    Entry::Clock { ticks: 1_000, time: 500 }.put(&mut words);
    for (stream, begin, end) in activities {
        let activity = Activity {
            stream: *stream,
            kind: kind::COPY,
            begin: *begin,
            end: *end,
            ..Activity::default()
        };
        Entry::Activity(activity).put(&mut words);
    }
    Entry::Clock { ticks: 2_000_001_000, time: 1_000_000_500 }.put(&mut words);
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn read_records(bytes: &[u8]) -> Devices {
    Devices::read((None::<&[u8]>, Some(bytes), Waits::of(bytes)), 5, (usize::MAX, &[]))
}

#[test]
fn streams_of_accelerators_become_threads_on_the_hosts_clock() {
    let bytes = records_file(&[(7, 600, 700), (8, 650, 660), (7, 700, 700)]);
    let devices = read_records(&bytes);
    let names: Vec<_> = devices.threads.iter().map(|device| &device.info.name[..]).collect();
    assert_eq!(names, ["device 0 stream 7: a GPU", "device 0 stream 8: a GPU"]);
    let ticks: Vec<_> = records(&devices.threads[0]).iter().map(|(ticks, _)| *ticks).collect();
    assert_eq!(ticks, [1_200, 1_400, 1_400, 1_400]);
    assert_eq!((devices.unreadable, devices.lost), (0, 0));
}

#[test]
fn activities_of_a_stream_that_overlap_are_threads_of_their_own() {
    let devices = read_records(&records_file(&[(7, 600, 700), (7, 650, 660), (7, 700, 800)]));
    let seen: Vec<_> = devices.threads.iter().map(|device| records(device).len()).collect();
    assert_eq!(seen, [4, 2]);
    assert_eq!(devices.threads[1].info.name, "device 0 stream 7 (2): a GPU");
}

#[test]
fn an_activity_without_a_time_is_counted_as_lost() {
    let devices = read_records(&records_file(&[(7, 0, 0), (7, 600, 700)]));
    assert_eq!((devices.lost, records(&devices.threads[0]).len()), (1, 2));
}

/// Also where a part of a word is missing, or what follows is none of ours.
#[test]
fn what_is_torn_off_is_unreadable() {
    let bytes = records_file(&[(7, 600, 700)]);
    let clock = 3 * 8;
    let torn = read_records(&bytes[..bytes.len() - 5]);
    assert_eq!((torn.unreadable, torn.threads.len()), (clock - 5, 1));
    let foreign = [&bytes[..], &[7; 4096]].concat();
    assert_eq!(read_records(&foreign).unreadable, 4096);
}

/// Chunks of the file end anywhere in an entry.
#[test]
fn long_files_are_read_to_their_end() {
    let activities: Vec<_> = (1..20_000u64).map(|at| (7, 500 + 10 * at, 505 + 10 * at)).collect();
    let devices = read_records(&records_file(&activities));
    assert_eq!(records(&devices.threads[0]).len(), 2 * activities.len());
    assert_eq!(devices.unreadable, 0);
}
