//! The registers that unwinding begins with.

use framehop::UnwindRegsNative;

/// A position in a thread's stack: its code address, and the registers with which it got there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) pc: u64,
    pub(crate) registers: UnwindRegsNative,
    /// True if `pc` is a return address, and not that of the present instruction.
    pub(crate) returned: bool,
}

/// The position of the function into which this is inlined.
#[inline(always)]
pub(crate) fn here() -> Start {
    let (pc, sp, fp): (u64, u64, u64);
    // SAFETY: reads registers only.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::asm!(
            "lea {0}, [rip]", "mov {1}, rsp", "mov {2}, rbp",
            out(reg) pc, out(reg) sp, out(reg) fp,
            options(nomem, nostack, preserves_flags)
        );
    }
    #[cfg(target_arch = "x86_64")]
    let registers = UnwindRegsNative::new(pc, sp, fp);
    #[cfg(target_arch = "aarch64")]
    let lr: u64;
    // SAFETY: reads registers only. The link register may hold anything; the tables know where
    // the return address is kept.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        core::arch::asm!(
            "adr {0}, .", "mov {1}, sp", "mov {2}, x29", "mov {3}, x30",
            out(reg) pc, out(reg) sp, out(reg) fp, out(reg) lr,
            options(nomem, nostack, preserves_flags)
        );
    }
    #[cfg(target_arch = "aarch64")]
    let registers = UnwindRegsNative::new(lr, sp, fp);
    Start { pc, registers, returned: false }
}

/// The caller of a function whose frame address is `frame` and whose return address is `code`;
/// `saved` is the word at the frame address. On x86-64 the three give the caller's registers.
#[cfg(target_arch = "x86_64")]
pub(crate) fn caller_of(frame: u64, saved: u64, code: u64) -> Option<Start> {
    let sp = frame.checked_add(16)?;
    Some(Start { pc: code, registers: UnwindRegsNative::new(code, sp, saved), returned: true })
}

/// `None`: on aarch64 the end of a function's frame does not follow from its frame record.
#[cfg(target_arch = "aarch64")]
pub(crate) fn caller_of(_frame: u64, _saved: u64, _code: u64) -> Option<Start> {
    None
}
