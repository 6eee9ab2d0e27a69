//! Sums of samples whose stacks are known, in each format.

use crate::profile::Profile;
use crate::{Node, ProfileFormat, SamplesSink, Stacks, Sums, tree};
use flate2::read::GzDecoder;
use ompttrace_model::{
    CodeLine, ContextFrame, ContextRef, Definitions, Event, Executor, FrameKind, Sample,
    SampleBlame, Sink, SourceLocation, State, Summary,
};
use prost::Message;
use std::io::Read;

/// `main > solve` (1, 2), `task > chore` (3, 4), and the same below `main` (5, 6).
fn definitions() -> Definitions {
    let mut definitions = Definitions::default();
    let names = ["main", "solve", "task", "chore"];
    for name in names {
        definitions.add_string(name);
    }
    let (file, line) = (Some("/a/solve.c".to_owned()), Some(7));
    definitions.add_source_location(SourceLocation { file, line, ..SourceLocation::default() });
    let frames = [(0, 0), (1, 1), (0, 2), (3, 3), (1, 2), (5, 3)];
    for (caller, name) in frames {
        let kind = if name == 2 { FrameKind::Task } else { FrameKind::Function };
        definitions.add_context(ContextFrame { caller, kind, name, source: 0, path: name });
    }
    definitions
}

fn sample(context: ContextRef, executed_in: ContextRef) -> Sample {
    Sample {
        context,
        executed_in,
        line: Some(CodeLine { function: 1, source: 1 }),
        doing: State::WorkParallel,
        state: 1,
        period_ns: 1000,
        ticks: 2,
        in_runtime: false,
        blame: SampleBlame { idle_ns: 3, wait_ns: 4, mutex_ns: 5 },
    }
}

const SAMPLES: [(ContextRef, ContextRef); 4] = [(2, 2), (2, 2), (4, 6), (1, 1)];

fn written(format: ProfileFormat, stacks: Stacks) -> Vec<u8> {
    let (mut bytes, definitions) = (Vec::new(), definitions());
    let mut sink = SamplesSink::new(&mut bytes, format, stacks);
    for (context, executed_in) in SAMPLES {
        let executor = Executor { thread: 0, logical_thread: None };
        sink.event(&definitions, 1, &Event::Sample(executor, sample(context, executed_in)));
    }
    sink.finish(&definitions, &Summary::default()).expect("memory takes everything");
    bytes
}

#[test]
fn folded_stacks_are_added_up() {
    let text = |stacks| String::from_utf8(written(ProfileFormat::Folded, stacks)).expect("text");
    assert_eq!(text(Stacks::Creation), "main 1\nmain;solve 2\ntask;chore 1\n");
    assert_eq!(text(Stacks::Execution), "main 1\nmain;solve 2\nmain;task;chore 1\n");
}

#[test]
fn a_profile_has_all_values_and_the_innermost_line() {
    let mut bytes = Vec::new();
    let packed = written(ProfileFormat::Pprof, Stacks::Creation);
    GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("gzip");
    let profile = Profile::decode(&bytes[..]).expect("a profile");
    let sum = |at: usize| profile.sample.iter().map(|sample| sample.value[at]).sum::<i64>();
    assert_eq!([0, 1, 2, 3, 4].map(sum), [4, 8000, 12, 16, 20]);
    let solve = profile.sample.iter().find(|sample| sample.value[0] == 2).expect("solve");
    let location = &profile.location[solve.location_id[0] as usize - 1];
    assert_eq!(location.line[0].line, 7);
    assert_eq!(profile.string_table[0], "");
}

#[test]
fn a_tree_has_callers_first_and_most_samples_first() {
    let mut sums = Sums::default();
    SAMPLES.iter().for_each(|(context, executed_in)| sums.add(&sample(*context, *executed_in)));
    let nodes = tree(&definitions(), &sums, Stacks::Creation);
    let of = |node: &Node| (node.name.clone(), node.depth, node.own.samples, node.whole.samples);
    let expected = [("main", 0, 1, 3), ("solve", 1, 2, 2), ("task", 0, 0, 1), ("chore", 1, 1, 1)];
    let expected = expected.map(|(name, depth, own, whole)| (name.to_owned(), depth, own, whole));
    assert_eq!(nodes.iter().map(of).collect::<Vec<_>>(), expected);
    assert_eq!(nodes[1].caller, Some(0));
}
