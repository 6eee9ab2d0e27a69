//! Core streams: apart from the threads' own records, also where they are nonsense.

use super::*;
use crate::events::{CoresRead, Event, SamplesBegin, SwitchIn};
use crate::fragment::{CORE_STREAM, SAMPLE_STREAM};

/// A stream's thread, its records, and bytes that are none.
type CoreRecords = (u32, Vec<(u64, Event)>, u64);

fn cores(folder: &tempfile::TempDir) -> Vec<CoreRecords> {
    let recording = Recording::open(folder.path()).expect("a recording");
    let streams = recording.cores.iter().enumerate().map(|(at, known)| {
        let (mut stream, mut events) = (recording.core_stream(at), Vec::new());
        while stream.take(|record| events.push((record.ticks, record.event()))).is_some() {}
        (known.number, events, stream.undecoded())
    });
    streams.collect()
}

fn words_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn switch_in(ticks: u64, cpu: u64) -> [u64; 2] {
    [words::header(ticks, EventCode::new(SwitchIn::NUMBER, Scope::None).0), cpu]
}

#[test]
fn a_thread_has_two_streams_with_chunks_of_their_own() {
    let folder = run_folder(&facts(true));
    let read = [words::header(1500, EventCode::new(CoresRead::NUMBER, Scope::None).0)];
    append(&folder, &fragment(7, 1, 0..5, 0));
    append(&folder, &fragment_of(7 | CORE_STREAM, 2, 0, &words_of(&read)));
    append(&folder, &fragment_of(7 | CORE_STREAM, 1, 0, &words_of(&switch_in(1200, 3))));
    let in_order =
        [(1200, Event::SwitchIn(SwitchIn { cpu: 3 })), (1500, Event::CoresRead(CoresRead {}))];
    assert_eq!(cores(&folder), [(7, in_order.to_vec(), 0)]);
    let (codes, damage) = super::read(&folder, 0);
    assert_eq!((codes, damage), ((0..5).collect(), Damage::default()));
}

#[test]
fn a_stream_without_a_thread_and_one_of_other_records_are_read_for_what_they_are() {
    let folder = run_folder(&facts(true));
    append(&folder, &fragment(1, 1, 0..1, 0));
    append(&folder, &fragment(u32::MAX, 1, 4..6, 4));
    append(&folder, &fragment_of(CORE_STREAM, 1, 0, &words_of(&[words::header(5, 255), 0])));
    let streams = cores(&folder);
    let counts: Vec<_> = streams
        .iter()
        .map(|(number, events, undecoded)| (*number, events.len(), *undecoded))
        .collect();
    assert_eq!(counts, [(0, 0, 16), (u32::MAX >> 2, 2, 0)]);
    let recording = Recording::open(folder.path()).expect("a recording");
    assert_eq!(recording.threads.len(), 1);
    assert_eq!(recording.core_stream(2).next_ticks(), None);
}

#[test]
fn samples_have_streams_of_their_own() {
    let folder = run_folder(&facts(true));
    append(&folder, &fragment(1, 1, 0..1, 0));
    let begin = SamplesBegin { period: 5_000_000, clock: 0, signal: 62 };
    let code = EventCode::new(SamplesBegin::NUMBER, Scope::None).0;
    let record = [&[words::header(900, code)], &begin.words()[..]].concat();
    append(&folder, &fragment_of(1 | SAMPLE_STREAM, 1, 0, &words_of(&record)));
    let recording = Recording::open(folder.path()).expect("a recording");
    let found = [&recording.threads, &recording.cores, &recording.samples].map(Vec::len);
    assert_eq!((found, recording.streams(), recording.samples[0].number), ([1, 0, 1], 2, 1));
    let mut stream = recording.sample_stream(0);
    assert_eq!(stream.take(|record| record.event()), Some(Event::SamplesBegin(begin)));
    assert_eq!((stream.next_ticks(), recording.core_stream(0).next_ticks()), (None, None));
    let position = recording.known(1).map(|(known, number)| (known.number, number));
    assert_eq!(position, Some((1, 1 | SAMPLE_STREAM)));
    assert!(recording.known(2).is_none() && recording.sample_stream(1).next_ticks().is_none());
}

#[test]
fn a_torn_core_fragment_is_read_as_far_as_it_came() {
    let folder = run_folder(&facts(false));
    let two = [switch_in(1200, 1), switch_in(1300, 2)].concat();
    let whole = fragment_of(3 | CORE_STREAM, 1, 0, &words_of(&two));
    append(&folder, &whole[..whole.len() - 8]);
    let [(3, events, undecoded)] = &cores(&folder)[..] else { panic!("one stream") };
    assert_eq!((events.len(), *undecoded), (1, 8));
    let recording = Recording::open(folder.path()).expect("a recording");
    assert_eq!((recording.threads.len(), recording.damage.torn), (0, 1));
}
