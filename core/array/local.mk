# SPDX-License-Identifier: Apache-2.0
# core/array: arrays over the public runtime API.
# Sources and headers go to core_libdprcore_la_SOURCES.
