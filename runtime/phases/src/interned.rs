//! Things that a program registers by name, such as domains. Each stays as long as the process. Registration takes a lock and memory, as
//! the begins and ends of phases never do.

use ompttrace_recorder::Locked;
use std::collections::BTreeMap;
use std::ffi::CString;

/// Things by the names that a program has registered.
pub(crate) struct Interned<T: 'static>(Locked<BTreeMap<Vec<u8>, &'static T>>);

impl<T: Sync> Interned<T> {
    /// No name is registered.
    pub(crate) const fn new() -> Interned<T> {
        Interned(Locked::new(BTreeMap::new()))
    }

    /// The thing with a name; the first time `make` makes it of the name as a C string. `None` if a fork interrupted a registration.
    pub(crate) fn of(&self, name: &[u8], make: impl FnOnce(CString) -> T) -> Option<&'static T> {
        self.0.with(|known| {
            if let Some(known) = known.get(name) {
                return *known;
            }
            let text = CString::new(name).unwrap_or_default();
            let made: &'static T = Box::leak(Box::new(make(text)));
            known.insert(name.to_vec(), made);
            made
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_registered_again_has_what_it_got_first() {
        let names = Interned::new();
        let first = names.of(b"solver", |text| text).unwrap();
        assert_eq!(first.to_bytes(), b"solver");
        assert!(core::ptr::eq(first, names.of(b"solver", |text| text).unwrap()));
        assert!(!core::ptr::eq(first, names.of(b"solve", |text| text).unwrap()));
    }
}
