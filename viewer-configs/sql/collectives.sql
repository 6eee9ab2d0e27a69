-- Creates `collectives`: the part of each rank in each collective operation, with times on the clock of the job, and which ranks
-- come last, first and as the root.
CREATE TABLE collectives AS
WITH parts AS (
    SELECT
        operation,
        rank,
        run,
        communicator,
        shape,
        is_root,
        sent_bytes,
        received_bytes,
        function,
        location,
        begin_clock_ns + offset_ns + CAST(ROUND((begin_clock_ns - since_ns) * drift) AS BIGINT) AS begin_ns,
        call,
        event,
        done_function,
        done_location,
        done_begin_clock_ns + offset_ns + CAST(ROUND((done_begin_clock_ns - since_ns) * drift) AS BIGINT) AS done_begin_ns,
        done_end_clock_ns + offset_ns + CAST(ROUND((done_end_clock_ns - since_ns) * drift) AS BIGINT) AS done_end_ns
    FROM mpi_collectives JOIN clocks USING (rank, run)
    WHERE operation IS NOT NULL
)
SELECT
    *,
    COUNT(*) OVER (PARTITION BY operation) AS ranks,
    FIRST_VALUE(rank) OVER by_last AS last_rank,
    FIRST_VALUE(begin_ns) OVER by_last AS last_ns,
    FIRST_VALUE(function) OVER by_last AS last_function,
    FIRST_VALUE(location) OVER by_last AS last_location,
    FIRST_VALUE(rank) OVER by_first AS first_rank,
    FIRST_VALUE(begin_ns) OVER by_first AS first_ns,
    FIRST_VALUE(function) OVER by_first AS first_function,
    FIRST_VALUE(location) OVER by_first AS first_location,
    FIRST_VALUE(is_root) OVER by_root AS has_root,
    FIRST_VALUE(rank) OVER by_root AS root_rank,
    FIRST_VALUE(begin_ns) OVER by_root AS root_ns,
    FIRST_VALUE(function) OVER by_root AS root_function,
    FIRST_VALUE(location) OVER by_root AS root_location
FROM parts
WINDOW
    by_last AS (PARTITION BY operation ORDER BY begin_ns DESC, rank),
    -- The first of those that are not the root.
    by_first AS (PARTITION BY operation ORDER BY is_root, begin_ns, rank),
    by_root AS (PARTITION BY operation ORDER BY is_root DESC, begin_ns, rank)
