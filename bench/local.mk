# SPDX-License-Identifier: Apache-2.0
# Benchmarks: noinst_PROGRAMS, linked with libdpr.la, never part of check.
