/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elementwise.cl - the kernels of one family of the operation table for one
 * dtype.
 *
 * A kernel's name has the family, the number of operands, and what is stored: t
 * the dtype computed in, b bool, r the part of a complex number; arith2t_c,
 * arith2t_s, ...  The operation is a switch, the same for all work-items.  The
 * result may be an operand of the same layout.  An operand that is a scalar has
 * no elements: its pointer is that of another operand, whose elements are
 * loaded and dropped, so that one loop is enough.
 */
/* The value of an operand before its loop: the scalar, or its first element,
   which is the only one if it does not move along the run. */
static inline C walk_value(const walk *w, int k, global const T *p, long at)
{
	return (w->scalars >> k) & 1u ? scalar_value(w->value[k]) : LOAD(p, at);
}

#if DPR_CPU
static inline C plain_value(const plain *w, int k, global const T *p)
{
	const scalar s = { { w->value, 0 } };

	return (w->scalars >> k) & 1u ? scalar_value(s) : LOAD(p, 0);
}

/* Whether operand k + 1 has one value along the run. */
#define FIXED(k) (((w->scalars >> (k)) & 1u) || w->stride[(k) + 1][0] == 0)

/* The operands of element i of a run. */
#define OPERANDS_1 const C x = LOAD(a, i);
#define OPERANDS_2 \
	const C x1 = LOAD(a, i), y1 = LOAD(b, i); \
	const C x = fixed_x ? x0 : x1, y = fixed_y ? y0 : y1;

#define RUN_OF(kind, k, e, OPERANDS) \
	case k: \
		INDEPENDENT for (int i = 0; i < n; i++) \
		{ \
			OPERANDS \
			STORE_##kind(out, i, (e)); \
		} \
		break;
#define RUN_GUARDED_OF(kind, k, e, guard, slow, OPERANDS) \
	case k: { \
		int any = 0; \
		for (int i = 0; i < n; i++) { \
			OPERANDS \
			any |= (guard); \
		} \
		if (any) { \
			PLAIN for (int i = 0; i < n; i++) \
			{ \
				OPERANDS \
				STORE_##kind(out, i, (slow)); \
			} \
			break; \
		} \
		INDEPENDENT for (int i = 0; i < n; i++) \
		{ \
			OPERANDS \
			STORE_##kind(out, i, (e)); \
		} \
		break; \
	}
#define RUN_1(kind, k, e) RUN_OF(kind, k, e, OPERANDS_1)
#define RUN_2(kind, k, e) RUN_OF(kind, k, e, OPERANDS_2)
#define RUN_GUARDED_1(kind, k, e, guard, slow) \
	RUN_GUARDED_OF(kind, k, e, guard, slow, OPERANDS_1)
#define RUN_GUARDED_2(kind, k, e, guard, slow) \
	RUN_GUARDED_OF(kind, k, e, guard, slow, OPERANDS_2)
#define RUN_3(kind, k, e) \
	case k: \
		INDEPENDENT for (int i = 0; i < n; i++) \
		{ \
			const C x1 = LOAD(a, i), y1 = LOAD(b, i); \
			const C z1 = LOAD(c, i); \
			const C x = fixed_x ? x0 : x1, y = fixed_y ? y0 : y1; \
			const C z = fixed_z ? z0 : z1; \
			STORE_##kind(out, i, (e)); \
		} \
		break;

#define STEP_1(kind, k, e) \
	case k: \
		for (int i = 0; i < n; i++) { \
			const C x = LOAD(a, i * sa); \
			STORE_##kind(out, i * so, (e)); \
		} \
		break;
#define STEP_GUARDED_1(kind, k, e, guard, slow) STEP_1(kind, k, slow)
#define STEP_2(kind, k, e) \
	case k: \
		for (int i = 0; i < n; i++) { \
			const C x = fixed_x ? x0 : LOAD(a, i * sa); \
			const C y = fixed_y ? y0 : LOAD(b, i * sb); \
			STORE_##kind(out, i * so, (e)); \
		} \
		break;
#define STEP_GUARDED_2(kind, k, e, guard, slow) \
	STEP_2(kind, k, (guard) ? (slow) : (e))
