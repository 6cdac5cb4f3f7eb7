# SPDX-License-Identifier: Apache-2.0
# Plugins.  Each is backends/libdpr-<name>.la, so that all of them are in one
# backends/.libs, which is where tests look.  A plugin links nothing of ours,
# never links its vendor's library, and exports one symbol.

plugin_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)
plugin_ldflags = $(AM_LDFLAGS) -module -avoid-version -shared -no-undefined \
	-export-symbols-regex '^dpr_plugin_abi1$$' \
	$(DPR_Z_DEFS) $(DPR_Z_NODELETE) $(DPR_BSYMBOLIC)
plugin_libs = $(DPR_LIBS)

include $(top_srcdir)/backends/library/local.mk
include $(top_srcdir)/backends/opencl/local.mk
include $(top_srcdir)/backends/host/local.mk
include $(top_srcdir)/backends/cuda/local.mk
include $(top_srcdir)/backends/level_zero/local.mk
include $(top_srcdir)/backends/template/local.mk
