# SPDX-License-Identifier: Apache-2.0
# core/array/indexing: elements at places that arrays of indices name.

core_libdprcore_la_SOURCES += \
	%D%/gather.c %D%/gather.h \
	%D%/indexing.c %D%/indexing.h \
	%D%/indexing_bits.c %D%/indexing_bits.h \
	%D%/indexing_check.c \
	%D%/indexing_source.c %D%/indexing_source.h \
	%D%/indexing_steps.c %D%/indexing_steps.h \
	%D%/mask.c %D%/put.c
