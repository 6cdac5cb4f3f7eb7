# SPDX-License-Identifier: Apache-2.0
# What "dpr new-plugin" starts from: a small backend that is installed as
# source, and built outside of the tree.

templatedir = $(pkgdatadir)/backend-template
dist_template_DATA = \
	%D%/CMakeLists.txt \
	%D%/Makefile \
	%D%/Makefile.am \
	%D%/configure.ac \
	%D%/mydevice.c
