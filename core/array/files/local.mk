# SPDX-License-Identifier: Apache-2.0
# core/array/files: arrays from and to files.

core_libdprcore_la_SOURCES += \
	%D%/byte_sink.c %D%/byte_sink.h \
	%D%/byte_source.c %D%/byte_source.h \
	%D%/npy.c %D%/npy.h \
	%D%/npy_header.c %D%/npy_header.h \
	%D%/npy_read.c %D%/npy_read.h \
	%D%/npz.c
zip_sources = \
	%D%/zip_read.c %D%/zip_read.h \
	%D%/zip_write.c %D%/zip_write.h
if HAVE_ZLIB
core_libdprcore_la_SOURCES += $(zip_sources)
endif
