//! The line of /proc/pid/stat.

/// Fields of the line that are used here.
pub struct Stat {
    state: u8,
    threads: u64,
    /// Start of the process in clock ticks since boot, shifted by the offset of the reader's time namespace.
    pub start: u64,
}

impl Stat {
    pub fn parse(text: &[u8]) -> Option<Stat> {
        let text = String::from_utf8_lossy(text);
        // The name, field 2, may hold anything; what follows its bracket has no other.
        let (_, fields) = text.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse().ok();
        Some(Stat {
            state: *fields.first()?.as_bytes().first()?,
            threads: number(20)?,
            start: number(22)?,
        })
    }

    /// True if the process has ended, even if its parent has not waited for it; more threads are alive when only the
    /// first one ended.
    pub fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X') && self.threads <= 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_is_no_hindrance() {
        let fields: Vec<String> = (4..=30).map(|field| field.to_string()).collect();
        let text = format!("7 (a) (b) S) R {}", fields.join(" "));
        let stat = Stat::parse(text.as_bytes()).expect("parsed");
        assert_eq!((stat.state, stat.threads, stat.start), (b'R', 20, 22));
        assert!(Stat::parse(b"7 (a) R 1 2").is_none());
    }
}
