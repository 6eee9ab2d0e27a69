//! Settings of which one of a few named values is chosen, or a list of them.

/// An enum whose values have names.
macro_rules! choice {
    ($(#[$doc:meta])* $type:ident { $($(#[$of_value:meta])* $value:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type { $($(#[$of_value])* $value,)* }

        impl $type {
            /// All values.
            pub const ALL: &'static [$type] = &[$($type::$value),*];

            /// The names of all values.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The name in settings and in `recording.json`.
            pub const fn name(self) -> &'static str {
                match self { $($type::$value => $name),* }
            }

            /// The value of this name.
            pub fn named(name: &str) -> Option<$type> {
                match name { $($name => Some($type::$value),)* _ => None }
            }
        }
    };
}

choice! {
    /// A format of traces.
    Format {
        /// Perfetto's own.
        Perfetto = "perfetto",
        /// Chrome's JSON.
        Chrome = "chrome",
        /// An archive of OTF2.
        Otf2 = "otf2",
        /// Tables in Parquet's format.
        Parquet = "parquet",
        /// Samples as folded call stacks.
        Folded = "folded",
        /// Samples as a profile for pprof.
        Pprof = "pprof",
    }
}

choice! {
    /// Kinds of tracks in a trace.
    View {
        /// OS threads, and logical threads that are not always on the same OS thread.
        Auto = "auto",
        /// OS threads.
        Threads = "threads",
        /// Logical threads of regions.
        Regions = "regions",
        /// OS threads and logical threads.
        Both = "both",
    }
}

choice! {
    /// Behaviour of a thread whose slots are both full.
    Overflow {
        /// The thread writes both slots, however long that takes.
        Wait = "wait",
        /// The thread writes them while that takes a small part of its time, otherwise it discards the older one.
        Drop = "drop",
        /// The thread discards the older one: only a flush, the thread's end and the program's end write.
        Ring = "ring",
    }
}

choice! {
    /// The way in which the cores of threads are recorded.
    CoresMode {
        /// Every switch, or the kernel's sums of a thread where that is refused.
        Auto = "auto",
        /// Every switch, or nothing for a thread where that is refused.
        Switches = "switches",
        /// The kernel's sums.
        Accounting = "accounting",
        /// Nothing is recorded.
        Off = "off",
    }
}

choice! {
    /// The records that are made of calls of MPI.
    MpiMode {
        /// Everything that can be recorded.
        Auto = "auto",
        /// Nothing is recorded.
        Off = "off",
        /// The begin and the end of calls.
        Calls = "calls",
        /// Calls, and the messages that they transfer.
        Messages = "messages",
    }
}

choice! {
    /// The clock that runs from one sample of a thread to its next.
    SampleClock {
        /// The time that the thread has a core.
        Cpu = "cpu",
        /// All time of the thread, with a core or not.
        Wall = "wall",
    }
}

choice! {
    /// The clock of records.
    Clock {
        /// The processor's counter, where it is sound.
        Auto = "auto",
        /// Quanta's clock, even if the counter is sound.
        Quanta = "quanta",
    }
}
