-- The table of intervals as well, where the datasets were made with --intervals. After open.sql.
CREATE OR REPLACE VIEW intervals AS
SELECT * FROM read_parquet(getvariable('datasets') || '/rank=*/intervals.parquet', hive_partitioning = true);
