//! Tracks and events as packets.

use std::collections::HashMap;
use std::io::Write;

use ompttrace_model::{
    Activity, Blocks, Category, Core, Counter, Definitions, Instant, InstantKind, LogicalThread,
    Mark, NameRef, Pool, RunInfo, Sample, Slice, ThreadRef,
};
use ompttrace_perfetto_protos::{BuiltinClock, trace_packet::Data, track_event::Type};
use ompttrace_tracks::{Activities, Counts, Format, Partner, Partners, Shared, Summary, Titled};

use super::cores::Cores;
use super::groups::{Group, Groups};
use super::looks;
use super::notes::Notes;
use super::numbers::Numbers;
use super::samples::Samples;
use super::texts::{Note, TraceTexts};
use super::{first_look, process, summaries};
use crate::encode::{
    CategoryKey, Details, Event, List, Look, NameKey, Options, Packets, Sequence, StringKey, Texts,
};
use crate::{Error, tracks};

/// Totals of a written trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Number of packets, including those that are no events.
    pub packets: u64,
    /// Number of bytes of all packets.
    pub bytes: u64,
    /// Numbers of the events that the trace shows.
    pub drawn: Counts,
}

/// A trace under way.
#[derive(Debug)]
pub(super) struct Trace<W> {
    pub(super) out: Packets<W, TraceTexts>,
    numbers: Numbers,
    groups: Groups,
    notes: Notes,
    /// The look of the next event, which is the first of it on its track.
    look: Option<Look>,
    cores: Cores,
    samples: Samples,
    /// Counters that the run has for each of its threads, by their numbers.
    counted: Vec<ompttrace_recording::facts::Counter>,
    /// The names of threads that have no track.
    hidden: HashMap<ThreadRef, String>,
    /// Changes of threads' cores, if this is the trace of a window; `None` if it is the trace of the whole run.
    changes: Option<Vec<CoreChange>>,
    /// Buffers for the packets of windows, which are used again and again.
    pub(super) buffers: Pool<Vec<u8>>,
}

/// A thread gets a core or loses it.
pub(super) type CoreChange = (u64, ThreadRef, Core);

impl Trace<Blocks> {
    /// The trace of a window of the run: packets that continue the trace of the run, and need the definitions at its begin.
    pub(super) fn of_window(buffers: &Pool<Vec<u8>>) -> Self {
        let mut trace = Trace::new(Blocks::new(buffers), Cores::default());
        trace.out.hand_over(Blocks::take_over);
        Trace { changes: Some(Vec::new()), buffers: buffers.clone(), ..trace }
    }
}

impl<W: Write> Trace<W> {
    pub(super) fn new(writer: W, cores: Cores) -> Self {
        Trace {
            out: Packets::new(writer, TraceTexts::new(), Options::default()),
            numbers: Numbers::unknown(),
            groups: Groups::default(),
            notes: Notes::default(),
            look: None,
            cores,
            samples: Samples::default(),
            counted: Vec::new(),
            hidden: HashMap::new(),
            changes: None,
            buffers: Pool::default(),
        }
    }

    /// Takes out the packets and the core changes of a window so far; the last packets and the number of packets follow
    /// with the rest. Further packets go to `next`.
    pub(super) fn take_part(&mut self, next: W) -> (W, Vec<CoreChange>) {
        let changes = self.changes.as_mut().map(std::mem::take).unwrap_or_default();
        (self.out.replace_writer(next), changes)
    }

    /// The remaining packets of a window, the number of all its packets and the remaining core changes.
    pub(super) fn into_window(self) -> Result<(W, u64, Vec<CoreChange>), Error> {
        let (writer, totals) = self.out.finish()?;
        Ok((writer, totals.packets, self.changes.unwrap_or_default()))
    }

    fn group(&mut self, group: Group) -> u64 {
        self.groups.uuid(&mut self.out, self.numbers, group)
    }

    /// The track of what is counted of a thread: below the thread's own, where that is shown.
    fn counter_of(&mut self, thread: ThreadRef, counter: u32) -> Sequence {
        let uuid = self.numbers.counter_of(thread, counter);
        let counted = self.counted.get(counter as usize).cloned().unwrap_or_default();
        let (parent, name, rank) = match self.hidden.get(&thread) {
            None => (self.numbers.thread(thread), counted.name, counter),
            Some(of) => {
                let name = format!("{} of {of}", counted.name);
                (self.group(Group::Counters), name, thread)
            }
        };
        self.out.track(tracks::counter(uuid, parent, rank as i32, &name, &counted.unit));
        self.out.sequence(uuid)
    }
}

/// A flow is a chain through all events that name it, so it may be reported once only.
#[inline(always)]
fn details(notes: &Notes, flows: bool) -> Details<'_> {
    if flows { notes.details() } else { notes.without_flows() }
}

