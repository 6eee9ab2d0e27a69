//! Functions of CUDA that the host calls: their names, and which of them are recorded.

use crate::library::Library;
use core::ffi::{CStr, c_int};
use ompttrace_recorder::Locked;
use std::collections::HashMap;

/// A function of CUDA, as CUPTI numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Function {
    /// CUpti_CallbackDomain.
    pub domain: c_int,
    /// CUpti_CallbackId.
    pub number: u32,
}

impl Function {
    /// CUPTI_CB_DOMAIN_DRIVER_API.
    pub(crate) const DRIVER: c_int = 1;
    /// CUPTI_CB_DOMAIN_RUNTIME_API.
    pub(crate) const RUNTIME: c_int = 2;
}

/// Numbers of functions' names by function; 0: its calls are not recorded.
static KNOWN: Locked<Option<HashMap<Function, u64>>> = Locked::new(None);

/// The number of a function's name; `None` if its calls are not recorded. A new name is put into `words`.
pub(crate) fn name(library: &Library, function: Function, words: &mut Vec<u64>) -> Option<u64> {
    let known = KNOWN.with(|known| known.as_ref()?.get(&function).copied()).flatten();
    let number = known.unwrap_or_else(|| {
        let name = library.function_name(function);
        let number = match name.filter(|name| !only_asks(name)) {
            Some(name) => ompttrace_life::device_name(without_version(&name), words),
            None => 0,
        };
        KNOWN.with(|known| known.get_or_insert_default().insert(function, number));
        number
    });
    Some(number).filter(|number| *number != 0)
}

/// The name of a function without the version of CUDA at its end: `cudaLaunchKernel_v7000`.
fn without_version(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((name, version)) if version.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}

/// True for functions that ask or set something in the calling thread and have no device do anything. Programs call them
/// far more often than all others.
fn only_asks(name: &str) -> bool {
    let words = [
        "Get",
        "Peek",
        "Query",
        "IsCapturing",
        "Occupancy",
        "SetDevice",
        "CtxSet",
        "CtxPush",
        "CtxPop",
        "CallConfiguration",
    ];
    words.iter().any(|word| name.contains(word))
}

impl Library {
    /// CUPTI's name of a function.
    fn function_name(&self, function: Function) -> Option<String> {
        let mut name = core::ptr::null();
        // SAFETY: a function's numbers as CUPTI gave them; the pointer is to storage for the answer, a C string that the library keeps.
        let answer = unsafe { (self.function)(function.domain, function.number, &raw mut name) };
        if answer != 0 || name.is_null() {
            return None;
        }
        // SAFETY: not null, so a C string of the library.
        Some(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_version() {
        for (name, expected) in [
            ("cudaLaunchKernel_v7000", "cudaLaunchKernel"),
            ("cuMemcpyHtoD_v2", "cuMemcpyHtoD"),
            ("cuLaunchKernel_ptsz", "cuLaunchKernel_ptsz"),
            ("cu_vector", "cu_vector"),
        ] {
            assert_eq!(without_version(name), expected);
        }
    }

    #[test]
    fn what_only_asks_is_left_out() {
        for name in [
            "cudaGetLastError",
            "cudaSetDevice",
            "cuEventQuery",
            "cuCtxPushCurrent_v2",
            "__cudaPushCallConfiguration",
        ] {
            assert!(only_asks(name), "{name}");
        }
        for name in [
            "cudaMemcpyAsync",
            "cuStreamSynchronize",
            "cudaLaunchKernel",
            "cudaMalloc",
            "cudaDeviceSynchronize",
        ] {
            assert!(!only_asks(name), "{name}");
        }
    }
}
