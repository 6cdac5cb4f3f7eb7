/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.h - how a kernel goes over the elements of its arrays, and the
 * arguments that a launch passes to the kernel.  The section "Words of the
 * engine" of doc/tour.md explains terms such as part, team and stage.
 *
 * A kernel has a pointer for each result, then a pointer for each input that
 * has memory, then a struct of 8-byte words.  schedule_words() finds the place
 * of each word:
 *
 * SCHEDULE_FLAT      count, scalars
 * SCHEDULE_STRIDED   count, rows, extent[rank], offset[operands],
 *                    stride[rank][operands], scalars
 * SCHEDULE_ROWS      as SCHEDULE_STRIDED
 * SCHEDULE_TILE      as SCHEDULE_STRIDED
 * SCHEDULE_REDUCE_*  count, per part, extent[rank], offset[operands],
 *                    stride[rank][operands], step[operands], length, part,
 *                    divisor, team (only if gpu.open is set), scalars
 * SCHEDULE_STAGES    as SCHEDULE_REDUCE_*
 *
 * `count` is the number of elements, except in SCHEDULE_REDUCE_* and
 * SCHEDULE_STAGES.  `rows` is the product of all extents but the first.  Axis 0
 * is the innermost.  Offsets and strides are counted in elements.  A scalar has
 * the type in which its dtype is computed (float for 16-bit floats, see
 * kernels/types.cl).  The bytes of a scalar begin at the first byte of its
 * word.  A complex128 has two words; any other scalar has one.
 *
 * SCHEDULE_REDUCE_* kernels reduce an axis of `length` elements.  This axis is
 * cut into parts of `part` elements, and `step` has the strides along this
 * axis.  The words extent and stride describe the kept axes, and in native code
 * all axes.  A team is the work-items that together reduce a part, for one
 * result or for some neighbouring results.  `count` is the number of all teams.
 * `per part` is the number of teams that one part has: each of these teams
 * reduces the part for its own results.  `divisor` is the divisor of a mean:
 * the number of elements as a float, in the dtype in which the reduction
 * accumulates.  If this dtype is complex, the divisor has the dtype of the real
 * part.  The results of the first part are stored first, then those of the
 * second part, and so on.
 *
 * A result has no step, so step[0] has another use.  If gpu.open is set,
 * step[0] is `next part`, the distance in elements between the results of two
 * parts.  In native code step[0] is `columns`, see kernels/vm_program.h.
 *
 * If gpu.open is set, `team` is the number of work-items in a team, a power of
 * two.  A kernel with gpu.open does not divide if `divisor` is 0.
 *
 * In SCHEDULE_STAGES `count` is the number of rows.  There are no parts, and
 * the divisor is an integer.
 *
 * In SCHEDULE_FLAT the place of each element of a GRAPH_PUT is the first
 * element of the result, as if the strides were 0.
 *
 * A GRAPH_INDEX is an operand without memory.  Its value is a position, which
 * the kernel computes from the operand's offset and strides.  SCHEDULE_FLAT has
 * no words for offsets and strides, so its graphs have no GRAPH_INDEX.
 *
 * A source, the operand of a GRAPH_GATHER, has memory, an offset, and strides
 * of 0.  Only SCHEDULE_STRIDED and SCHEDULE_ROWS have sources.  A work-item
 * of SCHEDULE_ROWS may take several packs of a row.  If all indices are the same
 * along axis 0, the kernel reads whole rows, and an index is read and brought
 * into range once for these packs.  In PTX a kernel that reads single elements
 * may take several packs, too.  In SCHEDULE_ROWS a source is
 * SCHEDULE_NEXT if its elements for a pack are neighbours, and begin at a
 * multiple of the pack's bytes: the kernel then loads them together.  Any other
 * source is SCHEDULE_FIXED, and each element is loaded by itself.
 *
 * In SCHEDULE_FLAT, pointers point to the first elements.  In other schedules
 * they point to the beginning of the allocations.  A result may share memory
 * with an input of the same layout.
 *
 * On GPUs a pack is a vector of neighbouring elements that a work-item loads or
 * stores together.  In a kernel that reduces, a work-item takes several packs
 * at a time.  This is a round, and the place of a pack in its round is a slot.
 */
#ifndef ARRAY_SCHEDULE_H
#define ARRAY_SCHEDULE_H

