# SPDX-License-Identifier: Apache-2.0
# core/runtime/device: devices, what they say, how they are selected.

core_libdprcore_la_SOURCES += \
	%D%/device.c %D%/device.h \
	%D%/device_list.c %D%/device_list.h \
	%D%/division.c %D%/division.h \
	%D%/info.c %D%/info.h \
	%D%/match.c %D%/match.h \
	%D%/pci.c %D%/pci.h \
	%D%/peer.c %D%/peer.h \
	%D%/registry.c %D%/registry.h \
	%D%/released.h \
	%D%/report.c %D%/report.h \
	%D%/select.c \
	%D%/selector.c %D%/selector.h \
	%D%/start.c %D%/start.h
