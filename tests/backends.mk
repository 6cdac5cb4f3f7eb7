# SPDX-License-Identifier: Apache-2.0
# Tests of the plugin contract and the host backend.

include $(top_srcdir)/tests/plugins/local.mk
