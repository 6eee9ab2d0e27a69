//! Texts in records: which records have some, or refer to some.
//!
//! Every event is named here: one that is added later does not compile until it is decided whether it has text.

use super::replacer::Replacer;
use ompttrace_recording::Event;
use ompttrace_recording::events::{
    DeviceInitialize, DeviceLoad, DeviceNative, Error, MpiName, MpiObject, Phase, PhaseName, Text,
    ThreadInfo,
};

/// The text of a record.
pub enum Part {
    /// It has none, and refers to none.
    None,
    /// The name of a thread.
    Thread(ThreadInfo),
    /// Its text follows in text records.
    Head(Head),
    /// A part of such a text.
    Text(Text),
    /// A phase, whose name has a number.
    Phase(Phase),
    /// A part of a phase's name.
    PhaseName(PhaseName),
    /// A window or a file of MPI, whose name may follow.
    MpiObject(MpiObject),
    /// A part of the name of a communicator, a window, or a file.
    MpiName(MpiName),
    /// No event that this version knows.
    Unknown,
}

/// An event whose text follows.
#[derive(Clone, Copy, Debug)]
pub enum Head {
    Initialize(DeviceInitialize),
    Load(DeviceLoad),
    Native(DeviceNative),
    Error(Error),
}

impl Part {
    pub fn of(event: Event) -> Part {
        match event {
            Event::ThreadInfo(info) => Part::Thread(info),
            Event::DeviceInitialize(head) => Part::Head(Head::Initialize(head)),
            Event::DeviceLoad(head) => Part::Head(Head::Load(head)),
            Event::DeviceNative(head) => Part::Head(Head::Native(head)),
            Event::Error(head) => Part::Head(Head::Error(head)),
            Event::Text(text) => Part::Text(text),
            Event::Phase(phase) => Part::Phase(phase),
            Event::PhaseName(name) => Part::PhaseName(name),
            Event::MpiObject(object) => Part::MpiObject(object),
            Event::MpiName(name) => Part::MpiName(name),
            Event::Unknown => Part::Unknown,
            Event::ThreadBegin(_)
            | Event::ThreadEnd(_)
            | Event::ParallelBegin(_)
            | Event::ParallelEnd(_)
            | Event::TaskCreate(_)
            | Event::TaskSchedule(_)
            | Event::ImplicitTask(_)
            | Event::Target(_)
            | Event::TargetDataOp(_)
            | Event::TargetSubmit(_)
            | Event::ControlTool(_)
            | Event::DeviceFinalize(_)
            | Event::DeviceUnload(_)
            | Event::SyncRegionWait(_)
            | Event::MutexReleased(_)
            | Event::Dependences(_)
            | Event::TaskDependence(_)
            | Event::Work(_)
            | Event::Masked(_)
            | Event::TargetMap(_)
            | Event::SyncRegion(_)
            | Event::LockInit(_)
            | Event::LockDestroy(_)
            | Event::MutexAcquire(_)
            | Event::MutexAcquired(_)
            | Event::NestLock(_)
            | Event::Flush(_)
            | Event::Cancel(_)
            | Event::Reduction(_)
            | Event::Dispatch(_)
            | Event::TargetEmi(_)
            | Event::TargetDataOpEmi(_)
            | Event::TargetSubmitEmi(_)
            | Event::TargetMapEmi(_)
            | Event::CodeSite(_)
            | Event::Dependence(_)
            | Event::MapItem(_)
            | Event::Lost(_)
            | Event::Wait(_)
            | Event::Control(_)
            | Event::CallFrame(_)
            | Event::CallContext(_)
            | Event::OngoingTask(_)
            | Event::ChunkEnd(_)
            | Event::CounterValue(_)
            | Event::MpiWorld(_)
            | Event::MpiEnter(_)
            | Event::MpiLeave(_)
            | Event::MpiSend(_)
            | Event::MpiReceive(_)
            | Event::MpiReceived(_)
            | Event::MpiCollective(_)
            | Event::MpiCommunicator(_)
            | Event::MpiPost(_)
            | Event::MpiRequest(_)
            | Event::MpiDone(_)
            | Event::MpiPolls(_)
            | Event::MpiLeft(_)
            | Event::MpiAccess(_)
            | Event::MpiClock(_)
            | Event::MpiMembers(_)
            | Event::DeviceActivity(_)
            | Event::SwitchOut(_)
            | Event::SwitchIn(_)
            | Event::CoresUnknown(_)
            | Event::RunDelay(_)
            | Event::CoresRead(_)
            | Event::SamplesBegin(_)
            | Event::Sample(_)
            | Event::SampleFrames(_) => Part::None,
        }
    }
}

impl Head {
    /// Bytes of the text that follows.
    pub fn bytes(&self) -> u64 {
        match self {
            Head::Initialize(head) => head.text_bytes,
            Head::Load(head) => head.text_bytes,
            Head::Native(head) => head.text_bytes,
            Head::Error(head) => head.text_bytes,
        }
    }

    /// The replacement of its text: runtimes name a device and what it does, a file, or a message, which may be the program's.
    pub fn replaced(&self, text: &str, by: &Replacer) -> String {
        match self {
            Head::Initialize(_) | Head::Native(_) => by.words(text),
            Head::Load(_) => by.path(text),
            Head::Error(_) => by.message(text),
        }
    }

    /// The event with another number of bytes of text.
    pub fn with_bytes(self, text_bytes: u64) -> Event {
        match self {
            Head::Initialize(head) => {
                Event::DeviceInitialize(DeviceInitialize { text_bytes, ..head })
            }
            Head::Load(head) => Event::DeviceLoad(DeviceLoad { text_bytes, ..head }),
            Head::Native(head) => Event::DeviceNative(DeviceNative { text_bytes, ..head }),
            Head::Error(head) => Event::Error(Error { text_bytes, ..head }),
        }
    }
}

/// The text of zero-padded words.
pub fn text_of(words: &[u64], bytes: usize) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).take(bytes).collect()
}

/// Zero-padded words of a text, which is cut where they end.
pub fn words_of<const N: usize>(text: &[u8]) -> [u64; N] {
    let mut words = [0; N];
    for (word, part) in words.iter_mut().zip(text.chunks(8)) {
        *word = part.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    words
}
