//! The program as a child process: started, sent every signal meant for it, and waited for.
//!
//! One thread does all of that, so that no signal can be sent to a process number that was given to another process.

use anyhow::{Context, Result};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::flag::register_conditional_default;
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Origin;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Signals that are passed on to the program.
const MEANT_FOR_IT: [i32; 6] = [SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT];

/// A program that runs, and the signals that came since before it was started.
pub struct Running {
    child: Child,
    signals: SignalsInfo<WithOrigin>,
    over: Arc<AtomicBool>,
    /// Times between which the program was started, of CLOCK_MONOTONIC in nanoseconds.
    pub started: (u64, u64),
}

/// Reason why the program was not started.
pub enum NotStarted {
    /// The system refused exec.
    Exec(std::io::Error),
    /// Signals cannot be received.
    Signals(std::io::Error),
}

/// Starts the program; it has our terminal, our streams and our working folder.
pub fn start(command: &mut Command) -> Result<Running, NotStarted> {
    // What is ignored (nohup) stays so, for us and for the program; what we receive, exec resets.
    let ignored = ignored();
    let received: Vec<_> =
        MEANT_FOR_IT.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0).collect();
    let over = Arc::new(AtomicBool::new(false));
    for signal in &received {
        register_conditional_default(*signal, Arc::clone(&over)).map_err(NotStarted::Signals)?;
    }
    let all = received.into_iter().chain([SIGCHLD]);
    let signals = SignalsInfo::new(all).map_err(NotStarted::Signals)?;
    let before = now();
    let child = command.spawn().map_err(NotStarted::Exec)?;
    Ok(Running { child, signals, over, started: (before, now()) })
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the program's end, after which signals are meant for us; also returns the time at which the end was
    /// seen.
    pub fn wait(&mut self) -> Result<(ExitStatus, u64)> {
        loop {
            if let Some(status) = self.child.try_wait().context("waiting for the program")? {
                let ended = now();
                self.over.store(true, Ordering::SeqCst);
                return Ok((status, ended));
            }
            for origin in self.signals.wait() {
                pass_on(&mut self.child, &origin);
            }
        }
    }
}

/// Time of CLOCK_MONOTONIC, in nanoseconds.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let [seconds, rest] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

fn pass_on(child: &mut Child, origin: &Origin) {
    // The terminal sends to all of its foreground group: the program has had it already.
    if origin.signal == SIGCHLD || origin.process.is_none() {
        return;
    }
    let over = !matches!(child.try_wait(), Ok(None));
    if let (false, Some(signal)) = (over, Signal::from_named_raw(origin.signal)) {
        // It can only have ended in between, and then it is still ours to wait for.
        let _ = kill_process(Pid::from_child(child), signal);
    }
}

/// The signals that this process ignores: a bit for each, the first for signal 1.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Ends as the program did: by its exit status or by the same signal.
pub fn end_like(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        // One memory image is enough, and it is the program's.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}

/// The end in words: `exit status 3`, `SIGKILL`.
pub fn in_words(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => signal_hook::low_level::signal_name(signal)
            .map_or_else(|| format!("signal {signal}"), str::to_owned),
        None => format!("exit status {}", status.code().unwrap_or(-1)),
    }
}
