"""Writes a wheel. usage: FOLDER WHEEL SECONDS_SINCE_1970"""

import base64
import hashlib
import pathlib
import sys
import time
import zipfile

root, wheel, seconds = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
# A zip knows no time before 1980.
date = time.gmtime(max(seconds, 315532800))[:6]
files = sorted(path for path in root.rglob("*") if path.is_file())
record = next(root.glob("*.dist-info")).name + "/RECORD"
lines = []


def add(to, name, data, mode):
    entry = zipfile.ZipInfo(name, date)
    entry.create_system = 3
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    to.writestr(entry, data, compresslevel=9)


with zipfile.ZipFile(wheel, "w") as to:
    for path in files:
        name, data = path.relative_to(root).as_posix(), path.read_bytes()
        add(to, name, data, 0o755 if path.stat().st_mode & 0o100 else 0o644)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    lines.append(f"{record},,\n")
    add(to, record, "".join(lines).encode(), 0o644)
