//! Records whose meaning, list or text is reported by those that follow them on their thread.

use super::{Interpreter, Outcome};
use crate::names::{NameAndSource, words};
use crate::out::{Details, number};
use crate::state::pending::{Acquire, FailedTests, Gather, MAX_ITEMS, MAX_TEXT, Pending, Step};
use ompttrace_model::{Arg, ArgKey, ArgValue, InstantKind, Item, Mark, ompt};
use ompttrace_recording::Id;
use ompttrace_recording::events::{Dependence, Dependences, Event, MapItem, Record, Text};
use std::cmp::Reverse;

impl Interpreter<'_> {
    /// Handles the pending record of a thread before `record`, which may belong to it or end it. Returns true if
    /// `record` became a part of it, and has no other meaning.
    #[cold]
    pub(super) fn before(&mut self, t: u32, at: u64, record: &Record<'_>) -> bool {
        let event = record.event();
        self.end_tool_wait(t, at);
        if let Pending::Acquire(acquire) = self.thread(t).pending {
            self.before_acquired(t, at, acquire, &event);
            return false;
        }
        if let Pending::Cancelled(cancelled) = self.thread(t).pending {
            self.before_left(t, cancelled, &event, record.code.scope());
            return false;
        }
        if self.goes_with_sinks(t, &event) {
            return false;
        }
        let taken = self.takes(t, &event) || self.waits_during(t, at, &event);
        if !taken {
            self.settle(t);
        } else if self.is_whole(t, &event) {
            self.gathered(t);
        }
        taken && !matches!(event, Event::CodeSite(_) | Event::ThreadInfo(_))
    }

    fn before_acquired(&mut self, t: u32, at: u64, acquire: Acquire, event: &Event) {
        match event {
            Event::MutexAcquired(event) if event.wait_id == acquire.wait_id => {}
            Event::NestLock(event) if event.wait_id == acquire.wait_id => {}
            Event::MutexAcquire(event) if acquire.is_repeated_by(event) => {}
            Event::CodeSite(_) | Event::ThreadInfo(_) | Event::Text(_) => {}
            Event::Wait(_) | Event::Lost(_) if acquire.shown => {}
            // Whether it will have failed is not known yet; those before it have.
            Event::Wait(_) | Event::Lost(_) if acquire.is_test() => {
                self.tests_failed(t, &acquire, acquire.failed);
                let failed = FailedTests::default();
                self.thread(t).pending = Pending::Acquire(Acquire { failed, ..acquire });
            }
            Event::Wait(_) | Event::Lost(_) => {
                let shown = self.show_wait(t, acquire);
                self.thread(t).pending = Pending::Acquire(Acquire { shown, ..acquire });
            }
            _ => {
                self.thread(t).pending = Pending::None;
                if acquire.shown {
                    self.close_top(t, at, Mark::Inferred);
                } else {
                    self.went_without(t, &acquire);
                }
            }
        }
    }

    /// Reports what is pending on a thread, because something else is to be reported of it.
    pub(super) fn settle(&mut self, t: u32) {
        self.end_tool_wait(t, self.now);
        match std::mem::take(&mut self.thread(t).pending) {
            Pending::None | Pending::ToolWait(..) => {}
            Pending::Acquire(acquire) if acquire.shown => {}
            Pending::Acquire(acquire) if acquire.is_test() => self.went_without(t, &acquire),
            // It waits still, and closing the thread's slices closes this one, too.
            Pending::Acquire(acquire) => drop(self.show_wait(t, acquire)),
            Pending::Gather(gather) => self.emit_gathered(t, *gather),
            Pending::Cancelled(cancelled) => self.leave_cancelled(t, cancelled),
            Pending::Sinks(sinks) => self.report_sinks(t, sinks),
        }
    }

    /// Reports the instant that was gathered on a thread: its list and text are complete.
    fn gathered(&mut self, t: u32) {
        match std::mem::take(&mut self.thread(t).pending) {
            Pending::Gather(gather) => match gather.step {
                Some(step) => self.iteration(t, *gather, step),
                None => self.emit_gathered(t, *gather),
            },
            other => self.thread(t).pending = other,
        }
    }

    /// Reports an instant with what was gathered of it so far.
    pub(super) fn emit_gathered(&mut self, t: u32, mut gather: Gather) {
        self.report_sinks(t, std::mem::take(&mut gather.sinks));
        let left_out = gather.items_left.saturating_add(gather.left_out);
        if left_out > 0 {
            gather.args.push(number(ArgKey::LeftOut, left_out));
        }
        if !gather.text.is_empty() {
            let text = String::from_utf8_lossy(&gather.text).into_owned();
            let name = self.names.text(&mut self.out.to.definitions, &text, || "text".into());
            let key = match gather.kind {
                InstantKind::Error => ArgKey::Message,
                InstantKind::DeviceLoad => ArgKey::File,
                _ => ArgKey::Kind,
            };
            if gather.kind == InstantKind::Native {
                gather.named.name = name;
            } else {
                gather.args.push(Arg { key, value: ArgValue::Text(name) });
            }
        }
        let thread = &mut self.threads[t as usize];
        let details = Details {
            args: &gather.args,
            items: &gather.items,
            flows: &gather.flows,
            flow_ends: gather.flow_end.as_slice(),
            mark: gather.mark,
            resumed: false,
        };
        self.out.instant(thread, gather.at, gather.kind, gather.named, gather.task, details);
        if let Some((at, wait, _)) = gather.tool_wait {
            // It is over, or something else is to be reported: its own time says when it was.
            self.tool_wait(t, at, &wait);
            self.end_tool_wait(t, self.now);
        }
    }

    /// Keeps a wait for the tool that interrupts the records of a list. Returns true if the event is such a wait.
    fn waits_during(&mut self, t: u32, at: u64, event: &Event) -> bool {
        let Event::Wait(wait) = event else { return false };
        let until = at.saturating_add(self.clock.distance(wait.ticks));
        let thread = &mut self.threads[t as usize];
        let Pending::Gather(gather) = &mut thread.pending else { return false };
        let during = gather.lacks_some() && gather.tool_wait.is_none();
        if during {
            gather.tool_wait = Some((at, *wait, until));
            self.tool_waits.push(Reverse((until, t)));
        }
        during
    }

    /// Returns true if iterations that the thread waited for stay pending, since the next one may follow.
    fn goes_with_sinks(&mut self, t: u32, event: &Event) -> bool {
        let goes =
            matches!(event, Event::Dependences(_) | Event::CodeSite(_) | Event::ThreadInfo(_));
        goes && matches!(self.thread(t).pending, Pending::Sinks(_))
    }

    /// Adds a record to the instant that is being gathered. Returns false if the record does not belong to it.
    fn takes(&mut self, t: u32, event: &Event) -> bool {
        if self.thread(t).pending.is_none() {
            return false;
        }
        let task = match event {
            Event::Dependences(event) => self.or_taskwait(t, Id(event.task)),
            _ => Id::NONE,
        };
        let thread = &mut self.threads[t as usize];
        let Pending::Gather(gather) = &mut thread.pending else { return false };
        match event {
            Event::Dependences(event) => {
                let same = !gather.owner.is_none() && task.started() == gather.owner;
                if same {
                    gather.items_left = event.count;
                }
                same
            }
            Event::Dependence(Dependence { variable, kind }) => gather.take_item(|gather| {
                let kind = ompt::Dependence::from(*kind);
                gather.step = step(kind);
                if gather.step.is_some() {
                    return Item::Iteration(*variable as i64);
                }
                let variable = self.names.variable(&mut self.out.to.definitions, *variable);
                Item::Dependence { kind: kind.name(), variable }
            }),
            Event::MapItem(MapItem { host, device_address, bytes, flags }) => {
                gather.take_item(|_| Item::Mapped {
                    kind: words::map(*flags),
                    variable: self.names.variable(&mut self.out.to.definitions, *host),
                    device_address: *device_address,
                    bytes: *bytes,
                })
            }
            Event::Text(text) => gather.take_text(text),
            Event::CodeSite(_) | Event::ThreadInfo(_) => true,
            _ => false,
        }
    }

    /// Returns true if this was the last record of the instant that is gathered. Then the instant is reported at once,
    /// before another thread continues from it, such as with a new task that runs already.
    fn is_whole(&mut self, t: u32, event: &Event) -> bool {
        let Pending::Gather(gather) = &self.thread(t).pending else { return false };
        let is_part = matches!(event, Event::Dependence(_) | Event::MapItem(_) | Event::Text(_));
        is_part && gather.items_left == 0 && gather.text_left == 0
    }

    /// Dependences that come apart from their task's creation.
    pub(super) fn dependences(&mut self, t: u32, at: u64, event: &Dependences) -> Outcome {
        let sinks = match std::mem::take(&mut self.thread(t).pending) {
            Pending::None => Vec::new(),
            Pending::Sinks(sinks) => sinks,
            other => {
                self.thread(t).pending = other;
                return Outcome::Interpreted;
            }
        };
        let (named, task) = (self.plain("dependences"), Id(event.task).started());
        let gather = Gather::new(at, InstantKind::TaskDependence, named, task);
        let gather = Gather { items_left: event.count, sinks, ..gather };
        self.thread(t).pending = Pending::Gather(Box::new(gather));
        Outcome::Interpreted
    }

    /// The name of a combination of flags: of tasks (table 0) or cancellations (table 1).
    #[inline(always)]
    pub(super) fn flag_name(&mut self, flags: u64, table: u8) -> u32 {
        match self.last_flags {
            Some((last, name)) if last == (flags, table) => name,
            _ => {
                let name = self.known_flag_name(flags, table);
                self.last_flags = Some(((flags, table), name));
                name
            }
        }
    }

    fn known_flag_name(&mut self, flags: u64, table: u8) -> u32 {
        const MAX_COMBINATIONS: usize = 4096;
        if let Some(name) = self.flag_names.get(&(flags, table)) {
            return *name;
        }
        let bits = if table == 0 { &words::TASK_FLAGS[..] } else { &words::CANCEL_FLAGS[..] };
        let text = words::flags(flags, bits);
        let name = self.names.text(&mut self.out.to.definitions, &text, || "flags".into());
        if self.flag_names.len() < MAX_COMBINATIONS {
            self.flag_names.insert((flags, table), name);
        }
        name
    }
}

