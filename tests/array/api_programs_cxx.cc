/* SPDX-License-Identifier: Apache-2.0 */
/* The programs that the API was designed from, in C++, and what only C++ can
   get wrong: overloads. */
#include <complex>

#include "tests/support/programs.h"

static int overloads()
{
	const short small = -1;
	const unsigned long large = 1;
	const dpr_array *none = nullptr;
	dpr_array *some = nullptr;

	return DPR_OPERAND(small).kind == DPR_OPERAND_INT &&
	       DPR_OPERAND(large).kind == DPR_OPERAND_UINT &&
	       DPR_OPERAND(true).kind == DPR_OPERAND_BOOL &&
	       DPR_OPERAND(1.5f).kind == DPR_OPERAND_FLOAT &&
	       DPR_OPERAND(std::complex<float>(1, 2)).as.c[1] == 2 &&
	       DPR_OPERAND(none).kind == DPR_OPERAND_ARRAY &&
	       DPR_ARG(none).access == DPR_READ &&
	       DPR_ARG(some).access == DPR_READ_WRITE &&
	       DPR_ARG(large).size == sizeof(large) && DPR_ARG(true).size == 1;
}

/* Lists point into themselves, also when they are copied, which C++11 may do
   with what a function returns. */
static int lists()
{
	dpr_event *const event = nullptr;
	const auto axes = DPR_AXES_KEPT(1, 2);
	const auto after = DPR_AFTER(event, nullptr, event);
	const auto other_axes = axes;
	const auto other_after = after;
	const dpr_axes *const a = axes, *const b = other_axes;
	const dpr_events *const e = after, *const f = other_after;

	return a->count == 2 && a->keepdims == 1 && a->axis == axes.axis &&
	       b->count == 2 && b->keepdims == 1 &&
	       b->axis == other_axes.axis && b->axis[0] == 1 &&
	       b->axis[1] == 2 && e->count == 3 && e->list == after.list &&
	       f->count == 3 && f->list == other_after.list &&
	       f->list[1] == nullptr;
}

/* A list stands beside NULL in a condition, and is valid until the end of the
   call. */
static int conditions()
{
	dpr_event *const event = nullptr;

	for (int with = 0; with < 2; with++) {
		const size_t count = [](const dpr_events *e) {
			return e ? e->count + (e->list[0] != nullptr) : 0;
		}(with ? DPR_AFTER(event, event) : NULL);
		const int axis = [](const dpr_axes *a) {
			return a ? a->axis[0] + a->count : 0;
		}(with ? DPR_AXES(5) : NULL);
		const int64_t extent = [](dpr_shape shape) {
			return shape.rank ? shape.dim[0] : 0;
		}(with ? DPR_SHAPE(7) : DPR_SCALAR_SHAPE);

		if (count != (with ? 2U : 0U) || axis != (with ? 6 : 0) ||
		    extent != (with ? 7 : 0))
			return 0;
	}
	return 1;
}

int main()
{
	if (!overloads()) {
		fprintf(stderr, "an overload makes something else\n");
		return 1;
	}
	if (!lists()) {
		fprintf(stderr, "a list points elsewhere\n");
		return 1;
	}
	if (!conditions()) {
		fprintf(stderr, "a list beside NULL is another one\n");
		return 1;
	}
	return run_programs();
}
