# SPDX-License-Identifier: Apache-2.0
# What several tests use, and the tables that NumPy and Python made.

noinst_HEADERS += \
	%D%/bits.h \
	%D%/cache_files.h \
	%D%/combined.h \
	%D%/device_select.h \
	%D%/devices.h \
	%D%/driver_faults.h \
	%D%/driver_test.h \
	%D%/exact.h \
	%D%/faults.h %D%/files_device.h %D%/same_arrays.h %D%/host_path_test.h \
	%D%/no_bytes.h \
	%D%/no_heap.h \
	%D%/elements.h \
	%D%/layouts.h \
	%D%/leaks.h \
	%D%/loader_files.h \
	%D%/other_process.h \
	%D%/real_arrays.h \
	%D%/placement.h \
	%D%/pool_test.h \
	%D%/programs.h \
	%D%/random.h \
	%D%/rearranged.h \
	%D%/runtime_test.h \
	%D%/spirv_constants.h \
	%D%/trace_reader.h \
	%D%/ulps.h
EXTRA_DIST += %D%/declared.sh %D%/installation.sh %D%/intel-mode.sh %D%/jobs.sh \
	%D%/need-tool.sh %D%/same-output.sh %D%/tools.sh %D%/valgrind.supp
