# SPDX-License-Identifier: Apache-2.0
# core/runtime/transfer: moving bytes within and between devices.

core_libdprcore_la_SOURCES += \
	%D%/move.c \
	%D%/ring.c %D%/ring.h \
	%D%/staging.c %D%/staging.h \
	%D%/transfer.c %D%/transfer.h
