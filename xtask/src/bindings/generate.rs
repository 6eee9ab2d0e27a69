//! Generates each committed file from its headers or schema, and writes or compares it.

use crate::bindings::{GENERATED, PERFETTO, ompt, otf2, perfetto};
use crate::shell::root;
use anyhow::{Context, Result, anyhow, bail};

/// A generated file that is committed.
struct Generated {
    /// Path of the file, from the top of the repository.
    file: &'static str,
    /// Name of the source in messages.
    source: &'static str,
    /// Generates the file's text from the source.
    generate: fn() -> Result<String>,
}

const ALL: &[Generated] = &[
    Generated {
        file: GENERATED[0],
        source: ompt::BOUND.header,
        generate: || ompt::BOUND.generate(),
    },
    Generated {
        file: GENERATED[1],
        source: otf2::BOUND.header,
        generate: || otf2::BOUND.generate(),
    },
    Generated { file: GENERATED[2], source: PERFETTO, generate: perfetto::generate },
];

/// Writes all files.
pub fn write() -> Result<()> {
    ALL.iter().try_for_each(|generated| {
        let path = root().join(generated.file);
        std::fs::write(&path, (generated.generate)()?)
            .with_context(|| format!("cannot write {}", generated.file))
    })
}

/// Fails when a file differs from what would be written now.
pub fn check() -> Result<()> {
    ALL.iter().try_for_each(Generated::check)
}

impl Generated {
    fn check(&self) -> Result<()> {
        let Generated { file, source, .. } = self;
        let kept = std::fs::read_to_string(root().join(file))
            .with_context(|| format!("cannot read {file}"))?;
        let fresh = (self.generate)()?;
        let Some(line) = first_difference(&kept, &fresh) else { return Ok(()) };
        bail!("{file} differs from {source} in line {line}: run `cargo xtask bindings`");
    }
}

/// C types that bindgen makes of a header.
pub struct Bound {
    /// The header's path.
    pub header: &'static str,
    /// The lines at the top of the file.
    pub head: &'static str,
    /// Settings of bindgen for this header.
    pub builder: fn(bindgen::Builder) -> bindgen::Builder,
}

impl Bound {
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
