//! The macro that defines callbacks from one table of the events' numbers, names and signatures.
//!
//! ```text
//! events! { TABLE;
//!     17 release_lock MutexReleased None (wait: u64) => { code: 0, kind: LOCK, wait_id: wait }
//! }
//! ```
//!
//! defines the callback of event 17, which records `mutex_released`, and its row. As in the adapter for today's
//! interface a callback first takes a slot for its record, and continues in a cold twin if there is none.

/// A callback in the type that the interface's function for registration takes.
pub(crate) type Callback = unsafe extern "C" fn();

/// One event, with the properties that its registration needs.
#[derive(Clone, Copy)]
pub(crate) struct EventEntry {
    /// Number of the event.
    pub(crate) number: u32,
    /// Name of the event without `ompt_event_`.
    pub(crate) name: &'static str,
    /// Number of the event as which it is recorded; `None` if it is not recorded.
    pub(crate) recorded: Option<u16>,
    /// The callback.
    pub(crate) function: Callback,
    /// Function that converts a device's record of the event, whose fields are the callback's arguments; `None` if
    /// devices do not record the event.
    pub(crate) record: Option<fn(&Fields) -> DeviceRecord>,
}

/// The fields of a device's record (appendix A.6), each of which takes 8 bytes.
pub(crate) type Fields = [u64; 6];

/// An event that a device recorded: code and payload.
pub(crate) type DeviceRecord = (ompttrace_recording::EventCode, Vec<u64>);

/// An argument as a field of a device's record.
pub(crate) trait Field {
    fn of(word: u64) -> Self;
}

impl Field for u64 {
    fn of(word: u64) -> u64 {
        word
    }
}

impl Field for u32 {
    fn of(word: u64) -> u32 {
        word as u32
    }
}

impl Field for core::ffi::c_int {
    fn of(word: u64) -> core::ffi::c_int {
        word as core::ffi::c_int
    }
}

impl<T> Field for *const T {
    fn of(word: u64) -> *const T {
        core::ptr::without_provenance(word as usize)
    }
}

impl EventEntry {
    /// A row for the function at `function`.
    pub(crate) const fn new(
        number: u32,
        name: &'static str,
        recorded: Option<u16>,
        function: *const (),
    ) -> EventEntry {
        let function = EventEntry::callback(function);
        EventEntry { number, name, recorded, function, record: None }
    }

    /// A function in the type that registration takes.
    pub(crate) const fn callback(function: *const ()) -> Callback {
        // SAFETY: the address is that of an extern "C" function; the runtime casts it back to the
        // callback's own type, which the table has as the report does.
        unsafe { core::mem::transmute::<*const (), Callback>(function) }
    }

    /// A copy of the row for an event that devices record as well.
    pub(crate) const fn with_record(self, record: fn(&Fields) -> DeviceRecord) -> EventEntry {
        EventEntry { record: Some(record), ..self }
    }
}

macro_rules! events {
    ($table:ident; $( $number:literal $name:ident $event:ident $scope:ident
        $([new $code:ident])? ( $($arg:ident : $type:ty),* ) => { $($fields:tt)* } $(then $after:block)? )+) => {
        $(
            #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
            pub(crate) unsafe extern "C" fn $name($($arg: $type),*) {
                #[inline(always)]
                #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
                fn put(room: ompttrace_recorder::Room, $($arg: $type),*) {
                    $( let _ = &$arg; )*
                    let event = ompttrace_recording::events::$event { $($fields)* };
                    room.put($crate::table::code::<{ ompttrace_recording::events::$event::NUMBER }>(ompttrace_recording::Scope::$scope), event);
                    $( $after )?
                }
                #[cold]
                #[inline(never)]
                #[allow(clippy::too_many_arguments, reason = "the interface has so many")]
                extern "C" fn cold($($arg: $type),*) {
                    $crate::roots::introduce($number);
                    let code = $crate::table::code::<{ ompttrace_recording::events::$event::NUMBER }>(ompttrace_recording::Scope::$scope);
                    let address = $crate::table::address!($($code)?);
                    ompttrace_recorder::slow_with_site(code, address, |room, _| {
                        if let Some(room) = room {
                            put(room, $($arg),*);
                        }
                    });
                }
                // Events without a code address ask for that of null, which is always known.
                if ompttrace_recorder::site_of($crate::table::address!($($code)?)).is_none() {
                    return cold($($arg),*);
                }
                match ompttrace_recorder::room() {
                    Some(room) => put(room, $($arg),*),
                    None => cold($($arg),*),
                }
            }
        )+
        pub(crate) const $table: &[$crate::table::EventEntry] = &[ $(
            $crate::table::EventEntry::new(
                $number,
                stringify!($name),
                Some(ompttrace_recording::events::$event::NUMBER),
                $name as *const (),
            )
            .with_record(|_fields| {
                let mut _fields = _fields.iter().copied();
                $( let $arg = <$type as $crate::table::Field>::of(_fields.next().unwrap_or(0)); )*
                $( let _ = &$arg; )*
                let event = ompttrace_recording::events::$event { $($fields)* };
                let code = $crate::table::code::<{ ompttrace_recording::events::$event::NUMBER }>(ompttrace_recording::Scope::$scope);
                (code, event.words().to_vec())
            })
        ),+ ];
    };
}
pub(crate) use events;

/// The code address that an event reports for the first time, if it does: its module is recorded then. Else 0.
macro_rules! address {
    () => {
        0
    };
    ($code:ident) => {
        $code.addr() as u64
    };
}
pub(crate) use address;

/// Records an event that is rare, such as one for each thread; returns true if it is in the recording.
pub(crate) fn put(
    code: ompttrace_recording::EventCode,
    event: impl ompttrace_recording::words::Payload,
) -> bool {
    let mut is_recorded = false;
    let record = |room: Option<ompttrace_recorder::Room>| {
        if let Some(room) = room {
            room.put(code, event);
            is_recorded = true;
        }
    };
    match ompttrace_recorder::room() {
        Some(room) => record(Some(room)),
        None => ompttrace_recorder::slow(code, record),
    }
    is_recorded
}

/// The code byte of event `NUMBER` at this end.
#[inline(always)]
pub(crate) fn code<const NUMBER: u16>(
    scope: ompttrace_recording::Scope,
) -> ompttrace_recording::EventCode {
    ompttrace_recording::EventCode::new(NUMBER, scope)
}
