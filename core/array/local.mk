# SPDX-License-Identifier: Apache-2.0
# core/array: arrays over the public runtime API.

core_libdprcore_la_SOURCES += \
	%D%/array.h \
	%D%/numerics.h
