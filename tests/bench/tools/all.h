/* What the baseline tools share: registration of all 37 callbacks of OMPT
 * 5.0-6.0, each a function of its own made by one macro. A tool includes this
 * file after it has defined
 *
 *   EVENT(id, a, b)   what a callback does; a and b are its first arguments
 *   AT_END()          what finalize does
 *
 * The callbacks are declared with two integer arguments whatever their real
 * signature: in the C ABIs of x86-64 and aarch64 the first two integer or
 * pointer arguments are in fixed registers, and a baseline looks at no more.
 * Where a callback has fewer, a register's old value is stored, which is as
 * good as any other for a measurement. */
#include <omp-tools.h>
#include <stdint.h>
#include <stdlib.h>

/* A counter read as every tool of this bench reads it. */
static inline uint64_t clock_now(void)
{
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
#error "no counter known for this processor"
#endif
}

#define FOR_ALL(X)                                                                                 \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17)   \
    X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)      \
    X(33) X(34) X(35) X(36) X(37)

/* control_tool (11) returns an int; a zero from the others hurts nobody. */
#define CALLBACK(id)                                                                               \
    static int callback_##id(uint64_t a, uint64_t b)                                               \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        EVENT(id, a, b);                                                                           \
        return 0;                                                                                  \
    }
FOR_ALL(CALLBACK)

#define REGISTER(id) set((ompt_callbacks_t)id, (ompt_callback_t)callback_##id);

static int initialize(ompt_function_lookup_t look_up, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)look_up("ompt_set_callback");
    FOR_ALL(REGISTER)
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    AT_END();
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
    (void)version, (void)runtime;
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    return &result;
}
