/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx.h - a kernel in PTX while it is written: its registers, its loads and
 * stores, and its steps.
 *
 * A work-item loads a pack of each input.  In a kernel that reduces, a pack is
 * the elements of a slot (ptx_slot.h).  In any other kernel a pack is all
 * elements of the work-item.  A block is a few elements of a pack.  The steps
 * of the graph are computed for one block after another.
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

/* The number of elements of a block.  A pack with fewer elements is one block.
   A pack whose steps are short is one block, too (emit_ptx.c). */
#define PTX_BLOCK 4
/* If a work-item of SCHEDULE_FLAT takes two packs, they are one block, whose
   templates have at most this many bytes. */
#define PTX_TWO_PACKS 40960

struct ptx {
	const struct graph *graph;
	const struct schedule *schedule;
	struct schedule_words words;
	const char *templates; /* the text of all templates */
	/* the number of elements of a work-item; a work-item of SCHEDULE_FLAT
	   or SCHEDULE_ROWS may take several packs (slots) */
	int pack;
	int block;             /* the number of elements of a block */
	/* set if the elements of a pack are neighbours in memory; otherwise
	   they are EMIT_PTX_FLAT_GROUP elements apart */
	bool is_dense;
	/* set if the kernel cannot be written: a template is missing, or the
	   text would be too long */
	bool is_absent;
	/* if the kernel reduces: the number of slots that have cells;
	   otherwise: the number of packs of a work-item */
	int slots;
	/* uniform, in SCHEDULE_STAGES and SCHEDULE_ROWS: bit i is set if step i
	   has one value for all elements of a work-item, or for a whole row;
	   the registers of element 0 have this value.  left_out, only in
	   SCHEDULE_STAGES: bit i is set if ptx_block() must leave out step
	   i. */
	uint64_t uniform, left_out;
	/* base: for each operand, the first cell of the block that is being
	   written.  cells: for each operand, the number of its cells.  0: the
	   number of cells of a pack. */
	int base[SCHEDULE_OPERANDS], cells[SCHEDULE_OPERANDS];
	uint64_t tables; /* bit n: a template reads table n of constants */
	struct text text;
};

#define PTX_ADD(e, ...) text_print(&(e)->text, __VA_ARGS__)

/* A template is pasted for each element of a block, if the copies together have
   at most this many bytes.  A longer template is pasted once, into a loop over
   the elements of the block (add_loop() of ptx.c). */
static inline size_t ptx_longest(const struct ptx *e)
{
	if (e->schedule->kind == SCHEDULE_FLAT && e->slots > 1)
		return PTX_TWO_PACKS;
	return e->block > 4 ? 8192 : 16384;
}

/* The name of a register. */
struct ptx_register {
	char name[48];
};

/* ptx_size(): the number of bytes of an element.  ptx_bits(): the number of
   bits of a register for a part of an element, 32 or 64.  A complex number has
   two parts, the real and the imaginary part.  Any other element has one
   part. */
int ptx_size(unsigned dtype);
int ptx_bits(unsigned dtype);

/* The distance between neighbouring elements of operand @k, in units of its
   address register.  This is the size of an element in bytes.  For an operand
   without memory it is 1: the register has a position in place of an
   address. */
int ptx_step(const struct ptx *e, int k);

/* The register of part @part (1: the imaginary part) of the value of step @i,
   for element @element of the block. */
struct ptx_register ptx_value(const struct ptx *e, int i, int part,
			      int element);

/* ptx_stored(): the register with the stored 16 bits of the value of step @i, a
   16-bit float.  ptx_is_16_bit(): whether @dtype is a 16-bit float. */
struct ptx_register ptx_stored(const struct ptx *e, int i, int element);
bool ptx_is_16_bit(unsigned dtype);

/* Convert element @j of step @i, a 16-bit float.  ptx_load_value(): from the
   stored 16 bits to float32.  ptx_store_value(): from float32 to the 16
   bits. */
void ptx_load_value(struct ptx *e, int i, int j);
void ptx_store_value(struct ptx *e, int i, int j);

/* ptx_computed(): the dtype in which values of @dtype are computed, float32 for
   16-bit floats.  ptx_parts(): the number of parts of a value, 2 for complex
   numbers, else 1. */
unsigned ptx_computed(unsigned dtype);
int ptx_parts(unsigned dtype);

/* The register of cell @at of operand @k. */
struct ptx_register ptx_cell(int k, int at);

/* The number of cells for @n neighbouring elements of operand @k. */
int ptx_cells(const struct ptx *e, int k, int n);

/* Whether operand @k has one element for a whole pack.  If so, ptx_cells()
   returns the number of cells of this element for any @n. */
bool ptx_is_fixed(const struct ptx *e, int k);

/* Whether several elements of operand @k, of 1 or 2 bytes, share a cell. */
bool ptx_is_shared(const struct ptx *e, int k);

/* Return the number of the cell that has element @j of operand @k.
   ptx_is_shared() must hold for the operand.  Cells and elements are counted
   from the beginning of a block or pack.  *@below becomes the place of the
   element in the cell, in bytes: 0 (the lowest) to 3. */
int ptx_shared_cell(const struct ptx *e, int k, int j, int *below);

/* An access to memory: the address is the register `address` plus `bytes`.
   `space` is ".global" or ".shared".  If `guard` is "@%q ", the access is made
   only if predicate %q holds.  If `guard` is "", the access is always made. */
struct ptx_access {
	int operand;
	bool is_store;
	const char *guard, *space;
	struct ptx_register address;
	int bytes;
};

/* The address register of operand @k: %a0, %a1 and so on. */
struct ptx_register ptx_address(int k);

/* Write a load or store of @n cells (1, 2 or 4) from cell @at on.  Together
   they have @size bytes.  An operand without memory is not loaded: its values
   are computed from the address register. */
void ptx_access(struct ptx *e, const struct ptx_access *a, int at, int n,
		int size);

/* ptx_element(): write a load or store of element @j of the pack.  ptx_clear():
   write code that sets all cells of operand @k to 0.  Call ptx_clear() before
   loads with a guard.  Call ptx_clear() also before loads of elements that
   share cells, because loading an element sets only some bits of the cell. */
void ptx_element(struct ptx *e, const struct ptx_access *a, int j);
void ptx_clear(struct ptx *e, int k);

/* Paste the template @name.  In its text, ?0 to ?5 are replaced by the
   registers in[0] to in[5], ?r by out[0] and ?i by out[1]. */
void ptx_paste(struct ptx *e, const char *name, const struct ptx_register *in,
	       const struct ptx_register *out);

/* The number of bytes of the templates of all steps together, for one element.
   Steps in e->left_out and e->uniform do not count. */
size_t ptx_steps_size(struct ptx *e);

/* ptx_block(): write the steps of the block whose cells begin at e->base,
   except steps in e->left_out and e->uniform.  Unless the kernel reduces, also
   copy the results to their cells.  ptx_block_size(): estimate the bytes of
   this text. */
void ptx_block(struct ptx *e);
size_t ptx_block_size(struct ptx *e);

/* Write step @i, one of e->uniform. */
void ptx_single(struct ptx *e, int i);

/* Write code that copies element @j of the block to the cells of result @k.
   Every block is copied to the cells of the pack's last block (ptx.c says why).
   In a kernel that reduces, a result has cells for one block only. */
void ptx_result(struct ptx *e, int k, int j);

#endif
