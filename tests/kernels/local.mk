# SPDX-License-Identifier: Apache-2.0
# Tests of the array kernels, against NumPy and high precision.

kernels_tests = %D%/api_accuracy %D%/api_halves %D%/api_integers \
	%D%/api_kernel_sources %D%/api_quotient %D%/api_rows \
	%D%/api_short_rows %D%/api_special %D%/api_stack %D%/api_ulp %D%/api_ulp_double \
	%D%/unit_modules %D%/unit_plain %D%/unit_streams
check_PROGRAMS += $(kernels_tests)
TESTS += $(kernels_tests)
TESTS += %D%/check-kernels.sh %D%/numerics-host.sh %D%/numerics-opencl.sh \
	%D%/numerics-opencl-paths.sh
dist_check_SCRIPTS += %D%/check-kernels.sh \
	%D%/numerics-host.sh %D%/numerics-opencl.sh %D%/numerics-opencl-paths.sh

%C%_api_accuracy_CPPFLAGS = $(api_cppflags)
%C%_api_accuracy_LDADD = $(api_ldadd)
%C%_api_halves_CPPFLAGS = $(api_cppflags)
%C%_api_halves_LDADD = $(api_ldadd)
%C%_api_integers_CPPFLAGS = $(api_cppflags)
%C%_api_integers_LDADD = $(api_ldadd)
%C%_api_kernel_sources_CPPFLAGS = $(api_cppflags)
%C%_api_kernel_sources_LDADD = $(api_ldadd)
%C%_api_quotient_CPPFLAGS = $(api_cppflags)
%C%_api_quotient_LDADD = $(api_ldadd)
%C%_api_rows_CPPFLAGS = $(api_cppflags)
%C%_api_rows_LDADD = $(api_ldadd)
%C%_api_short_rows_CPPFLAGS = $(api_cppflags)
%C%_api_short_rows_LDADD = $(api_ldadd)
%C%_api_special_CPPFLAGS = $(api_cppflags)
%C%_api_special_LDADD = $(api_ldadd)
%C%_api_stack_CPPFLAGS = $(api_cppflags)
%C%_api_stack_LDADD = $(api_ldadd)
%C%_api_ulp_CPPFLAGS = $(api_cppflags)
%C%_api_ulp_LDADD = $(api_ldadd)
%C%_api_ulp_double_CPPFLAGS = $(api_cppflags)
%C%_api_ulp_double_LDADD = $(api_ldadd)
%C%_unit_modules_CPPFLAGS = $(unit_cppflags)
%C%_unit_modules_LDADD = $(unit_ldadd)
%C%_unit_plain_CPPFLAGS = $(unit_cppflags)
%C%_unit_plain_LDADD = $(unit_ldadd)
%C%_unit_streams_CPPFLAGS = $(unit_cppflags)
%C%_unit_streams_LDADD = $(unit_ldadd)

# Programs that the scripts run for each backend, and one for gpu-shape.sh.
check_PROGRAMS += %D%/api_numerics %D%/api_rules %D%/unit_shapes
%C%_api_numerics_SOURCES = %D%/api_numerics.c \
	%D%/calls.c %D%/calls.h %D%/oracle.c %D%/oracle.h
%C%_api_numerics_CPPFLAGS = $(api_cppflags)
%C%_api_numerics_LDADD = $(api_ldadd) $(DPR_LIBS)
%C%_api_rules_CPPFLAGS = $(api_cppflags)
%C%_api_rules_LDADD = $(api_ldadd) $(DPR_LIBS)
%C%_unit_shapes_CPPFLAGS = $(unit_cppflags)
%C%_unit_shapes_LDADD = $(unit_ldadd)
dist_check_SCRIPTS += %D%/numerics.sh

# The program for tests of drivers without a device.
check_PROGRAMS += %D%/unit_images
%C%_unit_images_CPPFLAGS = $(unit_cppflags)
%C%_unit_images_LDADD = $(unit_ldadd)

# The tools that check-kernels.sh and ../engine/check-templates.sh use.
AM_TESTS_ENVIRONMENT += \
	AWK='$(AWK)'; export AWK; SPIRV_VAL='$(SPIRV_VAL)'; PTXAS='$(PTXAS)'; \
	KERNEL_CLANG='$(KERNEL_CLANG)'; KERNEL_OPT='$(KERNEL_OPT)'; \
	LLVM_SPIRV='$(LLVM_SPIRV)'; LIBCLC_DIR='$(LIBCLC_DIR)'; \
	export SPIRV_VAL PTXAS KERNEL_CLANG KERNEL_OPT LLVM_SPIRV LIBCLC_DIR;

# Every float32, and many float64, on the host.
check-ulp: all
	DPR_TEST_WHOLE=1 $(MAKE) $(AM_MAKEFLAGS) check \
		TESTS='%D%/api_ulp %D%/api_ulp_double'
.PHONY: check-ulp
