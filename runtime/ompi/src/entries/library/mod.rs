//! The interface of 2016 between ORT and its execution entity library: functions in front of those of both sides,
//! which forward to the library that the program is linked with (`eelib.options` has them wrapped).
//!
//! They record a program in which ORT's own functions are not wrapped, and only the requests of ORT to the library. In
//! a program in which ORT's are wrapped, everything here follows from a call that is recorded already, and is passed
//! on.

mod barriers;
pub(crate) mod create;
mod life;
pub(crate) mod tasks;

/// Defines entry points for one function of the interface, under its name for threads and that for processes.
macro_rules! of_library {
    ($( $threads:ident, $processes:ident $args:tt $(-> $ret:ty)? | $call:ident, $real:ident | $body:tt )+) => {
        $crate::entry::entries! { of_library;
            $( $threads $args $(-> $ret)? | $call, $real | $body )+
            $( $processes $args $(-> $ret)? | $call, $real | $body )+
        }
    };
}
use of_library;
