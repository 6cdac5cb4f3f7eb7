/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm.cl - the functions of native code (vm.h) that work on a block of elements:
 * the operations of one dtype, its casts, or the moves of elements of one size.
 *
 * The number of elements is a multiple of VM_UNIT.  The compiler sees this, so
 * vectorised loops need no code for a remainder.
 */
#define VM_ENTRY_OF(NAME, CLONES) \
	CLONES static void NAME(unsigned code, int units, void *to, \
		const void *p, const void *q, const void *r)
#define VM_ENTRY(NAME) VM_ENTRY_OF(NAME, NATIVE_CLONES)

#if NATIVE_UNIT == 1 && DPR_DTYPE != 10 && DPR_DTYPE != 11
#define VM_OPERANDS_1 const C x = a[i];
#define VM_OPERANDS_2 VM_OPERANDS_1 const C y = b[i];
#define VM_OPERANDS_3 VM_OPERANDS_2 const C z = c[i];
#define VM_LOOP(how, kind, e, OPERANDS) \
	how for (int i = 0; i < n; i++) \
	{ \
		OPERANDS \
		STORE_##kind(out_##kind, i, (e)); \
	}
#define VM_CASE(kind, k, e, OPERANDS) \
	case k: \
		VM_LOOP(INDEPENDENT, kind, e, OPERANDS) \
		break;
#define VM_GUARDED(kind, k, e, guard, slow, OPERANDS) \
	case k: { \
		int any = 0; \
		for (int i = 0; i < n; i++) { \
			OPERANDS \
			any |= (guard); \
		} \
		if (any) { \
			VM_LOOP(PLAIN, kind, slow, OPERANDS) \
			break; \
		} \
		VM_LOOP(INDEPENDENT, kind, e, OPERANDS) \
		break; \
	}
#define VM_1(kind, k, e) VM_CASE(kind, k, e, VM_OPERANDS_1)
#define VM_2(kind, k, e) VM_CASE(kind, k, e, VM_OPERANDS_2)
/* For VM_ONE_X and VM_ONE_Y: x0 or y0 is the operand that is a single element.
 */
#define VM_OPERANDS_FIXED \
	const C x1 = a[i], y1 = b[i]; \
	const C x = one_x ? x0 : x1; \
	const C y = one_y ? y0 : y1;
#define VM_FIXED_2(kind, k, e) \
	case k: \
		if (one_x || one_y) \
			VM_LOOP(INDEPENDENT, kind, e, VM_OPERANDS_FIXED) \
		else \
			VM_LOOP(INDEPENDENT, kind, e, VM_OPERANDS_2) \
		break;
#define VM_3(kind, k, e) VM_CASE(kind, k, e, VM_OPERANDS_3)
#define VM_GUARDED_1(kind, k, e, guard, slow) \
	VM_GUARDED(kind, k, e, guard, slow, VM_OPERANDS_1)
#define VM_GUARDED_2(kind, k, e, guard, slow) \
	VM_GUARDED(kind, k, e, guard, slow, VM_OPERANDS_2)
#define VM_GUARDED_3(kind, k, e, guard, slow) VM_3(kind, k, slow)

/* Declare the operands, and the result as each type that it may have: T, bool
   and, for complex numbers, the real type F. */
#if KIND_C
#define VM_PART F *out_r = to;
#else
#define VM_PART
#endif
#define VM_TYPED \
	const int n = units * VM_UNIT; \
	const T *a = p, *b = q, *c = r; \
	T *out_t = to; \
	uchar *out_b = to; \
	VM_PART

/* Pairs of operations on floats (VM_PAIR() of vm.h).  Each operation is
   rounded. */
#ifndef ROUNDED
#define ROUNDED(product) (product)
#endif
#if KIND_F
#define VM_PAIR_OF(form, first, e, OPERANDS) \
	case VM_PAIR(VM_##first, form): { \
		VM_LOOP(INDEPENDENT, t, e, OPERANDS) \
		break; \
	}
#define VM_PAIRS_OF(first, xy) \
	VM_PAIR_OF(VM_PLUS, first, (xy) + z, VM_OPERANDS_3) \
	VM_PAIR_OF(VM_MINUS, first, (xy) - z, VM_OPERANDS_3) \
	VM_PAIR_OF(VM_FROM, first, z - (xy), VM_OPERANDS_3) \
	VM_PAIR_OF(VM_TIMES, first, (xy) * z, VM_OPERANDS_3) \
	VM_PAIR_OF(VM_OVER, first, (xy) / z, VM_OPERANDS_3) \
	VM_PAIR_OF(VM_UNDER, first, z / (xy), VM_OPERANDS_3) \
	VM_PAIR_OF(VM_ROOT, first, sqrt(xy), VM_OPERANDS_2)
