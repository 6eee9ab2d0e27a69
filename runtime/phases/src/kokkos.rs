//! Kokkos Tools: the functions that Kokkos looks up in the library of KOKKOS_TOOLS_LIBS, and calls around kernels, profiling regions,
//! fences and deep copies, on the thread that requests them.

use crate::source::OF_KOKKOS;
use crate::text::{Text, bytes};
use core::ffi::{c_char, c_int, c_void};
use ompttrace_recording::phases::kind::{KOKKOS_COPY, KOKKOS_FENCE, KOKKOS_KERNEL, KOKKOS_REGION};

/// Settings of a tool; Kokkos passes 256 bytes.
#[repr(C)]
pub struct ToolSettings {
    /// True if Kokkos waits for all devices before and after whatever it reports.
    requires_global_fencing: bool,
    reserved: [u8; 255],
}

/// The name of a memory space.
#[repr(C)]
pub struct SpaceHandle {
    name: [c_char; 64],
}

fn begin(kind: u64, name: *const c_char) {
    // SAFETY: Kokkos's own C string.
    OF_KOKKOS.begin(kind, 0, unsafe { bytes(name) });
}

fn end(kind: u64) {
    OF_KOKKOS.end(kind, 0);
}

/// Kokkos is initialised and has loaded the tool.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_init_library(
    _load_sequence: c_int,
    interface_version: u64,
    _device_count: u32,
    _devices: *mut c_void,
) {
    let _ = ompttrace_recorder::caught(|| {
        OF_KOKKOS.starts(&format!("version {interface_version}"));
    });
}

/// Kokkos asks for the tool's settings. The program runs as without the tool: devices are not waited for.
///
/// # Safety
///
/// `settings` is null or points to settings of Kokkos, of which there are any if `count` is not 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kokkosp_request_tool_settings(count: u32, settings: *mut ToolSettings) {
    // SAFETY: as the caller says.
    if let Some(settings) = unsafe { settings.as_mut() }.filter(|_| count > 0) {
        settings.requires_global_fencing = false;
    }
}

/// Kokkos is finalised.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_finalize_library() {
    OF_KOKKOS.ends();
}

/// A parallel_for begins.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_begin_parallel_for(name: *const c_char, _device: u32, _id: *mut u64) {
    begin(KOKKOS_KERNEL, name);
}

/// A parallel_for ends.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_end_parallel_for(_id: u64) {
    end(KOKKOS_KERNEL);
}

/// A parallel_reduce begins.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_begin_parallel_reduce(name: *const c_char, _device: u32, _id: *mut u64) {
    begin(KOKKOS_KERNEL, name);
}

/// A parallel_reduce ends.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_end_parallel_reduce(_id: u64) {
    end(KOKKOS_KERNEL);
}

/// A parallel_scan begins.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_begin_parallel_scan(name: *const c_char, _device: u32, _id: *mut u64) {
    begin(KOKKOS_KERNEL, name);
}

/// A parallel_scan ends.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_end_parallel_scan(_id: u64) {
    end(KOKKOS_KERNEL);
}

/// A profiling region begins.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_push_profile_region(name: *const c_char) {
    begin(KOKKOS_REGION, name);
}

/// The innermost profiling region ends.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_pop_profile_region() {
    end(KOKKOS_REGION);
}

/// A fence begins.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_begin_fence(name: *const c_char, _device: u32, _handle: *mut u64) {
    begin(KOKKOS_FENCE, name);
}

/// A fence ends.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_end_fence(_handle: u64) {
    end(KOKKOS_FENCE);
}

/// A deep copy begins. Its name is that of its source and of its destination.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_begin_deep_copy(
    to_space: SpaceHandle,
    to: *const c_char,
    _to_address: *const c_void,
    from_space: SpaceHandle,
    from: *const c_char,
    _from_address: *const c_void,
    _bytes: u64,
) {
    let name = Text::new();
    let name = of_side(name, &from_space, from).and(b" -> ");
    OF_KOKKOS.begin(KOKKOS_COPY, 0, of_side(name, &to_space, to).bytes());
}

/// The innermost deep copy ends.
#[unsafe(no_mangle)]
pub extern "C" fn kokkosp_end_deep_copy() {
    end(KOKKOS_COPY);
}

/// `text` with a side of a copy: its memory space and, in brackets, its label.
fn of_side(text: Text, space: &SpaceHandle, label: *const c_char) -> Text {
    let space = space.name.iter().map(|each| *each as u8).take_while(|each| *each != 0);
    let text = space.fold(text, |text, each| text.and(&[each]));
    // SAFETY: Kokkos's own C string.
    match unsafe { bytes(label) } {
        b"" => text,
        label => text.and(b" [").and(label).and(b"]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_of_a_copy_is_its_space_and_its_label() {
        let mut space = SpaceHandle { name: [0; 64] };
        space.name.iter_mut().zip(b"Host").for_each(|(to, from)| *to = *from as c_char);
        let named = of_side(Text::new(), &space, c"field".as_ptr());
        assert_eq!(named.bytes(), b"Host [field]");
        assert_eq!(of_side(Text::new(), &space, core::ptr::null()).bytes(), b"Host");
    }
}
