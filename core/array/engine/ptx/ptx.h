/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx.h - a kernel in PTX while it is written: its registers, and the steps
 * between loads and stores.
 *
 * A work-item loads a pack of each input: all its elements or, in a kernel that
 * reduces, the elements of a slot (ptx_slot.h).  Then it computes the steps of
 * the graph for one block of the pack after another.
 *
 * The text of a step is a template (kernels/templates.h), into which the names
 * of registers are pasted:
 *
 *	%v2p0e1   step 2, part 0 (1: the imaginary part), element 1 of the block
 *	%h2e1     the same value in 16 bits, as a 16-bit float is stored
 *	%c3e0     operand 3, cell 0; results come first, then inputs
 *
 * A value of one byte is extended to the 32 bits of its register: int8 by its
 * sign, uint8 and bool by zeros.
 *
 * Cells are the registers, of 32 or 64 bits, that are loaded and stored.
 * Neighbouring elements of 1 or 2 bytes share a cell.  A kernel that reduces
 * has cells for the packs of all slots, and for a single block of each result.
 */
#ifndef ARRAY_PTX_H
#define ARRAY_PTX_H

#include "core/array/engine/schedule.h"
#include "core/base/text.h"

/* The number of elements for which steps are computed together. */
#define PTX_BLOCK 4

struct ptx {
	const struct graph *graph;
	const struct schedule *schedule;
	struct schedule_words words;
	const char *templates; /* the text of all templates */
	int pack;              /* the number of elements in a pack */
	int block; /* the number of elements that are computed together */
	/* the elements of a pack are neighbours in memory; if not, they are
	   EMIT_PTX_FLAT_GROUP elements apart */
	bool is_dense;
	/* the kernel cannot be written: a template is missing, or the text
	   would be too long */
	bool is_absent;
	int slots; /* if the kernel reduces: the number of slots with cells */
	/* SCHEDULE_STAGES.  Bit i of `uniform` is set if step i has one value
	   for a whole row, so that element 0 stands for all.  Bit i of
	   `left_out` is set if ptx_block() leaves out step i. */
	uint64_t uniform, left_out;
	/* For each operand: the first cell of the block that is being written,
	   and the number of cells (0: as many as a pack has). */
	int base[SCHEDULE_OPERANDS], cells[SCHEDULE_OPERANDS];
	uint64_t tables; /* bit n: a template reads table n */
	struct text text;
};

#define PTX_ADD(e, ...) text_print(&(e)->text, __VA_ARGS__)

/* A register's name. */
struct ptx_register {
	char name[48];
};

/* The bytes of an element, and the bits of a register for a part of an element:
   32 or 64.  A complex number has two parts, any other element has one. */
int ptx_size(unsigned dtype);
int ptx_bits(unsigned dtype);

/* The bytes from an element of operand @k to the next.  For an operand without
   memory they are 1: the "address" of such an element is its value. */
int ptx_step(const struct ptx *e, int k);

/* The register of part @part of step @i's value for element @element. */
struct ptx_register ptx_value(const struct ptx *e, int i, int part,
			      int element);

/* The register of step @i's value in its stored form, a 16-bit float.
   ptx_is_16_bit(): whether @dtype is a 16-bit float. */
struct ptx_register ptx_stored(const struct ptx *e, int i, int element);
bool ptx_is_16_bit(unsigned dtype);

/* Convert element @j of step @i from its stored form to its computed form, and
   back. */
void ptx_load_value(struct ptx *e, int i, int j);
void ptx_store_value(struct ptx *e, int i, int j);

/* The dtype whose templates compute @dtype, and the number of parts of its
   values. */
unsigned ptx_computed(unsigned dtype);
int ptx_parts(unsigned dtype);

/* Cell @at of operand @k. */
struct ptx_register ptx_cell(int k, int at);

/* The number of cells for @n elements of operand @k. */
int ptx_cells(const struct ptx *e, int k, int n);

/* Whether all elements of a pack of operand @k are the same.  If so,
   ptx_cells() returns the cells of a single element for any @n. */
bool ptx_is_fixed(const struct ptx *e, int k);

/* Whether several elements of operand @k share a cell. */
bool ptx_is_shared(const struct ptx *e, int k);

/* The cell that has element @j of operand @k, whose elements must share cells.
   Cells and elements are counted from the beginning of a block or pack.  Sets
   *@below to the number of bytes below the element in this cell. */
int ptx_shared_cell(const struct ptx *e, int k, int j, int *below);

/* An access to memory, at `bytes` beyond the register `address`.  `space` is
   ".global" or ".shared".  If `guard` is "@%q ", the access is made only if
   predicate %q holds.  If `guard` is "", the access is always made. */
struct ptx_access {
	int operand;
	bool is_store;
	const char *guard, *space;
	struct ptx_register address;
	int bytes;
};

/* The register %a0, %a1, ... of operand @k. */
struct ptx_register ptx_address(int k);

/* Load or store @n cells, from cell @at on, which have @size bytes together.
   For an operand without memory, a load is an addition that computes the
   "address". */
void ptx_access(struct ptx *e, const struct ptx_access *a, int at, int n,
		int size);

/* Load or store element @j of the pack.  ptx_clear() clears all cells of
   operand @k.  Clearing is needed before elements that share cells are loaded,
   and before loads with a guard. */
void ptx_element(struct ptx *e, const struct ptx_access *a, int j);
void ptx_clear(struct ptx *e, int k);

/* Add the offset of operand @k (schedule.h) to its address. */
void ptx_begin(struct ptx *e, int k);

/* %rest (%rest64 if gpu.small is not set) numbers the places along axis @d and
   the following axes.  ptx_axis() divides this number by the extent of axis @d:
   the quotient remains in %rest, and the remainder, the place along axis @d,
   goes to %i64.  ptx_move() moves the address of operand @k to this place. */
void ptx_axis(struct ptx *e, int d);
void ptx_move(struct ptx *e, int k, int d);

/* Paste the template @name.  In its text, ?0 to ?5 stand for the registers
   in[0] to in[5], ?r for out[0] and ?i for out[1]. */
void ptx_paste(struct ptx *e, const char *name, const struct ptx_register *in,
	       const struct ptx_register *out);

/* The bytes of the templates of all steps together, for one element, except
   steps in e->left_out. */
size_t ptx_steps_size(struct ptx *e);

/* Compute the steps of the block whose cells begin at e->base, except steps in
   e->left_out.  Unless the kernel reduces, also put the results into their
   cells.  ptx_block_size() estimates the size of the text. */
void ptx_block(struct ptx *e);
size_t ptx_block_size(struct ptx *e);

/* Compute step @i, which must have one value for a whole row. */
void ptx_single(struct ptx *e, int i);

/* Put element @j of the block into the cells of result @k.  All blocks use the
   cells of the last block of the pack (ptx.c says why).  In a kernel that
   reduces, a result has no other cells. */
void ptx_result(struct ptx *e, int k, int j);

/* Compute all steps of the pack, from the cells of the inputs to the cells of
   the results. */
void ptx_steps(struct ptx *e);

#endif
