//! Messages and collective operations between clocks: when those for which others wait come, and when the others go on.

use super::Side;
use ompttrace_model::MESSAGE_FLOW;

/// The bit of a node's number that says that it is a collective operation.
const OPERATION: u64 = 1 << 63;
/// No time.
const NEVER: u64 = u64::MAX;

/// Two times of different clocks, the first of which counts for all clocks but its own.
#[derive(Clone, Copy, Debug)]
struct OfClocks {
    first: (u64, u32),
    second: u64,
}

impl OfClocks {
    /// The time for a clock, which is that of another one.
    fn of_others(&self, clock: u32) -> u64 {
        if self.first.1 == clock { self.second } else { self.first.0 }
    }

    /// Takes a time if it is `better` than the one that there is.
    fn add(&mut self, time: u64, clock: u32, better: impl Fn(u64, u64) -> bool) {
        let (known, of) = self.first;
        if clock == of {
            self.first.0 = if better(time, known) { time } else { known };
        } else if better(time, known) {
            *self = OfClocks { first: (time, clock), second: known };
        } else if better(time, self.second) {
            self.second = time;
        }
    }
}

/// A collective operation.
#[derive(Clone, Copy, Debug)]
struct Operation {
    /// Ranks that have not come yet, of those for which others wait.
    missing: u32,
    /// The latest time at which one came.
    last: OfClocks,
    /// The earliest time at which one that waits goes on.
    earliest: OfClocks,
}

/// A message: the times at which it is sent and received.
#[derive(Clone, Copy, Debug)]
struct Message {
    sent: u64,
    received: u64,
}

/// All of them, by the numbers that sides have.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    messages: Vec<Message>,
    operations: Vec<Operation>,
    latency: u64,
}

impl Nodes {
    /// Gives each side the number of its node. Sides are in the order of numbers in the job; those are left out of which the other
    /// side is not known, or is on the same clock.
    pub(super) fn of(sides: &mut Vec<Side>, latency: u64) -> Nodes {
        let mut nodes = Nodes { latency, ..Nodes::default() };
        let mut kept = 0;
        let mut begin = 0;
        while let Some(first) = sides.get(begin).copied() {
            let all = sides.get(begin..).unwrap_or_default();
            let count = all.iter().take_while(|side| side.id == first.id).count();
            let all = all.get(..count).unwrap_or_default();
            let gives = all.iter().filter(|side| side.gives).count();
            let is_between = all.iter().any(|side| side.clock != first.clock);
            let is_odd = first.id & MESSAGE_FLOW != 0 && count != 2;
            if is_between && gives > 0 && gives < count && !is_odd {
                let node = nodes.add(first.id, gives as u32);
                for at in begin..begin + count {
                    let Some(side) = sides.get(at).copied() else { continue };
                    if let Some(to) = sides.get_mut(kept) {
                        *to = Side { id: node, ..side };
                        kept += 1;
                    }
                }
            }
            begin += count;
        }
        sides.truncate(kept);
        nodes
    }

    fn add(&mut self, id: u64, missing: u32) -> u64 {
        if id & MESSAGE_FLOW != 0 {
            self.messages.push(Message { sent: NEVER, received: NEVER });
            return self.messages.len() as u64 - 1;
        }
        let none = |time| OfClocks { first: (time, u32::MAX), second: time };
        self.operations.push(Operation { missing, last: none(0), earliest: none(NEVER) });
        (self.operations.len() as u64 - 1) | OPERATION
    }

    fn operation(&mut self, node: u64) -> Option<&mut Operation> {
        self.operations.get_mut((node & !OPERATION) as usize)
    }

    fn known_operation(&self, node: u64) -> Option<&Operation> {
        self.operations.get((node & !OPERATION) as usize)
    }

    /// The final time of an event of a message.
    pub(super) fn is_finally(&mut self, side: &Side, time: u64) {
        if Nodes::is_message(side.id)
            && let Some(message) = self.messages.get_mut(side.id as usize)
        {
            *(if side.gives { &mut message.sent } else { &mut message.received }) = time;
        }
    }

    /// Messages that are received before they are sent.
    pub(super) fn backwards(&self) -> u64 {
        self.messages.iter().filter(|message| message.received < message.sent).count() as u64
    }

    /// True for a message.
    fn is_message(node: u64) -> bool {
        node & OPERATION == 0
    }

    /// One for which others wait comes; true if it is the last one.
    pub(super) fn comes(&mut self, side: &Side, time: u64) -> bool {
        if Nodes::is_message(side.id) {
            if let Some(message) = self.messages.get_mut(side.id as usize) {
                message.sent = time;
            }
            return true;
        }
        let Some(operation) = self.operation(side.id) else { return true };
        operation.missing = operation.missing.saturating_sub(1);
        operation.last.add(time, side.clock, |one, other| one > other);
        operation.missing == 0
    }

    /// The earliest time at which one that waits can go on, 0 where it waits for no other clock; `None`: not all have come.
    pub(super) fn needed(&self, side: &Side) -> Option<u64> {
        if Nodes::is_message(side.id) {
            let sent = self.messages.get(side.id as usize)?.sent;
            return (sent != NEVER).then(|| sent.saturating_add(self.latency));
        }
        let operation = self.known_operation(side.id)?;
        let is_complete = operation.missing == 0;
        is_complete.then(|| self.after(operation.last.of_others(side.clock)))
    }

    fn after(&self, time: u64) -> u64 {
        if time == 0 { 0 } else { time.saturating_add(self.latency) }
    }

    /// One that waits goes on.
    pub(super) fn goes_on(&mut self, side: &Side, time: u64) {
        if Nodes::is_message(side.id) {
            if let Some(message) = self.messages.get_mut(side.id as usize) {
                message.received = time;
            }
        } else if let Some(operation) = self.operation(side.id) {
            operation.earliest.add(time, side.clock, |one, other| one < other);
        }
    }

    /// The latest time at which one for which others wait may come.
    pub(super) fn latest(&self, side: &Side) -> u64 {
        let earliest = match Nodes::is_message(side.id) {
            true => self.messages.get(side.id as usize).map(|message| message.received),
            false => self.known_operation(side.id).map(|one| one.earliest.of_others(side.clock)),
        };
        match earliest {
            None | Some(NEVER) => NEVER,
            Some(time) => time.saturating_sub(self.latency),
        }
    }
}
