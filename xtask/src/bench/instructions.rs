//! Instructions per event: what does not change when the machine is busy. A
//! run of few iterations is subtracted from one of more, so that start and
//! end fall out. Only loads on one thread: waiting threads count at random.

use super::bed::Bed;
use super::contender::Contender;
use super::loads::Load;
use anyhow::Result;

/// Instructions that each contender adds per event, by its place in
/// `Contender::ALL`, or nothing where the load has more threads.
pub fn per_event(bed: &Bed, load: &Load) -> Result<Option<Vec<f64>>> {
    if load.threads > 1 {
        return Ok(None);
    }
    let (few, many) = (load.iterations / 100, load.iterations / 20);
    let events = bed.count(load, many)? - bed.count(load, few)?;
    let mut grown = Vec::new();
    for contender in Contender::ALL {
        let small = bed.instructions(load, contender, few)?;
        let large = bed.instructions(load, contender, many)?;
        grown.push(large.saturating_sub(small));
    }
    let none = grown[Contender::None as usize] as f64;
    Ok(Some(grown.iter().map(|&all| (all as f64 - none) / events.max(1) as f64).collect()))
}
