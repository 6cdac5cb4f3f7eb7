# SPDX-License-Identifier: Apache-2.0
# Array kernels.  What is generated from them goes to the build folder and to
# nodist_core_libdprcore_la_SOURCES.
