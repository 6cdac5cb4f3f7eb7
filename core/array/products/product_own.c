/* SPDX-License-Identifier: Apache-2.0 */
/*
 * product_own.c - a product of matrices by the routine matmul, which is dpr's
 * own (kernels/routine_matmul.c and kernels/routine_matmul.cl).
 *
 * The routine takes operands with any strides.  Operands of another dtype than
 * the result are cast first.
 */
#include "core/array/products/product.h"

#include <stdatomic.h>
#include <string.h>

#include "core/array/launch/cast.h"
#include "core/array/launch/whole.h"
#include "core/array/layout/layout.h"
#include "core/base/call_stack.h"
#include "core/base/status.h"
#include "kernels/routine_matmul.h"

/* BRIEF multiplications take a few microseconds.  Beginning a tile takes as
   long as TILE_BEGINS multiplications. */
#define BRIEF 65536
#define TILE_BEGINS 2048

/* A group computes about this number of multiplications.  So a group takes some
   microseconds more than the time to start it. */
#define GROUP 65536

/* Tiles are made smaller until there are GROUPS_OF_CORE groups for each core,
   so that no core waits long for another.  But tiles of SMALL_ROWS rows or
   fewer stay as they are. */
#define GROUPS_OF_CORE 4
#define SMALL_ROWS (4 * ROUTINE_MATMUL_ROWS)

/* The most groups of a launch on a GPU.  More tiles take several launches.
   Tests set `groups` to another number. */
#define MOST_GROUPS (INT64_C(1) << 20)
static _Atomic int64_t groups = MOST_GROUPS;

/* The most rows of a tile, and the most bytes of a row of the tile.  The packed
   steps of such a tile fit into the CPU's second-level cache. */
#define TILE_ROWS(bytes) ((bytes) > 8 ? 48 : 96)
#define TILE_COLUMNS 512

/* See is_reduction(). */
#define LONG_ROW 64
#define FEW_RESULTS 16
#define LONG_SUM 4096

/* A call under construction.  The members may describe the transposed product
   instead: b^T a^T, which is c^T. */
struct own {
	const struct product *p;
	dpr_array *made[2]; /* the casts of a and b */
	const dpr_array *x[3];
	const struct target *target;
	int variant;    /* on GPUs; 0: native code */
	int64_t groups; /* on GPUs: the most groups of a launch */
	struct routine_matmul words;
	int64_t bytes; /* the size of an element in the kernel's dtype */
};

/* --- Matrices ------------------------------------------------------------- */

/* Whether reductions of the engine (product_sum.c) are faster.  A reduction
   reads the elements of a row as fast as memory gives them, and all cores share
   a long row.  The routine is slow for a product with a vector, which leaves
   most lanes without work.  It also divides only results among cores. */
static bool is_reduction(const struct product *p, int64_t size)
{
	/* Not set if neighbours in memory belong to neighbouring results: a
	   reduction would add up columns. */
	const bool rows =
		p->m == 1 ? p->n == 1 || p->b.column != 1 : p->a.row != 1;

	if (p->m == 1 || p->n == 1)
		return p->k >= LONG_ROW && rows;
	return size <= FEW_RESULTS && p->k >= LONG_SUM;
}

bool product_own_may(const struct product *p)
{
	int64_t size;

	return p->k && layout_count(p->rank, p->shape, &size) && size &&
	       whole_has_format(target_of(dpr_queue_device(p->queue))) &&
	       !is_reduction(p, size);
}

static void swap_numbers(int64_t *a, int64_t *b)
{
	const int64_t before = *a;

	*a = *b;
	*b = before;
}

/* Compute the transposed result, from the transposed operands in the other
   order. */
static void transpose(struct own *o)
{
	struct routine_matmul *w = &o->words;
	const dpr_array *a = o->x[0];

	o->x[0] = o->x[1];
	o->x[1] = a;
	swap_numbers(&w->offset[0], &w->offset[1]);
	swap_numbers(&w->row[0], &w->row[1]);
	swap_numbers(&w->column[0], &w->column[1]);
	for (int i = 0; i < 3; i++)
		swap_numbers(&w->row[i], &w->column[i]);
	for (int d = 0; d < ROUTINE_MATMUL_BATCH; d++)
		swap_numbers(&w->stride[0][d], &w->stride[1][d]);
	swap_numbers(&w->m, &w->n);
}

