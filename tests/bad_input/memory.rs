//! Counts the peak memory of some work, on all the threads that do it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Mutex, PoisonError};

static NOW: AtomicIsize = AtomicIsize::new(0);
static MOST: AtomicIsize = AtomicIsize::new(0);

/// One measurement at a time: it is unknown whose thread allocates.
static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    /// Bytes that this thread has allocated and not freed, and their maximum since [`most_here`] began.
    static HERE: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: all work is the system allocator's; the counters are plain words.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: by the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: by the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn count(bytes: isize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(now, Ordering::Relaxed);
    HERE.with(|here| {
        let (now, most) = here.get();
        here.set((now + bytes, most.max(now + bytes)));
    });
}

/// Does `work` while nobody else counts: work that takes much memory must not disturb others' counts.
pub fn alone<T>(work: impl FnOnce() -> T) -> T {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// The most memory that `work` and its threads held at a time, beyond what was held before. What other
/// tests take and give back meanwhile, outside here, is counted with it: they have little.
pub fn most<T>(work: impl FnOnce() -> T) -> (T, usize) {
    alone(|| most_of(work))
}

/// [`most`], again where it was `limit` or more: what `work` itself takes comes again, what others took does not.
pub fn most_below<T>(limit: usize, mut work: impl FnMut() -> T) -> (T, usize) {
    (0..2)
        .map(|_| most(&mut work))
        .find(|(_, held)| *held < limit)
        .unwrap_or_else(|| most(&mut work))
}

/// The most memory that `work` held on this thread, whatever others do.
pub fn most_here<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let (before, _) = HERE.get();
    HERE.set((before, before));
    let result = work();
    (result, (HERE.get().1 - before).max(0) as usize)
}

/// [`most`] for whoever is alone already.
pub fn most_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let result = work();
    (result, (MOST.load(Ordering::Relaxed) - before).max(0) as usize)
}

#[test]
fn the_largest_block_is_counted_whichever_thread_takes_it() {
    let (_, held) = most(|| drop(vec![1u8; 64 << 20]));
    let about = 48 << 20..96 << 20;
    assert!(about.contains(&held), "{held}");
    let (_, held) = most(|| std::thread::spawn(|| drop(vec![1u8; 64 << 20])).join());
    assert!(about.contains(&held), "{held}");
    let (_, held) = most_here(|| drop(vec![1u8; 64 << 20]));
    assert_eq!(held, 64 << 20);
    let (_, held) = most_here(|| std::thread::spawn(|| drop(vec![1u8; 64 << 20])).join());
    assert!(held < 1 << 20, "{held}");
}
