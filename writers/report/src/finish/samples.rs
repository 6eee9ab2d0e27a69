//! Samples of a report: sums by construct, line, function and call stack.

use super::contexts::kind;
use crate::construct_table::{ConstructRef, OUTSIDE};
use crate::model::{SampleSums, SampledConstruct, SampledLine, SamplesReport, Site, StackReport};
use crate::sink::ReportSink;
use ompttrace_model::NameRef;
use ompttrace_samples::{Node, Weight};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Samples of a report; none where there are no samples.
pub(super) fn samples(sink: &ReportSink) -> Option<SamplesReport> {
    let all = SampleSums::of(&sink.sampled.all());
    if all.samples == 0 {
        return None;
    }
    let (mut constructs, mut functions) = (BTreeMap::new(), BTreeMap::new());
    let mut lines = Vec::new();
    for ((construct, line, doing), weight) in &sink.sampled.by_line {
        let key = (*construct, line.map(|line| line.function), *doing);
        add(&mut constructs, *construct, weight);
        add(&mut functions, key, weight);
        let location =
            line.map_or_else(Site::default, |line| sink.construct_table.site(line.source));
        lines.push(in_line(sink, key, location, weight));
    }
    let construct = |(construct, weight)| SampledConstruct {
        construct: known(construct),
        sums: SampleSums::of(&weight),
    };
    let mut constructs: Vec<_> = constructs.into_iter().map(construct).collect();
    constructs.sort_by_key(|one| Reverse(one.sums.samples));
    let function = |(key, weight)| in_line(sink, key, Site::default(), &weight);
    let [creation, execution] = &sink.sampled.trees;
    let stacks = |tree: &[Node]| tree.iter().map(stack).collect();
    Some(SamplesReport {
        asked: sink.facts.samples.asked.clone(),
        all,
        constructs,
        lines: in_order(lines),
        functions: in_order(functions.into_iter().map(function).collect()),
        stacks: stacks(creation),
        executed: if creation == execution { Vec::new() } else { stacks(execution) },
    })
}

fn add<K: Ord>(to: &mut BTreeMap<K, Weight>, key: K, weight: &Weight) {
    to.entry(key).or_default().add(weight);
}

fn known(construct: ConstructRef) -> Option<usize> {
    (construct != OUTSIDE).then_some(construct as usize)
}

fn in_line(
    sink: &ReportSink,
    (construct, function, doing): (ConstructRef, Option<NameRef>, Option<&'static str>),
    location: Site,
    weight: &Weight,
) -> SampledLine {
    let function = function.map_or("", |function| sink.construct_table.text(function)).to_owned();
    let sums = SampleSums::of(weight);
    SampledLine { construct: known(construct), function, location, doing, sums }
}

/// Lines in the order of their samples, most first; ties have the same order each time.
fn in_order(mut lines: Vec<SampledLine>) -> Vec<SampledLine> {
    let key = |line: &SampledLine| {
        (Reverse(line.sums.samples), line.construct, line.location.line, line.doing)
    };
    lines.sort_by(|one, other| {
        key(one).cmp(&key(other)).then_with(|| one.function.cmp(&other.function))
    });
    lines
}

fn stack(node: &Node) -> StackReport {
    StackReport {
        name: node.name.clone(),
        kind: kind(node.kind),
        caller: node.caller,
        depth: node.depth,
        own_samples: node.own.samples,
        sums: SampleSums::of(&node.whole),
    }
}
