"""Runs queries by Spark on a cluster of two workers on this machine: DATASETS QUERY... One JSON object a query."""
import glob
import json
import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions

datasets, queries = sys.argv[1], sys.argv[2:]
session = (
    SparkSession.builder.master("local-cluster[2,1,1024]")
    .config("spark.ui.enabled", "false")
    .config("spark.executor.memory", "1g")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "4")
    .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
    .getOrCreate()
)
session.sparkContext.setLogLevel("ERROR")
has_mpi = bool(glob.glob(f"{datasets}/rank=*/mpi_messages.parquet"))
of_mpi = ("mpi_calls", "mpi_messages", "mpi_collectives") if has_mpi else ()
for table in ("runs", "threads", "sites", "regions", "rollup", *of_mpi):
    frame = session.read.parquet(f"{datasets}/rank=*/{table}.parquet")
    # Folders of several runs have no common root of their own, by which Spark would know the ranks.
    path = functions.regexp_extract("_metadata.file_path", "rank=([0-9]+)", 1)
    frame = frame.withColumn("rank", path.cast("bigint"))
    frame.createOrReplaceTempView(table)
    frame.createOrReplaceTempView(f"before_{table}")
executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
for script in ("clocks", "messages", "collectives", "waits") if has_mpi else ():
    since = time.monotonic()
    session.sql((Path(queries[0]).parent / f"{script}.sql").read_text())
    print(f"Spark, {script}: {time.monotonic() - since:.2f} s", file=sys.stderr, flush=True)
for query in queries:
    since = time.monotonic()
    with open(query) as file:
        result = session.sql(file.read())
    rows = [list(row) for row in result.collect()]
    seconds = time.monotonic() - since
    print(json.dumps({"columns": result.columns, "rows": rows, "seconds": seconds, "workers": executors}), flush=True)
session.stop()
