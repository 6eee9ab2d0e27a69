//! The macro that defines entry points, each with exported names, a call of the real function, and the reports around
//! it.
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
            use $crate::function::{Function, Roles, Special, is, special};

            const ROLES: Roles = Roles { $($role: $at,)* ..Roles::NONE };
            const NAMES: [&str; 2] =
                [concat!(stringify!($name), "\0"), concat!(stringify!($profiled), "\0")];
            const SPECIAL: Special = special(NAMES[0], stringify!($group), &ROLES);

            static FUNCTION: Function = Function::new($number, NAMES, stringify!($group), ROLES);

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
                if const { is(NAMES[0], b"MPI_Type_free\0") } {
                    $crate::messages::frees_datatype();
                }
                let mut words = [$($arg),*];
                let mut status = $crate::call::Status::default();
                let begun = match SPECIAL {
                    // As constants, so that a poll has nothing to look up.
                    Special::Polls(tests) => $crate::polls::begin(
                        thread, &FUNCTION, (tests, ROLES), &mut words, &mut status,
                    ).map($crate::call::Begun::Poll),
                    _ => $crate::call::begin(thread, &FUNCTION, &mut words, &mut status)
                        .map($crate::call::Begun::Call),
                };
                let Some(begun) = begun else {
                    // SAFETY: the arguments are the program's, passed on unchanged.
                    let result = unsafe { real($($arg),*) };
                    if matches!(SPECIAL, Special::Control) {
                        $crate::call::control(thread, &words);
                    }
                    return result;
                };
                #[allow(unused_variables, reason = "there may be no arguments")]
                let [$($arg),*] = words;
                // SAFETY: the arguments are the program's, but for a status that it did not want to have.
                let result = unsafe { real($($arg),*) };
                match (begun, SPECIAL) {
                    ($crate::call::Begun::Poll(poll), Special::Polls(tests)) => {
                        $crate::polls::end(poll, (tests, ROLES), &words, result);
                    }
                    ($crate::call::Begun::Call(open), _) => {
                        $crate::call::end(open, &words, result);
                    }
                    _ => {}
                }
                result
            }
        }
    )*};
    (@word $arg:ident) => { usize };
}
pub(crate) use entries;
