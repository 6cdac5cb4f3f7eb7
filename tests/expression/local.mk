# SPDX-License-Identifier: Apache-2.0
# Tests of core/array/expression beside those of tests/array: what is fused, on
# every device, with failures of drivers and in threads.

expression_tests = %D%/api_softmax
check_PROGRAMS += $(expression_tests)
TESTS += $(expression_tests)
noinst_HEADERS += %D%/softmax.h

%C%_api_softmax_CPPFLAGS = $(api_cppflags)
%C%_api_softmax_LDADD = $(api_ldadd) -lm
