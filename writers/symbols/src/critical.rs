//! The names of critical sections, from symbols or from the source line; barriers, from the source line.

/// The user's name of a critical section, from the name of the variable that compilers create for it:
/// `.gomp_critical_user_update.var` (clang), `.gomp_critical_user_update` (GCC), `_gomp_critical_user_update_`
/// (flang). `None` for the section without a name.
pub fn critical_name(symbol: &str) -> Option<&str> {
    let plain = symbol.strip_prefix(['.', '_']).unwrap_or(symbol);
    let rest = plain.strip_prefix("gomp_critical_user_")?;
    let name = rest.strip_suffix(".var").or_else(|| rest.strip_suffix(".AS0.var")).unwrap_or(rest);
    // Runtime locks of the compiler's own, as `.reduction`, have a dot that no user's name has.
    (!name.is_empty() && !name.starts_with('.')).then_some(name)
}

/// The critical construct in a source line: `None` if there is none, `Some(None)` if it has no name.
pub(crate) fn critical_in_line(line: &str) -> Option<Option<String>> {
    let lower = line.to_ascii_lowercase();
    let (_, directive) = lower.split_once("omp")?;
    let start = line.len() - directive.len();
    let word = find_word(directive, "critical")?;
    let behind = line[start + word + "critical".len()..].trim_start();
    Some(parenthesised(behind))
}

/// True if a source line has a barrier directive.
pub(crate) fn is_barrier(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let Some((_, directive)) = lower.split_once("omp") else { return false };
    let directive = directive.trim_start();
    let directive = directive.strip_prefix("::directive(").unwrap_or(directive).trim_start();
    find_word(directive, "barrier") == Some(0)
}

fn parenthesised(text: &str) -> Option<String> {
    let (name, _) = text.strip_prefix('(')?.split_once(')')?;
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn find_word(text: &str, word: &str) -> Option<usize> {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        !text[..at].ends_with(part_of_name) && !text[at + word.len()..].starts_with(part_of_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_report_the_name() {
        assert_eq!(critical_name(".gomp_critical_user_update.var"), Some("update"));
        assert_eq!(critical_name(".gomp_critical_user_update"), Some("update"));
        assert_eq!(critical_name("_gomp_critical_user_update"), Some("update"));
        assert_eq!(critical_name("_gomp_critical_user_update.var"), Some("update"));
        assert_eq!(critical_name(".gomp_critical_user_.var"), None);
        assert_eq!(critical_name(".gomp_critical_user_"), None);
        assert_eq!(critical_name(".gomp_critical_user_.reduction.var"), None);
        assert_eq!(critical_name("update"), None);
    }

    #[test]
    fn source_lines_report_the_name() {
        let named = |line| critical_in_line(line).flatten();
        assert_eq!(named("  #pragma omp critical(update)").as_deref(), Some("update"));
        assert_eq!(named("#pragma omp critical ( a_b ) hint(1)").as_deref(), Some("a_b"));
        assert_eq!(named("  !$OMP CRITICAL (Update)").as_deref(), Some("Update"));
        assert_eq!(named("_Pragma(\"omp critical(m)\")").as_deref(), Some("m"));
        assert_eq!(named("[[omp::directive(critical(n))]]").as_deref(), Some("n"));
    }

    #[test]
    fn barriers_are_directives() {
        for line in ["  #pragma omp barrier", "!$OMP BARRIER", "[[omp::directive(barrier)]];"] {
            assert!(is_barrier(line), "{line}");
        }
        for line in ["#pragma omp for // no barrier", "barrier();", "#pragma omp barriers", "}"] {
            assert!(!is_barrier(line), "{line}");
        }
    }

    #[test]
    fn a_nameless_critical_is_not_the_same_as_none() {
        assert_eq!(critical_in_line("#pragma omp critical"), Some(None));
        assert_eq!(critical_in_line("#pragma omp critical hint(1)"), Some(None));
        assert_eq!(critical_in_line("critical(update);"), None);
        assert_eq!(critical_in_line("#pragma omp parallel // uncritical"), None);
    }
}
