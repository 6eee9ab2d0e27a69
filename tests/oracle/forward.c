// One callback per event: note that it came, hand the very same arguments to the tool, note that the
// tool is done with it. A process killed inside the tool therefore shows entered > returned, and
// `returned` never exceeds what the tool has seen to the end.
#include "forward.h"

#include "steer.h"

ompt_callback_t tools_callback[IDS];

static inline void bump(uint64_t *n) { __atomic_fetch_add(n, 1, __ATOMIC_RELAXED); }

static inline unsigned clamp(unsigned n, unsigned limit) { return n < limit ? n : 0; }

static inline uint64_t entered(int id, unsigned endpoint) {
  bump(&counts_mine()->entered[id][clamp(endpoint, ENDPOINTS)]);
  return steering();
}

static inline void returned(int id, unsigned endpoint, unsigned kind, uint64_t steered) {
  struct block *b = counts_mine();
  endpoint = clamp(endpoint, ENDPOINTS);
  if ((steered & 1) && steered == steering()) bump(&b->due[id][endpoint]);
  bump(&b->returned[id][endpoint]);
  bump(&b->by_kind[id][endpoint][clamp(kind, KINDS)]);
}

#define ARGS(...) __VA_ARGS__

// EVENT(name, type of its callback, endpoint, kind, parameters, arguments)
#define EVENT(name, type, endpoint, kind, parameters, arguments)                  \
  static void on_##name(parameters) {                                             \
    uint64_t steered = entered(ompt_callback_##name, endpoint);                   \
    type tools = (type)tools_callback[ompt_callback_##name];                      \
    if (tools) tools(arguments);                                                  \
    returned(ompt_callback_##name, endpoint, kind, steered);                      \
  }

#include "events.h"

// The two that do more than count and forward.
static void on_dependences(ompt_data_t *task, const ompt_dependence_t *deps, int ndeps) {
  uint64_t steered = entered(ompt_callback_dependences, 0);
  ompt_callback_dependences_t tools =
      (ompt_callback_dependences_t)tools_callback[ompt_callback_dependences];
  if (tools) tools(task, deps, ndeps);
  // Before: where as many returned as were entered these count too, whenever the process ended.
  __atomic_fetch_add(&counts_mine()->dependences, ndeps > 0 ? ndeps : 0, __ATOMIC_RELEASE);
  returned(ompt_callback_dependences, 0, 0, steered);
}

// Without a tool the answer is what the runtime itself gives when a tool has no such callback: -1.
static int on_control_tool(uint64_t command, uint64_t modifier, void *arg, const void *codeptr) {
  uint64_t steered = entered(ompt_callback_control_tool, 0);
  ompt_callback_control_tool_t tools =
      (ompt_callback_control_tool_t)tools_callback[ompt_callback_control_tool];
  int answer = tools ? tools(command, modifier, arg, codeptr) : -1;
  returned(ompt_callback_control_tool, 0, command < KINDS ? (unsigned)command : 0, steered);
  return answer;
}

// A tool that the runtime has not begun yet, or that asked for no such events, has none to record; nor has a
// forked child that has done nothing but be there.
static int hears_controls(void) {
  if (!counts || counts->header.registered[ompt_callback_control_tool] < 0) return 0;
  if (!counts->header.forked) return 1;
  for (int block = 0; block < BLOCKS; block++)
    for (int id = 0; id < IDS; id++)
      for (int endpoint = 0; endpoint < ENDPOINTS; endpoint++) {
        int is_there = id == ompt_callback_thread_begin || id == ompt_callback_implicit_task;
        if (!is_there && counts->blocks[block].entered[id][endpoint]) return 1;
      }
  return 0;
}

__attribute__((visibility("default")))
void oracle_controls(uint64_t command, uint64_t modifier, void (*call)(uint64_t, uint64_t)) {
  int heard = hears_controls();
  uint64_t steered = heard ? entered(ompt_callback_control_tool, 0) : 0;
  call(command, modifier);
  if (heard) returned(ompt_callback_control_tool, 0, command < KINDS ? (unsigned)command : 0, steered);
}

#undef EVENT
#define EVENT(name, type, endpoint, kind, parameters, arguments) \
  [ompt_callback_##name] = (ompt_callback_t)on_##name,

const ompt_callback_t our_callback[IDS] = {
#include "events.h"
    [ompt_callback_dependences] = (ompt_callback_t)on_dependences,
    [ompt_callback_control_tool] = (ompt_callback_t)on_control_tool,
};
