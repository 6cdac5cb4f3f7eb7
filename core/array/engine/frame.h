/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - how a kernel goes over the elements of its arrays, and what a
 * launch passes to it.
 *
 * A kernel has a pointer for each result, then one for each input that has
 * memory, then a struct of 8-byte words, which frame_words() counts:
 *
 *	FRAME_FLAT     count, scalars
 *	FRAME_STRIDED  count, rows, extent[rank], offset[operands],
 *	               stride[rank][operands], scalars
 *	FRAME_ROWS     the same
 *	FRAME_TILE     the same
 *	FRAME_FOLD_*   count, per part, extent[rank], offset[operands],
 *	               stride[rank][operands], step[operands], length, part,
 *	               divisor, with gpu.open team, scalars
 *
 * `count` is the number of elements, `rows` the product of the extents but the
 * first.  Axis 0 is the innermost.  Offsets and strides are in elements.  A
 * scalar has the bytes of the type in which its dtype is computed (float for
 * 16-bit floats, see kernels/types.cl), from the word's first byte on; a
 * complex128 has two words, each other scalar one.
 *
 * In the frames that reduce (FOLD), the axes are those that are kept, `step` is
 * the stride of the axis that is reduced, which has `length` elements, cut into
 * parts of `part` elements; `count` is the number of teams, `per part` that of
 * each part, and `divisor` the number of elements as a float of the accumulated
 * parts' dtype.  Results of parts lie one after the other, part by part.  A
 * result has no step: with gpu.open step[0] is `next part`, the distance of the
 * results of two parts, and in native code it is `columns`, as
 * kernels/block_program.h says.  With gpu.open a divisor of 0 divides nothing,
 * and a team has `team` work-items, a power of two.
 * FRAME_STAGES has the same words, no parts, and the divisor as an integer.
 *
 * A GRAPH_INDEX is an operand without memory.  It has the words of an operand,
 * and what they add up to is its value.  FRAME_FLAT, which has no such words,
 * has none of these.
 *
 * Pointers are to the first elements in FRAME_FLAT, and to the begin of the
 * allocations in the others.  A result may be an input of the same layout.
 */
#ifndef ARRAY_FRAME_H
#define ARRAY_FRAME_H

#include "core/array/engine/graph.h"

#define FRAME_RANK 8       /* a launch with more axes is made in parts */
#define FRAME_FOLD_RANK 16 /* native code: of a reduction */
#define FRAME_OPERANDS (GRAPH_RESULTS + GRAPH_INPUTS)

enum frame_kind {
	FRAME_FLAT, /* all arrays are contiguous and of one shape */
	FRAME_STRIDED,
	/*
	 * GPUs: a work-item takes frame_pack() elements of a row, so there are
	 * count / frame_pack() work-items.  Along axis 0 every result is
	 * FRAME_NEXT, and every input that or FRAME_FIXED; its extent is a
	 * multiple of the pack.  Of each operand that is FRAME_NEXT, the
	 * address of every row's first element is a multiple of the bytes of a
	 * pack of it.
	 */
	FRAME_ROWS,
	/*
	 * Not in native code: a group computes a square of axes 0 and 1, of
	 * gpu.tile elements each way, or what is left of that at the ends.
	 * Inputs that are FRAME_TURNED go through its local memory.  Groups are
	 * numbered along axis 0, then 1, and so on.  Every result is
	 * FRAME_NEXT.
	 */
	FRAME_TILE,
	/*
	 * A reduction of one axis, on GPUs by ptx_fold.c, spirv_fold.c and
	 * emit_text_teams.c.
	 * FRAME_FOLD_ROWS: a team of work-items reduces a part of the axis.  In
	 * each round an item takes FRAME_FOLD_ROW_SLOTS packs, a team's packs
	 * lying side by side.  `inner` is how inputs move along this axis.
	 * FRAME_FOLD_COLUMNS: a work-item reduces a part of the axis for a pack
	 * of neighbours along kept axis 0; in each round it takes
	 * FRAME_FOLD_COLUMN_SLOTS of them.  `inner` is how inputs move along
	 * kept axis 0.
	 * Native code may reduce several axes, as kernels/block_program.h says.
	 * The axes that are kept are the inner ones.
	 * FIXED inputs have one value for all elements that are reduced.
	 */
	FRAME_FOLD_ROWS,
	FRAME_FOLD_COLUMNS,
	/*
	 * By ptx_stages.c, spirv_stages.c and emit_text_teams.c: a team
	 * computes a row, and reduces it once for each GRAPH_REDUCE, as in
	 * FRAME_FOLD_ROWS; what follows uses the outcome.  Native code computes
	 * rows as kernels/block_rows.h says.  `inner` is how operands move
	 * along the row; a result that is FRAME_FIXED has one element for a
	 * row.
	 */
	FRAME_STAGES
};
#define FRAME_FOLD_ROW_SLOTS 4
#define FRAME_FOLD_COLUMN_SLOTS 8
#define FRAME_STAGES_SLOTS 16 /* the most that may be held */

/* How an operand moves along axis 0.  TILE: a FRAME_TURNED one does along axis
   1. */
enum frame_inner { FRAME_FIXED, FRAME_NEXT, FRAME_ANY, FRAME_TURNED };

