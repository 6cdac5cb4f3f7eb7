# SPDX-License-Identifier: Apache-2.0
# Installed headers.

dprincludedir = $(includedir)/dpr
dprinclude_HEADERS =
nodist_dprinclude_HEADERS = %D%/dpr/version.h
