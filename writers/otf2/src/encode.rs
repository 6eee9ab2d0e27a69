//! Slices and instants of the timeline as events of an archive.

use ompttrace_model::ompt::{Command, DataOp, Work};
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Executor, Instant, InstantKind, Item, Mark, OnDevice, Slice, SliceKind,
};

use crate::archive_state::{Alike, Begin, BeginAction};
use crate::events::{each, only};
use crate::ids::RegionId;
use crate::op::Attributes;
use crate::segment::Marker;
use crate::session::Session;
use crate::tables::kinds::{Shape, schedule};
use ompttrace_recording::Id;

impl Session {
    #[inline(never)]
    pub(crate) fn encode_begin(&mut self, at: u64, executor: Executor, slice: &Slice<'_>) {
        let Slice { kind, name, source, resumed, .. } = *slice;
        let is_plain = slice.mark == Mark::Observed && slice.context == 0;
        let Some(alike) = self.slices.alike(kind, name, source, args_of(slice)) else {
            return self.encode_new_begin(at, executor, slice, is_plain);
        };
        if !is_plain {
            return self.encode_new_begin(at, executor, slice, is_plain);
        }
        self.tables.used(alike.region);
        if let BeginAction::Block(block) = alike.more {
            self.tables.used(block);
        }
        if let Some((only, track)) = only(&mut self.archive_states, executor) {
            return only.begin(track, at, kind, resumed, alike);
        }
        each(&mut self.archive_states, executor, move |archive_state, track| {
            archive_state.begin(track, at, kind, resumed, alike)
        });
    }

    /// A begin that is not as one before.
    #[inline(never)]
    fn encode_new_begin(&mut self, at: u64, executor: Executor, slice: &Slice<'_>, is_plain: bool) {
        let Slice { kind, name, source, resumed, .. } = *slice;
        let mut region =
            self.slices.used_region(&mut self.tables, Shape::Slice, (kind, name, source));
        self.attributes.clear();
        self.tables.certainty_into(slice.mark, &mut self.attributes);
        if slice.context != 0 {
            self.attributes.extend(self.tables.context(slice.context));
        }
        let more = self.action(executor, slice, &mut region);
        let attributes = std::mem::take(&mut self.attributes);
        if is_plain && is_alike(more) {
            self.slices.keep(name, args_of(slice), || {
                let list = (!attributes.is_empty()).then(|| self.tables.list(&attributes));
                Alike { region, list, more }
            });
        }
        let begin =
            Begin { kind, region, attributes: Attributes::These(&attributes), resumed, more };
        self.each(executor, |archive_state, track| archive_state.begin_any(track, at, &begin));
        self.attributes = attributes;
    }

    /// Action at the begin of a slice, which may have another region; its arguments become attributes.
    fn action(
        &mut self,
        executor: Executor,
        slice: &Slice<'_>,
        region: &mut RegionId,
    ) -> BeginAction {
        let Slice { kind, name, source, args, .. } = *slice;
        match kind {
            SliceKind::ImplicitTask | SliceKind::Task => BeginAction::Nothing,
            SliceKind::InitialTask => BeginAction::Program { os_thread: self.os_thread(executor) },
            SliceKind::Region { .. } => {
                let requested = number(args, ArgKey::Requested).unwrap_or(0);
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
                iterations: number(args, ArgKey::Count),
            },
            SliceKind::MutexWait(mutex) if !mutex.is_lock() => {
                let wait = *region;
                *region = self.locks.construct(&mut self.tables, mutex, name, source);
                self.take_args(args);
                BeginAction::Block(wait)
            }
            SliceKind::DataOp(operation) => {
                self.take_args(args);
                self.transfer(operation, args)
            }
            SliceKind::Device(activity) => {
                self.take_args(args);
                self.copy(executor, activity, args)
            }
            SliceKind::ToolWait => {
                self.take_args(args);
                BeginAction::Tool
            }
            _ => {
                self.take_args(args);
                BeginAction::Nothing
            }
        }
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
        let is_plain = instant.mark == Mark::Observed && instant.items.is_empty();
        let (task, args) = created(instant);
        let alike = self.instants.alike(kind, name, source, args);
        let Some(&Alike { region, list, .. }) = alike.filter(|_| is_plain) else {
            return self.encode_new_instant(at, executor, instant, is_plain);
        };
        self.tables.used(region);
        self.put_instant(at, executor, task, region, Attributes::Kept(list));
    }

