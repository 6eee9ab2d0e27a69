//! The rows: a setting's field, type and default value, the function that reads a value, and the words about it.

use super::choice::{Clock, CoresMode, Format, MpiMode, Overflow, View};
use super::counters::{self, CounterKind};
use super::cupti::Cupti;
use super::selection::{Family, Selection};
use super::values::{self, Buffer, Sampling, each_once, one_of, path, text};
use super::{RunOption, Setting};
use std::ffi::{OsStr, OsString};

macro_rules! settings {
    ($(
        $(#[$doc:meta])*
        $name:ident: $type:ty = $value:expr, $read:expr;
        $option:expr, $allowed:expr, $default:literal;
        $help:expr; $details:literal;
    )*) => {
        /// A value for each setting.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Settings { $($(#[$doc])* pub $name: $type,)* }

        impl Default for Settings {
            fn default() -> Settings {
                Settings { $($name: $value,)* }
            }
        }

        /// All settings.
        pub static SETTINGS: &[Setting] = &[$(Setting {
            name: stringify!($name),
            option: $option,
            default: $default,
            help: || String::from($help),
            details: $details,
            allowed: || String::from($allowed),
            put: |settings: &mut Settings, value: &OsStr| {
                $read(value).map(|value| settings.$name = value).is_some()
            },
        },)*];
    };
}

use RunOption::{Takes, TakesMinus};

settings! {
    /// Formats to export to at the end; empty: only the recording stays.
    format: Vec<Format> = vec![Format::Perfetto], text(|list| each_once(list, "recording", Format::named));
        Takes("LIST"), format!("a list of {}, recording", Format::NAMES.join(", ")), "perfetto";
        format!("Formats of the trace, separated by commas: {}, recording (no trace)", Format::NAMES.join(", ")); "";

    /// Kinds of tracks in the traces.
    view: Option<View> = None, text(|name| View::named(name).map(Some));
        Takes("VIEW"), one_of(View::NAMES), "auto, for OTF2 threads";
        format!("What the trace shows: {}", one_of(View::NAMES));
        "`auto` shows threads, and logical threads that are not always on the same thread";

    /// Bytes that a trace for viewers may have; the largest number: any.
    limit: Option<u64> = None, text(|text| values::limit(text).map(Some));
        Takes("SIZE"), "none, or a size of at least 1MB, such as 80MB or 2G", "80MB";
        "Maximum size of a trace for Perfetto or Chrome: a larger one becomes an overview; none";
        "The size is that before compression; see [large runs](perfetto.md#large-runs)";

    /// The run folder's name with %e, %p, %h, %r still in it.
    output: OsString = "%e.%p.ompttrace".into(), path;
        Takes("DIR"), "a path, which may contain %e, %p, %h, %r and %%", "%e.%p.ompttrace";
        "The run folder; %e program, %p process id, %h host, %r MPI rank"; "";

    /// Callbacks to register.
    events: Selection = Selection::default(), text(values::events);
        TakesMinus("LIST"),
        format!("a list of all, {} or names of callbacks; -name excludes one", Family::NAMES.join(", ")), "all";
        format!("What to record: all, {} or names of callbacks; -name excludes one", Family::NAMES.join(", ")); "";

    /// Size and location of each thread's two slots.
    buffer: Buffer = Buffer::default(), text(values::buffer);
        Takes("BUFFER"), "a size for each of a thread's two buffers from 4K to 64M (16K), with @shm or @run for where \
            they are", "16K@shm, for ring 256K";
        "Size of each of a thread's two buffers and where they are: 64K@run, @shm"; "Rounded up to whole pages";

    /// Behaviour of a thread whose slots are both full.
    overflow: Overflow = Overflow::Wait, text(Overflow::named);
        Takes("OVERFLOW"), one_of(Overflow::NAMES), "wait";
        "What a thread does when its buffers are full: wait until they are written, drop records if the disk is too \
            slow (but wait for a write that has begun), ring (keep the newest; written at a flush and at the end)";
        "A disk is too slow once writing took more than a quarter of the thread's time";

    /// Frames to keep of call stacks, at most; 0: none.
    callstack: usize = 0, text(values::callstack);
        Takes("CALLSTACK"), "off, regions or regions:N with N frames from 1 to 128", "off; regions is 32 frames";
        "Call stacks where regions and tasks are created: off, regions, or regions:N for at most N frames (1 to 128)";
        "";

    /// Source of what is recorded of threads' cores.
    cores: CoresMode = CoresMode::Auto, text(CoresMode::named);
        Takes("MODE"), one_of(CoresMode::NAMES), "auto";
        "How to record which threads have a core: switches (each switch of a thread, by perf events), accounting (the \
            kernel's sums per thread), auto (switches, or accounting if they are refused), off";
        "Sums are read about every 10 ms; `auto` reads them for a second at a time when switches are too frequent. \
            Perfetto draws a thread whose state is unknown as \"Parked\"";

    /// Counters that are read of threads.
    counters: Vec<&'static CounterKind> = Vec::new(), text(counters::asked);
        Takes("LIST"), counters::allowed(), "none";
        "Counters to read where a thread forks, begins or ends an implicit task, reaches a barrier, or switches tasks, \
            as a list: page-faults, context-switches, migrations, cycles, instructions and others";
        "The first six are getrusage's, the others perf's; hardware counters have not been tested";

    /// Rate and clock of samples; `None`: no samples.
    sample: Option<Sampling> = None, text(values::sampling);
        Takes("RATE"), "off, or samples of each thread per second from 1 to 10000, with ,cpu or ,wall for the clock and \
            ,signal=N for a real-time signal, such as 200,wall,signal=40", "off";
        "Sample each thread's call stack this often per second of its CPU time: 200; 200,wall: of elapsed time; \
            200,signal=40: with a real-time signal instead of SIGURG"; "";

    /// The setting of what is recorded of MPI.
    mpi: MpiMode = MpiMode::Auto, text(MpiMode::named);
        Takes("MODE"), one_of(MpiMode::NAMES), "auto";
        "What to record of MPI: calls (when each begins and ends), messages (peers, tags and bytes as well), auto (messages \
            if the program uses MPI), off"; "See [mpi.md](mpi.md)";

    /// Source of the activities of NVIDIA's devices.
    cupti: Cupti = Cupti::Auto, Cupti::named;
        Takes("WHAT"), "auto, off, or the path of a libcupti.so", "auto";
        "How to record kernels and copies of NVIDIA's devices: auto (by CUPTI if the program uses CUDA), off, or the path of \
            the libcupti.so to load"; "See [devices.md](devices.md)";

    /// True if recording begins at once and does not wait for ompt_control(1).
    start: bool = true, text(values::switch);
        Takes("SWITCH"), "on or off", "on";
        "Whether recording begins at once (on), or paused (off) until a command of the program or `ompttrace control` \
            starts it"; "";

    /// True if the closing line is left out.
    quiet: bool = false, text(values::switch);
        RunOption::None, "1 or 0", "0";
        "Whether the closing line is left out"; "";

    /// The clock of records.
    clock: Clock = Clock::Auto, text(Clock::named);
        RunOption::None, one_of(Clock::NAMES), "auto";
        "Clock of the records"; "`quanta` never reads the processor's counter directly";

    /// The `ompttrace run` that the process was started under, as that sets it; empty: none.
    run: String = String::new(), text(values::started_by);
        RunOption::None, "only `ompttrace run` sets it", "";
        ""; "";
}
