/* SPDX-License-Identifier: Apache-2.0 */
/* vm_tables.c - finds the functions of vm.h by number. */
#include "kernels/vm_tables.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/native.h"

#define DPR_DTYPE 12
#include "kernels/types.cl"

/* Each macro with a parameter X lists dtypes by number, or sizes of elements.
   VM_DTYPES: the dtypes with operations.  VM_SINGLES: the dtypes without
   doubles.  VM_DECLARE_... macros declare the functions of the native units
   (native_unit.h), each as a pointer. */
#define VM_DTYPES(X) \
	X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(12) X(13) X(14) X(15)
#define VM_DECLARE_DTYPE(n)                                \
	extern vm_function *const native_vm_operation_##n; \
	extern vm_function *const native_vm_cast_##n;
#define VM_SINGLES(X) \
	X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(14)
#define VM_DECLARE_SINGLE(n) extern vm_function *const native_vm_cast64_##n;
#define VM_ITEMS(X) X(0, 1) X(1, 2) X(2, 4) X(3, 8) X(4, 16)
#define VM_DECLARE_ITEM(shift, n)                        \
	extern vm_function *const native_vm_move_##n;    \
	extern vm_mover *const native_vm_mover_rows_##n; \
	extern vm_mover *const native_vm_mover_lines_##n;

#define VM_NOT_BOOL(X) \
	X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(12) X(13) X(14) X(15)
#define VM_DECLARE_MATH(n) extern vm_function *const native_vm_math_##n;

VM_DTYPES(VM_DECLARE_DTYPE)
VM_NOT_BOOL(VM_DECLARE_MATH)
extern vm_function *const native_vm_cast_10;
extern vm_function *const native_vm_cast_11;
VM_SINGLES(VM_DECLARE_SINGLE)
VM_ITEMS(VM_DECLARE_ITEM)

vm_function *const *const vm_tables_functions[VM_UNITS] = {
#define VM_DTYPE(n)                                    \
	[VM_OPERATION + n] = &native_vm_operation_##n, \
			[VM_CAST + n] = &native_vm_cast_##n,
#define VM_MATHS(n) [VM_MATH + n] = &native_vm_math_##n,
	VM_NOT_BOOL(VM_MATHS) VM_DTYPES(VM_DTYPE)[VM_CAST + 10] =
		&native_vm_cast_10,
	[VM_CAST + 11] = &native_vm_cast_11,
#define VM_SINGLE(n) [VM_CAST64 + n] = &native_vm_cast64_##n,
	VM_SINGLES(VM_SINGLE)
#define VM_ITEM(shift, n) [VM_MOVE + shift] = &native_vm_move_##n,
		VM_ITEMS(VM_ITEM)
};

static vm_mover *const *const movers[] = {
#define VM_MOVER(shift, n) &native_vm_mover_rows_##n,
	VM_ITEMS(VM_MOVER)
};

void vm_tables_move(int shift, const struct vm_move *m)
{
	(*movers[shift])(m);
}

void vm_tables_count(const struct vm_move *m, int64_t first)
{
	for (int64_t j = 0; j < m->n[1]; j++) {
		int64_t *to = (int64_t *)m->to + j * m->to_step[1];
		const int64_t at = first + j * m->from_step[1];
		const int64_t step = m->from_step[0];

		if (m->to_step[0] == 1)
			for (int64_t i = 0; i < m->n[0]; i++)
				to[i] = at + i * step;
		else
			for (int64_t i = 0; i < m->n[0]; i++)
				to[i * m->to_step[0]] = at + i * step;
	}
}

void vm_tables_move_lines(int shift, const struct vm_move *m)
{
	static vm_mover *const *const line_movers[] = {
#define VM_LINE_MOVER(shift, n) &native_vm_mover_lines_##n,
		VM_ITEMS(VM_LINE_MOVER)
	};

	(*line_movers[shift])(m);
}

void vm_tables_fill_unit(unsigned char *to, int n, int shift)
{
	const int rest = -n & (VM_UNIT - 1);
	unsigned char *end = to + ((size_t)n << shift);

	if (n == 1)
		/* Writing a whole unit is faster than writing a part of it. */
		vm_tables_move(shift,
			       &(struct vm_move){ .to = to,
						  .from = to,
						  .n = { VM_UNIT, 1 },
						  .to_step = { 1, 0 },
						  .from_step = { 0, 0 } });
	else if (rest)
		vm_tables_move(
			shift,
			&(struct vm_move){ .to = end,
					   .from = end - ((size_t)1 << shift),
					   .n = { rest, 1 },
					   .to_step = { 1, 0 },
					   .from_step = { 0, 0 } });
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
/* Copy whole cache lines past the caches, half a line at a time. */
__attribute__((target("avx"))) static void stream_lines(
	unsigned char *to, const unsigned char *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 32)
		_mm256_stream_si256((__m256i *)(to + i),
				    *(const __m256i *)(from + i));
}
#endif

bool vm_tables_stream(void *to, const void *from, size_t bytes)
{
	const STREAM_UNIT *units = from;

	if (!BEGINS_LINE(to) || bytes % VM_LINE || !BEGINS_LINE(from))
		return false;
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
	if (__builtin_cpu_supports("avx")) {
		stream_lines(to, from, bytes);
		return true;
	}
#endif
	for (size_t i = 0; i < bytes / sizeof(*units); i++)
		STREAM(units[i], (STREAM_UNIT *)to + i);
	return true;
}

void vm_tables_fill_scalars(const struct vm_code *code,
			    unsigned char *const *slot, int n)
{
	const struct vm_scalar *one = vm_scalars(code);

	for (int k = 0; k < code->scalars; k++, one++) {
		const int shift = vm_shift_of(one->dtype);
		const uint64_t *word =
			(const uint64_t *)((const char *)code + code->words) +
			one->word;
		unsigned char *to = slot[one->slot];
		ushort half;
		float value;

		memcpy(&value, word, sizeof(value));
		half = one->dtype == 10 ? half_from_float(value)
					: bfloat_from_float(value);
		if (one->dtype == 10 || one->dtype == 11)
			memcpy(to, &half, sizeof(half));
		else
			memcpy(to, word, (size_t)1 << shift);
		vm_tables_move(
			shift,
			&(struct vm_move){
				.to = to,
				.from = to,
				.n = { n < one->most ? n : one->most, 1 },
				.to_step = { 1, 0 },
				.from_step = { 0, 0 } });
	}
}

#define VM_DECLARE_REDUCE(n) extern vm_reducer *const native_vm_reduce_##n;
VM_DECLARE_REDUCE(1)
VM_NOT_BOOL(VM_DECLARE_REDUCE)

void vm_tables_reduce(unsigned dtype, const struct vm_reduce *reduce)
{
	static vm_reducer *const *const reducers[] = {
#define VM_REDUCER(n) [n] = &native_vm_reduce_##n,
		VM_REDUCER(1) VM_NOT_BOOL(VM_REDUCER)
	};

	(*reducers[dtype])(reduce);
}
