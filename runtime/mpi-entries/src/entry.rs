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

/// A function's facts, and what its entry points have in common.
macro_rules! entry {
    ($number:literal $name:ident $profiled:ident $group:ident ($($arg:ident)*) { $($role:ident: $at:literal),* }) => {
        use $crate::function::{Facts, Function, Roles, Special, is};

        const NAMES: [&str; 2] =
            [concat!(stringify!($name), "\0"), concat!(stringify!($profiled), "\0")];
        const FACTS: Facts = Facts::new(
            $number, NAMES[0], stringify!($group), Roles { $($role: $at,)* ..Roles::NONE },
        );

        pub(crate) static FUNCTION: Function = Function::new(NAMES);

        #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
        unsafe extern "C-unwind" fn body<const NAME: usize>($($arg: usize),*) -> usize {
            type Real = unsafe extern "C-unwind" fn($($crate::entry::entry!(@word $arg)),*) -> usize;
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
            if const { is(NAMES[0], b"MPI_Cancel\0") } {
                $crate::status::cancels_request();
            }
            let mut words = [$($arg),*];
            let begun = match FACTS.special {
                Special::Polls(tests) => $crate::polls::begin(
                    thread, (&FACTS, tests), &mut words,
                ).map($crate::call::Begun::Poll),
                _ => $crate::call::begin(thread, &FACTS, &mut words)
                    .map($crate::call::Begun::Call),
            };
            let Some(begun) = begun else {
                const { FACTS.special.is_heeded() }
                    .then(|| $crate::call::before(thread, FACTS.special, &words));
                // SAFETY: the arguments are the program's, passed on unchanged.
                let result = unsafe { real($($arg),*) };
                const { FACTS.special.is_heeded() }
                    .then(|| $crate::call::after(thread, FACTS.special, &words, result as u32));
                return result;
            };
            #[allow(unused_variables, reason = "there may be no arguments")]
            let [$($arg),*] = words;
            // SAFETY: the arguments are the program's, but for a status that it did not want to have.
            let result = unsafe { real($($arg),*) };
            match (begun, FACTS.special) {
                ($crate::call::Begun::Poll(poll), Special::Polls(tests)) => {
                    $crate::polls::end(poll, (&FACTS, tests), &words, result);
                }
                ($crate::call::Begun::Call(open), _) => {
                    $crate::call::end(open, &FACTS, &words, result);
                }
                _ => {}
            }
            result
        }
    };
    (@word $arg:ident) => { usize };
}
pub(crate) use entry;

/// Entry points that are exported, for functions that all libraries have.
macro_rules! entries {
    ($($number:literal $name:ident $profiled:ident $group:ident ($($arg:ident)*) $roles:tt)*) => {$(
        #[allow(non_snake_case, reason = "the interface's name")]
        mod $name {
            $crate::entry::entry! { $number $name $profiled $group ($($arg)*) $roles }

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
        }
    )*};
}
pub(crate) use entries;

/// Entry points that are not exported, and a list of them, for functions that a library may lack.
macro_rules! later_entries {
    ($($number:literal $name:ident $profiled:ident $group:ident ($($arg:ident)*) $roles:tt)*) => {
        $(
            #[allow(non_snake_case, reason = "the interface's name")]
            mod $name {
                $crate::entry::entry! { $number $name $profiled $group ($($arg)*) $roles }

                #[unsafe(naked)]
                #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
                pub(super) unsafe extern "C-unwind" fn entry($($arg: usize),*) -> usize {
                    $crate::entry::note_caller!(body::<0>)
                }

                #[unsafe(naked)]
                #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
                pub(super) unsafe extern "C-unwind" fn profiled($($arg: usize),*) -> usize {
                    $crate::entry::note_caller!(body::<1>)
                }
            }
        )*

        /// All of them.
        pub(crate) static LATER: &[$crate::later::Later] = &[$(
            $crate::later::Later::new(
                &$name::FUNCTION,
                [$name::entry as *const (), $name::profiled as *const ()],
            )
        ),*];
    };
}
pub(crate) use later_entries;