#include "core/array/engine/graph.h"

#define SCHEDULE_RANK 8         /* the most axes of a launch */
#define SCHEDULE_REDUCE_RANK 16 /* the most axes of a native reduction */
#define SCHEDULE_OPERANDS (GRAPH_RESULTS + GRAPH_INPUTS)

enum schedule_kind {
	/* All arrays are contiguous and have the same shape.  Two files fill
	   the words of this schedule: launch_plan.c and eager_cache.c. */
	SCHEDULE_FLAT,
	SCHEDULE_STRIDED,
	/*
	 * For GPUs.  A work-item takes schedule_items() elements of a row: a
	 * pack, or gpu.slots packs.  Along axis 0 every result is
	 * SCHEDULE_NEXT, and every input is SCHEDULE_NEXT or SCHEDULE_FIXED.
	 * Rows are whole: no work-item has fewer elements.  Every row of a
	 * SCHEDULE_NEXT operand begins at a multiple of a pack's bytes.
	 *
	 * With gpu.slots the packs of a work-item are 2^gpu.team_bits packs
	 * apart.  In each slot the packs of 2^gpu.team_bits work-items are
	 * neighbours.
	 */
	SCHEDULE_ROWS,
	/* Not in native code.  A work-group computes a tile: a square of
	   gpu.tile times gpu.tile elements along axes 0 and 1.  At the end of
	   an axis the tile is cut off.  SCHEDULE_TRANSPOSED inputs are
	   transposed in local memory.  Groups are numbered along axis 0, then
	   axis 1, and so on.  Every result is SCHEDULE_NEXT. */
	SCHEDULE_TILE,
	/*
	 * SCHEDULE_REDUCE_ROWS and SCHEDULE_REDUCE_COLUMNS are for reductions.
	 * On GPUs a kernel reduces one axis; ptx_reduce.c and gpu_reduce.c
	 * write the kernels.  Native code may reduce several axes, which are
	 * the outer axes (kernels/vm_program.h).  A SCHEDULE_FIXED input has
	 * the same value for all elements that are reduced together.
	 *
	 * SCHEDULE_REDUCE_ROWS: a team of work-items reduces a part of the
	 * axis.  In each round a work-item takes SCHEDULE_REDUCE_ROW_SLOTS
	 * packs.  In each slot the packs of a team's work-items are neighbours.
	 * `inner` describes how inputs move along the reduced axis.
	 *
	 * SCHEDULE_REDUCE_COLUMNS: a team is a single work-item, which reduces
	 * a part of the axis for a pack of results.  These results are
	 * neighbours along kept axis 0.  In each round the work-item takes
	 * SCHEDULE_REDUCE_COLUMN_SLOTS packs.  `inner` describes how inputs
	 * move along kept axis 0.
	 */
	SCHEDULE_REDUCE_ROWS,
	SCHEDULE_REDUCE_COLUMNS,
	/*
	 * A graph that reduces rows and goes on with the results (stages.h).
	 * On GPUs a team computes a row, and reduces it once for each
	 * GRAPH_REDUCE, as in SCHEDULE_REDUCE_ROWS; ptx_stages.c and
	 * gpu_stages.c write the kernels.  Native code computes rows as
	 * kernels/vm_rows.h says.  `inner` describes how operands move along
	 * the row.  A SCHEDULE_FIXED result has one element for a row.
	 */
	SCHEDULE_STAGES
};
#define SCHEDULE_REDUCE_ROW_SLOTS 4
#define SCHEDULE_REDUCE_COLUMN_SLOTS 8
/* the most slots of a row that is held in registers */
#define SCHEDULE_STAGES_SLOTS 16

/* How an operand moves along axis 0: not at all, to its next element, or with
   any stride.  SCHEDULE_TRANSPOSED is for SCHEDULE_TILE: the operand is
   contiguous along axis 1 instead. */
enum schedule_inner {
	SCHEDULE_FIXED,
	SCHEDULE_NEXT,
	SCHEDULE_ANY,
	SCHEDULE_TRANSPOSED
};

/* The last packs of a work-item may reach beyond the end of a row.  Each value
   of the enum says what may be missing from these packs. */
