-- Of each parallel region, how unevenly its work is shared: between ranks (how much more work a thread of the rank that
-- works most has than one of the mean rank) and within them (how much more the thread that works most has than the mean
-- of its rank; all ranks together). 0 is even, 1 is twice the mean. Work that had no core counts as work.
WITH of_thread AS (
    SELECT region, rank, run, thread, SUM(self_ns) AS work_ns
    FROM rollup
    WHERE region IS NOT NULL
        AND state IN ('work_parallel', 'work_reduction', 'target', 'off_core_preempted', 'off_core_blocked')
    GROUP BY region, rank, run, thread
),
of_rank AS (
    SELECT
        region,
        rank,
        COUNT(*) AS threads,
        CAST(SUM(work_ns) AS DOUBLE) / COUNT(*) AS mean_ns,
        CAST(MAX(work_ns) AS DOUBLE) AS longest_ns
    FROM of_thread
    GROUP BY region, rank
),
of_region AS (
    SELECT
        region,
        COUNT(*) AS ranks,
        AVG(mean_ns) AS mean_ns,
        MAX(mean_ns) AS rank_ns,
        SUM(longest_ns) / SUM(mean_ns) - 1 AS within_ranks,
        SUM(longest_ns * threads) - SUM(mean_ns * threads) AS lost_within_ns,
        SUM(threads) AS threads
    FROM of_rank
    GROUP BY region
),
slowest AS (
    SELECT region, MIN(rank) AS slowest_rank
    FROM of_rank JOIN of_region USING (region)
    WHERE of_rank.mean_ns = of_region.rank_ns
    GROUP BY region
),
named AS (
    SELECT site AS region, MIN(name) AS name FROM sites GROUP BY site
)
SELECT
    name,
    ranks,
    CAST(threads AS BIGINT) AS threads,
    CAST(ROUND(mean_ns) AS BIGINT) AS mean_ns,
    ROUND(rank_ns / mean_ns - 1, 6) AS between_ranks,
    slowest_rank,
    ROUND(within_ranks, 6) AS within_ranks,
    CAST(ROUND(lost_within_ns) AS BIGINT) AS lost_within_ns
FROM of_region JOIN slowest USING (region) JOIN named USING (region)
WHERE mean_ns > 0
ORDER BY (rank_ns - mean_ns) * threads + lost_within_ns DESC, name
LIMIT 20
