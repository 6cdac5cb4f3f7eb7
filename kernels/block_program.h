/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_program.h - programs: lists of steps that the CPU runs without a
 * compiler.
 *
 * A program lists the functions of block.h to call, in order.  The kernels of
 * block.c run the list for one block after another.
 * core/array/engine/native/blocks.c writes programs.
 */
#ifndef KERNELS_BLOCK_PROGRAM_H
#define KERNELS_BLOCK_PROGRAM_H

#include <dpr/backend.h>

#include "kernels/block.h"

/* the most bytes of all registers of a program */
#define BLOCK_ARENA (48 << 10)
/* the same for a program that needs little stack */
#define BLOCK_LITTLE (32 << 10)
#define BLOCK_LINE 64 /* the alignment of registers, in bytes */
#define BLOCK_OPERANDS 20
#define BLOCK_RANK 8
#define BLOCK_FOLD_RANK 16 /* the most axes of a program that reduces */

/* How a program reduces its elements.  BLOCK_NO_FOLD: not at all. */
enum { BLOCK_NO_FOLD, BLOCK_FOLD_LINES, BLOCK_FOLD_COLUMNS };
struct block_folding {
	uint8_t kind;
	uint8_t dtype; /* the dtype of the function that reduces */
	uint8_t what;  /* BLOCK_SUM, ... */
	/* 2 for complex numbers, whose parts are reduced apart */
	uint8_t parts;
	/* for LINES: the number of neighbours that are reduced together */
	uint8_t near;
	/* the number of axes that are reduced; they are the outer axes */
	uint8_t gone;
	uint8_t sum; /* the dtype in which the reduction accumulates */
	/* the dtype of the results; 0: the results are accumulated values of
	   parts */
	uint8_t result;
	uint8_t divides; /* the results are divided by the divisor */
	uint8_t shift;   /* the logarithm of the size of an element */
	uint8_t of;      /* for rows: BLOCK_ELEMENTS, ... */
	uint8_t reserved;
};

/*
 * A program.  After the struct come `operands` of struct block_operand,
 * `scalars` of struct block_scalar, `folds` of struct block_folding and
 * `registers` of uint16_t.  At the next multiple of 8 bytes follow `steps` of
 * struct block_step, and then the words of core/array/engine/schedule.h.
 *
 * A value is in a slot.  The first slots are the registers, and after them
 * there is a slot for each operand.  The slot of an operand is its memory, if
 * the elements are contiguous and are whole units; otherwise the slot is the
 * operand's register.
 */
struct block_code {
	uint8_t results, operands, scalars, registers;
	/* `run`: the elements for which registers have room */
	uint16_t steps, run;
	uint8_t strided, stream, rank;
	/* strided: the program only copies an input or a scalar */
	uint8_t is_copy;
	/* is_one_call: the program is a single call, or a single chain.
	   is_cheap: it is a call that spends most of its time on memory.
	   takes_one: the call takes BLOCK_ONE_X and BLOCK_ONE_Y. */
	uint8_t is_one_call, is_cheap, takes_one;
	/* the elements of a block if all arrays are contiguous */
	uint16_t flat_run;
	uint32_t words;  /* the offset of the words in bytes */
	uint16_t arena;  /* the size of all registers, in lines */
	uint16_t weight; /* the time of the steps, as a number of additions */
	struct block_folding fold;
	/* For a program that computes rows.  folds: the number of reductions.
	   whole: the number of registers with room for a whole row, which are
	   the last ones. */
	uint8_t folds, whole;
};

#define BLOCK_NONE 255
struct block_operand {
	uint8_t shift; /* the logarithm of the size of an element */
	/* the register of the operand; BLOCK_NONE: it needs none */
	uint8_t slot;
	uint8_t kept; /* the register has no other use */
	/* the operand has no memory: the value of an element is its position,
	   an int64_t */
	uint8_t is_index;
	uint8_t streams;  /* a chain stores the operand past the caches */
	uint8_t reserved; /* 0 */
};
/* The members after the operands are aligned to two bytes. */
_Static_assert(sizeof(struct block_operand) % 2 == 0, "operands are even");

