/* SPDX-License-Identifier: Apache-2.0 */
/* indexing_bits.c - elements moved bit by bit: in parts, one by one, or several
   together. */
#include "core/array/indexing/indexing_bits.h"

#include <dpr/queue.h>

/* Whether @other has the shape of the indexed elements. */
static bool has_shape(const struct layout *place, const dpr_array *other)
{
	bool same = other->rank == place->rank;

	for (int d = 0; same && d < place->rank; d++)
		same = array_shape(other)[d] == place->dim[d];
	return same;
}

/* Whether @n neighbours along the last axis can be moved as one element: the
   indices do not move along this axis, the neighbours are contiguous, and the
   first of them is aligned everywhere. */
static bool move_together(const struct indexing *ix, const dpr_array *x,
			  const dpr_array *other, int n)
{
	const uintptr_t bytes = (uintptr_t)n * dpr_dtype_size(x->dtype);
	const struct layout *place = &ix->place;
	const int last = place->rank - 1;
	int64_t apart = place->offset | x->offset | other->offset;

	if (!indexing_has_rows(ix) || place->stride[last] != 1 ||
	    array_strides(other)[last] != 1 ||
	    (uintptr_t)dpr_usm_address(x->usm) % bytes ||
	    (uintptr_t)dpr_usm_address(other->usm) % bytes)
		return false;
	for (int d = 0; d < last; d++)
		if (place->dim[d] > 1)
			apart |= place->stride[d] | array_strides(other)[d];
	for (int i = 0; i < ix->n; i++)
		apart |= ix->array[i].stride;
	return (apart | place->dim[last]) % n == 0;
}

struct indexing_bits indexing_bits_of(const struct indexing *indexing,
				      const dpr_array *x,
				      const dpr_array *other)
{
	static const dpr_dtype dtypes[] = { [1] = DPR_UINT8,
					    [2] = DPR_UINT16,
					    [4] = DPR_UINT32,
					    [8] = DPR_UINT64,
					    [16] = DPR_COMPLEX128 };
	const int size = (int)dpr_dtype_size(x->dtype);
	const int most =
		dpr_dtype_computes(dpr_queue_device(x->queue), DPR_COMPLEX128)
			? 16
			: 8;
	int together = 1;

	if (size > most)
		return (struct indexing_bits){ dtypes[most], size / most, 1 };
	if (other && has_shape(&indexing->place, other))
		together = most / size;
	while (together > 1 && !move_together(indexing, x, other, together))
		together /= 2;
	return (struct indexing_bits){ dtypes[size * together], 1, together };
}

/* Convert @places: they count elements of the array, the result counts moved
   elements. */
static int64_t in_bits(int64_t places, struct indexing_bits bits)
{
	return places * bits.parts / bits.together;
}

/* Let a layout count moved elements (in_bits()). */
static void scale(struct layout *layout, struct indexing_bits bits)
{
	const int last = layout->rank - 1;

	layout->offset = in_bits(layout->offset, bits);
	for (int d = 0; d <= last; d++)
		layout->stride[d] = in_bits(layout->stride[d], bits);
	if (bits.together > 1) {
		layout->dim[last] /= bits.together;
		layout->stride[last] = 1;
	}
}

dpr_status indexing_bits_view(const dpr_array *other, struct indexing_bits bits,
			      int part, dpr_array **out)
{
	struct layout layout;

	array_layout(other, &layout);
	scale(&layout, bits);
	return array_make(bits.dtype, layout.rank, layout.dim, layout.stride,
			  layout.offset + part, other->usm, other->queue,
			  other->kind, out);
}

dpr_status indexing_bits_first(const dpr_array *x, struct indexing_bits bits,
			       int part, dpr_array **out)
{
	return array_make(bits.dtype, 0, NULL, NULL,
			  in_bits(x->offset, bits) + part, x->usm, x->queue,
			  x->kind, out);
}

struct indexing indexing_bits_places(const struct indexing *indexing,
				     struct indexing_bits bits)
{
	struct indexing places = *indexing;

	scale(&places.place, bits);
	for (int i = 0; i < places.n; i++) {
		dpr_array_retain(places.array[i].array);
		places.array[i].stride = in_bits(places.array[i].stride, bits);
	}
	return places;
}