enum schedule_missing {
	SCHEDULE_NOTHING, /* every pack ends within the row; only in PTX */
	SCHEDULE_PACKS,   /* whole packs are missing */
	SCHEDULE_ELEMENTS
};

/*
 * The parameters of a kernel's code, beside its graph.  A schedule is hashed
 * and compared as bytes, so it starts as all zeros and has no padding.
 */
struct schedule {
	uint8_t kind;
	/* SCHEDULE_FLAT: 0.  Otherwise the number of axes: at most
	   SCHEDULE_RANK, or SCHEDULE_REDUCE_RANK for a reduction in native code
	   */
	uint8_t rank;
	/* except in SCHEDULE_FLAT: an enum schedule_inner for each result, then
	   for each input */
	uint8_t inner[SCHEDULE_OPERANDS];
	/* `reduction`, `sum` and `result` are for SCHEDULE_REDUCE_*. */
	uint8_t reduction; /* enum reduction */
	uint8_t sum;       /* the dtype in which the reduction accumulates */
	/* the dtype of the results; 0: the results are the accumulated values
	   of parts, in dtype `sum` */
	uint8_t result;
	/* For kernels that a driver builds or loads.  All members are 0 in
	   native code. */
	struct {
		/* Set if operands are aligned for loads and stores of vectors.
		   SCHEDULE_FLAT: each operand begins at a multiple of the bytes
		   of schedule_pack() elements.  SCHEDULE_TILE, in PTX: each row
		   of an operand that is SCHEDULE_NEXT or SCHEDULE_TRANSPOSED
		   begins at a multiple of schedule_tile_vector() elements. */
		uint8_t aligned;
		/* Set if `count` is less than 2^31.  Always set in
		   SCHEDULE_TILE.  Not used in SCHEDULE_FLAT. */
		uint8_t small;
		/* SCHEDULE_TILE: the elements along each side of a tile,
		   SCHEDULE_TILE_LARGE or SCHEDULE_TILE_SMALL. */
		uint8_t tile;
		/* Set in SCHEDULE_STRIDED and SCHEDULE_REDUCE_ROWS for kernels
		   in files (kernel_files.h): a launch may have fewer axes than
		   the schedule.  The other axes have extent 1. */
		uint8_t open;
		/* SCHEDULE_REDUCE_*: set if there are several parts. */
		uint8_t cut;
		/* SCHEDULE_ROWS, SCHEDULE_REDUCE_* and SCHEDULE_STAGES: the
		   number of elements in a pack. */
		uint8_t pack;
		/* SCHEDULE_REDUCE_* and SCHEDULE_STAGES: the number of packs of
		   accumulators that a work-item has.  This is 1 if the order of
		   the elements does not change the bits of a result, else the
		   number of slots.  In SCHEDULE_STAGES each reduction decides
		   for itself (stages_plan_schedule()). */
		uint8_t accumulators;
		/* SCHEDULE_REDUCE_ROWS and SCHEDULE_STAGES: a team has
		   2^team_bits work-items.  SCHEDULE_ROWS: see there. */
		uint8_t team_bits;
		/* SCHEDULE_STAGES, in PTX: the number of packs in a work-item's
		   share of a row.  Only the last pack may be incomplete.  0:
		   there are more packs than SCHEDULE_STAGES_SLOTS.
		   SCHEDULE_FLAT, in PTX: the number of packs of a work-item.
		   Those of a group lie side by side in each slot.  0: one.
		   SCHEDULE_ROWS: the number of packs of a work-item.  0:
		   one. */
		uint8_t slots;
		/* A value of enum schedule_missing.  Used in SCHEDULE_STAGES
		   and, except in PTX, in SCHEDULE_REDUCE_ROWS. */
		uint8_t missing;
	} gpu;
	/* For native code.  All members are 0 for other kernels. */
	struct {
		/* Set if results are written past the CPU's caches, because the
		   caches are too small for the operands (target_streams()).  In
		   SCHEDULE_FLAT and SCHEDULE_STRIDED each row of the results is
		   also long, and begins at a cache line. */
		uint8_t stream;
		/* SCHEDULE_REDUCE_*: the number of neighbouring results that a
		   team reduces together. */
		uint8_t near;
		/* SCHEDULE_REDUCE_*: the number of axes that are reduced. */
		uint8_t reduced;
	} cpu;
};
_Static_assert(_Alignof(struct schedule) == 1, "a schedule has no padding");

