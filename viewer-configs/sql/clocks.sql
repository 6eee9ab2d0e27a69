-- Creates `clocks`: how a time on the clock of each rank's machine becomes one on the clock of the job. Ranks of one machine have
-- one clock; those of several go by the comparisons that MPI's ranks made, or by the time of day if a rank has made none.
CREATE TABLE clocks AS
WITH all_ranks AS (
    SELECT
        CASE
            WHEN COUNT(DISTINCT host) = 1 AND MAX(clock_offset_ns) - MIN(clock_offset_ns) < 1000000000 THEN 'one machine'
            WHEN COUNT(compared_clock_ns) = COUNT(*) THEN 'messages'
            ELSE 'time of day'
        END AS aligned_by
    FROM runs
)
SELECT
    rank,
    run,
    aligned_by,
    CASE aligned_by
        WHEN 'messages' THEN compared_offset_ns
        -- The time of day is read anew for each process.
        WHEN 'time of day' THEN MIN(clock_offset_ns) OVER (PARTITION BY host)
        ELSE 0
    END AS offset_ns,
    COALESCE(compared_clock_ns, 0) AS since_ns,
    CASE
        WHEN aligned_by = 'messages' AND compared_last_clock_ns > compared_clock_ns
        THEN CAST(compared_last_offset_ns - compared_offset_ns AS DOUBLE)
            / CAST(compared_last_clock_ns - compared_clock_ns AS DOUBLE)
        ELSE CAST(0 AS DOUBLE)
    END AS drift
FROM runs CROSS JOIN all_ranks
