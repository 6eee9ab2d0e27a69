/* Stands between a program and its kernel (LD_PRELOAD) and makes the kernel's pages PAGE_KIB KiB large: that is what
 * is said of them, mappings begin at their multiples and are whole pages, and a call that such a kernel would refuse
 * ends the process. What it cannot show: memory that is given, and counted, by large pages. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t page(void) {
    static size_t bytes;
    if (!bytes) {
        const char *text = getenv("PAGE_KIB");
        bytes = (size_t)(text ? atoi(text) : 64) << 10;
    }
    return bytes;
}

static size_t whole(size_t bytes) { return (bytes + page() - 1) & -page(); }

static void demand(int holds, const char *call) {
    if (!holds) {
        dprintf(2, "large pages: %s that such a kernel refuses\n", call);
        abort();
    }
}

static int is_multiple(uintptr_t number) { return number % page() == 0; }

long sysconf(int name) {
    if (name == _SC_PAGESIZE) return (long)page();
    return ((long (*)(int))dlsym(RTLD_NEXT, "sysconf"))(name);
}

int getpagesize(void) { return (int)page(); }

unsigned long getauxval(unsigned long type) {
    if (type == AT_PAGESZ) return page();
    return ((unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval"))(type);
}

static void *map(void *at, size_t bytes, int access, int flags, int file, off_t offset) {
    return (void *)syscall(SYS_mmap, at, bytes, access, flags, file, offset);
}

static int is_of_perf(int file) {
    char link[32], name[32] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return file >= 0 && readlink(link, name, sizeof name - 1) > 0 && strstr(name, "perf_event");
}

/* So many bytes of addresses at a multiple of a page. */
static char *reserve(size_t bytes) {
    char *start = map(NULL, bytes + page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return start;
    size_t before = -(uintptr_t)start & (page() - 1);
    if (before) syscall(SYS_munmap, start, before);
    if (before < page()) syscall(SYS_munmap, start + before + bytes, page() - before);
    return start + before;
}

void *mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset) {
    demand(is_multiple(offset), "an offset in a file");
    size_t mapped = file < 0 ? whole(bytes) : bytes;
    if (is_of_perf(file)) {
        size_t entries = bytes - page();
        demand(is_multiple(entries) && entries && !(entries & (entries - 1)), "a buffer of perf's");
        /* This kernel's own first page is small, and says so. */
        mapped = entries + 4096;
    }
    if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
        demand(is_multiple((uintptr_t)at), "an address for a mapping");
        return map(at, mapped, access, flags, file, offset);
    }
    char *start = reserve(whole(bytes));
    if (start == MAP_FAILED) return start;
    void *made = map(start, mapped, access, flags | MAP_FIXED, file, offset);
    if (made == MAP_FAILED) syscall(SYS_munmap, start, whole(bytes));
    return made;
}

void *mmap64(void *at, size_t bytes, int access, int flags, int file, off_t offset) {
    return mmap(at, bytes, access, flags, file, offset);
}

int munmap(void *at, size_t bytes) {
    demand(is_multiple((uintptr_t)at), "an address to unmap");
    return (int)syscall(SYS_munmap, at, whole(bytes));
}

int mprotect(void *at, size_t bytes, int access) {
    demand(is_multiple((uintptr_t)at), "an address to protect");
    return (int)syscall(SYS_mprotect, at, whole(bytes), access);
}

int madvise(void *at, size_t bytes, int advice) {
    demand(is_multiple((uintptr_t)at), "an address for advice");
    return (int)syscall(SYS_madvise, at, whole(bytes), advice);
}
