# SPDX-License-Identifier: Apache-2.0
# core/array/expression: expressions as text.

core_libdprcore_la_SOURCES += \
	%D%/builtins.c %D%/builtins.h \
	%D%/definitions.c %D%/definitions.h \
	%D%/derived_table.c %D%/derived_table.h %D%/masked.def \
	%D%/evaluate.c %D%/evaluate.h \
	%D%/explain.c %D%/explain.h \
	%D%/expression.c \
	%D%/faults/evaluate_faults.c %D%/faults/evaluate_faults.h \
	%D%/faults/plan_faults.c %D%/faults/plan_faults.h \
	%D%/fusion.c %D%/fusion.h \
	%D%/foreign.c %D%/foreign.h \
	%D%/functions.c %D%/functions.h \
	%D%/inner/float_calls.c %D%/inner/float_calls.h \
	%D%/inner/inner.c %D%/inner/inner.h \
	%D%/inner/inner_arguments.c %D%/inner/inner_arguments.h \
	%D%/inner/one_read.c %D%/inner/one_read.h \
	%D%/inner/positions.c %D%/inner/positions.h \
	%D%/lexer.c %D%/lexer.h \
	%D%/names.c %D%/names.h \
	%D%/node.c %D%/node.h \
	%D%/number.c %D%/number.h \
	%D%/parser.c %D%/parser.h \
	%D%/place.h \
	%D%/plan.c %D%/plan.h \
	%D%/plan_steps.c %D%/plan_steps.h \
	%D%/planner.h \
	%D%/reduce_nodes.c %D%/reduce_nodes.h \
	%D%/slicing.c %D%/slicing.h \
	%D%/value.c %D%/value.h \
	%D%/weave.c %D%/weave.h