/* A scalar, which fills its register; no more than `most` elements are
   needed. */
struct block_scalar {
	uint8_t slot, dtype;
	uint16_t word, most;
};

enum block_kind {
	/* load operand `out` into its register, if its slot is the register */
	BLOCK_LOAD,
	BLOCK_CALL, /* call function `unit`, with the result in slot `out` */
	/* store slot x[0] into operand `out`, unless it is there already */
	BLOCK_STORE,
	/* reduce slot x[0]; for rows: with reduction `unit`, into slot `out`;
	   x[1] is the other operand of products or squares */
	BLOCK_REDUCE,
	/* for rows: spread the values of slot x[0] over slot `out` */
	BLOCK_SPREAD,
	BLOCK_NEXT, /* for rows: a section ends */
	/* run a chain of dtype `unit`; the next `code` steps are the links */
	BLOCK_CHAIN,
	/* a link: operation `code` of kernels/block_chain.h on slot `out`;
	   x[0]: BLOCK_LINK_SCALAR, BLOCK_LINK_SPREAD or 0; then, for a link of
	   two slots, the other slot; then, after SPREAD, the slot that was
	   spread */
	BLOCK_LINK
};

struct block_step {
	uint8_t kind, unit, code, out;
	uint8_t x[3], reserved;
};

/* The logarithm of the size of an element of @dtype. */
static inline int block_shift_of(unsigned dtype)
{
	static const uint8_t shifts[] = { 0, 0, 0, 1, 2, 3, 0, 1,
					  2, 3, 1, 1, 2, 3, 3, 4 };

	return shifts[dtype];
}

/* The number of bytes before the steps. */
static inline uint32_t block_head(const struct block_code *code)
{
	const uint32_t size =
		(uint32_t)sizeof(*code) +
		code->operands * (uint32_t)sizeof(struct block_operand) +
		code->scalars * (uint32_t)sizeof(struct block_scalar) +
		code->folds * (uint32_t)sizeof(struct block_folding) +
		code->registers * (uint32_t)sizeof(uint16_t);

	return (size + 7) & ~7u;
}

static inline const struct block_scalar *block_scalars(
	const struct block_code *code)
{
	return (const void *)((const struct block_operand *)(code + 1) +
			      code->operands);
}

static inline const struct block_folding *block_foldings(
	const struct block_code *code)
{
	return (const void *)(block_scalars(code) + code->scalars);
}

/* For each register the offset of its memory, in lines.  For a register with
   room for whole rows: the logarithm of its elements' size. */
static inline const uint16_t *block_registers(const struct block_code *code)
{
	return (const void *)(block_foldings(code) + code->folds);
}

/* The parts of the words of a launch. */
struct block_words {
	const uint64_t *extent;
	const int64_t *offset, *stride; /* stride[axis][operand] */
	uint64_t count, rows;
};
static inline struct block_words block_words(const struct block_code *code)
{
	const uint64_t *word =
		(const uint64_t *)((const char *)code + code->words);
	struct block_words words = { .count = word[0], .rows = 1 };

	if (code->strided) {
		words.rows = word[1];
		words.extent = word + 2;
		words.offset = (const int64_t *)words.extent + code->rank;
		words.stride = words.offset + code->operands;
	}
	return words;
}

/*
 * The words that only a launch with a reduction has: see SCHEDULE_FOLD_ROWS in
 * core/array/engine/schedule.h.  A work-item is a team.  There are `count`
 * teams, `rows` of them for each part.
 *
 *   LINES    a team reduces a part for one result, or for `near` neighbours
 *            along axis 0
 *   COLUMNS  a team reduces a part for up to `columns` results that follow each
 *            other: along axis 0 or, with `linear`, along all axes that are
 *            kept
 */
