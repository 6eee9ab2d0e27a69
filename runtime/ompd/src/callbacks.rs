//! Callbacks that an OMPD library uses: memory for itself, and the target's memory, symbols and threads.
//!
//! One library works on one target at a time, in one thread: the context that it passes to callbacks is the address of
//! a [`Context`], which outlives all its calls.

use crate::image::Image;
use crate::target::{Target, TargetThread};
use crate::types::{Address, Callbacks, Code, SIZES, Sizes};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int, c_void};

/// Symbol of the thread-local variable with the runtime's number of a thread; it has no fixed address.
const GTID: &str = "__kmp_gtid";
/// Address that stands for that variable; nothing of a process is mapped there.
const GTID_ADDRESS: u64 = u64::MAX - 15;
/// Maximum memory that a library may allocate in total, and in one block, in bytes.
const MOST_BYTES: u64 = 256 << 20;
const LARGEST: u64 = 64 << 20;
/// Size in bytes of the head of each block, which holds the size of the block.
const HEAD: usize = 16;

thread_local! {
    /// Memory that the library has allocated, in bytes; requests for memory have no context.
    static TAKEN: Cell<u64> = const { Cell::new(0) };
    /// The text that the library printed last.
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The target on which the library works, as context of its callbacks.
pub(crate) struct Context<'t> {
    pub target: &'t dyn Target,
    pub image: &'t Image,
    /// Present value of the variable [`GTID`].
    pub gtid: Cell<i32>,
    /// Threads of the target; a thread's context is the address of its element.
    pub threads: &'t [TargetThread],
}

/// Table of all callbacks.
pub(crate) static CALLBACKS: Callbacks = Callbacks {
    alloc,
    free,
    print,
    sizes,
    symbol,
    read,
    write,
    read_string,
    to_host: copy,
    to_device: copy,
    thread,
};

/// The text that the library printed last; empty if there is none.
pub(crate) fn said() -> String {
    SAID.with(|said| said.borrow().trim().to_owned())
}

/// The context at an address.
///
/// # Safety
/// `context` is null or the library's context, which is still alive.
unsafe fn context<'c>(context: *mut c_void) -> Option<&'c Context<'c>> {
    // SAFETY: by this function's contract, and nothing changes a context but through its cells.
    unsafe { context.cast::<Context<'c>>().as_ref() }
}

extern "C" fn alloc(bytes: u64, to: *mut *mut c_void) -> Code {
    let taken = TAKEN.get();
    if bytes > LARGEST || taken + bytes > MOST_BYTES || to.is_null() {
        return Code::NO_MEMORY;
    }
    let words = (bytes as usize).div_ceil(HEAD) + 1;
    let mut block = vec![[0u64; 2]; words].into_boxed_slice();
    if let Some(head) = block.first_mut() {
        *head = [words as u64, bytes];
    }
    TAKEN.set(taken + bytes);
    let start = Box::into_raw(block).cast::<u8>();
    // SAFETY: the block has one more element than asked for, its head, after which the library's begins; `to` is
    // the library's own variable.
    unsafe { to.write(start.add(HEAD).cast()) };
    Code::OK
}

extern "C" fn free(block: *mut c_void) -> Code {
    if block.is_null() {
        return Code::OK;
    }
    // SAFETY: libraries give back what they got from `alloc`: in front of it stands its head, which they do not write.
    let (start, [words, bytes]) = unsafe {
        let start = block.cast::<u8>().sub(HEAD).cast::<[u64; 2]>();
        (start, start.read())
    };
    TAKEN.set(TAKEN.get().saturating_sub(bytes));
    let all = std::ptr::slice_from_raw_parts_mut(start, words as usize);
    // SAFETY: it is the boxed slice that `alloc` made, of that many elements, and is released once.
    drop(unsafe { Box::from_raw(all) });
    Code::OK
}

extern "C" fn print(text: *const c_char, _category: c_int) -> Code {
    if text.is_null() {
        return Code::BAD_INPUT;
    }
    // SAFETY: a string of the library's, which ends with a zero.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    SAID.with(|said| *said.borrow_mut() = text);
    Code::OK
}

extern "C" fn sizes(_context: *mut c_void, to: *mut Sizes) -> Code {
    if to.is_null() {
        return Code::BAD_INPUT;
    }
    // SAFETY: the library's own variable.
    unsafe { to.write(SIZES) };
    Code::OK
}

