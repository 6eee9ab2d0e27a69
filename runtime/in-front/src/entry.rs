//! The first instructions of an entry point.

/// The body of a naked function: notes the return address, which no stable Rust gives, and jumps to `body` with every
/// argument where it is, so that this may take as many as it likes.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! note_caller {
    ($body:ident) => {
        core::arch::naked_asm!(
            "mov r11, qword ptr [rsp]",
            "mov r10, qword ptr [rip + ompttrace_in_front_thread@GOTTPOFF]",
            "mov qword ptr fs:[r10], r11",
            "jmp {body}",
            body = sym $body,
        )
    };
}

/// The body of a naked function: notes the return address, which no stable Rust gives, and jumps to `body` with every
/// argument where it is, so that this may take as many as it likes.
#[cfg(target_arch = "aarch64")]
#[macro_export]
macro_rules! note_caller {
    ($body:ident) => {
        core::arch::naked_asm!(
            "adrp x16, :gottprel:ompttrace_in_front_thread",
            "ldr x16, [x16, :gottprel_lo12:ompttrace_in_front_thread]",
            "mrs x17, tpidr_el0",
            "str x30, [x17, x16]",
            "b {body}",
            body = sym $body,
        )
    };
}
