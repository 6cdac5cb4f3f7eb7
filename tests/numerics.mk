# SPDX-License-Identifier: Apache-2.0
# Tests of numerical results.

AM_TESTS_ENVIRONMENT += \
	SPIRV_VAL='$(SPIRV_VAL)'; PTXAS='$(PTXAS)'; \
	KERNEL_CLANG='$(KERNEL_CLANG)'; KERNEL_OPT='$(KERNEL_OPT)'; \
	LLVM_SPIRV='$(LLVM_SPIRV)'; LIBCLC_DIR='$(LIBCLC_DIR)'; \
	export SPIRV_VAL PTXAS KERNEL_CLANG KERNEL_OPT LLVM_SPIRV LIBCLC_DIR;
dist_check_SCRIPTS += %D%/check-kernels.sh
TESTS += %D%/check-kernels.sh

own_numerics_tests = %D%/api_accuracy %D%/unit_modules %D%/unit_plain \
	%D%/unit_streams
check_PROGRAMS += $(own_numerics_tests)
TESTS += $(own_numerics_tests)
%C%_api_accuracy_CPPFLAGS = $(api_cppflags) -I$(top_srcdir)
%C%_api_accuracy_LDADD = $(api_ldadd)
%C%_unit_modules_CPPFLAGS = $(unit_cppflags)
%C%_unit_modules_LDADD = $(unit_ldadd)
%C%_unit_plain_CPPFLAGS = $(unit_cppflags)
%C%_unit_plain_LDADD = $(unit_ldadd)
%C%_unit_streams_CPPFLAGS = $(unit_cppflags)
%C%_unit_streams_LDADD = $(unit_ldadd)
