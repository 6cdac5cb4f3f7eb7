/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_program.h - programs: lists of steps that kernels interpret, so that a CPU
 * needs no compiler.
 *
 * A step calls a function of vm.h, loads or stores.  The kernels of vm.c run
 * all steps for one block of elements, then for the next block.
 * core/array/engine/native/vmcode.c writes programs.
 */
#ifndef KERNELS_VM_PROGRAM_H
#define KERNELS_VM_PROGRAM_H

#include <dpr/backend.h>

#include "kernels/vm.h"

/* the most bytes of all registers of a program */
#define VM_ARENA (48 << 10)
/* the most bytes that a launch may use if the thread's stack may be small */
#define VM_LITTLE (32 << 10)
#define VM_LINE 64 /* the alignment of registers, in bytes */
#define VM_OPERANDS 20
#define VM_RANK 8
#define VM_REDUCE_RANK 16 /* the most axes of a program that reduces */

enum { VM_COPIES = 1, VM_GATHERS }; /* vm_code.is_copy */

/* Whether a program ends in a reduction.  VM_REDUCE_LINES and
   VM_REDUCE_COLUMNS: see struct vm_reduce_words below. */
enum { VM_NO_REDUCE, VM_REDUCE_LINES, VM_REDUCE_COLUMNS };
struct vm_reducing {
	uint8_t kind;
	/* the dtype of the function of reduce.cl that reduces the elements;
	   some dtypes share a function */
	uint8_t dtype;
	uint8_t what; /* VM_SUM, ... */
	/* The number of values in an element: 2 for a sum or a product of
	   complex numbers, otherwise 1.  The widths of lanes count values.  A
	   sum adds the real and the imaginary parts separately. */
	uint8_t parts;
	/* for VM_REDUCE_LINES: the number of neighbouring results along axis 0
	   that are reduced together */
	uint8_t near;
	/* the number of reduced axes, which are the outer ones */
	uint8_t gone;
	uint8_t sum; /* the dtype in which the reduction accumulates */
	/* the dtype of the results.  0: a result is the accumulated value of a
	   part of a row (struct vm_reduce_words), in dtype `sum`. */
	uint8_t result;
	uint8_t divides; /* set if the results are divided, as for a mean */
	uint8_t shift;   /* the binary logarithm of the size of an element */
	/* VM_ELEMENTS, VM_PRODUCTS or VM_SQUARES; the last two only in programs
	   that compute rows (vm_rows.h) */
	uint8_t of;
	uint8_t reserved;
};

/*
 * A program.  After the struct come `operands` of struct vm_operand, `scalars`
 * of struct vm_scalar, `reductions` of struct vm_reducing and `registers` of
 * uint16_t.  At the next multiple of 8 bytes follow `steps` of struct vm_step,
 * and then the words of core/array/engine/schedule.h.
 *
 * A register is a buffer for the elements of a block.  A slot is the number by
 * which a step names a value: the first slots are the registers, and each
 * operand has a slot after them.  A kernel keeps a pointer for each slot.  The
 * pointer of an operand's slot points to the operand's own memory if the
 * elements of the block are contiguous there, and are whole units.  Otherwise
 * it points to a register, into which the elements are copied.
 */
struct vm_code {
	uint8_t results, operands, scalars, registers;
	/* run: the most elements of a block; a register has room for this
	   number of elements */
	uint16_t steps, run;
	/* strided: set if the schedule is not SCHEDULE_FLAT.  stream: set if
	   results are stored past the CPU's caches where possible.  rank: the
	   number of axes. */
	uint8_t strided, stream, rank;
	/* VM_COPIES: the program only copies an input or a scalar.  VM_GATHERS:
	   the program only reads elements at places (vm_gather.h).  0: neither.
	   For VM_COPIES and VM_GATHERS, `strided` is set, too. */
	uint8_t is_copy;
	/* is_one_call: set if the program is a single call, or a single chain.
	   is_cheap: set if the call spends most of its time on reading and
	   writing memory.  takes_one: set if the call takes VM_ONE_X and
	   VM_ONE_Y. */
	uint8_t is_one_call, is_cheap, takes_one;
	/* the most elements of a block if all arrays are contiguous */
	uint16_t flat_run;
	uint32_t words; /* the offset of the words in bytes */
	uint16_t arena; /* the size of all registers, in cache lines */
	/* the time for one element, in additions of float32 */
	uint16_t weight;
	struct vm_reducing reduce;
	/* For a program that computes rows (vm_rows.h).  reductions: the number
	   of its reductions.  whole: the number of registers with room for a
	   whole row; these registers come last. */
	uint8_t reductions, whole;
};

