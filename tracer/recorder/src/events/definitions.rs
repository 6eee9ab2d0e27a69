//! Definitions that are recorded again, because the records that had them were discarded, and the end of a thread, before which that is
//! done.

use crate::blocks::state::{State, state};
use crate::blocks::tls;
use crate::events::slow::{guarded, inside_event, put_frame, put_phase_name, put_site};
use crate::registry::inside::{self, Inside, Work};
use crate::registry::{hung_disk, recorder};
use crate::slots::{drain, head};
use crate::tables::{contexts, phase_names, sites};

/// Defines code sites, frames and names of phases again, if the records that did had to be discarded, and the calling
/// thread is one that records.
pub(crate) fn report_sites() {
    if tls::has_block() && state() == State::Recording {
        report_sites_from_here();
    }
}

/// Does the work of [`report_sites`] for any thread, which gets a block if it has none. Not in a handler that
/// interrupted other work.
pub(crate) fn report_sites_from_here() {
    inside_event(|ticks| {
        if inside::work() == Work::Event {
            if head::gave_up() {
                sites::set_unreported();
                contexts::set_unreported();
                phase_names::set_unreported();
            }
            sites::report_unreported(|site| put_site(ticks, site));
            contexts::report_unreported(|frame| put_frame(ticks, frame));
            phase_names::report_unreported(|part| put_phase_name(ticks, part));
        }
    });
}

/// The calling thread's last event is over, recorded or not: empty its block and give it back.
#[cold]
pub fn thread_ended() {
    guarded(|| {
        let block = tls::block();
        // Where the disk hangs and the process ends, its block stays as it is, and so do its records.
        let ours = recorder::own().filter(|_| tls::has_block() && !hung_disk::hangs());
        let Some(recorder) = ours else {
            return tls::set_block(&tls::DUMMY);
        };
        report_sites();
        let _inside = Inside::enter();
        // Interrupted in work of its own, it keeps its block to the end of the process.
        let is_event = inside::work() == Work::Event;
        let Some(_guard) = block.control.lock.lock().filter(|_| is_event) else {
            return tls::set_block(&tls::DUMMY);
        };
        drain::drain(recorder, block);
        recorder.streams.finish(recorder, block);
        recorder.release(block);
    });
}
