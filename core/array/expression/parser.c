/* SPDX-License-Identifier: Apache-2.0 */
/* parser.c - parses an expression into a tree, by recursive descent of bounded
   depth. */
#include "core/array/expression/parser.h"

#include <string.h>

#include "core/base/mem.h"

struct parser {
	struct tree *out;
	struct token token; /* the next token */
	struct place *place;
	size_t end;        /* the end of the token before `token` */
	dpr_status status; /* the failure, or DPR_OK */
	int depth;
};

/* Returned after a failure, in place of the index of a node. */
#define FAILED ((size_t)-1)

static size_t parse_comparison(struct parser *p);

/* Record that the text is wrong at a token. */
#define fail_token(p, token, ...)                                            \
	((p)->status = fail_at((p)->place, (token)->column, (token)->length, \
			       DPR_ERROR_INVALID_ARGUMENT, __VA_ARGS__),     \
	 FAILED)

/* Fail because the next token is not what was expected. */
static size_t fail_unexpected(struct parser *p, const char *expected)
{
	const struct token *token = &p->token;

	if (token->kind == TOKEN_END)
		return fail_token(p, token,
				  "the expression ends where %s should be",
				  expected);
	return fail_token(p, token, "found '%.*s' where %s should be",
			  token->length > 40 ? 40 : (int)token->length,
			  p->out->text + token->column, expected);
}

/* Get the token at or after column @at. */
static bool read_token(struct parser *p, size_t at, struct token *out)
{
	p->status = lexer_next(p->out->text, at, out, p->place);
	return !p->status;
}

static bool advance(struct parser *p)
{
	size_t end = p->token.column + p->token.length;

	/* Skip the closing quote. */
	if (p->token.kind == TOKEN_STRING)
		end++;
	p->end = end;
	return read_token(p, end, &p->token);
}

/* Make room for one more element of size @size.  *@room is doubled if the list
   is full. */
static bool grow(struct parser *p, void **list, size_t count, size_t *room,
		 size_t size)
{
	size_t more = *room ? *room * 2 : 16;
	void *bigger;

	if (count < *room)
		return true;
	bigger = mem_grow(*list, more, size);
	if (!bigger) {
		p->status = fail_memory("expression");
		return false;
	}
	*list = bigger;
	*room = more;
	return true;
}

static size_t add_node(struct parser *p, enum node_kind kind,
		       const struct token *token, const size_t *children,
		       size_t n_children)
{
	struct tree *e = p->out;
	struct node *node;
	size_t i;

	if (!grow(p, (void **)&e->nodes, e->n_nodes, &e->nodes_room,
		  sizeof(*e->nodes)))
		return FAILED;
	node = &e->nodes[e->n_nodes];
	node->kind = kind;
	node->op = token->kind;
	node->enclosed = false;
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

/* Parse an inner expression with @parse.  Fails if the nesting is too deep. */
static size_t nested(struct parser *p, size_t (*parse)(struct parser *))
{
	size_t node;

	if (p->depth == PARSER_MAX_DEPTH)
		return fail_token(p, &p->token, "nested deeper than %d levels",
				  PARSER_MAX_DEPTH);
	p->depth++;
	node = parse(p);
	p->depth--;
	return node;
}

/* --- Lists --------------------------------------------------------------- */

/* The children of a node that is not made yet. */
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

/* Parse one argument: an expression, or name=expression. */
static size_t parse_argument(struct parser *p, bool *keyword)
{
	struct token name = p->token, after;
	size_t value;

	*keyword = false;
	if (name.kind != TOKEN_NAME)
		return nested(p, parse_comparison);
	if (!read_token(p, name.column + name.length, &after))
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
		struct token first = p->token;

		if (!list_add(p, list, parse_argument(p, &keyword)))
			return false;
		if (keywords && !keyword)
			return fail_token(p, &first,
					  "an argument without a name cannot "
					  "follow one with a name") != FAILED;
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
	mem_free(list.items);
	return node;
}

/* Parse the text after "(": an expression, or the items of a tuple.  For a
   tuple, sets *@tuple to true, else to false. */
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
	if (node != FAILED)
		p->out->nodes[node].enclosed = true;
	mem_free(list.items);
	return node;
}

/* --- Indices ------------------------------------------------------------- */

/* Parse an integer that may have a sign.  @expected names what may be here, for
   the text of an error. */
