//! Properties of the record codec and the reader, on records and bytes made up by proptest:
//!
//! - every event's fields come back from its words, as far as their shapes keep bits;
//! - any records of any threads, in long and in short forms, cut into fragments anywhere, some of them
//!   twice and in any order of chunks, are read once and in order;
//! - any bytes in place of a recording are read to an end, and no more records than there is room for.

#[path = "properties/made.rs"]
mod made;

use made::{Made, ReadRecord, folder_with};
use ompttrace_recording::events::{EventCode, Scope};
use ompttrace_recording::fragment::{FragmentHeader, area_bytes};
use ompttrace_recording::words::{self, At};
use ompttrace_recording::{Event, Recording};
use proptest::collection::vec;
use proptest::prelude::*;
use std::path::Path;

/// Numbers of all events that have a name.
fn numbers() -> impl Strategy<Value = u16> {
    let known: Vec<u16> = EventCode::numbers().collect();
    prop::sample::select(known)
}

fn any_code() -> impl Strategy<Value = EventCode> {
    (numbers(), 0..4u32)
        .prop_map(|(number, scope)| EventCode::new(number, Scope::from_number(scope)))
}

/// A record in the long form, or in a short one with the long form that reports the same.
fn record() -> impl Strategy<Value = Made> {
    prop_oneof![
        (any_code(), vec(any::<u64>(), 11)).prop_map(|(code, words)| Made::long(code, &words)),
        (any::<u64>(), any::<u64>(), 1..9u32)
            .prop_map(|(prior, next, status)| Made::schedule(prior, next, status)),
        (0..1u64 << 48, any::<u64>(), any::<u64>(), 0..16u64, 0..32u64).prop_map(
            |(code, task, new, low, high)| Made::create(code, task, new, low | high << 27)
        ),
    ]
}

/// Everything that a reader returns, thread after thread.
fn read(run: &Path) -> (Vec<Vec<ReadRecord>>, Recording, u64) {
    let recording = Recording::open(run).expect("a recording");
    let mut threads = Vec::new();
    let mut undecoded = 0;
    for thread in 0..recording.threads.len() {
        let mut stream = recording.stream(thread);
        let mut reported = Vec::new();
        while let Some(one) = stream.take(|record| ReadRecord {
            ticks: record.ticks,
            code: record.code,
            words: record.words.to_vec(),
        }) {
            reported.push(one);
        }
        undecoded += stream.undecoded();
        threads.push(reported);
    }
    (threads, recording, undecoded)
}

/// Files of arbitrary bytes, sound headers among them whose claims are arbitrary.
fn nonsense() -> impl Strategy<Value = Vec<u8>> {
    let small = || prop_oneof![Just(0u32), 0..100u32, 0..5000u32, any::<u32>()];
    let header = (small(), 0..4u32, 0..4u64, small(), any::<u64>()).prop_map(
        |(bytes, thread, chunk, offset, ticks)| {
            let header = FragmentHeader {
                session: 1,
                thread,
                chunk,
                offset: offset & !7,
                bytes,
                os_thread: 1,
                ticks,
                monotonic: 0,
            };
            let area = if ticks % 2 == 0 { 0 } else { area_bytes(bytes as usize % (1 << 20)) };
            header.to_words_in(area as u32).into_iter().flat_map(u64::to_ne_bytes).collect()
        },
    );
    let sound = (any_code(), any::<u64>())
        .prop_map(|(code, ticks)| words::header(ticks, code.0).to_ne_bytes().to_vec());
    let part = prop_oneof![header, vec(any::<u8>(), 0..200), sound, vec(Just(0u8), 0..4096)];
    vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_bit_of_a_payload_is_forgotten(code in any_code(), payload in vec(any::<u64>(), 11),
                                        word in 0..11usize, bit in 0..64u32) {
        let payload = &payload[..code.words() - 1];
        let event = Event::decode(code, payload);
        prop_assert_ne!(event, Event::Unknown);
        if word < payload.len() {
            let mut other = payload.to_vec();
            other[word] ^= 1 << bit;
            prop_assert_ne!(event, Event::decode(code, &other));
        }
    }

    #[test]
    fn a_code_address_and_its_kind_come_back(code in 0..1u64 << 48, kind in 0..1u64 << 16) {
        prop_assert_eq!(At::unpack(At::pack(code, kind)), (code, kind));
    }

    #[test]
    fn ticks_come_back_near_any_stamp(near in any::<u64>(), away in -(1i64 << 55)..1 << 55, code in any::<u8>()) {
        let full = near.wrapping_add(away as u64);
        let header = words::header(full, code);
        prop_assert_eq!(words::header_code(header), code);
        prop_assert_eq!(words::unwrap_ticks(words::header_ticks(header), near), full);
    }

    #[test]
    fn records_are_read_once_and_in_order(
        chunks in vec(vec(record(), 1..20), 1..6),
        cuts in vec((0..400usize, any::<bool>()), 0..8),
        order in any::<prop::sample::Index>(),
    ) {
        let (bytes, reported) = made::events_file(&chunks, &cuts, order);
        let run = folder_with(&bytes);
        let (threads, recording, undecoded) = read(run.path());
        prop_assert_eq!(threads, vec![reported]);
        prop_assert_eq!((recording.damage, undecoded), (Default::default(), 0));
    }

    #[test]
    fn any_bytes_are_read_to_an_end(bytes in nonsense()) {
        let run = folder_with(&bytes);
        let (threads, recording, undecoded) = read(run.path());
        let records: usize = threads.iter().flatten().map(|one| one.words.len().min(2) + 1).sum();
        prop_assert!(8 * records + undecoded as usize <= bytes.len());
        prop_assert!(recording.threads.len() <= bytes.len() / 64);
    }
}
