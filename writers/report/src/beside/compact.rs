//! Events of the frequent kinds in few bytes, to be handed to another thread.

use ompttrace_model::{
    Arg, ArgKey, ArgValue, Core, Event, Instant, InstantKind, LockRef, NameRef, SliceKind,
    SourceRef, State, ompt,
};
use ompttrace_recording::Id;

/// A number that is mostly small. Events with larger ones are passed on as they are.
pub(super) type Short = u16;

/// An id or address, without the alignment of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word([u32; 2]);

impl Word {
    pub(super) fn of(word: u64) -> Word {
        Word([word as u32, (word >> 32) as u32])
    }

    pub(super) fn id(self) -> Id {
        Id(self.get())
    }

    pub(super) fn get(self) -> u64 {
        u64::from(self.0[0]) | u64::from(self.0[1]) << 32
    }
}

/// An event of a frequent kind, as far as reports read it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compact {
    Begin {
        thread: Short,
        kind: SliceKind,
        name: Short,
        source: Short,
        args: u8,
    },
    Resume {
        thread: Short,
        kind: SliceKind,
        name: Short,
        source: Short,
    },
    End {
        thread: Short,
    },
    Suspend {
        thread: Short,
        slices: u8,
    },
    TaskCreate {
        thread: Short,
    },
    TaskRuns {
        thread: Short,
        task: Word,
    },
    TaskEnd {
        thread: Short,
        task: Word,
    },
    LockRequested {
        thread: Short,
        kind: ompt::Mutex,
        wait_id: Word,
    },
    LockAcquired {
        thread: Short,
        lock: LockRef,
    },
    HoldBegin {
        thread: Short,
        lock: LockRef,
        source: SourceRef,
    },
    HoldEnd {
        lock: LockRef,
    },
    Core {
        thread: Short,
        core: Core,
    },
    State {
        thread: Short,
        state: Option<State>,
    },
    /// Any other event, the next in the list of those.
    Other,
    /// Not an event: the next definitions apply from here on.
    Defined,
}

/// The creation of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskCreate {
    task: Id,
    name: NameRef,
    source: SourceRef,
    flags: Option<NameRef>,
}

/// Any other event with its time, without its arguments; how many of these there are in the list.
pub(super) type Other = (u64, Event<'static>, usize);

// With its time: what passes from core to core costs more than to make it.
const _: () = assert!(size_of::<(u32, Compact)>() == 16);

impl TaskCreate {
    /// `None`: it is something else, or has more to say.
    pub(super) fn of(instant: &Instant<'_>) -> Option<TaskCreate> {
        let Instant { kind: InstantKind::TaskCreate, name, source, args, .. } = *instant else {
            return None;
        };
        let (mut task, mut flags) = (None, None);
        for arg in args {
            match (arg.key, arg.value) {
                (ArgKey::Task, ArgValue::Id(id)) => task = task.or(Some(id)),
                (ArgKey::Flags, ArgValue::Text(text)) if flags.is_none() => flags = Some(text),
                (ArgKey::Flags, ArgValue::Text(_)) => return None,
                _ => {}
            }
        }
        Some(TaskCreate { task: task?, name, source, flags })
    }

    /// Calls `take` with the instant.
    #[inline(always)]
    pub(super) fn with_instant(self, take: impl FnOnce(Instant<'_>)) {
        let TaskCreate { task, name, source, flags } = self;
        let task = Arg { key: ArgKey::Task, value: ArgValue::Id(task) };
        let flags_of = |text| Arg { key: ArgKey::Flags, value: ArgValue::Text(text) };
        let args = [task, flags_of(flags.unwrap_or_default())];
        let args = if flags.is_some() { &args[..] } else { &args[..1] };
        take(Instant { args, ..Instant::new(InstantKind::TaskCreate, name, source) });
    }
}
