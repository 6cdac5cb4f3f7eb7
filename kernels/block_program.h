/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_program.h - lists of steps that this machine's CPU runs without a
 * compiler.
 *
 * A program says which functions of block.h to call, in which order; the
 * kernels of block.c do that for one block after the other.
 * core/array/engine/native/blocks.c writes programs.
 */
#ifndef KERNELS_BLOCK_PROGRAM_H
#define KERNELS_BLOCK_PROGRAM_H

#include <dpr/backend.h>

#include "kernels/block.h"

#define BLOCK_ARENA (48 << 10)  /* bytes of all registers of a program */
#define BLOCK_LITTLE (32 << 10) /* or of one that needs little stack */
#define BLOCK_LINE 64           /* registers begin at multiples of it */
#define BLOCK_OPERANDS 20
#define BLOCK_RANK 8
#define BLOCK_FOLD_RANK 16 /* of a program that reduces */

/* How a program reduces the elements that it computes: kind BLOCK_NO_FOLD, it
   does not. */
enum { BLOCK_NO_FOLD, BLOCK_FOLD_LINES, BLOCK_FOLD_COLUMNS };
struct block_folding {
	uint8_t kind;
	uint8_t dtype;   /* whose function reduces */
	uint8_t what;    /* BLOCK_SUM, ... */
	uint8_t parts;   /* 2: of complex numbers, each for itself */
	uint8_t near;    /* LINES: neighbours that are reduced together */
	uint8_t gone;    /* how many axes are reduced: the outer ones */
	uint8_t sum;     /* the dtype that accumulates */
	uint8_t result;  /* that of the results; 0: results are what was
			    accumulated of parts */
	uint8_t divides; /* by the divisor */
	uint8_t shift;   /* the logarithm of the size of an element */
	uint8_t of;      /* of rows: BLOCK_ELEMENTS, ... */
	uint8_t reserved;
};

/*
 * A program: the struct, then `operands` of struct block_operand, `scalars` of
 * struct block_scalar, `folds` of struct block_folding, `registers` of
 * uint16_t; from the next multiple of 8 bytes on, `steps` of struct block_step,
 * and the words of core/array/engine/frame.h.
 *
 * A value is in a slot: one of the registers, or, behind them, one for each
 * operand.  An operand's slot is where its elements are in memory, if they lie
 * one after the other and are whole units, and else its register.
 */
struct block_code {
	uint8_t results, operands, scalars, registers;
	uint16_t steps, run; /* run: the elements that registers have room for
			      */
	uint8_t strided, stream, rank;
	uint8_t is_copy; /* strided: it only copies an input or a scalar */
	/* There is one call.  is_cheap: most of its time goes into memory.
	   takes_one: and it takes BLOCK_ONE_X and BLOCK_ONE_Y. */
	uint8_t is_one_call, is_cheap, takes_one;
	uint16_t flat_run; /* elements of a block if all arrays are contiguous
			    */
	uint32_t words;    /* offset in bytes */
	uint16_t arena;    /* all registers, in lines */
	uint16_t weight;   /* how many additions take as long as the steps */
	struct block_folding fold;
	/* Of a program that computes rows: how many reductions it has, and how
	   many of its registers, the last ones, have room for a whole row. */
	uint8_t folds, whole;
};

#define BLOCK_NONE 255
struct block_operand {
	uint8_t shift;    /* the logarithm of the size of an element */
	uint8_t slot;     /* its register; BLOCK_NONE: it needs none */
	uint8_t kept;     /* the register has no other use */
	uint8_t is_index; /* it has no memory: the value of an element is its
			     place, as an int64_t */
	uint8_t streams;  /* a chain stores it past the caches */
	uint8_t reserved; /* 0 */
};
/* What follows operands has members of two bytes. */
_Static_assert(sizeof(struct block_operand) % 2 == 0, "operands are even");

/* A scalar, which fills a register; `most`: or so many elements of it. */
struct block_scalar {
	uint8_t slot, dtype;
	uint16_t word, most;
};

