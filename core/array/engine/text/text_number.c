/* SPDX-License-Identifier: Apache-2.0 */
/* text_number.c - writes numbers and conditions of kernels as OpenCL C. */
#include "core/array/engine/text/text_number.h"

#include <stdio.h>
#include <string.h>

/* --- Nodes -------------------------------------------------------------- */

uint32_t text_number_add(struct text_numbers *all,
			 const struct text_number *node)
{
	text_add(&all->nodes, (const char *)node, sizeof(*node));
	return (uint32_t)(all->nodes.size / sizeof(*node));
}

/* If memory ran out, handles have no nodes.  The constant 0 then stands for
   every node. */
struct text_number text_number_get(const struct text_numbers *all,
				   uint32_t handle)
{
	struct text_number node = { .kind = TEXT_NUMBER_CONSTANT };

	if (handle && handle <= all->nodes.size / sizeof(node))
		memcpy(&node, all->nodes.bytes + (handle - 1) * sizeof(node),
		       sizeof(node));
	return node;
}

uint32_t text_number_constant(struct text_numbers *all, uint64_t value)
{
	return text_number_add(
		all, &(struct text_number){ .kind = TEXT_NUMBER_CONSTANT,
					    .a = (uint32_t)value });
}

bool text_number_is_constant(const struct text_numbers *all, uint32_t handle,
			     uint32_t value)
{
	const struct text_number node = text_number_get(all, handle);

	return node.kind == TEXT_NUMBER_CONSTANT && node.a == value;
}

bool text_number_is_plain(const struct text_numbers *all, uint32_t handle)
{
	const enum text_number_kind kind = text_number_get(all, handle).kind;

	return kind == TEXT_NUMBER_CONSTANT || kind == TEXT_NUMBER_NAME;
}

bool text_number_is_condition(const struct text_numbers *all, uint32_t handle)
{
	return text_number_get(all, handle).kind == TEXT_NUMBER_BELOW;
}

/* Operations that change nothing, such as x + 0, are left out. */
uint32_t text_number_compute(struct text_numbers *all,
			     enum text_number_kind kind, uint32_t a, uint32_t b)
{
	const bool is_product = kind == TEXT_NUMBER_PRODUCT;

	if (text_number_is_constant(all, b, 0) && kind == TEXT_NUMBER_SUM)
		return a;
	if (text_number_is_constant(all, a, 0) && kind == TEXT_NUMBER_SUM)
		return b;
	if (is_product && (text_number_is_constant(all, a, 0) ||
			   text_number_is_constant(all, b, 1)))
		return a;
	if (is_product && (text_number_is_constant(all, b, 0) ||
			   text_number_is_constant(all, a, 1)))
		return b;
	return text_number_add(
		all, &(struct text_number){ .kind = kind, .a = a, .b = b });
}

/* The number of variables that are called @name. */
static uint32_t count_names(const struct text_numbers *all, const char *name)
{
	const size_t n = all->nodes.size / sizeof(struct text_number);
	uint32_t count = 0;

	for (uint32_t i = 1; i <= n; i++) {
		const struct text_number node = text_number_get(all, i);

		count += node.kind == TEXT_NUMBER_NAME &&
			 strcmp(node.name, name) == 0;
	}
	return count;
}

uint32_t text_number_name(struct text_numbers *all, const char *name, int k)
{
	const uint32_t taken = k < 0 ? count_names(all, name) : 0;

	return text_number_add(
		all, &(struct text_number){ .kind = TEXT_NUMBER_NAME,
					    .a = k < 0 ? taken : (uint32_t)k,
					    .b = k >= 0 || taken,
					    .name = name });
}

/* --- Text --------------------------------------------------------------- */

void text_number_place(struct machine_index at, char to[TEXT_NUMBER_ROOM])
{
	const struct {
		unsigned by;
		char name;
	} terms[] = { { at.slot, 's' }, { at.item, 'i' } };
	int n = 0;

	for (int i = 0; i < 2; i++) {
		if (!terms[i].by)
			continue;
		n += snprintf(to + n, (size_t)(TEXT_NUMBER_ROOM - n), "%s%c",
			      n ? " + " : "", terms[i].name);
		if (terms[i].by > 1)
			n += snprintf(to + n, (size_t)(TEXT_NUMBER_ROOM - n),
				      " * %u", terms[i].by);
	}
	if (at.n || !n)
		snprintf(to + n, (size_t)(TEXT_NUMBER_ROOM - n), "%s%u",
			 n ? " + " : "", at.n);
}

