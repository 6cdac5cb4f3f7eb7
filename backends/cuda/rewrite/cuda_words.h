/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_words.h - the words of OpenCL C, and the names that a source declares.
 */
#ifndef CUDA_WORDS_H
#define CUDA_WORDS_H

#include "cuda_lexer.h"

/* The type that a word names. */
struct cuda_word_type {
	const char *scalar; /* "float" */
	unsigned size;      /* of one lane, in bytes */
	unsigned lanes;     /* 1, 2, 3, 4, 8 or 16 */
};

/* Whether a word is a type of the language: "uint", "float4". */
bool cuda_words_type(const char *word, size_t size,
		     struct cuda_word_type *type);
/* Whether a word is a keyword or an operator in C++ but a name in C. */
bool cuda_words_reserved(const struct cuda_token *token);
/* Whether a word is the type of an image or a sampler, or an access
   qualifier. */
bool cuda_words_image(const struct cuda_token *token);
/* The address space that a word names: 'g', 'c', 'l' or 'p'; else 0. */
char cuda_words_space(const struct cuda_token *token);
/* Get the components that a word after a dot selects, such as "xyz" or "s01".
   Returns their number; 0 for any other word, also for one letter and for "lo",
   "hi", "even" and "odd". */
unsigned cuda_words_lanes(const struct cuda_token *token, unsigned lanes[16]);

/* What is known about a name, as bits. */
enum {
	CUDA_NAME_MACRO = 1,
	CUDA_NAME_VECTOR = 2,   /* a typedef or macro that is a vector type */
	CUDA_NAME_TYPEDEF = 4,  /* of a value */
	CUDA_NAME_POINTER = 8,  /* a typedef with a pointer or array in it */
	CUDA_NAME_MEMBER = 16,  /* of a struct or union */
	CUDA_NAME_TWICE = 32,   /* a macro that is defined more than once */
	CUDA_NAME_REMOVED = 64, /* a macro that is undefined later */
};

struct cuda_name {
	const char *text;
	size_t size;
	unsigned bits;
	size_t body, end; /* of a macro: its tokens */
};

/* The names of a source.  All memory is in `strings`. */
struct cuda_names {
	struct cuda_strings *strings;
	struct cuda_name *list; /* a hash table, or NULL */
	size_t n, room;
};

/* Look a name up; NULL if the source does not declare it. */
const struct cuda_name *cuda_words_find(const struct cuda_names *names,
					const struct cuda_token *token);
bool cuda_words_has(const struct cuda_names *names,
		    const struct cuda_token *token, unsigned bits);
/* Collect the names that the tokens declare. */
void cuda_words_collect(struct cuda_names *names,
			const struct cuda_tokens *tokens);

#endif
