/* SPDX-License-Identifier: Apache-2.0 */
/* bench_strided.c - the rows on strided host memory: dpr's side, and baselines,
   which are loops in C, by one thread per CPU, that copy the elements
   directly. */
#include "tools/bench/bench_strided.h"

#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_measure.h"
#include "tools/bench/bench_team.h"

#define INLINE static inline __attribute__((always_inline))
/* A baseline transposes in square blocks with sides of this many elements. */
#define BLOCK 32
/* For "spread": at most this many pairs of axes of extent 2, one axis of each
   with stride 0 in host memory. */
#define MOST_PAIRS 15
#define HALF_RANK 12

/* How the elements lie in host memory, beside an array in C order. */
struct form {
	size_t item;
	bool reading; /* from the array into host memory */
	int64_t rows, columns, row, column; /* extents, host strides */
	int pairs;                          /* of axes, for "spread"; else 0 */
};

struct strided {
	struct form form;
	struct bench_team *team;
	dpr_queue *queue;
	dpr_array *x;
	char *host, *first; /* host memory and its first element */
	char *plain; /* the baseline's array; a copy of dpr's array when that is
			checked */
	size_t host_size, size;
	/* "spread": offsets in host memory for the upper and the lower bits of
	   an index */
	int64_t *upper, *lower;
};

/* --- Layouts in host memory -------------------------------------------- */

static int64_t square_side(int64_t n)
{
	int64_t side = 1;

	while ((side + 1) * (side + 1) <= n)
		side++;
	return side;
}

/* Choose extents that make about @size bytes; @size is at least 1M. */
static struct form find_form(const struct bench_layout *layout, size_t size)
{
	int64_t n = (int64_t)(size / layout->item);
	struct form f = { .item = layout->item,
			  .reading = layout->reading,
			  .rows = n / 1024,
			  .columns = 1024 };

	switch (layout->form) {
	case BENCH_STEP:
		f.row = 2048;
		f.column = 2;
		break;
	case BENCH_REVERSED:
		f.row = -1024;
		f.column = -1;
		break;
	case BENCH_TURNED:
		f.rows = f.columns = f.column = square_side(n);
		f.row = 1;
		break;
	case BENCH_INTERLEAVE:
		f.rows = f.column = n / 3;
		f.columns = 3;
		f.row = 1;
		break;
	case BENCH_DEINTERLEAVE:
		f.rows = f.column = 3;
		f.columns = n / 3;
		f.row = 1;
		break;
	case BENCH_SPREAD:
		while (f.pairs < MOST_PAIRS && (int64_t)4 << 2 * f.pairs <= n)
			f.pairs++;
		f.rows = (int64_t)1 << 2 * f.pairs;
		f.columns = f.row = f.column = 1;
		break;
	}
	return f;
}

/* "spread": the place of element @i in host memory.  Odd bits of @i belong to
   axes of stride 0. */
static int64_t spread(int64_t i)
{
	int64_t place = 0;

	for (int k = 0; i; k++, i >>= 2)
		place |= (i & 1) << k;
	return place;
}

static int64_t count_elements(const struct form *f)
{
	return f->rows * f->columns;
}

/* The place in host memory of element @i of the array. */
static int64_t host_place(const struct form *f, int64_t i)
{
	return f->pairs ? spread(i)
			: i / f->columns * f->row + i % f->columns * f->column;
}

/* --- The baseline --------------------------------------------------------- */

INLINE void copy_rows(const struct strided *s, int64_t begin, int64_t end,
		      int64_t left, int64_t right, size_t item)
{
	const struct form *f = &s->form;
	int64_t width = f->columns;

	for (int64_t i = begin; i < end; i++)
		for (int64_t k = left; k < right; k++) {
			char *x = s->plain + (size_t)(i * width + k) * item;
			char *y = s->first +
				  (i * f->row + k * f->column) * (int64_t)item;

			if (f->reading)
				memcpy(y, x, item);
			else
				memcpy(x, y, item);
		}
}

