# SPDX-License-Identifier: Apache-2.0
# Installed headers.

dprincludedir = $(includedir)/dpr
dprinclude_HEADERS = \
	%D%/dpr/array.h \
	%D%/dpr/array.hpp \
	%D%/dpr/array_kernels.h \
	%D%/dpr/backend.h \
	%D%/dpr/backend-help.h \
	%D%/dpr/base.h \
	%D%/dpr/cache.h \
	%D%/dpr/creation.h \
	%D%/dpr/derived.h \
	%D%/dpr/derived.hpp \
	%D%/dpr/device.h \
	%D%/dpr/dlpack.h \
	%D%/dpr/dpr.h \
	%D%/dpr/dpr.hpp \
	%D%/dpr/dtype.h \
	%D%/dpr/event.h \
	%D%/dpr/expression.h \
	%D%/dpr/expression.hpp \
	%D%/dpr/file.h \
	%D%/dpr/file.hpp \
	%D%/dpr/handle.hpp \
	%D%/dpr/help-base.h \
	%D%/dpr/help-native.h \
	%D%/dpr/help-pool.h \
	%D%/dpr/help-queue.h \
	%D%/dpr/help-team.h \
	%D%/dpr/indexing.h \
	%D%/dpr/indexing.hpp \
	%D%/dpr/info.h \
	%D%/dpr/kernel.h \
	%D%/dpr/launch.h \
	%D%/dpr/linalg.h \
	%D%/dpr/linalg.hpp \
	%D%/dpr/namespace.h \
	%D%/dpr/native.h \
	%D%/dpr/operand.h \
	%D%/dpr/placement.h \
	%D%/dpr/pool.h \
	%D%/dpr/products.h \
	%D%/dpr/products.hpp \
	%D%/dpr/program.h \
	%D%/dpr/queue.h \
	%D%/dpr/reduce.h \
	%D%/dpr/runtime.h \
	%D%/dpr/shapes.h \
	%D%/dpr/shapes.hpp \
	%D%/dpr/status.h \
	%D%/dpr/usm.h
nodist_dprinclude_HEADERS = %D%/dpr/version.h
EXTRA_DIST += %D%/.clang-format
