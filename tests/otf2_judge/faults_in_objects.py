"""Faults of windows and files of MPI."""

from good_objects import ALL, BARRIER_OP, EARLIER, HANDLE, NO_ROOT, PUT, READ, WINDOW, WRITTEN
from spoiling import defect, drop, insert, replace


@defect("rma-window")
def window_created_twice(archive):
    insert(archive, 0, 650, "RmaWinCreate", WINDOW)


@defect("rma-window")
def window_used_before_it_is_there(archive):
    drop(archive, 0, 650, "RmaWinCreate")
    insert(archive, 0, 661, "RmaWinCreate", WINDOW)


@defect("rma-window")
def window_destroyed_twice(archive):
    insert(archive, 0, 663, "RmaWinDestroy", WINDOW)


@defect("message-outside-call")
def access_outside_of_calls(archive):
    insert(archive, 0, 690, "RmaCollectiveBegin")
    insert(archive, 0, 690, "RmaCollectiveEnd", BARRIER_OP, 3, WINDOW, NO_ROOT, 0, 0)


@defect("message-rank")
def access_beyond_the_ranks(archive):
    replace(archive, 0, (651, "RmaPut"), 651, "RmaPut", WINDOW, 2, 64, PUT)


@defect("message-rank")
def access_to_all_ranks(archive):
    replace(archive, 0, (651, "RmaPut"), 651, "RmaPut", WINDOW, ALL, 64, PUT)


@defect("rma-access")
def access_with_a_number_in_use(archive):
    insert(archive, 0, 651, "RmaPut", WINDOW, 1, 64, PUT)


@defect("rma-access")
def access_complete_twice(archive):
    insert(archive, 0, 653, "RmaOpCompleteRemote", WINDOW, PUT)


@defect("rma-access")
def access_complete_there_first(archive):
    drop(archive, 0, 653, "RmaOpCompleteNonBlocking")


@defect("rma-incomplete")
def access_never_complete(archive):
    drop(archive, 0, 653, "RmaOpCompleteRemote")


@defect("rma-lock")
def lock_taken_twice(archive):
    insert(archive, 0, 654, "RmaAcquireLock", WINDOW, 1, 0, 0)


@defect("rma-lock")
def lock_released_twice(archive):
    insert(archive, 0, 658, "RmaReleaseLock", WINDOW, 1, 0)


@defect("rma-collective")
def fence_in_a_fence(archive):
    insert(archive, 0, 652, "RmaCollectiveBegin")


@defect("rma-collective")
def fence_ends_twice(archive):
    insert(archive, 0, 653, "RmaCollectiveEnd", BARRIER_OP, 3, WINDOW, NO_ROOT, 0, 0)


@defect("rma-collective")
def fence_without_end(archive):
    drop(archive, 0, 663, "RmaCollectiveEnd")


@defect("io-handle")
def handle_created_twice(archive):
    insert(archive, 0, 670, "IoCreateHandle", HANDLE, 2, 1, 0)


@defect("io-handle")
def handle_used_before_it_is_created(archive):
    drop(archive, 0, 670, "IoCreateHandle")
    insert(archive, 0, 677, "IoCreateHandle", HANDLE, 2, 1, 0)


@defect("io-handle")
def handle_destroyed_twice(archive):
    insert(archive, 0, 679, "IoDestroyHandle", HANDLE)


@defect("io-handle")
def handle_of_before_destroyed_twice(archive):
    insert(archive, 0, 679, "IoDestroyHandle", EARLIER)


@defect("io-operation")
def operation_with_a_number_in_use(archive):
    insert(archive, 0, 673, "IoOperationBegin", HANDLE, 1, 3, 64, WRITTEN)


@defect("io-operation")
def operation_complete_twice(archive):
    insert(archive, 0, 675, "IoOperationComplete", HANDLE, 64, WRITTEN)


@defect("io-bytes")
def more_bytes_than_wanted(archive):
    wanted = (672, "IoOperationComplete")
    replace(archive, 0, wanted, 672, "IoOperationComplete", HANDLE, 65, READ)


@defect("io-incomplete")
def operation_never_complete(archive):
    drop(archive, 0, 675, "IoOperationComplete")


@defect("undefined-io-handle")
def operation_of_no_handle(archive):
    insert(archive, 0, 675, "IoOperationTest", 99, WRITTEN)


@defect("undefined-io-file")
def handle_of_no_file(archive):
    archive.define("IoHandle", 7, archive.string(""), 99, 0, 0, 4, 0)


@defect("undefined-io-paradigm")
def handle_of_no_paradigm(archive):
    archive.define("IoHandle", 7, archive.string(""), 0, 9, 0, 4, 0)
