//! State of the calling thread in thread-local memory.

use crate::messages::Datatype;
use crate::status;
use core::cell::Cell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU64, Ordering};

/// State of a thread.
#[repr(C)]
pub(crate) struct Thread {
    /// Return address of the entry point that was called: its first instructions write it, so it is the first word.
    pub(crate) caller: Cell<usize>,
    /// Address in the stack frame of the outermost call that is open; 0 if none is.
    outermost: Cell<usize>,
    /// True once the tool knows the thread.
    pub(crate) is_known: Cell<bool>,
    /// The datatype that the thread used last.
    pub(crate) datatype: Cell<Datatype>,
    /// A status that the library fills where the program ignores it. What another call has left there is overwritten by each that
    /// succeeds.
    status: Cell<[u64; status::WORDS]>,
    /// Memory for statuses and handles of requests, and its size in bytes.
    memory: Cell<usize>,
    memory_bytes: Cell<usize>,
}

ompttrace_tls::thread_static! { Current: Thread = zeros, "ompttrace_mpi_thread" }

/// The calling thread.
#[inline(always)]
pub(crate) fn current() -> &'static Thread {
    Current::get()
}

impl Thread {
    /// True if a call with this stack frame is inside another call. A call that an exception or a jump has left is
    /// over: its frame lies below.
    #[inline(always)]
    pub(crate) fn is_inside(&self, frame: usize) -> bool {
        self.outermost.get() > frame
    }

    /// Sets the frame of the outermost call, or 0 when it has ended.
    #[inline(always)]
    pub(crate) fn set_outermost(&self, frame: usize) {
        self.outermost.set(frame);
    }
}

impl Thread {
    /// Address of memory for one status, which no other call uses: of nested ones only the outermost takes it.
    #[inline(always)]
    pub(crate) fn status(&self) -> usize {
        self.status.as_ptr().expose_provenance()
    }

    /// Empties that memory.
    pub(crate) fn clear_status(&self) {
        self.status.set([0; status::WORDS]);
    }
}

/// Minimum size of that memory in bytes, enough for some 2,000 statuses.
const LEAST: usize = 1 << 16;

impl Thread {
    /// Address of memory of `bytes` bytes for the open call. The kernel provides it when a thread first needs it, and
    /// again when it needs more; `None` if there is none.
    pub(crate) fn memory(&self, bytes: usize) -> Option<usize> {
        let bytes = bytes.max(1);
        if self.memory_bytes.get() < bytes { self.take(bytes) } else { Some(self.memory.get()) }
    }

    #[cold]
    fn take(&self, bytes: usize) -> Option<usize> {
        let bytes = bytes.next_power_of_two().max(LEAST);
        let (rights, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory, of which nobody knows yet.
        let memory = unsafe { libc::mmap(core::ptr::null_mut(), bytes, rights, kind, -1, 0) };
        if memory == libc::MAP_FAILED {
            return None;
        }
        if self.memory_bytes.get() > 0 {
            let old = core::ptr::with_exposed_provenance_mut(self.memory.get());
            // SAFETY: the thread's own memory from before, which no open call uses.
            unsafe { libc::munmap(old, self.memory_bytes.get()) };
        }
        self.memory.set(memory.expose_provenance());
        self.memory_bytes.set(bytes);
        give_back_at_end(self.memory.get());
        Some(self.memory.get())
    }
}

/// Arranges for the thread's memory to be freed at its end, if there is a key for that.
fn give_back_at_end(memory: usize) {
    /// The key, plus one; 0 before it was created.
    static KEY: AtomicU64 = AtomicU64::new(0);
    if KEY.load(Ordering::Acquire) == 0 {
        let mut key = 0;
        // SAFETY: the destructor is a function of this library, which is never unloaded.
        if unsafe { libc::pthread_key_create(&raw mut key, Some(ends)) } != 0 {
            return;
        }
        // Of two keys made at once both have the same destructor.
        KEY.store(u64::from(key) + 1, Ordering::Release);
    }
    let key = (KEY.load(Ordering::Acquire) - 1) as libc::pthread_key_t;
    let memory = core::ptr::with_exposed_provenance::<c_void>(memory);
    // SAFETY: a key that was made; the value is only compared with null.
    unsafe { libc::pthread_setspecific(key, memory) };
}

/// Frees the memory of a thread that ends. Calls of MPI in a later destructor allocate it again, and this is called
/// again.
unsafe extern "C" fn ends(_: *mut c_void) {
    let thread = current();
    let memory = core::ptr::with_exposed_provenance_mut(thread.memory.replace(0));
    // SAFETY: the thread's own memory, which no call uses: it is ending.
    unsafe { libc::munmap(memory, thread.memory_bytes.replace(0)) };
}
