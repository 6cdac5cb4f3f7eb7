/* SPDX-License-Identifier: Apache-2.0 */
/* expression.c - text to a tree, by recursive descent of bounded depth. */
#include "tools/eval/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	struct expression *out;
	struct token token; /* the next one */
	struct message *message;
	int depth;
};

/* The index of a node, and of none after a failure. */
#define FAILED ((size_t)-1)

static size_t parse_comparison(struct parser *p);

static size_t fail_at(struct parser *p, size_t column, const char *text)
{
	message_record_at(p->message, column, "%s", text);
	return FAILED;
}

/* What stands where something else should. */
static size_t fail_unexpected(struct parser *p, const char *expected)
{
	const struct token *token = &p->token;

	if (token->kind == TOKEN_END)
		message_record_at(p->message, token->column,
				  "the expression ends where %s should be",
				  expected);
	else
		message_record_at(p->message, token->column,
				  "'%.*s' where %s should be",
				  token->length > 40 ? 40 : (int)token->length,
				  p->out->text + token->column, expected);
	return FAILED;
}

static bool advance(struct parser *p)
{
	size_t end = p->token.column + p->token.length;

	/* Past the closing quote. */
	if (p->token.kind == TOKEN_STRING)
		end++;
	return lexer_next(p->out->text, end, &p->token, p->message);
}

/* Make room for another element; @room is doubled. */
static bool grow(struct parser *p, void **list, size_t count, size_t *room,
		 size_t size)
{
	size_t more = *room ? *room * 2 : 16;
	void *bigger;

	if (count < *room)
		return true;
	bigger = reallocarray(*list, more, size);
	if (!bigger)
		return message_set(p->message, "out of memory");
	*list = bigger;
	*room = more;
	return true;
}

static size_t add_node(struct parser *p, enum node_kind kind,
		       const struct token *token, const size_t *children,
		       size_t n_children)
{
	struct expression *e = p->out;
	struct node *node;
	size_t i;

	if (!grow(p, (void **)&e->nodes, e->n_nodes, &e->nodes_room,
		  sizeof(*e->nodes)))
		return FAILED;
	node = &e->nodes[e->n_nodes];
	node->kind = kind;
	node->op = token->kind;
	node->column = token->column;
	node->length = token->length;
	node->number = token->number;
	node->first_child = e->n_children;
	node->n_children = n_children;
	for (i = 0; i < n_children; i++) {
		if (!grow(p, (void **)&e->children, e->n_children,
			  &e->children_room, sizeof(*e->children)))
			return FAILED;
		e->children[e->n_children++] = children[i];
	}
	return e->n_nodes++;
}

/* Parse inside something; refuses what would nest too deep. */
static size_t nested(struct parser *p, size_t (*parse)(struct parser *))
{
	size_t node;

	if (p->depth == EXPRESSION_MAX_DEPTH) {
		message_record_at(p->message, p->token.column,
				  "nested deeper than %d levels",
				  EXPRESSION_MAX_DEPTH);
		return FAILED;
	}
	p->depth++;
	node = parse(p);
	p->depth--;
	return node;
}

/* --- Lists --------------------------------------------------------------- */

/* Children gathered before their node is made. */
struct list {
	size_t *items;
	size_t count, room;
};

static bool list_add(struct parser *p, struct list *list, size_t node)
{
	if (node == FAILED || !grow(p, (void **)&list->items, list->count,
				    &list->room, sizeof(*list->items)))
		return false;
	list->items[list->count++] = node;
	return true;
}

/* One argument: an expression, or name=expression. */
static size_t parse_argument(struct parser *p, bool *keyword)
{
	struct token name = p->token, after;
	size_t value;

	*keyword = false;
	if (name.kind != TOKEN_NAME)
		return nested(p, parse_comparison);
	if (!lexer_next(p->out->text, name.column + name.length, &after,
			p->message))
		return FAILED;
	if (after.kind != TOKEN_ASSIGN)
		return nested(p, parse_comparison);
	*keyword = true;
	p->token = after;
	if (!advance(p))
		return FAILED;
	value = nested(p, parse_comparison);
	return value == FAILED ? FAILED
			       : add_node(p, NODE_KEYWORD, &name, &value, 1);
}

