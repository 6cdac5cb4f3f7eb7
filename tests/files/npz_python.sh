#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# .npz files between dpr and Python: its zipfile, and NumPy where that is
# installed.
set -u
# shellcheck disable=SC2154 # comes from the test environment
program=$top_builddir/tests/files/api_npz
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-npz.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

python3 -c 'import zipfile, zlib' 2>/dev/null || {
	echo "needs python3"
	exit 77
}
"$program" write "$tmp/ours.npz" || exit $?
python3 - "$tmp" <<'END' || exit 1
import sys
import zipfile

folder = sys.argv[1]
with zipfile.ZipFile(folder + "/ours.npz") as ours:
    assert ours.testzip() is None
    assert ours.namelist() == ["large.npy", "small one.npy", "empty.npy"]
    # Once more as Python writes archives, in either way.
    for name, packing in (("stored", zipfile.ZIP_STORED),
                          ("deflated", zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile("%s/%s.npz" % (folder, name), "w",
                             packing) as theirs:
            for member in ours.namelist():
                with theirs.open(member, "w", force_zip64=True) as out:
                    out.write(ours.read(member))
END
"$program" read "$tmp/stored.npz" || exit 1
"$program" read "$tmp/deflated.npz" || exit 1
python3 -c 'import numpy' 2>/dev/null || {
	echo "read and written by Python; there is no NumPy"
	exit 0
}
python3 - "$tmp" <<'END' || exit 1
import sys
import numpy as np

folder = sys.argv[1]
with np.load(folder + "/ours.npz") as ours:
    arrays = {name: ours[name] for name in ours.files}
large = np.arange(3000000, dtype=np.int64) ** 2 % 1009
assert (arrays["large"] == large).all() and arrays["large"].dtype == np.int32
assert arrays["empty"].shape == (0,)
np.savez(folder + "/savez.npz", **arrays)
np.savez_compressed(folder + "/compressed.npz", **arrays)
END
"$program" read "$tmp/savez.npz" || exit 1
"$program" read "$tmp/compressed.npz" || exit 1
echo "read and written by Python and NumPy"
