//! Names of Kokkos's kernels. One without a label is named by the type of its functor, as the compiler encodes it.

use ompttrace_symbols::demangle;
use std::borrow::Cow;

/// Text that demanglers put before a type's name.
const TYPE: &str = "typeinfo name for ";

/// The name of a kernel for users: `main::{lambda(int)#1}` for `Z4mainEUliE_`. A functor may be followed by a tag, after a slash.
pub(crate) fn kernel(name: &str) -> Cow<'_, str> {
    let parts: Vec<_> = name.split('/').map(functor).collect();
    match parts.iter().any(|part| matches!(part, Cow::Owned(_))) {
        true => Cow::Owned(parts.join("/")),
        false => Cow::Borrowed(name),
    }
}

fn functor(part: &str) -> Cow<'_, str> {
    if !is_encoded(part) {
        return Cow::Borrowed(part);
    }
    let name = demangle(&format!("_ZTS{part}")).into_owned();
    name.strip_prefix(TYPE).map_or(Cow::Borrowed(part), |name| Cow::Owned(name.to_owned()))
}

/// True if this looks like a type: of a function or a namespace, or a length with a name of so many characters.
fn is_encoded(part: &str) -> bool {
    let name = part.trim_start_matches(|each: char| each.is_ascii_digit());
    let length = part.strip_suffix(name).and_then(|length| length.parse().ok());
    part.starts_with(['N', 'Z']) || length == Some(name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functors_have_the_names_of_their_types() {
        for (name, shown) in [
            ("Z4mainEUliE_", "main::{lambda(int)#1}"),
            ("6Solver", "Solver"),
            ("N3app4AxpyIdEE/N3app4AxpyIdE3TagE", "app::Axpy<double>/app::Axpy<double>::Tag"),
        ] {
            assert_eq!(kernel(name), shown);
        }
    }

    #[test]
    fn labels_stay_as_they_are() {
        for name in ["axpy", "N", "Zeroes", "N-body/forces", "3D stencil", "2d", "a/b", ""] {
            assert!(matches!(kernel(name), Cow::Borrowed(same) if same == name), "{name}");
        }
    }
}
