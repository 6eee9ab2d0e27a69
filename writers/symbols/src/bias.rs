//! By how much a module was moved when it was loaded.

use crate::elf::{Elf, Segment};
use crate::modules::Mapping;

/// What to subtract from a run-time address to get the linker's.
pub(crate) fn load_bias(elf: &Elf, mapping: &Mapping) -> Option<u64> {
    if elf.fixed {
        return Some(0);
    }
    let segment = elf
        .segments
        .iter()
        .filter(|segment| segment.executable)
        .map(|segment| (overlap(segment, mapping), segment))
        .filter(|&(bytes, _)| bytes > 0)
        .max_by_key(|&(bytes, _)| bytes)?
        .1;
    // Both sides name the same byte of the file; all may wrap for odd link addresses.
    let file_to_memory = mapping.start.wrapping_sub(mapping.file_offset);
    Some(file_to_memory.wrapping_add(segment.file_offset).wrapping_sub(segment.address))
}

/// The same from a debug file alone, whose file offsets mean nothing: its executable
/// segment still tells address and size, which settles it where there is only one.
pub(crate) fn bias_by_size(debug: &Elf, mapping: &Mapping) -> Option<u64> {
    if debug.fixed {
        return Some(0);
    }
    let mut executable = debug.segments.iter().filter(|segment| segment.executable);
    let (only, None) = (executable.next()?, executable.next()) else { return None };
    let length = mapping.end - mapping.start;
    // Pages are 4, 16 or 64 KiB, depending on the machine that ran the program.
    [0x1000u64, 0x4000, 0x1_0000].into_iter().find_map(|page| {
        let first = only.address & !(page - 1);
        let end = only.address.checked_add(only.memory_size)?.checked_next_multiple_of(page)?;
        (end - first == length).then(|| mapping.start.wrapping_sub(first))
    })
}

/// How many bytes of the file a segment and a mapping have in common. Mappings are rounded
/// to pages, so neighbours touch as well: the largest share tells.
fn overlap(segment: &Segment, mapping: &Mapping) -> u64 {
    let mapped_end = mapping.file_offset.saturating_add(mapping.end - mapping.start);
    let end = segment.file_offset.saturating_add(segment.file_size).min(mapped_end);
    end.saturating_sub(segment.file_offset.max(mapping.file_offset))
}