struct block_fold_words {
	/* the number of elements in a row, and in a part of a row */
	int64_t length, part;
	int64_t columns;
	int linear;
	const uint64_t *divisor; /* points to a float or a double */
};
#define BLOCK_FOLD_LINEAR (UINT64_C(1) << 63)
static inline struct block_fold_words block_fold_words(
	const struct block_code *code)
{
	const struct block_words words = block_words(code);
	const uint64_t *word = (const uint64_t *)words.stride +
			       (size_t)code->rank * code->operands;
	struct block_fold_words fold = {
		.columns = (int64_t)(word[0] & ~BLOCK_FOLD_LINEAR),
		.linear = (word[0] & BLOCK_FOLD_LINEAR) != 0
	};

	word += code->operands;
	fold.length = (int64_t)word[0];
	fold.part = (int64_t)word[1];
	fold.divisor = &word[2];
	return fold;
}

/* The number of buffers of a team: lanes, totals and results.  A buffer has up
   to BLOCK_FOLD_BYTES, and has room for the lanes of LINES or for the
   columns. */
#define BLOCK_FOLD_BUFFERS 5
#define BLOCK_FOLD_BYTES 8192
#define BLOCK_FOLD_LINE_BYTES 2048
static inline size_t block_fold_bytes(const struct block_code *code)
{
	const size_t columns = (size_t)block_fold_words(code).columns *
			       code->fold.parts * sizeof(uint64_t);

	return code->fold.kind == BLOCK_FOLD_LINES ||
			       columns < BLOCK_FOLD_LINE_BYTES
		       ? BLOCK_FOLD_LINE_BYTES
		       : columns;
}

/* Whether a launch with a reduction needs at most BLOCK_LITTLE bytes. */
static inline int block_fold_needs_little(const struct block_code *code)
{
	return code->arena * (size_t)BLOCK_LINE +
		       BLOCK_FOLD_BUFFERS * block_fold_bytes(code) <=
	       BLOCK_LITTLE;
}

/* Whether input @k is transposed: contiguous along axis 1, and not along axis
   0.  A transposed input is read in tiles of several rows. */
#define BLOCK_TILE_COLUMNS 1024
#define BLOCK_TILE_LINE 256 /* the bytes of a column of a tile */
#define BLOCK_TILE /* the bytes of a tile, with a free line after each row */ \
	(BLOCK_TILE_LINE * (BLOCK_TILE_COLUMNS + BLOCK_LINE))
#define BLOCK_TILES 2 /* the most tiles at a time */
static inline int block_is_turned(const struct block_code *code,
				  const struct block_words *words, int k)
{
	const int64_t *stride = words->stride + k;
	const int is_index =
		((const struct block_operand *)(code + 1))[k].is_index;

	return k >= code->results && code->rank > 1 && !is_index &&
	       stride[code->operands] == 1 && stride[0] != 0 &&
	       stride[0] != 1 && stride[0] != -1;
}

/*
 * How a program that copies is cut into work-items.  Each takes a box of @size
 * elements along axes 0 and 1.  There are @count boxes along these axes.
 */
