//! The `modules` file: which files were mapped where, so that code addresses can be named later.
//!
//! Written at the start, at a flush, at the end, and when a code address turns up that lies in no
//! known module (a library was opened meanwhile). That may be inside a callback: nothing here
//! allocates, and the loader's lock is never taken; /proc/self/maps tells all that is needed.

use crate::modules::elf::build_id;
use ompttrace_recorder::{AppendFile, Locked};
use ompttrace_stacks::Mapped;
use std::path::Path;

mod elf;
mod maps;

use maps::{Lines, Mapping};

static STATE: Locked<Modules> =
    Locked::new(Modules { file: None, known: Known { ranges: [(0, 0); 512], count: 0 } });

struct Modules {
    file: Option<AppendFile>,
    known: Known,
}

/// The executable ranges that the last snapshot saw, as far as they fit.
struct Known {
    ranges: [(u64, u64); 512],
    count: usize,
}

impl Known {
    fn has(&self, address: u64) -> bool {
        let ranges = self.ranges.iter().take(self.count);
        ranges.into_iter().any(|(start, end)| (*start..*end).contains(&address))
    }

    fn add(&mut self, mapping: &Mapping<'_>) {
        if let Some(range) = self.ranges.get_mut(self.count) {
            *range = (mapping.start, mapping.end);
            self.count += 1;
        }
    }
}

/// Says where the file lies; called once per run folder, outside callbacks.
pub(crate) fn open(path: &Path) {
    let file = AppendFile::new(path).ok();
    STATE.with(|modules| {
        modules.file = file;
        modules.known.count = 0;
    });
}

/// Takes a snapshot if this code address lies in no module of the last one.
pub(crate) fn saw(address: u64) {
    if STATE.with(|modules| modules.known.has(address)) == Some(false) {
        snapshot();
    }
}

/// Appends the executable mappings of this moment. A forked child keeps out of its parent's file.
pub(crate) fn snapshot() {
    if ompttrace_recorder::hangs() || crate::run::with(|_| ()).is_none() {
        return;
    }
    STATE.with(|modules| {
        if let Modules { file: Some(file), known } = modules {
            write(file, known);
        }
    });
}

/// What is mapped at a code address, for whoever follows call stacks; `None` where no code is.
pub(crate) fn find(address: u64) -> Option<Mapped> {
    let (mut header, mut path) = (0, 0);
    let mut lines = Lines::open();
    while let Some(mapping) = lines.next() {
        let this = hash(mapping.path);
        if mapping.path.is_empty() || this != path {
            (header, path) = (0, this);
        }
        if mapping.offset == 0 && !mapping.path.is_empty() {
            header = mapping.start;
        }
        let (start, end) = (mapping.start, mapping.end);
        if mapping.executable && (start..end).contains(&address) {
            return Some(Mapped { start, end, header });
        }
    }
    None
}

/// Tells one path from its neighbour.
fn hash(path: &[u8]) -> u64 {
    path.iter().fold(0, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Before a fork.
pub(crate) fn hold() {
    STATE.hold();
}

/// After a fork, in parent and child.
pub(crate) fn let_go() {
    STATE.let_go();
}

fn write(file: &AppendFile, known: &mut Known) {
    known.count = 0;
    let mut out = Out { file, bytes: [0; 2048], length: 0 };
    out.text(b"@ ");
    out.decimal(ompttrace_recorder::ticks());
    out.text(b"\n");
    let mut header = 0;
    let mut lines = Lines::open();
    while let Some(mapping) = lines.next() {
        if mapping.offset == 0 && !mapping.path.is_empty() {
            header = mapping.start;
        }
        if mapping.executable {
            // Code without a file is known too, or each of its sites would bring a snapshot.
            known.add(&mapping);
            if !mapping.path.is_empty() {
                write_mapping(&mut out, &mapping, header);
            }
        }
    }
    out.flush();
}

/// `<start>-<end> <file offset> <build id or -> <path>`
fn write_mapping(out: &mut Out<'_>, mapping: &Mapping<'_>, header: u64) {
    out.hexadecimal(mapping.start);
    out.text(b"-");
    out.hexadecimal(mapping.end);
    out.text(b" ");
    out.hexadecimal(mapping.offset);
    out.text(b" ");
    let mut id = [0; 64];
    let length = build_id(header, &mut id);
    if length == 0 {
        out.text(b"-");
    }
    for byte in id.iter().take(length) {
        out.text(&hex_pair(*byte));
    }
    out.text(b" ");
    out.text(mapping.path);
    out.text(b"\n");
}

fn hex_pair(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 15].map(|digit| if digit < 10 { b'0' + digit } else { b'a' + digit - 10 })
}

/// A small buffer in front of the file.
struct Out<'a> {
    file: &'a AppendFile,
    bytes: [u8; 2048],
    length: usize,
}

impl Out<'_> {
    fn text(&mut self, text: &[u8]) {
        for byte in text {
            if self.length == self.bytes.len() {
                self.flush();
            }
            if let Some(place) = self.bytes.get_mut(self.length) {
                *place = *byte;
                self.length += 1;
            }
        }
    }

    fn hexadecimal(&mut self, number: u64) {
        let digits = (64 - number.leading_zeros()).div_ceil(4).max(1);
        for digit in (0..digits).rev() {
            let [_, low] = hex_pair((number >> (4 * digit)) as u8 & 15);
            self.text(&[low]);
        }
    }

    fn decimal(&mut self, number: u64) {
        if number >= 10 {
            self.decimal(number / 10);
        }
        self.text(&[b'0' + (number % 10) as u8]);
    }

    fn flush(&mut self) {
        // A failed write costs names in the trace, no event.
        let _ = self.bytes.get(..self.length).map(|bytes| self.file.write(bytes));
        self.length = 0;
    }
}
