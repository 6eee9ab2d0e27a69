// Preloaded, it wraps each function named in the file NAMES, a line WRAPPED(name) each, and goes on to the process's own; once its
// destructor has run, a call from a library of ours ends the process, as where a wrapper uses what its library has freed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#define HIDDEN __attribute__((visibility("hidden")))

#define WRAPPED(name) HIDDEN void *wrapped_##name;
#include NAMES
#undef WRAPPED

HIDDEN int destructed;
static struct { uintptr_t begin, end; } ours[4];

static long write_to_stderr(const char *text) {
  long result;
#if defined(__x86_64__)
  __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_write), "D"(2L), "S"(text), "d"(strlen(text)) : "rcx", "r11", "memory");
#else
  register long x8 __asm__("x8") = SYS_write, x0 __asm__("x0") = 2, x2 __asm__("x2") = (long)strlen(text);
  register const char *x1 __asm__("x1") = text;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  result = x0;
#endif
  return result;
}

HIDDEN void called_late(const char *name, uintptr_t caller) {
  for (int i = 0; i < 4; i++) {
    if (caller < ours[i].begin || caller >= ours[i].end) continue;
    write_to_stderr("called after its destructor: ");
    write_to_stderr(name);
    write_to_stderr("\n");
    __builtin_trap();
  }
}

// Each wrapper passes all arguments on, whatever they are.
#if defined(__x86_64__)
#define WRAPPED(name)                                                                                              \
  __asm__(".text\n.globl " #name "\n.type " #name ",@function\n" #name ":\n"                                       \
          "cmpl $0, destructed(%rip)\njne 1f\n0: jmp *wrapped_" #name "(%rip)\n"                                   \
          "1: push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %rax\n"                         \
          "lea 2f(%rip), %rdi\nmov 56(%rsp), %rsi\ncall called_late\n"                                             \
          "pop %rax\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\njmp 0b\n"                           \
          "2: .asciz \"" #name "\"\n.size " #name ", . - " #name "\n");
#else
#define WRAPPED(name)                                                                                              \
  __asm__(".text\n.p2align 2\n.globl " #name "\n.type " #name ",@function\n" #name ":\n"                           \
          "adrp x16, destructed\nldr w16, [x16, :lo12:destructed]\ncbnz w16, 1f\n"                                 \
          "0: adrp x16, wrapped_" #name "\nldr x16, [x16, :lo12:wrapped_" #name "]\nbr x16\n"                      \
          "1: stp x29, x30, [sp, #-96]!\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\n"    \
          "stp x6, x7, [sp, #64]\nstr x8, [sp, #80]\nadr x0, 2f\nmov x1, x30\nbl called_late\n"                    \
          "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\n"           \
          "ldr x8, [sp, #80]\nldp x29, x30, [sp], #96\nb 0b\n"                                                     \
          "2: .asciz \"" #name "\"\n.p2align 2\n.size " #name ", . - " #name "\n");
#endif
#include NAMES
#undef WRAPPED

__attribute__((constructor)) static void begin(void) {
#define WRAPPED(name) wrapped_##name = dlsym(RTLD_NEXT, #name);
#include NAMES
#undef WRAPPED
}

static int find(struct dl_phdr_info *object, size_t size, void *count) {
  (void)size;
  if (!strstr(object->dlpi_name, "/libompttrace") || *(int *)count == 4) return 0;
  int at = (*(int *)count)++;
  ours[at].begin = object->dlpi_addr;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type == PT_LOAD) ours[at].end = object->dlpi_addr + part->p_vaddr + part->p_memsz;
  }
  return 0;
}

__attribute__((destructor)) static void end(void) {
  int count = 0;
  dl_iterate_phdr(find, &count);
  destructed = 1;
}