static bool parse_arguments(struct parser *p, struct list *list)
{
	bool keyword, keywords = false;

	while (p->token.kind != TOKEN_CLOSE) {
		size_t column = p->token.column;

		if (!list_add(p, list, parse_argument(p, &keyword)))
			return false;
		if (keywords && !keyword)
			return message_set_at(p->message, column,
					      "an argument without a name "
					      "cannot follow one with a name");
		keywords = keyword;
		if (p->token.kind == TOKEN_CLOSE)
			break;
		if (p->token.kind != TOKEN_COMMA)
			return fail_unexpected(p, "',' or ')'") != FAILED;
		if (!advance(p))
			return false;
	}
	return true;
}

static size_t parse_call(struct parser *p, const struct token *name)
{
	struct list list = { NULL, 0, 0 };
	size_t node = FAILED;

	if (advance(p) && parse_arguments(p, &list) && advance(p))
		node = add_node(p, NODE_CALL, name, list.items, list.count);
	free(list.items);
	return node;
}

/* What follows "(": an expression, or a tuple. */
static bool parse_items(struct parser *p, struct list *list, bool *tuple)
{
	*tuple = p->token.kind == TOKEN_CLOSE;
	while (p->token.kind != TOKEN_CLOSE) {
		if (!list_add(p, list, nested(p, parse_comparison)))
			return false;
		if (p->token.kind == TOKEN_CLOSE)
			break;
		if (p->token.kind != TOKEN_COMMA)
			return fail_unexpected(p, "')'") != FAILED;
		*tuple = true;
		if (!advance(p))
			return false;
	}
	return true;
}

static size_t parse_parentheses(struct parser *p)
{
	struct token open = p->token;
	struct list list = { NULL, 0, 0 };
	size_t node = FAILED;
	bool tuple;

	if (advance(p) && parse_items(p, &list, &tuple) && advance(p))
		node = tuple ? add_node(p, NODE_TUPLE, &open, list.items,
					list.count)
			     : list.items[0];
	free(list.items);
	return node;
}

/* --- Operators ----------------------------------------------------------- */

static size_t parse_atom(struct parser *p)
{
	struct token token = p->token;
	size_t node;

	switch (token.kind) {
	case TOKEN_OPEN: return parse_parentheses(p);
	case TOKEN_NAME:
		if (!advance(p))
			return FAILED;
		if (p->token.kind == TOKEN_OPEN)
			return parse_call(p, &token);
		return add_node(p, NODE_NAME, &token, NULL, 0);
	case TOKEN_NUMBER:
	case TOKEN_STRING:
		node = add_node(p,
				token.kind == TOKEN_NUMBER ? NODE_NUMBER
							   : NODE_STRING,
				&token, NULL, 0);
		return node != FAILED && advance(p) ? node : FAILED;
	default: return fail_unexpected(p, "a number, name or '('");
	}
}

static size_t parse_unary(struct parser *p);

static size_t parse_power(struct parser *p)
{
	struct token op;
	size_t pair[2];

	pair[0] = parse_atom(p);
	op = p->token;
	if (pair[0] == FAILED || op.kind != TOKEN_POWER)
		return pair[0];
	if (!advance(p))
		return FAILED;
	pair[1] = nested(p, parse_unary);
	return pair[1] == FAILED ? FAILED
				 : add_node(p, NODE_BINARY, &op, pair, 2);
}