#define VM_ROOTS_OF(first, xy) \
	VM_PAIR_OF(VM_ROOT_PLUS, first, sqrt((xy) + z), VM_OPERANDS_3) \
	VM_PAIR_OF(VM_ROOT_MINUS, first, sqrt((xy) - z), \
		VM_OPERANDS_3) \
	VM_PAIR_OF(VM_ROOT_FROM, first, sqrt(z - (xy)), VM_OPERANDS_3)
#define VM_PAIRS \
	VM_ROOTS_OF(ADD, x + y) \
	VM_ROOTS_OF(SUBTRACT, x - y) \
	VM_ROOTS_OF(MULTIPLY, ROUNDED(x * y)) \
	VM_PAIRS_OF(ADD, x + y) \
	VM_PAIRS_OF(SUBTRACT, x - y) \
	VM_PAIRS_OF(MULTIPLY, ROUNDED(x * y))
#else
#define VM_PAIRS
#endif

/* vm_operation() computes the cheap operations, and vm_math() the long ones.
   Without the long operations, vm_operation() needs fewer registers and starts
   faster. */
VM_ENTRY(vm_operation)
{
	const int one_x = code & VM_ONE_X, one_y = code & VM_ONE_Y;
	VM_TYPED
	const C x0 = *a, y0 = one_y ? *b : x0;

	a = one_x ? b : a;
	b = one_y ? a : b;
	switch (code & VM_CODE) {
		OPS_OF(arith1t)(VM_1, VM_GUARDED_1)
		OPS_OF(arith1r)(VM_1, VM_GUARDED_1)
		OPS_OF(arith2t)(VM_FIXED_2, VM_GUARDED_2)
		OPS_OF(arith3t)(VM_3, VM_GUARDED_3)
		OPS_OF(compare1b)(VM_1, VM_GUARDED_1)
		OPS_OF(compare2b)(VM_FIXED_2, VM_GUARDED_2)
		VM_PAIRS
	}
}

#if HAS(math1t) || HAS(math2t)
#if KIND_F
#define VM_MATH_PAIRS \
	case VM_EXP_DIFFERENCE: \
		VM_LOOP(INDEPENDENT, t, f_exp(x - y), VM_OPERANDS_2) \
		break;
VM_ENTRY_OF(vm_math, NATIVE_CLONES_LONG)
#else
#define VM_MATH_PAIRS
VM_ENTRY(vm_math)
#endif
{
	VM_TYPED

	(void)r;
	switch (code) {
		OPS_OF(math1t)(VM_1, VM_GUARDED_1)
		OPS_OF(math1r)(VM_1, VM_GUARDED_1)
		OPS_OF(math2t)(VM_2, VM_GUARDED_2)
		VM_MATH_PAIRS
	}
}
#endif
#endif

#if NATIVE_UNIT == 1 || NATIVE_UNIT == 2
/* Casts to dtypes with doubles are in a native unit of their own
   (native_unit.h). */
#if DPR_DTYPE == 13 || DPR_DTYPE == 15
#define VM_CASTS(X) CONVERT_OTHERS(X) CONVERT_DOUBLES(X)
#elif HAS_DOUBLE
#define VM_CASTS(X) CONVERT_DOUBLES(X)
#else
#define VM_CASTS(X) CONVERT_OTHERS(X)
#endif
#define VM_CAST_CASE(dtype, D, value) \
	case dtype: { \
		D *out = to; \
		INDEPENDENT for (int i = 0; i < n; i++) \
		{ \
			const C v = LOAD(a, i); \
			out[i] = (value); \
		} \
		break; \
	}

/* VM_CAST_HALVES() casts to float16, or from float16 to float32, with
   instructions of the CPU.  The value is 1 if the cast is done.  The value is 0
   if the CPU has no such instructions, or if @code is another cast. */
#if NATIVE_UNIT == 1 && defined(NATIVE_HALVES) && DPR_DTYPE == 10
#define VM_CAST_HALVES(code, to, from, n) \
	((code) == 12 && vm_half_is_there() && \
		(vm_half_to_floats((to), (from), (n)), 1))
#elif NATIVE_UNIT == 1 && defined(NATIVE_HALVES) && DPR_DTYPE == 12
#define VM_CAST_HALVES(code, to, from, n) \
	((code) == 10 && vm_half_is_there() && \
		(vm_half_from_floats((to), (from), (n)), 1))
#elif NATIVE_UNIT == 1 && defined(NATIVE_HALVES) && DPR_DTYPE < 10
#define VM_CAST_HALVES(code, to, from, n) \
	((code) == 10 && vm_half_is_there() && \
		(vm_cast_to_halves((to), (from), (n)), 1))

/* Cast integers to float16, by way of float32 in `part`.  @to may be @from if
   integers have 16 bits, because all elements of a part are read before the
   first of its results is written. */
