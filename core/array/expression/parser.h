/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.h - the language of expressions: its grammar, and the parsed tree.
 *
 *	text       = { name "=" comparison ";" } results
 *	results    = comparison { "," comparison } [ "," ]
 *	definition = name "(" [ name { "," name } ] ")" "="
 *	             { name "=" comparison ";" } comparison
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
 * Precedence and literals are Python's.  A name that is not followed by "("
 * stands for an earlier statement, an operand, a constant or a dtype; plan.c
 * decides which.
 */
#ifndef ARRAY_PARSER_H
#define ARRAY_PARSER_H

#include <stdbool.h>

#include "core/array/expression/lexer.h"

enum node_kind {
	NODE_NUMBER,  /* number */
	NODE_NAME,    /* text */
	NODE_STRING,  /* text, without quotes */
	NODE_UNARY,   /* op, one child */
	NODE_BINARY,  /* op, two children */
	NODE_CALL,    /* text: the function; children: arguments, then
			 keywords */
	NODE_KEYWORD, /* text: the parameter's name; one child */
	NODE_TUPLE,   /* any number of children */
	NODE_ASSIGN,  /* text: the name; one child */
	NODE_RESULTS  /* one child for each result */
};

struct node {
	enum node_kind kind;
	enum token_kind op;
	bool enclosed;         /* in parentheses of its own */
	size_t column, length; /* of the operator, name or literal */
	dpr_operand number;
	size_t first_child, n_children; /* in children[] */
};

/*
 * A parsed text.  Nodes come after their children, so going through the list in
 * order evaluates the tree without recursion.  The last node is the root: the
 * NODE_RESULTS, or the value of a definition.  Every other node has exactly one
 * parent, except that a NODE_ASSIGN has none.
 */
struct tree {
	char *text; /* a copy */
	struct node *nodes;
	size_t n_nodes, nodes_room;
	size_t *children;
	size_t n_children, children_room;
};

/* The head of a definition. */
struct parser_head {
	struct token name;
	struct token *parameters; /* to be freed with mem_free() */
	size_t n_parameters, room;
};

#define PARSER_MAX_LENGTH 65536
#define PARSER_MAX_DEPTH 200

/* Parse an expression, or the definition of a function.  After a failure *@out
   is empty.  Fails as lexer_next() does. */
dpr_status parser_parse(const char *text, struct tree *out,
			struct place *place);
dpr_status parser_definition(const char *text, struct parser_head *head,
			     struct tree *out, struct place *place);
void parser_free(struct tree *tree);

/* The indices of a node's children. */
static inline const size_t *parser_children(const struct tree *tree,
					    const struct node *node)
{
	return tree->children + node->first_child;
}

/* Whether child @i of @node is an &, | or ^ that is an operand of a comparison
   without parentheses, as in "a | b > c".  Few mean that. */
bool parser_is_loose(const struct tree *tree, const struct node *node,
		     size_t i);

/* Whether a node's text (a name, string or function) is @text. */
bool parser_is(const struct tree *tree, const struct node *node,
	       const char *text);

#endif
