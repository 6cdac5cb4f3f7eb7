# SPDX-License-Identifier: Apache-2.0
# Tests of the build and of what it delivers.
