# SPDX-License-Identifier: Apache-2.0
# Backends that doc/guide/backend.md shows.  No program finds them by itself;
# tests/kit/check-plugin.sh checks them.

check_LTLIBRARIES += %D%/libdpr-pooled.la
%C%_libdpr_pooled_la_CPPFLAGS = $(plugin_cppflags)
%C%_libdpr_pooled_la_LDFLAGS = $(test_plugin_ldflags)
%C%_libdpr_pooled_la_LIBADD = $(plugin_libs)
%C%_libdpr_pooled_la_SOURCES = %D%/pooled.c
