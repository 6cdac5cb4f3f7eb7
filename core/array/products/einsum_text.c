/* SPDX-License-Identifier: Apache-2.0 */
/* einsum_text.c - reads the subscripts of dpr_einsum(). */
#include "core/array/products/einsum_text.h"

#include <string.h>

#include "core/base/status.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Fail because of the character @at of @subscripts. */
static dpr_status fail_at(const char *subscripts, const char *at)
{
	const long long place = (long long)(at - subscripts);

	if (*at == '.')
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "einsum: \"%s\" has a dot at position %lld; write "
			    "three dots, once for each operand",
			    subscripts, place);
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "einsum: \"%s\" has a wrong character at position %lld; "
		    "write letters (a to z, A to Z), commas, \"...\" and "
		    "\"->\"",
		    subscripts, place);
}

/* Read a term.  It ends at a comma, at "->" or at the end of the text, and *@at
   becomes the place of this end. */
static dpr_status read_term(const char *subscripts, const char **at,
			    struct einsum_term *out)
{
	const char *c = *at;

	out->begin = c;
	out->n = 0;
	out->dots = -1;
	for (; *c && *c != ',' && *c != '-'; c++) {
		if (*c == ' ')
			continue;
		if (*c == '.' && out->dots < 0 && !strncmp(c, "...", 3)) {
			out->dots = out->n;
			c += 2;
			continue;
		}
		if (!is_letter(*c))
			return fail_at(subscripts, c);
		if (out->n == DPR_MAX_RANK)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "einsum: \"%s\" has more than 32 letters "
				    "in a row; an array has at most 32 axes",
				    subscripts);
		out->letter[out->n++] = *c;
	}
	out->length = (int)(c - out->begin);
	*at = c;
	return DPR_OK;
}

static dpr_status read_operands(const char *subscripts, size_t count,
				const char **at, struct einsum_text *out)
{
	dpr_status status;
	size_t n = 1;

	for (const char *c = subscripts; *c && *c != '-'; c++)
		n += *c == ',';
	if (n != count)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "einsum: \"%s\" has %zu operands, but %zu are "
			    "given; separate them by commas",
			    subscripts, n, count);
	for (out->n = 0; out->n < (int)count; out->n++) {
		*at += out->n > 0; /* the comma */
		status = read_term(subscripts, at, &out->term[out->n]);
		if (status)
			return status;
	}
	return DPR_OK;
}

dpr_status einsum_text_read(const char *subscripts, size_t count,
			    struct einsum_text *out)
{
	const char *at = subscripts;
	dpr_status status = read_operands(subscripts, count, &at, out);

	out->has_result = false;
	if (status || !*at)
		return status;
	if (strncmp(at, "->", 2) != 0)
		return fail_at(subscripts, at);
	at += 2;
	out->has_result = true;
	status = read_term(subscripts, &at, &out->result);
	return status || !*at ? status : fail_at(subscripts, at);
}
