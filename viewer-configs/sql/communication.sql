-- The communication matrix: messages and bytes from each rank to each other, and how long they wait for each other (`matrix` of
-- `ompttrace report` of the job).
WITH sent AS (
    SELECT sender, receiver, COUNT(*) AS messages, SUM(bytes) AS bytes
    FROM messages
    GROUP BY sender, receiver
),
waited AS (
    SELECT
        CASE kind WHEN 'late_sender' THEN cause_rank ELSE rank END AS sender,
        CASE kind WHEN 'late_sender' THEN rank ELSE cause_rank END AS receiver,
        SUM(wait_ns) AS wait_ns
    FROM waits
    WHERE kind IN ('late_sender', 'late_receiver')
    GROUP BY 1, 2
)
SELECT
    sender,
    receiver,
    messages,
    CAST(bytes AS BIGINT) AS bytes,
    CAST(COALESCE(wait_ns, 0) AS BIGINT) AS wait_ns
FROM sent LEFT JOIN waited USING (sender, receiver)
ORDER BY bytes DESC, sender, receiver
