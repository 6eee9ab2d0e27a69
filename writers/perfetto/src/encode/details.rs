//! The details of a single event: annotations and flows.

use super::bits::Bits;
use super::cursor::{Cursor, wide_varint};
use super::event::{Annotation, Details, Entry, Event, List, Short, Value};
use super::packets::Packets;
use super::texts::{AnnotationKey, SourceKey, StringKey, Texts};
use super::wire::{close_length, put_bytes, put_field, put_fixed64, put_varint, tag};

/// The keys of details that a sequence has defined.
#[derive(Debug, Default)]
pub(super) struct DefinedKeys {
    annotations: Bits,
    strings: Bits,
    sources: Bits,
}

impl DefinedKeys {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.annotations.clear();
        self.strings.clear();
        self.sources.clear();
    }

    /// True if the texts of an annotation are defined.
    #[inline(always)]
    pub(super) fn knows(&self, note: &Annotation<'_>) -> bool {
        let is_known = match note.value {
            Value::Interned(key) => self.strings.has(key.0),
            Value::Text(_) => false,
            _ => true,
        };
        is_known && self.knows_name(note.name)
    }

    #[inline(always)]
    pub(super) fn knows_name(&self, name: AnnotationKey) -> bool {
        self.annotations.has(name.0)
    }

    /// Defines what is new to the sequence.
    pub(super) fn define<W, T: Texts>(&mut self, out: &mut Packets<W, T>, event: &Event<'_>) {
        let details = &event.details;
        if let Some(source) = details.source {
            self.define_source(out, source);
        }
        if let Some(list) = details.list {
            self.define_annotation(out, list.name);
            for entry in list.entries {
                if let Entry::Group(group) = entry {
                    group.iter().flatten().for_each(|note| self.define_note(out, note));
                }
            }
        }
        details.common.iter().for_each(|note| self.define_note(out, note));
        details.annotations.iter().for_each(|note| self.define_note(out, note));
    }

    fn define_note<W, T: Texts>(&mut self, out: &mut Packets<W, T>, note: &Annotation<'_>) {
        self.define_annotation(out, note.name);
        if let Value::Interned(text) = note.value {
            self.define_string(out, text);
        }
    }

    fn define_source<W, T: Texts>(&mut self, out: &mut Packets<W, T>, key: SourceKey) {
        if self.sources.insert(key.0) {
            out.define_source(key);
        }
    }

    fn define_annotation<W, T: Texts>(&mut self, out: &mut Packets<W, T>, key: AnnotationKey) {
        if self.annotations.insert(key.0) {
            out.define_annotation(key);
        }
    }

    fn define_string<W, T: Texts>(&mut self, out: &mut Packets<W, T>, key: StringKey) {
        if self.strings.insert(key.0) {
            out.define_string(key);
        }
    }
}

/// Appends the annotations that events of one look have in common.
pub(super) fn put_common(packet: &mut Cursor<'_>, common: &[Annotation<'_>]) {
    common.iter().for_each(|note| put_note(packet, note));
}

/// Appends an annotation that few events have in common.
#[inline(always)]
pub(super) fn put_own(packet: &mut Cursor<'_>, note: &Annotation<'_>) {
    match note.value {
        Value::Short(text) => put_short(packet, note.name, &text),
        _ => put_note(packet, note),
    }
}

/// An annotation with a short text.
#[inline(always)]
pub(super) fn put_short(packet: &mut Cursor<'_>, name: AnnotationKey, text: &Short) {
    if name.iid() < 0x80 {
        let (bytes, length) = text.parts();
        packet.wide(&short(name.iid() as u8, length as u8), 6);
        packet.wide(bytes, length);
    } else {
        put_any_note(packet, &Annotation { name, value: Value::Short(*text) });
    }
}

/// An annotation up to its short text.
#[inline(always)]
fn short(name: u8, length: u8) -> [u8; 8] {
    let (note, key) = (tag::EVENT_ANNOTATION as u8, tag::ANNOTATION_NAME as u8);
    [note, length + 4, key, name, tag::ANNOTATION_STRING as u8, length, 0, 0]
}

#[inline(always)]
fn put_note(packet: &mut Cursor<'_>, note: &Annotation<'_>) {
    match numbered(note.value) {
        Some((tag, value)) if note.name.iid() < 0x80 && value >> 56 == 0 => {
            put_number(packet, note.name.iid() as u8, tag, value);
        }
        _ => put_any_note(packet, note),
    }
}

/// The tag and the number of a value that is one.
#[inline(always)]
fn numbered(value: Value<'_>) -> Option<(u32, u64)> {
    match value {
        Value::Uint(value) => Some((tag::ANNOTATION_UINT, value)),
        Value::Int(value) => Some((tag::ANNOTATION_INT, value as u64)),
        Value::Pointer(value) => Some((tag::ANNOTATION_POINTER, value)),
        Value::Interned(key) => Some((tag::ANNOTATION_INTERNED, key.iid())),
        _ => None,
    }
}

