//! The calling thread's words.

use crate::messages::Datatype;
use core::cell::Cell;

/// See the file's text.
#[repr(C)]
pub(crate) struct Thread {
    /// Where the entry point was called from: written by its first instructions, so it comes first.
    pub(crate) caller: Cell<usize>,
    /// An address in the stack frame of the outermost call that is open; 0: none is.
    outermost: Cell<usize>,
    /// True once the tool knows the thread.
    pub(crate) is_known: Cell<bool>,
    /// The datatype that it used last.
    pub(crate) datatype: Cell<Datatype>,
    /// Memory for statuses and handles of requests, and its bytes.
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
    /// True if a call whose stack frame is here is inside another. One that an exception or a jump has left is
    /// over: its frame lies below.
    #[inline(always)]
    pub(crate) fn is_inside(&self, frame: usize) -> bool {
        self.outermost.get() > frame
    }

    /// A call begins, or with 0 the outermost one is over.
    #[inline(always)]
    pub(crate) fn set_outermost(&self, frame: usize) {
        self.outermost.set(frame);
    }
}

/// Bytes of memory that are taken at first: enough for some 2,000 statuses.
const LEAST: usize = 1 << 16;

impl Thread {
    /// The address of memory of so many bytes for the open call, from the kernel: it is taken when a thread first needs it,
    /// and again when it needs more. `None`: there is none.
    pub(crate) fn memory(&self, bytes: usize) -> Option<usize> {
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
        Some(self.memory.get())
    }
}
