// Phases of other interfaces: the calls that Kokkos, NVTX and ITT make to a tool, as their documents describe them.
// run: threads=2
#include <ompttrace.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "../programs/check.h"

static int threads;

/* Not inlined: a function with a construct calls the runtime where it begins. */
__attribute__((noinline)) static void region(void) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
}

/* The function of a name in the library that a variable names; without one the program goes on as if nothing were there. */
static void *function(const char *variable, const char *name) {
  const char *path = getenv(variable);
  void *library = path != 0 ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : 0;
  return library != 0 ? dlsym(library, name) : 0;
}

/* Calls a function of Kokkos Tools with its arguments, if there is one. */
#define KOKKOS(name, types, arguments)                                      \
  do {                                                                      \
    void(*call) types;                                                      \
    *(void **)&call = function("KOKKOS_TOOLS_LIBS", "kokkosp_" #name);      \
    if (call != 0) call arguments;                                          \
  } while (0)
#define KERNEL(kind, name, inside)                                                            \
  do {                                                                                        \
    uint64_t id = 0;                                                                          \
    KOKKOS(begin_parallel_##kind, (const char *, uint32_t, uint64_t *), (name, 0, &id));      \
    inside;                                                                                   \
    KOKKOS(end_parallel_##kind, (uint64_t), (id));                                            \
  } while (0)
#define PUSH(name) KOKKOS(push_profile_region, (const char *), (name))
#define POP() KOKKOS(pop_profile_region, (void), ())

struct space {
  char name[64];
};
typedef void copy(struct space, const char *, const void *, struct space, const char *, const void *, uint64_t);
struct settings {
  bool waits;
  bool padding[255];
};

static void kokkos_begins(void) {
  struct settings settings = {.waits = true};
  KOKKOS(init_library, (int, uint64_t, uint32_t, void *), (0, 20240906, 0, 0));
  KOKKOS(request_tool_settings, (uint32_t, struct settings *), (1, &settings));
  /* The program runs as without the tool. */
  if (getenv("KOKKOS_TOOLS_LIBS") != 0 && settings.waits) threads = -1000;
}

static void kokkos(void) {
  const struct space host = {"Host"}, device = {"Cuda"};
  uint64_t handle = 0;
  copy *begin;
  kokkos_begins();
  PUSH("assembly");
  KERNEL(for, "axpy", region());
  KERNEL(reduce, "dot", region());
  KERNEL(scan, "Z4mainEUliE_", region());
  POP();
  KOKKOS(begin_fence, (const char *, uint32_t, uint64_t *), ("all done", 0, &handle));
  KOKKOS(end_fence, (uint64_t), (handle));
  *(void **)&begin = function("KOKKOS_TOOLS_LIBS", "kokkosp_begin_deep_copy");
  if (begin != 0) begin(device, "field", 0, host, "mirror", 0, 8);
  KOKKOS(end_deep_copy, (void), ());
  /* None is open. */
  POP();
  KOKKOS(finalize_library, (void), ());
}

/* The program's part of NVTX: slots for a tool's functions, and a table through which the tool asks for them. */
static void *nvtx_core[16], *nvtx_domains[16];
static void **nvtx_core_slots[17], **nvtx_domain_slots[17];

static int nvtx_slots(unsigned module, void ****first, unsigned *count) {
  *first = module == 1 ? nvtx_core_slots : module == 5 ? nvtx_domain_slots : 0;
  *count = 16;
  return *first != 0;
}

static const struct {
  size_t bytes;
  int (*slots)(unsigned, void ****, unsigned *);
} nvtx_callbacks = {sizeof nvtx_callbacks, nvtx_slots};

static const void *nvtx_table(uint32_t number) { return number == 1 ? &nvtx_callbacks : 0; }

struct attributes {
  uint16_t version, bytes;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const void *message;
};

static void nvtx_begins(void) {
  int (*begin)(const void *(*)(uint32_t));
  for (int at = 1; at < 16; at++) {
    nvtx_core_slots[at] = &nvtx_core[at];
    nvtx_domain_slots[at] = &nvtx_domains[at];
  }
  *(void **)&begin = function("NVTX_INJECTION64_PATH", "InitializeInjectionNvtx2");
  if (begin != 0 && begin(nvtx_table) != 1) threads = -1000;
}

#define CALL(slot, result, types, arguments) (slot != 0 ? ((result(*) types)slot)arguments : (result)0)
#define PUSH_A(name) CALL(nvtx_core[9], int, (const char *), (name))
#define RANGE_POP() CALL(nvtx_core[11], int, (void), ())
#define DOMAIN(name) CALL(nvtx_domains[12], void *, (const char *), (name))
#define DOMAIN_POP(domain) CALL(nvtx_domains[5], int, (void *), (domain))

static void domain_push(void *domain, int type, const void *message) {
  const struct attributes attributes = {3, sizeof attributes, 0, 0, 0, 0, 0, 0, type, message};
  CALL(nvtx_domains[4], int, (void *, const struct attributes *), (domain, &attributes));
}

static void nvtx(void) {
  const struct attributes wide = {3, sizeof wide, 0, 0, 0, 0, 0, 0, 2, L"größer"};
  void *first, *second, *text;
  nvtx_begins();
  PUSH_A("load");
  CALL(nvtx_core[8], int, (const struct attributes *), (&wide));
  RANGE_POP();
  CALL(nvtx_core[10], int, (const wchar_t *), (L"wide"));
  RANGE_POP();
  RANGE_POP();
  first = DOMAIN("io");
  second = DOMAIN("math");
  if (first != 0 && (first == second || first != DOMAIN("io"))) threads = -1000;
  text = CALL(nvtx_domains[10], void *, (void *, const char *), (first, "read"));
  region();
  domain_push(first, 3, text);
  domain_push(second, 1, "solve");
  /* Domains need not nest. */
  DOMAIN_POP(first);
  DOMAIN_POP(second);
  RANGE_POP();
}

/* The program's part of ITT: pointers to a tool's functions, and the list in which the tool finds them. */
struct domain {
  volatile int flags;
  const char *name;
  void *wide;
  int extra;
  void *more;
  struct domain *next;
};
struct text {
  const char *text;
  void *wide;
  int extra;
  void *more;
  struct text *next;
};
struct id {
  unsigned long long words[3];
};

static void *itt_domain, *itt_text, *itt_begin, *itt_end, *itt_other = &itt_other;

struct entry {
  const char *name;
  void **pointer;
  void *initial, *without;
  int groups;
} itt_list[] = {{"__itt_domain_create", &itt_domain, 0, 0, 1}, {"__itt_string_handle_create", &itt_text, 0, 0, 1},
                {"__itt_task_begin", &itt_begin, 0, 0, 1},     {"__itt_task_end", &itt_end, 0, 0, 1},
                {"__itt_sync_create", &itt_other, 0, 0, 1},    {0, 0, 0, 0, 0}};

static struct {
  unsigned char magic[8];
  unsigned long version[3];
  volatile long state[3];
  pthread_mutex_t mutex;
  void *library, *error_handler;
  const char **path;
  struct entry *list;
  void *more[8];
} itt_global = {.version = {3, 25, 20210323}, .list = itt_list};

static void itt_begins(void) {
  void (*begin)(void *, int);
  *(void **)&begin = function("INTEL_LIBITTNOTIFY64", "__itt_api_init");
  if (begin != 0) begin(&itt_global, -1);
  /* What the tool does not use must not cost anything. */
  if (begin != 0 && itt_other != 0) threads = -1000;
}

static void task(struct domain *domain, const char *name) {
  const struct id none = {{0, 0, 0}};
  struct text *text = CALL(itt_text, struct text *, (const char *), (name));
  if (domain != 0 && domain->flags != 0)
    CALL(itt_begin, void, (struct domain *, struct id, struct id, struct text *), (domain, none, none, text));
}

static void task_end(struct domain *domain) { CALL(itt_end, void, (struct domain *), (domain)); }

static void itt(void) {
  /* A domain may be older than the tool. */
  struct domain early = {1, "org.example", 0, 0, 0, 0}, *domain;
  itt_begins();
  domain = CALL(itt_domain, struct domain *, (const char *), ("org.example"));
  task(&early, "outer");
  task(domain, "inner");
  region();
  task_end(domain);
  task_end(domain);
  task_end(domain);
}

/* Marks of several interfaces that do not nest with one another. */
static void mixed(void) {
  kokkos_begins();
  nvtx_begins();
  ompttrace_phase_begin("solve");
  PUSH("region");
  ompttrace_iteration(1);
  PUSH_A("range");
  POP();
  ompttrace_iteration(2);
  RANGE_POP();
  ompttrace_phase_end();
  region();
}

static void paused(void) {
  kokkos_begins();
  itt_begins();
  region();
  PUSH("through it");
  ompt_control(ompttrace_pause, 0);
  task(CALL(itt_domain, struct domain *, (const char *), ("a")), "begins in it");
  KERNEL(for, "in it", region());
  ompt_control(ompttrace_start, 0);
  region();
  POP();
}

static void killed(void) {
  kokkos_begins();
  nvtx_begins();
  itt_begins();
  region();
  PUSH("region");
  PUSH_A("range");
  task(CALL(itt_domain, struct domain *, (const char *), ("a")), "task");
  KERNEL(for, "kernel", raise(SIGKILL));
}

int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : "kokkos";
  if (strcmp(mode, "kokkos") == 0) kokkos();
  if (strcmp(mode, "nvtx") == 0) nvtx();
  if (strcmp(mode, "itt") == 0) itt();
  if (strcmp(mode, "mixed") == 0) mixed();
  if (strcmp(mode, "paused") == 0) paused();
  if (strcmp(mode, "killed") == 0) killed();
  return finish("tools", threads > 0);
}