/* Join the last axis of the batch with the rows of a, so that one product takes
   the place of many.  Along this axis b must stay the same, and the first row
   of the next a (or c) must follow the last row of this one.  Returns false if
   the axis cannot be joined. */
static bool join_rows(struct routine_matmul *w, int64_t extent,
		      const int64_t stride[3])
{
	int64_t rows, a, c;

	if (stride[1] || __builtin_mul_overflow(w->m, extent, &rows) ||
	    __builtin_mul_overflow(w->m, w->row[0], &a) ||
	    __builtin_mul_overflow(w->m, w->row[2], &c) || stride[0] != a ||
	    stride[2] != c)
		return false;
	w->m = rows;
	return true;
}

/* Set the batch.  Returns false if it has too many axes. */
static bool set_batch(struct own *o, const int64_t *const batch[3])
{
	struct routine_matmul *w = &o->words;
	int64_t dim[DPR_MAX_RANK], stride[3][DPR_MAX_RANK], offset[3] = { 0 };
	int rank = o->p->n_batch;

	memcpy(dim, o->p->batch, sizeof(dim));
	for (int i = 0; i < 3; i++)
		memcpy(stride[i], batch[i], (size_t)rank * sizeof(int64_t));
	rank = layout_collapse(3, rank, dim, stride, offset, false);
	while (rank && join_rows(w, dim[rank - 1],
				 (const int64_t[]){ stride[0][rank - 1],
						    stride[1][rank - 1],
						    stride[2][rank - 1] }))
		rank--;
	if (rank > ROUTINE_MATMUL_BATCH)
		return false;
	w->axes = rank;
	for (int d = 0; d < rank; d++) {
		w->extent[d] = dim[d];
		for (int i = 0; i < 3; i++)
			w->stride[i][d] = stride[i][d];
	}
	return true;
}

/* Describe the matrices.  Returns false if the batch has too many axes. */
static bool set_matrices(struct own *o, const struct product *p,
			 const dpr_array *out)
{
	const int64_t *stride = array_strides(out);
	const int64_t *const batch[] = { p->a.batch, p->b.batch, stride };
	const struct product_operand *const from[] = { &p->a, &p->b };
	struct routine_matmul *w = &o->words;
	int d = p->n_batch;

	w->m = p->m;
	w->n = p->n;
	w->k = p->k;
	for (int i = 0; i < 2; i++) {
		o->x[i] = from[i]->x;
		w->offset[i] = from[i]->offset;
		w->row[i] = from[i]->row;
		w->column[i] = from[i]->column;
	}
	o->x[2] = out;
	w->offset[2] = out->offset;
	w->row[2] = p->has_m ? stride[d++] : 0;
	w->column[2] = p->has_n ? stride[d] : 0;
	return set_batch(o, batch);
}

/* --- Tiles ---------------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* @x, rounded up to a multiple of @unit. */
static int64_t round_up(int64_t x, int64_t unit)
{
	return x % unit ? x - x % unit + unit : x;
}

static int64_t parts(int64_t extent, int64_t part)
{
	return extent / part + (extent % part != 0);
}

/* Count the tiles.  Returns false if they are too many for a number. */
static bool count_tiles(struct routine_matmul *w)
{
	w->down = parts(w->m, w->rows);
	w->across = parts(w->n, w->columns);
	if (__builtin_mul_overflow(w->down, w->across, &w->tiles))
		return false;
	for (int64_t d = 0; d < w->axes; d++)
		if (__builtin_mul_overflow(w->tiles, w->extent[d], &w->tiles))
			return false;
	return true;
}

/* The time for a tile, in multiplications.  Lanes without work count, too. */
static int64_t tile_work(const struct routine_matmul *w)
{
	return w->rows * w->columns * smaller(w->k, GROUP) + TILE_BEGINS;
}

