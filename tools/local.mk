# SPDX-License-Identifier: Apache-2.0
# The dpr program: bin_PROGRAMS += tools/dpr, linked with libdpr.la.
