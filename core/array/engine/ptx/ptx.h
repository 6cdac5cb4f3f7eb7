/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx.h - a kernel in PTX while it is written: its registers, and the steps
 * between loads and stores.
 *
 * The steps are templates, pasted with the registers of the values:
 *
 *	%v2p0e1   step 2, part 0 (1: the imaginary part), element 1
 *	%h2e1     the same value as a 16-bit float is stored
 *	%c3e0     operand 3, cell 0; results come first, then inputs
 *
 * A value of one byte is extended to the 32 bits of its register: int8 by its
 * sign, uint8 and bool by zeros.
 *
 * Cells are registers of 32 or 64 bits for loads and stores.  Neighbouring
 * elements of 1 or 2 bytes share cells.  A kernel that reduces has cells for
 * the packs of all slots, and no cells for results.
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
	int pack;       /* the number of elements of a work-item */
	int block;      /* the number of elements that are computed together */
	bool is_dense;  /* the elements of an operand are contiguous */
	bool is_absent; /* a template is missing */
	int slots; /* if the kernel reduces: the number of slots with cells */
	/* SCHEDULE_STAGES.  Bit i of `uniform` is set if step i has one value
	   for a whole row, so that element 0 stands for all.  Bit i of
	   `left_out` is set if ptx_block() leaves out step i. */
	uint64_t uniform, left_out;
	/* For each operand: the first cell of the block, and the number of
	   cells.  0 stands for the cells of a pack. */
	int base[SCHEDULE_OPERANDS], cells[SCHEDULE_OPERANDS];
	uint64_t tables; /* the tables that templates read */
	struct text text;
};

#define PTX_ADD(e, ...) text_print(&(e)->text, __VA_ARGS__)

/* A register's name. */
struct ptx_register {
	char name[48];
};

/* The bytes of an element, and the bits of the register of a part of an
   element: 32 or 64. */
int ptx_size(unsigned dtype);
int ptx_bits(unsigned dtype);

/* The bytes from an element of operand @k to the next.  An operand without
   memory has 1, because its addresses are its values. */
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

/* Whether all elements of a pack of operand @k are the same.  The operand then
   has the cells of a single element, for any @n of ptx_cells(). */
bool ptx_is_fixed(const struct ptx *e, int k);

/* Whether several elements of operand @k share a cell. */
bool ptx_is_shared(const struct ptx *e, int k);

/* The shared cell that has element @j.  *@below is the number of bytes below
   the element in this cell. */
int ptx_shared_cell(const struct ptx *e, int k, int j, int *below);

/* An access to memory.  `guard` is "@%q " or "", and `space` is ".global" or
   ".shared".  The access is `bytes` beyond the register `address`. */
struct ptx_access {
	int operand;
	bool is_store;
	const char *guard, *space;
	struct ptx_register address;
	int bytes;
};

/* The register %a0, %a1, ... of operand @k. */
struct ptx_register ptx_address(int k);

/* Load or store @n cells from cell @at on, of @size bytes together.  If the
   operand has no memory, a load is an addition. */
void ptx_access(struct ptx *e, const struct ptx_access *a, int at, int n,
		int size);

/* Load or store element @j of the pack.  ptx_clear() clears the operand's
   cells.  They must be cleared before loading elements that share cells, and
   before a load with a guard. */
void ptx_element(struct ptx *e, const struct ptx_access *a, int j);
void ptx_clear(struct ptx *e, int k);

/* Move the address of operand @k by the offset of its first element. */
void ptx_begin(struct ptx *e, int k);

/* ptx_axis() divides the number %rest (or %rest64, without gpu.small) by the
   extent of axis @d, and sets %i64 to the place along this axis.  ptx_move()
   moves the address of operand @k to this place. */
void ptx_axis(struct ptx *e, int d);
void ptx_move(struct ptx *e, int k, int d);

/* Paste the template @name with these registers: ?0 to ?5, ?r and ?i. */
void ptx_paste(struct ptx *e, const char *name, const struct ptx_register *in,
	       const struct ptx_register *out);

/* The bytes of the templates of all steps together, for one element. */
size_t ptx_steps_size(struct ptx *e);

/* Compute the steps of the block whose cells begin at e->base, except those in
   e->left_out.  In a kernel that reduces, this gives the values to reduce.
   ptx_block_size() is the size of the resulting text, about. */
void ptx_block(struct ptx *e);
size_t ptx_block_size(struct ptx *e);

/* Compute step @i, which has one value for a row. */
void ptx_single(struct ptx *e, int i);

/* Put element @j of the block into the cells of result @k.  The block is the
   last one of the pack.  In a kernel that reduces, only this block has
   cells. */
void ptx_result(struct ptx *e, int k, int j);

/* Compute all steps of the pack, from the cells of the inputs to the cells of
   the results. */
void ptx_steps(struct ptx *e);

#endif
