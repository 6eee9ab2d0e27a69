//! Properties of the process's machine and of its limits there: inquired when recording begins, and again at the end.

use crate::quota;
use ompttrace_recording::facts::{Surroundings, cores_of};
use rustix::fs::{Mode, OFlags};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Prefixes of the names of variables that configure runtimes.
const PREFIXES: [&str; 4] = ["OMP_", "KMP_", "GOMP_", "LIBOMPTARGET_"];
/// Maximum number of variables that are kept, and of characters of each value.
const MOST: usize = 100;
const LONGEST: usize = 400;
/// Maximum number of threads whose masks of cores are inquired.
const MOST_THREADS: usize = 256;
/// Number of words in a mask of cores, enough for 4,096 cores.
const MASK_WORDS: usize = 64;
/// Maximum number of different masks of ended threads that are kept.
const MASKS: usize = 16;
/// Maximum number of attempts to take the lock while another thread holds it.
const PATIENCE: u32 = 100;

/// A mask of cores in the kernel's format, a bit for each core.
type Mask = [u64; MASK_WORDS];

/// The masks of threads of a process that have ended: runtimes undo their bindings before the process ends. It
/// allocates no memory, since it is used in callbacks.
struct Ended {
    pid: u32,
    threads: u32,
    /// Different masks, each with the number of threads that had it.
    masks: [(Mask, u32); MASKS],
}

impl Ended {
    /// Begins for process `pid`, without the threads of the process that it was forked from.
    fn begin(&mut self, pid: u32) {
        (self.pid, self.threads) = (pid, 0);
        self.masks.iter_mut().for_each(|(_, count)| *count = 0);
    }

    /// Adds the mask of a thread; if there are too many different masks, the last ones are not kept.
    fn add(&mut self, mask: &Mask) {
        self.threads += 1;
        let known = self.masks.iter_mut().find(|(known, count)| *count == 0 || known == mask);
        if let Some((known, count)) = known {
            *known = *mask;
            *count += 1;
        }
    }
}

static ENDED: Mutex<Ended> =
    Mutex::new(Ended { pid: 0, threads: 0, masks: [([0; MASK_WORDS], 0); MASKS] });

/// The threads that have ended; `None` if another thread holds the lock for long: in a forked child that thread may
/// not exist.
fn ended() -> Option<MutexGuard<'static, Ended>> {
    (0..PATIENCE).find_map(|_| match ENDED.try_lock() {
        Ok(ended) => Some(ended),
        Err(TryLockError::Poisoned(ended)) => Some(ended.into_inner()),
        Err(TryLockError::WouldBlock) => {
            std::thread::yield_now();
            None
        }
    })
}

/// Remembers the mask of the calling thread, whose end its runtime reports. The mask is no longer on the stack when
/// the thread's buffers are written.
#[inline(never)]
pub fn thread_ends() {
    let Some(mut ended) = ended() else { return };
    let pid = std::process::id();
    if ended.pid != pid {
        ended.begin(pid);
    }
    if ended.threads < MOST_THREADS as u32
        && let Some(mask) = mask_here()
    {
        ended.add(&mask);
    }
}

/// The present properties of the machine and the process.
pub(crate) fn now() -> Surroundings {
    Surroundings {
        online: online(),
        allowed: allowed().unwrap_or_default(),
        quota: quota::quota(),
        load: load(),
        load_at_end: None,
        bound: BTreeMap::new(),
        settings: settings(),
    }
}

/// Adds the properties that are known at the end.
pub(crate) fn complete(surroundings: &mut Surroundings) {
    surroundings.load_at_end = load();
    surroundings.bound = bound();
    if let Some(ended) = ended().filter(|ended| ended.pid == std::process::id()) {
        for (mask, threads) in ended.masks.iter().filter(|(_, threads)| *threads > 0) {
            *surroundings.bound.entry(list_of(mask)).or_default() += threads;
        }
    }
    if let Some(quota) = &mut surroundings.quota {
        let until_now = quota::throttled(Path::new(&quota.group));
        quota.throttled_ns =
            until_now.zip(quota.throttled_ns).map(|(now, at_begin)| now.saturating_sub(at_begin));
    }
}