static inline void vm_cast_to_halves(ushort *to, const T *from, int n)
{
	float part[VM_RUN];

	for (int done = 0; done < n; done += VM_RUN) {
		const int m = n - done < VM_RUN ? n - done : VM_RUN;

		INDEPENDENT for (int i = 0; i < m; i++)
		{
			const C v = from[done + i];

			part[i] = TO_HALF(v);
		}
		vm_half_from_floats(to + done, part, m);
	}
}
#else
#define VM_CAST_HALVES(code, to, from, n) 0
#endif

VM_ENTRY(vm_cast)
{
	const int n = units * VM_UNIT;
	const T *a = p;

	(void)q;
	(void)r;
	if (VM_CAST_HALVES(code, to, a, n))
		return;
	switch (code) {
		VM_CASTS(VM_CAST_CASE)
	}
}
#endif

#if NATIVE_UNIT == 3
/* The number of elements along each side of a tile: VM_TRANSPOSED() of vm.h. */
#define TILE (DPR_ITEM == 1 ? 128 : DPR_ITEM <= 4 ? 64 : 32)

static inline void vm_put_row(M *to, const M *from, long n, int past_caches)
{
	STREAM_UNIT *units = (STREAM_UNIT *)to;

	if (!past_caches) {
		INDEPENDENT for (long i = 0; i < n; i++)
			to[i] = from[i];
		return;
	}
	for (ulong i = 0; i < sizeof(M) * TILE / sizeof(STREAM_UNIT); i++)
		STREAM(((const STREAM_UNIT *)from)[i], units + i);
}

/*
 * Transpose a tile, or a part of a tile at an edge.  The source is contiguous
 * along axis 1, and the result along axis 0.  The elements go through the
 * buffer `block`, so that whole cache lines are read and written.
 */
static inline void vm_transpose_tile(const struct vm_move *m, int past_caches)
{
	const long sa = m->from_step[0], so = m->to_step[1];
	const int ni = (int)m->n[0], nj = (int)m->n[1];
	M block[TILE][TILE] __attribute__((aligned(64)));
	const M *from = m->from;
	M *to = m->to;

	TRANSPOSE_NAME(transpose)(block[0], TILE, from, sa, ni, nj);
	for (int j = 0; j < nj; j++) {
		vm_put_row(to + j * so, block[j], ni, past_caches);
		/* The next tile along axis 0 is most likely transposed next:
		   prefetch its rows. */
		if (m->next && nj == TILE)
			TRANSPOSE_NAME(fetch)(from + (TILE + j) * sa, TILE);
	}
}

/* Copy the elements of @from at the places @at.  Often all places of a unit are
   neighbours, for example where whole rows are taken.  Such a unit is copied as
   a whole, which is faster. */
static inline void vm_gather(M *out, const long *at, const M *from, int n)
{
	for (int i = 0; i < n; i += VM_UNIT) {
		const M *row = from + at[i];
		ulong apart = 0;

		INDEPENDENT for (int k = 0; k < VM_UNIT; k++)
			apart |= (ulong)(at[i + k] - at[i] - k);
		if (apart)
			INDEPENDENT for (int k = 0; k < VM_UNIT; k++)
				out[i + k] = from[at[i + k]];
		else
			INDEPENDENT for (int k = 0; k < VM_UNIT; k++)
				out[i + k] = row[k];
	}
}

VM_ENTRY(vm_move)
{
	const int n = units * VM_UNIT;
	const M *a = p, *b = q, *c = r;
	const uchar *condition = p;
	M *out = to;

	if (code == VM_WHERE)
		INDEPENDENT for (int i = 0; i < n; i++)
		{
			const M x = b[i], y = c[i];

			out[i] = condition[i] ? x : y;
		}
	else if (code == VM_GATHER)
		vm_gather(out, p, b, n);
	else
		INDEPENDENT for (int i = 0; i < n; i++)
			out[i] = a[i];
}

#define VM_ROWS(to_0, from_0) \
	for (long j = 0; j < nj; j++) { \
		const M *a = from + j * from_j; \
		M *out = to + j * to_j; \
\
		INDEPENDENT for (long i = 0; i < ni; i++) \
			out[i * (to_0)] = a[i * (from_0)]; \
	}

/* Fill each row of the result with one element: row j with element j of the
   source. */
#define VM_SAME_ROWS(to_0) \
	for (long j = 0; j < nj; j++) { \
		const M v = from[j * from_j]; \
		M *out = to + j * to_j; \
\
		for (long i = 0; i < ni; i++) \
			out[i * (to_0)] = v; \
	}

/* Do the same as VM_SAME_ROWS(), for rows that are contiguous.  The whole units
   of a row are filled first, and then the rest. */
