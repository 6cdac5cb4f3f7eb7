# SPDX-License-Identifier: Apache-2.0
# Benchmarks: noinst_PROGRAMS, linked with libdpr.la, never part of check.

EXTRA_DIST += %D%/README.md

noinst_PROGRAMS += %D%/transfers
%C%_transfers_LDADD = libdpr.la $(DPR_LIBS)

# What the layer "trace" costs while it is off.
noinst_PROGRAMS += %D%/trace_cost
%C%_trace_cost_LDADD = libdpr.la
