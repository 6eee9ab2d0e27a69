//! Counts of recorded and lost events, which `ompttrace info` prints.

mod devices;
mod mpi;

pub use devices::DeviceCounts;
pub use mpi::MpiCounts;
use ompttrace_model::ThreadInfo;
use ompttrace_recording::Recording;
use ompttrace_recording::events::{EventCode, Scope, stack};

/// Records of a recording, by event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Records read, by code byte (event number and scope).
    pub by_code: Box<[u64; 256]>,
    /// Records lost, by code byte.
    pub lost_by_code: Box<[u64; 256]>,
    /// Number of all records, including those of the recorder itself.
    pub records: u64,
    /// Number of bytes that decode to no known record.
    pub undecoded: u64,
    /// Number of times that a thread waited for the tool itself.
    pub tool_waits: u64,
    /// The sum of these waits, in ticks of the recording's clock.
    pub tool_wait_ticks: u64,
    /// Call stacks.
    pub stacks: StackCounts,
    /// Calls of MPI.
    pub mpi: MpiCounts,
    /// Counts of devices' activities.
    pub devices: DeviceCounts,
    /// Every thread, in the order of the recording.
    pub threads: Vec<ThreadCounts>,
}

/// Counts of recorded call stacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackCounts {
    /// Regions and tasks whose calling context was recorded.
    pub contexts: u64,
    /// Frames, each with its callers recorded once.
    pub frames: u64,
    /// Contexts whose outer frames are missing because there were too many.
    pub cut: u64,
    /// Contexts whose outer frames could not be found.
    pub broken: u64,
    /// Contexts for which the table of frames had no room.
    pub not_kept: u64,
    /// Time that it took to find all of them, in ticks of the recording's clock.
    pub took: u64,
    /// Longest time that it took to find one of them, in ticks of the recording's clock.
    pub longest: u64,
}

impl StackCounts {
    pub(crate) fn note(&mut self, flags: u64) {
        self.contexts += 1;
        self.cut += u64::from(flags & stack::CUT != 0);
        self.broken += u64::from(flags & stack::BROKEN != 0);
        self.not_kept += u64::from(flags & stack::FULL != 0);
        self.took += stack::took(flags);
        self.longest = self.longest.max(stack::took(flags));
    }

    fn add(&mut self, other: &StackCounts) {
        self.contexts += other.contexts;
        self.frames += other.frames;
        self.cut += other.cut;
        self.broken += other.broken;
        self.not_kept += other.not_kept;
        self.took += other.took;
        self.longest = self.longest.max(other.longest);
    }
}

/// Counts of one thread's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadCounts {
    /// Position of the thread in the recording.
    pub position: usize,
    /// Identity of the thread.
    pub thread: ThreadInfo,
    /// Number of the thread's records, including those of the recorder itself.
    pub records: u64,
    /// Time from the thread's first record to its last, in ticks of the recording's clock.
    pub ticks: u64,
    /// Time that the thread waited for the tool, in ticks of the recording's clock.
    pub waited: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Counts {
            by_code: Box::new([0; 256]),
            lost_by_code: Box::new([0; 256]),
            records: 0,
            undecoded: 0,
            tool_waits: 0,
            tool_wait_ticks: 0,
            stacks: StackCounts::default(),
            mpi: MpiCounts::default(),
            devices: DeviceCounts::default(),
            threads: Vec::new(),
        }
    }
}

impl Counts {
    /// Records of event `number` with `scope`.
    pub fn recorded(&self, number: u16, scope: Scope) -> u64 {
        one(&self.by_code, number, scope)
    }

    /// Records of event `number`, whatever their scope.
    pub fn recorded_all(&self, number: u16) -> u64 {
        all(&self.by_code, number)
    }

    /// Lost records of event `number` with `scope`.
    pub fn lost(&self, number: u16, scope: Scope) -> u64 {
        one(&self.lost_by_code, number, scope)
    }

    /// Lost records of event `number`, whatever their scope.
    pub fn lost_all(&self, number: u16) -> u64 {
        all(&self.lost_by_code, number)
    }

    /// All lost records.
    pub fn lost_sum(&self) -> u64 {
        self.lost_by_code.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Adds the counts of other threads.
    pub(crate) fn add(&mut self, other: &Counts) {
        let sum = |into: &mut [u64; 256], from: &[u64; 256]| {
            into.iter_mut().zip(from).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
        };
        sum(&mut self.by_code, &other.by_code);
        sum(&mut self.lost_by_code, &other.lost_by_code);
        self.records += other.records;
        self.undecoded += other.undecoded;
        self.tool_waits += other.tool_waits;
        self.tool_wait_ticks = self.tool_wait_ticks.saturating_add(other.tool_wait_ticks);
        self.stacks.add(&other.stacks);
        self.mpi.add(&other.mpi);
        self.devices.add(&other.devices);
        self.threads.extend_from_slice(&other.threads);
    }

    pub(crate) fn add_lost(&mut self, code: u8, count: u64) {
        if let Some(lost) = self.lost_by_code.get_mut(usize::from(code)) {
            *lost = lost.saturating_add(count);
        }
    }

    /// Adds records that were lost before their thread had a stream to report the loss.
    pub(crate) fn add_lost_by_name(&mut self, name: &str, count: u64) {
        let code = EventCode::all().find(|code| code.name_with_end() == name);
        self.add_lost(code.map_or(0, |code| code.0), count);
    }
}

fn at(table: &[u64; 256], code: EventCode) -> u64 {
    table.get(usize::from(code.0)).copied().unwrap_or(0)
}

fn one(table: &[u64; 256], number: u16, scope: Scope) -> u64 {
    let code = EventCode::new(number, scope);
    // An event without ends has one code, whatever is asked for.
    if code.scope() == scope { at(table, code) } else { 0 }
}

fn all(table: &[u64; 256], number: u16) -> u64 {
    let codes = EventCode::all().filter(|code| code.number() == number);
    codes.map(|code| at(table, code)).sum()
}

/// Counts every record, without interpreting any.
pub fn count(recording: &Recording) -> Counts {
    crate::survey::survey(recording)
}
