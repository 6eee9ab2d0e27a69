/* libotf2 called in the callback, as complete tools do: every event is an Enter of a region that is
 * the callback's number, in the location of its thread. The archive goes to OTF2's own files below
 * the folder that BASELINE_OUTPUT names with `.otf2` behind it. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <otf2/OTF2_Pthread_Locks.h>
#include <otf2/otf2.h>

enum { LOCATIONS = 4096 };

static OTF2_Archive *archive;
static OTF2_EvtWriter *writers[LOCATIONS];
static uint64_t locations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread __attribute__((tls_model("initial-exec"))) OTF2_EvtWriter *writer;

static void must(int done)
{
    if (!done) {
        fprintf(stderr, "otf2: the archive cannot be written\n");
        abort();
    }
}

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void)final;
    return OTF2_FLUSH;
}

static void open_archive(void)
{
    char path[4096];
    const char *output = getenv("BASELINE_OUTPUT");
    must(output != NULL);
    snprintf(path, sizeof path, "%s.otf2", output);
    static OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
    archive = OTF2_Archive_Open(path, "bench", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    must(archive != NULL);
    must(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL) == OTF2_SUCCESS);
    must(OTF2_Archive_SetSerialCollectiveCallbacks(archive) == OTF2_SUCCESS);
    must(OTF2_Pthread_Archive_SetLockingCallbacks(archive, NULL) == OTF2_SUCCESS);
    must(OTF2_Archive_OpenEvtFiles(archive) == OTF2_SUCCESS);
}

static __attribute__((noinline, cold)) void make_writer(void)
{
    pthread_mutex_lock(&lock);
    must(locations < LOCATIONS);
    writer = OTF2_Archive_GetEvtWriter(archive, locations);
    must(writer != NULL);
    writers[locations++] = writer;
    pthread_mutex_unlock(&lock);
}

static void close_archive(void)
{
    for (uint64_t i = 0; i < locations; i++)
        OTF2_Archive_CloseEvtWriter(archive, writers[i]);
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_GlobalDefWriter *global = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2_GlobalDefWriter_WriteClockProperties(global, 1000000000, 0, ~0ull >> 1, 0);
    OTF2_GlobalDefWriter_WriteString(global, 0, "bench");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteLocationGroup(global, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    for (uint64_t i = 0; i < locations; i++)
        OTF2_GlobalDefWriter_WriteLocation(global, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0);
    for (uint32_t i = 0; i < 38; i++)
        OTF2_GlobalDefWriter_WriteRegion(global, i, 0, 0, 0, OTF2_REGION_ROLE_UNKNOWN,
                                         OTF2_PARADIGM_OPENMP, OTF2_REGION_FLAG_NONE, 0, 0, 0);
    OTF2_Archive_Close(archive);
}

#define EVENT(id, a, b)                                                                            \
    do {                                                                                           \
        uint64_t now = clock_now();                                                                \
        if (__builtin_expect(!writer, 0))                                                          \
            make_writer();                                                                         \
        OTF2_EvtWriter_Enter(writer, NULL, now, id);                                               \
    } while (0)
#define AT_END() close_archive()
#include "all.h"

static __attribute__((constructor)) void start(void)
{
    open_archive();
}
