/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - how a kernel goes over the elements of its arrays, and the
 * arguments that a launch passes to the kernel.
 *
 * A kernel has a pointer for each result, then a pointer for each input that
 * has memory, then a struct of 8-byte words.  frame_words() finds the place of
 * each word:
 *
 * FRAME_FLAT     count, scalars
 * FRAME_STRIDED  count, rows, extent[rank], offset[operands],
 *                stride[rank][operands], scalars
 * FRAME_ROWS     as FRAME_STRIDED
 * FRAME_TILE     as FRAME_STRIDED
 * FRAME_FOLD_*   count, per part, extent[rank], offset[operands],
 *                stride[rank][operands], step[operands], length, part,
 *                divisor, with gpu.open team, scalars
 * FRAME_STAGES   as FRAME_FOLD_*
 *
 * `count` is the number of elements.  `rows` is the product of all extents but
 * the first.  Axis 0 is the innermost.  Offsets and strides are counted in
 * elements.  A scalar has the type in which its dtype is computed (float for
 * 16-bit floats, see kernels/types.cl).  Its bytes begin with the first byte of
 * the word.  A complex128 has two words; any other scalar has one.
 *
 * FRAME_FOLD_* kernels reduce an axis of `length` elements.  This axis is cut
 * into parts of `part` elements, and `step` has its strides.  The extents and
 * strides are those of the kept axes, and in native code of all axes.  `count`
 * is the number of teams, and `per part` is the number of teams for each part.
 * `divisor` is the number of elements, as a float of the accumulated dtype's
 * parts.  Results of parts are stored part by part.
 *
 * A result has no step, so step[0] has another use.  With gpu.open it is `next
 * part`, the distance between the results of two parts.  In native code it is
 * `columns`, see kernels/block_program.h.  With gpu.open a divisor of 0 means
 * no division, and `team` is the number of work-items in a team, a power of
 * two.
 *
 * FRAME_STAGES has no parts, and its divisor is an integer.
 *
 * A GRAPH_INDEX is an operand without memory.  It has the words of an operand,
 * and its value is the position that they give.  FRAME_FLAT has no such words,
 * so its graphs have no GRAPH_INDEX.
 *
 * In FRAME_FLAT, pointers point to the first elements.  In other frames they
 * point to the beginning of the allocations.  A result may be an input of the
 * same layout.
 *
 * In kernels for GPUs a pack is a vector of neighbouring elements that a
 * work-item takes together.
 */
#ifndef ARRAY_FRAME_H
#define ARRAY_FRAME_H

#include "core/array/engine/graph.h"

#define FRAME_RANK 8       /* a launch with more axes is made in parts */
#define FRAME_FOLD_RANK 16 /* the most axes of a reduction in native code */
#define FRAME_OPERANDS (GRAPH_RESULTS + GRAPH_INPUTS)

enum frame_kind {
	FRAME_FLAT, /* all arrays are contiguous and have the same shape */
	FRAME_STRIDED,
	/*
	 * For GPUs.  A work-item takes a pack, frame_pack() elements of a row,
	 * so there are count / frame_pack() work-items.  Along axis 0 every
	 * result is FRAME_NEXT, and every input is FRAME_NEXT or FRAME_FIXED.
	 * The extent of axis 0 is a multiple of the pack.  Every row of a
	 * FRAME_NEXT operand begins at a multiple of a pack's bytes.
	 */
	FRAME_ROWS,
	/*
	 * Not in native code.  A group computes a square of axes 0 and 1, with
	 * gpu.tile elements each way; at the ends of the axes the square is cut
	 * off.  FRAME_TURNED inputs are transposed in local memory.  Groups are
	 * numbered along axis 0, then axis 1, and so on.  Every result is
	 * FRAME_NEXT.
	 */
	FRAME_TILE,
	/*
	 * A reduction.  On GPUs it reduces one axis, and is written by
	 * ptx_fold.c and gpu_fold.c.  Native code may reduce several axes, the
	 * outer ones: see kernels/block_program.h.
	 * FRAME_FIXED inputs have the same value for all elements that are
	 * reduced together.
	 *
	 * FRAME_FOLD_ROWS: a team of work-items reduces a part of the axis.  In
	 * each round a work-item takes FRAME_FOLD_ROW_SLOTS packs; the packs of
	 * a team's work-items are neighbours.  `inner` describes how inputs
	 * move along the reduced axis.
	 *
	 * FRAME_FOLD_COLUMNS: a work-item reduces a part of the axis for a pack
	 * of neighbours along kept axis 0.  In each round it takes
	 * FRAME_FOLD_COLUMN_SLOTS packs.  `inner` describes how inputs move
	 * along kept axis 0.
	 */
	FRAME_FOLD_ROWS,
	FRAME_FOLD_COLUMNS,
	/*
	 * Rows in stages, written by ptx_stages.c and gpu_stages.c.  A team
	 * computes a row, and reduces it once for each GRAPH_REDUCE, as in
	 * FRAME_FOLD_ROWS.  Later steps use the outcome.  Native code computes
	 * rows as in kernels/block_rows.h.  `inner` describes how operands move
	 * along the row.  A FRAME_FIXED result has one element for a row.
	 */
	FRAME_STAGES
};
#define FRAME_FOLD_ROW_SLOTS 4
#define FRAME_FOLD_COLUMN_SLOTS 8
/* the most slots of a row that is held in registers */
#define FRAME_STAGES_SLOTS 16

/* How an operand moves along axis 0.  In FRAME_TILE, a FRAME_TURNED operand is
   transposed: it is contiguous along axis 1. */
