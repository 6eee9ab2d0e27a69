//! The end of the recording: what is still open is closed there, and the sums are drawn.

use super::{Done, Interpreter, Reason};
use crate::out::Emitter;
use ompttrace_model::{Event, Mark};
use ompttrace_recording::events::EventCode;
use ompttrace_recording::{Recording, short};

impl Interpreter<'_> {
    /// Closes everything, reports the summary and finishes the sink.
    pub(crate) fn finish(mut self, recording: &Recording, read: u64) -> Done {
        let open = self.regions.ids();
        // A thread that began with the last record did so in a team that still existed: readers order the threads'
        // events by time alone.
        let silent = recording.facts.life.silent.map(|since| since.max(self.now));
        silent.into_iter().for_each(|since| self.runtimes_end(since));
        // Where recording is off, or no runtime reported any more, it is unknown what happened after that.
        let end = match silent {
            Some(since) => since,
            None if self.off => self.now,
            None => self.now.max(self.end),
        };
        let end = end.saturating_add(u64::from(!open.is_empty()));
        self.tool_waits_until(self.now);
        self.out.to.emit(end, &Event::Stop);
        for t in 0..self.threads.len() as u32 {
            self.settle(t);
            self.note_activity(t, self.now);
            self.cut_thread(t, end);
        }
        for region in open {
            self.finish_region(region, end, Mark::Cut);
        }
        self.cut_phases(end);
        self.cut_holds(end);
        self.out.counters.finish(&mut self.out.to);
        let lost =
            recording.facts.lost.values().fold(0, |sum: u64, count| sum.saturating_add(*count));
        self.lost = self.lost.saturating_add(lost);
        self.out.summary.missing = recording.missing();
        let damage = recording.damage;
        self.out.summary.missing_bytes = if damage.short { damage.missing } else { 0 };
        self.hand_over(read)
    }

    /// Finishes the sink with the sums.
    pub(super) fn hand_over(mut self, read: u64) -> Done {
        let summary = &mut self.out.summary;
        summary.lost = self.lost;
        summary.logical_threads = self.logical_threads.len() as u64;
        summary.counter_values = self.out.counters.emitted;
        summary.records = read;
        summary.interpreted = self.interpreted;
        let codes = (0..=u8::MAX).map(EventCode).zip(&self.recorded[..]);
        summary.events = codes
            .filter(|(code, _)| short::event_code(*code).is_of_program())
            .map(|(_, count)| count)
            .sum();
        let reasons = Reason::ALL.iter().zip(self.dropped).filter(|(_, count)| *count > 0);
        summary.dropped = reasons.map(|(reason, count)| (reason.text(), count)).collect();
        let Emitter { sink, definitions } = self.out.to;
        sink.finish(&definitions, summary);
        let paths = definitions.logical_threads().iter().map(|known| known.path.clone()).collect();
        let (summary, code_names) = (self.out.summary, self.names.into_code_names());
        Done { summary, paths, code_names }
    }

    /// A thread in an implicit task is there until the end of the run, or until recording was switched off; one that is in none stopped
    /// with its last record.
    fn cut_thread(&mut self, t: u32, end: u64) {
        let seen = self.thread(t).seen;
        let is_in_task = self.thread(t).depth() > 0;
        self.close_task_frames(t, end, 0, Mark::Cut);
        self.close_thread(t, seen, Mark::Cut);
        self.note_state(t, if is_in_task { end } else { seen });
        self.state_at_end(t, end);
        self.thread(t).alive = false;
        self.note_activity(t, end);
    }
}
