//! The code in a Rust source: comments become spaces, and what is in quotes letters, so that braces and words that are left
//! are those of the program. No character changes its position.

/// The number of lines with code.
pub fn lines(code: &str) -> usize {
    code.lines().filter(|line| !line.trim().is_empty()).count()
}

/// The source without comments and without what is in quotes.
pub fn only(text: &str) -> Vec<char> {
    let text: Vec<char> = text.chars().collect();
    let mut code = text.clone();
    let mut at = 0;
    while at < text.len() {
        let (end, with) = match &text[at..] {
            ['/', '/', ..] => (line_end(&text, at), ' '),
            ['/', '*', ..] => (comment_end(&text, at), ' '),
            ['"', ..] => (quote_end(&text, at), 'x'),
            ['\'', ..] => (letter_end(&text, at), 'x'),
            ['r', ..] if begins_raw(&text, at) => (raw_end(&text, at), 'x'),
            _ => (at + 1, text[at]),
        };
        for one in &mut code[at..end] {
            *one = if one.is_whitespace() { *one } else { with };
        }
        at = end;
    }
    code
}

fn line_end(text: &[char], from: usize) -> usize {
    text[from..].iter().position(|one| *one == '\n').map_or(text.len(), |length| from + length)
}

/// Comments contain comments.
fn comment_end(text: &[char], from: usize) -> usize {
    let (mut depth, mut at) = (0, from);
    while at < text.len() {
        let (change, length) = match text[at..] {
            ['/', '*', ..] => (1, 2),
            ['*', '/', ..] => (-1, 2),
            _ => (0, 1),
        };
        depth += change;
        at += length;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

fn quote_end(text: &[char], from: usize) -> usize {
    let mut at = from + 1;
    while at < text.len() {
        match text[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// The end of a character's literal; of a lifetime only its tick is passed over.
fn letter_end(text: &[char], from: usize) -> usize {
    match text[from + 1..] {
        ['\\', _, ..] => {
            let rest = &text[from + 3..];
            let end = rest.iter().position(|one| *one == '\'');
            end.map_or(text.len(), |length| from + 3 + length + 1)
        }
        [_, '\'', ..] => from + 3,
        _ => from + 1,
    }
}

/// `r"` or `r#"`, perhaps behind a `b` or `c`, at the beginning of a word.
fn begins_raw(text: &[char], at: usize) -> bool {
    let is_of_a_word = |at: usize| text[at].is_alphanumeric() || text[at] == '_';
    let begin = if at > 0 && matches!(text[at - 1], 'b' | 'c') { at - 1 } else { at };
    let is_first = begin == 0 || !is_of_a_word(begin - 1);
    is_first && text[at + 1..].iter().find(|one| **one != '#') == Some(&'"')
}

fn raw_end(text: &[char], from: usize) -> usize {
    let hashes = text[from + 1..].iter().take_while(|one| **one == '#').count();
    let mut at = from + hashes + 2;
    while at < text.len() {
        let behind = &text[at + 1..];
        if text[at] == '"' && behind.iter().take_while(|one| **one == '#').count() >= hashes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        only(text).into_iter().collect()
    }

    #[test]
    fn comments_and_quotes_hide_what_is_in_them() {
        assert_eq!(shown("a(); // } b\nc"), "a();       \nc");
        assert_eq!(shown("/* { /* */ } */ a").trim(), "a");
        assert_eq!(shown(r#"a("{\"}", '{', '\'', '\u{7b}', b'{')"#).matches(['{', '}']).count(), 0);
        assert_eq!(shown("a(r#\"{\"}\"#, br\"{\\\", 1)"), "a(xxxxxxxx, bxxxxx, 1)");
        assert_eq!(shown("fn a<'b>(c: &'b str) {}"), "fn a<xb>(c: &xb str) {}");
    }

    #[test]
    fn lines_with_code_count() {
        let text = "//! Purpose.\n\nfn a() {\n    /* none\n    here */\n    b(); // some\n}\n";
        assert_eq!(lines(&shown(text)), 3);
    }
}
