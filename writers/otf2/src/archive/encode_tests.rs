//! The records of a file, compared byte for byte with those that libotf2 writes.

use std::fs;
use std::path::Path;
use std::ptr::null_mut;

use ompttrace_model::MpiEvent::*;
use ompttrace_model::{self as model, Message, MpiEvent};
use otf2_sys::*;

use super::Archive;
use super::encode::Encoder;
use super::event_file::{CHUNK, EventFile};
use super::lists::EncodedList;
use super::names::{OwnTaskName, UNDEFINED};
use super::number::Number;
use super::objects::{Moved, Operation};
use super::pipe::Context;
use crate::batch::MpiRecord;
use crate::op::{Attribute, Value};

const AT: u64 = 1_000;
const TASK: OwnTaskName =
    OwnTaskName { comm: Number::new(1), rank: Number::new(2), generation: 70_000 };

/// A call of libotf2 that writes one event, with the list of attributes if the event has any.
type Theirs = fn(*mut OTF2_EvtWriter, *mut OTF2_AttributeList) -> OTF2_ErrorCode;
type Ours = fn(&mut Encoder);

fn attributes(many: bool) -> Vec<Attribute> {
    let values = [
        Value::Unsigned(5),
        Value::Unsigned(1 << 40),
        Value::Unsigned(u64::MAX),
        Value::Signed(-5),
        Value::Text(9),
        Value::Context(11),
    ];
    let count = if many { 60 } else { values.len() };
    let values = values.into_iter().cycle().take(count).zip(0..);
    values.map(|(value, key)| Attribute { key, value }).collect()
}

fn add(list: *mut OTF2_AttributeList, many: bool) {
    for Attribute { key, value } in attributes(many) {
        // SAFETY: the list is open.
        let code = unsafe {
            match value {
                Value::Unsigned(value) => OTF2_AttributeList_AddUint64(list, key, value),
                Value::Signed(value) => OTF2_AttributeList_AddInt64(list, key, value),
                Value::Text(value) => OTF2_AttributeList_AddStringRef(list, key, value),
                Value::Context(value) => OTF2_AttributeList_AddCallingContextRef(list, key, value),
            }
        };
        assert_eq!(code, OTF2_SUCCESS);
    }
}

fn context() -> Context {
    Context { program: 6, arguments: ARGUMENTS.to_vec(), ..Context::default() }
}

/// A call of libotf2's: without attributes, or with a list of them, short or long.
macro_rules! theirs {
    ($call:ident($($value:expr),*)) => {
        |to, _| {
            // SAFETY: the writer is open, and what is passed lives through the call.
            unsafe { $call(to, null_mut(), AT $(, $value)*) }
        }
    };
    ($many:literal, $call:ident($($value:expr),*)) => {
        |to, list| {
            add(list, $many);
            // SAFETY: the writer and the list are open, and what is passed lives through the call.
            unsafe { $call(to, list, AT $(, $value)*) }
        }
    };
}

