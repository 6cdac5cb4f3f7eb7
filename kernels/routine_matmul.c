/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routine_matmul.c - products of matrices on CPUs.
 *
 * A group computes tiles of the result.  For a tile, the group packs up to
 * ROUTINE_MATMUL_DEPTH columns of a, and as many rows of b, into local memory,
 * and multiplies them.  Then it goes on with the next columns and rows.  Packed
 * elements are in the order in which the inner loops read them, so these loops
 * do not depend on the strides of a and b.  The sums of a tile are in local
 * memory, too, and are stored when they are complete.
 *
 * The order of additions depends on k alone.  Each ROUTINE_MATMUL_DEPTH
 * products are added up, one after the other.  Their sum is then added to the
 * sum of all products before.
 */
#include "kernels/routine_matmul.h"

#include <stdbool.h>

#include "kernels/native.h"
#define DPR_DTYPE 12
#define DPR_DOUBLE 1
#include "kernels/types.cl"

/* The types in which products are computed.  Integers wrap, so all integers of
   up to 4 bytes are computed as uint32. */
enum compute {
	COMPUTE_UINT32,
	COMPUTE_UINT64,
	COMPUTE_FLOAT32,
	COMPUTE_FLOAT64,
	COMPUTE_COMPLEX64,
	COMPUTE_COMPLEX128,
	COMPUTES
};

typedef void multiply_fn(const void *left, const void *right, void *to,
			 int64_t k, int64_t line, bool adds);

/* The inner loops for a set of instructions. */
struct blocks {
	int64_t vector; /* bytes */
	multiply_fn *multiply[COMPUTES];
};

#if defined(__x86_64__) && defined(__GNUC__)
#define BLOCK_NAME(x) x##_512
#define BLOCK_BYTES 64
#define BLOCK_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
#include "kernels/routine_matmul_block.h"
#define BLOCK_NAME(x) x##_256
#define BLOCK_BYTES 32
#define BLOCK_TARGET __attribute__((target("avx2,fma")))
#include "kernels/routine_matmul_block.h"
#endif
#define BLOCK_NAME(x) x##_128
#define BLOCK_BYTES 16
#define BLOCK_TARGET
#include "kernels/routine_matmul_block.h"

/* Find the inner loops with the widest vectors that the CPU has.  @bytes is the
   size of a row of the result.  If the row fits into two vectors of 32 bytes,
   larger vectors would have nothing to do. */
