/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_number.h - the numbers, conditions and elements that text_machine.c
 * writes as OpenCL C.
 *
 * A node is a variable, or an expression whose text is written at each use.  A
 * handle of machine.h is the number of a node, counted from 1.
 */
#ifndef ARRAY_TEXT_NUMBER_H
#define ARRAY_TEXT_NUMBER_H

#include "core/array/engine/gpu/machine.h"

enum text_number_kind {
	/* Numbers and conditions. */
	TEXT_NUMBER_CONSTANT, /* the number a */
	/* a struct machine_index: n is a, slot is b, item is c */
	TEXT_NUMBER_PLACE,
	TEXT_NUMBER_WORD, /* word a of the launch */
	TEXT_NUMBER_ID,   /* number a (enum machine_id) of the work-item */
	/* a variable: its name, with the number a appended if b is set */
	TEXT_NUMBER_NAME,
	/* the sum of nodes a and b; the kinds from here to TEXT_NUMBER_BELOW
	   have operands a and b, too */
	TEXT_NUMBER_SUM,
	TEXT_NUMBER_DIFFERENCE,
	TEXT_NUMBER_PRODUCT,
	/* in a quotient or a remainder, c is set if operands have 32 bits */
	TEXT_NUMBER_QUOTIENT,
	TEXT_NUMBER_REMAINDER,
	TEXT_NUMBER_REACHES, /* the condition a >= b */
	TEXT_NUMBER_BELOW,
	TEXT_NUMBER_CHOICE, /* node b if condition a holds, else node c */
	/* Elements. */
	TEXT_NUMBER_LOAD,   /* operand a at index b */
	TEXT_NUMBER_LOCAL,  /* local array a at index b */
	TEXT_NUMBER_PACKED, /* element b of pack a, an array of elements */
	TEXT_NUMBER_VECTOR, /* element b of pack a, a union with vectors */
	TEXT_NUMBER_STORED  /* the value of step a, as it is stored */
};

struct text_number {
	enum text_number_kind kind;
	uint32_t a, b, c;
	const char *name;
};

/* All nodes of a kernel: an array of struct text_number. */
struct text_numbers {
	struct text nodes;
};

/* text_number_add(): add a node and return its handle.  The node's kind says
   which members are set.  text_number_get(): return the node of a handle. */
uint32_t text_number_add(struct text_numbers *all,
			 const struct text_number *node);
struct text_number text_number_get(const struct text_numbers *all,
				   uint32_t handle);

/* text_number_constant(), text_number_compute(): return the handle of a
   constant or an expression.  text_number_name(): return the handle of a new
   variable.  The variable is called @name, with the number @k appended.  If @k
   is -1, a number is appended only if another variable is called @name. */
uint32_t text_number_constant(struct text_numbers *all, uint64_t value);
uint32_t text_number_compute(struct text_numbers *all,
			     enum text_number_kind kind, uint32_t a,
			     uint32_t b);
uint32_t text_number_name(struct text_numbers *all, const char *name, int k);

/* text_number_is_plain(): whether the node is a constant or a variable.
   text_number_is_constant(): whether the node is the constant @value.
   text_number_is_condition(): whether the node is a condition. */
bool text_number_is_plain(const struct text_numbers *all, uint32_t handle);
bool text_number_is_constant(const struct text_numbers *all, uint32_t handle,
			     uint32_t value);
bool text_number_is_condition(const struct text_numbers *all, uint32_t handle);

/* Write the text of a number or a condition.  Pass @tight = true to put an
   expression with operators in brackets. */
void text_number_write(const struct text_numbers *all, uint32_t handle,
		       bool tight, struct text *out);

/* Write the index @at of an array to @to, as text. */
#define TEXT_NUMBER_ROOM 48
void text_number_place(struct machine_index at, char to[TEXT_NUMBER_ROOM]);

#endif
