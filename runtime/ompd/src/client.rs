//! The library's functions with types of Rust: handles that are released when dropped, and texts that are copied.

use crate::Error;
use crate::callbacks::{CALLBACKS, Context, said};
use crate::library::Library;
use crate::types::{API_VERSION, Address, Code, FrameInfo, Handle, PTHREAD, Scope};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

/// Maximum number of texts that are read of a list.
const MOST_TEXTS: usize = 256;

/// A library at work on one target.
pub(crate) struct Client<'c> {
    library: &'c Library,
    process: Handle,
}

/// A handle that is released to the library when it is dropped.
pub(crate) struct Owned<'c> {
    handle: Handle,
    release: unsafe extern "C" fn(Handle) -> Code,
    _client: std::marker::PhantomData<&'c ()>,
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        // SAFETY: the library gave the handle for us to give it back, which happens once.
        unsafe { (self.release)(self.handle) };
    }
}

/// A variable in the library's list.
#[derive(Clone, Debug)]
pub(crate) struct IcvKind {
    pub id: u64,
    pub name: String,
    pub scope: c_int,
}

type Get = unsafe extern "C" fn(Handle, *mut Handle) -> Code;

impl<'c> Client<'c> {
    /// Begins to work on `context`, which must stay at its address while the client lives.
    pub(crate) fn new(library: &'c Library, context: &'c Context<'c>) -> Result<Client<'c>, Error> {
        // SAFETY: the callbacks are there for ever.
        let code = unsafe { (library.initialize)(API_VERSION, &CALLBACKS) };
        done("ompd_initialize", code)?;
        let mut process = null_mut();
        let context = std::ptr::from_ref(context).cast_mut().cast::<c_void>();
        // SAFETY: the context lives as long as the client, and the callbacks know it by its address.
        let code = unsafe { (library.process_initialize)(context, &mut process) };
        done("ompd_process_initialize", code)?;
        Ok(Client { library, process })
    }

    pub(crate) fn process(&self) -> Handle {
        self.process
    }

    pub(crate) fn version(&self) -> Result<(String, i64), Code> {
        let (mut text, mut number) = (null(), 0);
        // SAFETY: both write what they are given the address of.
        unsafe {
            check((self.library.get_version_string)(&mut text))?;
            check((self.library.get_omp_version)(self.process, &mut number))?;
        }
        Ok((copied(text), number))
    }

    pub(crate) fn control_variables(&self) -> Result<Vec<String>, Code> {
        let mut list: *const *const c_char = null();
        // SAFETY: writes the address of a list that ends with null, which is released when it was copied.
        unsafe {
            check((self.library.get_display_control_vars)(self.process, &mut list))?;
            let mut texts = Vec::new();
            while !list.is_null() && texts.len() < MOST_TEXTS && !(*list.add(texts.len())).is_null()
            {
                texts.push(copied(*list.add(texts.len())));
            }
            (self.library.rel_display_control_vars)(&mut list);
            Ok(texts)
        }
    }

    /// Names of states by their numbers.
    pub(crate) fn states(&self) -> Vec<(i64, String)> {
        let (mut states, mut current, mut more) = (Vec::new(), 0, 1);
        while more != 0 && states.len() < MOST_TEXTS {
            let mut name = null();
            // SAFETY: writes what it is given the addresses of.
            let code = unsafe {
                let next = &mut current;
                let (from, next) = (*next, next);
                (self.library.enumerate_states)(self.process, from, next, &mut name, &mut more)
            };
            if code != Code::OK {
                break;
            }
            states.push((current, copied(name)));
        }
        states
    }

    /// All variables and their scopes.
    pub(crate) fn icvs(&self) -> Vec<IcvKind> {
        let (mut icvs, mut id, mut more) = (Vec::new(), 0, 1);
        while more != 0 && icvs.len() < MOST_TEXTS {
            let (mut name, mut scope, from) = (null(), 0, id);
            // SAFETY: writes what it is given the addresses of.
            let code = unsafe {
                let enumerate = self.library.enumerate_icvs;
                enumerate(self.process, from, &mut id, &mut name, &mut scope, &mut more)
            };
            if code != Code::OK {
                break;
            }
            icvs.push(IcvKind { id, name: copied(name), scope });
        }
        icvs
    }

    /// The value of a variable, as the library's text if it is no number.
    pub(crate) fn icv(&self, of: Handle, icv: &IcvKind) -> Result<String, Code> {
        let mut number = 0;
        // SAFETY: the handle is of the variable's scope, and the number is ours.
        let code = unsafe { (self.library.get_icv_from_scope)(of, icv.scope, icv.id, &mut number) };
        match code {
            Code::INCOMPATIBLE => self.icv_text(of, icv),
            // The first of a list, which the text has as a whole.
            Code::INCOMPLETE => self.icv_text(of, icv).or_else(|_| Ok(number.to_string())),
            code => check(code).map(|()| number.to_string()),
        }
    }

    fn icv_text(&self, of: Handle, icv: &IcvKind) -> Result<String, Code> {
        let mut text = null();
        // SAFETY: as for a number; the text is ours to give back.
        unsafe {
            let get = self.library.get_icv_string_from_scope;
            check(get(of, icv.scope, icv.id, &mut text))?;
            let value = copied(text);
            (CALLBACKS.free)(text.cast_mut().cast());
            Ok(value)
        }
    }

    pub(crate) fn thread(&self, pthread: u64) -> Result<Owned<'c>, Code> {
        let id = std::ptr::from_ref(&pthread).cast::<c_void>();
        let mut handle = null_mut();
        // SAFETY: the id is a pthread_t of 8 bytes, as its kind says.
        check(unsafe {
            (self.library.get_thread_handle)(self.process, PTHREAD, 8, id, &mut handle)
        })?;
        Ok(self.owned(handle, self.library.rel_thread_handle))
    }

