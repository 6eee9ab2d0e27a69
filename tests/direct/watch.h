// The watch over a thread while it is in a callback: memory allocation always, and locks and system calls
// where the tool has room for the record and knows the code location ("warm").
//
// System calls are seen by the kernel's own means (syscall user dispatch): a waiting lock of any kind,
// a sleep, reading and writing all come to one. The first of a callback is counted, and done.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <ucontext.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static __thread int inside, warm;
static long allocations, locks, system_calls;

static void count(long *sum) { __atomic_fetch_add(sum, 1, __ATOMIC_RELAXED); }
static void watch(void) { if (inside) count(&allocations); }

void *malloc(size_t n) { watch(); return __libc_malloc(n); }
void *calloc(size_t m, size_t n) { watch(); return __libc_calloc(m, n); }
void *realloc(void *p, size_t n) { watch(); return __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { watch(); return __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { watch(); return __libc_memalign(a, n); }
void free(void *p) { if (p) watch(); __libc_free(p); }
int posix_memalign(void **p, size_t a, size_t n) {
  watch();
  return (*p = __libc_memalign(a, n)) ? 0 : ENOMEM;
}

// A lock that is free is taken without a system call.
#define LOCK(NAME, TYPE)                                       \
  int NAME(TYPE *lock) {                                       \
    static int (*real)(TYPE *);                                \
    if (inside && warm) count(&locks);                         \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #NAME);      \
    return real(lock);                                         \
  }
LOCK(pthread_mutex_lock, pthread_mutex_t)
LOCK(pthread_mutex_trylock, pthread_mutex_t)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)

// The kernel looks at it: whether a system call is let through or reported.
static __thread volatile char reported;

// Whether the calling thread stops behind each instruction of a callback.
static __thread int stepping;

// Sets or clears the processor's trap flag.
#ifdef __x86_64__
#define STEP(CHANGE)                                                                       \
  __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; " CHANGE ", (%%rsp); popfq; lea 128(%%rsp), %%rsp" \
                   ::: "cc", "memory")
#else
#define STEP(CHANGE) (void)0
#endif

// Where stacks are measured system calls are none of its business: samples come, and what returns from a handler is one.
static int measuring;

static void enter(void) {
  inside = 1, reported = warm && !measuring;
  if (stepping) STEP("orq $0x100");
}
static void leave(void) {
  if (stepping) STEP("andq $~0x100");
  reported = 0, inside = 0;
}

#ifdef __x86_64__
static void on_call(int signal, siginfo_t *info, void *context) {
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  (void)signal;
  reported = 0;
  count(&system_calls);
  register long r10 __asm__("r10") = r[REG_R10], r8 __asm__("r8") = r[REG_R8];
  register long r9 __asm__("r9") = r[REG_R9];
  long result = info->si_syscall;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(r[REG_RDI]), "S"(r[REG_RSI]), "d"(r[REG_RDX]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  r[REG_RAX] = result;
}

// Makes the kernel report the calling thread's system calls; other processors' kernels cannot all do that.
static int watch_system_calls(void) {
  enum { DISPATCH = 59, ON = 1 };
  // Not deferred: a call that asks for the mask shall not find this signal in it.
  struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
  return sigaction(SIGSYS, &action, NULL) || prctl(DISPATCH, ON, 0, 0, &reported);
}
#else
static int watch_system_calls(void) { return 0; }
#endif
