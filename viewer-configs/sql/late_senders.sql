-- Which ranks send late, and to which ranks: of the messages that a rank sends another from one call site, how many are waited for
-- and how long, where the calls that wait wait longest for these.
SELECT
    cause_rank AS sender,
    rank AS receiver,
    cause_function AS send_function,
    cause_location AS send_location,
    function AS receive_function,
    location AS receive_location,
    COUNT(*) AS late,
    CAST(SUM(wait_ns) AS BIGINT) AS wait_ns,
    MAX(wait_ns) AS longest_ns
FROM waits
WHERE kind = 'late_sender'
GROUP BY cause_rank, rank, cause_function, cause_location, function, location
ORDER BY wait_ns DESC, sender, receiver, send_location, receive_location
LIMIT 20