static void write_place(const struct text_number *node, struct text *out)
{
	char place[TEXT_NUMBER_ROOM];

	text_number_place((struct machine_index){ node->a, node->b, node->c },
			  place);
	text_print(out, "%s", place);
}

static void write_id(enum machine_id which, struct text *out)
{
	static const char *const names[] = { [MACHINE_GLOBAL] = "global",
					     [MACHINE_GROUP] = "group",
					     [MACHINE_LOCAL] = "local" };

	text_print(out, "(long)get_%s_id(0)", names[which]);
}

/* Whether the node can be an operand of a sum without brackets around it. */
static bool is_term(const struct text_numbers *all, uint32_t handle)
{
	switch (text_number_get(all, handle).kind) {
	case TEXT_NUMBER_SUM:
	case TEXT_NUMBER_DIFFERENCE:
	case TEXT_NUMBER_PRODUCT:
	case TEXT_NUMBER_PLACE: return true;
	default: return false;
	}
}

/* Write the nodes a and b of @node, with the text @between between them. */
static void write_two(const struct text_numbers *all,
		      const struct text_number *node, const char *between,
		      struct text *out)
{
	const bool adds = node->kind != TEXT_NUMBER_PRODUCT;

	text_number_write(all, node->a, !(adds && is_term(all, node->a)), out);
	text_print(out, "%s", between);
	text_number_write(all, node->b,
			  node->kind == TEXT_NUMBER_DIFFERENCE ||
				  !(adds && is_term(all, node->b)),
			  out);
}

/* Write a division of unsigned numbers, or its remainder. */
static void write_division(const struct text_numbers *all,
			   const struct text_number *node, struct text *out)
{
	const char *type = node->c ? "uint" : "ulong";
	const enum text_number_kind b = text_number_get(all, node->b).kind;

	text_print(out, "(long)((%s)", type);
	text_number_write(all, node->a, true, out);
	text_print(out, " %c ", node->kind == TEXT_NUMBER_QUOTIENT ? '/' : '%');
	if (b != TEXT_NUMBER_CONSTANT)
		text_print(out, "(%s)", type);
	text_number_write(all, node->b, true, out);
	text_print(out, ")");
}

static void write_open(const struct text_numbers *all,
		       const struct text_number *node, struct text *out)
{
	switch (node->kind) {
	case TEXT_NUMBER_PLACE: write_place(node, out); return;
	case TEXT_NUMBER_SUM: write_two(all, node, " + ", out); return;
	case TEXT_NUMBER_DIFFERENCE: write_two(all, node, " - ", out); return;
	case TEXT_NUMBER_PRODUCT: write_two(all, node, " * ", out); return;
	case TEXT_NUMBER_REACHES: write_two(all, node, " >= ", out); return;
	case TEXT_NUMBER_BELOW: write_two(all, node, " < ", out); return;
	case TEXT_NUMBER_CHOICE:
		text_number_write(all, node->a, true, out);
		text_print(out, " ? ");
		text_number_write(all, node->b, false, out);
		text_print(out, " : ");
		text_number_write(all, node->c, true, out);
		return;
	default: return;
	}
}

void text_number_write(const struct text_numbers *all, uint32_t handle,
		       bool tight, struct text *out)
{
	const struct text_number node = text_number_get(all, handle);

	switch (node.kind) {
	case TEXT_NUMBER_CONSTANT:
		text_print(out, "%u", (unsigned)node.a);
		return;
	case TEXT_NUMBER_WORD:
		text_print(out, "(long)w.w[%u]", (unsigned)node.a);
		return;
	case TEXT_NUMBER_ID: write_id((enum machine_id)node.a, out); return;
	case TEXT_NUMBER_NAME:
		text_print(out, "%s", node.name);
		if (node.b)
			text_print(out, "%u", (unsigned)node.a);
		return;
	case TEXT_NUMBER_QUOTIENT:
	case TEXT_NUMBER_REMAINDER: write_division(all, &node, out); return;
	case TEXT_NUMBER_PLACE:
		/* The text may be a single word: 0, or a loop's counter, s or
		   i.  Such a text needs no brackets. */
		tight &= node.a || (node.b && node.c) || node.b + node.c > 1;
		break;
	default: break;
	}
	text_print(out, tight ? "(" : "");
	write_open(all, &node, out);
	text_print(out, tight ? ")" : "");
}
