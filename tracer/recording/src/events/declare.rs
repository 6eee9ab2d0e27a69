//! The macros that make everything that is known of events of the rows of their table.

/// Makes [`Followed`] of the rows that say `follow`, one row after the other.
macro_rules! followed {
    ([$($type:ident)*] follow $next:ident $($rest:tt)*) => { followed! { [$($type)* $next] $($rest)* } };
    ([$($type:ident)*] pass $next:ident $($rest:tt)*) => { followed! { [$($type)*] $($rest)* } };
    ([$($type:ident)*] stop $next:ident $($rest:tt)*) => { followed! { [$($type)*] $($rest)* } };
    ([$($type:ident)*]) => {
        /// An event that a scan of one thread's records has to follow: it matches all of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "one variant per struct of the same name")]
        pub enum Followed { $( $type($type), )* }

        impl Followed {
            /// Decodes a record's payload by its code; `None`: such events are not followed.
            #[inline(always)]
            pub fn decode(code: EventCode, words: &[u64]) -> Option<Followed> {
                match code.0 {
                    $( $type::FIRST..=$type::LAST => Some(Followed::$type($type::from_words(words))), )*
                    short::CREATE => Some(Followed::TaskCreate(short::create(words))),
                    short::SCHEDULE..=short::LAST => {
                        Some(Followed::TaskSchedule(short::schedule(code, words)))
                    }
                    _ => None,
                }
            }
        }
    };
}

macro_rules! events {
    ($( $(#[doc = $doc:literal])+ $number:literal = $code:literal $type:ident $name:literal
        $group:ident $scan:ident { $( $shape:ident ( $($field:ident),+ ) ),* $(,)? } )+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
            #[allow(missing_docs, reason = "the row's text explains its fields")]
            pub struct $type { $($( pub $field: u64, )+)* }

            impl $type {
                /// The event's number.
                pub const NUMBER: u16 = $number;
                const FIRST: u8 = $code;
                const LAST: u8 = code::last_code($code);
                /// The event's name.
                pub const NAME: &'static str = $name;
                /// Words of its record, header included.
                pub const WORDS: usize = 1 $( + { let _ = stringify!($shape); 1 } )*;

                /// The payload's words.
                #[inline(always)]
                pub const fn words(&self) -> [u64; Self::WORDS - 1] {
                    [$( $shape::pack($(self.$field),+) ),*]
                }

                /// The event from its payload; missing words read as 0.
                #[inline(always)]
                pub fn from_words(words: &[u64]) -> Self {
                    // With one look at the length where all are there.
                    if let Some(all) = words.first_chunk::<{ $type::WORDS - 1 }>() {
                        return Self::unpacked(all);
                    }
                    let mut all = [0; $type::WORDS - 1];
                    all.iter_mut().zip(words).for_each(|(to, word)| *to = *word);
                    Self::unpacked(&all)
                }

                #[inline(always)]
                #[allow(unused_parens, reason = "one pattern serves shapes of one and two fields")]
                fn unpacked(all: &[u64; $type::WORDS - 1]) -> Self {
                    let mut _words = all.iter().copied();
                    $( let ($($field),+) = $shape::unpack(_words.next().unwrap_or(0)); )*
                    Self { $($( $field, )+)* }
                }
            }

            impl Payload for $type {
                const WORDS: usize = <$type>::WORDS - 1;
                #[inline(always)]
                fn store(&self, _slot: &mut impl Store) {
                    let mut _index = 0;
                    $( $shape::store(_slot, _index, $(self.$field),+); _index += 1; )*
                }
            }
        )+

        /// Any event, decoded.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "one variant per struct of the same name")]
        pub enum Event { $( $type($type), )+ Unknown }

        impl Event {
            /// Decodes a record's payload by its code, which may be that of a short form.
            #[inline(always)]
            pub fn decode(code: EventCode, words: &[u64]) -> Event {
                match code.0 {
                    $( $type::FIRST..=$type::LAST => Event::$type($type::from_words(words)), )+
                    short::CREATE => Event::TaskCreate(short::create(words)),
                    short::SCHEDULE..=short::LAST => Event::TaskSchedule(short::schedule(code, words)),
                    _ => Event::Unknown,
                }
            }

            /// The payload's words, and how many of them count.
            pub fn payload(&self) -> ([u64; MAX_WORDS], usize) {
                let mut all = [0; MAX_WORDS];
                let count = match self {
                    $( Event::$type(event) => {
                        all.iter_mut().zip(event.words()).for_each(|(to, word)| *to = word);
                        $type::WORDS - 1
                    } )+
                    Event::Unknown => 0,
                };
                (all, count)
            }
        }

        /// The first code of the event with this number; 0: no such event.
        #[inline(always)]
        const fn first_code(number: u16) -> u8 {
            match number {
                $( $number => $code, )+
                _ => 0,
            }
        }

        followed! { [] $( $scan $type )+ }

        /// Groups by code; `None`: no such event.
        const GROUPS: [Option<Group>; 256] = {
            let mut table = [None; 256];
            $( table = every(table, $code, Some(Group::$group)); )+
            table
        };

        /// True, by code, if a scan may pass over such a record.
        const PASSED: [bool; 256] = {
            let mut table = [false; 256];
            $( table = every(table, $code, is_passed(stringify!($scan))); )+
            table
        };

        /// True, by code, if the payload begins with a code address. No other word of a payload is one.
        const WITH_CODE: [bool; 256] = {
            let mut table = [false; 256];
            $( table = every(table, $code, is_code_first(&[$( stringify!($shape) ),*])); )+
            table
        };

        /// Words of a record by its code, header included; 0: no such event.
        pub const WORDS: [u8; 256] = {
            let mut table = [0u8; 256];
            $( table = every(table, $code, $type::WORDS as u8); )+
            short::with_words(table)
        };

        /// Numbers by code; 0: no such event.
        pub(crate) const NUMBERS: [u16; 256] = {
            let mut table = [0u16; 256];
            $(
                assert!(code::is_allowed($number, $code), "codes that this number may not have");
                let mut at = $type::FIRST as usize;
                while at <= $type::LAST as usize {
                    #[allow(clippy::indexing_slicing, reason = "checked while compiling")]
                    {
                        assert!(table[at] == 0, "two events have one code");
                        table[at] = $number;
                    }
                    at += 1;
                }
            )+
            table
        };

        /// Names by code; empty: no such event.
        pub(crate) const NAMES: [&str; 256] = {
            let mut table = [""; 256];
            $( table = every(table, $code, $name); )+
            table
        };
    };
}
