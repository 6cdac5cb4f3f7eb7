# SPDX-License-Identifier: Apache-2.0
# Tests of core/array/functions, indexing and shapes on every device, beside those of
# tests/array and tests/kernels.

functions_tests = %D%/api_argmax %D%/api_composed %D%/api_derived \
	%D%/api_einsum %D%/api_lapack %D%/api_matmul \
	%D%/api_operands %D%/api_products \
	%D%/api_shape_copies %D%/api_shape_views %D%/api_spacing \
	%D%/api_take %D%/api_tensordot %D%/api_two_results %D%/api_vectors \
	%D%/unit_libraries %D%/unit_matmul_faults %D%/unit_routines
check_PROGRAMS += $(functions_tests)
TESTS += $(functions_tests)

%C%_api_argmax_CPPFLAGS = $(api_cppflags)
%C%_api_argmax_LDADD = $(api_ldadd)
%C%_api_composed_CPPFLAGS = $(api_cppflags)
%C%_api_composed_LDADD = $(api_ldadd) -lm
%C%_api_derived_CPPFLAGS = $(api_cppflags)
%C%_api_derived_LDADD = $(api_ldadd) -lm
%C%_api_einsum_CPPFLAGS = $(api_cppflags)
%C%_api_einsum_LDADD = $(api_ldadd) -lm
%C%_api_operands_CPPFLAGS = $(api_cppflags)
%C%_api_operands_LDADD = $(api_ldadd) -lm
%C%_api_products_CPPFLAGS = $(api_cppflags)
%C%_api_products_LDADD = $(api_ldadd)
%C%_api_shape_copies_CPPFLAGS = $(api_cppflags)
%C%_api_shape_copies_LDADD = $(api_ldadd)
%C%_api_shape_views_CPPFLAGS = $(api_cppflags)
%C%_api_shape_views_LDADD = $(api_ldadd)
%C%_api_spacing_CPPFLAGS = $(api_cppflags)
%C%_api_spacing_LDADD = $(api_ldadd) -lm
%C%_api_take_CPPFLAGS = $(api_cppflags)
%C%_api_take_LDADD = $(api_ldadd)
%C%_api_tensordot_CPPFLAGS = $(api_cppflags)
%C%_api_tensordot_SOURCES = %D%/api_tensordot.c %D%/product_loops.h \
	%D%/product_values.h
%C%_api_tensordot_LDADD = $(api_ldadd) -lm
%C%_api_two_results_CPPFLAGS = $(api_cppflags)
%C%_api_two_results_LDADD = $(api_ldadd) -lm
%C%_api_vectors_CPPFLAGS = $(api_cppflags)
%C%_api_vectors_LDADD = $(api_ldadd) -lm

# fake_cblas is a library that DPR_OPTION_HOST_BLAS names.
%C%_api_lapack_CPPFLAGS = $(api_cppflags)
%C%_api_lapack_LDADD = $(api_ldadd) -lm
%C%_api_lapack_SOURCES = %D%/api_lapack.c %D%/lapack_job.h \
	%D%/lapack_routines.h
%C%_unit_libraries_CPPFLAGS = $(plugin_cppflags) $(CHECK_CFLAGS)
%C%_unit_libraries_LDADD = backends/library/libcalls.la $(CHECK_LIBS) \
	$(DPR_LIBS)
%C%_unit_matmul_faults_CPPFLAGS = $(unit_cppflags)
%C%_unit_matmul_faults_LDADD = $(unit_ldadd)
%C%_unit_routines_CPPFLAGS = $(unit_cppflags)
%C%_unit_routines_LDADD = $(unit_ldadd)
%C%_api_matmul_CPPFLAGS = $(api_cppflags)
%C%_api_matmul_SOURCES = %D%/api_matmul.c %D%/product_libraries.h
%C%_api_matmul_LDADD = $(api_ldadd) -ldl -lm
check_LTLIBRARIES += %D%/fake_cblas.la
%C%_fake_cblas_la_CPPFLAGS = $(plugin_cppflags) -I$(top_srcdir)
%C%_fake_cblas_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-rpath /nowhere
%C%_fake_cblas_la_LIBADD = -lm
%C%_fake_cblas_la_SOURCES = %D%/fake_cblas.c %D%/fake_cblas.h

# The examples, dtypes and special values of the reference.  examples.sh runs the
# program on devices.
check_PROGRAMS += %D%/api_examples
TESTS += %D%/examples.sh
dist_check_SCRIPTS += %D%/examples.sh
EXTRA_DIST += %D%/examples.awk
CLEANFILES += %D%/examples_run.h
%C%_api_examples_CPPFLAGS = $(api_cppflags)
%C%_api_examples_LDADD = $(api_ldadd) -lm
%D%/api_examples-api_examples.$(OBJEXT): %D%/examples_run.h
%C%_examples_tables = $(top_srcdir)/doc/parity.list \
	$(top_srcdir)/doc/reference/examples.list \
	$(top_srcdir)/doc/reference/shapes.list \
	$(top_srcdir)/doc/reference/special.list \
	$(top_srcdir)/kernels/operations.def $(top_srcdir)/kernels/reductions.def
%D%/examples_run.h: %D%/examples.awk $(top_srcdir)/doc/reference/tables.awk \
	$(top_srcdir)/doc/reference/facts.awk $(%C%_examples_tables) $(functions_headers)
	$(AM_V_GEN)$(MKDIR_P) %D%; list= && for h in $(functions_headers); do \
	  test -f "$$h" || h=$(srcdir)/$$h; \
	  case $$h in *.h) list="$$list $$h" ;; esac; \
	done && $(AWK) -v top=$(top_srcdir) \
	    -f $(top_srcdir)/doc/reference/tables.awk \
	    -f $(top_srcdir)/doc/reference/facts.awk \
	    -f $(top_srcdir)/%D%/examples.awk $$list >$@.tmp && mv $@.tmp $@