#[inline(always)]
fn event(name: NameRef, category: Category, details: Details<'_>) -> Event<'_> {
    let category = Some(CategoryKey(category as u32));
    Event { name: NameKey(name), category, track: None, look: None, details }
}

impl<W: Write> Format for Trace<W> {
    type Track = Sequence;
    type Text = StringKey;
    type Output = Written;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.numbers = Numbers::of(run);
        let out = &mut self.out;
        out.start_at(run.begin);
        self.counted.clone_from(&run.facts.counters.counted);
        self.samples.start(run, BuiltinClock::Monotonic as u32);
        if self.changes.is_some() {
            return;
        }
        let realtime = run.begin.saturating_add_signed(run.realtime_offset);
        let since_boot = run.begin.wrapping_add(run.facts.clock.boottime_offset);
        out.clocks(&[
            (BuiltinClock::Monotonic, run.begin),
            (BuiltinClock::Realtime, realtime),
            (BuiltinClock::Boottime, since_boot),
        ]);
        out.track(tracks::root());
        out.cold(Data::ProcessTree(process::command_line(run.facts)));
        out.track(tracks::process(
            self.numbers.process(),
            process::process(run),
            process::surroundings(run.facts),
        ));
        self.cores.start(run);
    }

    fn first_look(&mut self, look: &ompttrace_tracks::FirstLook) {
        first_look::draw(&mut self.out, self.numbers, look);
    }

    fn define(&mut self, definitions: &Definitions) {
        self.out.texts.define(definitions);
    }

    fn title(&mut self, title: &str) {
        self.out.texts.add_title(title);
    }

    fn text(&mut self, text: &str) -> StringKey {
        self.out.texts.intern(text)
    }

    fn thread(&mut self, run: &RunInfo<'_>, at: ThreadRef, name: &str, shown: bool) -> Sequence {
        let uuid = self.numbers.thread(at);
        match run.threads.get(at as usize).filter(|_| shown) {
            Some(_) if self.changes.is_some() => {}
            Some(thread) => {
                let descriptor = process::thread(run.facts, thread, name);
                self.out.track(tracks::thread(uuid, at as i32, descriptor));
            }
            None => drop(self.hidden.insert(at, name.to_owned())),
        }
        self.out.sequence(uuid)
    }

    fn activities(&mut self, of: ThreadRef, _: &str) -> Sequence {
        let (uuid, parent) = (self.numbers.activities(of), self.numbers.thread(of));
        self.out.track(tracks::track(uuid, parent, -1, "state"));
        self.out.sequence(uuid)
    }

    fn shared(&mut self, of: Shared, name: &str, rank: Option<u32>) -> Sequence {
        let (uuid, group) = self.numbers.shared(of, name);
        // A reader heeds the first description alone, so there is none before the rank is known. It sorts a trace
        // before it looks at the events, so the description may come after them.
        if let Some(rank) = rank {
            let rank = i32::try_from(rank).unwrap_or(i32::MAX);
            let (parent, rank) = match group {
                Some(group) => (self.group(group), rank),
                None => (self.numbers.process(), rank - i32::MAX),
            };
            self.out.track(tracks::track(uuid, parent, rank, name));
        }
        self.out.sequence(uuid)
    }

    fn counter(&mut self, counter: Counter) -> Sequence {
        let (rank, name, unit) = match counter {
            Counter::ThreadsWorking => (0, "threads working", "threads"),
            Counter::ThreadsIdle => (1, "workers idle", "threads"),
            Counter::LiveTasks => (2, "live tasks", "tasks"),
            Counter::OfThread(thread, counter) => return self.counter_of(thread, counter),
        };
        let (uuid, group) = (self.numbers.counter(rank), self.group(Group::Counters));
        self.out.track(tracks::counter(uuid, group, rank as i32, name, unit));
        self.out.sequence(uuid)
    }

    fn set_rank(&mut self, thread: &LogicalThread, _: &Sequence, rank: u32) {
        let (uuid, group) =
            (self.numbers.logical_thread(&thread.path), self.group(Group::LogicalThreads));
        self.out.track(tracks::track(uuid, group, rank as i32, &thread.path));
    }

    #[inline(never)]
    fn take_slice(&mut self, slice: &Slice<'_>) {
        self.notes.take_slice(&mut self.out.texts, self.numbers, slice);
    }

    #[inline(never)]
    fn take_instant(&mut self, instant: &Instant<'_>) {
        self.notes.take_instant(&mut self.out.texts, self.numbers, instant);
    }

    #[inline(always)]
    fn set_partner(&mut self, partner: Option<(Partner, &StringKey)>) {
        self.notes.set_partner(partner.map(|(partner, text)| (Note::of(partner), *text)));
    }

    #[inline(always)]
    fn add_partner(&mut self, partner: Partner, text: &StringKey) {
        self.notes.add(Note::of(partner), *text);
    }

    #[inline(always)]
    fn begin_like(
        &mut self,
        track: &mut Sequence,
        at: u64,
        slice: &Slice<'_>,
        partners: Partners,
        flows: bool,
    ) -> bool {
        let (has_args, numbers) = (looks::has_args(slice), self.numbers);
        let look = looks::of(slice, has_args, partners);
        let is_written = look.is_some_and(|look| {
            track.like(&mut self.out, at, (Type::SliceBegin, look), |own, texts| {
                looks::write_slice(own, (texts, numbers), (slice, has_args), flows)
            })
        });
        self.look = look.filter(|_| !is_written);
        is_written
    }

    #[inline(never)]
    fn begin(&mut self, track: &mut Sequence, at: u64, slice: Titled<&Slice<'_>>, flows: bool) {
        let category = Category::of_slice(slice.event.kind);
        let event = event(slice.title, category, details(&self.notes, flows));
        let look = self.look.take();
        track.begin(&mut self.out, at, &Event { look, ..event });
    }

    /// Most ends have nothing to say.
    #[inline(always)]
    fn end(&mut self, track: &mut Sequence, at: u64, mark: Mark) {
        if mark == Mark::Observed {
            track.end(&mut self.out, at, None);
        } else {
            self.notes.take_end(mark);
            let look = Some(looks::of_end(mark));
            track.end_with(&mut self.out, at, None, (look, &self.notes.details()));
        }
    }

    #[inline(always)]
    fn instant_like(
        &mut self,
        track: &mut Sequence,
        at: u64,
        instant: &Instant<'_>,
        flows: bool,
    ) -> bool {
        let (look, numbers) = (looks::of_instant(instant), self.numbers);
        let is_written = look.is_some_and(|look| {
            track.like(&mut self.out, at, (Type::Instant, look), |own, texts| {
                looks::write_instant(own, (texts, numbers), instant, flows)
            })
        });
        self.look = look.filter(|_| !is_written);
        is_written
    }

    #[inline(never)]
    fn instant(
        &mut self,
        track: &mut Sequence,
        at: u64,
        instant: Titled<&Instant<'_>>,
        flows: bool,
    ) {
        if instant.event.kind == InstantKind::Lost {
            track.declare_loss();
        }
        let category = Category::of_instant(instant.event.kind);
        let event = event(instant.title, category, details(&self.notes, flows));
        let look = self.look.take();
        track.instant(&mut self.out, at, &Event { look, ..event });
    }

    fn summary(&mut self, track: &mut Sequence, summary: &Summary<'_>) {
        let out = &mut self.out;
        let entries = summaries::entries(&mut out.texts, summary);
        let around = [summaries::around(summary)];
        let title = summary.title(|name| out.texts.name(NameKey(name)));
        let list = Some(List { name: Note::Sums.key(), entries: &entries });
        let details = Details { annotations: &around, list, ..Details::default() };
        track.begin_titled(out, summary.from, &title, &event(0, Category::Summary, details));
        track.end(out, summary.to, None);
    }

    fn activity(&mut self, track: &mut Sequence, part: &Activities) {
        if let Some(activity) = part.only() {
            return self.one_activity(track, activity, (part.from, part.to));
        }
        let entries = summaries::activities(&mut self.out.texts, part);
        let list = Some(List { name: Note::Sums.key(), entries: &entries });
        let event = event(0, Category::StateSummary, Details { list, ..Details::default() });
        track.begin_titled(&mut self.out, part.from, &part.title(), &event);
        track.end(&mut self.out, part.to, None);
    }

    #[inline(always)]
    fn one_activity(&mut self, track: &mut Sequence, activity: Activity, (from, to): (u64, u64)) {
        let look = looks::of_activity(activity);
        if !track.like(&mut self.out, from, (Type::SliceBegin, look), |_, _| true) {
            let event = event(activity as NameRef, Category::State, Details::default());
            track.begin(&mut self.out, from, &Event { look: Some(look), ..event });
        }
        track.end(&mut self.out, to, None);
    }

    fn value(&mut self, track: &mut Sequence, at: u64, _: Counter, value: i64) {
        track.counter(&mut self.out, at, None, value);
    }

    fn mean(&mut self, track: &mut Sequence, at: u64, _: Counter, value: f64) {
        if value.fract() == 0.0 {
            track.counter(&mut self.out, at, None, value as i64);
        } else {
            track.counter_f64(&mut self.out, at, None, value);
        }
    }

    fn sample(&mut self, definitions: &Definitions, at: u64, thread: ThreadRef, sample: &Sample) {
        self.samples.put(&mut self.out, definitions, (at, thread, sample));
    }

    fn core(&mut self, at: u64, thread: ThreadRef, core: Core) {
        match &mut self.changes {
            Some(changes) => changes.push((at, thread, core)),
            None => self.cores.change(&mut self.out, at, thread, core),
        }
    }

    fn remark_loss(&mut self, at: u64, text: &str) {
        let uuid = self.group(Group::OpenMp);
        let name = self.out.texts.add_title(text);
        let mut sequence = self.out.sequence(uuid);
        sequence.declare_loss();
        let event = event(name, Category::Tool, Details::default());
        sequence.instant(&mut self.out, at, &event);
    }

    fn bytes(&self) -> u64 {
        self.out.totals().bytes
    }

    fn finish(mut self, drawn: Counts) -> Result<Written, Error> {
        self.cores.finish(&mut self.out);
        let (_, totals) = self.out.finish()?;
        Ok(Written { packets: totals.packets, bytes: totals.bytes, drawn })
    }
}
