/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_lexer.h - OpenCL C as a list of tokens.
 *
 * Nothing is lost: a token includes the blanks and comments before it, and the
 * last token, of kind END, has those after the last word.  Writing the list
 * gives the source again, except for the tokens that were given another text.
 */
#ifndef CUDA_LEXER_H
#define CUDA_LEXER_H

#include <stdint.h>

#include "cuda_strings.h"
#include "cuda_text.h"

enum cuda_token_kind {
	CUDA_TOKEN_WORD,
	CUDA_TOKEN_NUMBER,
	CUDA_TOKEN_STRING, /* and characters */
	CUDA_TOKEN_PUNCT,
	CUDA_TOKEN_END,
};

struct cuda_token {
	enum cuda_token_kind kind;
	uint32_t line;
	/* The number of the preprocessor line that contains it; 0: none. */
	uint32_t directive;
	const char *space, *text;
	size_t space_size, size;
	const char *to; /* the text that is written instead, or NULL */
};

struct cuda_tokens {
	struct cuda_token *list;
	size_t n; /* without the END */
};

/* Split @source, which must live as long as the list.  The list is in memory of
   @strings.  Returns false if memory runs out. */
bool cuda_lexer_split(struct cuda_strings *strings, const char *source,
		      size_t size, struct cuda_tokens *out);
/* Whether a token's text is @text. */
bool cuda_lexer_is(const struct cuda_token *token, const char *text);
/* Find the bracket that closes the bracket at @open; if that is in a
   preprocessor line, in the same line.  Returns tokens->n if there is none. */
size_t cuda_lexer_close(const struct cuda_tokens *tokens, size_t open);
/* Drop a token from the written text, except for line ends within it, as a
   continued string has them. */
void cuda_lexer_drop(struct cuda_strings *strings, struct cuda_token *token);
/* Append the tokens from @from up to, but not including, @to, and no blanks
   around them. */
void cuda_lexer_write(const struct cuda_tokens *tokens, size_t from, size_t to,
		      struct cuda_text *out);

#endif
