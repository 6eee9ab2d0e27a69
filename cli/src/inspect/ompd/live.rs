//! A process as a target of OMPD: attached to with PTRACE_SEIZE, its threads stopped for the inquiries only. The kernel lets
//! them continue where this process ends without having done so.

use crate::inspect::memory::{Mapping, Memory, parse};
use crate::inspect::stop::{self, Registers, Stopped};
use anyhow::{Context, Result, bail};
use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use ompttrace_ompd::{Mapped, Target, TargetThread};
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Maximum time for all threads together to stop.
const PATIENCE: Duration = Duration::from_millis(500);

/// A process that is attached to.
pub struct Live {
    /// /proc/pid/mem, opened with the rights that this process began with.
    memory: File,
    user: (u32, u32),
    mapped: Vec<Mapped>,
    mappings: Vec<Mapping>,
    seized: Vec<Seized>,
    threads: Vec<TargetThread>,
    /// Registers of each thread.
    registers: Vec<Registers>,
}

struct Seized {
    pid: Pid,
    is_stopped: bool,
    /// A signal that was pending when the thread stopped, and is passed on.
    signal: Option<Signal>,
}

impl Live {
    /// Attaches to all threads, which continue.
    pub fn attach(pid: u32) -> Result<Live> {
        let folder = format!("/proc/{pid}");
        let memory = File::open(format!("{folder}/mem"))
            .with_context(|| format!("the memory of process {pid}"))?;
        let owner = fs::metadata(&folder)?;
        let maps = fs::read(format!("{folder}/maps"))?;
        let mut seized = Vec::new();
        for task in fs::read_dir(format!("{folder}/task"))? {
            let id: Option<i32> = task?.file_name().to_str().and_then(|id| id.parse().ok());
            let Some(pid) = id.map(Pid::from_raw) else { continue };
            match ptrace::seize(pid, Options::empty()) {
                Ok(()) => seized.push(Seized { pid, is_stopped: false, signal: None }),
                // It has ended since.
                Err(Errno::ESRCH) => {}
                Err(error) => bail!("thread {pid} cannot be stopped: {error}"),
            }
        }
        let user = (owner.uid(), owner.gid());
        let mapped = maps.split(|byte| *byte == b'\n').filter_map(mapped).collect();
        let (mappings, threads, registers) = (parse(&maps), Vec::new(), Vec::new());
        Ok(Live { memory, user, mapped, mappings, seized, threads, registers })
    }

    /// The process's user and group.
    pub fn user(&self) -> (u32, u32) {
        self.user
    }

    /// Stops all threads.
    pub fn stop(&mut self) -> Result<()> {
        let started = Instant::now();
        for thread in &self.seized {
            match ptrace::interrupt(thread.pid) {
                Ok(()) | Err(Errno::ESRCH) => {}
                Err(error) => bail!("thread {} cannot be stopped: {error}", thread.pid),
            }
        }
        for thread in &mut self.seized {
            if thread.stopped(started)?
                && let Ok(pthread) = pthread(thread.pid)
                && let Ok(registers) = stop::registers(thread.pid)
            {
                self.threads.push(TargetThread { id: thread.pid.as_raw() as u32, pthread });
                self.registers.push(registers);
            }
        }
        Ok(())
    }

    /// The stacks of all threads that stopped, by their ids.
    pub fn copy_stacks(&self) -> Vec<(u32, Stopped)> {
        let memory = self.memory();
        let all = self.threads.iter().zip(&self.registers);
        all.map(|(thread, registers)| {
            let stack = memory.copy_stack(registers.sp);
            (thread.id, Stopped { registers: *registers, stack })
        })
        .collect()
    }

    /// Lets all threads continue.
    pub fn resume(&mut self) {
        self.seized.clear();
    }

    /// The memory of the process, by the mappings that there were when we attached.
    pub fn memory(&self) -> Memory<'_> {
        Memory::of_target(self, self.mappings.clone())
    }
}

impl Seized {
    /// Waits until the thread stops; returns true if it stopped and has not ended.
    fn stopped(&mut self, started: Instant) -> Result<bool> {
        let flags = WaitPidFlag::__WALL | WaitPidFlag::WNOHANG;
        loop {
            match waitpid(self.pid, Some(flags)) {
                Ok(WaitStatus::Stopped(_, signal)) => self.signal = Some(signal),
                Ok(WaitStatus::PtraceEvent(..)) => {}
                Ok(WaitStatus::StillAlive) | Err(Errno::EINTR) => {
                    if started.elapsed() > PATIENCE {
                        bail!("thread {} does not stop", self.pid);
                    }
                    std::thread::sleep(Duration::from_micros(50));
                    continue;
                }
                _ => return Ok(false),
            }
            self.is_stopped = true;
            return Ok(true);
        }
    }
}

impl Drop for Seized {
    fn drop(&mut self) {
        if self.is_stopped {
            let _ = ptrace::detach(self.pid, self.signal);
        }
    }
}

impl Target for Live {
    fn read(&self, address: u64, to: &mut [u8]) -> usize {
        let mut done = 0;
        while let Some(rest) = to.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.memory.read_at(rest, address.wrapping_add(done as u64)) {
                Ok(got) if got > 0 => done += got,
                _ => break,
            }
        }
        done
    }

    fn threads(&self) -> &[TargetThread] {
        &self.threads
    }

    fn mapped(&self) -> &[Mapped] {
        &self.mapped
    }
}

/// The thread pointer, which with glibc is the pthread_t.
#[cfg(target_arch = "x86_64")]
fn pthread(pid: Pid) -> nix::Result<u64> {
    Ok(ptrace::getregs(pid)?.fs_base)
}

/// Not known on other machines, for which there is no runtime with an OMPD library either.
#[cfg(not(target_arch = "x86_64"))]
fn pthread(_: Pid) -> nix::Result<u64> {
    Err(Errno::ENOTSUP)
}

/// A file's mapping of a line of /proc/pid/maps.
fn mapped(line: &[u8]) -> Option<Mapped> {
    let mut fields = line.splitn(6, |byte| *byte == b' ');
    let hex = |text: &[u8]| u64::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok();
    let mut range = fields.next()?.split(|byte| *byte == b'-');
    let range = hex(range.next()?)?..hex(range.next()?)?;
    let offset = hex(fields.nth(1)?)?;
    let path = fields.nth(2)?.trim_ascii_start();
    let path = PathBuf::from(OsString::from_vec(path.to_vec()));
    path.is_absolute().then(|| Mapped { range, offset, readable_at: path.clone(), path })
}
