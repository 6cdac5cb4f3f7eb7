/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - lists of steps that this machine's CPU runs without a compiler.
 *
 * A block is up to BLOCK_RUN elements, which stay in the first-level cache.
 * For each operation and dtype there is a function that goes over a block
 * (block.cl).  A program (struct block_code) says which functions to call, in
 * which order; the kernels of block.c do that for one block after the other.
 * core/array/engine/blocks.c writes programs.
 *
 * A function is called with a whole number of units.  Where a block ends within
 * a unit, its last element is repeated up to the unit's end.
 */
#ifndef KERNELS_BLOCK_H
#define KERNELS_BLOCK_H

#include <stdint.h>

#include <dpr/backend.h>

#define BLOCK_RUN 256 /* the most elements of a block */
#define BLOCK_UNIT 32
#define BLOCK_ARENA (48 << 10) /* bytes of all registers of a program */
#define BLOCK_LINE 64          /* registers begin at multiples of it */
#define BLOCK_OPERANDS 20
#define BLOCK_RANK 8

/*
 * Compute @units units of elements.  @out may be one of the operands, if its
 * elements have the same size.  The operands are as arrays store them; 16-bit
 * floats are known to casts and moves alone.
 */
typedef void block_function(unsigned code, int units, void *out, const void *x,
			    const void *y, const void *z);

/* Which function: these, and the dtype, or the logarithm of the size of an
   element. */
enum {
	BLOCK_OPERATION = 0, /* code: the number in the table of operations */
	BLOCK_CAST = 16,     /* code: the result's dtype, */
	BLOCK_CAST64 = 32,   /* which has doubles */
	BLOCK_MOVE = 48,     /* code: below */
	BLOCK_UNITS = BLOCK_MOVE + 5
};
enum { BLOCK_COPY, BLOCK_WHERE };

/*
 * A copy of n[1] rows of n[0] elements; the steps between elements and between
 * rows are in elements.
 */
struct block_move {
	void *to;
	const void *from;
	int64_t n[2], to_step[2], from_step[2];
};
typedef void block_mover(const struct block_move *move);

/*
 * A program: the struct, then `operands` of struct block_operand, `scalars` of
 * struct block_scalar, `registers` of uint16_t; from the next multiple of 8
 * bytes on, `steps` of struct block_step, and the words of
 * core/array/engine/frame.h.
 *
 * A value is in a slot: one of the registers, or, behind them, one for each
 * operand.  An operand's slot is where its elements are in memory, if they lie
 * one after the other and are whole units, and else its register.
 */
struct block_code {
	uint8_t results, operands, scalars, registers;
	uint16_t steps, run; /* run: elements of a block */
	uint8_t strided, stream, rank, reserved;
	uint32_t words; /* offset in bytes */
};

#define BLOCK_NONE 255
struct block_operand {
	uint8_t shift; /* the logarithm of the size of an element */
	uint8_t slot;  /* its register; BLOCK_NONE: it needs none */
	uint8_t kept;  /* the register has no other use */
	uint8_t reserved;
};

/* A scalar, which fills a register. */
struct block_scalar {
	uint8_t slot, dtype;
	uint16_t word;
};

enum block_kind {
	BLOCK_LOAD, /* operand `out` into its register, if its slot is that */
	BLOCK_CALL, /* function `unit`, into slot `out` */
	BLOCK_STORE /* slot x[0] into operand `out`, unless it is there */
};

struct block_step {
	uint8_t kind, unit, code, out;
	uint8_t x[3], reserved;
};

/* The bytes before the steps. */
static inline uint32_t block_head(const struct block_code *code)
{
	const uint32_t size =
		(uint32_t)sizeof(*code) +
		code->operands * (uint32_t)sizeof(struct block_operand) +
		code->scalars * (uint32_t)sizeof(struct block_scalar) +
		code->registers * (uint32_t)sizeof(uint16_t);

	return (size + 7) & ~7u;
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
 * How a launch is cut into work-items.  Each takes `run` elements, or, where
 * rows are shorter than that, `rows` whole rows, or, where they are longer,
 * `run` elements of one of the `chunks` of a row.
 */
struct block_cut {
	uint64_t items, rows, chunks;
};
static inline struct block_cut block_cut(const struct block_code *code,
					 const struct block_words *words)
{
	const uint64_t run = code->run;
	struct block_cut cut = { .rows = 1, .chunks = 1 };

	if (!code->strided) {
		cut.items = (words->count + run - 1) / run;
		return cut;
	}
	if (words->extent[0] && words->extent[0] <= run / 2)
		cut.rows = run / words->extent[0];
	cut.chunks = (words->extent[0] + run - 1) / run;
	cut.items = (words->rows + cut.rows - 1) / cut.rows * cut.chunks;
	return cut;
}

/* The module of the kernels blocks_1 to blocks_20: so many pointers, and a
   program. */
extern const dprp_native_module block_module;

#endif