/// Each kind of event, by libotf2 and by us.
const EVENTS: [(Theirs, Ours); 55] = [
    (theirs!(OTF2_EvtWriter_Enter(3)), |to| to.enter(AT, Number::new(3))),
    (theirs!(OTF2_EvtWriter_Enter(0)), |to| to.enter(AT, Number::new(0))),
    (theirs!(OTF2_EvtWriter_Leave(300)), |to| to.leave(AT, Number::new(300))),
    (theirs!(false, OTF2_EvtWriter_Enter(3)), |to| {
        to.enter_with(AT, Number::new(3), attributes(false).into_iter())
    }),
    (theirs!(true, OTF2_EvtWriter_Leave(3)), |to| {
        to.leave_with(AT, Number::new(3), attributes(true).into_iter())
    }),
    (theirs!(OTF2_EvtWriter_ThreadTaskCreate(1, 2, 70_000)), |to| to.create_task(AT, TASK)),
    (theirs!(OTF2_EvtWriter_ThreadTaskSwitch(1, 2, 70_000)), |to| to.switch_task(AT, TASK)),
    (theirs!(OTF2_EvtWriter_ThreadTaskComplete(1, 2, 70_000)), |to| to.complete_task(AT, TASK)),
    (theirs!(OTF2_EvtWriter_ThreadAcquireLock(OPENMP, 5, 1 << 30)), |to| {
        to.acquire_lock(AT, Number::new(5), 1 << 30)
    }),
    (theirs!(OTF2_EvtWriter_ThreadReleaseLock(OPENMP, 5, 6)), |to| {
        to.release_lock(AT, Number::new(5), 6)
    }),
    (theirs!(OTF2_EvtWriter_ParameterString(1, 70_000)), |to| to.string(AT, 1, 70_000)),
    (theirs!(OTF2_EvtWriter_ParameterUnsignedInt(1, 1 << 50)), |to| to.unsigned(AT, 1, 1 << 50)),
    (theirs!(OTF2_EvtWriter_ThreadFork(OPENMP, 4)), |to| to.fork(AT, 4)),
    (theirs!(OTF2_EvtWriter_ThreadJoin(OPENMP)), |to| to.join(AT)),
    (theirs!(false, OTF2_EvtWriter_ThreadTeamBegin(UNDEFINED)), |to| {
        to.begin_team(AT, UNDEFINED, attributes(false).into_iter())
    }),
    (theirs!(OTF2_EvtWriter_ThreadTeamEnd(7)), |to| to.end_team(AT, 7)),
    (theirs!(OTF2_EvtWriter_Metric(5, 1, &KIND, &VALUE)), |to| to.metric(AT, 5, -1)),
    (theirs!(OTF2_EvtWriter_CallingContextSample(9, UNDEFINED, 0)), |to| to.sample(AT, 9)),
    (theirs!(OTF2_EvtWriter_MeasurementOnOff(ON)), |to| to.measurement(AT, true)),
    (theirs!(OTF2_EvtWriter_MeasurementOnOff(OFF)), |to| to.measurement(AT, false)),
    (theirs!(OTF2_EvtWriter_BufferFlush(2 * AT)), |to| to.flush(AT, 2 * AT)),
    (theirs!(false, OTF2_EvtWriter_ProgramBegin(6, 100, ARGUMENTS.as_ptr())), |to| {
        to.begin_program(AT, &context(), attributes(false).into_iter())
    }),
    (theirs!(OTF2_EvtWriter_ProgramEnd(OTF2_UNDEFINED_INT64)), |to| to.end_program(AT)),
    (theirs!(OTF2_EvtWriter_MpiSend(3, 2, 7, 1 << 40)), |to| mpi(to, Sent(MESSAGE, None))),
    (theirs!(OTF2_EvtWriter_MpiIsend(3, 2, 7, 1 << 40, 77)), |to| mpi(to, Sent(MESSAGE, Some(77)))),
    (theirs!(OTF2_EvtWriter_MpiIsendComplete(1 << 60)), |to| mpi(to, SendComplete(1 << 60))),
    (theirs!(OTF2_EvtWriter_MpiIrecvRequest(77)), |to| mpi(to, ReceivePosted(77))),
    (theirs!(OTF2_EvtWriter_MpiRecv(3, 2, 7, 1 << 40)), |to| mpi(to, Received(MESSAGE, None))),
    (theirs!(OTF2_EvtWriter_MpiIrecv(3, 2, 7, 1 << 40, 77)), |to| {
        mpi(to, Received(MESSAGE, Some(77)))
    }),
    (theirs!(OTF2_EvtWriter_MpiRequestTest(77)), |to| mpi(to, Tested(77))),
    (theirs!(OTF2_EvtWriter_MpiRequestCancelled(77)), |to| mpi(to, Cancelled(77))),
    (theirs!(OTF2_EvtWriter_MpiCollectiveBegin()), |to| mpi(to, Collective(barrier()))),
    (theirs!(OTF2_EvtWriter_MpiCollectiveEnd(BARRIER, 2, ROOT, 5, 1 << 50)), |to| {
        to.mpi(AT, &MpiRecord::CollectiveEnd(barrier()), |comm| comm + 1)
    }),
    (theirs!(OTF2_EvtWriter_NonBlockingCollectiveRequest(77)), |to| {
        mpi(to, CollectivePosted(barrier(), 77))
    }),
    (
        theirs!(OTF2_EvtWriter_NonBlockingCollectiveComplete(BARRIER, 2, ROOT, 5, 1 << 50, 77)),
        |to| mpi(to, CollectiveComplete(barrier(), 77)),
    ),
    (theirs!(OTF2_EvtWriter_RmaWinCreate(1)), |to| to.create_window(AT, 1)),
    (theirs!(OTF2_EvtWriter_RmaPut(1, 0, 4096, 1 << 40)), |to| to.put(AT, (1, 0), 4096, 1 << 40)),
    (theirs!(OTF2_EvtWriter_RmaGet(1, 3, 4096, 77)), |to| to.get(AT, (1, 3), 4096, 77)),
    (theirs!(OTF2_EvtWriter_RmaOpCompleteBlocking(1, 77)), |to| to.complete_transfer(AT, 1, 77)),
    (theirs!(OTF2_EvtWriter_RmaAtomic(1, 3, 7, 8, 1 << 40, 77)), |to| {
        let operation = Operation { win: 1, remote: 3, id: 77 };
        to.atomic(AT, 7, operation, Moved(8, 1 << 40))
    }),
    (theirs!(OTF2_EvtWriter_RmaOpCompleteNonBlocking(1, 77)), |to| to.complete_here(AT, 1, 77)),
    (theirs!(OTF2_EvtWriter_RmaOpCompleteRemote(1, 77)), |to| to.complete_there(AT, 1, 77)),
    (theirs!(OTF2_EvtWriter_RmaOpTest(1, 77)), |to| to.test_operation(AT, 1, 77)),
    (theirs!(OTF2_EvtWriter_RmaCollectiveBegin()), |to| to.begin_rma_collective(AT)),
    (theirs!(OTF2_EvtWriter_RmaCollectiveEnd(BARRIER, 3, 1, ROOT, 0, 0)), |to| {
        to.end_rma_collective(AT, 1, BARRIER, 3)
    }),
    (theirs!(OTF2_EvtWriter_RmaAcquireLock(1, UNDEFINED, 0, 1)), |to| {
        to.acquire_window(AT, 1, UNDEFINED, 1)
    }),
    (theirs!(OTF2_EvtWriter_RmaReleaseLock(1, 3, 0)), |to| to.release_window(AT, 1, 3)),
    (theirs!(OTF2_EvtWriter_RmaSync(1, 3, 0)), |to| to.synchronise_memory(AT, 1, 3)),
    (theirs!(OTF2_EvtWriter_RmaWaitChange(1)), |to| to.window_changed(AT, 1)),
    (theirs!(OTF2_EvtWriter_IoCreateHandle(9, 2, 0x609, 0x102)), |to| {
        to.create_handle(AT, 9, (2, 0x609, 0x102))
    }),
    (theirs!(OTF2_EvtWriter_IoDestroyHandle(9)), |to| to.destroy_handle(AT, 9)),
    (theirs!(OTF2_EvtWriter_IoOperationBegin(9, 1, 3, 1 << 40, 77)), |to| {
        to.begin_io(AT, (9, 77), (1, 3), 1 << 40)
    }),
    (theirs!(OTF2_EvtWriter_IoOperationIssued(9, 77)), |to| to.issue_io(AT, 9, 77)),
    (theirs!(OTF2_EvtWriter_IoOperationComplete(9, 1 << 40, 77)), |to| {
        to.complete_io(AT, (9, 77), 1 << 40)
    }),
    (theirs!(OTF2_EvtWriter_IoOperationCancelled(9, 77)), |to| to.cancel_io(AT, 9, 77)),
];

