//! What slices and instants become.

use ompttrace_model::ompt::{Command, DataOp, Work};
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Executor, Instant, InstantKind, Item, Slice, SliceKind,
};

use crate::archive_state::Begin;
use crate::segment::Marker;
use crate::session::Session;
use crate::tables::kinds::{Shape, schedule};
use ompttrace_recording::Id;

impl Session {
    #[inline]
    pub(crate) fn encode_begin(&mut self, at: u64, executor: Executor, slice: &Slice<'_>) {
        let Slice { kind, name, source, resumed, .. } = *slice;
        let region = self.tables.region(Shape::Slice(kind), name, source);
        self.attributes.clear();
        self.tables.certainty_into(slice.mark, &mut self.attributes);
        if slice.context != 0 {
            self.attributes.extend(self.tables.context(slice.context));
        }
        let mut begin = Begin {
            kind,
            region,
            block: None,
            attributes: &[],
            resumed,
            fork: (Id::NONE, 0),
            schedule: None,
            iterations: None,
            transfer: None,
            os_thread: 0,
        };
        match kind {
            SliceKind::ImplicitTask | SliceKind::Task => {}
            SliceKind::InitialTask => begin.os_thread = self.os_thread(executor),
            SliceKind::Region { .. } => {
                begin.os_thread = self.os_thread(executor);
                let requested = number(slice.args, ArgKey::Requested).unwrap_or(0);
                begin.fork = (slice.task, requested.min(u64::from(u32::MAX)) as u32);
            }
            SliceKind::Work(work) => {
                if work == Work::SingleExecutor {
                    begin.block = Some(self.tables.region(Shape::SingleBlock, name, source));
                }
                begin.iterations = number(slice.args, ArgKey::Count);
                begin.schedule = schedule(work).map(|word| self.tables.strings.number(word));
            }
            SliceKind::MutexWait(mutex) if !mutex.is_lock() => {
                begin.block = Some(region);
                begin.region = self.locks.construct(&mut self.tables, mutex, name, source);
                self.take_args(slice.args);
            }
            SliceKind::DataOp(operation) => {
                begin.transfer = self.transfer(operation, slice.args);
                self.take_args(slice.args);
            }
            _ => self.take_args(slice.args),
        }
        let attributes = std::mem::take(&mut self.attributes);
        begin.attributes = &attributes;
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

    fn take_items(&mut self, items: &[Item]) {
        for (at, item) in items.iter().enumerate() {
            self.tables.item_into(at, item, &mut self.attributes);
        }
    }

    /// The device of a transfer, its bytes, and whether they go there.
    fn transfer(&mut self, operation: DataOp, args: &[Arg]) -> Option<(u32, u64, bool)> {
        let (key, put) = match operation {
            DataOp::TransferToDevice | DataOp::TransferToDeviceAsync => {
                (ArgKey::DestinationDevice, true)
            }
            DataOp::TransferFromDevice | DataOp::TransferFromDeviceAsync => {
                (ArgKey::SourceDevice, false)
            }
            _ => return None,
        };
        let device = args.iter().find(|arg| arg.key == key).map(|arg| arg.value);
        let Some(ArgValue::Signed(device)) = device else { return None };
        let device = self.tables.device(device);
        Some((device, number(args, ArgKey::Bytes).unwrap_or(0), put))
    }

    #[inline]
    pub(crate) fn encode_instant(&mut self, at: u64, executor: Executor, instant: &Instant<'_>) {
        let Instant { kind, name, source, .. } = *instant;
        // A location begins with its first event and ends with its last.
        if kind == InstantKind::ThreadEnd {
            self.each(executor, |archive_state, track| {
                archive_state.thread_over(executor.thread, track)
            });
        }
        if matches!(kind, InstantKind::ThreadBegin | InstantKind::ThreadEnd) {
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

    /// An instant in words: its name and what is reported of it.
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
