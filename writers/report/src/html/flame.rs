//! Flame graphs of samples, the root on top: boxes of the page itself, so that names stay readable at every width and
//! nothing is computed where it is shown. What a box stands for says its tooltip.

use crate::model::{Report, StackReport};
use crate::text::{count, part};
use maud::{Markup, html};

/// Frames with less than one in so many of all samples are left out, as they would be too narrow to see.
const LEAST: u64 = 500;
/// Frames within each other that are drawn.
const DEEPEST: usize = 100;

/// A graph with tasks where they were created and, where that is another one, one with tasks where they were executed.
pub(super) fn graphs(report: &Report) -> Markup {
    let Some(samples) = &report.samples else { return html! {} };
    let all = samples.all.samples;
    html! {
        section {
            h2 { "Call stacks of " (count(all)) " samples" }
            p {
                (part(samples.all.in_runtime, all)) " of them are in the runtime's own code. What is called stands below its "
                "caller, as wide as the samples that it has; <OMP-…> is what OpenMP does there."
            }
            @if samples.executed.is_empty() {
                (graph(&samples.stacks, all))
            } @else {
                details open { summary { "Tasks where they were created" } (graph(&samples.stacks, all)) }
                details { summary { "Tasks where they were executed" } (graph(&samples.executed, all)) }
            }
        }
    }
}

fn graph(stacks: &[StackReport], all: u64) -> Markup {
    html! { div.flame { (level(stacks, 0, (all, all))) } }
}

/// The frames of one depth, each with those inside it; their widths are parts of the first number of samples.
fn level(stacks: &[StackReport], depth: usize, (of, all): (u64, u64)) -> Markup {
    let is_first = |frame: &StackReport| frame.depth == depth;
    let frames = stacks.chunk_by(|_, next| !is_first(next));
    let is_seen = |frame: &StackReport| frame.sums.samples.saturating_mul(LEAST) >= all;
    html! {
        div.level { @for frames in frames {
            @if let [frame, inside @ ..] = frames && is_seen(frame) && depth < DEEPEST {
                (one(frame, inside, (of, all)))
            }
        } }
    }
}

fn one(frame: &StackReport, inside: &[StackReport], (of, all): (u64, u64)) -> Markup {
    let samples = frame.sums.samples;
    let width = format!("width: {:.3}%", 100.0 * samples as f64 / of.max(1) as f64);
    let title = format!("{}: {} samples, {}", frame.name, count(samples), part(samples, all));
    html! {
        div.frame style=(width) {
            span class=(frame.kind) title=(title) { (frame.name) }
            @if !inside.is_empty() { (level(inside, frame.depth + 1, (samples, all))) }
        }
    }
}