/// An annotation with a number, and a name of one byte, in two stores.
#[inline(always)]
fn put_number(packet: &mut Cursor<'_>, name: u8, tag: u32, value: u64) {
    let Some((bytes, length)) = wide_varint(value) else { return };
    let (begin, to) = number_begin(tag::EVENT_ANNOTATION as u8, name, tag, length);
    packet.wide(&begin, to);
    packet.wide(&bytes, length);
}

/// An annotation up to its number, which takes `length` bytes, and how many bytes that are.
#[inline(always)]
fn number_begin(note: u8, name: u8, tag: u32, length: usize) -> ([u8; 8], usize) {
    let key = tag::ANNOTATION_NAME as u8;
    let long = usize::from(tag >= 0x80);
    let [low, high] = match long {
        0 => [tag as u8, 0],
        _ => [tag as u8 | 0x80, (tag >> 7) as u8],
    };
    ([note, (3 + long + length) as u8, key, name, low, high, 0, 0], 5 + long)
}

#[inline(never)]
fn put_any_note(packet: &mut Cursor<'_>, note: &Annotation<'_>) {
    let mark = packet.open(tag::EVENT_ANNOTATION);
    packet.field(tag::ANNOTATION_NAME, note.name.iid());
    match note.value {
        Value::Bool(value) => packet.field(tag::ANNOTATION_BOOL, u64::from(value)),
        Value::Uint(value) => packet.field(tag::ANNOTATION_UINT, value),
        Value::Int(value) => packet.field(tag::ANNOTATION_INT, value as u64),
        Value::Double(value) => packet.fixed64(tag::ANNOTATION_DOUBLE, value.to_bits()),
        Value::Pointer(value) => packet.field(tag::ANNOTATION_POINTER, value),
        Value::Interned(key) => packet.field(tag::ANNOTATION_INTERNED, key.iid()),
        Value::Short(text) => {
            let (bytes, length) = text.parts();
            packet.field(tag::ANNOTATION_STRING, length as u64);
            packet.wide(bytes, length);
        }
        // Never here: it is nothing usual.
        Value::Text(_) => {}
    }
    packet.close(mark);
}

/// Appends any details, however many and long; all but what many events have in common.
pub(super) fn put_any(out: &mut Vec<u8>, details: &Details<'_>) {
    for note in details.annotations {
        put_named(out, tag::EVENT_ANNOTATION, note);
    }
    if let Some(list) = &details.list {
        put_list(out, list);
    }
    for &flow in details.flows {
        put_fixed64(out, tag::EVENT_FLOW, flow);
    }
    for &flow in details.terminating_flows {
        put_fixed64(out, tag::EVENT_TERMINATING_FLOW, flow);
    }
    if let Some(correlation) = details.correlation {
        put_field(out, tag::EVENT_CORRELATION, correlation);
    }
}

/// Appends an annotation, as a field of this tag.
fn put_named(out: &mut Vec<u8>, tag: u32, note: &Annotation<'_>) {
    if let Some((value_tag, value)) = numbered(note.value)
        && note.name.iid() < 0x80
        && let Some((varint, length)) = wide_varint(value)
    {
        let (begin, to) = number_begin(tag as u8, note.name.iid() as u8, value_tag, length);
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&begin);
        bytes[to..to + 8].copy_from_slice(&varint);
        return out.extend_from_slice(&bytes[..to + length]);
    }
    put_varint(out, u64::from(tag));
    let mark = out.len();
    out.push(0);
    put_field(out, tag::ANNOTATION_NAME, note.name.iid());
    put_value(out, note.value);
    close_length(out, mark);
}

/// Appends a list: an annotation whose values are annotations without names.
fn put_list(out: &mut Vec<u8>, list: &List<'_>) {
    put_varint(out, u64::from(tag::EVENT_ANNOTATION));
    let whole = out.len();
    out.push(0);
    put_field(out, tag::ANNOTATION_NAME, list.name.iid());
    for entry in list.entries {
        put_varint(out, u64::from(tag::ANNOTATION_ARRAY));
        let mark = out.len();
        out.push(0);
        match entry {
            Entry::Int(value) => put_value(out, Value::Int(*value)),
            Entry::Text(text) => put_value(out, Value::Text(text)),
            Entry::Group(group) => {
                group.iter().flatten().for_each(|note| put_named(out, tag::ANNOTATION_DICT, note));
            }
        }
        close_length(out, mark);
    }
    close_length(out, whole);
}

fn put_value(out: &mut Vec<u8>, value: Value<'_>) {
    match value {
        Value::Bool(value) => put_field(out, tag::ANNOTATION_BOOL, u64::from(value)),
        Value::Uint(value) => put_field(out, tag::ANNOTATION_UINT, value),
        Value::Int(value) => put_field(out, tag::ANNOTATION_INT, value as u64),
        Value::Double(value) => put_fixed64(out, tag::ANNOTATION_DOUBLE, value.to_bits()),
        Value::Pointer(value) => put_field(out, tag::ANNOTATION_POINTER, value),
        Value::Text(text) => put_bytes(out, tag::ANNOTATION_STRING, text.as_bytes()),
        Value::Short(text) => put_bytes(out, tag::ANNOTATION_STRING, text.as_bytes()),
        Value::Interned(key) => put_field(out, tag::ANNOTATION_INTERNED, key.iid()),
    }
}
