/* SPDX-License-Identifier: Apache-2.0 */
/* vm_lanes.c - combines elements with lanes (vm_lanes.h). */
#include "kernels/vm_lanes.h"

#include <stddef.h>

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
