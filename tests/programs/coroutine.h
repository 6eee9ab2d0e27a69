// Runs a function on a stack of the caller's, as coroutines do, and comes back when it returns.
#ifndef COROUTINE_H
#define COROUTINE_H

#include <stddef.h>
#include <ucontext.h>

static __thread ucontext_t coroutine_thread, coroutine_own;

static void run_on_stack(void *stack, size_t bytes, void (*function)(void)) {
  getcontext(&coroutine_own);
  coroutine_own.uc_stack.ss_sp = stack;
  coroutine_own.uc_stack.ss_size = bytes;
  coroutine_own.uc_link = &coroutine_thread;
  makecontext(&coroutine_own, function, 0);
  swapcontext(&coroutine_thread, &coroutine_own);
}

#endif
