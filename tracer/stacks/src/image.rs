//! The unwinding tables of a mapped ELF file, copied from this process's memory.
//!
//! Only memory that the loader maps is read: program headers, `.eh_frame_hdr`, and `.eh_frame`, whose address is in
//! that header, and which ends at the latest with its segment.

use crate::memory::copy;
use framehop::{ExplicitModuleSectionInfo, Module};
use std::sync::Arc;

const PT_LOAD: u32 = 1;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
/// DW_EH_PE_pcrel | DW_EH_PE_sdata4: the encoding that linkers use for the address of `.eh_frame`.
const RELATIVE_32: u8 = 0x1b;
/// Maximum size of tables that are copied, in bytes; with larger ones frame pointers are followed.
const MAX_BYTES: u64 = 256 << 20;

/// Content of a table.
pub(crate) type Bytes = Arc<[u8]>;
type Sections = ExplicitModuleSectionInfo<Bytes>;

/// The module at `start..end`, whose ELF header is mapped at `header`. If no tables are found, frame pointers are
/// followed in it.
pub(crate) fn module(start: u64, end: u64, header: u64) -> Module<Bytes> {
    let found = if header == 0 { None } else { find(header) };
    let (bias, sections) = found.unwrap_or_default();
    Module::new(String::new(), start..end, bias, sections)
}

/// The difference between addresses in memory and in the file, and the file's sections with unwinding tables.
fn find(header: u64) -> Option<(u64, Sections)> {
    let elf: [u8; 64] = read(header)?;
    // 64-bit ELF only: this is a 64-bit process.
    if elf.get(..5)? != b"\x7fELF\x02" {
        return None;
    }
    let table = header.checked_add(word(&elf, 32)?)?;
    let entries = (u64::from(half(&elf, 54)?), u64::from(half(&elf, 56)?).min(64));
    let mut bias = None;
    let mut segments = Vec::new();
    let mut eh_frame_hdr = None;
    for index in 0..entries.1 {
        let entry: [u8; 56] = read(table.checked_add(index * entries.0)?)?;
        let (address, bytes) = (word(&entry, 16)?, word(&entry, 32)?);
        let range = address..address.checked_add(bytes)?;
        match word(&entry, 0)? as u32 {
            PT_LOAD => {
                bias.get_or_insert(header.wrapping_sub(address & !4095));
                segments.push(range);
            }
            PT_GNU_EH_FRAME => eh_frame_hdr = Some(range),
            _ => {}
        }
    }
    let (bias, hdr) = (bias?, eh_frame_hdr?);
    let eh_frame = eh_frame_at(bias, hdr.start)?;
    let end = segments.iter().find(|segment| segment.contains(&eh_frame))?.end;
    let sections = Sections {
        eh_frame_hdr: Some(bytes(bias, hdr.start..hdr.end)?),
        eh_frame_hdr_svma: Some(hdr),
        eh_frame: Some(bytes(bias, eh_frame..end)?),
        eh_frame_svma: Some(eh_frame..end),
        ..Sections::default()
    };
    Some((bias, sections))
}

/// Address of `.eh_frame` in the file, according to the header at `hdr`.
fn eh_frame_at(bias: u64, hdr: u64) -> Option<u64> {
    let head: [u8; 8] = read(bias.wrapping_add(hdr))?;
    let relative = i32::from_ne_bytes(head.get(4..)?.try_into().ok()?);
    let known = head.get(..2)? == [1, RELATIVE_32];
    known.then(|| (hdr + 4).wrapping_add_signed(relative.into()))
}

fn bytes(bias: u64, range: std::ops::Range<u64>) -> Option<Bytes> {
    let length = range.end.checked_sub(range.start).filter(|length| *length <= MAX_BYTES)?;
    let mut copied = vec![0; usize::try_from(length).ok()?];
    let got = copy(bias.wrapping_add(range.start), &mut copied)?;
    (got == copied.len()).then(|| copied.into())
}

fn read<const N: usize>(address: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    (copy(address, &mut bytes)? == N).then_some(bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" {
        /// The program's own ELF header, which the linker names.
        static __ehdr_start: u8;
    }

    #[test]
    fn this_program_has_tables_and_what_is_no_program_has_none() {
        let header = (&raw const __ehdr_start).addr() as u64;
        let (bias, sections) = find(header).expect("tables");
        assert_eq!(bias, header);
        assert!(sections.eh_frame.is_some_and(|bytes| bytes.len() > 1000));
        let hdr = sections.eh_frame_hdr.expect("a header");
        assert_eq!(hdr[..2], [1, RELATIVE_32]);
        assert!(find(8).is_none() && find(hdr.as_ptr().addr() as u64).is_none());
    }
}
