//! Instants: control and flush.

use super::{Interpreter, Outcome};
use crate::code::Code;
use crate::names::{NameAndSource, Subject};
use crate::out::{Details, number, word};
use ompttrace_model::ompt::Command;
use ompttrace_model::{Arg, ArgKey, ArgValue, InstantKind};
use ompttrace_recording::events::{Control, ControlTool, Flush};

impl Interpreter<'_> {
    /// An instant of whichever task runs.
    pub(super) fn simple(
        &mut self,
        t: u32,
        at: u64,
        kind: InstantKind,
        named: NameAndSource,
        args: &[Arg],
    ) -> Outcome {
        let thread = &mut self.threads[t as usize];
        let task = thread.current;
        self.out.instant(thread, at, kind, named, task, Details::args(args));
        Outcome::Interpreted
    }

    pub(super) fn flush(&mut self, t: u32, at: u64, event: &Flush) -> Outcome {
        let code = Code::new(event.code, event.kind);
        let named = self.names.at(&mut self.out.to.definitions, Subject::Flush, code);
        self.simple(t, at, InstantKind::Flush, named, &[])
    }

    pub(super) fn control_tool(&mut self, t: u32, at: u64, event: &ControlTool) -> Outcome {
        let code = Code::new(event.code, event.kind);
        let subject = Subject::ControlTool(event.command.into());
        let named = self.names.at(&mut self.out.to.definitions, subject, code);
        let result = ArgValue::Signed(event.result as i64);
        let args = [
            number(ArgKey::Command, event.command),
            number(ArgKey::Modifier, event.modifier),
            Arg { key: ArgKey::Result, value: result },
        ];
        self.simple(t, at, InstantKind::Control, named, &args)
    }

    pub(super) fn control(&mut self, t: u32, at: u64, event: &Control) -> Outcome {
        let command = Command::from(event.command);
        if matches!(command, Command::Start | Command::Pause) {
            self.paused = Some(at);
        }
        match command {
            Command::Start => self.off = false,
            Command::Pause => (self.off, self.last_pause) = (true, Some(at)),
            Command::End => self.off = true,
            Command::Flush | Command::Unknown => {}
        }
        if self.off {
            self.communicators.objects.gap();
            self.forget_cores(at);
            self.cut_phases(at);
        }
        let (subject, code) = (Subject::Control(command), Code::default());
        let named = self.names.at(&mut self.out.to.definitions, subject, code);
        let origin = match event.origin {
            0 => "ompt_control",
            1 => "omp_control_tool",
            3 => "MPI_Pcontrol",
            4 => "ompttrace control",
            _ => "the tool itself",
        };
        let args = [
            number(ArgKey::Command, event.command),
            number(ArgKey::Modifier, event.modifier),
            word(ArgKey::Origin, origin),
        ];
        self.simple(t, at, InstantKind::Control, named, &args)
    }

    /// The last runtime ended at `at` although the program went on.
    pub(super) fn runtimes_end(&mut self, at: u64) {
        let (subject, code) = (Subject::Silence, Code::default());
        let named = self.names.at(&mut self.out.to.definitions, subject, code);
        if !self.threads.is_empty() {
            self.simple(0, at, InstantKind::Control, named, &[]);
        }
    }
}
