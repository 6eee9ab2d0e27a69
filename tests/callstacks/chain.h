// A program's own call chain: each function and construct pushes a link, and says the whole chain
// where a region's team threads and tasks begin. The test compares that with the traced contexts.
#ifndef CHAIN_H
#define CHAIN_H
#include <stdio.h>
#include <string.h>

#define NOT_INLINED __attribute__((noinline))

struct link {
  const struct link *up;
  char text[64];
};

static __thread const struct link *top;
static volatile int nothing;

// Enters a function.
static inline struct link link_in(const char *text) {
  struct link link;
  link.up = top;
  snprintf(link.text, sizeof link.text, "%s", text);
  return link;
}

// The link of a construct in this file at `line`, made by the link at `up`. A task of a construct
// that is around already is reported as that one.
static inline struct link construct(const char *word, int line, const struct link *up) {
  struct link link;
  const char *file = strrchr(SOURCE, '/');
  snprintf(link.text, sizeof link.text, "%s %s:%d", word, file ? file + 1 : SOURCE, line);
  link.up = up;
  if (strcmp(word, "task") == 0)
    for (const struct link *at = up; at; at = at->up)
      if (strcmp(at->text, link.text) == 0) link.up = at->up;
  return link;
}

static void append(char *to, size_t room, const struct link *link) {
  if (!link) return;
  append(to, room, link->up);
  size_t used = strlen(to);
  snprintf(to + used, room - used, "%s%s", used ? " > " : "context: ", link->text);
}

// Says where this thread is.
static inline void say(const struct link *link) {
  char text[2048] = "";
  append(text, sizeof text, link);
  puts(text);
}

#define FUNCTION(name)                \
  struct link here = link_in(name);   \
  const struct link *before = top;    \
  top = &here
// Keeps the call before it from becoming a jump.
#define RETURN top = before; nothing++
// At the begin of a construct's body, so many lines behind its pragma.
#define BODY(word, lines)                                          \
  struct link inside = construct(word, __LINE__ - (lines), &here); \
  const struct link *outside = top;                                \
  top = &inside;                                                   \
  say(&inside)
#define LEAVE top = outside; nothing++
#endif
