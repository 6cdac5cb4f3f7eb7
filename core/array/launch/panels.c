/* SPDX-License-Identifier: Apache-2.0 */
/* panels.c - copying transposed operands, a panel of rows at a time. */
#include "core/array/launch/panels.h"

#include <string.h>

#include "core/array/launch/cast.h"
#include "core/array/layout/layout.h"

/* Only operands of at least this many elements, and with axes of at least this
   extent, are copied in panels. */
#define LEAST_SIZE 16384
#define LEAST_EXTENT 16
/* Bytes of a panel: on a CPU as much as the caches of its cores hold, with an
   upper bound; on a GPU enough to keep it busy. */
#define CORE_PANEL (512 * 1024)
#define CPU_PANEL (16 * 1024 * 1024)
#define GPU_PANEL (64 * 1024 * 1024)

/* Whether @x looks like a transposed array: its elements are far apart along
   the last axis, and next to each other along an earlier one. */
static bool is_transposed(const struct layout *x)
{
	int last = x->rank - 1;
	int64_t count;

	while (last > 0 && x->dim[last] == 1)
		last--;
	if (last < 1 || x->dim[last] < LEAST_EXTENT ||
	    (x->stride[last] >= -1 && x->stride[last] <= 1) ||
	    !layout_count(x->rank, x->dim, &count) || count < LEAST_SIZE)
		return false;
	for (int d = 0; d < last; d++)
		if (x->stride[d] == 1 && x->dim[d] >= LEAST_EXTENT)
			return true;
	return false;
}

bool panels_copies(const dpr_array *x)
{
	struct layout layout;

	if (x->contiguous)
		return false;
	array_layout(x, &layout);
	return is_transposed(&layout);
}

/* A launch in panels. */
struct panels {
	const struct walk_call *call;
	int n;        /* operands and the result, which is the last */
	int64_t rows; /* of a panel */
	const dpr_array *array[WALK_OPERANDS];
	struct layout layout[WALK_OPERANDS];
	bool copied[WALK_OPERANDS];
	dpr_array *copy[WALK_OPERANDS]; /* a panel's rows, contiguous */
};

/* Rows @begin to @end of an operand. */
static dpr_status rows_of(const dpr_array *x, const struct layout *layout,
			  int64_t begin, int64_t end, dpr_array **out)
{
	struct layout part = *layout;

	part.offset += begin * part.stride[0];
	part.dim[0] = end - begin;
	return array_view(x, &part, out);
}

/* Find the operands to copy.  Returns whether there are any. */
static bool panels_begin(struct panels *p, const struct walk_call *call)
{
	const dpr_array *out = call->out;
	struct layout layout;
	bool any = false;

	memset(p, 0, sizeof(*p));
	p->call = call;
	p->n = call->n + 1;
	for (int k = 0; k < p->n; k++) {
		p->array[k] = k < call->n ? call->x[k] : out;
		if (!p->array[k])
			continue;
		array_layout(p->array[k], &layout);
		p->layout[k] = layout;
		p->layout[k].rank = out->rank;
		memcpy(p->layout[k].dim, array_shape(out),
		       sizeof(int64_t) * (size_t)out->rank);
		/* If it does not fit, let walk_launch() report that. */
		if (!layout_expand(&layout, out->rank, p->layout[k].dim,
				   p->layout[k].stride))
			return false;
		p->copied[k] = k < call->n && is_transposed(&p->layout[k]);
		any |= p->copied[k];
	}
	return any;
}

static int64_t panel_bytes(dpr_device *device)
{
	const struct target *facts = target_of(device);

	if (!facts->is_cpu)
		return GPU_PANEL;
	return facts->cores < CPU_PANEL / CORE_PANEL
		       ? (int64_t)facts->cores * CORE_PANEL
		       : CPU_PANEL;
}

/* The number of rows of a panel of @x; a row has @columns elements.  It is a
   multiple of walk_tile(), unless that makes the panel far too large
   for the caches. */
static int64_t panel_rows(const dpr_array *x, int64_t columns)
{
	const int64_t row = columns * (int64_t)dpr_dtype_size(x->dtype);
	const int64_t bytes = panel_bytes(dpr_queue_device(x->queue));
	const int64_t rows = bytes / row, tile = walk_tile(x);

	if (rows >= tile)
		return rows - rows % tile;
	if (tile * row <= CPU_PANEL)
		return tile;
	return rows < LEAST_EXTENT ? LEAST_EXTENT : rows;
}

static dpr_status make_copies(struct panels *p)
{
	const dpr_array *out = p->call->out;
	int64_t shape[DPR_MAX_RANK];
	dpr_status status;

	for (int d = 0; d < out->rank; d++)
		shape[d] = array_shape(out)[d];
	for (int k = 0; k < p->call->n && !p->rows; k++)
		if (p->copied[k])
			p->rows = panel_rows(p->array[k], out->size / shape[0]);
	if (p->rows > shape[0])
		p->rows = shape[0];
	shape[0] = p->rows;
	for (int k = 0; k < p->call->n; k++) {
		if (!p->copied[k])
			continue;
		status = array_new(p->call->what, p->array[k]->dtype, out->rank,
				   shape, out->queue, DPR_USM_DEVICE,
				   &p->copy[k]);
		if (status)
			return status;
	}
	return DPR_OK;
}

/* Get the rows of operand @k for the launch: a view of it, or a copy. */
static dpr_status take_rows(struct panels *p, int k, int64_t from, int64_t to,
			    dpr_array **out)
{
	struct layout all;
	dpr_array *view, *part;
	dpr_status status;

	status = rows_of(p->array[k], &p->layout[k], from, to, &view);
	if (status || !p->copied[k]) {
		*out = view;
		return status;
	}
	array_layout(p->copy[k], &all);
	status = rows_of(p->copy[k], &all, 0, to - from, &part);
	if (!status)
		status = cast_into(view, part);
	dpr_array_release(view);
	*out = part;
	return status;
}

static dpr_status launch_panel(struct panels *p, int64_t from, int64_t to)
{
	dpr_array *part[WALK_OPERANDS] = { NULL };
	struct walk_call call = *p->call;
	dpr_status status = DPR_OK;

	for (int k = 0; k < p->n && !status; k++)
		if (p->array[k])
			status = take_rows(p, k, from, to, &part[k]);
	for (int k = 0; k < call.n; k++)
		call.x[k] = part[k];
	call.out = part[call.n];
	call.whole = p->call->out->size;
	call.rest = p->call->rest || from > 0;
	if (!status)
		status = walk_launch(&call);
	for (int k = 0; k < p->n; k++)
		dpr_array_release(part[k]);
	return status;
}

/* A quick check: an array that is contiguous is not transposed. */
static bool may_be_transposed(const struct walk_call *call)
{
	for (int k = 0; k < call->n; k++)
		if (call->x[k] && !call->x[k]->contiguous)
			return true;
	return false;
}

dpr_status panels_launch(const struct walk_call *call)
{
	struct panels panels;
	dpr_status status;
	int64_t rows;

	if (!may_be_transposed(call) || walk_reads_turned(call) ||
	    !panels_begin(&panels, call))
		return walk_launch(call);
	status = make_copies(&panels);
	rows = array_shape(call->out)[0];
	for (int64_t at = 0; at < rows && !status; at += panels.rows) {
		status = launch_panel(&panels, at,
				      at + panels.rows < rows ? at + panels.rows
							      : rows);
		if (status && (call->rest || at))
			status = array_stopped(call->out, status);
	}
	for (int k = 0; k < WALK_OPERANDS; k++)
		dpr_array_release(panels.copy[k]);
	return status;
}