static const struct blocks *find_blocks(int64_t bytes)
{
#if defined(__x86_64__) && defined(__GNUC__)
	if (bytes > 2 * blocks_256.vector &&
	    __builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
		return &blocks_512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return &blocks_256;
#else
	(void)bytes;
#endif
	return &blocks_128;
}

/* --- Packing -------------------------------------------------------------- */

/* A part of a or b: `lines` lines of `k` elements.  A line is a row of a or a
   column of b. */
struct part {
	const void *from; /* the first element */
	int64_t lines, k;
	int64_t line, step; /* strides, to the next line and along k */
	int64_t width;      /* lines that are packed together */
};

typedef void pack_fn(const struct part *p, void *to);
typedef void store_fn(const void *from, int64_t line, int64_t width, void *to,
		      const int64_t extent[2], const int64_t stride[2]);

/* Prefetch @bytes contiguous bytes, which are packed AHEAD turns later.  @at is
   the address that is packed now, and @next is the distance from there in
   bytes.  An address beyond the end of memory does no harm. */
#define AHEAD 8
static inline void fetch_ahead(const void *at, int64_t next, int64_t bytes)
{
	for (int64_t i = 0; i < bytes; i += 64)
		PREFETCH((const char *)((uintptr_t)at + (uint64_t)(next + i)));
}

/*
 * Define a function that packs a part.  A strip is `width` lines, and strips
 * are packed one after the other.  A strip has the elements of its lines at
 * step 0 of k, then the elements at step 1, and so on.  Lines beyond the end of
 * the part are 0.  PUT(at, i, x) stores x as the element of line i at a step.
 * The inner loop goes along lines if the elements of neighbouring lines are
 * neighbours in memory, else along k.
 */
#define PACK(NAME, S, E, PARTS, PUT)                                          \
	static void NAME(const struct part *p, void *packed)                  \
	{                                                                     \
		const int64_t width = p->width, k = p->k;                     \
		const int64_t size = sizeof(S);                               \
		const int64_t last = p->lines / width * width;                \
		const S *from = p->from;                                      \
		E *to = packed;                                               \
                                                                              \
		if (last < p->lines)                                          \
			memset(to + PARTS * k * last, 0,                      \
			       sizeof(E) * (size_t)(PARTS * k * width));      \
		if (p->line == 1) {                                           \
			for (int64_t s = 0; s < k; s++, from += p->step) {    \
				fetch_ahead(from, AHEAD *size * p->step,      \
					    size * p->lines);                 \
				for (int64_t l = 0; l < last; l += width)     \
					for (int64_t i = 0; i < width; i++)   \
						PUT(to + PARTS * (k * l +     \
								  width * s), \
						    i, from[l + i]);          \
				for (int64_t i = last; i < p->lines; i++)     \
					PUT(to + PARTS * (k * last +          \
							  width * s),         \
					    i - last, from[i]);               \
			}                                                     \
			return;                                               \
		}                                                             \
		for (int64_t l = 0; l < p->lines; l += width)                 \
			for (int64_t i = 0; i < width && l + i < p->lines;    \
			     i++, from += p->line) {                          \
				if (p->step == 1)                             \
					fetch_ahead(from,                     \
						    AHEAD *size * p->line,    \
						    size * k);                \
				for (int64_t s = 0; s < k; s++)               \
					PUT(to + PARTS * (k * l + width * s), \
					    i, from[p->step * s]);            \
			}                                                     \
	}

#define PUT_SAME(at, i, x) ((at)[i] = (x))
#define PUT_HALF(at, i, x) ((at)[i] = half_to_float(x))
#define PUT_BFLOAT(at, i, x) ((at)[i] = bfloat_to_float(x))
#define PUT_COMPLEX(at, i, x) ((at)[i] = (x).re, (at)[width + (i)] = (x).im)
PACK(pack_1, uint8_t, uint32_t, 1, PUT_SAME)
PACK(pack_2, uint16_t, uint32_t, 1, PUT_SAME)
PACK(pack_4, uint32_t, uint32_t, 1, PUT_SAME)
PACK(pack_8, uint64_t, uint64_t, 1, PUT_SAME)
PACK(pack_half, uint16_t, float, 1, PUT_HALF)
PACK(pack_bfloat, uint16_t, float, 1, PUT_BFLOAT)
PACK(pack_complex64, cfloat, float, 2, PUT_COMPLEX)
PACK(pack_complex128, cdouble, double, 2, PUT_COMPLEX)

/* --- Storing -------------------------------------------------------------- */

/* Define a function that stores a tile.  Rows of sums are `line` elements
   apart. */
#define STORE_TILE(NAME, E, S, GET)                                           \
	static void NAME(const void *sums, int64_t line, int64_t width,       \
			 void *to, const int64_t extent[2],                   \
			 const int64_t stride[2])                             \
	{                                                                     \
		const E *from = sums;                                         \
		S *out = to;                                                  \
                                                                              \
		(void)width;                                                  \
		for (int64_t i = 0; i < extent[0];                            \
		     i++, from += line, out += stride[0]) {                   \
			if (stride[1] == 1)                                   \
				for (int64_t j = 0; j < extent[1]; j++)       \
					out[j] = (S)GET(from[j]);             \
			else                                                  \
				for (int64_t j = 0; j < extent[1]; j++)       \
					out[stride[1] * j] = (S)GET(from[j]); \
		}                                                             \
	}
STORE_TILE(store_1, uint32_t, uint8_t, )
STORE_TILE(store_2, uint32_t, uint16_t, )
STORE_TILE(store_4, uint32_t, uint32_t, )
STORE_TILE(store_8, uint64_t, uint64_t, )
STORE_TILE(store_half, float, uint16_t, half_from_float)
STORE_TILE(store_bfloat, float, uint16_t, bfloat_from_float)

/* Define a function that stores a tile of complex numbers.  Of each @width
   sums, the real parts come first, then the imaginary parts. */
#define STORE_COMPLEX(NAME, E, S)                                           \
	static void NAME(const void *sums, int64_t line, int64_t width,     \
			 void *to, const int64_t extent[2],                 \
			 const int64_t stride[2])                           \
	{                                                                   \
		const E *from = sums;                                       \
		S *out = to;                                                \
                                                                            \
		for (int64_t i = 0; i < extent[0];                          \
		     i++, from += 2 * line, out += stride[0])               \
			for (int64_t j = 0; j < extent[1]; j++) {           \
				const E *x = from + j / width * 2 * width + \
					     j % width;                     \
				const S z = { x[0], x[width] };             \
                                                                            \
				out[stride[1] * j] = z;                     \
			}                                                   \
	}
STORE_COMPLEX(store_complex64, float, cfloat)
STORE_COMPLEX(store_complex128, double, cdouble)

/* --- Tiles ---------------------------------------------------------------- */

/* How elements of a dtype are computed. */
struct matmul_kind {
	int64_t size;  /* the bytes of an element in memory */
	int64_t bytes; /* the bytes of an element as it is computed */
	enum compute compute;
	pack_fn *pack;
	store_fn *store;
};

/* The state of a work-group that runs.  The packed elements and the sums are in
   local memory. */
struct matmul_work {
	const struct routine_matmul *w;
	const struct matmul_kind *kind;
	const struct blocks *blocks;
	const char *a, *b;
	char *c;
	char *packed_a, *packed_b, *sums;
	int64_t width; /* the columns of a line */
	/* the first row and column of the tile, and its extents */
	int64_t row, column;
	int64_t extent[2];
	int64_t base[3]; /* the offsets of the tile's matrices */
};

static void find_tile(struct matmul_work *k, int64_t tile)
{
	const struct routine_matmul *w = k->w;
	const int64_t in_one = w->down * w->across;
	int64_t rest = tile / in_one;
	const int64_t at = tile % in_one;

	k->row = at / w->across * w->rows;
	k->column = at % w->across * w->columns;
	k->extent[0] = w->m - k->row < w->rows ? w->m - k->row : w->rows;
	k->extent[1] =
		w->n - k->column < w->columns ? w->n - k->column : w->columns;
	for (int x = 0; x < 3; x++)
		k->base[x] = w->offset[x];
	for (int64_t d = w->axes - 1; d >= 0; d--) {
		for (int x = 0; x < 3; x++)
			k->base[x] += rest % w->extent[d] * w->stride[x][d];
		rest /= w->extent[d];
	}
}

/* Pack steps @begin to @begin + @n of a and b. */
static void pack(const struct matmul_work *k, int64_t begin, int64_t n)
{
	const struct routine_matmul *w = k->w;
	const struct part a = {
		.from = k->a +
			k->kind->size * (k->base[0] + k->row * w->row[0] +
					 begin * w->column[0]),
		.lines = k->extent[0],
		.k = n,
		.line = w->row[0],
		.step = w->column[0],
		.width = ROUTINE_MATMUL_ROWS,
	};
	const struct part b = {
		.from = k->b + k->kind->size * (k->base[1] + begin * w->row[1] +
						k->column * w->column[1]),
		.lines = k->extent[1],
		.k = n,
		.line = w->column[1],
		.step = w->row[1],
		.width = k->width,
	};

	k->kind->pack(&a, k->packed_a);
	k->kind->pack(&b, k->packed_b);
}

/* Multiply the @n packed steps.  Pass @adds = true to add the products to the
   sums of earlier steps. */
static void multiply(const struct matmul_work *k, int64_t n, bool adds)
{
	multiply_fn *const call = k->blocks->multiply[k->kind->compute];
	const int64_t bytes = k->kind->bytes;

	for (int64_t j = 0; j < k->extent[1]; j += k->width)
		for (int64_t i = 0; i < k->extent[0]; i += ROUTINE_MATMUL_ROWS)
			call(k->packed_a + bytes * i * n,
			     k->packed_b + bytes * j * n,
			     k->sums + bytes * (i * k->w->columns + j), n,
			     k->w->columns, adds);
}

static void run_tile(struct matmul_work *k, int64_t tile)
{
	const struct routine_matmul *w = k->w;
	const int64_t to[] = { w->row[2], w->column[2] };
	int64_t n;

	find_tile(k, tile);
	for (int64_t p = 0; p < w->k; p += n) {
		n = w->k - p < ROUTINE_MATMUL_DEPTH ? w->k - p
						    : ROUTINE_MATMUL_DEPTH;
		pack(k, p, n);
		multiply(k, n, p > 0);
	}
	k->kind->store(k->sums, w->columns, k->width,
		       k->c + k->kind->size * (k->base[2] + k->row * to[0] +
					       k->column * to[1]),
		       k->extent, to);
}

static void run_group(const void *const *args, uint64_t group,
		      const struct matmul_kind *kind)
{
	const struct routine_matmul *w = args[3];
	const int64_t depth = kind->bytes * routine_matmul_depth(w);
	const int64_t first = (int64_t)group * w->each;
	const int64_t last =
		w->tiles - first < w->each ? w->tiles : first + w->each;
	struct matmul_work k = {
		.w = w,
		.kind = kind,
		.blocks = find_blocks(kind->bytes * w->n),
		.a = *(const void *const *)args[0],
		.b = *(const void *const *)args[1],
		.c = *(void *const *)args[2],
		.packed_b = *(char *const *)args[4],
	};

	/* Vectors are aligned as local memory is, because rows of b and of the
	   sums are whole lines. */
	k.sums = k.packed_b + depth * w->columns;
	k.packed_a = k.sums + kind->bytes * w->rows * w->columns;
	k.width = 2 * k.blocks->vector / kind->bytes;
	for (int64_t tile = first; tile < last; tile++)
		run_tile(&k, tile);
}

/* --- Kernels -------------------------------------------------------------- */

static const dprp_param params[] = {
	{ DPRP_ARG_MEM, 0, 0 },   { DPRP_ARG_MEM, 0, 0 },
	{ DPRP_ARG_MEM, 0, 0 },   { DPRP_ARG_VALUE, 0, 0 },
	{ DPRP_ARG_LOCAL, 0, 0 },
};

/* Integers wrap, so the kernels of unsigned integers are for signed ones, too.
 */
/* clang-format off */
#define KINDS(X) \
	X(uint8, 1, 4, UINT32, pack_1, store_1) \
	X(uint16, 2, 4, UINT32, pack_2, store_2) \
	X(uint32, 4, 4, UINT32, pack_4, store_4) \
	X(uint64, 8, 8, UINT64, pack_8, store_8) \
	X(float16, 2, 4, FLOAT32, pack_half, store_half) \
	X(bfloat16, 2, 4, FLOAT32, pack_bfloat, store_bfloat) \
	X(float32, 4, 4, FLOAT32, pack_4, store_4) \
	X(float64, 8, 8, FLOAT64, pack_8, store_8) \
	X(complex64, 8, 8, COMPLEX64, pack_complex64, store_complex64) \
	X(complex128, 16, 16, COMPLEX128, pack_complex128, store_complex128)
/* clang-format on */

#define KIND_RUN(NAME, SIZE, BYTES, COMPUTE, PACK_FN, STORE_FN)               \
	static void run_##NAME(const void *const *args, const uint64_t *all,  \
			       const uint64_t *items, const uint64_t *group)  \
	{                                                                     \
		static const struct matmul_kind kind = { SIZE, BYTES,         \
							 COMPUTE_##COMPUTE,   \
							 PACK_FN, STORE_FN }; \
                                                                              \
		(void)all;                                                    \
		(void)items;                                                  \
		run_group(args, group[0], &kind);                             \
	}
KINDS(KIND_RUN)

#define KIND_KERNEL(NAME, ...) { "matmul_" #NAME, run_##NAME, 5, 0, params },
static const dprp_native_kernel kernels[] = { KINDS(KIND_KERNEL) };

const dprp_native_module routine_matmul_module = { sizeof(dprp_native_module),
						   sizeof(kernels) /
							   sizeof(kernels[0]),
						   0, kernels };
