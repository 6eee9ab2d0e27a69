//! Samples as Perfetto's own perf samples: on a sequence of their own, with each function and each call stack defined
//! once.

use super::process::thread_id;
use crate::encode::{Packets, Texts};
use ompttrace_model::{ContextRef, Definitions, RunInfo, Sample, ThreadRef};
use ompttrace_perfetto_protos::{
    Callstack, Frame, InternedData, InternedString, Mapping, PerfSample, PerfSampleDefaults,
    PerfTimebase, TracePacket, TracePacketDefaults, perf_sample, perf_timebase, trace_packet::Data,
    trace_packet::SequenceFlags,
};
use std::collections::HashMap;
use std::io::Write;

/// The only mapping: names come from us, not from files.
const MAPPING: u64 = 1;

/// State of writing samples: the sequence, and the definitions that it has so far.
#[derive(Debug, Default)]
pub(super) struct Samples {
    /// The kernel's ids of the process and its threads.
    process: u32,
    threads: Vec<u32>,
    clock: u32,
    /// True if samples are taken at intervals of elapsed time rather than of CPU time.
    of_wall_time: bool,
    /// Sequence of the samples; `None` before the first sample.
    sequence: Option<u32>,
    /// Call stacks that are defined, by context, and the time that each thread's samples stand for so far.
    stacks: HashMap<ContextRef, ()>,
    functions: HashMap<String, u64>,
    sampled_ns: HashMap<ThreadRef, u64>,
}

impl Samples {
    pub(super) fn start(&mut self, run: &RunInfo<'_>, clock: u32) {
        self.process = run.facts.process.pid;
        self.threads = run.threads.iter().map(|info| thread_id(info) as u32).collect();
        self.clock = clock;
        self.of_wall_time = run.facts.samples.are_of_wall_time();
    }

    /// Writes a sample of a thread, taken at `at` nanoseconds.
    pub(super) fn put<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        definitions: &Definitions,
        (at, thread, sample): (u64, ThreadRef, &Sample),
    ) {
        let sequence = match self.sequence {
            Some(sequence) => sequence,
            None => self.begin(out, sample.period_ns),
        };
        let interned = self.stack(definitions, sample.context);
        let so_far = self.sampled_ns.entry(thread).or_default();
        *so_far += sample.time_ns();
        out.packet(&TracePacket {
            timestamp: Some(at),
            timestamp_clock_id: Some(self.clock),
            trusted_packet_sequence_id: Some(sequence),
            sequence_flags: Some(SequenceFlags::SeqNeedsIncrementalState as u32),
            interned_data: interned,
            data: Some(Data::PerfSample(PerfSample {
                pid: Some(self.process),
                tid: self.threads.get(thread as usize).copied(),
                callstack_iid: Some(iid(sample.context)),
                cpu_mode: Some(perf_sample::CpuMode::ModeUser as i32),
                timebase_count: Some(*so_far),
                cpu: Some(0),
            })),
            ..TracePacket::default()
        });
    }

    fn begin<W: Write, T: Texts>(&mut self, out: &mut Packets<W, T>, period: u64) -> u32 {
        let sequence = out.free_sequence();
        self.sequence = Some(sequence);
        let timebase = PerfTimebase {
            period: Some(period),
            counter: Some(perf_timebase::Counter::SwCpuClock as i32),
            name: Some(if self.of_wall_time { "time, ns" } else { "CPU time, ns" }.to_owned()),
            frequency: None,
        };
        let path = InternedString { iid: Some(MAPPING), str: Some(b"program".to_vec()) };
        let mapping = Mapping {
            iid: Some(MAPPING),
            path_string_ids: vec![MAPPING],
            start: Some(0),
            end: Some(u64::MAX),
            build_id: None,
        };
        out.packet(&TracePacket {
            trusted_packet_sequence_id: Some(sequence),
            sequence_flags: Some(SequenceFlags::SeqIncrementalStateCleared as u32),
            trace_packet_defaults: Some(TracePacketDefaults {
                perf_sample_defaults: Some(PerfSampleDefaults { timebase: Some(timebase) }),
                ..TracePacketDefaults::default()
            }),
            interned_data: Some(InternedData {
                mapping_paths: vec![path],
                mappings: vec![mapping],
                ..InternedData::default()
            }),
            ..TracePacket::default()
        });
        sequence
    }

    /// The definitions of a call stack that are still missing.
    fn stack(&mut self, definitions: &Definitions, context: ContextRef) -> Option<InternedData> {
        if self.stacks.insert(context, ()).is_some() {
            return None;
        }
        let mut interned = InternedData::default();
        let (mut frames, mut at) = (Vec::new(), context);
        while let Some(frame) =
            at.checked_sub(1).and_then(|at| definitions.contexts().get(at as usize))
        {
            let name = definitions.strings().get(frame.name as usize).map_or("", |name| name);
            frames.push(self.function(&mut interned, name));
            at = frame.caller;
        }
        frames.reverse();
        interned.callstacks.push(Callstack { iid: Some(iid(context)), frame_ids: frames });
        Some(interned)
    }

    /// The number of a function's frame, which is defined where it is new.
    fn function(&mut self, interned: &mut InternedData, name: &str) -> u64 {
        if let Some(known) = self.functions.get(name) {
            return *known;
        }
        let number = self.functions.len() as u64 + 1;
        self.functions.insert(name.to_owned(), number);
        let text = InternedString { iid: Some(number), str: Some(name.as_bytes().to_vec()) };
        interned.function_names.push(text);
        interned.frames.push(Frame {
            iid: Some(number),
            function_name_id: Some(number),
            mapping_id: Some(MAPPING),
            // Readers distinguish frames by it.
            rel_pc: Some(number),
            source_path_iid: None,
            line_number: None,
        });
        number
    }
}

/// A call stack's number: that of its context, from 1.
fn iid(context: ContextRef) -> u64 {
    u64::from(context) + 1
}