extern "C" fn symbol(
    of: *mut c_void,
    of_thread: *mut c_void,
    name: *const c_char,
    to: *mut Address,
    _file: *const c_char,
) -> Code {
    // SAFETY: libraries pass on the context that they were given.
    let context = unsafe { context(of) };
    let Some(context) = context.filter(|_| !name.is_null() && !to.is_null()) else {
        return Code::BAD_INPUT;
    };
    // SAFETY: a string of the library's, which ends with a zero.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let found = match &*name {
        GTID if !of_thread.is_null() => Some(GTID_ADDRESS),
        name => context.image.symbol(name),
    };
    let Some(address) = found else { return Code::ERROR };
    // SAFETY: the library's own variable.
    unsafe { to.write(Address { segment: 0, address }) };
    Code::OK
}

extern "C" fn read(
    of: *mut c_void,
    _thread: *mut c_void,
    from: *const Address,
    bytes: u64,
    to: *mut c_void,
) -> Code {
    // SAFETY: libraries pass on the context that they were given.
    let context = unsafe { context(of) };
    let Some(context) = context.filter(|_| !from.is_null() && !to.is_null()) else {
        return Code::BAD_INPUT;
    };
    if bytes > LARGEST {
        return Code::NO_MEMORY;
    }
    // SAFETY: the library's own variable, and its own memory of at least that many bytes.
    let (from, to) =
        unsafe { (from.read(), std::slice::from_raw_parts_mut(to.cast::<u8>(), bytes as usize)) };
    if from.address == GTID_ADDRESS {
        let number = context.gtid.get().to_ne_bytes();
        to.fill(0);
        to.iter_mut().zip(number).for_each(|(to, from)| *to = from);
        return Code::OK;
    }
    if context.target.read(from.address, to) == to.len() { Code::OK } else { Code::ERROR }
}

extern "C" fn read_string(
    of: *mut c_void,
    _thread: *mut c_void,
    from: *const Address,
    bytes: u64,
    to: *mut c_void,
) -> Code {
    // SAFETY: libraries pass on the context that they were given.
    let context = unsafe { context(of) };
    let Some(context) = context.filter(|_| !from.is_null() && !to.is_null()) else {
        return Code::BAD_INPUT;
    };
    if bytes == 0 || bytes > LARGEST {
        return Code::BAD_INPUT;
    }
    // SAFETY: the library's own variable, and its own memory of at least that many bytes.
    let (from, to) =
        unsafe { (from.read(), std::slice::from_raw_parts_mut(to.cast::<u8>(), bytes as usize)) };
    let got = context.target.read(from.address, to);
    let ends = to.get(..got).is_some_and(|read| read.contains(&0));
    match to.last_mut() {
        Some(last) if !ends => *last = 0,
        _ => {}
    }
    if ends { Code::OK } else { Code::ERROR }
}

/// Refuses to write: nothing is ever written into a target.
extern "C" fn write(
    _: *mut c_void,
    _: *mut c_void,
    _: *const Address,
    _: u64,
    _: *const c_void,
) -> Code {
    Code::UNSUPPORTED
}

/// Copies data unchanged, since the target's byte order is ours.
extern "C" fn copy(
    _context: *mut c_void,
    from: *const c_void,
    unit: u64,
    count: u64,
    to: *mut c_void,
) -> Code {
    let bytes = unit.saturating_mul(count);
    if from.is_null() || to.is_null() || bytes > LARGEST {
        return Code::BAD_INPUT;
    }
    // SAFETY: both are the library's, of that many bytes; they may be one and the same.
    unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), bytes as usize) };
    Code::OK
}

extern "C" fn thread(
    of: *mut c_void,
    kind: u64,
    bytes: u64,
    id: *const c_void,
    to: *mut *mut c_void,
) -> Code {
    // SAFETY: libraries pass on the context that they were given.
    let context = unsafe { context(of) };
    let Some(context) = context.filter(|_| !id.is_null() && !to.is_null()) else {
        return Code::BAD_INPUT;
    };
    if kind != crate::types::PTHREAD || bytes != 8 {
        return Code::UNSUPPORTED;
    }
    // SAFETY: of that many bytes, wherever they lie.
    let id = unsafe { id.cast::<u64>().read_unaligned() };
    let Some(found) = context.threads.iter().find(|thread| thread.pthread == id) else {
        return Code::INCOMPATIBLE;
    };
    // SAFETY: the library's own variable; it only hands the address back to us, where it says that there is a thread.
    unsafe { to.write(std::ptr::from_ref(found).cast_mut().cast()) };
    Code::OK
}
