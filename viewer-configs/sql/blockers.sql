-- What threads wait for: waiting by the source location where it happens and what the thread that it was for
-- worked at meanwhile.
WITH waits AS (
    SELECT site, blocker_site, state, SUM(self_ns) AS wait_ns, SUM(n) AS n, MAX(max_ns) AS longest_ns
    FROM rollup
    WHERE blocker_site IS NOT NULL
    GROUP BY site, blocker_site, state
),
named AS (
    SELECT site, MIN(name) AS name FROM sites GROUP BY site
)
SELECT
    waiting.name AS waits_in,
    waits.state,
    working.name AS waits_for,
    CAST(waits.n AS BIGINT) AS n,
    CAST(waits.wait_ns AS BIGINT) AS wait_ns,
    waits.longest_ns
FROM waits
    JOIN named AS waiting ON waiting.site = waits.site
    JOIN named AS working ON working.site = waits.blocker_site
ORDER BY wait_ns DESC, waits_in, waits_for
LIMIT 20
