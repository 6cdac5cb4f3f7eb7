# SPDX-License-Identifier: Apache-2.0
# core/runtime/transfer: moving bytes within and between devices.

core_libdprcore_la_SOURCES += \
	%D%/helpers.c %D%/helpers.h \
	%D%/host_path.c %D%/host_path.h \
	%D%/move.c \
	%D%/ring.c %D%/ring.h \
	%D%/staging.c %D%/staging.h \
	%D%/transfer.c %D%/transfer.h
