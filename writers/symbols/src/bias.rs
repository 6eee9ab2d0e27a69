//! The load bias of a module: the distance by which it was moved when it was loaded.

use crate::elf::{Elf, Segment};
use crate::modules::Mapping;

/// The load bias, which must be subtracted from a run-time address to get the linker's; `None` if no segment fits the
/// mapping.
pub(crate) fn load_bias(elf: &Elf, mapping: &Mapping) -> Option<u64> {
    if elf.fixed {
        return Some(0);
    }
    let segment = segment_of(&elf.segments, mapping)?;
    // Both sides name the same byte of the file; all may wrap for odd link addresses.
    let file_to_memory = mapping.start.wrapping_sub(mapping.file_offset);
    Some(file_to_memory.wrapping_add(segment.file_offset).wrapping_sub(segment.address))
}

/// The executable segment that was mapped. Mappings are rounded to pages, so that those of
/// neighbours contain a part of it as well: the largest share decides.
fn segment_of<'a>(segments: &'a [Segment], mapping: &Mapping) -> Option<&'a Segment> {
    let executable = segments.iter().filter(|segment| segment.executable);
    let shares = executable.map(|segment| (overlap(segment, mapping), segment));
    shares.filter(|&(bytes, _)| bytes > 0).max_by_key(|&(bytes, _)| bytes).map(|found| found.1)
}

/// The load bias from a debug file alone, whose file offsets mean nothing: its executable
/// segment still has address and size, which suffices if there is only one.
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

/// Number of bytes of the file that a segment and a mapping have in common.
fn overlap(segment: &Segment, mapping: &Mapping) -> u64 {
    let mapped_end = mapping.file_offset.saturating_add(mapping.end - mapping.start);
    let end = segment.file_offset.saturating_add(segment.file_size).min(mapped_end);
    end.saturating_sub(segment.file_offset.max(mapping.file_offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(file_offset: u64, file_size: u64, address: u64) -> Segment {
        Segment { file_offset, file_size, address, memory_size: file_size, executable: true }
    }

    fn mapping(start: u64, end: u64, file_offset: u64) -> Mapping {
        Mapping { start, end, file_offset, build_id: Default::default(), path: "/a".into() }
    }

    #[test]
    fn neighbours_share_a_page_of_the_file() {
        // The page at 0x2000 is mapped twice, with the end of the first and for the second.
        let segments = [segment(0x1000, 0x1100, 0x1000), segment(0x2100, 0x3000, 0x5100)];
        let found = |mapping| segment_of(&segments, &mapping).map(|segment| segment.address);
        assert_eq!(found(mapping(0x7000, 0x9000, 0x1000)), Some(0x1000));
        assert_eq!(found(mapping(0xb000, 0xf000, 0x2000)), Some(0x5100));
        assert_eq!(found(mapping(0xb000, 0xf000, 0x9000)), None);
    }

    #[test]
    fn data_segments_do_not_count() {
        let data = Segment { executable: false, ..segment(0, 0x3000, 0) };
        let segments = [data, segment(0x1000, 0x10, 0x8000)];
        let found = segment_of(&segments, &mapping(0x7000, 0x9000, 0));
        assert_eq!(found.unwrap().address, 0x8000);
    }
}