static bool fits(const struct own *o, uint64_t most)
{
	return routine_matmul_local(&o->words, o->bytes) <= most;
}

/* The dtype of the kernel.  Integers wrap, so the kernels of unsigned integers
   compute signed ones, too. */
static dpr_dtype kernel_dtype(dpr_dtype dtype)
{
	return dpr_dtype_kind(dtype) == 'i' ? dtype + (DPR_UINT8 - DPR_INT8)
					    : dtype;
}

/* The largest variant of the kernel for GPUs.  A work-item has variant *
   variant sums in registers, so elements of more than 4 bytes have smaller
   variants. NVIDIA's GPUs have enough registers for 64 sums in float64.  Intel's
   GPUs, which get SPIR-V, have registers for about 64 floats of a work-item: 64
   sums would leave none for the operands. */
static int largest_variant(dpr_dtype dtype, const struct target *target)
{
	if (target->format == &formats_spirv)
		return 4;
	return dpr_dtype_size(dtype) <= 4 || (dtype == DPR_FLOAT64 &&
					      target->format == &formats_ptx)
		       ? 8
		       : 4;
}

/* Choose the variant of the kernel for GPUs: the largest square tiles of which
   there is one for each multiprocessor of the GPU. */
static int find_variant(const struct product *p, const struct target *target)
{
	int variant = largest_variant(p->dtype, target);
	int64_t size;

	if (target->format->is_native)
		return 0;
	if (target->format->in_files)
		return WHOLE_FILE_VARIANT;
	for (; variant > 2; variant /= 2) {
		const int64_t side = ROUTINE_MATMUL_SIDE * variant;

		if (p->m > side / 2 && p->n > side / 2 &&
		    layout_count(p->n_batch, p->batch, &size) &&
		    parts(p->m, side) * parts(p->n, side) >=
			    parts((int64_t)target->cores, size))
			break;
	}
	return variant;
}

/* Set and count the tiles on a GPU.  Returns false if they are too many, or
   if the device does not take so many bytes of arguments. */
static bool set_squares(struct own *o)
{
	struct routine_matmul *w = &o->words;

	w->rows = w->columns = ROUTINE_MATMUL_SIDE * o->variant;
	return o->target->parameter_bytes >=
		       sizeof(*w) + 3 * sizeof(uint64_t) &&
	       count_tiles(w);
}

/* Choose the tiles of native code.  They do not change the order of additions.
   Returns false if the smallest tile needs more local memory than there is, or
   if there are too many tiles. */
static bool set_tiles(struct own *o)
{
	struct routine_matmul *w = &o->words;
	const int64_t line = ROUTINE_MATMUL_LINE / o->bytes;
	const int64_t enough = (int64_t)o->target->cores * GROUPS_OF_CORE;

	w->rows = smaller(TILE_ROWS(o->bytes),
			  round_up(w->m, ROUTINE_MATMUL_ROWS));
	w->columns = smaller(TILE_COLUMNS / o->bytes, round_up(w->n, line));
	while (!fits(o, o->target->local_bytes)) {
		if (w->rows > ROUTINE_MATMUL_ROWS)
			w->rows = round_up(w->rows / 2, ROUTINE_MATMUL_ROWS);
		else if (w->columns > line)
			w->columns = round_up(w->columns / 2, line);
		else
			return false;
	}
	if (!count_tiles(w))
		return false;
	while (w->tiles < enough && w->rows > SMALL_ROWS) {
		w->rows = round_up(w->rows / 2, ROUTINE_MATMUL_ROWS);
		if (!count_tiles(w))
			return false;
	}
	w->each = smaller(parts(GROUP, tile_work(w)), parts(w->tiles, enough));
	return true;
}

/* --- Launch --------------------------------------------------------------- */

/* Whether the work takes a few microseconds. */
static bool is_brief(const struct routine_matmul *w)
{
	return w->tiles <= BRIEF / tile_work(w);
}

