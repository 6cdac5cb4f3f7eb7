# SPDX-License-Identifier: Apache-2.0
# Benchmarks: noinst_PROGRAMS, linked with libdpr.la, never part of check.

noinst_PROGRAMS += %D%/two_backends
%C%_two_backends_LDADD = libdpr.la
