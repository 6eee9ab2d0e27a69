-- Which locations of the program let threads lose most time, over all ranks: while one is worked at, others are idle,
-- wait at barriers and for tasks, or wait for its mutex (blame shifting, as in `ompttrace report`).
WITH charged AS (
    SELECT
        site,
        COUNT(DISTINCT rank) AS ranks,
        SUM(self_ns) AS self_ns,
        SUM(caused_idle_ns) AS caused_idle_ns,
        SUM(caused_wait_ns) AS caused_wait_ns,
        SUM(caused_mutex_ns) AS caused_mutex_ns
    FROM rollup
    GROUP BY site
),
named AS (
    SELECT site, MIN(kind) AS kind, MIN(name) AS name, MIN(file) AS file, MIN(line) AS line, SUM(calls) AS calls
    FROM sites
    GROUP BY site
)
SELECT
    name,
    kind,
    file,
    line,
    ranks,
    CAST(calls AS BIGINT) AS calls,
    CAST(self_ns AS BIGINT) AS self_ns,
    CAST(caused_idle_ns AS BIGINT) AS caused_idle_ns,
    CAST(caused_wait_ns AS BIGINT) AS caused_wait_ns,
    CAST(caused_mutex_ns AS BIGINT) AS caused_mutex_ns,
    CAST(caused_idle_ns + caused_wait_ns + caused_mutex_ns AS BIGINT) AS lost_ns
FROM charged JOIN named USING (site)
WHERE caused_idle_ns + caused_wait_ns + caused_mutex_ns > 0
ORDER BY lost_ns DESC, name
LIMIT 20
