// Signal handlers that call what they interrupt, found without chance: behind each instruction of its callbacks a
// thread is interrupted by a handler with callbacks of its own. With one round each handler makes two calls; with
// more, every hundredth makes so many that the buffers are full more than once.
static int many;

#ifdef __x86_64__
static void on_interruption(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info, (void)context;
  ompt_wait_id_t id = 1;
  int was_inside = inside;
  stepping = 0;
  for (int i = 0, times = ++steps % 100 ? 1 : many; i < times; i++) {
    CALL(mutex_acquired, ompt_mutex_lock, id, HERE(40));
    CALL(mutex_released, ompt_mutex_lock, id, HERE(41));
  }
  stepping = 1, inside = was_inside;
}
#endif

static void be_interrupted_at_every_step(int rounds) {
  ompt_data_t data = {0}, initial = {0};
  many = rounds > 1 ? 400 : 1;
#ifdef __x86_64__
  struct sigaction action = {.sa_sigaction = on_interruption, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, NULL);
#endif
  stepping = 1;
  CALL(thread_begin, ompt_thread_initial, &data);
  CALL(implicit_task, BEGIN, NULL, &initial, 1, 1, ompt_task_initial);
  round_of_calls(&initial);
  CALL(implicit_task, END, NULL, &initial, 0, 1, ompt_task_initial);
  CALL(thread_end, &data);
  stepping = 0;
  printf("steps %ld\n", steps);
}
