//! The records of a recording with their texts replaced, read while they are packed.

use super::phases::{PhaseNames, ReplacedName};
use super::replacer::Replacer;
use super::texts::{Head, Part, text_of, words_of};
use ompttrace_model::base_name;
use ompttrace_recording::events::{MpiName, MpiObject, Phase, PhaseName, Record, Text, ThreadInfo};
use ompttrace_recording::facts::Process;
use ompttrace_recording::mpi::object;
use ompttrace_recording::phases::kind;
use ompttrace_recording::reader::{RecordBlocks, Source, Stream};
use ompttrace_recording::{EventCode, Recording, RecordingError, Scope, words};
use std::ffi::OsStr;
use std::sync::Arc;

/// Words that a block has at least, unless it is the last one.
const BLOCK: usize = 4096;
/// Ticks by which the times of a block's records differ at most: readers tell them apart by 56 bits.
const SPAN: u64 = 1 << 54;
/// Bytes of a thread's name, with a zero at its end.
const NAME_BYTES: usize = 16;
/// Bytes of text in a text record.
const TEXT_BYTES: usize = 24;

/// A recording whose records have other texts.
#[derive(Debug)]
pub struct Rewritten {
    pub original: Recording,
    pub by: Arc<Replacer>,
    pub phases: PhaseNames,
}

impl Source for Rewritten {
    fn blocks(&self, position: usize) -> Box<dyn RecordBlocks + '_> {
        let texts = Texts { rewritten: self, pending: None, object: None, name: Vec::new() };
        Box::new(Blocks { stream: self.original.stream_at(position), texts })
    }

    fn check(&self) -> Result<(), RecordingError> {
        self.original.check()
    }
}

#[derive(Debug)]
struct Blocks<'r> {
    stream: Stream<'r>,
    texts: Texts<'r>,
}

impl RecordBlocks for Blocks<'_> {
    fn next(&mut self, to: &mut Vec<u64>) -> Option<u64> {
        let near = self.stream.next_ticks().or(self.texts.pending_ticks())?;
        while to.len() < BLOCK
            && let Some(ticks) = self.stream.next_ticks()
            && ticks.abs_diff(near) < SPAN
        {
            self.stream.take_stored(|record| self.texts.put(record, to));
        }
        if self.stream.next_ticks().is_none() {
            self.texts.finish(to);
        }
        // A block of nothing but texts that go on: readers take an empty one for the end.
        if to.is_empty() { self.next(to) } else { Some(near) }
    }
}

/// Replaces the texts of one thread's records.
#[derive(Debug)]
struct Texts<'r> {
    rewritten: &'r Rewritten,
    pending: Option<Pending>,
    /// A window or file whose name follows, and its time.
    object: Option<(u64, MpiObject)>,
    /// The name of a communicator, a window or a file, as far as its records came.
    name: Vec<u8>,
}

/// An event whose text is not complete yet.
#[derive(Debug)]
struct Pending {
    ticks: u64,
    code: EventCode,
    head: Head,
    text: Vec<u8>,
    /// Records of definitions in between.
    others: Vec<u64>,
}