static bool parse_integer(struct parser *p, const char *expected, int64_t *out)
{
	const bool negative = p->token.kind == TOKEN_SUBTRACT;
	const struct token *token = &p->token;

	if ((negative || token->kind == TOKEN_ADD) && !advance(p))
		return false;
	if (token->kind == TOKEN_NUMBER &&
	    token->number.kind == DPR_OPERAND_UINT)
		return fail_token(p, token, "an index must be below 2**63") !=
		       FAILED;
	if (token->kind != TOKEN_NUMBER ||
	    token->number.kind != DPR_OPERAND_INT)
		return fail_unexpected(p, expected) != FAILED;
	*out = negative ? -token->number.as.i : token->number.as.i;
	return advance(p);
}

/* Parse a bound or the step of a slice, which may be left out. */
static bool parse_bound(struct parser *p, int64_t *out)
{
	*out = DPR_OPEN;
	if (p->token.kind == TOKEN_COLON || p->token.kind == TOKEN_COMMA ||
	    p->token.kind == TOKEN_CLOSE_INDEX)
		return true;
	return parse_integer(p, "an integer, ':', ',' or ']'", out);
}

/* Parse a slice from its first ":" on. */
static bool parse_slice(struct parser *p, int64_t start, dpr_index *out)
{
	int64_t stop, step = DPR_OPEN;
	struct token by;

	if (!advance(p) || !parse_bound(p, &stop))
		return false;
	if (p->token.kind == TOKEN_COLON) {
		if (!advance(p))
			return false;
		by = p->token;
		if (!parse_bound(p, &step))
			return false;
		if (!step)
			return fail_token(p, &by,
					  "the step of a slice cannot be 0") !=
			       FAILED;
	}
	*out = DPR_SLICE(start, stop, step);
	return true;
}

/* Whether the next token is the name @name. */
static bool is_word(const struct parser *p, const char *name)
{
	return p->token.kind == TOKEN_NAME && p->token.length == strlen(name) &&
	       !strncmp(p->out->text + p->token.column, name, strlen(name));
}

/* Parse an index.  *@child becomes the node of an expression that stands in
   place of the index: such an expression begins with a name or "(".  Without an
   expression, *@child is FAILED. */
static bool parse_index(struct parser *p, dpr_index *out, size_t *child)
{
	int64_t start = DPR_OPEN;

	*child = FAILED;

	if (p->token.kind == TOKEN_ELLIPSIS || is_word(p, "Ellipsis")) {
		*out = DPR_ELLIPSIS;
		return advance(p);
	}
	if (is_word(p, "None") || is_word(p, "newaxis")) {
		*out = DPR_NEW_AXIS;
		return advance(p);
	}
	if (p->token.kind == TOKEN_NAME || p->token.kind == TOKEN_OPEN) {
		*out = DPR_ALL;
		*child = nested(p, parse_comparison);
		return *child != FAILED;
	}
	if (p->token.kind != TOKEN_COLON &&
	    !parse_integer(p,
			   "an integer, a slice, '...', None, or a name or "
			   "'(' for an array",
			   &start))
		return false;
	if (p->token.kind == TOKEN_COLON)
		return parse_slice(p, start, out);
	*out = DPR_AT(start);
	return true;
}

/* Parse one index, and add its node to the list.  An ellipsis sets *@ellipsis;
   a second ellipsis fails. */
static bool add_index(struct parser *p, struct list *list, bool *ellipsis)
{
	struct token first = p->token;
	size_t node, child;
	dpr_index index;

	if (list->count > PARSER_MAX_INDICES)
		return fail_token(p, &first, "more than %d indices",
				  PARSER_MAX_INDICES) != FAILED;
	if (!parse_index(p, &index, &child))
		return false;
	if (index.kind == DPR_INDEX_ELLIPSIS && *ellipsis)
		return fail_token(p, &first, "there is more than one '...'") !=
		       FAILED;
	*ellipsis |= index.kind == DPR_INDEX_ELLIPSIS;
	first.length = p->end - first.column;
	node = add_node(p, NODE_INDEX, &first, &child, child != FAILED);
	if (!list_add(p, list, node))
		return false;
	p->out->nodes[node].index = index;
	return true;
}

/* Parse the indices after "[", and the "]". */
static bool parse_indices(struct parser *p, struct list *list)
{
	bool ellipsis = false;

	do {
		if (!advance(p))
			return false;
		/* A comma may come before the closing bracket. */
		if (list->count > 1 && p->token.kind == TOKEN_CLOSE_INDEX)
			break;
		if (!add_index(p, list, &ellipsis))
			return false;
	} while (p->token.kind == TOKEN_COMMA);
	if (p->token.kind != TOKEN_CLOSE_INDEX)
		return fail_unexpected(p, "',' or ']'") != FAILED;
	return advance(p);
}

