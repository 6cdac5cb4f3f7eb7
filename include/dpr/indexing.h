/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indexing.h - elements at places that arrays of indices name.
 *
 * Indices are arrays of any integer dtype.  A negative index counts from the
 * end of its axis, as in Python.
 */
#ifndef DPR_INDEXING_H
#define DPR_INDEXING_H

#include <dpr/array.h>

DPR_BEGIN_DECLS

/*
 * What becomes of an index that is not in its axis, of n elements.
 *
 * CHECK: an error.  The call waits for the work that writes the indices, and
 * for a reduction that tests them.  The other two never wait.
 * WRAP: the index counts modulo n, as in NumPy's mode "wrap".
 * CLIP: a greater index is n - 1.  A negative index is 0 and does not count
 * from the end, as in NumPy's mode "clip".
 */
typedef enum dpr_bounds {
	DPR_BOUNDS_CHECK = 0,
	DPR_BOUNDS_WRAP = 1,
	DPR_BOUNDS_CLIP = 2
} dpr_bounds;

DPR_END_DECLS

#endif
