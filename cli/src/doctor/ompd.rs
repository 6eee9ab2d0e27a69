//! Finding about OMPD queries of a runtime (`ompttrace inspect --ompd`), and about what they lack.

use super::finding::{Finding, Level};
use ompttrace_ompd::{beside, has_symbols, is_runtime};
use rustix::process::geteuid;
use std::path::Path;

/// The finding for a runtime; none for one that has no OMPD library anyway.
pub fn finding(runtime: &Path) -> Option<Finding> {
    if !is_runtime(runtime) {
        return None;
    }
    let symbols = match has_symbols(runtime) {
        Ok(true) => None,
        Ok(false) => Some(
            "its symbols were stripped, as in Debian's (PyPI's intel-openmp has them)".to_owned(),
        ),
        Err(error) => Some(error),
    };
    let library = beside(runtime, geteuid().as_raw());
    let debug = std::env::var_os("OMP_DEBUG").is_some_and(|value| value == "enabled");
    Some(describe(runtime, symbols, library.map_err(|error| error.to_string()), debug))
}

fn describe(
    runtime: &Path,
    symbols: Option<String>,
    library: Result<impl AsRef<Path>, String>,
    debug: bool,
) -> Finding {
    let shown = runtime.display();
    let missing = library.as_ref().err().map(|why| format!("{why} (--ompd=FILE names one)"));
    let missing: Vec<String> = symbols.into_iter().chain(missing).collect();
    if let (true, Ok(library)) = (missing.is_empty(), &library) {
        let library = library.as_ref().display();
        let how = match debug {
            true => "OMP_DEBUG=enabled is set",
            false => "states and frames need `ompttrace run --inspectable` (OMP_DEBUG=enabled)",
        };
        let text = format!("{shown}: `ompttrace inspect --ompd` uses {library}; {how}");
        return Finding::new(Level::Good, "OMPD", text);
    }
    let text = format!("{shown} cannot be queried: {}", missing.join("; "));
    Finding::new(Level::Note, "OMPD", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_missing_is_reported() {
        let runtime = Path::new("/lib/libomp.so.5");
        let library = || Ok("/lib/libompd.so");
        let good = describe(runtime, None, library(), false);
        assert_eq!(good.level, Level::Good);
        assert!(good.text.contains("/lib/libompd.so") && good.text.contains("--inspectable"));
        assert!(describe(runtime, None, library(), true).text.contains("is set"));
        let none: Result<&str, String> = Err("no libompd.so".to_owned());
        let bad = describe(runtime, Some("stripped".to_owned()), none, false);
        assert_eq!(bad.level, Level::Note);
        assert!(bad.text.contains("stripped; no libompd.so (--ompd=FILE names one)"), "{bad:?}");
        assert_eq!(finding(Path::new("/usr/lib/libgomp.so.1")), None);
    }
}
