//! The values of settings: the meaning of each text, `None` if it is not allowed.

use super::choice::SampleClock;
use super::selection::{Family, Selection};
use crate::pool::{MAX_SLOT, PAGE};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// A function that reads text of UTF-8, without the spaces around it.
pub(super) fn text<T>(read: impl Fn(&str) -> Option<T>) -> impl Fn(&OsStr) -> Option<T> {
    move |value| read(value.to_str()?.trim())
}

/// A list of names in words, with "or" before the last one.
pub(super) fn one_of(names: &[&str]) -> String {
    let (last, others) = names.split_last().unwrap_or((&"", &[]));
    format!("{} or {last}", others.join(", "))
}

/// The items of a list, which is not empty.
fn list(text: &str) -> Option<impl Iterator<Item = &str>> {
    let mut items = text.split(',').map(str::trim).filter(|item| !item.is_empty()).peekable();
    items.peek()?;
    Some(items)
}

/// The values of a list of names, each once; `none` stands for nothing.
pub(super) fn each_once<T: PartialEq>(
    text: &str,
    none: &str,
    named: impl Fn(&str) -> Option<T>,
) -> Option<Vec<T>> {
    let mut chosen = Vec::new();
    for item in list(text)?.filter(|item| *item != none) {
        let value = named(item)?;
        if !chosen.contains(&value) {
            chosen.push(value);
        }
    }
    Some(chosen)
}

/// The pattern of run folders' names, unchanged; `None` if it is empty, longer than 3000 bytes, has a line break, or has a percent sign
/// before anything but e, p, h, r or another one.
pub(super) fn path(pattern: &OsStr) -> Option<OsString> {
    let bytes = pattern.as_bytes();
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        if *byte == b'%' && !matches!(rest.next(), Some(b'e' | b'p' | b'h' | b'r' | b'%')) {
            return None;
        }
    }
    let allowed = (1..=3000).contains(&bytes.len()) && !bytes.contains(&b'\n');
    allowed.then(|| pattern.to_owned())
}

const SIZES: [(&str, f64); 10] = [
    ("", 1.0),
    ("K", 1024.0),
    ("M", 1_048_576.0),
    ("G", 1_073_741_824.0),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KIB", 1024.0),
    ("MIB", 1_048_576.0),
    ("GIB", 1_073_741_824.0),
];

const UNITS_OF_BUFFERS: [(&str, f64); 3] = [("", 1.0), ("K", 1024.0), ("M", 1_048_576.0)];

/// Least size of the parts of a trace: smaller ones would be as large as a single write.
const SMALLEST_PART: u64 = 1_000_000;

/// The size of a part of a trace, or of a trace, in bytes.
pub fn size(text: &str) -> Option<u64> {
    measure(&text.to_ascii_uppercase(), &SIZES).filter(|size| *size >= SMALLEST_PART)
}

/// A size, or `none` for the largest.
pub fn limit(text: &str) -> Option<u64> {
    if text == "none" { Some(u64::MAX) } else { size(text) }
}

/// A number and a unit, in the smallest unit.
pub fn measure(text: &str, units: &[(&str, f64)]) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim())?;
    let value = number.parse::<f64>().ok()? * factor;
    // The range in which a float represents every integer.
    (value < 9e15).then(|| value.round() as u64)
}

/// Location and size of a thread's two slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// Size of each slot in bytes, if the user chose one.
    pub bytes: Option<usize>,
    /// True if the pool lies in the run folder instead of /dev/shm.
    pub in_run_folder: bool,
}

/// Size, if one is given, and location: `64K@run`, `@run`, `1M@shm`.
pub(super) fn buffer(text: &str) -> Option<Buffer> {
    let (size, location) = text.split_once('@').unwrap_or((text, "shm"));
    let in_run_folder = match location {
        "shm" => false,
        "run" => true,
        _ => return None,
    };
    if size.is_empty() && text.contains('@') {
        return Some(Buffer { bytes: None, in_run_folder });
    }
    let bytes = measure(&size.to_ascii_uppercase(), &UNITS_OF_BUFFERS)? as usize;
    let allowed = (PAGE..=MAX_SLOT).contains(&bytes);
    allowed.then(|| Buffer { bytes: Some(bytes.next_multiple_of(PAGE)), in_run_folder })
}

