/* SPDX-License-Identifier: Apache-2.0 */
/* vm_lanes.c - combines elements with lanes (vm_lanes.h). */
#include "kernels/vm_lanes.h"

#include <stddef.h>
#include <string.h>

#include "kernels/vm_tables.h"

static void reduce(struct vm_lanes *l, unsigned step)
{
	l->reduce.code = VM_REDUCE_CODE(l->how->what, step);
	vm_tables_reduce(l->how->dtype, &l->reduce);
}

int64_t vm_lanes_width(const struct vm_reducing *how)
{
	const int64_t near = how->near;
	const int64_t parts = how->parts;
	const int64_t lanes =
		VM_LANES % (near * parts) == 0 ? VM_LANES / (near * parts) : 8;

	return lanes * near;
}

void vm_lanes_begin(struct vm_lanes *l, int64_t width)
{
	l->width = width;
	l->rows = 0;
	l->reduce.width = width * l->how->parts;
	l->reduce.has_totals = 0;
	reduce(l, VM_REDUCE_FIRST);
	memcpy(l->first, l->reduce.lane, sizeof(l->first));
}

/* Set the input: the elements @from or, if @with is not NULL, the products or
   the squared differences of @from and @with. */
static void set_elements(struct vm_lanes *l, const void *from, const void *with)
{
	l->reduce.of = with ? l->how->of : VM_ELEMENTS;
	l->reduce.from = from;
	l->reduce.with = with ? with : from;
}

int64_t vm_lanes_left(const struct vm_lanes *l)
{
	return l->how->what == VM_SUM ? VM_REDUCE_ROWS - l->rows
				      : VM_REDUCE_ROWS;
}

/* Combine @rows rows of the input with the lanes.  A row has @width elements,
   and rows are @stride elements apart.  In a sum, the lanes are added to the
   totals after VM_REDUCE_ROWS rows. */
static void add(struct vm_lanes *l, int64_t width, int64_t rows, int64_t stride)
{
	const int64_t parts = l->how->parts;

	if (!width || !rows)
		return;
	l->reduce.width = width * parts;
	l->reduce.rows = rows;
	l->reduce.stride = stride * parts;
	reduce(l, VM_REDUCE_ADD);
	l->reduce.width = l->width * parts;
	l->rows += rows;
	if (l->rows < VM_REDUCE_ROWS || l->how->what != VM_SUM)
		return;
	reduce(l, VM_REDUCE_EMPTY);
	l->reduce.has_totals = 1;
	l->rows = 0;
}

void vm_lanes_add(struct vm_lanes *l, const void *from, int64_t width,
		  int64_t rows, int64_t stride)
{
	set_elements(l, from, NULL);
	add(l, width, rows, stride);
}

void vm_lanes_take(struct vm_lanes *l, const void *from, const void *with,
		   int64_t n)
{
	const int64_t rest = n % l->width;
	const size_t whole = (size_t)(n - rest) << l->shift;

	set_elements(l, from, with);
	add(l, l->width, n / l->width, l->width);
	if (!rest)
		return;
	if (with && !l->reduce.with_stays)
		with = (const char *)with + whole;
	set_elements(l, (const char *)from + whole, with);
	add(l, rest, 1, l->width);
}

void vm_lanes_end(struct vm_lanes *l, void *to, int64_t n)
{
	l->reduce.to = to;
	l->reduce.keep = n * l->how->parts;
	reduce(l, VM_REDUCE_END);
}

void vm_lanes_short(struct vm_lanes *l, const void *from, const void *with,
		    int64_t length, int64_t rows, int64_t stride, void *to)
{
	set_elements(l, from, with);
	l->reduce.to = to;
	l->reduce.width = length;
	l->reduce.rows = rows;
	l->reduce.stride = stride;
	reduce(l, VM_REDUCE_SHORT);
}

void vm_lanes_elements(struct vm_lanes *l, const void *from, const void *with,
		       int64_t n, void *to)
{
	set_elements(l, from, with);
	l->reduce.to = to;
	l->reduce.width = n;
	reduce(l, VM_REDUCE_ELEMENTS);
}

/* Whether slot @slot is a register with the copies of a scalar. */
static bool is_scalar(const struct vm_code *code, int slot)
{
	const struct vm_scalar *scalar = vm_scalars(code);

	for (int i = 0; i < code->scalars; i++)
		if (scalar[i].slot == slot)
			return true;
	return false;
}

bool vm_lanes_keeps(const struct vm_code *code, const struct vm_step *step)
{
	return step->kind == VM_STORE || step->kind == VM_REDUCE ||
	       (step->kind == VM_CALL && step->out < code->registers &&
		step->out >= code->registers - code->whole);
}

/* Whether @step makes the value of slot @slot. */
static bool makes(const struct vm_code *code, const struct vm_step *step,
		  int slot)
{
	return step->kind == VM_CALL ? step->out == slot
				     : step->kind == VM_LOAD &&
					       step->out + code->registers ==
						       slot;
}

struct vm_lanes_test vm_lanes_test(const struct vm_code *code,
				   const struct vm_step *first,
				   const struct vm_step *reduce)
{
	const struct vm_step *where = reduce - 1, *step = where - 1;
	struct vm_lanes_test test = { .at = NULL };

	if (where <= first || where->kind != VM_CALL ||
	    where->unit < VM_MOVE || where->code != VM_WHERE ||
	    where->out != reduce->x[0] || !is_scalar(code, where->x[2]) ||
	    vm_lanes_keeps(code, where))
		return test;
	while (step >= first && !makes(code, step, where->x[0])) {
		if (vm_lanes_keeps(code, step) || step->kind == VM_CHAIN ||
		    step->kind == VM_LINK)
			return test;
		step--;
	}
	if (step < first)
		return test;
	test.at = step + 1;
	test.condition = where->x[0];
	test.x = where->x[1];
	test.number = where->x[2];
	return test;
}

enum vm_look vm_lanes_look(const struct vm_lanes *l,
			   const struct vm_lanes_test *test,
			   unsigned char *const *slot, int64_t n)
{
	const unsigned char *condition = slot[test->condition];
	unsigned char some = 0;

	if ((l->how->what != VM_MIN && l->how->what != VM_MAX) ||
	    memcmp(l->first, slot[test->number], (size_t)1 << l->shift) != 0)
		return VM_UNKNOWN;
	for (int64_t i = 0; i < n; i++)
		some |= condition[i];
	return some ? VM_FOUND : VM_MISSED;
}

void vm_lanes_divide(void *sums, int64_t n, size_t size, const void *by)
{
	float *single = sums, divisor;
	double *wide = sums, wide_divisor;

	if (size == sizeof(*single)) {
		memcpy(&divisor, by, sizeof(divisor));
		for (int64_t i = 0; i < n; i++)
			single[i] /= divisor;
		return;
	}
	memcpy(&wide_divisor, by, sizeof(wide_divisor));
	for (int64_t i = 0; i < n; i++)
		wide[i] /= wide_divisor;
}
