/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.h - the language of expressions: its grammar, and the parsed tree.
 *
 *	text       = { name { "," name } "=" comparison ";" } results
 *	results    = comparison { "," comparison } [ "," ]
 *	definition = name "(" [ name { "," name } ] ")" "=" text
 *	comparison = or [ ( == != < <= > >= ) or ]         not chained
 *	or         = xor { "|" xor }
 *	xor        = and { "^" and }
 *	and        = shift { "&" shift }
 *	shift      = sum { ( << >> ) sum }
 *	sum        = term { ( + - ) term }
 *	term       = unary { ( * / // % ) unary }
 *	unary      = ( + - ~ ) unary | power
 *	power      = indexed [ "**" unary ]
 *	indexed    = atom { "[" index { "," index } [ "," ] "]" }
 *	index      = comparison | integer
 *	           | [ integer ] ":" [ integer ] [ ":" [ integer ] ]
 *	           | "..." | "Ellipsis" | "None" | "newaxis"
 *	integer    = [ + - ] number
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

#include <dpr/array.h>

#include "core/array/expression/lexer.h"

/* The kinds of nodes.  After the colon: the members of struct node that a kind
   uses.  `text` is the text at `column`, which has `length` characters. */
enum node_kind {
	NODE_NUMBER, /* a literal: number */
	NODE_NAME,   /* a name: text */
	NODE_STRING, /* a string: text, without quotes */
	NODE_UNARY,  /* an operator with one operand: op, one child */
	NODE_BINARY, /* an operator with two operands: op, two children */
	/* a call: the text is the function's name; children: the arguments,
	   then the keywords */
	NODE_CALL,
	/* a keyword: the text is the parameter's name; one child */
	NODE_KEYWORD,
	NODE_TUPLE, /* a tuple: any number of children */
	/* an index between brackets: index; a child that is not an integer of
	   the text stands in place of it */
	NODE_INDEX,
	/* brackets: the text from the opening to the closing bracket; children:
	   the array, then NODE_INDEX for each index */
	NODE_VIEW,
	/* a statement: the text is the first name; children: the value, then
	   NODE_TARGET for each name */
	NODE_ASSIGN,
	NODE_TARGET, /* a name before "=": text */
	NODE_RESULTS /* the root of a tree: one child for each result */
};

struct node {
	enum node_kind kind;
	enum token_kind op;
	/* set if the node is in parentheses of its own */
	bool enclosed;
	size_t column, length; /* the place of the operator, name or literal */
	union {
		dpr_operand number;
		dpr_index index;
	};
	/* the position of the first child in tree.children[], and the number of
	   children */
	size_t first_child, n_children;
};

/*
 * A parsed text.  Nodes come after their children, so evaluating the nodes in
 * order needs no recursion.  The last node is the root, NODE_RESULTS.  The root
 * and each NODE_ASSIGN have no parent; every other node has exactly one.
 */
struct tree {
	char *text; /* a copy of the text */
	struct node *nodes;
	size_t n_nodes, nodes_room;
	size_t *children;
	size_t n_children, children_room;
};

/* The head of a definition: the name and the parameters. */
struct parser_head {
	struct token name;
	struct token *parameters; /* the caller frees them with mem_free() */
	size_t n_parameters, room;
};

#define PARSER_MAX_LENGTH 65536
#define PARSER_MAX_DEPTH 200
/* the most indices between brackets; no array takes more */
#define PARSER_MAX_INDICES (2 * DPR_MAX_RANK + 1)

/* parser_parse(): parse an expression.  parser_definition(): parse the
   definition of a function.  After a failure *@out is empty, and @place is set
   as by lexer_next(). */
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

/* Whether @node is a comparison, and its child @i is an &, | or ^ without
   parentheses, as in "a | b > c".  The author rarely means this. */
bool parser_is_loose(const struct tree *tree, const struct node *node,
		     size_t i);

/* Whether a node's text (a name, string or function) is @text. */
bool parser_is(const struct tree *tree, const struct node *node,
	       const char *text);

#endif