/// The selection of events by names. Without a name that is kept, everything is kept but the names with a minus.
pub(super) fn events(text: &str) -> Option<Selection> {
    let mut kept = Vec::new();
    let mut selection = Selection::default();
    for item in list(text)? {
        match item.strip_prefix('-') {
            Some(name) => leave_out(&mut selection, name)?,
            None if item == "all" => kept.extend(Family::ALL),
            None => match Selection::optional(item) {
                Some(event) => selection.insisted.push(event),
                None => kept.push(Family::named(item)?),
            },
        }
    }
    if !kept.is_empty() || !selection.insisted.is_empty() {
        selection.without.extend(Family::ALL.iter().filter(|family| !kept.contains(family)));
    }
    Some(selection)
}

fn leave_out(selection: &mut Selection, name: &str) -> Option<()> {
    match Family::named(name) {
        Some(family) => selection.without.push(family),
        None => selection.without_events.push(Selection::optional(name)?),
    }
    Some(())
}

/// Yes or no.
pub fn switch(text: &str) -> Option<bool> {
    match text {
        "1" | "on" | "yes" | "true" => Some(true),
        "0" | "off" | "no" | "false" => Some(false),
        _ => None,
    }
}

/// Frames of a call stack unless the user says otherwise.
const DEPTH: usize = 32;
/// Frames of a call stack that are kept, at most.
pub const MAX_DEPTH: usize = 128;

/// Frames of call stacks to keep: `off`, `regions`, `regions:64`.
pub(super) fn callstack(text: &str) -> Option<usize> {
    match text {
        "off" => Some(0),
        "regions" => Some(DEPTH),
        _ => {
            let depth = text.strip_prefix("regions:")?.trim().parse().ok()?;
            (1..=MAX_DEPTH).contains(&depth).then_some(depth)
        }
    }
}

/// Rate, clock and signal of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Samples of each thread in a second of that time: 1 to [`Sampling::HIGHEST`].
    pub rate: u32,
    /// The time.
    pub clock: SampleClock,
    /// The signal: one of the real-time signals that the C library leaves to programs; 0: SIGURG.
    pub signal: i32,
}

impl Sampling {
    /// Largest rate: nobody needs more samples in a second, and few kernels give more.
    pub const HIGHEST: u32 = 10_000;

    /// The real-time signals that glibc leaves to programs: SIGRTMIN to SIGRTMAX.
    pub const REAL_TIME: std::ops::RangeInclusive<i32> = 34..=64;
}

/// `off`, `200`, `200,wall`, `200,signal=40`; `None`: not allowed.
pub(super) fn sampling(text: &str) -> Option<Option<Sampling>> {
    if text == "off" {
        return Some(None);
    }
    let mut words = text.split(',').map(str::trim);
    let rate = words.next()?.parse().ok().filter(|rate| (1..=Sampling::HIGHEST).contains(rate))?;
    let mut sampling = Sampling { rate, clock: SampleClock::Cpu, signal: 0 };
    for word in words {
        match word.strip_prefix("signal=") {
            Some(number) => {
                let allowed = |number: &i32| Sampling::REAL_TIME.contains(number);
                sampling.signal = number.parse().ok().filter(allowed)?;
            }
            None => sampling.clock = SampleClock::named(word)?,
        }
    }
    Some(Some(sampling))
}

/// The two words of an `ompttrace run`, as its variable has them. One names the run in recordings. By the other the run's
/// socket is found, which every user of the machine can see: who knows that one cannot make a recording that passes for one
/// of the run's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartedBy<'t> {
    /// The word that recordings have.
    pub word: &'t str,
    /// The name of the socket, an abstract one: for that the program needs no descriptor of ours, no folder and no rights.
    pub socket: &'t str,
}

impl StartedBy<'_> {
    /// The words in the variable's value; `None`: another than `ompttrace run` sets.
    pub fn read(text: &str) -> Option<StartedBy<'_>> {
        let (word, socket) = text.split_once('.')?;
        (is_a_word(word) && is_a_word(socket)).then_some(StartedBy { word, socket })
    }
}

/// True for a short text that is harmless wherever it is shown.
fn is_a_word(text: &str) -> bool {
    let letters = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'-';
    (1..=64).contains(&text.len()) && text.bytes().all(letters)
}

pub(super) fn started_by(text: &str) -> Option<String> {
    StartedBy::read(text).map(|_| text.to_owned())
}