INLINE void copy_range(const struct strided *s, int64_t begin, int64_t end,
		       int64_t left, int64_t right, size_t item)
{
	if (llabs(s->form.row) > llabs(s->form.column)) {
		copy_rows(s, begin, end, left, right, item);
		return;
	}
	for (int64_t i = begin; i < end; i += BLOCK)
		for (int64_t k = left; k < right; k += BLOCK)
			copy_rows(s, i, i + BLOCK < end ? i + BLOCK : end, k,
				  k + BLOCK < right ? k + BLOCK : right, item);
}

INLINE void spread_range(const struct strided *s, int64_t begin, int64_t end,
			 size_t item)
{
	for (int64_t i = begin; i < end; i++) {
		int64_t place = s->upper[i >> HALF_RANK] +
				s->lower[i & ((1 << HALF_RANK) - 1)];

		memcpy(s->plain + (size_t)i * item, s->first + place, item);
	}
}

/* Copy part @part of @parts: the longer axis is divided. */
INLINE void baseline_range(const struct strided *s, size_t part, size_t parts,
			   size_t item)
{
	const struct form *f = &s->form;
	bool wide = f->columns > f->rows;
	int64_t n = wide ? f->columns : f->rows, count = (int64_t)parts;
	int64_t begin = n * (int64_t)part / count;
	int64_t end = n * ((int64_t)part + 1) / count;

	if (f->pairs)
		spread_range(s, begin, end, item);
	else if (wide)
		copy_range(s, 0, f->rows, begin, end, item);
	else
		copy_range(s, begin, end, 0, f->columns, item);
}

static void baseline_part(void *state, size_t part, size_t parts)
{
	const struct strided *s = state;

	switch (s->form.item) {
	case 1: baseline_range(s, part, parts, 1); break;
	case 2: baseline_range(s, part, parts, 2); break;
	case 4: baseline_range(s, part, parts, 4); break;
	case 8: baseline_range(s, part, parts, 8); break;
	default: baseline_range(s, part, parts, 16); break;
	}
}

static bool baseline_run(void *state, struct message *message)
{
	struct strided *s = state;

	(void)message;
	bench_team_run(s->team, baseline_part, s);
	return true;
}

static bool make_tables(struct strided *s)
{
	int64_t n = (int64_t)1 << HALF_RANK;
	int64_t item = (int64_t)s->form.item;
	int64_t rows = s->form.rows >> HALF_RANK;

	s->lower = calloc((size_t)n, sizeof(*s->lower));
	s->upper = calloc((size_t)rows + 1, sizeof(*s->upper));
	if (!s->lower || !s->upper)
		return false;
	for (int64_t i = 0; i < n; i++)
		s->lower[i] = spread(i) * item;
	for (int64_t i = 0; i < rows; i++)
		s->upper[i] = spread(i << HALF_RANK) * item;
	return true;
}

/* --- dpr's side -------------------------------------------------------- */

/* Get shape and strides in the form that the library takes.  Returns the
   rank. */
static int host_layout(const struct form *f, int64_t *dim, int64_t *stride)
{
	int64_t step = 1;
	int rank = 2;

	dim[0] = f->rows;
	dim[1] = f->columns;
	stride[0] = f->row;
	stride[1] = f->column;
	if (f->pairs)
		rank = 2 * f->pairs;
	for (int k = rank - 1; f->pairs && k >= 0; k -= 2, step *= 2) {
		dim[k] = dim[k - 1] = 2;
		stride[k] = step;
		stride[k - 1] = 0;
	}
	return rank;
}

static dpr_dtype dtype_of(size_t item)
{
	return item == 1   ? DPR_INT8
	       : item == 2 ? DPR_INT16
	       : item == 4 ? DPR_INT32
	       : item == 8 ? DPR_INT64
			   : DPR_COMPLEX128;
}

static bool from_run(void *state, struct message *message)
{
	struct strided *s = state;
	int64_t dim[DPR_MAX_RANK], stride[DPR_MAX_RANK];
	int rank = host_layout(&s->form, dim, stride);

	dpr_array_release(s->x);
	s->x = NULL;
	if (dpr_array_from_memory(s->first, dpr_shape_of(rank, dim), stride,
				  dtype_of(s->form.item), s->queue, &s->x))
		return bench_side_failed(message);
	return true;
}

