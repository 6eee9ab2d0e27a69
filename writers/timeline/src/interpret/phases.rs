//! Phases that the program marks. They nest on each thread, apart from its slices.

use super::{Interpreter, Outcome, Reason};
use crate::out::number;
use ompttrace_model::{Arg, ArgKey, ArgValue, Event, Mark, PhaseKind, Slice, SliceKind, ThreadRef};
use ompttrace_recording::Scope;
use ompttrace_recording::events::{Phase, PhaseName};

impl Interpreter<'_> {
    pub(super) fn phase_name(&mut self, t: ThreadRef, event: &PhaseName) -> Outcome {
        self.phases.named(t, event);
        Outcome::Interpreted
    }

    pub(super) fn phase(&mut self, t: ThreadRef, at: u64, scope: Scope, event: &Phase) -> Outcome {
        let above = self.phases.above(t, event.depth);
        match scope {
            Scope::Begin => {
                self.end_phases(t, at, above, Mark::Inferred);
                self.begin_phase(t, at, event, Mark::Observed)
            }
            // It was open when recording went on.
            Scope::BeginEnd => {
                self.end_phases(t, at, above, Mark::Cut);
                self.begin_phase(t, at, event, Mark::Cut)
            }
            Scope::End if self.phases.is_open(t, event) => {
                self.end_phases(t, at, above.saturating_sub(1), Mark::Inferred);
                self.end_phases(t, at, 1, Mark::Observed);
                Outcome::Interpreted
            }
            // Its begin is not there: it was lost.
            Scope::End => {
                self.end_phases(t, at, above, Mark::Inferred);
                Outcome::Absorbed
            }
            Scope::None => Outcome::Dropped(Reason::Unknown),
        }
    }

    fn begin_phase(&mut self, t: ThreadRef, at: u64, event: &Phase, mark: Mark) -> Outcome {
        let here = self.thread(t).here;
        let Interpreter { phases, names, out, .. } = self;
        let define = |to: &mut _, name: &str| names.word(to, name);
        let name = phases.begin(t, event, &mut out.to.definitions, define);
        let kind = PhaseKind::of(event.kind);
        let args = match kind {
            PhaseKind::Phase => None,
            PhaseKind::Iteration => Some(number(ArgKey::Iteration, event.what)),
            _ => Some(Arg { key: ArgKey::Kind, value: ArgValue::Word(kind.name()) }),
        };
        let slice =
            Slice { args: args.as_slice(), mark, ..Slice::new(SliceKind::Phase(kind), name, 0) };
        out.note(mark);
        out.to.emit(at, &Event::PhaseBegin(here, slice));
        Outcome::Interpreted
    }

    /// Ends the innermost `count` phases of a thread.
    fn end_phases(&mut self, t: ThreadRef, at: u64, count: usize, mark: Mark) {
        for _ in 0..count {
            if self.phases.end(t) {
                let here = self.thread(t).here;
                self.out.note(mark);
                self.out.to.emit(at, &Event::PhaseEnd(here, mark));
            }
        }
    }

    /// Ends all phases of a thread that ends.
    pub(super) fn end_phases_of(&mut self, t: ThreadRef, at: u64) {
        let count = self.phases.above(t, 0);
        self.end_phases(t, at, count, Mark::Inferred);
    }

    /// Nothing is recorded from `at` on: which phases end then is not known.
    pub(super) fn cut_phases(&mut self, at: u64) {
        for (t, count) in self.phases.open_threads() {
            self.end_phases(t, at, count, Mark::Cut);
        }
    }
}
