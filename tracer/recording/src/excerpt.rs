//! Values from outside in our words: quoted, escaped, and shortened where they are long, so that what
//! follows them in a line is still there.

use std::ffi::OsStr;

/// Letters of the beginning and of the end that are shown.
const BEGINNING: usize = 80;
const END: usize = 40;

/// The value, made safe for one line.
pub fn excerpt(value: impl AsRef<OsStr>) -> String {
    let quoted = format!("{:?}", value.as_ref());
    let letters = quoted.chars().count();
    if letters <= BEGINNING + END + 3 {
        return quoted;
    }
    let beginning: String = quoted.chars().take(BEGINNING).collect();
    let end: String = quoted.chars().skip(letters - END).collect();
    format!("{beginning}...{end}")
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn long_values_are_shortened_in_the_middle() {
        assert_eq!(excerpt("a\nb"), "\"a\\nb\"");
        assert_eq!(excerpt("x".repeat(118)), format!("\"{}\"", "x".repeat(118)));
        let (beginning, end) = ("x".repeat(79), "y".repeat(39));
        let long = format!("{beginning}{}{end}", "-".repeat(1000));
        assert_eq!(excerpt(long), format!("\"{beginning}...{end}\""));
    }
}
