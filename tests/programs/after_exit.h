// For preloaded libraries that stand between the tool and the kernel. Once exit() has begun the tool makes its system calls itself,
// without the functions that such a library wraps. From the library's destructor on a seccomp filter traps these calls where they
// come from the tool's code, and the handler does what `after_exit` says: it returns 1 and stores the answer of a wrapper,
// `errno` included, or returns 0 for a call to be made as it is.
#ifndef AFTER_EXIT_H
#define AFTER_EXIT_H

#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static int after_exit(long number, const long arguments[6], long *answer);

#if defined(__x86_64__)
#define TRAPPED_ARGUMENT(context, index) \
  ((long)(context)->uc_mcontext.gregs[(const int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9}[index]])
#define TRAPPED_ANSWER(context) ((context)->uc_mcontext.gregs[REG_RAX])
#else
#define TRAPPED_ARGUMENT(context, index) ((long)(context)->uc_mcontext.regs[index])
#define TRAPPED_ANSWER(context) ((context)->uc_mcontext.regs[0])
#endif

static void trapped(int signal, siginfo_t *information, void *context_of_it) {
  ucontext_t *context = context_of_it;
  int before = errno;
  long a[6], answer;
  for (int i = 0; i < 6; i++) a[i] = TRAPPED_ARGUMENT(context, i);
  errno = 0;
  if (!after_exit(information->si_syscall, a, &answer))
    answer = syscall(information->si_syscall, a[0], a[1], a[2], a[3], a[4], a[5]);
  TRAPPED_ANSWER(context) = answer == -1 ? -errno : answer;
  errno = before;
  (void)signal;
}

// The code of a library of ours, if this is one.
static int trap_code_of(struct dl_phdr_info *object, size_t size, void *numbers) {
  (void)size;
  if (!strstr(object->dlpi_name, "/libompttrace")) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    uint64_t begin = object->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
    struct sock_filter filter[64] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, begin >> 32, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)begin, 0, 1),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)end, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    unsigned short used = 7;
    for (const long *number = numbers; *number >= 0; number++) {
      filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, *number, 0, 1);
      filter[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    filter[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {used, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  }
  return 0;
}

// Traps the system calls of these numbers, which -1 ends.
static void trap_after_exit(const long *numbers) {
  struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGSYS, &action, NULL);
  dl_iterate_phdr(trap_code_of, (void *)numbers);
}

#endif
