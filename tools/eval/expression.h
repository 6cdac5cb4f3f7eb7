/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expression.h - the language of `dpr eval`: text to a tree.
 *
 *	comparison = or [ ( == != < <= > >= ) or ]         not chained
 *	or         = xor { "|" xor }
 *	xor        = and { "^" and }
 *	and        = sum { "&" sum }
 *	sum        = term { ( + - ) term }
 *	term       = unary { ( * / // % ) unary }
 *	unary      = ( + - ~ ) unary | power
 *	power      = atom [ "**" unary ]
 *	atom       = number | string | name [ "(" arguments ")" ]
 *	           | "(" comparison ")" | "(" [ items ] ")"
 *
 * Precedence and literals are Python's.  Names that are not followed by "(" are
 * constants, arrays or dtypes; what they are is found out later.
 */
#ifndef TOOLS_EXPRESSION_H
#define TOOLS_EXPRESSION_H

#include <dpr/operand.h>

#include "tools/eval/lexer.h"
#include "tools/shared/message.h"

enum node_kind {
	NODE_NUMBER,  /* number */
	NODE_NAME,    /* text */
	NODE_STRING,  /* text, without quotes */
	NODE_UNARY,   /* op, one child */
	NODE_BINARY,  /* op, two children */
	NODE_CALL,    /* text: the function; arguments, then keywords */
	NODE_KEYWORD, /* text: its name; one child */
	NODE_TUPLE    /* any number of children */
};

struct node {
	enum node_kind kind;
	enum token_kind op;
	size_t column, length; /* of the operator, name or literal */
	dpr_operand number;
	size_t first_child, n_children; /* in children[] */
};

/*
 * A parsed expression.  Nodes come after their children, the last is the root,
 * and every other one has exactly one parent: going through the list in order
 * evaluates the tree without recursion.
 */
struct expression {
	char *text; /* a copy */
	struct node *nodes;
	size_t n_nodes, nodes_room;
	size_t *children;
	size_t n_children, children_room;
};

#define EXPRESSION_MAX_LENGTH 65536
#define EXPRESSION_MAX_DEPTH 200

/* False with the column in @message; *out is empty then. */
bool expression_parse(const char *text, struct expression *out,
		      struct message *message);
void expression_free(struct expression *expression);

/* The nodes below one. */
static inline const size_t *expression_children(const struct expression *e,
						const struct node *node)
{
	return e->children + node->first_child;
}

/* Whether a node's text (a name, string or function) is @text. */
bool expression_is(const struct expression *e, const struct node *node,
		   const char *text);

/*
 * The expression and, under it, a line with a caret at @column; of a long
 * expression the part around it.  To be freed; NULL without memory.
 */
char *expression_point(const char *text, size_t column);

#endif
