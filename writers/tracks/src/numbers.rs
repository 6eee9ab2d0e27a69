//! Numbers in titles, of which there are millions: written without the machinery of format strings.

/// The share of a part of the whole in hundredths, at most 100; 0 if the whole is nothing.
pub(crate) fn hundredths(part: u64, whole: u64) -> u64 {
    (u128::from(part) * 100).checked_div(u128::from(whole)).map_or(0, |share| share.min(100) as u64)
}

/// A number with a space before each three digits: Perfetto's page colours a slice by its name without digits and the
/// spaces before them, so commas would give the same construct another colour from a thousand on.
pub(crate) fn put_number(text: &mut String, number: u64) {
    if number < 1_000 {
        return put_digits(text, number, 1);
    }
    put_number(text, number / 1_000);
    text.push(' ');
    put_digits(text, number % 1_000, 100);
}

/// The digits of a number below a thousand, with zeros before it from this power of ten on.
fn put_digits(text: &mut String, number: u64, from: u64) {
    for power in [100, 10, 1] {
        if number >= power || from >= power {
            text.push(char::from(b'0' + (number / power % 10) as u8));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_spaces_and_nothing_else_between_digits() {
        let numbers = [0, 7, 10, 100, 999, 1_000, 12_345, 1_204_067, 10_000_000];
        let texts = numbers.map(|number| {
            let mut text = String::new();
            put_number(&mut text, number);
            text
        });
        let expected = ["0", "7", "10", "100", "999", "1 000", "12 345", "1 204 067", "10 000 000"];
        assert_eq!(texts, expected);
    }
}
