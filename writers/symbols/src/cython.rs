//! From Cython's names of C functions to those of the Python functions that they were.

/// What stands before them: the body of a `def`, its wrapper, a `cdef` function.
const MARKS: [&str; 3] = ["__pyx_pf_", "__pyx_pw_", "__pyx_f_"];

/// `heat.Grid.smooth` of `__pyx_pf_4heat_4Grid_2smooth`: modules and classes stand after their lengths, the function
/// after a number of its own that only keeps names apart.
pub(crate) fn function(name: &str) -> Option<String> {
    let mut rest = MARKS.iter().find_map(|mark| name.strip_prefix(mark))?;
    let mut path = Vec::new();
    while let Some((outer, inner)) = outer(rest) {
        path.push(outer);
        rest = inner;
    }
    let own = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    path.push(if own.is_empty() { rest } else { own });
    (path.len() > 1).then(|| path.join("."))
}

/// A module or class at the begin of a name, and what is within it.
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
