# SPDX-License-Identifier: Apache-2.0
# Programs of other projects, which the test builds against an installation.

dist_check_SCRIPTS += %D%/check-downstream.sh
tree_tests += %D%/check-downstream.sh
EXTRA_DIST += %D%/cities/Makefile %D%/cities/cities.cc \
	%D%/filter/meson.build %D%/filter/sharpen.c \
	%D%/heat/Makefile.am %D%/heat/configure.ac %D%/heat/heat_plate.c \
	%D%/kmeans/CMakeLists.txt %D%/kmeans/kmeans_npy.c
