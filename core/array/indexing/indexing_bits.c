/* SPDX-License-Identifier: Apache-2.0 */
/* indexing_bits.c - elements moved bit by bit, in whole or in halves. */
#include "core/array/indexing/indexing_bits.h"

#include <dpr/queue.h>

struct indexing_bits indexing_bits_of(const dpr_array *x)
{
	static const dpr_dtype dtypes[] = { [1] = DPR_UINT8,
					    [2] = DPR_UINT16,
					    [4] = DPR_UINT32,
					    [8] = DPR_UINT64,
					    [16] = DPR_COMPLEX128 };
	const size_t size = dpr_dtype_size(x->dtype);

	if (size == 16 &&
	    !dpr_dtype_computes(dpr_queue_device(x->queue), DPR_COMPLEX128))
		return (struct indexing_bits){ DPR_UINT64, 2 };
	return (struct indexing_bits){ dtypes[size], 1 };
}

dpr_status indexing_bits_view(const dpr_array *x, struct indexing_bits bits,
			      int part, dpr_array **out)
{
	struct layout layout;

	array_layout(x, &layout);
	for (int d = 0; d < layout.rank; d++)
		layout.stride[d] *= bits.parts;
	return array_make(bits.dtype, layout.rank, layout.dim, layout.stride,
			  layout.offset * bits.parts + part, x->usm, x->queue,
			  x->kind, out);
}

struct indexing indexing_bits_places(const struct indexing *indexing,
				     struct indexing_bits bits)
{
	struct indexing places = *indexing;

	places.place.offset *= bits.parts;
	for (int d = 0; d < places.place.rank; d++)
		places.place.stride[d] *= bits.parts;
	for (int i = 0; i < places.n; i++) {
		dpr_array_retain(places.array[i].array);
		places.array[i].stride *= bits.parts;
	}
	return places;
}
