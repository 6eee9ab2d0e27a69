//! Slices and instants of the timeline as events of an archive.

use ompttrace_model::ompt::{Command, DataOp, Work};
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Executor, Instant, InstantKind, Item, NameRef, OnDevice, Slice,
    SliceKind,
};

use crate::archive_state::{Begin, BeginAction};
use crate::segment::Marker;
use crate::session::Session;
use crate::tables::kinds::{Shape, schedule};
use ompttrace_recording::Id;

impl Session {
    #[inline(never)]
    pub(crate) fn encode_begin(&mut self, at: u64, executor: Executor, slice: &Slice<'_>) {
        let Slice { kind, name, source, resumed, .. } = *slice;
        let mut region = self.tables.region(Shape::Slice(kind), name, source);
        self.attributes.clear();
        self.tables.certainty_into(slice.mark, &mut self.attributes);
        if slice.context != 0 {
            self.attributes.extend(self.tables.context(slice.context));
        }
        let more = match kind {
            SliceKind::ImplicitTask | SliceKind::Task => BeginAction::Nothing,
            SliceKind::InitialTask => BeginAction::Program { os_thread: self.os_thread(executor) },
            SliceKind::Region { .. } => {
                let requested = number(slice.args, ArgKey::Requested).unwrap_or(0);
                BeginAction::Fork {
                    region: slice.task,
                    requested: requested.min(u64::from(u32::MAX)) as u32,
                    os_thread: self.os_thread(executor),
                }
            }
            SliceKind::Work(Work::SingleExecutor) => {
                BeginAction::Block(self.tables.region(Shape::SingleBlock, name, source))
            }
            SliceKind::Work(work) => BeginAction::Loop {
                schedule: schedule(work).map(|word| self.tables.strings.word(word)),
                iterations: number(slice.args, ArgKey::Count),
            },
            SliceKind::MutexWait(mutex) if !mutex.is_lock() => {
                let wait = region;
                region = self.locks.construct(&mut self.tables, mutex, name, source);
                self.take_args_of_wait(name, slice.args);
                BeginAction::Block(wait)
            }
            SliceKind::MutexWait(_) => {
                self.take_args_of_wait(name, slice.args);
                BeginAction::Nothing
            }
            SliceKind::DataOp(operation) => {
                self.take_args(slice.args);
                self.transfer(operation, slice.args)
            }
            SliceKind::Device(activity) => {
                self.take_args(slice.args);
                self.copy(executor, activity, slice.args)
            }
            _ => {
                self.take_args(slice.args);
                BeginAction::Nothing
            }
        };
        let attributes = std::mem::take(&mut self.attributes);
        let begin = Begin { kind, region, attributes: &attributes, resumed, more };
        self.each(executor, |archive_state, track| archive_state.begin(track, at, &begin));
        self.attributes = attributes;
    }

    fn take_args(&mut self, args: &[Arg]) {
        for arg in args {
            let attribute = self.tables.attribute(arg);
            // libotf2 takes each attribute of an event once.
            if !self.attributes.iter().any(|other| other.key == attribute.key) {
                self.attributes.push(attribute);
            }
        }
    }

    /// As [`Session::take_args`], of a wait for a mutex.
    #[inline]
    fn take_args_of_wait(&mut self, name: NameRef, args: &[Arg]) {
        // With the wait's own attributes in front those of the arguments may be others.
        if !self.attributes.is_empty() {
            return self.take_args(args);
        }
        match self.lock_attributes.of(name, args) {
            Some(known) => self.attributes.extend_from_slice(known),
            None => {
                self.take_args(args);
                self.lock_attributes.keep(name, args, &self.attributes);
            }
        }
    }

    fn take_items(&mut self, items: &[Item]) {
        for (at, item) in items.iter().enumerate() {
            self.tables.item_into(at, item, &mut self.attributes);
        }
    }

    fn transfer(&mut self, operation: DataOp, args: &[Arg]) -> BeginAction {
        let (key, put) = match operation {
            DataOp::TransferToDevice | DataOp::TransferToDeviceAsync => {
                (ArgKey::DestinationDevice, true)
            }
            DataOp::TransferFromDevice | DataOp::TransferFromDeviceAsync => {
                (ArgKey::SourceDevice, false)
            }
            _ => return BeginAction::Nothing,
        };
        // Copies are transfers of the streams then.
        if self.has_streams() {
            return BeginAction::Nothing;
        }
        let device = args.iter().find(|arg| arg.key == key).map(|arg| arg.value);
        let Some(ArgValue::Signed(device)) = device else { return BeginAction::Nothing };
        let window = self.tables.device(device);
        let bytes = number(args, ArgKey::Bytes).unwrap_or(0);
        BeginAction::Transfer { window, bytes, put, of_stream: false }
    }