/// Number of cores that are online.
fn online() -> u32 {
    // SAFETY: asks for a number.
    u32::try_from(unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }).unwrap_or(0)
}

/// Cores that the process may use, as the kernel's list (`0-3,8`).
fn allowed() -> Option<String> {
    allowed_to(Path::new("/proc/self"))
}

/// Number of cores that the process may use, by its mask.
pub(crate) fn cores() -> u32 {
    allowed().map_or(0, |list| cores_of(&list).len() as u32)
}

/// Number of threads by the list of cores on which they may run.
fn bound() -> BTreeMap<String, u32> {
    let mut bound = BTreeMap::new();
    for list in tasks().take(MOST_THREADS).filter_map(|task| allowed_to(&task)) {
        *bound.entry(list).or_default() += 1;
    }
    bound
}

/// Folders of the process's threads in /proc. They are not read with the C library's functions for folders, which must
/// not be called at the end.
fn tasks() -> impl Iterator<Item = PathBuf> {
    let folder = Path::new("/proc/self/task");
    let opened = rustix::fs::open(folder, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
    let names = opened.and_then(rustix::fs::Dir::new).into_iter().flatten().flatten();
    names.filter_map(move |task| {
        let number = task.file_name().to_str().ok().filter(|name| !name.starts_with('.'))?;
        Some(folder.join(number))
    })
}

/// List of the cores on which a process or thread may run, by its folder in /proc.
fn allowed_to(task: &Path) -> Option<String> {
    let status = std::fs::read_to_string(task.join("status")).ok()?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(list.trim().to_owned())
}

/// Mask of the calling thread. It is not read from /proc, which would keep the thread's id in use for a while after
/// its end.
fn mask_here() -> Option<Mask> {
    let mut mask = [0; MASK_WORDS];
    // SAFETY: the kernel writes at most so many bytes, and any bits are a mask.
    let bytes = unsafe {
        libc::syscall(libc::SYS_sched_getaffinity, 0, size_of_val(&mask), mask.as_mut_ptr())
    };
    (bytes > 0).then_some(mask)
}

/// A mask in the format of the kernel's lists: `0-3,8`.
fn list_of(mask: &[u64]) -> String {
    let is_in = |core: &u32| {
        let word = mask.get(*core as usize / 64).copied().unwrap_or(0);
        word >> (core % 64) & 1 == 1
    };
    let mut cores = (0..64 * mask.len() as u32).filter(is_in).peekable();
    let mut parts = Vec::new();
    while let Some(first) = cores.next() {
        let mut last = first;
        while let Some(next) = cores.next_if(|next| *next == last + 1) {
            last = next;
        }
        parts.push(if first == last { first.to_string() } else { format!("{first}-{last}") });
    }
    parts.join(",")
}

fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

fn settings() -> BTreeMap<String, String> {
    let text = |text: &std::ffi::OsStr| text.to_string_lossy().chars().take(LONGEST).collect();
    let all = std::env::vars_os();
    let named = all.filter(|(name, _)| {
        let name = name.as_encoded_bytes();
        PREFIXES.iter().any(|prefix| name.starts_with(prefix.as_bytes()))
    });
    named.take(MOST).map(|(name, value)| (text(&name), text(&value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_listed_as_the_kernel_does() {
        assert_eq!(list_of(&[0b1_0000_1111, 1]), "0-3,8,64");
        assert_eq!(list_of(&[1 << 63, 1]), "63-64");
        assert_eq!(list_of(&[0]), "");
        let here = mask_here().map(|mask| list_of(&mask));
        assert_eq!(here, allowed_to(Path::new("/proc/thread-self")));
    }

    #[test]
    fn this_machine_has_cores_and_a_load() {
        let here = now();
        assert!(here.online > 0);
        assert!(here.allowed.starts_with(|first: char| first.is_ascii_digit()), "{here:?}");
        assert_eq!(bound().into_keys().next(), Some(here.allowed.clone()));
        assert!(here.load.is_some_and(|load| load >= 0.0));
        assert!(here.settings.keys().all(|name| PREFIXES.iter().any(|one| name.starts_with(one))));
    }
}
