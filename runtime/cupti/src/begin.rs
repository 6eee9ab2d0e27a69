//! The start of recording devices.

use crate::activity::WANTED;
use crate::library::{Library, OTHER_SUBSCRIBER};
use crate::{buffers, clock, find, operation, unified};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};
use ompttrace_life::{Cupti, DeviceSource};
use ompttrace_recorder::caught;
use ompttrace_recording::facts::{CUPTI, Runtime};

/// True once recording was tried, successfully or not.
static TRIED: AtomicBool = AtomicBool::new(false);

type Initialize = extern "C" fn() -> c_int;

/// Entry point in the library that CUDA_INJECTION64_PATH names, which CUDA's driver calls when a program initialises
/// it. Returns 1 for success.
#[allow(non_snake_case, reason = "the name is the driver's")]
#[unsafe(no_mangle)]
pub extern "C" fn InitializeInjection() -> c_int {
    let _ = caught(|| match preloaded() {
        Some(other) => drop(other()),
        None => begin(),
    });
    1
}

/// This function in another copy of the tool, which was preloaded: that copy records.
fn preloaded() -> Option<Initialize> {
    // SAFETY: a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"InitializeInjection".as_ptr()) };
    // Not by the address of the function: the loader resolves its name to the copy in front here as well.
    let own = device_begins as fn(&[u8]) -> bool;
    let is_other = !found.is_null() && object(found) != object(own as *mut c_void);
    // SAFETY: the name and the type are those that the driver asks for, whichever library has the function.
    is_other.then(|| unsafe { core::mem::transmute::<*mut c_void, Initialize>(found) })
}

/// The address at which the program or library with this address begins; null if there is none.
fn object(address: *mut c_void) -> *mut c_void {
    let mut found = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr fills the structure or leaves the zeros, which are null pointers.
    unsafe {
        libc::dladdr(address, found.as_mut_ptr());
        found.assume_init().dli_fbase
    }
}

static SOURCE: DeviceSource = DeviceSource {
    device_begins,
    operation_begins: operation::begins,
    operation_ends: operation::ends,
};

/// Registers the source of devices' activities when the tool is loaded.
extern "C" fn constructor() {
    ompttrace_life::set_device_source(&SOURCE);
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

/// An OpenMP runtime initialises a device of this type, such as `sm_90` or `cuda`.
fn device_begins(kind: &[u8]) -> bool {
    let of_nvidia = [&b"sm_"[..], b"cuda", b"CUDA", b"nvptx", b"NVIDIA"];
    let is_of_nvidia =
        of_nvidia.iter().any(|name| kind.windows(name.len()).any(|part| part == *name));
    if is_of_nvidia {
        let _ = caught(begin);
    }
    is_of_nvidia && operation::at_work().is_some()
}

/// Begins recording, once; activities that cannot be recorded are noted in `recording.json`.
fn begin() {
    let wanted = match ompttrace_life::cupti() {
        None | Some(Cupti::Off) => return,
        Some(wanted) => wanted,
    };
    if TRIED.swap(true, Ordering::AcqRel) {
        return;
    }
    let described = match try_begin(&wanted) {
        Ok(runtime) => runtime,
        Err(why) => Runtime { interface: CUPTI.to_owned(), notes: vec![why], ..Runtime::default() },
    };
    if ompttrace_life::begin(|_| described).is_none() {
        return;
    }
    buffers::keep(ompttrace_recorder::state());
    ompttrace_life::on_command(buffers::on_command);
    // Activities may have begun before the first buffer comes back.
    if let Some(pair) = operation::at_work().and_then(clock::pair) {
        let mut words = Vec::new();
        pair.put(&mut words);
        ompttrace_life::put_device_records(&words, 0);
    }
    // CUDA may be used up to the end of the process.
    ompttrace_life::at_last(end);
}

fn try_begin(wanted: &Cupti) -> Result<Runtime, String> {
    let found = find::find(wanted)?;
    // SAFETY: the library was found by CUPTI's name, or the user says that it is one.
    let library = unsafe { Library::of(found.handle) }
        .ok_or_else(|| format!("{} lacks functions of CUPTI 12", found.file))?;
    let library: &'static Library = Box::leak(Box::new(library));
    let fails = |what: &str, answer| format!("{what}: {}", library.words(answer));
    let subscriber = subscribe(library)?;
    // SAFETY: functions of these types, which are never unloaded.
    let answer = unsafe { (library.register)(buffers::request, buffers::complete) };
    if answer != 0 {
        return Err(fails("activities of devices are not recorded", answer));
    }
    let mut notes = Vec::new();
    /// CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM.
    const SYSTEM: c_int = 1;
    // SAFETY: CUPTI's function with one of its numbers.
    let answer = unsafe { (library.thread_ids)(SYSTEM) };
    if answer != 0 {
        notes.push(fails("the threads that call CUDA are not known", answer));
    }
    for (kind, words) in WANTED {
        // SAFETY: CUPTI's function with one of its kinds.
        let answer = unsafe { (library.enable)(kind) };
        if answer != 0 {
            notes.push(fails(&format!("{words} are not recorded"), answer));
        }
    }
    Library::leave_queries_out(found.handle);
    operation::works(library);
    notes.extend(unified::begin(library, subscriber));
    Ok(Runtime {
        interface: CUPTI.to_owned(),
        version: library.version(),
        library: found.file,
        notes,
        ..Runtime::default()
    })
}

/// Makes this tool the only subscriber of the process, so that no other tool takes the buffers, or fails if another
/// one is subscribed. Returns the subscriber's handle.
fn subscribe(library: &Library) -> Result<*mut c_void, String> {
    let callback: unsafe extern "C" fn(*mut c_void, u32, u32, *const c_void) = unified::called;
    let mut subscriber = core::ptr::null_mut();
    // SAFETY: storage for the handle, and a callback that is never unloaded.
    let answer = unsafe {
        (library.subscribe)(&raw mut subscriber, callback as *mut c_void, core::ptr::null_mut())
    };
    match answer {
        0 => Ok(subscriber),
        OTHER_SUBSCRIBER => {
            Err("activities of devices are not recorded: another tool uses CUPTI in this process, \
             and only one can"
                .to_owned())
        }
        answer => Err(format!("activities of devices are not recorded: {}", library.words(answer))),
    }
}

/// Flushes the buffers at the end of the process, and notes the number of activities that were left out.
fn end() {
    buffers::flush();
    let left_out = buffers::left_out();
    if left_out > 0 {
        let note = format!(
            "{left_out} activities of devices are not recorded: it was paused, or had ended"
        );
        ompttrace_life::note(CUPTI, &note);
    }
    ompttrace_life::finalized();
}
