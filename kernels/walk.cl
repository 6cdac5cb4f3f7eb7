/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.cl - which elements a kernel visits, and how its work-items share them.
 *
 * Operand 0 is the result.  Offsets and strides are in elements; axis 0 is the
 * innermost.  Kernels come in these shapes, and in some more, which are
 * described where they are defined:
 *   _c  along axis 0 the stride of the result is 1, and each other's 1 or 0
 *   _s  any strides
 * On a CPU (DPR_CPU 1) a work-item takes RUN neighbours along axis 0, on other
 * devices one element; there _c has a single axis.  Work-items beyond the end
 * do nothing.
 */
#define WALK_RANK 8
#define WALK_OPERANDS 4

/* The struct of core/array/launch/walk.c, which must be the same.  No
   padding. */
typedef struct {
	int operation, rank;
	uint scalars; /* bit k: operand k + 1 is value[k] */
	uint flags;
	long rows; /* the product of the outer extents */
	long count; /* number of all elements */
	scalar value[WALK_OPERANDS - 1];
	long offset[WALK_OPERANDS];
	long shape[WALK_RANK];
	long stride[WALK_OPERANDS][WALK_RANK];
} walk;

#define WALK_SMALL 2u /* count is less than 2^31 */
#define WALK_STREAM 8u /* the result is not read soon */

/* Get where the operands of a work-item's run begin.  Returns the length of the
   run; 0: there is none.  @operands is a constant, so the compiler can unroll
   the loops over it. */
static inline int walk_run(const walk *w, ulong id, int operands, long *at)
{
	ulong chunks = ((ulong)w->shape[0] + (RUN - 1)) / RUN;
	ulong row = w->rows == 1 ? 0 : id / chunks;
	ulong begin = (id - row * chunks) * RUN;
	long left;

	if (row >= (ulong)w->rows || begin >= (ulong)w->shape[0])
		return 0;
	for (int k = 0; k < operands; k++)
		at[k] = w->offset[k] + (long)begin * w->stride[k][0];
	for (int d = 1; d < w->rank; d++) {
		ulong next = row / (ulong)w->shape[d];
		long i = (long)(row - next * (ulong)w->shape[d]);

		row = next;
		for (int k = 0; k < operands; k++)
			at[k] += i * w->stride[k][d];
	}
	left = w->shape[0] - (long)begin;
	return left < RUN ? (int)left : RUN;
}

/* Get where the operands of element @id are.  Returns 0 if there is no such
   element. */
static inline int walk_element(const walk *w, ulong id, int operands, long *at)
{
	if (id >= (ulong)w->count)
		return 0;
	for (int k = 0; k < operands; k++)
		at[k] = w->offset[k];
	if (w->flags & WALK_SMALL) {
		uint rest = (uint)id;

		for (int d = 0; d < w->rank; d++) {
			uint extent = (uint)w->shape[d], next = rest / extent;
			long i = (long)(rest - next * extent);

			rest = next;
			for (int k = 0; k < operands; k++)
				at[k] += i * w->stride[k][d];
		}
	} else {
		ulong rest = id;

		for (int d = 0; d < w->rank; d++) {
			ulong extent = (ulong)w->shape[d], next = rest / extent;
			long i = (long)(rest - next * extent);

			rest = next;
			for (int k = 0; k < operands; k++)
				at[k] += i * w->stride[k][d];
		}
	}
	return 1;
}

/*
 * ENTRY_n(NAME, types...): the kernel NAME with n pointers and a walk.  Each of
 * its work-items calls NAME_item().  In native code a work-group is a function
 * that loops over its items.
 */
#ifdef DPR_NATIVE
#define ENTRY(NAME, N, CALL) \
	NATIVE_CLONES static void NAME##_run(const void *const *args, \
		const uint64_t *global_size, const uint64_t *local_size, \
		const uint64_t *group) \
	{ \
		const walk *w = (const walk *)args[N]; \
		ulong id = group[0] * local_size[0]; \
		ulong end = id + local_size[0]; \
		(void)global_size; \
		for (; id < end; id++) \
			CALL; \
	} \
	static const dprp_param NAME##_params[] = { NATIVE_MEM_##N, \
		{ DPRP_ARG_VALUE, 0, sizeof(walk) } };
#define NATIVE_POINTER(T_, i) ((T_ *)*(void *const *)args[i])
#define ENTRY_1(NAME, R) ENTRY(NAME, 1, NAME##_item(id, NATIVE_POINTER(R, 0), w))
#else
#define ENTRY_1(NAME, R) \
	kernel void NAME(global R *out, const walk w) \
	{ \
		NAME##_item(get_global_id(0), out, &w); \
	}
#endif
