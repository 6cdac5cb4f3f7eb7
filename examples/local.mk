# SPDX-License-Identifier: Apache-2.0
# Examples: built by check_PROGRAMS and run by TESTS, linked with libdpr.la.
