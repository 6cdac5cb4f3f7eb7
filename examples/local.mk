# SPDX-License-Identifier: Apache-2.0
# Examples: built by check_PROGRAMS and run by TESTS, linked with libdpr.la.

EXTRA_DIST += %D%/data/make_samples.py %D%/data/x.npy %D%/data/y.npy