enum frame_inner { FRAME_FIXED, FRAME_NEXT, FRAME_ANY, FRAME_TURNED };

/* What may be missing in a work-item's last packs at the end of a row. */
enum frame_missing {
	FRAME_NOTHING, /* nothing; only in PTX */
	FRAME_PACKS,   /* whole packs */
	FRAME_ELEMENTS
};

/*
 * The parameters of a kernel's code, beside its graph.  A frame is hashed and
 * compared as bytes, so it starts as all zeros and has no padding.
 */
struct frame {
	uint8_t kind;
	/* not in FLAT: the rank after collapsing, 1 to FRAME_RANK */
	uint8_t rank;
	/* not in FLAT: an enum frame_inner for each result, then for each
	   input */
	uint8_t inner[FRAME_OPERANDS];
	/* The next three members are for FOLD. */
	uint8_t reduction; /* enum reduction */
	uint8_t sum;       /* the dtype in which the reduction accumulates */
	/* the dtype of the results; 0: results are accumulated values of
	   parts */
	uint8_t result;
	/* For kernels that a driver builds or loads.  All members are 0 in
	   native code. */
	struct {
		/* Vectors can be loaded and stored.  FLAT: each operand begins
		   at a multiple of the bytes of frame_pack() elements.  TILE,
		   in PTX: each row of an operand that is FRAME_NEXT or
		   FRAME_TURNED begins at a multiple of 16 bytes. */
		uint8_t aligned;
		/* Not in FLAT: count is less than 2^31.  TILE: always 1. */
		uint8_t small;
		/* TILE: FRAME_TILE_LARGE or FRAME_TILE_SMALL. */
		uint8_t tile;
		/* Kernels in files, STRIDED and FOLD_ROWS: a launch may have
		   fewer axes; the missing ones get extent 1. */
		uint8_t open;
		/* FOLD: there are several parts. */
		uint8_t cut;
		/* FOLD and STAGES: the number of elements in a pack. */
		uint8_t pack;
		/* FOLD and STAGES: the number of packs that accumulate, either
		   1 or the number of slots.  STAGES: for reductions whose order
		   matters. */
		uint8_t lanes;
		/* FOLD_ROWS and STAGES: a team has 2^team_bits work-items. */
		uint8_t team_bits;
		/* STAGES, in PTX: the number of packs in a work-item's share of
		   a row.  All but the last one are complete.  0: there are more
		   than FRAME_STAGES_SLOTS. */
		uint8_t slots;
		/* STAGES, and FOLD_ROWS except in PTX: enum frame_missing. */
		uint8_t missing;
	} gpu;
	/* For native code.  All members are 0 for other kernels. */
	struct {
		/* The operands are too large for the CPU's caches (see
		   target_streams()).  FLAT and STRIDED: also, each row of the
		   results is long, and begins at a cache line. */
		uint8_t stream;
		/* FOLD: the number of neighbours that are reduced together. */
		uint8_t near;
		/* FOLD: the number of axes that are reduced. */
		uint8_t reduced;
	} cpu;
};
_Static_assert(_Alignof(struct frame) == 1, "a frame has no padding");

static inline bool frame_is_fold(const struct frame *frame)
{
	return frame->kind >= FRAME_FOLD_ROWS;
}

/* The places of a kernel's words, and their number n.  `per_part`, `step` and
   the members after `step` are words of FRAME_FOLD_* and FRAME_STAGES, which
   have no `rows`. */
struct frame_words {
	int count, rows, per_part, extent, offset, stride, step, next_part,
		columns, length, part, divisor, team, scalar, n;
};
struct frame_words frame_words(const struct graph *graph,
			       const struct frame *frame);

/* The number of words of the graph's scalar @k, and of the first @k scalars
   together. */
int frame_scalar_words(const struct graph *graph, int k);
int frame_scalars_before(const struct graph *graph, int k);

/* Write the name of the kernel: graph_name(), or the reduction and its dtype
   ("sum_float32"), or the reduction and the name of the graph. */
void frame_name(const struct graph *graph, const struct frame *frame,
		char name[GRAPH_NAME]);

/* The dtype of operand @k.  Results come first, then inputs. */
unsigned frame_operand(const struct graph *graph, int k);
static inline int frame_operands(const struct graph *graph)
{
	return graph->n_results + graph->n_inputs;
}

/* Whether operand @k has memory, and the number of operands with memory. */
bool frame_has_memory(const struct graph *graph, int k);
int frame_pointers(const struct graph *graph);

/* The number of elements in a pack of FRAME_FLAT or FRAME_ROWS on a GPU: 16
   bytes of the largest elements, among the operands with memory. */
int frame_pack(const struct graph *graph);

/* TILE: the extents of squares, and the number of neighbouring elements that a
   work-item takes. */
#define FRAME_TILE_LARGE 64
#define FRAME_TILE_SMALL 32
int frame_tile_vector(const struct graph *graph, const struct frame *frame);

/* TILE: the bytes of an operand's square in local memory.  The square has a
   spare column, so that work-items that write a column use different banks. */
static inline int frame_tile_bytes(int tile, int size)
{
	return tile * (tile + 1) * size;
}

/* The number of work-items in a group on a GPU. */
#define FRAME_GROUP 256
/* The number of elements in a block of native code.  A result with shorter rows
   is not streamed. */
#define FRAME_RUN 256

/* The size of a cache line of a CPU, in bytes. */
#define FRAME_STREAM_LINE 64

#endif
