//! Events of the kernel's perf, which a thread opens for itself.

use crate::host::system::uninterrupted;

/// perf_type_id of events that the kernel itself counts.
pub(crate) const SOFTWARE: u32 = 1;
/// read_format: the values of all of a group at once.
const GROUP: u64 = 1 << 3;
/// PERF_EVENT_IOC_ID: the number of the event behind a descriptor, which no other file answers.
const ID: libc::c_ulong = 0x8008_2407;

/// struct perf_event_attr as of Linux 4.1.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_watermark: u32,
    bp_type: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    sample_regs_user: u64,
    sample_stack_user: u32,
    clockid: i32,
    sample_regs_intr: u64,
    aux_watermark: u32,
    reserved: u32,
}

impl Attributes {
    fn new(kind: u32, config: u64, flags: &[u32]) -> Attributes {
        Attributes {
            kind,
            size: size_of::<Attributes>() as u32,
            config,
            flags: flags.iter().fold(0, |flags, bit| flags | flag(*bit)),
            ..Attributes::default()
        }
    }

    /// An event that counts nothing, and reports the switches of the thread that opens it: with time and core, which
    /// is all that no thread needs a privilege for. Nobody is woken up for it.
    pub(crate) fn of_switches() -> Attributes {
        const DUMMY: u64 = 9;
        const TIME: u64 = 1 << 2;
        const CPU: u64 = 1 << 7;
        Attributes {
            sample_type: TIME | CPU,
            wakeup_watermark: u32::MAX,
            clockid: libc::CLOCK_MONOTONIC,
            // exclude_kernel, exclude_hv, watermark, sample_id_all, use_clockid, context_switch.
            ..Attributes::new(SOFTWARE, DUMMY, &[5, 6, 14, 18, 25, 26])
        }
    }

    /// An event that overflows every `period` nanoseconds of the opening thread's own code, once it is enabled.
    pub(crate) fn of_samples(period: u64) -> Attributes {
        const TASK_CLOCK: u64 = 1;
        // disabled, exclude_kernel, exclude_hv.
        let clock = Attributes::new(SOFTWARE, TASK_CLOCK, &[0, 5, 6]);
        Attributes { sample_period: period, wakeup_watermark: 1, ..clock }
    }

    /// A counting event, including or excluding kernel code, which is read with its group.
    pub(crate) fn of_counter(kind: u32, config: u64, in_kernel: bool) -> Attributes {
        const EXCLUDE_KERNEL: u32 = 5;
        let flags: &[u32] = if in_kernel { &[] } else { &[EXCLUDE_KERNEL] };
        Attributes { read_format: GROUP, ..Attributes::new(kind, config, flags) }
    }

    /// Opens the event of the calling thread, on whatever core it is, in the group of another one or as a group's
    /// first; fails with the system's error number.
    pub(crate) fn open(&self, group: Option<libc::c_int>) -> Result<libc::c_int, i32> {
        const CLOSE_ON_EXEC: u64 = 1 << 3;
        let (this_thread, any_core, group) = (0, -1, group.unwrap_or(-1));
        // SAFETY: the structure has the size that it says.
        let descriptor = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                std::ptr::from_ref(self),
                this_thread,
                any_core,
                group,
                CLOSE_ON_EXEC,
            )
        };
        if descriptor >= 0 { Ok(descriptor as libc::c_int) } else { Err(errno()) }
    }
}

/// The number of the event to which a descriptor refers; `None`: it refers to no event.
pub(crate) fn id(descriptor: libc::c_int) -> Option<u64> {
    let mut id = 0u64;
    // SAFETY: the kernel fills one word, or refuses.
    let answer = unsafe { libc::ioctl(descriptor, ID as _, &raw mut id) };
    (answer == 0).then_some(id)
}

/// Reads the values of a group after their number; returns true if all of `values` are filled.
pub(crate) fn read(descriptor: libc::c_int, values: &mut [u64]) -> bool {
    let (start, bytes) = (values.as_mut_ptr(), size_of_val(values));
    let read = uninterrupted(|| {
        // SAFETY: the slice's own memory.
        unsafe { libc::read(descriptor, start.cast(), bytes) }
    });
    read.is_ok_and(|read| read == bytes)
}

fn errno() -> i32 {
    // SAFETY: the calling thread's own word.
    unsafe { *libc::__errno_location() }
}

/// Bits of a structure's bit field, the first of which are a word's lowest, or its highest.
const fn flag(bit: u32) -> u64 {
    if cfg!(target_endian = "little") { 1 << bit } else { 1 << (63 - bit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_is_the_kernels() {
        assert_eq!(size_of::<Attributes>(), 112);
        assert_eq!(std::mem::offset_of!(Attributes, flags), 40);
    }
}