const BARRIER: OTF2_CollectiveOp = OTF2_COLLECTIVE_OP_BARRIER as OTF2_CollectiveOp;
const ROOT: u32 = OTF2_COLLECTIVE_ROOT_NONE;
const MESSAGE: Message = Message { communicator: 1, peer: 3, tag: 7, bytes: 1 << 40, id: 0 };

fn barrier() -> model::Collective {
    let mut all = ompttrace_recording::mpi::FUNCTIONS.iter();
    let function = all.find(|one| one.name == "MPI_Barrier").expect("a function").number;
    let root = ompttrace_recording::mpi::rank::NONE;
    model::Collective { function, communicator: 1, root, sent: 5, received: 1 << 50, id: 0 }
}

/// The archive numbers communicators from 1.
fn mpi(to: &mut Encoder, event: MpiEvent) {
    to.mpi(AT, &MpiRecord::Event(event), |comm| comm + 1)
}

const ON: OTF2_MeasurementMode = OTF2_MEASUREMENT_ON as OTF2_MeasurementMode;
const OFF: OTF2_MeasurementMode = OTF2_MEASUREMENT_OFF as OTF2_MeasurementMode;
const KIND: OTF2_Type = OTF2_TYPE_INT64 as OTF2_Type;
const VALUE: OTF2_MetricValue = OTF2_MetricValue { signed_int: -1 };
const ARGUMENTS: [u32; 100] = [70_000; 100];
const OPENMP: OTF2_Paradigm = OTF2_PARADIGM_OPENMP as OTF2_Paradigm;

