# SPDX-License-Identifier: Apache-2.0
# Tests of core/array/expression beside those of tests/array: what is fused, on
# every device, with failures of drivers and in threads.

expression_tests = %D%/api_bits %D%/api_definitions %D%/api_index_texts \
	%D%/api_masks %D%/api_numbers %D%/api_one_read %D%/api_shape_texts \
	%D%/api_slices %D%/api_softmax %D%/unit_exponents %D%/unit_expression %D%/unit_expression_threads \
	%D%/unit_parameters %D%/unit_words
check_PROGRAMS += $(expression_tests)
TESTS += $(expression_tests)
noinst_HEADERS += %D%/expression_faults.h %D%/softmax.h

%C%_api_bits_CPPFLAGS = $(api_cppflags)
%C%_api_bits_LDADD = $(api_ldadd)
%C%_api_definitions_CPPFLAGS = $(api_cppflags)
%C%_api_definitions_LDADD = $(api_ldadd)
%C%_api_index_texts_CPPFLAGS = $(api_cppflags)
%C%_api_index_texts_LDADD = $(api_ldadd)
%C%_api_masks_CPPFLAGS = $(api_cppflags)
%C%_api_masks_LDADD = $(api_ldadd) -lm
%C%_api_numbers_CPPFLAGS = $(api_cppflags)
%C%_api_numbers_LDADD = $(api_ldadd)
%C%_api_one_read_CPPFLAGS = $(api_cppflags)
%C%_api_one_read_LDADD = $(api_ldadd) -lm
%C%_api_shape_texts_CPPFLAGS = $(api_cppflags)
%C%_api_shape_texts_LDADD = $(api_ldadd)
%C%_api_slices_CPPFLAGS = $(api_cppflags)
%C%_api_slices_LDADD = $(api_ldadd)
%C%_api_softmax_CPPFLAGS = $(api_cppflags)
%C%_api_softmax_LDADD = $(api_ldadd) -lm
%C%_unit_exponents_CPPFLAGS = $(unit_cppflags)
%C%_unit_exponents_LDADD = $(unit_ldadd)
%C%_unit_expression_CPPFLAGS = $(unit_cppflags)
%C%_unit_expression_LDADD = $(unit_ldadd)
%C%_unit_expression_threads_CPPFLAGS = $(unit_cppflags)
%C%_unit_expression_threads_LDADD = $(unit_ldadd)
%C%_unit_parameters_CPPFLAGS = $(unit_cppflags)
%C%_unit_parameters_LDADD = $(unit_ldadd)
%C%_unit_words_CPPFLAGS = $(unit_cppflags)
%C%_unit_words_LDADD = $(unit_ldadd)

if HAVE_CUDA_BACKEND
check_PROGRAMS += %D%/unit_cuda_expressions
TESTS += %D%/unit_cuda_expressions
%C%_unit_cuda_expressions_CPPFLAGS = $(unit_cppflags)
%C%_unit_cuda_expressions_LDADD = $(unit_ldadd) -lm
endif

if HAVE_LEVEL_ZERO_BACKEND
check_PROGRAMS += %D%/unit_ze_expressions
TESTS += %D%/unit_ze_expressions
%C%_unit_ze_expressions_CPPFLAGS = $(unit_cppflags)
%C%_unit_ze_expressions_LDADD = $(unit_ldadd) -lm
endif

TESTS += %D%/cpu-examples.sh %D%/tutorial.sh
dist_check_SCRIPTS += %D%/cpu-examples.sh %D%/tutorial.sh
