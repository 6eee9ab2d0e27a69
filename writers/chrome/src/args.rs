//! The arguments of the event under way, as text in a buffer that is used again and again.

use std::io::Write;

use ompttrace_model::{Arg, ArgKey, ArgValue, Instant, InstantKind, Item, Mark, Slice, SliceKind};
use ompttrace_recording::Id;
use ompttrace_tracks::{Activities, Summary};

use crate::texts::{Texts, put_key, put_pair, put_quoted, quoted};

/// Largest number that a reader with floating-point numbers only, such as a browser, keeps exactly.
const MAX_EXACT: u64 = (1 << 53) - 1;

/// Escaped pairs of key and value, each with a comma after it.
#[derive(Debug, Default)]
pub(crate) struct Args {
    text: Vec<u8>,
    /// Position in `text` of the pair with the partner, which is the last one.
    partner: Option<usize>,
}

impl Args {
    /// Takes the arguments of a slice.
    #[inline]
    pub(crate) fn take_slice(&mut self, texts: &Texts, slice: &Slice<'_>) {
        self.clear();
        if let Some(location) = texts.location(slice.source) {
            let full = matches!(slice.kind, SliceKind::Region { .. } | SliceKind::Target(_));
            self.text.extend_from_slice(if full { &location.full } else { &location.short });
        }
        self.take_args(texts, slice.args);
        self.add_mark(slice.mark);
        if slice.resumed {
            self.add_word(ArgKey::Segment.name(), "resumed");
        }
        if slice.context != 0 {
            self.add(ArgKey::Context.name(), texts.context(slice.context));
        }
    }

    /// Takes the arguments of an instant.
    #[inline]
    pub(crate) fn take_instant(&mut self, texts: &Texts, instant: &Instant<'_>) {
        self.clear();
        // There are as many creations as tasks, and the location is in their name.
        if let Some(location) = texts.location(instant.source)
            && instant.kind != InstantKind::TaskCreate
        {
            self.text.extend_from_slice(&location.full);
        }
        self.take_args(texts, instant.args);
        if !instant.items.is_empty() {
            self.take_items(texts, instant.items);
        }
        self.add_mark(instant.mark);
    }

    /// Takes the arguments of a summary: a list of its sums, as Perfetto's format has it.
    pub(crate) fn take_summary(&mut self, texts: &Texts, summary: &Summary<'_>) {
        self.clear();
        put_number_pair(&mut self.text, "around_ns", summary.around);
        self.put_sums(summary.sums.iter().map(|sum| {
            let times = [("total_ns", sum.total), ("own_ns", sum.own)];
            (texts.title(sum.name), sum.count, if sum.instants { [].into() } else { times.into() })
        }));
    }

    /// Takes the activities of which a part of a thread's time consists, if there is more than one.
    pub(crate) fn take_activities(&mut self, part: &Activities) {
        self.clear();
        if part.only().is_none() {
            let names =
                part.sums().map(|(activity, ..)| quoted(activity.name())).collect::<Vec<_>>();
            let sums = names.iter().zip(part.sums());
            self.put_sums(
                sums.map(|(name, (_, count, time))| {
                    (&name[..], count, [("total_ns", time)].into())
                }),
            );
        }
    }