static inline void vm_same_rows(M *to, const M *from,
	const struct vm_move *m)
{
	const long ni = m->n[0], whole = ni / VM_UNIT * VM_UNIT;

	for (long j = 0; j < m->n[1]; j++) {
		const M v = from[j * m->from_step[1]];
		M *out = to + j * m->to_step[1];

		for (long i = 0; i < whole; i += VM_UNIT)
			for (int k = 0; k < VM_UNIT; k++)
				out[i + k] = v;
		for (long i = whole; i < ni; i++)
			out[i] = v;
	}
}

#define VM_AHEAD 16 /* the number of rows to prefetch ahead */

/* Copy and transpose.  The source is contiguous along axis 0, and the result
   along axis 1.  Squares of SIDE x SIDE elements are transposed in registers,
   see kernels/transpose.cl. */
static inline void vm_transpose(M *to, const M *from, const struct vm_move *m)
{
	const long ni = m->n[0], nj = m->n[1];
	const long to_i = m->to_step[0], from_j = m->from_step[1];
	const long whole_i = ni / SIDE * SIDE, whole_j = nj / SIDE * SIDE;

	for (long j = 0; j < whole_j; j += SIDE) {
		/* Each row may be in another page, and processors do not
		   prefetch across pages. */
		for (int k = 0; k < SIDE; k++)
			for (long i = 0; i < ni; i += 64 / DPR_ITEM)
				PREFETCH(from + (j + k + VM_AHEAD) * from_j + i);
		for (long i = 0; i < whole_i; i += SIDE) {
			side v[SIDE];

			UNROLL for (int k = 0; k < SIDE; k++)
				v[k] = *(const side_anywhere
						*)(from + (j + k) * from_j + i);
			TRANSPOSE(v)
			UNROLL for (int k = 0; k < SIDE; k++)
				*(side_anywhere *)(to + (i + k) * to_i + j) =
					v[k];
		}
	}
	for (long j = 0; j < nj; j++)
		for (long i = j < whole_j ? whole_i : 0; i < ni; i++)
			to[i * to_i + j] = from[j * from_j + i];
}

/* Copy rows of elements.  The inner loop goes along axis 0. */
NATIVE_CLONES static void vm_mover_rows(const struct vm_move *m)
{
	const long ni = m->n[0], nj = m->n[1];
	const long to_i = m->to_step[0], to_j = m->to_step[1];
	const long from_i = m->from_step[0], from_j = m->from_step[1];
	const M *from = m->from;
	M *to = m->to;

	if (to_i == 1 && from_i == 1)
		VM_ROWS(1, 1)
	else if (to_i == 1 && from_i == 0)
		vm_same_rows(to, from, m);
	else if (from_i == 0)
		VM_SAME_ROWS(to_i)
	else if (to_i == 1 && from_i == 2)
		VM_ROWS(1, 2)
	else if (to_i == 1 && from_i == -1)
		VM_ROWS(1, -1)
	else if (to_i == 1 && from_i == 3)
		VM_ROWS(1, 3)
	else if (to_i == 1)
		VM_ROWS(1, from_i)
	else if (from_i == 1 && to_j == 1)
		vm_transpose(to, from, m);
	else
		VM_ROWS(to_i, from_i)
}

/* Store @n elements at @to, which begins a cache line.  Whole lines bypass the
   caches. */
static inline void vm_put_lines(M *to, const M *from, long n)
{
	const long whole = n / (64 / DPR_ITEM) * (64 / DPR_ITEM);
	const STREAM_UNIT *units = (const STREAM_UNIT *)from;

	for (long i = 0; i < whole * DPR_ITEM / (long)sizeof(*units); i++)
		STREAM(units[i], (STREAM_UNIT *)to + i);
	for (long i = whole; i < n; i++)
		to[i] = from[i];
}

/* Copy a box.  The stores bypass the caches if the box asks for this and the
   result begins at a cache line. */
NATIVE_CLONES static void vm_mover_lines(const struct vm_move *m)
{
	const long ni = m->n[0], nj = m->n[1], to_j = m->to_step[1];
	const int lines = m->past_caches && BEGINS_LINE(m->to);
	struct vm_move part = { .to_step = { 1, 0 } };
	M run[VM_RUN] __attribute__((aligned(64)));
	const M *from = m->from;
	M *to = m->to;

	if (m->transposed) {
		vm_transpose_tile(m, lines && ni == TILE);
		return;
	}
	if (!lines) {
		vm_mover_rows(m);
		return;
	}
	part.to = run;
	part.n[1] = 1;
	part.from_step[0] = m->from_step[0];
	for (long j = 0; j < nj; j++, to += to_j, from += m->from_step[1])
		for (long i = 0; i < ni; i += VM_RUN) {
			part.n[0] = ni - i < VM_RUN ? ni - i : VM_RUN;
			part.from = from + i * m->from_step[0];
			vm_mover_rows(&part);
			vm_put_lines(to + i, run, part.n[0]);
		}
}
#endif
