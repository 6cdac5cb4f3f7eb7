/* SPDX-License-Identifier: Apache-2.0 */
/* placement.h - check how operands on different queues are refused. */
#ifndef TESTS_PLACEMENT_H
#define TESTS_PLACEMENT_H

#include <stdarg.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

static inline dpr_array *ones(dpr_queue *queue)
{
	const float values[] = { 1, 1, 1 };
	dpr_array *x;

	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(3), NULL, DPR_FLOAT32,
				       queue, &x));
	return x;
}

static inline void check_placement_text(const char *what, const char *rest)
{
	char want[1024];

	snprintf(want, sizeof(want), "%s: operands are on different queues: %s",
		 what, rest);
	ck_assert_str_eq(dpr_last_error(), want);
}

/* Functions must refuse @a and @b with the same text, after their own name. */
static inline void check_refusal(const dpr_array *a, const dpr_array *b,
				 const char *format, ...)
{
	const dpr_array *list[] = { a, b };
	dpr_array *out = (dpr_array *)&list;
	dpr_queue *queue = dpr_array_queue(a);
	char rest[900];
	va_list args;

	va_start(args, format);
	vsnprintf(rest, sizeof(rest), format, args);
	va_end(args);
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_execution_queue(list, 2, &queue));
	check_placement_text("execution queue", rest);
	ck_assert_ptr_null(queue);
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT, dpr_add(a, b, &out));
	check_placement_text("add", rest);
	ck_assert_ptr_null(out);
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_concat(list, 2, 0, &out));
	check_placement_text("concat", rest);
}

#endif
