-- Which ranks come last to collective operations, and how much others wait for them there: of the operations with several ranks
-- that each rank takes part in.
WITH parts AS (
    SELECT
        rank,
        COUNT(*) AS operations,
        SUM(CASE WHEN rank = last_rank THEN 1 ELSE 0 END) AS last
    FROM collectives
    WHERE ranks > 1
    GROUP BY rank
),
caused AS (
    SELECT cause_rank AS rank, SUM(wait_ns) AS caused_ns
    FROM waits
    WHERE kind IN ('wait_at_barrier', 'wait_at_n_to_n', 'late_broadcast', 'early_reduce')
    GROUP BY cause_rank
)
SELECT
    rank,
    operations,
    CAST(last AS BIGINT) AS last,
    ROUND(CAST(last AS DOUBLE) / operations, 6) AS last_share,
    CAST(COALESCE(caused_ns, 0) AS BIGINT) AS caused_ns
FROM parts LEFT JOIN caused USING (rank)
ORDER BY caused_ns DESC, rank
LIMIT 20
