//! The program's arguments as exec gave them. Programs that set their title (setproctitle) write over them where they
//! lie, and /proc/self/cmdline shows what is there now: so they are copied when this library is loaded, which is
//! before main where it is preloaded or linked in. A runtime may load it later; `ompttrace run` then knows the
//! arguments of the program that it started, by their length.

use std::sync::OnceLock;

static ARGUMENTS: OnceLock<Vec<String>> = OnceLock::new();

/// The arguments when this library was loaded, as lossy UTF-8.
pub(crate) fn at_load() -> Vec<String> {
    ARGUMENTS.get_or_init(read).clone()
}

/// Size of the arguments in bytes as exec passed them, with a zero after each, whatever is stored there now.
pub(crate) fn bytes_at_exec() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name in parentheses that may hold anything; these are 48 and 49.
    let mut fields = text.rsplit(')').next()?.split_ascii_whitespace().skip(45);
    let mut address = || fields.next()?.parse::<u64>().ok();
    let (begin, end) = (address()?, address()?);
    end.checked_sub(begin)
}

fn read() -> Vec<String> {
    let bytes = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let arguments = bytes.split_inclusive(|byte| *byte == 0);
    let text = |argument: &[u8]| {
        String::from_utf8_lossy(argument.strip_suffix(&[0]).unwrap_or(argument)).into_owned()
    };
    arguments.map(text).collect()
}

extern "C" fn constructor() {
    ompttrace_recorder::message::remember_stderr();
    let _ = ompttrace_recorder::caught(at_load);
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;
