//! Lines of source files around locations of the report: their selection and their part of the page. The page itself
//! reads no file.

use super::label;
use crate::model::Report;
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Lines around a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The file as the compiler wrote it.
    pub file: String,
    /// The line that the report names, from 1.
    pub line: u32,
    /// Names of the constructs at the line.
    pub constructs: Vec<String>,
    /// The number of the first of `lines`.
    pub first: u32,
    /// The lines, or the reason for which there are none.
    pub lines: Result<Vec<String>, String>,
}

/// The locations at which most time went, at most `top`, with no lines yet.
pub fn locations(report: &Report, top: usize) -> Vec<Excerpt> {
    let mut found: BTreeMap<(&str, u32), (u64, Vec<usize>)> = BTreeMap::new();
    for (at, construct) in report.constructs.iter().enumerate() {
        let (Some(file), Some(line)) = (&construct.location.file, construct.location.line) else {
            continue;
        };
        let (time, constructs) = found.entry((file, line)).or_default();
        *time += construct.times.all();
        constructs.push(at);
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(_, (time, _))| Reverse(*time));
    let excerpt = |((file, line), (_, constructs)): ((&str, u32), (u64, Vec<usize>))| {
        let mut constructs: Vec<_> = constructs.iter().map(|at| label(report, *at)).collect();
        constructs.sort();
        constructs.dedup();
        Excerpt { file: file.to_owned(), line, constructs, first: line, lines: Ok(Vec::new()) }
    };
    found.into_iter().take(top).map(excerpt).collect()
}

/// All excerpts; nothing where there are none.
pub(super) fn section(excerpts: &[Excerpt]) -> Markup {
    html! {
        @if !excerpts.is_empty() {
            section {
                h2 { "Source" }
                p.faint { "Files as they were when this page was made." }
                @for excerpt in excerpts { (one(excerpt)) }
            }
        }
    }
}

fn one(excerpt: &Excerpt) -> Markup {
    html! {
        details open="" {
            summary { (excerpt.file) ":" (excerpt.line) " " span.faint { (excerpt.constructs.join(", ")) } }
            @match &excerpt.lines {
                Ok(lines) => pre.source { @for (number, line) in (excerpt.first..).zip(lines) {
                    @if number == excerpt.line { mark { (numbered(number, line)) } } @else { (numbered(number, line)) }
                } },
                Err(reason) => p.faint { (reason) },
            }
        }
    }
}

fn numbered(number: u32, line: &str) -> String {
    format!("{number:>6}  {line}\n")
}
