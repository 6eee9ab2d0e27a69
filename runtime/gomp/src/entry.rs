//! The macro that defines entry points, each with an exported name, a call of the real function, and the reports
//! around it.
//!
//! ```text
//! entries! { TABLE;
//!     [GOMP_a = 1, GOMP_b = 2] (arguments) -> result |call, real, kind| { statements }
//! }
//! ```
//!
//! The exported function is three instructions that note the return address, which no stable Rust
//! gives, and leave every argument where it is; so the body may take as many as it likes. Forced
//! unwinding (a cancelled thread) passes through: nothing here has a destructor.

macro_rules! entries {
    ($table:ident; $( $(#[$meta:meta])* [ $( $name:ident $(= $kind:expr)? ),+ $(,)? ] $args:tt $(-> $ret:ty)?
        | $call:ident, $real:ident $(, $k:ident)? | $body:tt )+) => {
        $( $crate::entry::entries!(@group [$($name $(= $kind)?),+] $args [$($ret)?] [$call $real [$($k)?]] $body); )+
        pub(crate) const $table: &[&$crate::entry_point::Entry] = &[ $( $( &$name::ENTRY ),+ ),+ ];
    };
    (@group [$($name:ident $(= $kind:expr)?),+] $args:tt $ret:tt $names:tt $body:tt) => {
        $( $crate::entry::entries!(@one $name [$($kind)?] $args $ret $names $body); )+
    };
    (@one $name:ident [$($kind:expr)?] ($($arg:ident : $type:ty),* $(,)?) [$($ret:ty)?] [$call:ident $real:ident [$($k:ident)?]] $body:tt) => {
        #[allow(non_snake_case, reason = "the interface's name")]
        #[allow(unused_imports, clippy::wildcard_imports, reason = "not every body needs all of it")]
        mod $name {
            use super::*;
            pub(super) static ENTRY: $crate::entry_point::Entry =
                $crate::entry_point::Entry::new(concat!(stringify!($name), "\0"));

            pub(super) type Real = unsafe extern "C-unwind" fn($($type),*) $(-> $ret)?;

            /// The real function; `None` if the libgomp lacks it.
            #[allow(dead_code, reason = "few are called for others")]
            pub(super) fn real(library: usize) -> Option<Real> {
                // SAFETY: null, or the function of this name in that libgomp, whose type is written
                // here as libgomp's own header has it.
                unsafe { core::mem::transmute::<*mut (), Option<Real>>(ENTRY.real(library)) }
            }

            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            #[allow(missing_docs, reason = "the interface's own function")]
            #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
            pub unsafe extern "C-unwind" fn $name($($arg : $type),*) $(-> $ret)? {
                ompttrace_in_front::note_caller!(body)
            }

            #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
            unsafe extern "C-unwind" fn body($($arg : $type),*) $(-> $ret)? {
                let ($call, reported) = $crate::call::begin();
                let Some($real) = real($call.library) else {
                    $crate::missing::ends_the_process(ENTRY.name, $call.code)
                };
                if !reported {
                    // SAFETY: the arguments are the program's, passed on unchanged.
                    return unsafe { $real($($arg),*) };
                }
                $( let $k = $kind; )?
                // SAFETY: the arguments are the program's; what each body does with pointers it says itself.
                #[allow(unused_unsafe, reason = "bodies are written inside of it")]
                unsafe $body
            }
        }
    };
}
pub(crate) use entries;
