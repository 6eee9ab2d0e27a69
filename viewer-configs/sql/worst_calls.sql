-- Which calls of MPI make ranks wait longest, over all ranks: what waits, for which calls, and the rank that causes most of it
-- (`waits` of `ompttrace report` of the job).
WITH by_cause AS (
    SELECT
        kind,
        function,
        location,
        cause_function,
        cause_location,
        cause_rank,
        COUNT(*) AS waits,
        SUM(wait_ns) AS wait_ns,
        MAX(wait_ns) AS longest_ns
    FROM waits
    GROUP BY kind, function, location, cause_function, cause_location, cause_rank
),
ranked AS (
    SELECT
        *,
        ROW_NUMBER() OVER (
            PARTITION BY kind, function, location, cause_function, cause_location
            ORDER BY wait_ns DESC, cause_rank
        ) AS place
    FROM by_cause
)
SELECT
    kind,
    function,
    location,
    cause_function,
    cause_location,
    CAST(SUM(waits) AS BIGINT) AS waits,
    CAST(SUM(wait_ns) AS BIGINT) AS wait_ns,
    MAX(longest_ns) AS longest_ns,
    COUNT(*) AS cause_ranks,
    MAX(CASE WHEN place = 1 THEN cause_rank END) AS cause_rank,
    CAST(MAX(CASE WHEN place = 1 THEN wait_ns END) AS BIGINT) AS cause_rank_ns
FROM ranked
GROUP BY kind, function, location, cause_function, cause_location
ORDER BY wait_ns DESC, kind, function, location, cause_function, cause_location
LIMIT 20
