# SPDX-License-Identifier: Apache-2.0
# core/array: arrays over the public runtime API.

include $(top_srcdir)/core/array/element/local.mk
include $(top_srcdir)/core/array/layout/local.mk
include $(top_srcdir)/core/array/object/local.mk
include $(top_srcdir)/core/array/engine/local.mk
include $(top_srcdir)/core/array/launch/local.mk
include $(top_srcdir)/core/array/data/local.mk
include $(top_srcdir)/core/array/functions/local.mk
include $(top_srcdir)/core/array/indexing/local.mk
include $(top_srcdir)/core/array/shapes/local.mk
include $(top_srcdir)/core/array/products/local.mk
include $(top_srcdir)/core/array/linalg/local.mk
include $(top_srcdir)/core/array/expression/local.mk
include $(top_srcdir)/core/array/expression/calls/local.mk
include $(top_srcdir)/core/array/files/local.mk
include $(top_srcdir)/core/array/derived/local.mk