    /// A copy or a migration between host and device: the stream gets it from the host, or puts it there, as in Score-P's archives.
    fn copy(&mut self, executor: Executor, activity: OnDevice, args: &[Arg]) -> BeginAction {
        let put = match activity {
            OnDevice::CopyToDevice | OnDevice::MigrateToDevice => false,
            OnDevice::CopyFromDevice | OnDevice::MigrateFromDevice => true,
            _ => return BeginAction::Nothing,
        };
        let Some(device) = self.device_of(executor) else { return BeginAction::Nothing };
        let window = self.tables.device(device);
        let bytes = number(args, ArgKey::Bytes).unwrap_or(0);
        BeginAction::Transfer { window, bytes, put, of_stream: true }
    }

    #[inline(never)]
    pub(crate) fn encode_instant(&mut self, at: u64, executor: Executor, instant: &Instant<'_>) {
        let Instant { kind, name, source, .. } = *instant;
        // A location begins with its first event and ends with its last.
        if kind == InstantKind::ThreadEnd {
            self.each(executor, |archive_state, track| {
                archive_state.thread_over(executor.thread, track)
            });
        }
        // Messages have records of their own.
        let is_message = matches!(kind, InstantKind::MpiReceived | InstantKind::MpiCompleted);
        if is_message || matches!(kind, InstantKind::ThreadBegin | InstantKind::ThreadEnd) {
            return;
        }
        let region = self.tables.region(Shape::Instant(kind), name, source);
        self.attributes.clear();
        self.tables.certainty_into(instant.mark, &mut self.attributes);
        self.take_items(instant.items);
        if kind == InstantKind::TaskCreate {
            return self.encode_creation(at, executor, instant, region);
        }
        self.take_args(instant.args);
        let attributes = std::mem::take(&mut self.attributes);
        self.each(executor, |archive_state, track| {
            archive_state.instant(track, at, region, &attributes)
        });
        self.attributes = attributes;
        match kind {
            InstantKind::Control => self.encode_control(at, executor, instant),
            InstantKind::Lost | InstantKind::Error => self.encode_trouble(at, executor, instant),
            _ => {}
        }
    }

    /// The new task is reported by its creation; what else is reported of it are attributes.
    #[inline]
    fn encode_creation(&mut self, at: u64, executor: Executor, instant: &Instant<'_>, region: u32) {
        let task = match instant.args {
            [Arg { key: ArgKey::Task, value: ArgValue::Id(task) }, rest @ ..] => {
                self.take_args(rest);
                *task
            }
            _ => Id::NONE,
        };
        let attributes = std::mem::take(&mut self.attributes);
        self.each(executor, |archive_state, track| {
            if task.is_none() || task.is_implicit() {
                archive_state.instant(track, at, region, &attributes);
            } else {
                archive_state.task_create(track, at, task, region, &attributes);
            }
        });
        self.attributes = attributes;
    }

    #[cold]
    fn encode_control(&mut self, at: u64, executor: Executor, instant: &Instant<'_>) {
        let command = number(instant.args, ArgKey::Command).map(Command::from);
        let text = self.text_of(instant);
        let from_program = instant.args.iter().any(|arg| arg.key == ArgKey::Result);
        let marker = crate::marks::CONTROL;
        self.mark(at, executor, marker, &text);
        if let (Some(Command::Start | Command::Pause), false) = (command, from_program) {
            let on = command == Some(Command::Start);
            self.each(executor, |archive_state, track| archive_state.measurement(track, at, on));
        }
    }

    #[cold]
    fn encode_trouble(&mut self, at: u64, executor: Executor, instant: &Instant<'_>) {
        let text = self.text_of(instant);
        let lost = instant.kind == InstantKind::Lost;
        self.reports_loss |= lost;
        let marker = if lost { crate::marks::LOST } else { crate::marks::ERROR };
        self.mark(at, executor, marker, &text);
    }

    /// An instant in words: its name and its arguments.
    fn text_of(&self, instant: &Instant<'_>) -> String {
        let name = |name| self.tables.strings.text(self.tables.name(name));
        let value = |value| match value {
            ArgValue::Number(value) => value.to_string(),
            ArgValue::Signed(value) => value.to_string(),
            ArgValue::Address(value) => format!("{value:#x}"),
            ArgValue::Id(id) => id.to_string(),
            ArgValue::Text(text) => name(text).to_owned(),
            ArgValue::Word(word) => word.to_owned(),
        };
        let args =
            instant.args.iter().map(|arg| format!(", {} {}", arg.key.name(), value(arg.value)));
        format!("{}{}", name(instant.name), args.collect::<String>())
    }

    fn mark(&mut self, at: u64, executor: Executor, marker: u32, text: &str) {
        self.each(executor, |archive_state, track| {
            archive_state.markers.push(Marker { at, marker, track, text: text.to_owned() });
        });
    }
}

/// The first argument of this key that is a number without sign.
fn number(args: &[Arg], key: ArgKey) -> Option<u64> {
    args.iter().find(|arg| arg.key == key).and_then(|arg| match arg.value {
        ArgValue::Number(value) => Some(value),
        _ => None,
    })
}