#define STEP_3(kind, k, e) \
	case k: \
		for (int i = 0; i < n; i++) { \
			const C x = fixed_x ? x0 : LOAD(a, i * sa); \
			const C y = fixed_y ? y0 : LOAD(b, i * sb); \
			const C z = fixed_z ? z0 : LOAD(c, i * sc); \
			STORE_##kind(out, i * so, (e)); \
		} \
		break;
#define NO_GUARD_2(kind, k, e, guard, slow) RUN_2(kind, k, slow)

#define FAMILY_1(FAMILY, kind, OPS) \
	static inline void FAMILY##_c_item(ulong id, global TYPE_##kind *out, \
		global const T *a, const walk *w) \
	{ \
		long at[2]; \
		int n = walk_run(w, id, 2, at); \
		out += at[0]; \
		a += at[1]; \
		switch (n ? w->operation : -1) { \
			OPS(RUN_1, RUN_GUARDED_1) \
		} \
	} \
	static inline void FAMILY##_s_item(ulong id, global TYPE_##kind *out, \
		global const T *a, const walk *w) \
	{ \
		long at[2], so = w->stride[0][0], sa = w->stride[1][0]; \
		int n = walk_run(w, id, 2, at); \
		out += at[0]; \
		a += at[1]; \
		switch (n ? w->operation : -1) { \
			OPS(STEP_1, STEP_GUARDED_1) \
		} \
	} \
	static inline void FAMILY##_p_item(ulong id, global TYPE_##kind *out, \
		global const T *a, const plain *w) \
	{ \
		int n = plain_run(w, id); \
		out += id * PLAIN_RUN; \
		a += id * PLAIN_RUN; \
		switch (n ? w->operation : -1) { \
			OPS(RUN_1, RUN_GUARDED_1) \
		} \
	} \
	ENTRY_2(FAMILY##_c, TYPE_##kind, T) \
	ENTRY_2(FAMILY##_s, TYPE_##kind, T) \
	PLAIN_ENTRY_2(FAMILY##_p, TYPE_##kind, T)

#define FAMILY_2(FAMILY, kind, OPS) \
	static inline void FAMILY##_c_item(ulong id, global TYPE_##kind *out, \
		global const T *a, global const T *b, const walk *w) \
	{ \
		long at[3]; \
		int n = walk_run(w, id, 3, at); \
		const int fixed_x = FIXED(0), fixed_y = FIXED(1); \
		C x0, y0; \
		if (!n) \
			return; \
		x0 = walk_value(w, 0, a, at[1]); \
		y0 = walk_value(w, 1, b, at[2]); \
		out += at[0]; \
		a += at[1]; \
		b += at[2]; \
		a = fixed_x ? b : a; \
		b = fixed_y ? a : b; \
		switch (w->operation) { \
			OPS(RUN_2, RUN_GUARDED_2) \
		} \
	} \
	static inline void FAMILY##_s_item(ulong id, global TYPE_##kind *out, \
		global const T *a, global const T *b, const walk *w) \
	{ \
		long at[3], so = w->stride[0][0]; \
		long sa = w->stride[1][0], sb = w->stride[2][0]; \
		int n = walk_run(w, id, 3, at); \
		const int fixed_x = FIXED(0), fixed_y = FIXED(1); \
		C x0, y0; \
		if (!n) \
			return; \
		x0 = walk_value(w, 0, a, at[1]); \
		y0 = walk_value(w, 1, b, at[2]); \
		out += at[0]; \
		a += at[1]; \
		b += at[2]; \
		switch (w->operation) { \
			OPS(STEP_2, STEP_GUARDED_2) \
		} \
	} \
	static inline void FAMILY##_p_item(ulong id, global TYPE_##kind *out, \
		global const T *a, global const T *b, const plain *w) \
	{ \
		int n = plain_run(w, id); \
		const int fixed_x = w->scalars & 1u; \
		const int fixed_y = (w->scalars >> 1) & 1u; \
		C x0, y0; \
		if (!n) \
			return; \
		out += id * PLAIN_RUN; \
		a += id * PLAIN_RUN; \
		b += id * PLAIN_RUN; \
		x0 = plain_value(w, 0, a); \
		y0 = plain_value(w, 1, b); \
		a = fixed_x ? b : a; \
		b = fixed_y ? a : b; \
		switch (w->operation) { \
			OPS(RUN_2, RUN_GUARDED_2) \
		} \
	} \
	ENTRY_3(FAMILY##_c, TYPE_##kind, T, T) \
	ENTRY_3(FAMILY##_s, TYPE_##kind, T, T) \
	PLAIN_ENTRY_3(FAMILY##_p, TYPE_##kind, T, T)

/*
 * FAMILY_n: like _c with one axis, for a result that is not read soon.  It is
 * stored past the caches, which saves reading the lines that are overwritten.
 * The result must begin at a multiple of 64 bytes, and is made a line at a
 * time: as a vector if the expressions work on vectors and the compiler can
 * split them, else in a longer array.  A work-item takes STREAM_RUN neighbours.
 */
#if KIND_F && ITEM >= 4
#define LINE (64 / ITEM)
#if ITEM == 4
typedef float16 line;
#else
typedef double8 line;
#endif
/* A line of an operand, which may begin anywhere.  vload16() would do, but
   drivers compile it to many loads. */
typedef line line_anywhere __attribute__((aligned(ITEM)));
#define LINE_AT(p) (*(global const line_anywhere *)(p))

#define LINES(kind, e, fixed_x, fixed_y) \
	for (; begin + LINE <= n; begin += LINE) { \
		const line x = (fixed_x) ? (line)(x0) : LINE_AT(a + begin); \
		const line y = (fixed_y) ? (line)(y0) : LINE_AT(b + begin); \
		STREAM((e), (global line *)(result + begin)); \
	}
#else
#define LINE (256 / ITEM)
typedef struct {
	T each[LINE];
} __attribute__((aligned(64))) line;

static inline void stream_line(global T *to, const line *from)
{
	global STREAM_UNIT *result = (global STREAM_UNIT *)to;
	const STREAM_UNIT *unit = (const STREAM_UNIT *)from;

	for (ulong i = 0; i < sizeof(*from) / sizeof(*unit); i++)
		STREAM(unit[i], result + i);
}

#define LINES(kind, e, fixed_x, fixed_y) \
	for (; begin + LINE <= n; begin += LINE) { \
		line made; \
		INDEPENDENT for (int i = 0; i < LINE; i++) \
		{ \
			const C x = (fixed_x) ? x0 : LOAD(a, begin + i); \
			const C y = (fixed_y) ? y0 : LOAD(b, begin + i); \
			STORE_##kind(made.each, i, (e)); \
		} \
		stream_line(result + begin, &made); \
	}
#endif
#define LINES_2(kind, k, e) \
	case k: \
		if (fixed_x || fixed_y) \
			LINES(kind, e, fixed_x, fixed_y) \
		else \
			LINES(kind, e, 0, 0) \
		break;
#define NO_GUARD_LINES_2(kind, k, e, guard, slow) LINES_2(kind, k, slow)
#define STREAMED_2(FAMILY, OPS) \
	static inline void FAMILY##_n_item(ulong id, global T *result, \
		global const T *a, global const T *b, const walk *w) \
	{ \
		long at[3]; \
		int n = walk_stream(w, id, 3, at), begin = 0; \
		const int fixed_x = FIXED(0), fixed_y = FIXED(1); \
		global T *out; \
		C x0, y0; \
		if (!n) \
			return; \
		x0 = walk_value(w, 0, a, at[1]); \
		y0 = walk_value(w, 1, b, at[2]); \
		result += at[0]; \
		a += at[1]; \
		b += at[2]; \
		a = fixed_x ? b : a; \
		b = fixed_y ? a : b; \
		switch (BEGINS_LINE(result) ? w->operation : -1) { \
			OPS(LINES_2, NO_GUARD_LINES_2) \
		} \
		out = result + begin; \
		a += begin; \
		b += begin; \
		n -= begin; \
		switch (n ? w->operation : -1) { \
			OPS(RUN_2, NO_GUARD_2) \
		} \
	} \
	ENTRY_3(FAMILY##_n, T, T, T)

#define FAMILY_3(FAMILY, kind, OPS) \
	static inline void FAMILY##_c_item(ulong id, global TYPE_##kind *out, \
		global const T *a, global const T *b, global const T *c, \
		const walk *w) \
	{ \
		long at[4]; \
		int n = walk_run(w, id, 4, at); \
		const int fixed_x = FIXED(0), fixed_y = FIXED(1); \
		const int fixed_z = FIXED(2); \
		C x0, y0, z0; \
		if (!n) \
			return; \
		x0 = walk_value(w, 0, a, at[1]); \
		y0 = walk_value(w, 1, b, at[2]); \
		z0 = walk_value(w, 2, c, at[3]); \
		out += at[0]; \
		a += at[1]; \
		b += at[2]; \
		c += at[3]; \
		a = !fixed_x ? a : !fixed_y ? b : c; \
		b = !fixed_y ? b : a; \
		c = !fixed_z ? c : a; \
		switch (w->operation) { \
			OPS(RUN_3, NO_GUARD_2) \
		} \
	} \
	static inline void FAMILY##_s_item(ulong id, global TYPE_##kind *out, \
		global const T *a, global const T *b, global const T *c, \
		const walk *w) \
	{ \
		long at[4], so = w->stride[0][0], sa = w->stride[1][0]; \
		long sb = w->stride[2][0], sc = w->stride[3][0]; \
		int n = walk_run(w, id, 4, at); \
		const int fixed_x = FIXED(0), fixed_y = FIXED(1); \
		const int fixed_z = FIXED(2); \
		C x0, y0, z0; \
		if (!n) \
			return; \
		x0 = walk_value(w, 0, a, at[1]); \
		y0 = walk_value(w, 1, b, at[2]); \
		z0 = walk_value(w, 2, c, at[3]); \
		out += at[0]; \
		a += at[1]; \
		b += at[2]; \
		c += at[3]; \
		switch (w->operation) { \
			OPS(STEP_3, NO_GUARD_2) \
		} \
	} \
	ENTRY_4(FAMILY##_c, TYPE_##kind, T, T, T) \
	ENTRY_4(FAMILY##_s, TYPE_##kind, T, T, T)

#else /* DPR_CPU */

/* The share of a work-item in _c: 16 bytes of an operand, in one access if they
   are aligned, and as many elements of the result. */
#define WIDTH (16 / ITEM)
typedef union {
	uint4 all;
	T each[WIDTH];
} pack;

#if WIDTH == 16
typedef uint4 pack_b_all;
#elif WIDTH == 8
typedef uint2 pack_b_all;
#elif WIDTH == 4
typedef uint pack_b_all;
#elif WIDTH == 2
typedef ushort pack_b_all;
#else
typedef uchar pack_b_all;
#endif
typedef union {
	pack_b_all all;
	uchar each[WIDTH];
} pack_b;
typedef pack pack_t;
#if KIND_C
typedef union {
	uint2 all;
	F each[WIDTH];
} pack_r;
#endif
#define ALL_t uint4
#define ALL_b pack_b_all
#define ALL_r uint2

/* float16 is stored as ushort, but LOAD and STORE need a pointer to memory. */
#if DPR_DTYPE == 10
#define UNPACK(p, i) half_to_float((p)[i])
#define PACK_t(p, i, v) ((p)[i] = half_from_float(v))
#else
#define UNPACK(p, i) LOAD(p, i)
#define PACK_t(p, i, v) STORE(p, i, v)
#endif
#define PACK_b(p, i, v) STORE_b(p, i, v)
#define PACK_r(p, i, v) STORE_r(p, i, v)

static inline pack pack_load(const walk *w, int k, global const T *p, ulong i)
{
	pack v;

	if (!((w->scalars >> k) & 1u))
		v.all = ((global const uint4 *)(p + w->offset[k + 1]))[i];
	else
		v.all = (uint4)(0);
	return v;
}

/* Each case stores the pack itself.  If it were stored after a switch with a
   single case, PoCL 6 would make code that crashes LLVM 18. */
#define PUT(kind) \
	((global ALL_##kind *)(out + w->offset[0]))[id] = ov.all;

#define PACK_1(kind, k, e) \
	case k: \
		for (int j = 0; j < WIDTH; j++) { \
			const C x = UNPACK(av.each, j); \
			PACK_##kind(ov.each, j, (e)); \
		} \
		PUT(kind) \
		break;
#define PACK_GUARDED_1(kind, k, e, guard, slow) PACK_1(kind, k, (guard) ? (slow) : (e))
#define PACK_2(kind, k, e) \
	case k: \
		for (int j = 0; j < WIDTH; j++) { \
			const C x = fixed_x ? x0 : UNPACK(av.each, j); \
			const C y = fixed_y ? y0 : UNPACK(bv.each, j); \
			PACK_##kind(ov.each, j, (e)); \
		} \
		PUT(kind) \
		break;
#define PACK_GUARDED_2(kind, k, e, guard, slow) PACK_2(kind, k, (guard) ? (slow) : (e))
#define PACK_3(kind, k, e) \
	case k: \
		for (int j = 0; j < WIDTH; j++) { \
			const C x = fixed_x ? x0 : UNPACK(av.each, j); \
			const C y = fixed_y ? y0 : UNPACK(bv.each, j); \
			const C z = fixed_z ? z0 : UNPACK(cv.each, j); \
			PACK_##kind(ov.each, j, (e)); \
		} \
		PUT(kind) \
		break;
#define ONE(kind, k, e) \
	case k: \
		STORE_##kind(out, at[0], (e)); \
		break;
#define ONE_GUARDED(kind, k, e, guard, slow) ONE(kind, k, (guard) ? (slow) : (e))

/* In _c: a whole aligned pack if there is one, else one element after the
   other. */
#define BEGIN_C(id) \
	ulong begin = (id) * WIDTH; \
	if (begin >= (ulong)w->count) \
		return;
#define IS_WHOLE \
	((w->flags & WALK_ALIGNED) && begin + WIDTH <= (ulong)w->count)

#define FAMILY_1(FAMILY, kind, OPS) \
	static inline void FAMILY##_c_item(ulong id, global TYPE_##kind *out, \
		global const T *a, const walk *w) \
	{ \
		BEGIN_C(id) \
		if (IS_WHOLE) { \
			pack av = pack_load(w, 0, a, id); \
			pack_##kind ov; \
			switch (w->operation) { \
				OPS(PACK_1, PACK_GUARDED_1) \
			} \
			return; \
		} \
		for (int j = 0; j < WIDTH && begin + j < (ulong)w->count; j++) { \
			long at[1] = { w->offset[0] + (long)begin + j }; \
			const C x = LOAD(a, w->offset[1] + (long)begin + j); \
			switch (w->operation) { \
				OPS(ONE, ONE_GUARDED) \
			} \
		} \
	} \
	static inline void FAMILY##_s_item(ulong id, global TYPE_##kind *out, \
		global const T *a, const walk *w) \
	{ \
		long at[2]; \
		C x; \
		if (!walk_element(w, id, 2, at)) \
			return; \
		x = LOAD(a, at[1]); \
		switch (w->operation) { \
			OPS(ONE, ONE_GUARDED) \
		} \
	} \
	ENTRY_2(FAMILY##_c, TYPE_##kind, T) \
	ENTRY_2(FAMILY##_s, TYPE_##kind, T)

#define FIXED(k) ((w->scalars >> (k)) & 1u)
#define AT_C(k) (w->offset[(k) + 1] + (long)begin + j)

#define FAMILY_2(FAMILY, kind, OPS) \
	static inline void FAMILY##_c_item(ulong id, global TYPE_##kind *out, \
		global const T *a, global const T *b, const walk *w) \
	{ \
		BEGIN_C(id) \
		if (IS_WHOLE) { \
			const int fixed_x = FIXED(0), fixed_y = FIXED(1); \
			const C x0 = scalar_value(w->value[0]); \
			const C y0 = scalar_value(w->value[1]); \
			pack av = pack_load(w, 0, a, id); \
			pack bv = pack_load(w, 1, b, id); \
			pack_##kind ov; \
			switch (w->operation) { \
				OPS(PACK_2, PACK_GUARDED_2) \
			} \
			return; \
		} \
		for (int j = 0; j < WIDTH && begin + j < (ulong)w->count; j++) { \
			long at[1] = { w->offset[0] + (long)begin + j }; \
			const C x = walk_value(w, 0, a, AT_C(0)); \
			const C y = walk_value(w, 1, b, AT_C(1)); \
			switch (w->operation) { \
				OPS(ONE, ONE_GUARDED) \
			} \
		} \
	} \
	static inline void FAMILY##_s_item(ulong id, global TYPE_##kind *out, \
		global const T *a, global const T *b, const walk *w) \
	{ \
		long at[3]; \
		C x, y; \
		if (!walk_element(w, id, 3, at)) \
			return; \
		x = walk_value(w, 0, a, at[1]); \
		y = walk_value(w, 1, b, at[2]); \
		switch (w->operation) { \
			OPS(ONE, ONE_GUARDED) \
		} \
	} \
	ENTRY_3(FAMILY##_c, TYPE_##kind, T, T) \
	ENTRY_3(FAMILY##_s, TYPE_##kind, T, T)

#define FAMILY_3(FAMILY, kind, OPS) \
	static inline void FAMILY##_c_item(ulong id, global TYPE_##kind *out, \
		global const T *a, global const T *b, global const T *c, \
		const walk *w) \
	{ \
		BEGIN_C(id) \
		if (IS_WHOLE) { \
			const int fixed_x = FIXED(0), fixed_y = FIXED(1); \
			const int fixed_z = FIXED(2); \
			const C x0 = scalar_value(w->value[0]); \
			const C y0 = scalar_value(w->value[1]); \
			const C z0 = scalar_value(w->value[2]); \
			pack av = pack_load(w, 0, a, id); \
			pack bv = pack_load(w, 1, b, id); \
			pack cv = pack_load(w, 2, c, id); \
			pack_##kind ov; \
			switch (w->operation) { \
				OPS(PACK_3, NO_GUARD_2) \
			} \
			return; \
		} \
		for (int j = 0; j < WIDTH && begin + j < (ulong)w->count; j++) { \
			long at[1] = { w->offset[0] + (long)begin + j }; \
			const C x = walk_value(w, 0, a, AT_C(0)); \
			const C y = walk_value(w, 1, b, AT_C(1)); \
			const C z = walk_value(w, 2, c, AT_C(2)); \
			switch (w->operation) { \
				OPS(ONE, NO_GUARD_2) \
			} \
		} \
	} \
	static inline void FAMILY##_s_item(ulong id, global TYPE_##kind *out, \
		global const T *a, global const T *b, global const T *c, \
		const walk *w) \
	{ \
		long at[4]; \
		C x, y, z; \
		if (!walk_element(w, id, 4, at)) \
			return; \
		x = walk_value(w, 0, a, at[1]); \
		y = walk_value(w, 1, b, at[2]); \
		z = walk_value(w, 2, c, at[3]); \
		switch (w->operation) { \
			OPS(ONE, NO_GUARD_2) \
		} \
	} \
	ENTRY_4(FAMILY##_c, TYPE_##kind, T, T, T) \
	ENTRY_4(FAMILY##_s, TYPE_##kind, T, T, T)
#define NO_GUARD_2(kind, k, e, guard, slow) ONE(kind, k, slow)
#endif

#if defined(FAMILY_ARITH)
#if HAS(arith1t)
FAMILY_1(arith1t, t, OPS_OF(arith1t))
#endif
#if HAS(arith1r)
FAMILY_1(arith1r, r, OPS_OF(arith1r))
#endif
#if HAS(arith2t)
FAMILY_2(arith2t, t, OPS_OF(arith2t))
#if DPR_CPU
STREAMED_2(arith2t, OPS_OF(arith2t))
#endif
#endif
#if HAS(arith3t)
FAMILY_3(arith3t, t, OPS_OF(arith3t))
#endif
#endif

#if defined(FAMILY_MATH)
#if HAS(math1t)
FAMILY_1(math1t, t, OPS_OF(math1t))
#endif
#if HAS(math2t)
FAMILY_2(math2t, t, OPS_OF(math2t))
#endif
#endif

#if defined(FAMILY_COMPARE)
#if HAS(compare1b)
FAMILY_1(compare1b, b, OPS_OF(compare1b))
#endif
#if HAS(compare2b)
FAMILY_2(compare2b, b, OPS_OF(compare2b))
#endif
#endif
