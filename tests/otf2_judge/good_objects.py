"""Windows and files of MPI in the sound archive: of locations 0 and 2, used by the first."""

from good_messages import WORLD
from making import NONE

WINDOW, EARLIER_WINDOW = 1, 2  # The second was there before the recording began.
HANDLE, EARLIER = 0, 1  # Handles; likewise.
MPI_IO, FILE = 0, 0
PUT, GOT, ADDED = 11, 12, 13  # Accesses.
READ, WRITTEN, GIVEN_UP = 21, 22, 23  # Operations on files.
BARRIER_OP, DESTROY, NO_ROOT = 0, 19, NONE
ALL = NONE


def definitions(archive):
    text = archive.string
    archive.define("RmaWin", WINDOW, text("window"), WORLD, 1)
    archive.define("RmaWin", EARLIER_WINDOW, text("window"), WORLD, 0)
    archive.define("IoParadigm", MPI_IO, text("MPI-IO"), text("MPI-IO"), 1, 0, [], [], [])
    archive.define("IoRegularFile", FILE, text("good.data"), 0)
    archive.define("IoHandle", HANDLE, text("good.data"), FILE, MPI_IO, 0, WORLD, NONE)
    archive.define("IoHandle", EARLIER, text("good.data"), FILE, MPI_IO, 1, WORLD, NONE)
    archive.define("IoPreCreatedHandleState", EARLIER, 0, 0)


def events(do, call):
    """All kinds of records, after all messages."""
    do(650, "Enter", call)
    do(650, "RmaWinCreate", WINDOW)
    do(651, "RmaPut", WINDOW, 1, 64, PUT)
    do(652, "RmaCollectiveBegin")
    do(653, "RmaOpCompleteNonBlocking", WINDOW, PUT)
    do(653, "RmaOpCompleteRemote", WINDOW, PUT)
    do(653, "RmaCollectiveEnd", BARRIER_OP, 3, WINDOW, NO_ROOT, 0, 0)
    do(654, "RmaAcquireLock", WINDOW, 1, 0, 0)
    do(655, "RmaGet", WINDOW, 1, 64, GOT)
    do(655, "RmaOpTest", WINDOW, GOT)
    do(656, "RmaOpCompleteNonBlocking", WINDOW, GOT)
    do(657, "RmaSync", WINDOW, 0, 0)
    do(658, "RmaOpCompleteRemote", WINDOW, GOT)
    do(658, "RmaReleaseLock", WINDOW, 1, 0)
    do(659, "RmaAcquireLock", EARLIER_WINDOW, ALL, 0, 1)
    do(660, "RmaAtomic", EARLIER_WINDOW, 0, 7, 8, 8, ADDED)
    do(661, "RmaOpCompleteBlocking", EARLIER_WINDOW, ADDED)
    do(661, "RmaReleaseLock", EARLIER_WINDOW, ALL, 0)
    do(661, "RmaWaitChange", EARLIER_WINDOW)
    do(662, "RmaCollectiveBegin")
    do(663, "RmaWinDestroy", WINDOW)
    do(663, "RmaCollectiveEnd", DESTROY, 1, WINDOW, NO_ROOT, 0, 0)
    do(664, "Leave", call)
    do(670, "Enter", call)
    do(670, "IoCreateHandle", HANDLE, 2, 1, 0)
    do(671, "IoOperationBegin", HANDLE, 0, 0, 64, READ)
    do(672, "IoOperationComplete", HANDLE, 60, READ)
    do(673, "IoOperationBegin", HANDLE, 1, 3, 64, WRITTEN)
    do(673, "IoOperationIssued", HANDLE, WRITTEN)
    do(674, "IoOperationTest", HANDLE, WRITTEN)
    do(675, "IoOperationComplete", HANDLE, 64, WRITTEN)
    do(676, "IoOperationBegin", EARLIER, 1, 1, 64, GIVEN_UP)
    do(676, "IoOperationIssued", EARLIER, GIVEN_UP)
    do(677, "IoOperationCancelled", EARLIER, GIVEN_UP)
    do(678, "IoDestroyHandle", EARLIER)
    do(679, "IoDestroyHandle", HANDLE)
    do(680, "Leave", call)