impl Gather {
    pub(super) fn new(at: u64, kind: InstantKind, named: NameAndSource, task: Id) -> Gather {
        Gather {
            at,
            kind,
            named,
            task,
            owner: Id::NONE,
            args: Vec::new(),
            items: Vec::new(),
            flows: Vec::new(),
            flow_end: None,
            mark: Mark::Observed,
            step: None,
            sinks: Vec::new(),
            text: Vec::new(),
            text_left: 0,
            items_left: 0,
            left_out: 0,
            tool_wait: None,
        }
    }

    fn take_item(&mut self, item: impl FnOnce(&mut Gather) -> Item) -> bool {
        if self.items_left == 0 {
            return false;
        }
        self.items_left -= 1;
        if self.items.len() < MAX_ITEMS {
            let item = item(self);
            self.items.push(item);
        } else {
            self.left_out += 1;
        }
        true
    }

    fn take_text(&mut self, text: &Text) -> bool {
        if self.text_left == 0 {
            return false;
        }
        let words = [text.first, text.second, text.third];
        let bytes = words.iter().flat_map(|word| word.to_ne_bytes());
        let room = MAX_TEXT.saturating_sub(self.text.len()).min(self.text_left.min(24) as usize);
        self.text.extend(bytes.take(room));
        self.text_left = self.text_left.saturating_sub(24);
        true
    }
}

/// The step of a doacross loop that a dependence stands for; `None` for other dependences.
fn step(kind: ompt::Dependence) -> Option<Step> {
    match kind {
        ompt::Dependence::Source => Some(Step::Source),
        ompt::Dependence::Sink => Some(Step::Sink(None)),
        _ => None,
    }
}
