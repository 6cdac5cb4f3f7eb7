/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_macros.h - what macros hide from a rewriter that works before the
 * preprocessor: the address spaces of a kernel's parameters, and the names of
 * kernels.
 */
#ifndef CUDA_MACROS_H
#define CUDA_MACROS_H

#include "cuda_words.h"

/* Whether a macro is defined once, without parameters, and not as nothing. */
bool cuda_macros_is_plain(const struct cuda_tokens *tokens,
			  const struct cuda_name *name);
/* Whether token @at is in the body of a macro and names one of the macro's
   parameters. */
bool cuda_macros_is_parameter(const struct cuda_tokens *tokens, size_t at);
/* In the parameter lists of kernels, replace each plain macro whose body names
   an address space by that body.  Returns whether there was one: then the
   tokens must be written and split again. */
bool cuda_macros_expand(struct cuda_strings *strings,
			const struct cuda_names *names,
			struct cuda_tokens *tokens);
/* Find the next use of the macro in whose body token @at is, from token *@use
   on.  Returns false if there is none.  Else *@use is the index after the use.
   @to is the name that the use makes of token @at and everything pasted before
   it; "" if the name is unknown. */
bool cuda_macros_name(const struct cuda_names *names,
		      const struct cuda_tokens *tokens, size_t at, size_t *use,
		      struct cuda_text *to);

#endif