#define BLOCK_BOX 32768 /* the bytes of a box */
struct block_boxes {
	uint64_t extent[2], size[2], count[2], items;
	/* the copy transposes, and a box is a tile of kernels/turn.cl */
	int turned;
};
/* the least elements along both axes for copying with tiles */
#define BLOCK_LEAST_TURNED 8
static inline struct block_boxes block_boxes(const struct block_code *code,
					     const struct block_words *words)
{
	const struct block_operand *operand = (const void *)(code + 1);
	const int shift = operand->shift;
	const int64_t *stride = words->stride; /* [axis][result, input] */
	const int may_turn = code->operands == 2 && code->rank > 1;
	const uint64_t y = code->rank > 1 ? words->extent[1] : 1;
	struct block_boxes boxes = { .extent = { words->extent[0], y } };
	uint64_t room = BLOCK_BOX >> shift;

	boxes.turned = may_turn && stride[0] == 1 && stride[3] == 1 &&
		       stride[1] != 0 && stride[1] != 1 &&
		       words->extent[0] >= BLOCK_LEAST_TURNED &&
		       y >= BLOCK_LEAST_TURNED;
	for (int d = 0; d < 2; d++) {
		const uint64_t extent = boxes.extent[d];

		boxes.size[d] = boxes.turned    ? BLOCK_TURNED(shift)
				: extent < room ? extent
						: room;
		boxes.count[d] = (extent + boxes.size[d] - 1) / boxes.size[d];
		room = room / boxes.size[d] ? room / boxes.size[d] : 1;
	}
	boxes.items = words->rows / y * boxes.count[0] * boxes.count[1];
	return boxes;
}

/*
 * How a launch is cut into work-items.  A work-item takes `run` elements.  Of
 * short rows it takes `rows` whole rows instead.  A longer row is cut into
 * `chunks` of `run` elements.  With tiles a work-item takes BLOCK_TILE_COLUMNS
 * elements of `tile` rows, which follow each other along axis 1.
 */
struct block_cut {
	uint64_t items, run, rows, chunks, tile;
};

/* The number of rows of @extent elements that fit into @run elements.  If
   possible these rows are whole units together. */
static inline uint64_t block_short_rows(uint64_t run, uint64_t extent)
{
	const uint64_t even = extent & (0 - extent);
	const uint64_t whole = even < BLOCK_UNIT ? BLOCK_UNIT / even : 1;
	const uint64_t rows = run / extent;

	return rows < whole ? rows : rows / whole * whole;
}
static inline struct block_cut block_cut(const struct block_code *code,
					 const struct block_words *words)
{
	const uint64_t run = code->run;
	const struct block_operand *operand = (const void *)(code + 1);
	struct block_cut cut = { .rows = 1, .chunks = 1, .run = run };
	int shift = -1;

	if (code->is_copy) {
		const struct block_boxes boxes = block_boxes(code, words);

		cut.run = boxes.size[0] * boxes.size[1];
		cut.items = boxes.items;
		return cut;
	}
	if (!code->strided) {
		cut.run = code->flat_run;
		cut.items = (words->count + cut.run - 1) / cut.run;
		return cut;
	}
	if (words->extent[0] && words->extent[0] <= run / 2) {
		cut.run = code->run;
		cut.rows = block_short_rows(code->run, words->extent[0]);
	}
	for (int k = 0; cut.rows == 1 && k < code->operands; k++)
		if (block_is_turned(code, words, k) && operand[k].shift > shift)
			shift = operand[k].shift;
	cut.chunks = (words->extent[0] + run - 1) / run;
	if (shift >= 0) {
		cut.run = code->run;
		cut.tile = BLOCK_TILE_LINE >> shift;
		cut.chunks = (words->extent[0] + BLOCK_TILE_COLUMNS - 1) /
			     BLOCK_TILE_COLUMNS;
		cut.items = words->rows / words->extent[1] *
			    ((words->extent[1] + cut.tile - 1) / cut.tile) *
			    cut.chunks;
		return cut;
	}
	cut.items = (words->rows + cut.rows - 1) / cut.rows * cut.chunks;
	return cut;
}

/* Whether a launch needs at most BLOCK_LITTLE bytes of registers, and no
   tiles. */
static inline int block_needs_little(const struct block_code *code)
{
	const struct block_words words = block_words(code);

	return code->arena <= BLOCK_LITTLE / BLOCK_LINE &&
	       !(code->strided && block_cut(code, &words).tile);
}

/* The module of the kernels blocks_1 to blocks_20.  The number counts the
   pointers of a kernel; the program comes after them. */
extern const dprp_native_module block_module;

#endif