/* Parse brackets after @array. */
static size_t parse_brackets(struct parser *p, size_t array)
{
	struct token open = p->token;
	struct list list = { NULL, 0, 0 };
	size_t node = FAILED;

	if (list_add(p, &list, array) && parse_indices(p, &list)) {
		open.length = p->end - open.column;
		node = add_node(p, NODE_VIEW, &open, list.items, list.count);
	}
	mem_free(list.items);
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
	case TOKEN_OPEN_INDEX:
		return fail_token(p, &token,
				  "lists are not available; write a tuple: "
				  "(x, y)");
	default: return fail_unexpected(p, "a number, name or '('");
	}
}

static size_t parse_indexed(struct parser *p)
{
	size_t node = parse_atom(p);

	while (node != FAILED && p->token.kind == TOKEN_OPEN_INDEX)
		node = parse_brackets(p, node);
	return node;
}

static size_t parse_unary(struct parser *p);

static size_t parse_power(struct parser *p)
{
	struct token op;
	size_t pair[2];

	pair[0] = parse_indexed(p);
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

/* How tightly a binary operator binds.  0 if @kind is not a binary operator.
   Unary operators and ** bind more tightly. */
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
	case TOKEN_LEFT_SHIFT:
	case TOKEN_RIGHT_SHIFT: return 5;
	case TOKEN_ADD:
	case TOKEN_SUBTRACT: return 6;
	case TOKEN_MULTIPLY:
	case TOKEN_DIVIDE:
	case TOKEN_MATMUL:
	case TOKEN_FLOOR_DIVIDE:
	case TOKEN_REMAINDER: return 7;
	default: return 0;
	}
}

static bool is_loose(const struct node *node)
{
	return node->kind == NODE_BINARY && !node->enclosed &&
	       (node->op == TOKEN_AND || node->op == TOKEN_OR ||
		node->op == TOKEN_XOR);
}

/* Fail because a comparison follows another comparison, whose right operand is
   @right. */
static size_t fail_chain(struct parser *p, size_t right)
{
	const struct node *node = &p->out->nodes[right];

	if (is_loose(node))
		return fail_token(p, &p->token,
				  "%s binds more tightly than comparisons; "
				  "write (a < b) %s (c < d)",
				  lexer_token_text(node->op),
				  lexer_token_text(node->op));
	return fail_token(p, &p->token,
			  "comparisons do not chain; write "
			  "(a < b) & (b < c)");
}

/* Parse operators that bind at least as tightly as @level, from left to right.
   The recursion is at most 7 deep. */
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
			return fail_chain(p, pair[1]);
		pair[0] = add_node(p, NODE_BINARY, &op, pair, 2);
	}
	return pair[0];
}

static size_t parse_comparison(struct parser *p)
{
	return parse_binary(p, 1);
}

/* --- The whole text ------------------------------------------------------ */

static size_t parse_results(struct parser *p)
{
	struct list list = { NULL, 0, 0 };
	struct token first = p->token;
	size_t node = FAILED;
	bool ok;

	ok = list_add(p, &list, parse_comparison(p));
	while (ok && p->token.kind == TOKEN_COMMA) {
		ok = advance(p);
		if (!ok || p->token.kind == TOKEN_END)
			break;
		ok = list_add(p, &list, parse_comparison(p));
	}
	if (ok && p->token.kind == TOKEN_SEMICOLON)
		node = fail_token(p, &p->token,
				  "';' can only follow an assignment: "
				  "name = value; ...");
	else if (ok && p->token.kind == TOKEN_ASSIGN)
		node = fail_token(p, &p->token,
				  "'=' gives a value to a name, before a ';'; "
				  "== compares");
	else if (ok && p->token.kind != TOKEN_END)
		node = fail_unexpected(p, "an operator or the end");
	else if (ok)
		node = add_node(p, NODE_RESULTS, &first, list.items,
				list.count);
	mem_free(list.items);
	return node;
}

/* Check whether the next tokens are names with commas between them, and "=". */
static bool assigns(struct parser *p, bool *found)
{
	struct token token = p->token;

	*found = false;
	while (token.kind == TOKEN_NAME) {
		if (!read_token(p, token.column + token.length, &token))
			return false;
		*found = token.kind == TOKEN_ASSIGN;
		if (token.kind != TOKEN_COMMA)
			return true;
		if (!read_token(p, token.column + token.length, &token))
			return false;
	}
	return true;
}

