# SPDX-License-Identifier: Apache-2.0
# core/runtime: devices, queues, events, memory, programs, the plugin loader.
# Sources and headers go to core_libdprcore_la_SOURCES.
