//! The macro that defines entry points, each with a name that callers reach by `--wrap`, a call of the real function,
//! and the reports around it.
//!
//! ```text
//! entries! { settled;
//!     ort_x (arguments) -> result |call, real| { statements }
//! }
//! ```
//!
//! A call is passed on unrecorded if `settled` (one of [`crate::call`]) returns `None`.
//!
//! The function that is reached is three instructions that note the return address, which no stable Rust gives, and
//! leave every argument where it is. Forced unwinding (a cancelled thread) passes through: nothing here has a
//! destructor.

macro_rules! entries {
    ($begin:ident; $( $(#[$meta:meta])* $name:ident $args:tt $(-> $ret:ty)? | $call:ident, $real:ident | $body:tt )+) => {
        $( $crate::entry::entries!(@one $begin $name $args [$($ret)?] [$call $real] $body); )+
    };
    (@one $begin:ident $name:ident ($($arg:ident : $type:ty),* $(,)?) [$($ret:ty)?] [$call:ident $real:ident] $body:tt) => {
        #[allow(unused_imports, clippy::wildcard_imports, reason = "not every body needs all of it")]
        pub(crate) mod $name {
            use super::*;

            /// The real function. It may only be called if the program has it: the reference is weak, so that a
            /// program can be linked in which only the calls of other functions are wrapped.
            #[unsafe(naked)]
            #[allow(dead_code, reason = "some are only passed on")]
            #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
            pub(crate) unsafe extern "C-unwind" fn real($($arg : $type),*) $(-> $ret)? {
                #[cfg(target_arch = "x86_64")]
                core::arch::naked_asm!(
                    concat!(".weak __real_", stringify!($name)),
                    concat!("jmp qword ptr [rip + __real_", stringify!($name), "@GOTPCREL]"),
                );
                #[cfg(target_arch = "aarch64")]
                core::arch::naked_asm!(
                    concat!(".weak __real_", stringify!($name)),
                    concat!("adrp x16, :got:__real_", stringify!($name)),
                    concat!("ldr x16, [x16, :got_lo12:__real_", stringify!($name), "]"),
                    "br x16",
                );
            }

            /// Address of the real function; 0 if the program lacks it.
            #[allow(dead_code, reason = "few are asked for")]
            pub(crate) fn address() -> usize {
                let address: usize;
                // SAFETY: reads an entry of the global offset table.
                unsafe {
                    #[cfg(target_arch = "x86_64")]
                    core::arch::asm!(
                        concat!(".weak __real_", stringify!($name)),
                        concat!("mov {}, qword ptr [rip + __real_", stringify!($name), "@GOTPCREL]"),
                        out(reg) address,
                        options(nomem, nostack, preserves_flags),
                    );
                    #[cfg(target_arch = "aarch64")]
                    core::arch::asm!(
                        concat!(".weak __real_", stringify!($name)),
                        concat!("adrp {0}, :got:__real_", stringify!($name)),
                        concat!("ldr {0}, [{0}, :got_lo12:__real_", stringify!($name), "]"),
                        out(reg) address,
                        options(nomem, nostack, preserves_flags),
                    );
                }
                address
            }

            #[unsafe(export_name = concat!("__wrap_", stringify!($name)))]
            #[unsafe(naked)]
            #[allow(missing_docs, reason = "the interface's own function")]
            #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
            pub(crate) unsafe extern "C-unwind" fn wrapper($($arg : $type),*) $(-> $ret)? {
                ompttrace_in_front::note_caller!(body)
            }

            #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
            unsafe extern "C-unwind" fn body($($arg : $type),*) $(-> $ret)? {
                let $real = real;
                let Some($call) = $crate::call::$begin() else {
                    // SAFETY: the arguments are the program's, passed on unchanged.
                    return unsafe { $real($($arg),*) };
                };
                // SAFETY: the arguments are the program's; what each body does with pointers it says itself.
                #[allow(unused_unsafe, reason = "bodies are written inside of it")]
                unsafe $body
            }
        }
    };
}
pub(crate) use entries;

/// Defines an entry point of a function with a variable number of arguments, which can only be passed on by a jump:
/// `note` is called before it, with the return address of the call. Integers and addresses are passed on unchanged.
macro_rules! passed_on {
    ($(#[$meta:meta])* $name:ident, $note:ident) => {
        #[allow(unused_imports, clippy::wildcard_imports, reason = "for the note")]
        pub(crate) mod $name {
            use super::*;

            $(#[$meta])*
            #[unsafe(export_name = concat!("__wrap_", stringify!($name)))]
            #[unsafe(naked)]
            pub(crate) unsafe extern "C-unwind" fn wrapper() {
                #[cfg(target_arch = "x86_64")]
                core::arch::naked_asm!(
                    "push rdi",
                    "push rsi",
                    "push rdx",
                    "push rcx",
                    "push r8",
                    "push r9",
                    "push rax",
                    "mov rdi, qword ptr [rsp + 56]",
                    "call {note}",
                    "pop rax",
                    "pop r9",
                    "pop r8",
                    "pop rcx",
                    "pop rdx",
                    "pop rsi",
                    "pop rdi",
                    concat!(".weak __real_", stringify!($name)),
                    concat!("jmp qword ptr [rip + __real_", stringify!($name), "@GOTPCREL]"),
                    note = sym noted,
                );
                #[cfg(target_arch = "aarch64")]
                core::arch::naked_asm!(
                    "stp x29, x30, [sp, #-80]!",
                    "stp x0, x1, [sp, #16]",
                    "stp x2, x3, [sp, #32]",
                    "stp x4, x5, [sp, #48]",
                    "stp x6, x7, [sp, #64]",
                    "mov x0, x30",
                    "bl {note}",
                    "ldp x0, x1, [sp, #16]",
                    "ldp x2, x3, [sp, #32]",
                    "ldp x4, x5, [sp, #48]",
                    "ldp x6, x7, [sp, #64]",
                    "ldp x29, x30, [sp], #80",
                    concat!(".weak __real_", stringify!($name)),
                    concat!("adrp x16, :got:__real_", stringify!($name)),
                    concat!("ldr x16, [x16, :got_lo12:__real_", stringify!($name), "]"),
                    "br x16",
                    note = sym noted,
                );
            }

            extern "C" fn noted(code: u64) {
                $note(code);
            }
        }
    };
}
pub(crate) use passed_on;