impl Texts<'_> {
    fn pending_ticks(&self) -> Option<u64> {
        self.pending.as_ref().map(|pending| pending.ticks)
    }

    fn put(&mut self, record: Record<'_>, to: &mut Vec<u64>) {
        let Record { ticks, code, words } = record;
        // Short forms have no text.
        let is_short = ompttrace_recording::short::event_code(code) != code;
        let part = if is_short { Part::None } else { Part::of(record.event()) };
        if let Some(pending) = &mut self.pending {
            match &part {
                Part::Text(text) => return self.take_text(text, to),
                // Readers allow for definitions in between.
                Part::Thread(info) => {
                    let info = self.rewritten.thread(info);
                    return put(&mut pending.others, ticks, code, &info.words());
                }
                _ if code.number() == ompttrace_recording::events::CodeSite::NUMBER => {
                    return put(&mut pending.others, ticks, code, words);
                }
                _ => self.finish(to),
            }
        }
        if !matches!(part, Part::MpiName(_)) {
            self.put_object(0, to);
        }
        match part {
            Part::None => put(to, ticks, code, words),
            Part::Thread(info) => put(to, ticks, code, &self.rewritten.thread(&info).words()),
            Part::Head(head) => self.begin(ticks, code, head, to),
            Part::Phase(phase) => put(to, ticks, code, &self.rewritten.phase(&phase).words()),
            Part::PhaseName(name) if name.at == 0 => {
                self.rewritten.put_phase(ticks, code, &name, to)
            }
            Part::MpiObject(object) if object.bytes > 0 => self.object = Some((ticks, object)),
            Part::MpiObject(_) => put(to, ticks, code, words),
            Part::MpiName(name) => self.put_name(ticks, code, &name, to),
            // Text of no event, later parts of a name that came as a whole, and what nobody knows.
            Part::Text(_) | Part::PhaseName(_) | Part::Unknown => {}
        }
    }

    fn begin(&mut self, ticks: u64, code: EventCode, head: Head, to: &mut Vec<u64>) {
        let (text, others) = (Vec::new(), Vec::new());
        self.pending = Some(Pending { ticks, code, head, text, others });
        if head.bytes() == 0 {
            self.finish(to);
        }
    }

    fn take_text(&mut self, text: &Text, to: &mut Vec<u64>) {
        let Some(pending) = &mut self.pending else { return };
        let left = pending.head.bytes().saturating_sub(pending.text.len() as u64);
        let bytes = left.min(TEXT_BYTES as u64) as usize;
        pending.text.extend(text_of(&[text.first, text.second, text.third], bytes));
        if pending.text.len() as u64 >= pending.head.bytes() {
            self.finish(to);
        }
    }

    /// Writes the event whose text came, with what is in place of it.
    fn finish(&mut self, to: &mut Vec<u64>) {
        self.put_object(0, to);
        let Some(Pending { ticks, code, head, text, others }) = self.pending.take() else { return };
        let text = String::from_utf8_lossy(&text);
        let text = head.replaced(text.trim_end_matches('\0'), &self.rewritten.by);
        let (words, count) = head.with_bytes(text.len() as u64).payload();
        put(to, ticks, code, words.get(..count).unwrap_or_default());
        let texts = EventCode::new(Text::NUMBER, Scope::None);
        for part in text.as_bytes().chunks(TEXT_BYTES) {
            put(to, ticks, texts, &words_of::<3>(part));
        }
        to.extend(others);
    }

    /// A part of a name: with the last one the name is written that is in place of it.
    fn put_name(&mut self, ticks: u64, code: EventCode, part: &MpiName, to: &mut Vec<u64>) {
        let text = &mut self.name;
        if part.at == 0 {
            text.clear();
        }
        if part.at != text.len() as u64 || part.bytes > MpiName::LONGEST {
            return;
        }
        text.extend(part.text());
        if text.len() as u64 != part.bytes {
            return;
        }
        let text = std::mem::take(text);
        let text = String::from_utf8_lossy(&text);
        let (text, by) = (text.trim_end_matches('\0'), &self.rewritten.by);
        let object = self.object.filter(|(_, object)| object.handle == part.handle);
        let name = match object.map(|(_, object)| object.kind as u32) {
            Some(object::FILE) => by.path(text),
            Some(_) => by.name("window", text),
            None => by.name("communicator", text),
        };
        let bytes = name.len() as u64;
        self.put_object(bytes, to);
        for (part_of, at) in
            name.as_bytes().chunks(MpiName::TEXT_BYTES).zip((0..).step_by(MpiName::TEXT_BYTES))
        {
            put(to, ticks, code, &MpiName::part(part.handle, part_of, at, bytes).words());
        }
    }

    /// Writes the window or file that waits for its name, which now has that many bytes.
    fn put_object(&mut self, bytes: u64, to: &mut Vec<u64>) {
        if let Some((ticks, object)) = self.object.take() {
            let code = EventCode::new(MpiObject::NUMBER, Scope::None);
            put(to, ticks, code, &MpiObject { bytes, ..object }.words());
        }
    }
}

impl Rewritten {
    /// A thread with its name, of which the kernel's is the program's.
    fn thread(&self, info: &ThreadInfo) -> ThreadInfo {
        let name = text_of(&[info.name_low, info.name_high], NAME_BYTES);
        let name = String::from_utf8_lossy(&name);
        let name = thread_name(name.trim_end_matches('\0'), &self.original.facts.process, &self.by);
        let cut = name.as_bytes();
        let cut = cut.get(..cut.len().min(NAME_BYTES - 1)).unwrap_or_default();
        let [name_low, name_high] = words_of::<2>(cut);
        ThreadInfo { os_thread: info.os_thread, name_low, name_high }
    }

    fn phase(&self, phase: &Phase) -> Phase {
        match phase.kind {
            kind::ITERATION => *phase,
            _ => Phase { what: self.phases.replaced(phase.what, &self.by).number, ..*phase },
        }
    }

    fn put_phase(&self, ticks: u64, code: EventCode, name: &PhaseName, to: &mut Vec<u64>) {
        let ReplacedName { number, text } = self.phases.replaced(name.name, &self.by);
        for part in PhaseName::parts(number, text.as_bytes()) {
            put(to, ticks, code, &part.words());
        }
    }
}

/// The name of a thread in the copy: the kernel calls it like the program or the command, cut to 15 bytes.
fn thread_name(name: &str, process: &Process, by: &Replacer) -> String {
    let is_cut_of = |program: &str| {
        let program = base_name(program).as_bytes();
        let kept = program.get(..program.len().min(NAME_BYTES - 1)).unwrap_or_default();
        !name.is_empty() && name == String::from_utf8_lossy(kept)
    };
    let command = process.arguments.first().map_or("", String::as_str);
    if let Some(program) = [&process.executable, command].into_iter().find(|one| is_cut_of(one)) {
        return by.file(OsStr::new(base_name(program)));
    }
    by.name("thread", name)
}

fn put(to: &mut Vec<u64>, ticks: u64, code: EventCode, words: &[u64]) {
    to.push(words::header(ticks, code.0));
    to.extend(words);
}
