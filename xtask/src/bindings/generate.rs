//! Runs bindgen over each crate's headers, and writes or compares what comes out.

use crate::bindings::{ompt, otf2};
use crate::shell::root;
use anyhow::{Context, Result, anyhow, bail};

/// A crate of C types: where its file lies and how it is made.
pub struct Bound {
    /// The committed file, from the top of the repository.
    pub file: &'static str,
    /// What a message calls the source.
    pub header: &'static str,
    /// The lines at the top of the file.
    pub head: &'static str,
    /// What bindgen is asked for.
    pub builder: fn(bindgen::Builder) -> bindgen::Builder,
}

const ALL: &[Bound] = &[ompt::BOUND, otf2::BOUND];

/// Writes all files.
pub fn write() -> Result<()> {
    ALL.iter().try_for_each(|bound| {
        let path = root().join(bound.file);
        std::fs::write(&path, bound.generate()?)
            .with_context(|| format!("cannot write {}", bound.file))
    })
}

/// Fails when a file differs from what would be written now.
pub fn check() -> Result<()> {
    ALL.iter().try_for_each(Bound::check)
}

impl Bound {
    fn check(&self) -> Result<()> {
        let Bound { file, header, .. } = self;
        let kept = std::fs::read_to_string(root().join(file))
            .with_context(|| format!("cannot read {file}"))?;
        let fresh = self.generate()?;
        let Some(line) = first_difference(&kept, &fresh) else { return Ok(()) };
        bail!("{file} differs from {header} in line {line}: run `cargo xtask bindings`");
    }

    /// Enumerators become plain integers: a library newer than the header may send others, and an
    /// unknown value in a Rust enum would be undefined.
    fn generate(&self) -> Result<String> {
        let target = bindgen::RustTarget::stable(85, 0).map_err(|error| anyhow!("{error}"))?;
        let builder = bindgen::Builder::default()
            .default_enum_style(bindgen::EnumVariation::Consts)
            .prepend_enum_name(false)
            .layout_tests(true)
            .generate_comments(false)
            .derive_default(true)
            .use_core()
            .rust_target(target)
            .rust_edition(bindgen::RustEdition::Edition2024)
            .formatter(bindgen::Formatter::Rustfmt)
            .rustfmt_configuration_file(Some(root().join("rustfmt.toml")))
            .disable_header_comment();
        let bindings = (self.builder)(builder)
            .generate()
            .with_context(|| format!("bindgen cannot read {}", self.header))?;
        Ok(format!("{}\n{bindings}", self.head))
    }
}

fn first_difference(kept: &str, fresh: &str) -> Option<usize> {
    if kept == fresh {
        return None;
    }
    let same = kept.lines().zip(fresh.lines()).take_while(|(one, other)| one == other).count();
    Some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn a_changed_line_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
    }
}
