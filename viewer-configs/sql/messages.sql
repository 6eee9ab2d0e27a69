-- Creates `messages`: each message of which both the send and the receive were recorded, with times on the clock of the job. A
-- send or receive that was posted is complete in another call than the one that begins it.
CREATE TABLE messages AS
WITH sends AS (
    SELECT
        message,
        rank AS sender,
        communicator,
        tag,
        bytes,
        begin_clock_ns + offset_ns + CAST(ROUND((begin_clock_ns - since_ns) * drift) AS BIGINT) AS sent_ns,
        function AS send_function,
        location AS send_location,
        run AS send_run,
        call AS send_call,
        event AS send_event,
        done_function AS send_done_function,
        done_location AS send_done_location,
        done_begin_clock_ns + offset_ns + CAST(ROUND((done_begin_clock_ns - since_ns) * drift) AS BIGINT) AS send_done_begin_ns,
        done_end_clock_ns + offset_ns + CAST(ROUND((done_end_clock_ns - since_ns) * drift) AS BIGINT) AS send_done_end_ns
    FROM mpi_messages JOIN clocks USING (rank, run)
    WHERE side = 'send' AND message IS NOT NULL
),
receives AS (
    SELECT
        message,
        rank AS receiver,
        begin_clock_ns + offset_ns + CAST(ROUND((begin_clock_ns - since_ns) * drift) AS BIGINT) AS posted_ns,
        run AS receive_run,
        call AS receive_call,
        event AS receive_event,
        done_function AS receive_function,
        done_location AS receive_location,
        done_begin_clock_ns + offset_ns + CAST(ROUND((done_begin_clock_ns - since_ns) * drift) AS BIGINT) AS receive_begin_ns,
        done_end_clock_ns + offset_ns + CAST(ROUND((done_end_clock_ns - since_ns) * drift) AS BIGINT) AS receive_end_ns
    FROM mpi_messages JOIN clocks USING (rank, run)
    WHERE side = 'receive' AND message IS NOT NULL
)
SELECT * FROM sends JOIN receives USING (message)
