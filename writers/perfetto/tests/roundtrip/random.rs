//! Random traces: many sequences, all kinds of details, times back and forth.

use ompttrace_perfetto::encode::{
    Annotation, Details, Dictionary, Event, Look, Options, Packets, Sequence, Source, Value,
};
use ompttrace_perfetto_protos::track_event::Type;

use crate::reader::{ReadEvent, read};

/// A generator of numbers that is the same everywhere (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Numbers of every size, from one bit to sixty-three.
    fn any_size(&mut self) -> u64 {
        let bits = self.below(63);
        self.next() >> 1 >> bits
    }
}

struct Case {
    out: Packets<Vec<u8>, Dictionary>,
    random: Random,
    sequences: Vec<(Sequence, u64, u64)>,
    expected: Vec<ReadEvent>,
}

impl Case {
    fn new(seed: u64) -> Self {
        let options = Options { start: 1 << 40, ..Options::default() };
        let mut out = Packets::new(Vec::new(), Dictionary::default(), options);
        let tracks = [1, u64::MAX, 0x1234_5678_9abc];
        let sequences = tracks.iter().map(|&track| (out.sequence(track), track, 1 << 40)).collect();
        Case { out, random: Random(seed), sequences, expected: Vec::new() }
    }

    fn step(&mut self) {
        let which = self.random.below(3) as usize;
        let backwards = self.random.below(16) == 0;
        let distance = self.random.any_size() >> 24;
        let (sequence, default_track, now) = &mut self.sequences[which];
        *now = if backwards { now.saturating_sub(distance) } else { *now + distance };
        let track = (self.random.below(4) == 0).then(|| self.random.next());
        let few = if self.random.below(2) == 0 { 300 } else { 4 };
        let name = format!("name {}", self.random.below(few));
        let texts = &mut self.out.texts;
        let name_key = texts.add_name(&name);
        let note = texts.add_annotation("count");
        let flows: Vec<u64> = (0..self.random.below(11)).map(|_| self.random.next()).collect();
        let counts: Vec<u64> = (0..self.random.below(7)).map(|_| self.random.any_size()).collect();
        let annotations: Vec<_> = counts
            .iter()
            .map(|&count| Annotation { name: note, value: Value::Uint(count) })
            .collect();
        let source = self.random.below(3);
        let location = Source { file: format!("{source}.c"), ..Source::default() };
        let source = (source > 0).then(|| texts.add_source(&location));
        let category = format!("category {}", self.random.below(3));
        let category_key = texts.add_category(&category);
        let details =
            Details { flows: &flows, annotations: &annotations, source, ..Details::default() };
        let mut seen = ReadEvent {
            at: *now,
            track: track.unwrap_or(*default_track),
            flows: flows.clone(),
            notes: counts.iter().map(|n| ("count".into(), format!("UintValue({n})"))).collect(),
            source: source.map(|_| (location.file, None, None)),
            ..ReadEvent::default()
        };
        if self.random.below(2) == 0 {
            seen.kind = Type::SliceBegin as i32;
            seen.name = Some(name);
            seen.category = Some(category);
            // The rest is the event's own.
            let parts = [name_key.0, category_key.0, source.map_or(0, |source| 1 + source.0)];
            let look = Some(Look([parts[0].into(), parts[1].into(), parts[2].into(), 0]));
            let event =
                Event { name: name_key, category: Some(category_key), track, look, details };
            sequence.begin(&mut self.out, *now, &event);
        } else {
            seen.kind = Type::SliceEnd as i32;
            sequence.end_with(&mut self.out, *now, track, (None, &details));
        }
        self.expected.push(seen);
    }
}

#[test]
fn random_traces_come_back_as_they_were() {
    for seed in 1..40 {
        let mut case = Case::new(seed * 0x9e37_79b9);
        for _ in 0..800 {
            case.step();
        }
        let (bytes, totals) = case.out.finish().unwrap();
        let events = read(&bytes);
        assert_eq!(events.len(), case.expected.len());
        for (seen, expected) in events.iter().zip(&case.expected) {
            assert_eq!(seen, expected, "seed {seed}");
        }
        assert_eq!(totals.packets as usize, events.len() + case.sequences.len());
        assert_eq!(totals.bytes as usize, bytes.len());
    }
}

#[test]
fn a_text_is_written_once_per_sequence() {
    let mut case = Case::new(5);
    for _ in 0..5000 {
        case.step();
    }
    let bytes = case.out.finish().unwrap().0;
    let text = String::from_utf8_lossy(&bytes);
    // "name 7", "name 70" to "name 79", each at most once in each of three sequences.
    assert!(text.matches("name 7").count() <= 33);
}