#define VM_NONE 255
struct vm_operand {
	uint8_t shift; /* the binary logarithm of the size of an element */
	/* the register of the operand.  VM_NONE: the operand has no register.
	   The source of a VM_GATHER has none: its slot always points to its
	   first element. */
	uint8_t slot;
	uint8_t kept; /* set if no other value uses the register */
	/* set if the operand has no memory: the value of an element is its
	   position, an int64_t */
	uint8_t is_index;
	/* set if a chain stores this result, past the caches */
	uint8_t streams;
	/* set if a VM_PUT stores this result.  In SCHEDULE_FLAT the place of
	   every element is then the first element of the result. */
	uint8_t is_put;
};
/* The structs after the operands (struct vm_code) are aligned to two bytes. */
_Static_assert(sizeof(struct vm_operand) % 2 == 0, "operands are even");

/* A scalar.  Before the steps run, a register is filled with copies of the
   scalar's value. */
struct vm_scalar {
	uint8_t slot; /* the register */
	uint8_t dtype;
	uint16_t word; /* the number of the launch's word that has the value */
	uint16_t most; /* the most copies that any step reads */
};

enum vm_kind {
	/* copy operand `out` to its register; does nothing if the operand's
	   slot points to the operand's memory */
	VM_LOAD,
	/* call function `unit` of vm.h with the code `code`, on the elements of
	   the slots x; slot `out` gets the result */
	VM_CALL,
	/* copy slot x[0] to operand `out`; does nothing if the value is in the
	   operand already */
	VM_STORE,
	/* reduce slot x[0].  In programs that compute rows (vm_rows.h), `unit`
	   is the number of the reduction, and slot `out` gets the results.  For
	   VM_PRODUCTS and VM_SQUARES, slot x[1] has y of the terms x * y or of
	   the squares of x - y.  With the flag VM_ROWS_ONE, slot x[2] has y for
	   blocks of one row. */
	VM_REDUCE,
	/* in programs that compute rows: repeat the value of each row, from
	   slot x[0], for all elements of the row in slot `out` */
	VM_SPREAD,
	VM_NEXT, /* in programs that compute rows: the end of a section */
	/* run a chain that computes in dtype `unit`.  `code` is the number of
	   its links, which are the next steps. */
	VM_CHAIN,
	/* a link of a chain: operation `code` of kernels/vm_chain.h on slot
	   `out`.  x[0] is VM_LINK_SCALAR, VM_LINK_SPREAD or 0.  If the link
	   reads two slots, x[1] is the second.  If x[0] is VM_LINK_SPREAD, the
	   slot with the value of each row is x[2] if the link reads two slots,
	   else x[1]. */
	VM_LINK,
	/* Store the elements of slot x[0] in operand `out`.  Slot x[1] has an
	   int64 for each element: how far behind its place the element is
	   stored.  An element whose number is negative is not stored. */
	VM_PUT
};

struct vm_step {
	uint8_t kind, unit, code, out;
	uint8_t x[3];
	/* Set if all elements of a row have the same value in this step, and
	   other steps read only the first element.  In a VM_PUT, `single`
	   describes slot x[1] in this way. */
	uint8_t single;
};

/* The binary logarithm of the size of an element of @dtype. */
static inline int vm_shift_of(unsigned dtype)
{
	static const uint8_t shifts[] = { 0, 0, 0, 1, 2, 3, 0, 1,
					  2, 3, 1, 1, 2, 3, 3, 4 };

	return shifts[dtype];
}

/* The number of bytes before the steps. */
static inline uint32_t vm_head(const struct vm_code *code)
{
	const uint32_t size =
		(uint32_t)sizeof(*code) +
		code->operands * (uint32_t)sizeof(struct vm_operand) +
		code->scalars * (uint32_t)sizeof(struct vm_scalar) +
		code->reductions * (uint32_t)sizeof(struct vm_reducing) +
		code->registers * (uint32_t)sizeof(uint16_t);

	return (size + 7) & ~7u;
}

static inline const struct vm_scalar *vm_scalars(const struct vm_code *code)
{
	return (const void *)((const struct vm_operand *)(code + 1) +
			      code->operands);
}

static inline const struct vm_reducing *vm_reductions(
	const struct vm_code *code)
{
	return (const void *)(vm_scalars(code) + code->scalars);
}

/* For each register: the offset of its buffer, in lines of VM_LINE bytes.  For
   a register with room for whole rows: the binary logarithm of an element's
   size instead. */
static inline const uint16_t *vm_registers(const struct vm_code *code)
{
	return (const void *)(vm_reductions(code) + code->reductions);
}

/* The words of a launch (core/array/engine/schedule.h), taken apart.  In
   SCHEDULE_FLAT there is only `count`; `rows` is 1, and the pointers are NULL.
   */
