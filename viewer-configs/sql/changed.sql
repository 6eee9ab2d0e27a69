-- What changed from earlier runs to these, by source location: time of threads at it, and what others lost by it. Times
-- are those of a rank, so that runs on another number of ranks compare. A location that moved is another one.
WITH after_ranks AS (
    SELECT COUNT(*) AS ranks FROM runs
),
before_ranks AS (
    SELECT COUNT(*) AS ranks FROM before_runs
),
after_sums AS (
    SELECT
        site,
        SUM(self_ns) AS self_ns,
        SUM(caused_idle_ns) + SUM(caused_wait_ns) + SUM(caused_mutex_ns) AS lost_ns
    FROM rollup
    GROUP BY site
),
before_sums AS (
    SELECT
        site,
        SUM(self_ns) AS self_ns,
        SUM(caused_idle_ns) + SUM(caused_wait_ns) + SUM(caused_mutex_ns) AS lost_ns
    FROM before_rollup
    GROUP BY site
),
named AS (
    SELECT site, MIN(name) AS name, MIN(kind) AS kind
    FROM (SELECT site, name, kind FROM sites UNION ALL SELECT site, name, kind FROM before_sites) AS known
    GROUP BY site
),
per_rank AS (
    SELECT
        named.name,
        named.kind,
        CAST(COALESCE(before_sums.self_ns, 0) AS DOUBLE) / before_ranks.ranks AS self_before,
        CAST(COALESCE(after_sums.self_ns, 0) AS DOUBLE) / after_ranks.ranks AS self_after,
        CAST(COALESCE(before_sums.lost_ns, 0) AS DOUBLE) / before_ranks.ranks AS lost_before,
        CAST(COALESCE(after_sums.lost_ns, 0) AS DOUBLE) / after_ranks.ranks AS lost_after
    FROM named
        LEFT JOIN before_sums ON before_sums.site = named.site
        LEFT JOIN after_sums ON after_sums.site = named.site
        CROSS JOIN before_ranks
        CROSS JOIN after_ranks
)
SELECT
    name,
    kind,
    CAST(ROUND(self_before) AS BIGINT) AS self_before_ns,
    CAST(ROUND(self_after) AS BIGINT) AS self_after_ns,
    CAST(ROUND(self_after - self_before) AS BIGINT) AS self_change_ns,
    CAST(ROUND(lost_before) AS BIGINT) AS lost_before_ns,
    CAST(ROUND(lost_after) AS BIGINT) AS lost_after_ns,
    CAST(ROUND(lost_after - lost_before) AS BIGINT) AS lost_change_ns
FROM per_rank
ORDER BY ABS(self_after - self_before) DESC, name
LIMIT 20