static size_t parse_unary(struct parser *p)
{
	struct token op = p->token;
	size_t child;

	if (op.kind != TOKEN_ADD && op.kind != TOKEN_SUBTRACT &&
	    op.kind != TOKEN_INVERT)
		return parse_power(p);
	if (!advance(p))
		return FAILED;
	child = nested(p, parse_unary);
	return child == FAILED ? FAILED
			       : add_node(p, NODE_UNARY, &op, &child, 1);
}

/* How tight an operator binds; 0: it is none.  Unary ones and ** bind
   tighter. */
static int precedence(enum token_kind kind)
{
	switch (kind) {
	case TOKEN_EQUAL:
	case TOKEN_NOT_EQUAL:
	case TOKEN_LESS_EQUAL:
	case TOKEN_GREATER_EQUAL:
	case TOKEN_LESS:
	case TOKEN_GREATER: return 1;
	case TOKEN_OR: return 2;
	case TOKEN_XOR: return 3;
	case TOKEN_AND: return 4;
	case TOKEN_ADD:
	case TOKEN_SUBTRACT: return 5;
	case TOKEN_MULTIPLY:
	case TOKEN_DIVIDE:
	case TOKEN_FLOOR_DIVIDE:
	case TOKEN_REMAINDER: return 6;
	default: return 0;
	}
}

/* Operators that bind at least as tight as @level, from left to right; the
   recursion is at most 6 deep. */
static size_t parse_binary(struct parser *p, int level)
{
	size_t pair[2];

	pair[0] = parse_unary(p);
	while (pair[0] != FAILED && precedence(p->token.kind) >= level) {
		struct token op = p->token;
		int binds = precedence(op.kind);

		if (!advance(p))
			return FAILED;
		pair[1] = parse_binary(p, binds + 1);
		if (pair[1] == FAILED)
			return FAILED;
		if (binds == 1 && precedence(p->token.kind) == 1)
			return fail_at(p, p->token.column,
				       "comparisons do not chain; write "
				       "(a < b) & (b < c)");
		pair[0] = add_node(p, NODE_BINARY, &op, pair, 2);
	}
	return pair[0];
}

static size_t parse_comparison(struct parser *p)
{
	return parse_binary(p, 1);
}

bool expression_parse(const char *text, struct expression *out,
		      struct message *message)
{
	struct parser p = { .out = out, .message = message };
	size_t length = strlen(text), root = FAILED;

	memset(out, 0, sizeof(*out));
	if (length > EXPRESSION_MAX_LENGTH)
		return message_set(message,
				   "the expression has %zu characters; at most "
				   "%d can be read",
				   length, EXPRESSION_MAX_LENGTH);
	out->text = strdup(text);
	if (!out->text)
		return message_set(message, "out of memory");
	if (lexer_next(out->text, 0, &p.token, message))
		root = parse_comparison(&p);
	if (root != FAILED && p.token.kind != TOKEN_END)
		root = fail_unexpected(&p, "an operator or the end");
	if (root != FAILED)
		return true;
	expression_free(out);
	return false;
}

void expression_free(struct expression *expression)
{
	free(expression->text);
	free(expression->nodes);
	free(expression->children);
	memset(expression, 0, sizeof(*expression));
}

bool expression_is(const struct expression *e, const struct node *node,
		   const char *text)
{
	return strlen(text) == node->length &&
	       !strncmp(e->text + node->column, text, node->length);
}

char *expression_point(const char *text, size_t column)
{
	const size_t before = 50, after = 24;
	size_t length = strlen(text);
	size_t from = column > before ? column - before : 0;
	size_t to = length - column > after ? column + after : length;
	char *out;
	int n, i;

	n = asprintf(&out, "  %s%.*s%s\n  %*s^", from ? "..." : "",
		     (int)(to - from), text + from, to < length ? "..." : "",
		     (int)(column - from + (from ? 3 : 0)), "");
	if (n < 0)
		return NULL;
	/* A tab or a line break would move the caret. */
	for (i = 0; i < (int)(to - from); i++) {
		char *c = out + 2 + (from ? 3 : 0) + i;

		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
	}
	return out;
}
