-- Creates `waits`: for each call of MPI that waits for another rank, the longest of its waits by Scalasca's definitions, and the
-- call that it waits for. After messages.sql and collectives.sql.
CREATE TABLE waits AS
WITH all_waits AS (
    SELECT
        'late_sender' AS kind,
        receiver AS rank,
        receive_run AS run,
        receive_call AS call,
        receive_event AS event,
        receive_function AS function,
        receive_location AS location,
        LEAST(sent_ns, receive_end_ns) - receive_begin_ns AS wait_ns,
        sender AS cause_rank,
        send_function AS cause_function,
        send_location AS cause_location
    FROM messages
    WHERE sender <> receiver
    UNION ALL
    -- A send was blocked only if it went on after the receive was there.
    SELECT
        'late_receiver',
        sender,
        send_run,
        send_call,
        send_event,
        send_done_function,
        send_done_location,
        LEAST(posted_ns, send_done_end_ns) - send_done_begin_ns,
        receiver,
        receive_function,
        receive_location
    FROM messages
    WHERE sender <> receiver AND send_done_end_ns > posted_ns
    UNION ALL
    SELECT
        CASE shape WHEN 'barrier' THEN 'wait_at_barrier' ELSE 'wait_at_n_to_n' END,
        rank,
        run,
        call,
        event,
        done_function,
        done_location,
        LEAST(last_ns, done_end_ns) - done_begin_ns,
        last_rank,
        last_function,
        last_location
    FROM collectives
    WHERE shape IN ('barrier', 'n_to_n') AND rank <> last_rank
    UNION ALL
    SELECT
        'late_broadcast',
        rank,
        run,
        call,
        event,
        done_function,
        done_location,
        LEAST(root_ns, done_end_ns) - done_begin_ns,
        root_rank,
        root_function,
        root_location
    FROM collectives
    WHERE shape = 'one_to_n' AND is_root = 0 AND has_root = 1 AND rank <> root_rank
    UNION ALL
    SELECT
        'early_reduce',
        rank,
        run,
        call,
        event,
        done_function,
        done_location,
        LEAST(first_ns, done_end_ns) - done_begin_ns,
        first_rank,
        first_function,
        first_location
    FROM collectives
    WHERE shape = 'n_to_one' AND is_root = 1 AND rank <> first_rank
),
ranked AS (
    SELECT
        *,
        ROW_NUMBER() OVER (PARTITION BY rank, run, call ORDER BY wait_ns DESC, event DESC) AS place
    FROM all_waits
    WHERE call IS NOT NULL AND wait_ns > 0
)
SELECT kind, rank, run, call, function, location, wait_ns, cause_rank, cause_function, cause_location
FROM ranked
WHERE place = 1