enum block_kind {
	BLOCK_LOAD,   /* operand `out` into its register, if its slot is that */
	BLOCK_CALL,   /* function `unit`, into slot `out` */
	BLOCK_STORE,  /* slot x[0] into operand `out`, unless it is there */
	BLOCK_REDUCE, /* slot x[0]; of rows: by reduction `unit`, which may also
			 need x[1], into `out` */
	BLOCK_SPREAD, /* of rows: the values of slot x[0] over slot `out` */
	BLOCK_NEXT,   /* of rows: a section ends */
	BLOCK_CHAIN,  /* a chain of `code` links, which follow, of dtype `unit`
		       */
	BLOCK_LINK /* operation `code` of kernels/block_chain.h on slot `out`;
		      x[0]: all elements of the slot are the same */
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

/* The bytes before the steps. */
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

/* Where each register begins, in lines; of one for a whole row, the logarithm
   of the size of its elements. */
static inline const uint16_t *block_registers(const struct block_code *code)
{
	return (const void *)(block_foldings(code) + code->folds);
}

/* Where the parts of a launch begin in the words. */
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
 * What a launch that reduces has beside: see FRAME_FOLD_ROWS in
 * core/array/engine/frame.h.  A work-item is a team: `count` of them, `rows`
 * for each part.
 *
 *   LINES    a team reduces a part for `near` neighbours along axis 0, or for
 *            one result
 *   COLUMNS  for up to `columns` results that follow each other: along axis 0,
 *            or, with `linear`, along all axes that are kept
 */
struct block_fold_words {
	int64_t length, part; /* of the axes that are reduced together */
	int64_t columns;
	int linear;
	const uint64_t *divisor; /* a float or a double */
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

/* A team's lanes, totals and results, in this many buffers.  Each has room for
   the lanes of LINES or of the columns, of up to BLOCK_FOLD_BYTES. */
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

/* Whether a launch that reduces needs only BLOCK_LITTLE bytes. */
static inline int block_fold_needs_little(const struct block_code *code)
{
	return code->arena * (size_t)BLOCK_LINE +
		       BLOCK_FOLD_BUFFERS * block_fold_bytes(code) <=
	       BLOCK_LITTLE;
}

/* Whether input @k is contiguous along axis 1, and not along axis 0.  Then it
   is read in tiles: of several rows at a time. */
#define BLOCK_TILE_COLUMNS 1024
#define BLOCK_TILE_LINE 256 /* bytes of a column */
#define BLOCK_TILE          /* bytes of a tile; a line is behind each row */ \
	(BLOCK_TILE_LINE * (BLOCK_TILE_COLUMNS + BLOCK_LINE))
#define BLOCK_TILES 2 /* the most at a time */
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
 * How a program that copies is cut into work-items: each takes a box of @size
 * elements along axes 0 and 1, of which there are @count.
 */
#define BLOCK_BOX 32768 /* bytes */
struct block_boxes {
	uint64_t extent[2], size[2], count[2], items;
	int turned; /* a box is a tile of kernels/turn.cl */
};
#define BLOCK_LEAST_TURNED 8 /* elements along both axes */
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
 * How a launch is cut into work-items.  Each takes `run` elements, or, where
 * rows are short, `rows` whole rows, or, where they are longer, `run` elements
 * of one of the `chunks` of a row; with tiles, BLOCK_TILE_COLUMNS elements of
 * `tile` rows that follow each other along axis 1.
 */
struct block_cut {
	uint64_t items, run, rows, chunks, tile;
};

/* The number of rows of @extent elements that fit into @run: best so many that
   they are whole units together. */
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

/* Whether a launch needs only BLOCK_LITTLE bytes for registers, and no tiles.
 */
static inline int block_needs_little(const struct block_code *code)
{
	const struct block_words words = block_words(code);

	return code->arena <= BLOCK_LITTLE / BLOCK_LINE &&
	       !(code->strided && block_cut(code, &words).tile);
}

/* The module of the kernels blocks_1 to blocks_20: so many pointers, and a
   program. */
extern const dprp_native_module block_module;

#endif