static dpr_range range_of(const struct own *o)
{
	const struct routine_matmul *w = &o->words;
	dpr_range range;

	if (o->variant)
		return dpr_range_local(
			dpr_range1((uint64_t)smaller(w->tiles - w->first,
						     o->groups) *
				   ROUTINE_MATMUL_GROUP),
			ROUTINE_MATMUL_GROUP, 1, 1);
	range = dpr_range_local(dpr_range1((uint64_t)parts(w->tiles, w->each)),
				1, 1, 1);
	if (is_brief(w))
		range.flags |= DPR_RANGE_BRIEF;
	return range;
}

static dpr_status launch_once(const struct own *o, dpr_kernel *kernel)
{
	const struct routine_matmul *w = &o->words;
	const dpr_array *out = o->x[2];
	const bool is_all = !o->variant || w->tiles <= o->groups;
	/* Local memory is for native code. */
	const dpr_arg args[] = {
		dpr_arg_usm_use(o->x[0]->usm, 0, DPR_READ),
		dpr_arg_usm_use(o->x[1]->usm, 0, DPR_READ),
		dpr_arg_usm_use(out->usm, 0,
				is_all ? array_write_access(out, out->size)
				       : DPR_WRITE),
		dpr_arg_bytes(w, sizeof(*w)),
		dpr_arg_local(routine_matmul_local(w, o->bytes)),
	};

	return dpr_kernel_launch_usm(o->p->queue, kernel, range_of(o), NULL,
				     NULL, args, o->variant ? 4 : 5);
}

static dpr_status launch(struct own *o, dpr_kernel *kernel)
{
	struct routine_matmul *w = &o->words;
	const bool titled = call_stack_title_begin(o->p->what);
	dpr_status status = launch_once(o, kernel);

	while (!status && o->variant && w->tiles - w->first > o->groups) {
		w->first += o->groups;
		status = launch_once(o, kernel);
		/* The result has been written in part. */
		if (status)
			status = array_stopped(o->x[2], status);
	}
	call_stack_title_end(titled);
	return status;
}

/* Cast operand @right of @p if its dtype is another one than the result's. */
static dpr_status cast_operand(struct own *o, struct product *p, bool right)
{
	const dpr_array *x = right ? p->b.x : p->a.x;
	dpr_status status;

	if (x->dtype == p->dtype)
		return DPR_OK;
	status = cast_new(p->what, x, p->dtype, p->kind, &o->made[right]);
	if (!status)
		product_take(p, right, o->made[right]);
	return status;
}

/* Prepare the launch.  Returns false if the routine does not take the call. */
static bool prepare(struct own *o, const struct product *p,
		    const dpr_array *out)
{
	const int64_t size = (int64_t)dpr_dtype_size(p->dtype);

	o->bytes = size < 4 ? 4 : size;
	if (!set_matrices(o, p, out))
		return false;
	if (o->variant)
		return set_squares(o);
	/* Columns are computed in vectors, so there should be many columns.
	   Only the shape may decide this: in the transposed product, the terms
	   of complex numbers are added in another order. */
	if (p->n < ROUTINE_MATMUL_LINE / o->bytes && p->n < p->m)
		transpose(o);
	return set_tiles(o);
}

void product_own_groups(int64_t most)
{
	atomic_store(&groups, most ? most : MOST_GROUPS);
}

bool product_own(const struct product *product, dpr_array *out,
		 dpr_status *status)
{
	struct product p = *product;
	struct own o = { .p = &p,
			 .target = target_of(dpr_queue_device(p.queue)),
			 .groups = atomic_load(&groups) };
	dpr_kernel *kernel;
	bool done = true;

	o.variant = find_variant(&p, o.target);
	*status = whole_get(p.queue, WHOLE_MATMUL, kernel_dtype(p.dtype),
			    o.variant, &kernel);
	if (*status || !kernel)
		return *status != DPR_OK;
	for (int right = 0; !*status && right < 2; right++)
		*status = cast_operand(&o, &p, right);
	if (!*status)
		done = prepare(&o, &p, out);
	if (!*status && done)
		*status = launch(&o, kernel);
	if (*status)
		status_rename(p.what);
	dpr_array_release(o.made[0]);
	dpr_array_release(o.made[1]);
	return done;
}