    /// An instant that is not as one before.
    #[inline(never)]
    fn encode_new_instant(
        &mut self,
        at: u64,
        executor: Executor,
        instant: &Instant<'_>,
        is_plain: bool,
    ) {
        let Instant { kind, name, source, .. } = *instant;
        let region =
            self.instants.used_region(&mut self.tables, Shape::Instant, (kind, name, source));
        let (task, args) = created(instant);
        self.attributes.clear();
        self.tables.certainty_into(instant.mark, &mut self.attributes);
        self.take_items(instant.items);
        self.take_args(args);
        let attributes = std::mem::take(&mut self.attributes);
        let trouble = matches!(kind, InstantKind::Lost | InstantKind::Error);
        if is_plain && !trouble && kind != InstantKind::Control {
            self.instants.keep(name, args, || {
                let list = (!attributes.is_empty()).then(|| self.tables.list(&attributes));
                Alike { region, list, more: BeginAction::Nothing }
            });
        }
        self.put_instant(at, executor, task, region, Attributes::These(&attributes));
        self.attributes = attributes;
        match kind {
            InstantKind::Control => self.encode_control(at, executor, instant),
            _ if trouble => self.encode_trouble(at, executor, instant),
            _ => {}
        }
    }

    /// Writes an instant, the creation of a task if there is one: what else is reported of it are attributes.
    #[inline(always)]
    fn put_instant(
        &mut self,
        at: u64,
        executor: Executor,
        task: Id,
        region: RegionId,
        attributes: Attributes<'_>,
    ) {
        if task.is_none() || task.is_implicit() {
            self.each(executor, move |archive_state, track| {
                archive_state.instant(track, at, region, attributes)
            });
        } else if let Some((only, track)) = only(&mut self.archive_states, executor) {
            only.task_create(track, at, task, region, attributes);
        } else {
            self.each(executor, move |archive_state, track| {
                archive_state.task_create(track, at, task, region, attributes)
            });
        }
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

/// Arguments of a slice that an archive has.
#[inline(always)]
fn args_of<'a>(slice: &Slice<'a>) -> &'a [Arg] {
    match slice.kind {
        SliceKind::ImplicitTask | SliceKind::Task => &[],
        _ => slice.args,
    }
}

/// The task that an instant creates, and its other arguments; none, and all arguments, of other instants.
#[inline(always)]
fn created<'a>(instant: &Instant<'a>) -> (Id, &'a [Arg]) {
    match (instant.kind, instant.args) {
        (
            InstantKind::TaskCreate,
            [Arg { key: ArgKey::Task, value: ArgValue::Id(task) }, rest @ ..],
        ) => (*task, rest),
        (InstantKind::TaskCreate, _) => (Id::NONE, &[]),
        (_, args) => (Id::NONE, args),
    }
}

/// True if slices of the same look and arguments have the same action.
fn is_alike(action: BeginAction) -> bool {
    match action {
        BeginAction::Nothing
        | BeginAction::Tool
        | BeginAction::Block(_)
        | BeginAction::Loop { .. } => true,
        BeginAction::Fork { .. } | BeginAction::Program { .. } | BeginAction::Transfer { .. } => {
            false
        }
    }
}

/// The first argument of this key that is a number without sign.
fn number(args: &[Arg], key: ArgKey) -> Option<u64> {
    args.iter().find(|arg| arg.key == key).and_then(|arg| match arg.value {
        ArgValue::Number(value) => Some(value),
        _ => None,
    })
}
