-- The critical path of the rank that took longest: what determined how long it ran, the longest part first.
WITH slowest AS (
    SELECT rank, run, wall_ns, path_ns AS length_ns
    FROM runs
    ORDER BY wall_ns DESC, rank
    LIMIT 1
)
SELECT
    slowest.rank,
    slowest.wall_ns,
    sites.name,
    sites.kind,
    sites.path_ns,
    sites.path_work_ns,
    ROUND(CAST(sites.path_ns AS DOUBLE) / slowest.length_ns, 6) AS share
FROM sites JOIN slowest ON sites.run = slowest.run AND sites.rank = slowest.rank
WHERE sites.path_ns > 0
ORDER BY sites.path_ns DESC, sites.name
LIMIT 20
