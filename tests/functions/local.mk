# SPDX-License-Identifier: Apache-2.0
# Tests of core/array/functions on every device, beside those of tests/array and
# tests/kernels.

functions_tests = %D%/api_derived %D%/api_products
check_PROGRAMS += $(functions_tests)
TESTS += $(functions_tests)

%C%_api_derived_CPPFLAGS = $(api_cppflags)
%C%_api_derived_LDADD = $(api_ldadd) -lm
%C%_api_products_CPPFLAGS = $(api_cppflags)
%C%_api_products_LDADD = $(api_ldadd)
