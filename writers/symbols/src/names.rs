//! Conversion of compilers' names to the names that users gave.

use std::borrow::Cow;

use cpp_demangle::{DemangleOptions, Symbol};

/// Texts that compilers append to a function's name when they take a part out of it.
const PARTS: [&str; 11] = [
    ".omp_outlined",
    ".omp_task_",
    ".omp.",
    ".omp_combiner",
    ".omp_initializer",
    "..omp_par",
    "._omp_fn.",
    "._omp_cpyfn.",
    ".outlined",
    " [clone ",
    "_debug__",
];

/// Texts that distinguish the name of a construct's body from that of the function around it.
const OUTLINED: [&str; 4] = ["omp_outlined", ".omp_task_entry", "..omp_par", "._omp_fn."];

/// Texts that optimisers append to a name, which are meaningless to users.
const CLONES: [&str; 7] =
    [".isra.", ".constprop.", ".part.", ".cold", ".lto_priv.", ".llvm.", ".extracted"];

/// A name without the compiler's encoding: C++ without parameters, Rust without its hash.
pub fn demangle(raw: &str) -> Cow<'_, str> {
    if let Ok(rust) = rustc_demangle::try_demangle(raw) {
        return Cow::Owned(format!("{rust:#}"));
    }
    cpp(raw).map_or(Cow::Borrowed(raw), Cow::Owned)
}

fn cpp(raw: &str) -> Option<String> {
    if !raw.starts_with("_Z") {
        return None;
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    Symbol::new(raw).ok()?.demangle_with_options(&options).ok()
}

/// Name of the function that a user wrote, from the name of that function or of an outlined part of it. It is empty if
/// the name does not contain it, as in `.omp_outlined.` of older clangs.
pub fn user_function(name: &str) -> Cow<'_, str> {
    let offloaded = offload_parent(name);
    let whole = without_suffix(offloaded.unwrap_or(name));
    match flang_name(whole, name).or_else(|| crate::cython::function(whole)) {
        Some(plain) => Cow::Owned(plain),
        None => demangle(whole),
    }
}

/// True for the name of a part that a compiler took out of a function to implement a construct.
pub fn is_outlined(name: &str) -> bool {
    offload_parent(name).is_some() || OUTLINED.iter().any(|mark| name.contains(mark))
}

fn without_suffix(name: &str) -> &str {
    let cuts = PARTS.iter().chain(&CLONES).filter_map(|mark| name.find(mark));
    &name[..cuts.min().unwrap_or(name.len())]
}

/// The function in `__omp_offloading_<device>_<file>_<function>_l<line>`, with hexadecimal numbers.
fn offload_parent(name: &str) -> Option<&str> {
    let ids = name.strip_prefix("__omp_offloading_")?;
    let function = ids.splitn(3, '_').nth(2)?;
    let line = function.rmatch_indices("_l").find(|(at, mark)| {
        function[at + mark.len()..].starts_with(|first: char| first.is_ascii_digit())
    })?;
    Some(&function[..line.0])
}

/// The Fortran name, if flang's marks prove that the name is Fortran's: C functions may end in `_` too.
fn flang_name(whole: &str, name: &str) -> Option<String> {
    let sure = whole.starts_with("_Q") || name.contains("..omp_par");
    sure.then(|| fortran(whole))
}

/// Name for a Fortran main program whose own name is unknown.
pub(crate) const MAIN_PROGRAM: &str = "program";

/// The Fortran name from the form that gfortran or flang gave it; outlined suffixes stay.
pub(crate) fn fortran(raw: &str) -> String {
    let (base, suffix) = raw.split_at(raw.find('.').unwrap_or(raw.len()));
    let plain = match base {
        "MAIN__" | "_QQmain" => MAIN_PROGRAM.to_owned(),
        _ => gfortran_module(base).or_else(|| flang_unique(base)).unwrap_or_else(|| {
            let plain = base.strip_suffix('_').filter(|plain| !plain.is_empty());
            plain.unwrap_or(base).to_owned()
        }),
    };
    plain + suffix
}

/// The name from `__module_MOD_name`.
fn gfortran_module(base: &str) -> Option<String> {
    let (module, name) = base.strip_prefix("__")?.split_once("_MOD_")?;
    Some(format!("{module}::{name}"))
}

/// The name from `_QMmodulePname`, `_QPname`, `_QFhostPinner`: upper case letters begin the parts, which are lower
/// case themselves.
fn flang_unique(base: &str) -> Option<String> {
    let rest = base.strip_prefix("_Q")?;
    let parts: Vec<_> =
        rest.split(|c: char| c.is_ascii_uppercase()).filter(|p| !p.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlined_parts_are_known() {
        for name in ["main.omp_outlined", ".omp_outlined.", ".omp_task_entry..2", "f._omp_fn.0"] {
            assert!(is_outlined(name), "{name}");
        }
        assert!(!is_outlined("main") && !is_outlined("omp_get_wtime"));
    }

    #[test]
    fn outlined_parts_lead_to_the_user_function() {
        let cases = [
            ("main", "main"),
            ("main.omp_outlined", "main"),
            ("foo.omp_outlined.3", "foo"),
            ("foo.omp_outlined_debug__", "foo"),
            ("foo.omp_outlined_debug__.2", "foo"),
            ("main.omp_outlined.omp.reduction.reduction_func", "main"),
            (".omp_outlined.", ""),
            (".omp_outlined._debug__.7", ""),
            (".omp_task_entry.", ""),
            (".omp_task_entry..12", ""),
            ("main._omp_fn.0", "main"),
            ("main._omp_cpyfn.1", "main"),
            ("foo.constprop.0._omp_fn.2", "foo"),
            ("foo.isra.0", "foo"),
            ("foo_..omp_par", "foo"),
            ("foo_..omp_par.2", "foo"),
            ("_QPfoo..omp_par", "foo"),
            ("_QMheatPstep..omp_par.1", "heat::step"),
            ("_QQmain..omp_par", "program"),
            ("c_name_", "c_name_"),
            ("__omp_offloading_fd00_1a2b_foo_l12", "foo"),
            ("__omp_offloading_fd00_1a2b_foo_lower_l12_debug__", "foo_lower"),
            ("__omp_offloading_fd00_1a2b__Z4heatPdi_l120.omp_outlined", "heat"),
            ("_ZN4heat4stepEPdi.omp_outlined", "heat::step"),
            ("_ZN4heat4stepEPdi._omp_fn.0", "heat::step"),
            ("__pyx_pf_4heat_4Grid_smooth._omp_fn.0", "heat.Grid.smooth"),
            ("_Z5solveIdEvT_", "solve<double>"),
            ("solve [clone ._omp_fn.0]", "solve"),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
        ];
        for (name, user) in cases {
            assert_eq!(user_function(name), user, "{name}");
        }
    }

    #[test]
    fn fortran_names_lose_their_dress() {
        assert_eq!(fortran("foo_"), "foo");
        assert_eq!(fortran("__heat_MOD_step"), "heat::step");
        assert_eq!(fortran("__heat_MOD_step._omp_fn.0"), "heat::step._omp_fn.0");
        assert_eq!(fortran("MAIN__._omp_fn.0"), "program._omp_fn.0");
    }

    #[test]
    fn what_is_not_mangled_stays_borrowed() {
        assert!(matches!(demangle("_Znonsense"), Cow::Borrowed("_Znonsense")));
    }
}