/// The file of a location with one event, as libotf2 writes it.
fn theirs(archive: &Archive, folder: &Path, location: u64, event: Theirs) -> Vec<u8> {
    // SAFETY: the archive is open; the writer and the list live until they are given up here.
    unsafe {
        let writer = OTF2_Archive_GetEvtWriter(archive.handle.as_ptr(), location);
        let list = OTF2_AttributeList_New();
        assert_eq!(event(writer, list), OTF2_SUCCESS);
        OTF2_AttributeList_Delete(list);
        assert_eq!(OTF2_Archive_CloseEvtWriter(archive.handle.as_ptr(), writer), OTF2_SUCCESS);
    }
    fs::read(folder.join(format!("traces/{location}.evt"))).expect("a file")
}

#[test]
fn each_record_is_what_libotf2_writes() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path().join("archive");
    let archive = Archive::create(&folder).expect("an archive");
    for ((event, own), location) in EVENTS.into_iter().zip(0..) {
        let path = scratch.path().join(location.to_string());
        let mut encoder = Encoder::new(EventFile::new(path.clone()));
        own(&mut encoder);
        encoder.close().expect("closed");
        let (own, other) =
            (fs::read(path).expect("a file"), theirs(&archive, &folder, location, event));
        assert_eq!(own, other, "event {location}");
    }
}

#[test]
fn a_file_without_events_is_what_libotf2_writes() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path().join("archive");
    let archive = Archive::create(&folder).expect("an archive");
    let path = scratch.path().join("own");
    EventFile::new(path.clone()).close().expect("closed");
    let nothing: Theirs = |_, _| OTF2_SUCCESS;
    assert_eq!(fs::read(path).expect("a file"), theirs(&archive, &folder, 0, nothing));
}

/// Within one chunk: records that fill what is kept in memory several times, and one that is larger than it.
#[test]
fn a_file_that_is_written_in_parts_is_what_libotf2_writes() {
    const EVENTS: u32 = 6_000;
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path().join("archive");
    let archive = Archive::create(&folder).expect("an archive");
    let list = || (0..5_000).map(|key| Attribute { key, value: Value::Unsigned(u64::MAX >> 1) });
    let path = scratch.path().join("own");
    let mut encoder = Encoder::new(EventFile::new(path.clone()));
    (0..EVENTS).for_each(|region| encoder.enter(AT + u64::from(region), Number::new(region)));
    encoder.enter_with(AT + u64::from(EVENTS), Number::new(1), list());
    (0..EVENTS)
        .for_each(|region| encoder.leave(AT + u64::from(EVENTS + region), Number::new(region)));
    encoder.close().expect("closed");
    let event: Theirs = |to, attributes| {
        // SAFETY: the writer is open.
        let codes = (0..EVENTS).map(|region| unsafe {
            OTF2_EvtWriter_Enter(to, null_mut(), AT + u64::from(region), region)
        });
        assert!(codes.into_iter().all(|code| code == OTF2_SUCCESS));
        for key in 0..5_000 {
            // SAFETY: the list is open.
            unsafe { OTF2_AttributeList_AddUint64(attributes, key, u64::MAX >> 1) };
        }
        // SAFETY: the writer and the list are open.
        unsafe { OTF2_EvtWriter_Enter(to, attributes, AT + u64::from(EVENTS), 1) };
        // SAFETY: the writer is open.
        let codes = (0..EVENTS).map(|region| unsafe {
            OTF2_EvtWriter_Leave(to, null_mut(), AT + u64::from(EVENTS + region), region)
        });
        codes.into_iter().find(|code| *code != OTF2_SUCCESS).unwrap_or(OTF2_SUCCESS)
    };
    let own = fs::read(path).expect("a file");
    assert!((CHUNK / 2..CHUNK).contains(&own.len()), "{} bytes", own.len());
    assert!(own == theirs(&archive, &folder, 0, event));
}

