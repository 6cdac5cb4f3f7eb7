/* SPDX-License-Identifier: Apache-2.0 */
/* softmax.h - softmax of rows as expressions, which is only a few launches
   however it is written. */
#ifndef TESTS_SOFTMAX_H
#define TESTS_SOFTMAX_H

#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* The most launches that any device may need. */
#define SOFTMAX_LAUNCHES 4

static const char *const softmax_texts[] = {
	"exp(x - max(x, axis=1, keepdims=True)) / "
	"sum(exp(x - max(x, axis=1, keepdims=True)), axis=1, keepdims=True)",
	"m = max(x, axis=1, keepdims=True); e = exp(x - m); "
	"s = sum(e, axis=1, keepdims=True); e / s",
};
#define SOFTMAX_TEXTS ((int)(sizeof(softmax_texts) / sizeof(softmax_texts[0])))

static const int64_t softmax_shapes[][2] = { { 256, 4096 }, { 64, 100 } };
#define SOFTMAX_SHAPES \
	((int)(sizeof(softmax_shapes) / sizeof(softmax_shapes[0])))

/* The launches that the last line of a plan tells. */
static inline int softmax_told(const char *plan)
{
	const char *last = plan, *line;

	for (line = plan; *line; line = strchr(line, '\n') + 1) {
		last = line;
		ck_assert_msg(strchr(line, '\n'), "%s", plan);
	}
	ck_assert_msg(strstr(last, " launch"), "%s", plan);
	return atoi(last);
}

/* Check the plan of text @i of the rows @x. */
static inline void softmax_check(int i, const dpr_array *x)
{
	const dpr_binding one[] = { { "x", dpr_operand_array(x) } };
	dpr_expression *e;
	char *plan;
	int launches;

	CHECK_OK(dpr_expression_create(softmax_texts[i], &e));
	CHECK_OK(dpr_expression_explain(e, one, 1, NULL, &plan));
	launches = softmax_told(plan);
	ck_assert_msg(launches > 0 && launches <= SOFTMAX_LAUNCHES, "%s", plan);
	if (getenv("DPR_TEST_PLANS"))
		printf("%s\n", plan);
	dpr_free(plan);
	dpr_expression_release(e);
}

#endif
