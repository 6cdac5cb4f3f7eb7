/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx.h - a kernel in PTX while it is written: its registers, and the steps
 * between loads and stores.
 *
 * The steps are templates, pasted with the registers of the values:
 *
 *	%v2p0e1   step 2, part 0 (1: the imaginary part), element 1
 *	%h2e1     the same as a 16-bit float is stored
 *	%c3e0     operand 3, first the results, then the inputs: cell 0
 *
 * Cells are what is loaded and stored: registers of 32 or 64 bits.  Elements of
 * 1 and 2 bytes that lie side by side share cells.  A kernel that reduces has
 * cells for the packs of all slots, and none of results.
 */
#ifndef ARRAY_PTX_H
#define ARRAY_PTX_H

#include "core/array/engine/frame.h"
#include "core/base/text.h"

/* The number of elements for which steps are computed together. */
#define PTX_BLOCK 4

struct ptx {
	const struct graph *graph;
	const struct frame *frame;
	struct frame_words words;
	int pack;       /* elements of a work-item */
	int block;      /* elements that are computed together */
	bool is_dense;  /* the elements of an operand lie side by side */
	bool is_absent; /* a template is missing */
	int slots; /* of a kernel that reduces: for which there are cells */
	/* Of FRAME_STAGES, bit i is of step i: it has one value for a whole
	   row, so element 0 stands for all; ptx_block() leaves it out. */
	uint64_t uniform, left_out;
	/* Of each operand: the cell where the block begins, and how many cells
	   there are; 0: those of a pack. */
	int base[FRAME_OPERANDS], cells[FRAME_OPERANDS];
	uint64_t tables; /* that templates read */
	struct text text;
};

#define PTX_ADD(e, ...) text_print(&(e)->text, __VA_ARGS__)

/* A register's name. */
struct ptx_register {
	char name[48];
};

/* The bytes of an element, and the bits of the register of one of its parts:
   32 or 64. */
int ptx_size(unsigned dtype);
int ptx_bits(unsigned dtype);

/* The bytes from one element of operand @k to the next; 1 without memory, where
   an address is the value. */
int ptx_step(const struct ptx *e, int k);

/* The register of part @part of step @i's value for element @element. */
struct ptx_register ptx_value(const struct ptx *e, int i, int part,
			      int element);

/* The register in which step @i's value, a 16-bit float, is as it is stored;
   and whether @dtype is one. */
struct ptx_register ptx_stored(const struct ptx *e, int i, int element);
bool ptx_is_16_bit(unsigned dtype);

/* Convert between the forms in which element @j of step @i is stored and
   computed. */
void ptx_load_value(struct ptx *e, int i, int j);
void ptx_store_value(struct ptx *e, int i, int j);

/* The dtype whose templates compute @dtype; the parts of its values. */
unsigned ptx_computed(unsigned dtype);
int ptx_parts(unsigned dtype);

/* Cell @at of operand @k. */
struct ptx_register ptx_cell(int k, int at);

/* The cells of @n elements of operand @k. */
int ptx_cells(const struct ptx *e, int k, int n);

/* Whether all elements of a pack of operand @k are the same: it has the cells
   of one, whatever ptx_cells() is asked for. */
bool ptx_is_fixed(const struct ptx *e, int k);

/* Whether several elements of operand @k share a cell. */
bool ptx_is_shared(const struct ptx *e, int k);

/* The shared cell that has element @j, and how many bytes lie below it in this
   cell. */
int ptx_shared_cell(const struct ptx *e, int k, int j, int *below);

/* An access to memory: "@%q " or "" before it, ".global" or ".shared", and the
   register that has the address, to which bytes are added. */
struct ptx_access {
	int operand;
	bool is_store;
	const char *guard, *space;
	struct ptx_register address;
	int bytes;
};

/* The register %a0, %a1, ... of operand @k. */
struct ptx_register ptx_address(int k);

/* Load or store @n cells from cell @at on, of @size bytes together.  Without
   memory a load is an addition. */
void ptx_access(struct ptx *e, const struct ptx_access *a, int at, int n,
		int size);

/* Load or store element @j of the pack.  Before elements that share cells are
   loaded, and before a load that a guard may leave out, the operand's cells
   must be cleared. */
void ptx_element(struct ptx *e, const struct ptx_access *a, int j);
void ptx_clear(struct ptx *e, int k);

/* Move the address of operand @k by the offset of its first element. */
void ptx_begin(struct ptx *e, int k);

/* Divide the number %rest (if gpu.small, else %rest64) by the extent of axis
   @d, and set %i64 to the place along this axis.  Then move the address of
   operand @k to this place. */
void ptx_axis(struct ptx *e, int d);
void ptx_move(struct ptx *e, int k, int d);

/* Declare the registers of all cells and values. */
void ptx_registers(struct ptx *e);

/* Paste the template @name with these registers: ?0 to ?5, ?r and ?i. */
void ptx_paste(struct ptx *e, const char *name, const struct ptx_register *in,
	       const struct ptx_register *out);

/* The bytes of all templates of the steps together, of one element. */
size_t ptx_steps_size(struct ptx *e);

/* Compute the steps of the block whose cells begin at e->base, but those that
   are left out; of a kernel that reduces, up to the values.  The bytes of the
   text that this is, about. */
void ptx_block(struct ptx *e);
size_t ptx_block_size(struct ptx *e);

/* Compute step @i, which has one value for a row. */
void ptx_single(struct ptx *e, int i);

/* Put element @j of the block into the cells of result @k.  The block is the
   last one of the pack; in a kernel that reduces, the only one that has
   cells. */
void ptx_result(struct ptx *e, int k, int j);

/* Load the scalars from the kernel's words. */
void ptx_scalars(struct ptx *e);

/* Compute all steps of the pack: from the cells of the inputs to those of the
   results. */
void ptx_steps(struct ptx *e);

#endif
