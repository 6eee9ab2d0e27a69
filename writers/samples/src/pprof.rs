//! Sums as a profile for pprof: each frame is a function, and the time that others lost meanwhile is in further values
//! of a sample.

use crate::profile::{Function, Line, Location, Mapping, Profile, Sample, ValueType};
use crate::stack::{Stacks, frames, name};
use crate::sums::{Sums, Weight};
use ompttrace_model::{CodeLine, Definitions, FrameKind, SourceLocation, SourceRef};
use prost::Message;
use rustc_hash::FxHashMap;

/// Id of the only mapping: names are in the profile itself, not in files.
const MAPPING: u64 = 1;
const NANOSECONDS: &str = "nanoseconds";

/// Properties of the run that a profile contains.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProfileHeader {
    pub program: String,
    /// Time at which the run begins, in nanoseconds since 1970.
    pub begin: u64,
    pub length: u64,
    /// Type of the time of samples: `cpu` or `wall`.
    pub clock: &'static str,
}

/// The values of a sample, in the order of [`Maker::types`].
fn values(weight: &Weight) -> Vec<i64> {
    let Weight { samples, time_ns, idle_ns, wait_ns, mutex_ns, .. } = *weight;
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    [samples, time_ns, idle_ns, wait_ns, mutex_ns].map(number).to_vec()
}

/// The bytes of a profile, not compressed.
pub(crate) fn bytes(
    definitions: &Definitions,
    (sums, stacks): (&Sums, Stacks),
    header: &ProfileHeader,
) -> Vec<u8> {
    let mut maker = Maker::of(definitions);
    maker.string("");
    let samples = maker.samples(sums, stacks);
    maker.head(header, sums.period_ns);
    let Maker { mut profile, .. } = maker;
    profile.sample = samples;
    profile.encode_to_vec()
}

struct Maker<'d> {
    definitions: &'d Definitions,
    profile: Profile,
    strings: FxHashMap<String, i64>,
    /// Ids of functions by the numbers of their name and file.
    functions: FxHashMap<(i64, i64), u64>,
    /// Ids of locations by function and line.
    locations: FxHashMap<(u64, i64), u64>,
}

impl<'d> Maker<'d> {
    fn of(definitions: &'d Definitions) -> Maker<'d> {
        Maker {
            definitions,
            profile: Profile::default(),
            strings: FxHashMap::default(),
            functions: FxHashMap::default(),
            locations: FxHashMap::default(),
        }
    }

    fn string(&mut self, text: &str) -> i64 {
        if let Some(known) = self.strings.get(text) {
            return *known;
        }
        let number = self.profile.string_table.len() as i64;
        self.profile.string_table.push(text.to_owned());
        self.strings.insert(text.to_owned(), number);
        number
    }

    fn head(&mut self, header: &ProfileHeader, period: u64) {
        let types = self.types(header.clock);
        let [count, clock] = [0, 1].map(|at| types.get(at).copied().unwrap_or_default());
        let comment = self.string(
            "call stacks as the program has them: pseudo-frames in <> stand for OpenMP's work",
        );
        let filename = self.string(&header.program);
        let profile = &mut self.profile;
        profile.default_sample_type = if period > 0 { clock.r#type } else { count.r#type };
        profile.period_type = Some(clock);
        profile.period = i64::try_from(period).unwrap_or(i64::MAX);
        profile.sample_type = types;
        profile.comment = vec![comment];
        profile.time_nanos = i64::try_from(header.begin).unwrap_or(0);
        profile.duration_nanos = i64::try_from(header.length).unwrap_or(0);
        profile.mapping.push(Mapping {
            id: MAPPING,
            filename,
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
        });
    }

    fn types(&mut self, clock: &str) -> Vec<ValueType> {
        let types = [
            ("samples", "count"),
            (clock, NANOSECONDS),
            ("idleness_of_others", NANOSECONDS),
            ("waiting_of_others", NANOSECONDS),
            ("mutex_waiting_of_others", NANOSECONDS),
        ];
        types
            .map(|(what, unit)| ValueType { r#type: self.string(what), unit: self.string(unit) })
            .to_vec()
    }

    /// Samples of a profile. Samples with the same locations are merged; their order is the same in each run.
    fn samples(&mut self, sums: &Sums, stacks: Stacks) -> Vec<Sample> {
        let mut all: Vec<_> = sums.by_stack(stacks).collect();
        all.sort_by_key(|(context, line, _)| {
            (*context, line.map(|line| (line.function, line.source)))
        });
        let mut index: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
        let mut merged: Vec<(Vec<u64>, Weight)> = Vec::new();
        for (context, line, weight) in all {
            let stack = self.stack(context, line);
            let position = *index.entry(stack).or_insert_with_key(|stack| {
                merged.push((stack.clone(), Weight::default()));
                merged.len() - 1
            });
            if let Some((_, sum)) = merged.get_mut(position) {
                sum.add(weight);
            }
        }
        let sample = |(location_id, weight)| Sample { location_id, value: values(&weight) };
        merged.into_iter().map(sample).collect()
    }

    /// Ids of the locations of a stack, innermost first.
    fn stack(&mut self, context: u32, line: Option<CodeLine>) -> Vec<u64> {
        let definitions = self.definitions;
        let frames = frames(definitions, context);
        // A construct's own code is in its line, wherever the construct itself stands.
        let in_code = frames.iter().rposition(|frame| frame.kind != FrameKind::State);
        let mut locations = Vec::new();
        for (at, frame) in frames.iter().enumerate().rev() {
            let source = match line {
                Some(line) if Some(at) == in_code => line.source,
                _ => frame.source,
            };
            locations.push(self.location(name(definitions, frame), source));
        }
        locations
    }

    fn location(&mut self, name: &str, source: SourceRef) -> u64 {
        let locations = self.definitions.source_locations();
        let location: Option<&SourceLocation> =
            source.checked_sub(1).and_then(|at| locations.get(at as usize));
        let file = location.and_then(|location| location.file.as_deref()).unwrap_or("");
        let line = location.and_then(|location| location.line).map_or(0, i64::from);
        let (name, file) = (self.string(name), self.string(file));
        let profile = &mut self.profile;
        let function = *self.functions.entry((name, file)).or_insert_with(|| {
            let id = profile.function.len() as u64 + 1;
            profile.function.push(Function { id, name, system_name: name, filename: file });
            id
        });
        *self.locations.entry((function, line)).or_insert_with(|| {
            let id = profile.location.len() as u64 + 1;
            let line = vec![Line { function_id: function, line }];
            profile.location.push(Location { id, mapping_id: MAPPING, line });
            id
        })
    }
}