    /// The pthread_t of a thread, as the runtime noted it.
    pub(crate) fn pthread(&self, thread: &Owned<'_>) -> Result<u64, Code> {
        let mut id = 0u64;
        let to = std::ptr::from_mut(&mut id).cast::<c_void>();
        // SAFETY: the id is a pthread_t of 8 bytes, as its kind says.
        check(unsafe { (self.library.get_thread_id)(thread.handle, PTHREAD, 8, to) })?;
        Ok(id)
    }

    /// State of a thread, and the id of what it waits for.
    pub(crate) fn state(&self, thread: &Owned<'_>) -> Result<(i64, u64), Code> {
        let (mut state, mut wait) = (0, 0);
        // SAFETY: a thread's handle, and variables of ours.
        check(unsafe { (self.library.get_state)(thread.handle, &mut state, &mut wait) })?;
        Ok((state, wait))
    }

    pub(crate) fn parallel_of_thread(&self, thread: &Owned<'_>) -> Result<Owned<'c>, Code> {
        self.get(self.library.get_curr_parallel_handle, thread, self.library.rel_parallel_handle)
    }

    pub(crate) fn enclosing(&self, parallel: &Owned<'_>) -> Result<Owned<'c>, Code> {
        let get = self.library.get_enclosing_parallel_handle;
        self.get(get, parallel, self.library.rel_parallel_handle)
    }

    pub(crate) fn parallel_of_task(&self, task: &Owned<'_>) -> Result<Owned<'c>, Code> {
        self.get(self.library.get_task_parallel_handle, task, self.library.rel_parallel_handle)
    }

    pub(crate) fn task_of_thread(&self, thread: &Owned<'_>) -> Result<Owned<'c>, Code> {
        self.get(self.library.get_curr_task_handle, thread, self.library.rel_task_handle)
    }

    pub(crate) fn generating(&self, task: &Owned<'_>) -> Result<Owned<'c>, Code> {
        self.get(self.library.get_generating_task_handle, task, self.library.rel_task_handle)
    }

    pub(crate) fn scheduling(&self, task: &Owned<'_>) -> Result<Owned<'c>, Code> {
        self.get(self.library.get_scheduling_task_handle, task, self.library.rel_task_handle)
    }

    pub(crate) fn is_same_parallel(&self, one: &Owned<'_>, other: &Owned<'_>) -> bool {
        same(self.library.parallel_handle_compare, one, other)
    }

    pub(crate) fn is_same_task(&self, one: &Owned<'_>, other: &Owned<'_>) -> bool {
        same(self.library.task_handle_compare, one, other)
    }

    pub(crate) fn function(&self, task: &Owned<'_>) -> Result<u64, Code> {
        let mut address = Address::default();
        // SAFETY: a task's handle, and a variable of ours.
        check(unsafe { (self.library.get_task_function)(task.handle, &mut address) })?;
        Ok(address.address)
    }

    /// The exit and the enter frame of a task: where the runtime called its code, and where its code called the
    /// runtime.
    pub(crate) fn frames(&self, task: &Owned<'_>) -> Result<(FrameInfo, FrameInfo), Code> {
        let (mut exit, mut enter) = (FrameInfo::default(), FrameInfo::default());
        // SAFETY: a task's handle, and variables of ours.
        check(unsafe { (self.library.get_task_frame)(task.handle, &mut exit, &mut enter) })?;
        Ok((exit, enter))
    }

    pub(crate) fn tool_data(&self, of: &Owned<'_>, scope: Scope) -> Result<u64, Code> {
        let (mut value, mut address) = (0, Address::default());
        // SAFETY: a handle of that scope, and variables of ours.
        check(unsafe {
            (self.library.get_tool_data)(of.handle, scope as c_int, &mut value, &mut address)
        })?;
        Ok(value as u64)
    }

    fn get(&self, get: Get, of: &Owned<'_>, release: Get1) -> Result<Owned<'c>, Code> {
        let mut handle = null_mut();
        // SAFETY: the functions that are passed here take a handle of the kind that `of` has, and write another.
        check(unsafe { get(of.handle, &mut handle) })?;
        if handle.is_null() { Err(Code::ERROR) } else { Ok(self.owned(handle, release)) }
    }

    fn owned(&self, handle: Handle, release: Get1) -> Owned<'c> {
        Owned { handle, release, _client: std::marker::PhantomData }
    }
}

type Get1 = unsafe extern "C" fn(Handle) -> Code;
type Compare = unsafe extern "C" fn(Handle, Handle, *mut c_int) -> Code;

impl Owned<'_> {
    pub(crate) fn raw(&self) -> Handle {
        self.handle
    }
}

impl Drop for Client<'_> {
    fn drop(&mut self) {
        // SAFETY: handles of threads, regions and tasks are gone before, as they borrow what this does.
        unsafe {
            (self.library.rel_address_space_handle)(self.process);
            (self.library.finalize)();
        }
    }
}

fn same(compare: Compare, one: &Owned<'_>, other: &Owned<'_>) -> bool {
    let mut order = 1;
    // SAFETY: two handles of the kind that the function takes, and a number of ours.
    let code = unsafe { compare(one.handle, other.handle, &mut order) };
    code == Code::OK && order == 0
}

fn check(code: Code) -> Result<(), Code> {
    if code == Code::OK { Ok(()) } else { Err(code) }
}

fn done(function: &'static str, code: Code) -> Result<(), Error> {
    let said = said();
    match check(code) {
        Ok(()) => Ok(()),
        Err(code) if said.is_empty() => Err(Error::Refused { function, code }),
        Err(code) => Err(Error::Library(format!("{function}: {code}: {said}"))),
    }
}

/// A copy of a text of the library's; empty for null.
fn copied(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: libraries end their texts with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
