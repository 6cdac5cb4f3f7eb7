# SPDX-License-Identifier: Apache-2.0
# Tests of core/runtime/submit: launches, dependencies and order.

submit_tests = %D%/api_cannot_wait %D%/api_exact %D%/api_held \
	%D%/api_held_chains %D%/api_launch %D%/api_layers %D%/api_order %D%/api_order_random %D%/api_overlap \
	%D%/unit_hot %D%/unit_local_size
check_PROGRAMS += $(submit_tests)
TESTS += $(submit_tests)

%C%_api_cannot_wait_CPPFLAGS = $(api_cppflags)
%C%_api_cannot_wait_LDADD = $(api_ldadd)
%C%_api_exact_CPPFLAGS = $(api_cppflags)
%C%_api_exact_LDADD = $(api_ldadd)
%C%_api_held_CPPFLAGS = $(api_cppflags)
%C%_api_held_LDADD = $(api_ldadd)
%C%_api_held_chains_CPPFLAGS = $(api_cppflags)
%C%_api_held_chains_LDADD = $(api_ldadd)
%C%_api_launch_CPPFLAGS = $(api_cppflags)
%C%_api_launch_LDADD = $(api_ldadd)
%C%_api_layers_CPPFLAGS = $(api_cppflags)
%C%_api_layers_LDADD = $(api_ldadd)
%C%_api_order_CPPFLAGS = $(api_cppflags)
%C%_api_order_LDADD = $(api_ldadd)
%C%_api_order_random_CPPFLAGS = $(api_cppflags)
%C%_api_order_random_LDADD = $(api_ldadd)
%C%_api_overlap_CPPFLAGS = $(api_cppflags)
%C%_api_overlap_LDADD = $(api_ldadd)
%C%_unit_hot_CPPFLAGS = $(unit_cppflags)
%C%_unit_hot_LDADD = $(unit_ldadd)
%C%_unit_local_size_CPPFLAGS = $(unit_cppflags)
%C%_unit_local_size_LDADD = $(unit_ldadd)

if HAVE_CUDA_BACKEND
check_PROGRAMS += %D%/api_exact_cuda
TESTS += %D%/api_exact_cuda
%C%_api_exact_cuda_CPPFLAGS = $(api_cppflags)
%C%_api_exact_cuda_LDADD = $(api_ldadd)
endif
