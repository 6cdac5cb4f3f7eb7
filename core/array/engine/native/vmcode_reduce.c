/* SPDX-License-Identifier: Apache-2.0 */
/* vmcode_reduce.c - describes the reductions of programs, and chooses the range
   of a program that ends in a reduction. */
#include "core/array/engine/native/vmcode_reduce.h"

#include "core/array/element/dtype.h"
#include "core/array/engine/native/vmcode_brief.h"
#include "core/array/engine/operations.h"
#include "core/array/engine/reduce_table.h"

/* A work-group reduces at least LEAST_ELEMENTS elements, and has at most
   MOST_ITEMS work-items. */
#define LEAST_ELEMENTS 16384
#define MOST_ITEMS 1024
/* Starting a team takes as long as this number of additions of float32. */
#define TEAM_WEIGHT 32

static uint8_t operation_of(unsigned combine)
{
	switch (combine) {
	case OPERATION__minimum: return VM_MIN;
	case OPERATION__maximum: return VM_MAX;
	case OPERATION__bitwise_or: return VM_ANY;
	case OPERATION__bitwise_and: return VM_ALL;
	case OPERATION__multiply: return VM_PROD;
	default: return VM_SUM;
	}
}

/* If kernels/reductions.def has a reduction without a case in operation_of(),
   the compiler stops here.  Such a reduction needs a case above, and a function
   in kernels/reduce.cl. */
#define REDUCTION(name, combine, sum, first, finish, text)                     \
	_Static_assert(OPERATION__##combine == OPERATION__add ||               \
			       OPERATION__##combine == OPERATION__multiply ||  \
			       OPERATION__##combine == OPERATION__minimum ||   \
			       OPERATION__##combine == OPERATION__maximum ||   \
			       OPERATION__##combine ==                         \
				       OPERATION__bitwise_or ||                \
			       OPERATION__##combine == OPERATION__bitwise_and, \
		       "native code does not combine by " #combine);
#include "kernels/reductions.def"
#undef REDUCTION

/* The dtype of the function (kernels/reduce.cl) that reduces elements of @dtype
   with operation @what.  Dtypes that are computed in the same way share a
   function.  A sum of complex numbers is computed as two sums, of the real and
   of the imaginary parts. */
static unsigned function_of(unsigned what, unsigned dtype)
{
	const char kind = dpr_dtype_kind((dpr_dtype)dtype);

	if (what == VM_ANY || what == VM_ALL) {
		if (kind == 'b')
			return DPR_INT8;
		return kind == 'u' ? dtype - DPR_UINT8 + DPR_INT8 : dtype;
	}
	if ((what == VM_SUM || what == VM_PROD) && dtype == DPR_UINT64)
		return DPR_INT64;
	return what == VM_SUM ? dtype_part((dpr_dtype)dtype) : dtype;
}

/* Describe how @reduction reduces elements of @dtype.  @sum: the dtype in which
   the reduction accumulates.  @result: the dtype of the results; 0: the results
   are the accumulated values. */
static struct vm_reducing reducing_of(enum reduction reduction, unsigned dtype,
				      unsigned sum, unsigned result)
{
	const struct reduce_table_entry *entry = &reduce_table[reduction];
	const uint8_t what = operation_of(entry->combine);
	const bool parts = (what == VM_SUM || what == VM_PROD) &&
			   dtype_part((dpr_dtype)dtype) != dtype;

	return (struct vm_reducing){
		.dtype = (uint8_t)function_of(what, dtype),
		.what = what,
		.parts = parts ? 2 : 1,
		.near = 1,
		.sum = (uint8_t)sum,
		.result = (uint8_t)result,
		.divides = result && entry->finish == REDUCE_TABLE_DIVIDE,
		.shift = (uint8_t)__builtin_ctz(
			(unsigned)dpr_dtype_size((dpr_dtype)dtype))
	};
}

static unsigned computed_dtype(unsigned dtype)
{
	return dtype == DPR_FLOAT16 || dtype == DPR_BFLOAT16
		       ? (unsigned)DPR_FLOAT32
		       : dtype;
}

unsigned vmcode_reduce_dtype(const struct graph *graph)
{
	return computed_dtype(graph->step[graph->result[0]].dtype);
}

struct vm_reducing vmcode_reduce_kind(const struct graph *graph,
				      const struct schedule *schedule)
{
	const bool lines = schedule->kind == SCHEDULE_REDUCE_ROWS;
	struct vm_reducing reduce = reducing_of(
		(enum reduction)schedule->reduction, vmcode_reduce_dtype(graph),
		schedule->sum, schedule->result);

	reduce.kind = lines ? VM_REDUCE_LINES : VM_REDUCE_COLUMNS;
	reduce.near = lines ? schedule->cpu.near : 1;
	reduce.gone = schedule->cpu.reduced;
	return reduce;
}

struct vm_reducing vmcode_reduce_of_rows(const struct graph_step *step,
					 unsigned dtype)
{
	return reducing_of((enum reduction)step->at, computed_dtype(dtype),
			   step->compute, step->dtype);
}

/* Whether a launch of @teams teams takes only a few microseconds and needs
   little stack. */
static bool is_brief(const struct vm_code *code, uint64_t teams)
{
	const uint64_t length = (uint64_t)vm_reduce_words(code).length;
	const uint64_t *extent = vm_words(code).extent;
	uint64_t left = vmcode_brief_strided(code);

	if (teams > left / TEAM_WEIGHT || !vm_reduce_needs_little(code))
		return false;
	left = (left - teams * TEAM_WEIGHT) / code->weight;
	for (int d = 0; d < code->rank - code->reduce.gone; d++)
		left /= extent[d];
	return length <= left;
}

dpr_range vmcode_reduce_range(const struct vm_code *code, uint64_t cores)
{
	const struct vm_reduce_words sizes = vm_reduce_words(code);
	const uint64_t count = vm_words(code).count;
	const uint64_t elements =
		(uint64_t)(sizes.part < sizes.length ? sizes.part
						     : sizes.length) *
		(uint64_t)(code->reduce.kind == VM_REDUCE_LINES
				   ? code->reduce.near
				   : sizes.columns);
	const uint64_t least = (LEAST_ELEMENTS + elements - 1) / elements;
	uint64_t group = count / (cores * 16);

	group = group < least ? least : group;
	group = group > MOST_ITEMS ? MOST_ITEMS : group;
	return (dpr_range){
		.dims = 1,
		.flags = is_brief(code, count) ? DPR_RANGE_BRIEF : 0,
		.global = { (count + group - 1) / group * group, 1, 1 },
		.local = { group, 1, 1 }
	};
}
