// Locks of every kind, found without chance: one thread stops behind each instruction of its callbacks until
// another has made a round of all of them. Held by the one, a lock lets the other wait in the kernel, which
// watch.h counts; then the one goes on, unstopped.
#include <sched.h>

static void round_of_calls(ompt_data_t *initial);

static _Atomic long asked, done, steps;
static _Atomic int over;

#ifdef __x86_64__
static void on_step(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  steps++;
  for (long wanted = ++asked; done < wanted;) {
    if (__atomic_load_n(&system_calls, __ATOMIC_RELAXED)) {
      stepping = 0;
      ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100l;
      return;
    }
    sched_yield();
  }
}
#endif

static void *companion(void *unused) {
  ompt_data_t data = {0}, initial = {0};
  if (watch_system_calls()) puts("the kernel reports no system calls"), exit(4);
  CALL(thread_begin, ompt_thread_worker, &data);
  CALL(implicit_task, BEGIN, NULL, &initial, 1, 1, ompt_task_initial);
  round_of_calls(&initial);
  for (warm = 1; !over; sched_yield())
    if (done < asked) round_of_calls(&initial), done++;
  warm = 0;
  CALL(thread_end, &data);
  return unused;
}

static void step_through_a_round(void) {
  ompt_data_t data = {0}, initial = {0};
  pthread_t other;
#ifdef __x86_64__
  struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, NULL);
#endif
  CALL(thread_begin, ompt_thread_initial, &data);
  CALL(implicit_task, BEGIN, NULL, &initial, 1, 1, ompt_task_initial);
  round_of_calls(&initial);
  pthread_create(&other, NULL, companion, NULL);
  for (asked++; done < asked;) sched_yield();
  stepping = 1;
  round_of_calls(&initial);
  stepping = 0, over = 1;
  pthread_join(other, NULL);
  CALL(thread_end, &data);
  printf("steps %ld\n", steps);
}
