/* A table of words under one lock: whoever looks up a word keeps out all others. Cured: a lock for
 * each bucket, and two threads meet in the same bucket only now and then.
 */
#include <omp.h>

#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

constexpr int buckets = 256, words = 20000;
#ifdef CURED
constexpr int locks = buckets;
#else
constexpr int locks = 1;
#endif

struct Lock {
    omp_lock_t lock;
    Lock() { omp_init_lock(&lock); }
    ~Lock() { omp_destroy_lock(&lock); }
};

class Table {
    std::vector<std::unordered_map<std::string, int>> maps{buckets};
    std::vector<Lock> guards{locks};

  public:
    void count(const std::string &word)
    {
        size_t bucket = std::hash<std::string>()(word) % buckets;
        omp_lock_t *guard = &guards[bucket % locks].lock;
        omp_set_lock(guard);
        for (int i = 0; i < 20; i++)
            maps[bucket][word + char('a' + i)]++;
        omp_unset_lock(guard);
    }

    size_t size() const
    {
        size_t sum = 0;
        for (const auto &map : maps)
            sum += map.size();
        return sum;
    }
};

} // namespace

int main()
{
    Table table;
    double begin = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (int i = 0; i < words; i++)
        table.count("word " + std::to_string(i * 2654435761u % 4001));
    std::printf("%zu, %.0f ms\n", table.size(), 1e3 * (omp_get_wtime() - begin));
    return 0;
}
