# SPDX-License-Identifier: Apache-2.0
# core/runtime/device: devices, what they say, how they are selected.

core_libdprcore_la_SOURCES += \
	%D%/device.c %D%/device.h \
	%D%/division.c \
	%D%/info.c %D%/info.h \
	%D%/match.c \
	%D%/registry.c %D%/registry.h \
	%D%/report.c \
	%D%/selector.c %D%/selector.h