struct vm_words {
	const uint64_t *extent;
	const int64_t *offset, *stride; /* stride[axis][operand] */
	uint64_t count, rows;
};
static inline struct vm_words vm_words(const struct vm_code *code)
{
	const uint64_t *word =
		(const uint64_t *)((const char *)code + code->words);
	struct vm_words words = { .count = word[0], .rows = 1 };

	if (code->strided) {
		words.rows = word[1];
		words.extent = word + 2;
		words.offset = (const int64_t *)words.extent + code->rank;
		words.stride = words.offset + code->operands;
	}
	return words;
}

/*
 * The words that only a launch with a reduction has; see SCHEDULE_REDUCE_* in
 * core/array/engine/schedule.h.  In native code each work-item is a team.
 * `count` of struct vm_words is the number of teams.  `rows` of struct vm_words
 * is the number of teams that reduce the same part, each for results of its
 * own.
 *
 *   LINES    a team reduces a part for one result, or for `near` neighbours
 *            along axis 0 (struct vm_reducing)
 *   COLUMNS  a team reduces a part for up to `columns` results that follow each
 *            other: along axis 0 or, if `linear` is set, along all kept axes
 */
struct vm_reduce_words {
	/* the number of elements in a row, and in a part of a row */
	int64_t length, part;
	int64_t columns;
	int linear;
	const uint64_t *divisor; /* points to a float or a double */
};
#define VM_REDUCE_LINEAR (UINT64_C(1) << 63)
static inline struct vm_reduce_words vm_reduce_words(const struct vm_code *code)
{
	const struct vm_words words = vm_words(code);
	const uint64_t *word = (const uint64_t *)words.stride +
			       (size_t)code->rank * code->operands;
	struct vm_reduce_words reduce = {
		.columns = (int64_t)(word[0] & ~VM_REDUCE_LINEAR),
		.linear = (word[0] & VM_REDUCE_LINEAR) != 0
	};

	word += code->operands;
	reduce.length = (int64_t)word[0];
	reduce.part = (int64_t)word[1];
	reduce.divisor = &word[2];
	return reduce;
}

/* A team has VM_REDUCE_BUFFERS buffers for lanes, totals and results.
   vm_reduce_bytes() is the size of a buffer: VM_REDUCE_LINE_BYTES for the lanes
   of VM_REDUCE_LINES, and up to VM_REDUCE_BYTES for the columns of
   VM_REDUCE_COLUMNS. */
#define VM_REDUCE_BUFFERS 5
#define VM_REDUCE_BYTES 8192
#define VM_REDUCE_LINE_BYTES 2048
static inline size_t vm_reduce_bytes(const struct vm_code *code)
{
	const size_t columns = (size_t)vm_reduce_words(code).columns *
			       code->reduce.parts * sizeof(uint64_t);

	return code->reduce.kind == VM_REDUCE_LINES ||
			       columns < VM_REDUCE_LINE_BYTES
		       ? VM_REDUCE_LINE_BYTES
		       : columns;
}

/* Whether a launch with a reduction needs at most VM_LITTLE bytes of memory. */
static inline int vm_reduce_needs_little(const struct vm_code *code)
{
	return code->arena * (size_t)VM_LINE +
		       VM_REDUCE_BUFFERS * vm_reduce_bytes(code) <=
	       VM_LITTLE;
}

/* A tile has rows of VM_TILE_COLUMNS elements.  An unused cache line follows
   each row.  A column has VM_TILE_LINE bytes, so a tile of elements of `size`
   bytes has VM_TILE_LINE / size rows.  VM_TILE: the most bytes of a tile.  A
   tile of elements of 1 byte needs this room, because such a tile has the most
   rows. */
#define VM_TILE_COLUMNS 1024
#define VM_TILE_LINE 256
#define VM_TILE (VM_TILE_LINE * (VM_TILE_COLUMNS + VM_LINE))
/* the most inputs of a launch that are read through tiles; any other transposed
   input is read without a tile */
#define VM_TILES 2

/* Whether operand @k is a transposed input: contiguous along axis 1, with a
   stride other than 0, 1 and -1 along axis 0.  Up to VM_TILES transposed inputs
   are read through tiles. */
static inline int vm_is_transposed(const struct vm_code *code,
				   const struct vm_words *words, int k)
{
	const int64_t *stride = words->stride + k;
	const int is_index =
		((const struct vm_operand *)(code + 1))[k].is_index;

	return k >= code->results && code->rank > 1 && !is_index &&
	       stride[code->operands] == 1 && stride[0] != 0 &&
	       stride[0] != 1 && stride[0] != -1;
}

/*
 * How a launch of a program that copies is cut into work-items.  Each work-item
 * copies a box: size[0] times size[1] elements along axes 0 and 1.  There are
 * count[d] boxes along axis d.
 */
