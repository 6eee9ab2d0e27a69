//! A format that lists what it is asked to draw, a line for each call.

use std::convert::Infallible;

use ompttrace_model::{
    Activity, Core, Counter, Definitions, Instant, LogicalThread, Mark, RunInfo, Slice, SliceKind,
    ThreadRef, View,
};
use ompttrace_tracks::{Activities, Counts, Format, Partner, Shared, Titled, TrackSink};

use crate::fake::{Fake, threads};

/// The format, with the lines so far.
#[derive(Debug, Default)]
pub struct Listing {
    lines: Vec<String>,
    names: Vec<String>,
    partners: Vec<String>,
}

/// The lines of an artificial run in a view, and the numbers of its events.
pub fn listed(
    view: View,
    play: impl FnOnce(&mut Fake<TrackSink<Listing>>),
) -> (Vec<String>, Counts) {
    let mut fake = Fake::new(TrackSink::new(Listing::default(), view).exact(true), &threads(4));
    play(&mut fake);
    match fake.finish().1 {
        Ok(listed) => listed,
        Err(never) => match never {},
    }
}

impl Listing {
    fn event(&mut self, what: &str, track: &str, name: u32, (flows, ends): (&[u64], &[u64])) {
        let name = self.names.get(name as usize).map_or("?", String::as_str);
        let mut line = format!("{track}: {what} {name}");
        line.extend(self.partners.iter().map(|partner| format!(", {partner}")));
        line.extend(flows.iter().map(|flow| format!(", flow {flow}")));
        line.extend(ends.iter().map(|flow| format!(", end of flow {flow}")));
        self.lines.push(line);
    }
}

fn drawn<'a>(is: bool, flows: &'a [u64], ends: &'a [u64]) -> (&'a [u64], &'a [u64]) {
    if is { (flows, ends) } else { (&[], &[]) }
}

impl Format for Listing {
    type Track = String;
    type Text = String;
    type Output = (Vec<String>, Counts);
    type Error = Infallible;

    fn start(&mut self, _: &RunInfo<'_>) {}

    fn define(&mut self, _: &Definitions) {}

    fn title(&mut self, title: &str) {
        self.names.push(title.to_owned());
    }

    fn text(&mut self, text: &str) -> String {
        text.to_owned()
    }

    fn thread(&mut self, _: &RunInfo<'_>, at: ThreadRef, name: &str, shown: bool) -> String {
        if shown {
            self.lines.push(format!("thread {at} is {name}"));
        }
        name.to_owned()
    }

    fn activities(&mut self, of: ThreadRef, name: &str) -> String {
        self.lines.push(format!("what thread {of} does"));
        format!("what {name} does")
    }

    fn shared(&mut self, of: Shared, name: &str, rank: Option<u32>) -> String {
        self.lines.push(format!("{of:?} is {name}, {rank:?}"));
        name.to_owned()
    }

    fn counter(&mut self, counter: Counter) -> String {
        format!("{counter:?}")
    }

    fn set_rank(&mut self, _: &LogicalThread, track: &String, rank: u32) {
        self.lines.push(format!("{track} is number {rank}"));
    }

    fn take_slice(&mut self, slice: &Slice<'_>) {
        assert_ne!(slice.kind, SliceKind::ToolWait, "no test has one");
        self.partners.clear();
    }

    fn take_instant(&mut self, _: &Instant<'_>) {
        self.partners.clear();
    }

    fn set_partner(&mut self, partner: Option<(Partner, &String)>) {
        self.partners.clear();
        self.partners.extend(partner.map(|(partner, text)| format!("{} {text}", partner.key())));
    }

    fn add_partner(&mut self, partner: Partner, text: &String) {
        self.partners.push(format!("{} {text}", partner.key()));
    }

    fn begin(&mut self, track: &mut String, _: u64, slice: Titled<&Slice<'_>>, flows: bool) {
        self.event(
            "begin",
            track,
            slice.title,
            drawn(flows, slice.event.flows, slice.event.flow_ends),
        );
    }

    fn end(&mut self, track: &mut String, at: u64, mark: Mark) {
        self.lines.push(format!("{track}: end {mark:?} {}", at % 1000));
    }

    fn instant(&mut self, track: &mut String, _: u64, instant: Titled<&Instant<'_>>, flows: bool) {
        self.event(
            "instant",
            track,
            instant.title,
            drawn(flows, instant.event.flows, instant.event.flow_ends),
        );
    }

    fn activity(&mut self, track: &mut String, part: &Activities) {
        let only = part.only().map_or("?", Activity::name);
        self.lines.push(format!("{track}: {only} {} to {}", part.from % 1000, part.to % 1000));
    }

    fn value(&mut self, track: &mut String, _: u64, _: Counter, value: i64) {
        self.lines.push(format!("{track}: {value}"));
    }

    fn summary(&mut self, track: &mut String, summary: &ompttrace_tracks::Summary<'_>) {
        self.lines.push(format!("{track}: {} sums", summary.sums.len()));
    }

    fn mean(&mut self, track: &mut String, _: u64, _: Counter, value: f64) {
        self.lines.push(format!("{track}: {value} in the mean"));
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn core(&mut self, at: u64, thread: ThreadRef, core: Core) {
        self.lines.push(format!("thread {thread} has {core:?} from {} on", at % 1000));
    }

    fn remark_loss(&mut self, _: u64, text: &str) {
        self.lines.push(format!("remark: {text}"));
    }

    fn finish(self, drawn: Counts) -> Result<Self::Output, Infallible> {
        Ok((self.lines, drawn))
    }
}
