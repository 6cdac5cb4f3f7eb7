/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_lapack_help.c - launches of our own kernels (calls.ptx) before and after
   the calls of a library. */
#include "backends/cuda/calls/cuda_lapack.h"

#define THREADS 256
#define MOST_BLOCKS 65536 /* of kernels in which threads loop */

static dprp_rc launch(const struct cuda_lapack *l, int kernel, uint64_t blocks,
		      void **params)
{
	return CUDA_TRY_ON(l->scope->device, cuLaunchKernel,
			   (CUfunction)l->call->help[kernel], (unsigned)blocks,
			   1, 1, THREADS, 1, 1, 0, l->stream, params, NULL);
}

static uint64_t blocks_for(uint64_t n)
{
	const uint64_t blocks = (n + THREADS - 1) / THREADS;

	return blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
}

dprp_rc cuda_lapack_help_addresses(const struct cuda_lapack *l, CUdeviceptr to,
				   uintptr_t base, int64_t step, int64_t n)
{
	uint64_t place = to, from = base, stride = (uint64_t)step,
		 count = (uint64_t)n;
	void *params[] = { &place, &from, &stride, &count };

	return launch(l, CUDA_HELP_ADDRESSES, blocks_for(count), params);
}

dprp_rc cuda_lapack_help_widen(const struct cuda_lapack *l, int arg,
			       CUdeviceptr from, int64_t n)
{
	uint64_t to = l->arg[arg], stride = (uint64_t)l->step[arg],
		 place = from, each = (uint64_t)n,
		 total = each * (uint64_t)l->v.count;
	void *params[] = { &to, &stride, &place, &each, &total };

	return launch(l, CUDA_HELP_WIDEN, blocks_for(total), params);
}

dprp_rc cuda_lapack_help_diagonal(const struct cuda_lapack *l)
{
	uint64_t a = l->arg[0], stride = (uint64_t)l->step[0],
		 step = (uint64_t)((l->v.leading[0] + 1) * l->dtype->item),
		 info = l->arg[l->infos],
		 info_step = (uint64_t)l->step[l->infos];
	/* A diagonal of ones is not read: no element of it counts. */
	uint32_t n = cuda_lapack_has(l, DPRP_LAPACK_UNIT) ? 0
							  : (uint32_t)l->v.n,
		 words = (uint32_t)l->dtype->item / 4;
	/* The words at even places are signs in single precision. */
	uint32_t mask = l->dtype->real == 4 ? 0x7fffffff : 0xffffffff;
	void *params[] = { &a,     &step, &stride, &n,
			   &words, &mask, &info,   &info_step };

	return launch(l, CUDA_HELP_DIAGONAL, (uint64_t)l->v.count, params);
}

dprp_rc cuda_lapack_help_copy(const struct cuda_lapack *l,
			      const struct cuda_matrices *to,
			      const struct cuda_matrices *from, int64_t rows,
			      int64_t columns, int64_t count, int part)
{
	struct cuda_matrices t = *to, f = *from;
	uint64_t m = (uint64_t)rows, n = (uint64_t)columns,
		 total = m * n * (uint64_t)count;
	uint32_t words = (uint32_t)l->dtype->item / 4, which = (uint32_t)part;
	/* The last word of a complex number has the sign of its imaginary part. */
	uint32_t flip = part == CUDA_PART_CONJUGATED &&
					l->dtype->item != l->dtype->real
				? 0x80000000u
				: 0;
	void *params[] = { &t.at,   &t.step, &t.row,    &t.column, &f.at,
			   &f.step, &f.row,  &f.column, &m,        &n,
			   &total,  &words,  &which,    &flip };

	return launch(l, CUDA_HELP_COPY, blocks_for(total), params);
}

dprp_rc cuda_lapack_help_spread(const struct cuda_lapack *l, CUdeviceptr from,
				int64_t i)
{
	void *to = cuda_lapack_at(l, 2, i), *w = cuda_lapack_at(l, 1, i);
	uint64_t stride = (uint64_t)(l->v.leading[2] * 2 * l->dtype->item),
		 place = from, n = (uint64_t)l->v.n;
	uint32_t words = (uint32_t)l->dtype->item / 4;
	void *params[] = { &to, &stride, &place, &w, &n, &words };

	return launch(l, CUDA_HELP_SPREAD, blocks_for(n * n), params);
}

/* Set the int32 at @flags of each matrix that is to be marked. */
static dprp_rc mark(const struct cuda_lapack *l, uintptr_t flags, bool infinite)
{
	const bool is_double = l->dtype->real == 8;
	uint64_t a = l->arg[0], stride = (uint64_t)l->step[0],
		 column = (uint64_t)(l->v.leading[0] * l->dtype->item),
		 rows = (uint64_t)(l->v.m * l->dtype->item / 4),
		 columns = (uint64_t)l->v.n, place = flags,
		 total = rows * columns * (uint64_t)l->v.count;
	uint32_t most = (is_double ? 0x7ff00000u : 0x7f800000u) - infinite,
		 skip = is_double;
	void *params[] = { &a,     &stride, &column, &rows, &columns,
			   &total, &place,  &most,   &skip };

	return launch(l, CUDA_HELP_MARK, blocks_for(total), params);
}

dprp_rc cuda_lapack_help_mark(const struct cuda_lapack *l, CUdeviceptr flags,
			      bool infinite)
{
	const dprp_rc rc =
		CUDA_TRY_ON(l->scope->device, cuMemsetD32Async, flags, 0,
			    (size_t)l->v.count, l->stream);

	return rc ? rc : mark(l, flags, infinite);
}

dprp_rc cuda_lapack_help_mark_infos(const struct cuda_lapack *l)
{
	return mark(l, l->arg[l->infos], true);
}

dprp_rc cuda_lapack_help_spoil(const struct cuda_lapack *l, CUdeviceptr flags,
			       int64_t i, int64_t count)
{
	void *a = cuda_lapack_at(l, 0, i);
	uint64_t stride = (uint64_t)l->step[0],
		 step = (uint64_t)((l->v.leading[0] + 1) * l->dtype->item),
		 n = (uint64_t)(l->v.m < l->v.n ? l->v.m : l->v.n),
		 total = n * (uint64_t)count,
		 place = flags + (uint64_t)i * sizeof(int32_t);
	uint32_t words = (uint32_t)l->dtype->real / 4;
	void *params[] = { &a, &stride, &step, &n, &total, &place, &words };

	return launch(l, CUDA_HELP_SPOIL, blocks_for(total), params);
}