#define VM_BOX 32768 /* the bytes of a box */
struct vm_boxes {
	uint64_t extent[2], size[2], count[2], items;
	/* set if the copy transposes; a box then has up to VM_TRANSPOSED()
	   elements each way */
	int transposed;
};
/* a copy can transpose boxes if it has at least this number of elements along
   each axis */
#define VM_LEAST_TRANSPOSED 8
static inline struct vm_boxes vm_boxes(const struct vm_code *code,
				       const struct vm_words *words)
{
	const struct vm_operand *operand = (const void *)(code + 1);
	const int shift = operand->shift;
	const int64_t *stride = words->stride; /* [axis][result, input] */
	const int may_turn = code->operands == 2 && code->rank > 1;
	const uint64_t y = code->rank > 1 ? words->extent[1] : 1;
	struct vm_boxes boxes = { .extent = { words->extent[0], y } };
	uint64_t room = VM_BOX >> shift;

	boxes.transposed = may_turn && stride[0] == 1 && stride[3] == 1 &&
			   stride[1] != 0 && stride[1] != 1 &&
			   words->extent[0] >= VM_LEAST_TRANSPOSED &&
			   y >= VM_LEAST_TRANSPOSED;
	for (int d = 0; d < 2; d++) {
		const uint64_t extent = boxes.extent[d];

		boxes.size[d] = boxes.transposed ? VM_TRANSPOSED(shift)
				: extent < room  ? extent
						 : room;
		boxes.count[d] = (extent + boxes.size[d] - 1) / boxes.size[d];
		room = room / boxes.size[d] ? room / boxes.size[d] : 1;
	}
	boxes.items = words->rows / y * boxes.count[0] * boxes.count[1];
	return boxes;
}

/*
 * How the launch of a program without reduction is cut into work-items.  In
 * general, a row is cut into a number of `chunks`, and a work-item takes one
 * chunk, which has up to `run` elements.  If several rows fit into a block, a
 * work-item takes `rows` whole rows.  If inputs are read through tiles, a
 * work-item takes VM_TILE_COLUMNS elements of each of `tile` rows, which follow
 * each other along axis 1.  If the program only copies, a work-item takes a box
 * (struct vm_boxes).
 */
struct vm_cut {
	uint64_t items, run, rows, chunks, tile;
};

/* The number of rows of @extent elements that fit into a block of @run
   elements.  If possible, the elements of these rows together are whole units.
   */
static inline uint64_t vm_short_rows(uint64_t run, uint64_t extent)
{
	const uint64_t even = extent & (0 - extent);
	const uint64_t whole = even < VM_UNIT ? VM_UNIT / even : 1;
	const uint64_t rows = run / extent;

	return rows < whole ? rows : rows / whole * whole;
}
static inline struct vm_cut vm_cut(const struct vm_code *code,
				   const struct vm_words *words)
{
	const uint64_t run = code->run;
	const struct vm_operand *operand = (const void *)(code + 1);
	struct vm_cut cut = { .rows = 1, .chunks = 1, .run = run };
	int shift = -1;

	if (code->is_copy) {
		const struct vm_boxes boxes = vm_boxes(code, words);

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
		cut.rows = vm_short_rows(code->run, words->extent[0]);
	}
	for (int k = 0; cut.rows == 1 && k < code->operands; k++)
		if (vm_is_transposed(code, words, k) &&
		    operand[k].shift > shift)
			shift = operand[k].shift;
	cut.chunks = (words->extent[0] + run - 1) / run;
	if (shift >= 0) {
		cut.run = code->run;
		cut.tile = VM_TILE_LINE >> shift;
		cut.chunks = (words->extent[0] + VM_TILE_COLUMNS - 1) /
			     VM_TILE_COLUMNS;
		cut.items = words->rows / words->extent[1] *
			    ((words->extent[1] + cut.tile - 1) / cut.tile) *
			    cut.chunks;
		return cut;
	}
	cut.items = (words->rows + cut.rows - 1) / cut.rows * cut.chunks;
	return cut;
}

/* Whether a launch needs at most VM_LITTLE bytes of registers, and no
   tiles. */
static inline int vm_needs_little(const struct vm_code *code)
{
	const struct vm_words words = vm_words(code);

	return code->arena <= VM_LITTLE / VM_LINE &&
	       !(code->strided && vm_cut(code, &words).tile);
}

/* Run the work-items of work-group @group of a program that neither only copies
   nor reduces; the group has @items work-items.  args[@n] is the program.  The
   arguments before it point to the pointers of the operands. */
void vm_group(const void *const *args, int n, uint64_t items, uint64_t group);

/* The module of the kernels vmcode_1 to vmcode_20.  The number in a name is the
   number of pointers among the kernel's parameters.  The program is the last
   parameter. */
extern const dprp_native_module vm_module;

#endif