/* Parse the names of a statement, which assigns() has found, and the "=". */
static bool parse_targets(struct parser *p, struct list *list)
{
	do {
		if (p->token.kind == TOKEN_COMMA && !advance(p))
			return false;
		if (!list_add(p, list,
			      add_node(p, NODE_TARGET, &p->token, NULL, 0)) ||
		    !advance(p))
			return false;
	} while (p->token.kind == TOKEN_COMMA);
	return advance(p);
}

/* Parse: names = comparison ; */
static bool parse_assign(struct parser *p)
{
	struct token name = p->token;
	/* The first item is the value. */
	struct list list = { NULL, 0, 0 };
	bool ok = list_add(p, &list, 0) && parse_targets(p, &list);

	if (ok) {
		list.items[0] = parse_comparison(p);
		ok = list.items[0] != FAILED;
	}
	if (ok && p->token.kind != TOKEN_SEMICOLON)
		ok = fail_unexpected(p, "an operator or ';' and a result") !=
		     FAILED;
	ok = ok && advance(p) &&
	     add_node(p, NODE_ASSIGN, &name, list.items, list.count) != FAILED;
	mem_free(list.items);
	return ok;
}

/* Parse the statements before the results. */
static bool parse_parts(struct parser *p)
{
	bool more;

	for (;;) {
		if (!assigns(p, &more))
			return false;
		if (!more)
			return true;
		if (!parse_assign(p))
			return false;
	}
}

static bool parse_text(struct parser *p)
{
	return parse_parts(p) && parse_results(p) != FAILED;
}

static dpr_status parser_begin(struct parser *p, const char *text)
{
	size_t length = strlen(text);

	memset(p->out, 0, sizeof(*p->out));
	if (length > PARSER_MAX_LENGTH)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "the expression has %zu characters; at most %d can "
			    "be read",
			    length, PARSER_MAX_LENGTH);
	p->out->text = mem_string(text);
	if (!p->out->text)
		return fail_memory("expression");
	return lexer_next(text, 0, &p->token, p->place);
}

dpr_status parser_parse(const char *text, struct tree *out, struct place *place)
{
	struct parser p = { .out = out, .place = place };

	p.status = parser_begin(&p, text);
	if (p.status || !parse_text(&p))
		parser_free(out);
	return p.status;
}

/* Parse the names between the parentheses, and the "=" after them. */
static bool parse_parameters(struct parser *p, struct parser_head *head)
{
	while (p->token.kind == TOKEN_NAME) {
		if (!grow(p, (void **)&head->parameters, head->n_parameters,
			  &head->room, sizeof(*head->parameters)))
			return false;
		head->parameters[head->n_parameters++] = p->token;
		if (!advance(p))
			return false;
		if (p->token.kind != TOKEN_COMMA)
			break;
		if (!advance(p))
			return false;
	}
	if (p->token.kind != TOKEN_CLOSE)
		return fail_unexpected(p, "a parameter or ')'") != FAILED;
	if (!advance(p))
		return false;
	if (p->token.kind != TOKEN_ASSIGN)
		return fail_unexpected(p, "'=' and the body of the function") !=
		       FAILED;
	return advance(p);
}

static bool parse_definition(struct parser *p, struct parser_head *head)
{
	head->name = p->token;
	if (p->token.kind != TOKEN_NAME)
		return fail_unexpected(p, "the name of a function") != FAILED;
	if (!advance(p))
		return false;
	if (p->token.kind != TOKEN_OPEN)
		return fail_unexpected(p, "'(' and the parameters") != FAILED;
	return advance(p) && parse_parameters(p, head) && parse_text(p);
}

dpr_status parser_definition(const char *text, struct parser_head *head,
			     struct tree *out, struct place *place)
{
	struct parser p = { .out = out, .place = place };

	memset(head, 0, sizeof(*head));
	p.status = parser_begin(&p, text);
	if (!p.status && parse_definition(&p, head))
		return DPR_OK;
	mem_free(head->parameters);
	parser_free(out);
	return p.status;
}

void parser_free(struct tree *tree)
{
	mem_free(tree->text);
	mem_free(tree->nodes);
	mem_free(tree->children);
	memset(tree, 0, sizeof(*tree));
}

bool parser_is_loose(const struct tree *tree, const struct node *node, size_t i)
{
	return node->kind == NODE_BINARY && precedence(node->op) == 1 &&
	       is_loose(&tree->nodes[parser_children(tree, node)[i]]);
}

bool parser_is(const struct tree *tree, const struct node *node,
	       const char *text)
{
	return strlen(text) == node->length &&
	       !strncmp(tree->text + node->column, text, node->length);
}
