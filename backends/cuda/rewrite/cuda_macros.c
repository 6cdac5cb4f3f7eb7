/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_macros.c - what macros hide from a rewriter that works before the
   preprocessor. */
#include "cuda_macros.h"

#include <string.h>

/* Macros within macros are followed to this depth. */
#define MAX_DEPTH 16
/* A macro that stands for more tokens is left to the compiler. */
#define MAX_TOKENS 256

static bool is(const struct cuda_tokens *tokens, size_t at, const char *text)
{
	return at < tokens->n && cuda_lexer_is(&tokens->list[at], text);
}

static bool is_same(const struct cuda_token *a, const struct cuda_token *b)
{
	return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* The index of the # of the preprocessor line that contains token @at. */
static size_t line_begin(const struct cuda_tokens *tokens, size_t at)
{
	const struct cuda_token *list = tokens->list;
	size_t first = at;

	while (first && list[first - 1].directive == list[at].directive)
		first--;
	return first;
}

/* If token @at is in the body of a macro with parameters, set *@first to the #
   of its definition, and *@close to the bracket after the parameters. */
static bool find_macro(const struct cuda_tokens *tokens, size_t at,
		       size_t *first, size_t *close)
{
	if (!tokens->list[at].directive)
		return false;
	*first = line_begin(tokens, at);
	if (!is(tokens, *first + 1, "define") || !is(tokens, *first + 3, "(") ||
	    tokens->list[*first + 3].space_size)
		return false;
	*close = cuda_lexer_close(tokens, *first + 3);
	return *close < at;
}

/* The number of the macro's parameter that token @at names, from 1 on; 0: it
   names none. */
static unsigned parameter_number(const struct cuda_tokens *tokens, size_t at)
{
	size_t first, close, i;
	unsigned n = 1;

	if (!find_macro(tokens, at, &first, &close))
		return 0;
	for (i = first + 4; i < close; i++) {
		if (is_same(&tokens->list[i], &tokens->list[at]))
			return n;
		n += is(tokens, i, ",");
	}
	return 0;
}

bool cuda_macros_is_parameter(const struct cuda_tokens *tokens, size_t at)
{
	return parameter_number(tokens, at) != 0;
}

bool cuda_macros_is_plain(const struct cuda_tokens *tokens,
			  const struct cuda_name *name)
{
	/* A bracket directly after the name means a macro with parameters. */
	return name->bits & CUDA_NAME_MACRO &&
	       !(name->bits & CUDA_NAME_TWICE) && name->body < name->end &&
	       !(is(tokens, name->body, "(") &&
		 !tokens->list[name->body].space_size);
}

/* --- Address spaces of parameters ----------------------------------------- */

/* The macro of token @at, if it is plain and the same wherever it is used; or
   NULL. */
static const struct cuda_name *macro_at(const struct cuda_names *names,
					const struct cuda_tokens *tokens,
					size_t at)
{
	const struct cuda_name *name =
		cuda_words_find(names, &tokens->list[at]);

	return name && cuda_macros_is_plain(tokens, name) &&
			       !(name->bits & CUDA_NAME_REMOVED)
		       ? name
		       : NULL;
}

/* The expansion of a macro. */
struct expansion {
	const struct cuda_names *names;
	const struct cuda_tokens *tokens;
	struct cuda_text *out;
	unsigned left;  /* tokens that may still be written */
	bool has_space; /* it names an address space */
	bool refused;   /* it is too long, or pastes tokens */
};

static void expand(struct expansion *e, const struct cuda_name *name,
		   unsigned depth)
{
	const struct cuda_token *list = e->tokens->list;
	const struct cuda_name *inner;
	size_t i;

	for (i = name->body; i < name->end && !e->refused; i++) {
		inner = macro_at(e->names, e->tokens, i);
		if (inner && depth) {
			expand(e, inner, depth - 1);
			continue;
		}
		e->refused = inner || !e->left--;
		e->refused = e->refused || is(e->tokens, i, "#") ||
			     is(e->tokens, i, "##");
		e->has_space = e->has_space || cuda_words_space(&list[i]);
		cuda_text_add(e->out, " ", 1);
		cuda_text_add(e->out, list[i].text, list[i].size);
	}
}

/* Find the parameter list of the kernel whose word `kernel` is token @at.
   Returns the index of its bracket, or tokens->n. */
static size_t find_list(const struct cuda_tokens *tokens, size_t at)
{
	const uint32_t directive = tokens->list[at].directive;

	for (at++; at < tokens->n && tokens->list[at].directive == directive;
	     at++) {
		if (is(tokens, at, "__attribute__") && is(tokens, at + 1, "("))
			at = cuda_lexer_close(tokens, at + 1);
		else if (is(tokens, at, "("))
			return at;
		else if (is(tokens, at, ";") || is(tokens, at, "{"))
			break;
	}
	return tokens->n;
}

/* Expand the macros of one parameter list. */
static bool expand_list(struct cuda_strings *strings,
			const struct cuda_names *names,
			struct cuda_tokens *tokens, size_t open)
{
	const size_t close = cuda_lexer_close(tokens, open);
	struct cuda_text text = { .host = strings->host };
	const struct cuda_name *name;
	struct expansion e;
	bool found = false;
	size_t i;

	for (i = open + 1; close < tokens->n && i < close; i++) {
		name = macro_at(names, tokens, i);
		if (!name || name->body > i ||
		    cuda_macros_is_parameter(tokens, i))
			continue;
		text.size = 0;
		e = (struct expansion){ names,      tokens, &text,
					MAX_TOKENS, false,  false };
		expand(&e, name, MAX_DEPTH);
		if (!e.has_space || e.refused || text.failed)
			continue;
		tokens->list[i].to =
			cuda_strings_copy(strings, text.bytes, text.size);
		found = true;
	}
	strings->failed = strings->failed || text.failed;
	cuda_text_free(&text);
	return found;
}

bool cuda_macros_expand(struct cuda_strings *strings,
			const struct cuda_names *names,
			struct cuda_tokens *tokens)
{
	bool found = false;
	size_t i, open;

	for (i = 0; i < tokens->n; i++) {
		if (!is(tokens, i, "kernel") && !is(tokens, i, "__kernel"))
			continue;
		open = find_list(tokens, i);
		if (open < tokens->n)
			found = expand_list(strings, names, tokens, open) ||
				found;
	}
	return found;
}

/* --- Names of kernels ----------------------------------------------------- */

/* Find argument number @n, from 1 on, of the use whose bracket is token @open.
   Returns the argument's index if it is a single word or number, and is pasted
   without being replaced first; else tokens->n. */
static size_t find_argument(const struct cuda_tokens *tokens, size_t open,
			    unsigned n)
{
	const size_t close = cuda_lexer_close(tokens, open);
	size_t at = open + 1;

	for (; n > 1 && at < close; at++) {
		if (is(tokens, at, "("))
			at = cuda_lexer_close(tokens, at);
		else
			n -= is(tokens, at, ",");
	}
	return n == 1 && at < close && at + 1 < tokens->n &&
			       (at + 1 == close || is(tokens, at + 1, ",")) &&
			       (tokens->list[at].kind == CUDA_TOKEN_WORD ||
				tokens->list[at].kind == CUDA_TOKEN_NUMBER) &&
			       !cuda_macros_is_parameter(tokens, at)
		       ? at
		       : tokens->n;
}

/* Write the name that ends with token @at for the use at @open. */
static void write_name(const struct cuda_names *names,
		       const struct cuda_tokens *tokens, size_t at, size_t open,
		       struct cuda_text *to)
{
	size_t from = at, piece;
	unsigned n;

	while (from > 1 && is(tokens, from - 1, "##"))
		from -= 2;
	for (; from <= at; from += 2) {
		n = parameter_number(tokens, from);
		piece = n ? find_argument(tokens, open, n) : from;
		/* An argument that is not pasted is expanded. */
		if (piece == tokens->n ||
		    (n && from == at && !is(tokens, at - 1, "##") &&
		     cuda_words_has(names, &tokens->list[piece],
				    CUDA_NAME_MACRO))) {
			to->size = 0;
			return;
		}
		cuda_text_add(to, tokens->list[piece].text,
			      tokens->list[piece].size);
	}
}

bool cuda_macros_name(const struct cuda_names *names,
		      const struct cuda_tokens *tokens, size_t at, size_t *use,
		      struct cuda_text *to)
{
	const struct cuda_name *name;
	size_t first, close, i;

	to->size = 0;
	if (!find_macro(tokens, at, &first, &close))
		return false;
	name = cuda_words_find(names, &tokens->list[first + 2]);
	if (!name || name->bits & (CUDA_NAME_TWICE | CUDA_NAME_REMOVED))
		return false;
	for (i = *use > at ? *use : at; i + 1 < tokens->n; i++) {
		if (!is_same(&tokens->list[i], &tokens->list[first + 2]) ||
		    !is(tokens, i + 1, "("))
			continue;
		*use = i + 2;
		write_name(names, tokens, at, i + 1, to);
		return true;
	}
	return false;
}
