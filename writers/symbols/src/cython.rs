//! Conversion of Cython's names of C functions to the names of the Python functions from which they were generated.

/// Prefixes of these names, after underscores: of the body of a `def`, its wrapper, and a `cdef` function.
const MARKS: [&str; 3] = ["pyx_pf_", "pyx_pw_", "pyx_f_"];

/// Prefix of the name of a function that was generated for several types, with numbers of the types.
const FUSED: &str = "__pyx_fuse_";

/// The Python name, such as `heat.Grid.smooth` for `__pyx_pf_4heat_4Grid_2smooth`: each module and class comes after
/// its length, the function after a number that only makes names unique.
pub(crate) fn function(name: &str) -> Option<String> {
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '_';
    let bare = name.strip_prefix(FUSED).or_else(|| name.strip_prefix("__"))?;
    let bare = bare.trim_start_matches(is_number);
    let mut rest = MARKS.iter().find_map(|mark| bare.strip_prefix(mark))?;
    let mut path = Vec::new();
    while let Some((outer, inner)) = outer(rest) {
        path.push(outer);
        rest = inner;
    }
    let own = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let own = own.strip_prefix(FUSED).map_or(own, without_types);
    path.push(if own.is_empty() { rest } else { own });
    (path.len() > 1).then(|| path.join("."))
}

/// A name without the numbers of its types: `smooth` for `0_1_smooth`.
fn without_types(mut name: &str) -> &str {
    while let Some((number, rest)) = name.split_once('_')
        && !number.is_empty()
        && number.chars().all(|letter| letter.is_ascii_digit())
    {
        name = rest;
    }
    name
}

/// A module or class at the begin of a name, and the rest of the name.
fn outer(name: &str) -> Option<(&str, &str)> {
    let digits = name.find(|letter: char| !letter.is_ascii_digit())?;
    let length: usize = name.get(..digits)?.parse().ok()?;
    let (outer, inner) = name.get(digits..)?.split_at_checked(length)?;
    Some((outer, inner.strip_prefix('_').filter(|inner| !inner.is_empty())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cython_3_are_those_of_its_source() {
        let cases = [
            ("__pyx_f_4heat_inner", Some("heat.inner")),
            ("__pyx_pf_4heat_2step", Some("heat.step")),
            ("__pyx_pw_4heat_3step", Some("heat.step")),
            ("__pyx_pf_4heat_4Grid_smooth", Some("heat.Grid.smooth")),
            ("__pyx_pw_4heat_4Grid_3__reduce_cython__", Some("heat.Grid.__reduce_cython__")),
            ("__pyx_pf_7package_4heat_12smooth", Some("package.heat.smooth")),
            (
                "__pyx_fuse_1__pyx_pw_7sklearn_7cluster_14_k_means_lloyd_7lloyd_iter_chunked_dense",
                Some("sklearn.cluster._k_means_lloyd.lloyd_iter_chunked_dense"),
            ),
            ("__pyx_fuse_0_1__pyx_pw_4heat_5smooth", Some("heat.smooth")),
            ("__pyx_f_4heat___pyx_fuse_1_inertia_dense", Some("heat.inertia_dense")),
            ("__pyx_f_4heat___pyx_fuse_0_1__private", Some("heat._private")),
            ("pyx_f_4heat_inner", None),
            ("__pyx_f_nonsense", None),
            ("__pyx_pf_99999999999999999999_x", None),
            ("__pyx_pf_4h\u{e9}at_x", None),
            ("main", None),
        ];
        for (name, wanted) in cases {
            assert_eq!(function(name).as_deref(), wanted, "{name}");
        }
    }
}
