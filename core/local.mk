# SPDX-License-Identifier: Apache-2.0
# libdpr.  All its code is in a convenience library that unit tests link too,
# since libdpr.so itself shows nothing but dpr_*.

core_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir) $(ZLIB_CFLAGS) \
	-DDPR_PLUGIN_DIR='"$(pkglibdir)"' \
	-DDPR_MANIFEST_DIR='"$(sysconfdir)/dpr/plugins.d"'

noinst_LTLIBRARIES += %D%/libdprcore.la
%C%_libdprcore_la_CPPFLAGS = $(core_cppflags)
%C%_libdprcore_la_LIBADD = $(ZLIB_LIBS) $(DPR_LIBS)
%C%_libdprcore_la_SOURCES =
nodist_%C%_libdprcore_la_SOURCES =

include $(top_srcdir)/core/base/local.mk
include $(top_srcdir)/core/runtime/local.mk
include $(top_srcdir)/core/array/local.mk

# The version script is the list of what libdpr exports.
if VERSION_SCRIPT
libdpr_export = -Wl,--version-script=$(top_srcdir)/%D%/libdpr.map
else
libdpr_export = -export-symbols-regex '^dpr_'
endif
EXTRA_DIST += %D%/libdpr.map

lib_LTLIBRARIES += libdpr.la
libdpr_la_SOURCES =
libdpr_la_LIBADD = %D%/libdprcore.la $(ZLIB_LIBS) $(DPR_LIBS)
libdpr_la_DEPENDENCIES = %D%/libdprcore.la %D%/libdpr.map
libdpr_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	$(libdpr_export) $(DPR_Z_DEFS) $(DPR_Z_NODELETE) \
	$(DPR_BSYMBOLIC_FUNCTIONS)