/// Lists short enough to be copied as a whole, and one too long for that, as events have them that name a list of the session.
#[test]
fn a_list_that_is_kept_is_what_is_written_for_its_attributes() {
    let scratch = tempfile::tempdir().expect("a folder");
    let lists = [attributes(false), attributes(true), attributes(false)[1..].to_vec(), Vec::new()];
    let kept = lists.each_ref().map(|list| EncodedList::new(list.iter().copied()));
    assert_eq!(kept.each_ref().map(|list| list.short().is_some()), [true, false, true, true]);
    let write = |is_kept: bool| {
        let path = scratch.path().join(is_kept.to_string());
        let mut encoder = Encoder::new(EventFile::new(path.clone()));
        for number in 0..30_000_u32 {
            // The long one is rare, so that chunks end with the others.
            let of = if number % 500 == 0 { 1 } else { [0, 2, 3][number as usize % 3] };
            let at = AT + u64::from(number / 3);
            let region = Number::new([1, 70_000][of % 2]);
            match is_kept {
                true => encoder.enter_listed(at, region, &kept[of]),
                false => encoder.enter_with(at, region, lists[of].iter().copied()),
            }
        }
        encoder.close().expect("closed");
        fs::read(path).expect("a file")
    };
    let (kept, given) = (write(true), write(false));
    assert!(kept.len() > CHUNK && kept == given, "{} and {} bytes", kept.len(), given.len());
}

#[test]
fn an_event_before_the_last_one_has_its_time() {
    let scratch = tempfile::tempdir().expect("a folder");
    let write = |name: &str, times: [u64; 4]| {
        let path = scratch.path().join(name);
        let mut encoder = Encoder::new(EventFile::new(path.clone()));
        times.iter().for_each(|at| encoder.enter(*at, Number::new(1)));
        assert_eq!((encoder.last(), encoder.close().expect("closed")), (AT, 4));
        fs::read(path).expect("a file")
    };
    assert_eq!(write("late", [5, AT, 7, AT]), write("in order", [5, AT, AT, AT]));
}

/// Events of many chunks, with lists and without: the headers of the chunks are like those of libotf2. That its reader
/// finds each event is tested in `tests/archives`.
#[test]
fn chunks_begin_with_the_number_of_their_first_event_and_its_time() {
    const COUNT: u64 = 100_000;
    let scratch = tempfile::tempdir().expect("a folder");
    let path = scratch.path().join("own");
    let mut encoder = Encoder::new(EventFile::new(path.clone()));
    for number in 0..COUNT {
        let at = AT + number / 2;
        let list = attributes(false);
        if number % 64 == 0 {
            encoder.enter_with(at, Number::new(1), list.iter().copied());
        } else {
            encoder.leave(at, Number::new(1));
        }
    }
    assert_eq!((encoder.last(), encoder.close().expect("closed")), (AT + (COUNT - 1) / 2, COUNT));
    let file = fs::read(path).expect("a file");
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let mut before = 0;
    for chunk in file.chunks(super::event_file::CHUNK) {
        let (first, last) = (number(&chunk[2..10]), number(&chunk[10..18]));
        assert_eq!((chunk[0], chunk[1], first), (3, b'B', before + 1));
        assert_eq!((chunk[18], number(&chunk[19..27])), (5, AT + before / 2));
        before = last;
    }
    assert_eq!(before, COUNT);
    assert!(file.len() > 2 * super::event_file::CHUNK);
}