/* What may be missing of a work-item's last packs at the end of a row. */
enum frame_missing {
	FRAME_NOTHING, /* only in PTX */
	FRAME_PACKS,   /* whole packs */
	FRAME_ELEMENTS
};

/*
 * What the code of a kernel depends on, beside its graph.  A frame is hashed
 * and compared as bytes: it begins as 0 and has no padding.
 */
struct frame {
	uint8_t kind;
	uint8_t rank; /* not FLAT: 1 to FRAME_RANK, after collapsing */
	uint8_t inner[FRAME_OPERANDS]; /* not FLAT: of each result, then of
					  each input: enum frame_inner */
	/* FOLD: */
	uint8_t reduction; /* enum reduction */
	uint8_t sum;       /* the dtype that accumulates */
	uint8_t result;    /* the dtype of the result; 0: results are what was
			      accumulated of the parts */
	/* Kernels that a driver builds or loads.  0 for native code. */
	struct {
		/* Vectors can be loaded and stored.  FLAT: each operand begins
		   at a multiple of the bytes of its frame_pack() elements.
		   TILE, PTX alone: each row of an operand that is FRAME_NEXT or
		   FRAME_TURNED begins at a multiple of 16 bytes. */
		uint8_t aligned;
		/* Not FLAT: count is less than 2^31.  TILE: 1. */
		uint8_t small;
		/* TILE: FRAME_TILE_LARGE or FRAME_TILE_SMALL. */
		uint8_t tile;
		/* Kernels in files, STRIDED and FOLD_ROWS: a launch may have
		   fewer axes, and gives the others extent 1. */
		uint8_t open;
		/* FOLD: there are several parts. */
		uint8_t cut;
		/* FOLD and STAGES: the elements of a pack. */
		uint8_t pack;
		/* FOLD and STAGES: the packs that accumulate, one or one per
		   slot.  STAGES: of reductions whose order matters. */
		uint8_t lanes;
		/* FOLD_ROWS and STAGES: a team has 2 to this power work-items.
		 */
		uint8_t team_bits;
		/* STAGES, PTX alone: the packs of a work-item's share of a row,
		   of which all but the last are there.  0: more than
		   FRAME_STAGES_SLOTS. */
		uint8_t slots;
		/* STAGES, and FOLD_ROWS but in PTX: enum frame_missing. */
		uint8_t missing;
	} gpu;
	/* Native code.  0 for other kernels. */
	struct {
		/* The operands are too large for the CPU's caches
		   (target_streams()).  FLAT and STRIDED: besides, each row of
		   the results is long and begins a cache line. */
		uint8_t stream;
		/* FOLD: the neighbours that are reduced together. */
		uint8_t near;
		/* FOLD: the axes that are reduced. */
		uint8_t reduced;
	} cpu;
};
_Static_assert(_Alignof(struct frame) == 1, "a frame has no padding");

static inline bool frame_is_fold(const struct frame *frame)
{
	return frame->kind >= FRAME_FOLD_ROWS;
}

/* Where the words of a kernel are, and how many there are: n.  `per_part`,
   `step` and what follows it are words of FRAME_FOLD_* and FRAME_STAGES, which
   have no `rows`. */
struct frame_words {
	int count, rows, per_part, extent, offset, stride, step, next_part,
		columns, length, part, divisor, team, scalar, n;
};
struct frame_words frame_words(const struct graph *graph,
			       const struct frame *frame);

/* The words of the graph's scalar @k, or of the first @k scalars together. */
int frame_scalar_words(const struct graph *graph, int k);
int frame_scalars_before(const struct graph *graph, int k);

/* Write the name of the kernel: graph_name(), or that of the reduction and its
   dtype ("sum_float32"), or of the reduction and the graph. */
void frame_name(const struct graph *graph, const struct frame *frame,
		char name[GRAPH_NAME]);

/* The dtype of operand @k: first the results, then the inputs. */
unsigned frame_operand(const struct graph *graph, int k);
static inline int frame_operands(const struct graph *graph)
{
	return graph->n_results + graph->n_inputs;
}

/* Whether operand @k has memory, and how many operands do. */
bool frame_has_memory(const struct graph *graph, int k);
int frame_pointers(const struct graph *graph);

/* On a GPU, how many elements a work-item of FRAME_FLAT or FRAME_ROWS takes: 16
   bytes of the operand in memory with the largest elements. */
int frame_pack(const struct graph *graph);

/* TILE: the extents of squares, and the elements of a work-item that lie side
   by side. */
#define FRAME_TILE_LARGE 64
#define FRAME_TILE_SMALL 32
int frame_tile_vector(const struct graph *graph, const struct frame *frame);

/* TILE: the bytes of an operand's square in local memory.  A column more than
   the square has lets work-items that write a column use all banks. */
static inline int frame_tile_bytes(int tile, int size)
{
	return tile * (tile + 1) * size;
}

/* The work-items per group on a GPU. */
#define FRAME_GROUP 256
/* The elements of a block of native code; a result with shorter rows is not
   streamed. */
#define FRAME_RUN 256

/* The bytes of a line of a CPU's caches. */
#define FRAME_STREAM_LINE 64

#endif
