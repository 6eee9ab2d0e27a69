//! Mappings of this process, for the tests.

use ompttrace_stacks::Mapped;

/// The mapping at an address, according to /proc/self/maps.
pub fn mapped(address: u64) -> Option<Mapped> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let mut header = 0;
    for line in maps.lines() {
        let mut fields = line.split_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        let (start, end) = (number(start)?, number(end)?);
        let (rights, offset) = (fields.next()?, number(fields.next()?)?);
        if offset == 0 {
            header = start;
        }
        if rights.contains('x') && (start..end).contains(&address) {
            return Some(Mapped { start, end, header, identity: 0 });
        }
    }
    None
}