static bool to_run(void *state, struct message *message)
{
	struct strided *s = state;
	int64_t dim[DPR_MAX_RANK], stride[DPR_MAX_RANK];

	(void)host_layout(&s->form, dim, stride);
	if (dpr_array_to_memory(s->x, s->first, s->host_size, stride))
		return bench_side_failed(message);
	return true;
}

/* --- Both sides -------------------------------------------------------- */

static void close_strided(void *state)
{
	struct strided *s = state;

	if (!s)
		return;
	dpr_array_release(s->x);
	free(s->host);
	free(s->plain);
	free(s->upper);
	free(s->lower);
	free(s);
}

/* Whether host memory and the array have the same elements. */
static bool same_elements(const struct strided *s, const char *who,
			  struct message *message)
{
	const struct form *f = &s->form;

	for (int64_t i = 0; i < count_elements(f); i++)
		if (memcmp(s->plain + (size_t)i * f->item,
			   s->first + host_place(f, i) * (int64_t)f->item,
			   f->item) != 0)
			return message_set(message, "%s: element %lld is wrong",
					   who, (long long)i);
	return true;
}

static bool baseline_check(void *state, struct message *message)
{
	return same_elements(state, "the baseline's loop", message);
}

static bool from_check(void *state, struct message *message)
{
	struct strided *s = state;

	memset(s->plain, 0, s->size);
	if (dpr_array_to_memory(s->x, s->plain, dpr_array_nbytes(s->x), NULL))
		return bench_side_failed(message);
	return same_elements(s, "dpr_array_from_memory", message);
}

static bool to_check(void *state, struct message *message)
{
	return same_elements(state, "dpr_array_to_memory", message);
}

static void fill(char *bytes, size_t size, size_t factor)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)(i * factor + i / 509);
}

/* Allocate what both sides need: host memory, and the elements in C order. */
static struct strided *open_strided(struct bench *bench,
				    struct bench_side *side,
				    struct message *message)
{
	struct strided *s = calloc(1, sizeof(*s));
	struct form *f;
	int64_t last;

	if (!s) {
		message_record(message, "no memory for a row");
		return NULL;
	}
	side->state = s;
	side->close = close_strided;
	s->form = find_form(bench->layout, bench->bytes);
	f = &s->form;
	s->team = bench->team;
	s->queue = bench->queue;
	s->size = (size_t)count_elements(f) * f->item;
	side->work = (double)s->size;
	last = host_place(f, count_elements(f) - 1);
	s->host_size = (size_t)(llabs(last) + 1) * f->item;
	s->host = malloc(s->host_size);
	s->plain = malloc(s->size);
	if (!s->host || !s->plain) {
		message_record(message, "no memory for a row");
		return NULL;
	}
	s->first = s->host + (last < 0 ? -last * (int64_t)f->item : 0);
	fill(s->host, s->host_size, 31);
	fill(s->plain, s->size, 7);
	return s;
}

bool bench_strided_baseline(struct bench *bench, struct bench_side *side,
			    struct message *message)
{
	struct strided *s;

	side->run = baseline_run;
	side->check = baseline_check;
	snprintf(side->name, sizeof(side->name), "a loop in C, %u threads",
		 bench->threads);
	s = open_strided(bench, side, message);
	if (s && s->form.pairs && !make_tables(s))
		return message_set(message, "no memory for a baseline");
	return s != NULL;
}

bool bench_strided_ours(struct bench *bench, struct bench_side *side,
			struct message *message)
{
	struct strided *s;

	side->run = bench->layout->reading ? to_run : from_run;
	side->check = bench->layout->reading ? to_check : from_check;
	s = open_strided(bench, side, message);
	if (!s)
		return false;
	if (bench->layout->reading &&
	    dpr_array_from_memory(
		    s->plain, DPR_SHAPE(s->form.rows, s->form.columns), NULL,
		    dtype_of(s->form.item), s->queue, &s->x))
		return bench_side_failed(message);
	return true;
}
