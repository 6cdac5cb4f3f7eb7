# SPDX-License-Identifier: Apache-2.0
# core/base: what everything else in libdpr stands on.

core_libdprcore_la_SOURCES += \
	%D%/mem.c %D%/mem.h \
	%D%/status.c %D%/status.h \
	%D%/text.c %D%/text.h \
	%D%/version.c
