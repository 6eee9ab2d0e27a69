//! The values of settings: what each text means, `None` for what is not allowed.

use crate::selection::{Family, Selection};
use ompttrace_recorder::{CoresMode, Overflow};
use ompttrace_recording::pool::{MAX_SLOT, PAGE};

const FORMATS: [&str; 6] = ["perfetto", "chrome", "otf2", "parquet", "folded", "pprof"];
pub(crate) const VIEWS: [&str; 4] = ["auto", "threads", "regions", "both"];

pub(crate) fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

pub(crate) fn formats(text: &str) -> Option<Vec<&'static str>> {
    let mut chosen = Vec::new();
    list(text).next()?;
    for item in list(text).filter(|item| *item != "recording") {
        let format = FORMATS.into_iter().find(|format| *format == item)?;
        if !chosen.contains(&format) {
            chosen.push(format);
        }
    }
    Some(chosen)
}

/// Whether it is what `ompttrace export --limit` takes: `none`, or a size of at least a megabyte.
pub(crate) fn is_limit(text: &str) -> bool {
    let units = ["M", "G", "MB", "GB", "MIB", "GIB"];
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let number = number.parse::<f64>().unwrap_or(0.0);
    let is_unit = |known: &&str| known.eq_ignore_ascii_case(unit.trim());
    let sized = units.iter().any(is_unit);
    text == "none" || sized && (1.0..1e6).contains(&number)
}

/// Size, if one is given, and location: `64K`, `@run`, `1M@shm`; whether that is the run folder.
pub(crate) fn buffer(text: &str) -> Option<(Option<usize>, bool)> {
    let (size, location) = text.split_once('@').unwrap_or((text, "shm"));
    let in_run_folder = match location {
        "shm" => false,
        "run" => true,
        _ => return None,
    };
    if size.is_empty() && text.contains('@') {
        return Some((None, in_run_folder));
    }
    let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: usize = match size.get(digits.len()..)? {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        _ => return None,
    };
    let bytes = digits.parse::<usize>().ok()?.checked_mul(unit)?;
    let allowed = (PAGE..=MAX_SLOT).contains(&bytes);
    allowed.then(|| (Some(bytes.next_multiple_of(PAGE)), in_run_folder))
}

/// Without a name that is kept, everything is kept but what has a minus.
pub(crate) fn events(text: &str) -> Option<Selection> {
    let mut kept = Vec::new();
    let mut selection = Selection::default();
    list(text).next()?;
    for item in list(text) {
        match item.strip_prefix('-') {
            Some(name) => leave_out(&mut selection, name)?,
            None if item == "all" => kept.extend(Family::NAMED.map(|(_, family)| family)),
            None if Selection::is_optional(item) => selection.insisted.push(item.to_owned()),
            None => kept.push(family(item)?),
        }
    }
    let nothing_but_names = kept.is_empty() && !selection.insisted.is_empty();
    if !kept.is_empty() || nothing_but_names {
        let others = Family::NAMED.into_iter().map(|(_, family)| family);
        selection.without.extend(others.filter(|family| !kept.contains(family)));
    }
    Some(selection)
}

fn leave_out(selection: &mut Selection, name: &str) -> Option<()> {
    match family(name) {
        Some(family) => selection.without.push(family),
        None if Selection::is_optional(name) => selection.without_names.push(name.to_owned()),
        None => return None,
    }
    Some(())
}

fn family(name: &str) -> Option<Family> {
    Family::NAMED.into_iter().find(|(known, _)| *known == name).map(|(_, family)| family)
}

pub(crate) fn switch(text: &str) -> Option<bool> {
    match text {
        "1" | "on" | "yes" | "true" => Some(true),
        "0" | "off" | "no" | "false" => Some(false),
        _ => None,
    }
}

/// Frames of a call stack unless the user says otherwise, and at most.
const DEPTH: usize = 32;
const MAX_DEPTH: usize = ompttrace_stacks::MAX_DEPTH;

/// How many frames of call stacks to keep: `off`, `regions`, `regions:64`.
pub(crate) fn callstack(text: &str) -> Option<usize> {
    match text {
        "off" => Some(0),
        "regions" => Some(DEPTH),
        _ => {
            let depth = text.strip_prefix("regions:")?.trim().parse().ok()?;
            (1..=MAX_DEPTH).contains(&depth).then_some(depth)
        }
    }
}

pub(crate) fn cores(text: &str) -> Option<CoresMode> {
    CoresMode::ALL.into_iter().find(|mode| mode.name() == text)
}

pub(crate) fn overflow(text: &str) -> Option<Overflow> {
    Overflow::ALL.into_iter().find(|overflow| overflow.name() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_none_or_megabytes() {
        for right in ["none", "80MB", "1m", "1.5 G", "2GiB"] {
            assert!(is_limit(right), "{right}");
        }
        for wrong in ["", "80", "0.5M", "1K", "MB", "-1M", "nanM", "1e9M", "1TB", "all"] {
            assert!(!is_limit(wrong), "{wrong}");
        }
    }
}
