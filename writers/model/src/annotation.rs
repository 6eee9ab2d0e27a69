//! Annotations of slices and instants: numbers and texts worth showing.

use crate::definitions::NameRef;
use ompttrace_recording::Id;

/// One annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arg {
    /// The annotation's name.
    pub key: ArgKey,
    /// The annotation's value.
    pub value: ArgValue,
}

/// A value of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgValue {
    /// A number without sign.
    Number(u64),
    /// A number with sign.
    Signed(i64),
    /// An address or a bit pattern, shown in hexadecimal.
    Address(u64),
    /// An id of a task or region.
    Id(Id),
    /// A defined text.
    Text(NameRef),
    /// A fixed word, such as an enumerator's name.
    Word(&'static str),
}

macro_rules! arg_keys {
    ($( $variant:ident $name:literal ),+ $(,)?) => {
        /// Names of annotations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "each stands for its text")]
        pub enum ArgKey { $( $variant ),+ }
        impl ArgKey {
            /// All keys, by number.
            pub const ALL: &'static [ArgKey] = &[ $( ArgKey::$variant ),+ ];
            /// The annotation's name in a trace.
            pub const fn name(self) -> &'static str {
                match self { $( ArgKey::$variant => $name ),+ }
            }
        }
    };
}

arg_keys! {
    Region "region", Task "task", Parent "parent task", TeamSize "team size", Requested "requested threads",
    ThreadNum "thread number", Flags "flags", Kind "kind", Count "count", First "first", Status "status",
    WaitId "wait id", Hint "hint", Implementation "implementation", Device "device", Target "target id",
    HostOp "host op id", Correlation "correlation id", Source "source", SourceDevice "source device", Destination "destination",
    DestinationDevice "destination device", Bytes "bytes", Teams "teams", Command "command",
    Modifier "modifier", Result "result", Severity "severity", Message "message", File "file", Module "module",
    LeftOut "left out", Dependences "dependences", Iteration "iteration", Mapped "mapped", Reason "reason",
    Mark "certainty", Location "location", Invoker "invoker", Schedule "schedule", Event "event", OsThread "os thread",
    Origin "origin", Segment "segment", Context "context", Peer "peer", Tag "tag", Root "root",
    Communicator "communicator", Sent "bytes sent", Received "bytes received",
    LastRank "last rank", WaitedNs "came later by (ns)", Address "address", Cause "cause", Access "access", Groups "fault groups",
    Stream "stream", Recorder "recorded in stream",
}
