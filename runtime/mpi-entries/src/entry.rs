//! The macro that makes entry points: exported names, the way to the real function, what is reported.
//!
//! An exported function is four instructions that note the return address, which no stable Rust gives, and leave every
//! argument where it is. Forced unwinding and exceptions pass through: nothing here has a destructor.

/// The body of a naked function: notes the return address and jumps to `body` with every argument where it is.
#[cfg(target_arch = "x86_64")]
macro_rules! note_caller {
    ($body:path) => {
        core::arch::naked_asm!(
            "mov r11, qword ptr [rsp]",
            "mov r10, qword ptr [rip + ompttrace_mpi_thread@GOTTPOFF]",
            "mov qword ptr fs:[r10], r11",
            "jmp {body}",
            body = sym $body,
        )
    };
}

/// The body of a naked function: notes the return address and jumps to `body` with every argument where it is.
#[cfg(target_arch = "aarch64")]
macro_rules! note_caller {
    ($body:path) => {
        core::arch::naked_asm!(
            "adrp x16, :gottprel:ompttrace_mpi_thread",
            "ldr x16, [x16, :gottprel_lo12:ompttrace_mpi_thread]",
            "mrs x17, tpidr_el0",
            "str x30, [x17, x16]",
            "b {body}",
            body = sym $body,
        )
    };
}
pub(crate) use note_caller;

macro_rules! entries {
    ($($number:literal $name:ident $profiled:ident $group:ident ($($arg:ident)*) { $($role:ident: $at:literal),* })*) => {$(
        #[allow(non_snake_case, reason = "the interface's name")]
        mod $name {
            use $crate::function::{Function, Roles};

            static FUNCTION: Function = Function::new(
                $number,
                [concat!(stringify!($name), "\0"), concat!(stringify!($profiled), "\0")],
                stringify!($group),
                Roles { $($role: $at,)* ..Roles::NONE },
            );

            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            #[allow(missing_docs, reason = "the interface's own function")]
            #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
            pub unsafe extern "C-unwind" fn $name($($arg: usize),*) -> usize {
                $crate::entry::note_caller!(body::<0>)
            }

            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            #[allow(missing_docs, reason = "the interface's own function")]
            #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
            pub unsafe extern "C-unwind" fn $profiled($($arg: usize),*) -> usize {
                $crate::entry::note_caller!(body::<1>)
            }

            #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
            unsafe extern "C-unwind" fn body<const NAME: usize>($($arg: usize),*) -> usize {
                type Real = unsafe extern "C-unwind" fn($($crate::entry::entries!(@word $arg)),*) -> usize;
                let thread = $crate::thread::current();
                let mut real = FUNCTION.known(NAME);
                if real.is_null() {
                    real = $crate::library::find(&FUNCTION, NAME, thread.caller.get());
                }
                // SAFETY: null, or the function of this name, whose arguments and result are machine words or less.
                let real = unsafe { core::mem::transmute::<*mut (), Option<Real>>(real) };
                let Some(real) = real else { return $crate::call::NO_SUCH_FUNCTION };
                let mut words = [$($arg),*];
                let mut status = $crate::call::Status::default();
                let Some(open) = $crate::call::begin(thread, &FUNCTION, &mut words, &mut status) else {
                    // SAFETY: the arguments are the program's, passed on unchanged.
                    return unsafe { real($($arg),*) };
                };
                #[allow(unused_variables, reason = "there may be no arguments")]
                let [$($arg),*] = words;
                // SAFETY: the arguments are the program's, but for a status that it did not want to have.
                let result = unsafe { real($($arg),*) };
                open.end(&words, result);
                result
            }
        }
    )*};
    (@word $arg:ident) => { usize };
}
pub(crate) use entries;