static inline bool schedule_reduces(const struct schedule *schedule)
{
	return schedule->kind >= SCHEDULE_REDUCE_ROWS;
}

/* The index of each word of a kernel, and the number n of all words.
   SCHEDULE_REDUCE_* and SCHEDULE_STAGES have no `rows`.  Only these schedules
   have `per_part`, `step` and the members from `next_part` to `team`. */
struct schedule_words {
	int count, rows, per_part, extent, offset, stride, step, next_part,
		columns, length, part, divisor, team, scalar, n;
};
struct schedule_words schedule_words(const struct graph *graph,
				     const struct schedule *schedule);

/* schedule_scalar_words(): the number of words of scalar @k.
   schedule_scalars_before(): the number of words of all scalars before @k. */
int schedule_scalar_words(const struct graph *graph, int k);
int schedule_scalars_before(const struct graph *graph, int k);

/* Write the name of the kernel.  In SCHEDULE_STAGES this is "rows_" and
   graph_name().  In SCHEDULE_REDUCE_* it is the reduction, and the dtype of the
   input ("sum_float32") or, if the graph has several steps, graph_name().  In
   other schedules it is graph_name() alone. */
void schedule_name(const struct graph *graph, const struct schedule *schedule,
		   char name[GRAPH_NAME]);

/* The dtype of operand @k.  Results come first, then inputs. */
unsigned schedule_operand(const struct graph *graph, int k);
static inline int schedule_operands(const struct graph *graph)
{
	return graph->n_results + graph->n_inputs;
}

/* schedule_has_memory(): whether operand @k has memory.  schedule_is_source():
   whether operand @k is a source.  schedule_pointers(): the number of operands
   with memory. */
bool schedule_has_memory(const struct graph *graph, int k);
bool schedule_is_source(const struct graph *graph, int k);
int schedule_pointers(const struct graph *graph);

/* The number of elements in a pack of SCHEDULE_FLAT on a GPU.  The pack has 16
   bytes in the operand with the largest elements.  Operands without memory and
   sources do not count.  A pack has one element if any result is stored by a
   GRAPH_PUT. */
int schedule_pack(const struct graph *graph);

/* The number of elements in a pack of a reduction whose result does not depend
   on the order.  The pack is chosen as by schedule_pack().  Values wider than
   the inputs are not stored, so a pack of such values may have
   SCHEDULE_WIDE_PACKS times 16 bytes. */
#define SCHEDULE_WIDE_PACKS 2
int schedule_reduced_pack(const struct graph *graph);

/* Whether a work-item can take several packs.  The bytes of a pack must fill
   whole registers of 32 bits in every operand.  A GRAPH_PUT stores one
   element. */
bool schedule_takes_packs(const struct graph *graph);

/* Whether a work-item of SCHEDULE_ROWS can take several packs.  Only operands
   that move along the row count.  The inputs and gpu.pack must have been
   chosen. */
bool schedule_takes_slots(const struct graph *graph,
			  const struct schedule *schedule);

/* The number of elements that a work-item takes in SCHEDULE_FLAT and
   SCHEDULE_ROWS on a GPU. */
int schedule_items(const struct graph *graph, const struct schedule *schedule);

/* SCHEDULE_TILE: the number of elements along each side of a large and a small
   tile.  schedule_tile_vector(): the number of neighbouring elements that a
   work-item loads or stores together. */
#define SCHEDULE_TILE_LARGE 64
#define SCHEDULE_TILE_SMALL 32
int schedule_tile_vector(const struct graph *graph,
			 const struct schedule *schedule);

/* SCHEDULE_TILE: the bytes of an operand's tile in local memory.  The tile has
   a spare column, so that work-items that write a column use different banks.
   */
static inline int schedule_tile_bytes(int tile, int size)
{
	return tile * (tile + 1) * size;
}

/* The number of work-items in a group on a GPU.  SCHEDULE_FLAT has groups of
   the format's flat_group instead (formats.h). */
#define SCHEDULE_GROUP 256
/* The number of elements in a short block of native code.  A result whose rows
   have fewer elements is not written past the CPU's caches. */
#define SCHEDULE_RUN 256

/* The size of a cache line of a CPU, in bytes. */
#define SCHEDULE_STREAM_LINE 64

#endif
