# SPDX-License-Identifier: Apache-2.0
# Benchmarks: noinst_PROGRAMS, linked with libdpr.la, never part of check.

noinst_PROGRAMS += %D%/transfers
%C%_transfers_LDADD = libdpr.la $(DPR_LIBS)
