//! The macro that defines callbacks: a fast path without calls, a cold twin, a row for registration.
//!
//! ```text
//! callbacks! { TABLE;
//!     fn ompttrace_cb_x / Event / scope (arguments) |room| { statements; Event { fields } }
//! }
//! ```
//!
//! The fast path first takes a slot for its record, and only then reads its arguments. Without one it ends in a tail
//! call to the cold twin, so that its body needs no stack frame. A few callbacks have work to do `outside` of the
//! event, whether it is recorded or not.

use ompt_sys::ompt_callback_t;

/// One callback, with the properties that its registration needs.
#[derive(Clone, Copy)]
pub(crate) struct CallbackEntry {
    /// Number of the callback in the interface, which is also the event's.
    pub(crate) number: u16,
    /// The callback function.
    pub(crate) function: ompt_callback_t,
}

impl CallbackEntry {
    /// A row for the function at `function`.
    pub(crate) const fn new(number: u16, function: *const ()) -> CallbackEntry {
        // SAFETY: the address is that of an extern "C" function; the runtime casts it back to the
        // callback's own type, which the macro's user wrote as the header has it.
        let function = unsafe { core::mem::transmute::<*const (), ompt_callback_t>(function) };
        CallbackEntry { number, function }
    }

    /// Name of the callback without `ompt_callback_`.
    pub(crate) fn name(&self) -> &'static str {
        ompttrace_recording::events::name(self.number)
    }
}

macro_rules! callbacks {
    ($table:ident;
     $( $(#[$meta:meta])* fn $name:ident / $event:ident / $scope:expr ; ( $($arg:ident : $type:ty),* $(,)? )
        |$room:ident| $body:block $(then $after:block)? $(outside $outside:block)? )+) => {
        $(
            $(#[$meta])*
            pub(crate) unsafe extern "C-unwind" fn $name($($arg: $type),*) {
                #[inline(always)]
                #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
                #[allow(unused_variables, reason = "not every argument carries meaning")]
                unsafe fn body($room: Option<ompttrace_recorder::Room>, $($arg: $type),*) {
                    let event: ompttrace_recording::events::$event = $body;
                    let Some(room) = $room else { return };
                    room.put($crate::table::code::<{ <ompttrace_recording::events::$event>::NUMBER }>($scope), event);
                    $( $after )?
                }
                #[cold]
                #[inline(never)]
                unsafe extern "C-unwind" fn cold($($arg: $type),*) {
                    let code = $crate::table::code::<{ <ompttrace_recording::events::$event>::NUMBER }>($scope);
                    // SAFETY: the arguments are the runtime's, passed on unchanged.
                    ompttrace_recorder::slow(code, |room| unsafe { body(room, $($arg),*) });
                }
                match ompttrace_recorder::room() {
                    // SAFETY: the arguments are the runtime's, passed on unchanged.
                    Some(room) => unsafe { body(Some(room), $($arg),*) },
                    // SAFETY: the arguments are the runtime's, passed on unchanged.
                    None => unsafe { cold($($arg),*) },
                }
                $( $outside )?
            }
        )+
        pub(crate) const $table: &[$crate::table::CallbackEntry] = &[ $(
            $crate::table::CallbackEntry::new(<ompttrace_recording::events::$event>::NUMBER, $name as *const ())
        ),+ ];
    };
}
pub(crate) use callbacks;

/// The code byte of event `NUMBER` at this end.
#[inline(always)]
pub(crate) fn code<const NUMBER: u16>(scope: u32) -> ompttrace_recording::EventCode {
    use ompttrace_recording::{EventCode, Scope};
    EventCode::new(NUMBER, Scope::from_number(scope))
}