    /// Appends a list of sums: names in quotes, counts and times.
    fn put_sums<'a>(
        &mut self,
        sums: impl Iterator<Item = (&'a [u8], u64, Vec<(&'static str, u64)>)>,
    ) {
        put_key(&mut self.text, "sums");
        let mut before = b'[';
        for (name, count, times) in sums {
            self.text.push(before);
            before = b',';
            self.text.push(b'{');
            put_key(&mut self.text, "name");
            self.text.extend_from_slice(name);
            self.text.push(b',');
            put_number_pair(&mut self.text, "count", count);
            times.iter().for_each(|(key, time)| put_number_pair(&mut self.text, key, *time));
            self.text.pop();
            self.text.push(b'}');
        }
        self.text.extend_from_slice(b"],");
    }

    /// All pairs, as text.
    #[inline]
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Sets the logical thread or thread to which this one corresponds; it replaces the last partner.
    #[inline]
    pub(crate) fn set_partner(&mut self, partner: Option<(&str, &[u8])>) {
        if let Some(begin) = self.partner.take() {
            self.text.truncate(begin);
        }
        if let Some((key, quoted)) = partner {
            self.partner = Some(self.text.len());
            self.add(key, quoted);
        }
    }

    /// Adds a pair with a text that is in quotes already.
    pub(crate) fn add(&mut self, key: &str, quoted: &[u8]) {
        put_key(&mut self.text, key);
        self.text.extend_from_slice(quoted);
        self.text.push(b',');
    }

    #[inline]
    fn clear(&mut self) {
        self.text.clear();
        self.partner = None;
    }

    #[inline]
    fn take_args(&mut self, texts: &Texts, args: &[Arg]) {
        for arg in args {
            put_key(&mut self.text, arg.key.name());
            put_value(&mut self.text, texts, arg.value);
            self.text.push(b',');
        }
    }

    /// Appends the items of a list as an array: if a key came twice, readers would keep its last value only.
    #[cold]
    fn take_items(&mut self, texts: &Texts, items: &[Item]) {
        let Some(first) = items.first() else { return };
        put_key(&mut self.text, first.key().name());
        let mut before = b'[';
        for item in items {
            self.text.push(before);
            before = b',';
            match item {
                Item::Iteration(number) => {
                    put_value(&mut self.text, texts, ArgValue::Signed(*number))
                }
                // The names in it are escaped already, and its own words need not be.
                item => put_shown(&mut self.text, item.text(|name| texts.inside(name))),
            }
        }
        self.text.extend_from_slice(b"],");
    }

    #[inline]
    fn add_mark(&mut self, mark: Mark) {
        match mark {
            Mark::Observed => {}
            Mark::Inferred => self.add_word(ArgKey::Mark.name(), "inferred"),
            Mark::Cut => self.add_word(ArgKey::Mark.name(), "cut"),
        }
    }

    #[inline]
    fn add_word(&mut self, key: &str, word: &str) {
        put_pair(&mut self.text, key, word);
    }
}

fn put_number_pair(out: &mut Vec<u8>, key: &str, number: u64) {
    put_key(out, key);
    put_number(out, number);
    out.push(b',');
}

#[inline]
fn put_value(out: &mut Vec<u8>, texts: &Texts, value: ArgValue) {
    match value {
        ArgValue::Number(number) if number <= MAX_EXACT => put_number(out, number),
        ArgValue::Signed(number) if number.unsigned_abs() <= MAX_EXACT => put_number(out, number),
        // As in our native traces: what no signed number holds is shown as an address.
        ArgValue::Number(number) if number > i64::MAX as u64 => {
            put_shown(out, format_args!("{number:#x}"))
        }
        ArgValue::Number(number) => put_shown(out, number),
        ArgValue::Signed(number) => put_shown(out, number),
        ArgValue::Address(address) => put_shown(out, format_args!("{address:#x}")),
        ArgValue::Id(id) => put_id(out, id),
        ArgValue::Text(name) => out.extend_from_slice(texts.name(name)),
        ArgValue::Word(word) => put_quoted(out, word),
    }
}

#[inline]
fn put_number(out: &mut Vec<u8>, number: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends an id in quotes, as it displays itself; nearly every event has one.
#[inline]
fn put_id(out: &mut Vec<u8>, id: Id) {
    if id.is_none() {
        return put_shown(out, id);
    }
    out.push(b'"');
    if id.is_implicit() {
        out.push(b'i');
    }
    put_number(out, id.thread());
    out.push(b'.');
    put_number(out, id.counter());
    out.push(b'"');
}

/// Appends a value in quotes, which must display itself without quotes and backslashes.
#[inline]
fn put_shown(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    // A vector takes everything.
    let _ = write!(out, "\"{value}\"");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_written_as_they_show_themselves() {
        let part = Id::thread_part((1 << 18) - 1);
        let region = Id::region(part, 9, 77);
        let ids = [
            Id::NONE,
            region,
            Id::implicit_task(part, 2, region),
            Id::fresh_task(part, u32::MAX, 4095),
        ];
        for id in ids {
            let mut text = Vec::new();
            put_id(&mut text, id);
            assert_eq!(text, format!("\"{id}\"").as_bytes());
        }
    }
}
