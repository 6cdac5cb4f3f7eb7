/* SPDX-License-Identifier: Apache-2.0 */
/* einsum_text.h - the subscripts of dpr_einsum(), such as "ij,jk->ik". */
#ifndef ARRAY_EINSUM_TEXT_H
#define ARRAY_EINSUM_TEXT_H

#include "core/array/products/contraction.h"

/* The subscripts of an operand, or of the result. */
struct einsum_term {
	const char *begin; /* the text, not terminated */
	int length;
	int n;
	char letter[DPR_MAX_RANK];
	int dots; /* the number of letters before "..."; -1: it has none */
};

struct einsum_text {
	int n;
	struct einsum_term term[CONTRACTION_OPERANDS];
	bool has_result; /* behind "->" */
	struct einsum_term result;
};

/* Read @subscripts, which must have @count operands.
   DPR_ERROR_INVALID_ARGUMENT: there are more or fewer, or the text is not of
   this form. */
dpr_status einsum_text_read(const char *subscripts, size_t count,
			    struct einsum_text *out);

#endif
