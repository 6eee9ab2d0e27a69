// Forbids itself something, and goes on.
//   counter  reading the processor's counter, before its first region: whoever does so dies
//   files    opening files, behind its first regions: they are refused
// args: what.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../programs/check.h"

static volatile long sum;

static void regions(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp parallel num_threads(2)
    __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
  }
}

static int forbids_files(void) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

int main(int count, char **words) {
  int good = 1;
  if (count > 1 && !strcmp(words[1], "counter")) good = prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0;
  regions(100);
  if (count > 1 && !strcmp(words[1], "files")) good = forbids_files();
  regions(2000);
  return finish("forbids", good && sum == 4200);
}
