/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_ptx.c - reading the kernels and the rounding of PTX. */
#include "cuda_ptx.h"

#include <string.h>

struct scan {
	const char *at, *end;
};

static bool starts(const struct scan *scan, const char *text)
{
	const size_t size = strlen(text);

	return (size_t)(scan->end - scan->at) >= size &&
	       memcmp(scan->at, text, size) == 0;
}

static void skip_space(struct scan *scan)
{
	while (scan->at < scan->end) {
		if (starts(scan, "//")) {
			while (scan->at < scan->end && *scan->at != '\n')
				scan->at++;
		} else if (starts(scan, "/*")) {
			scan->at += 2;
			while (scan->at < scan->end && !starts(scan, "*/"))
				scan->at++;
			if (scan->at < scan->end)
				scan->at += 2;
		} else if (strchr(" \t\r\n", *scan->at) && *scan->at) {
			scan->at++;
		} else {
			break;
		}
	}
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

/* Take the next word, including a dot before it, or else one character.
   Returns its size, 0 at the end. */
static size_t take(struct scan *scan, const char **word)
{
	skip_space(scan);
	*word = scan->at;
	if (scan->at == scan->end)
		return 0;
	if (is_name(*scan->at) || *scan->at == '.')
		for (scan->at++; scan->at < scan->end && is_name(*scan->at);)
			scan->at++;
	else
		scan->at++;
	return (size_t)(scan->at - *word);
}

static bool is(const char *word, size_t size, const char *text)
{
	return size == strlen(text) && memcmp(word, text, size) == 0;
}

/* Read a number; 0 if @word is not a number, or is too large. */
static uint64_t number(const char *word, size_t size)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < size; i++) {
		if (word[i] < '0' || word[i] > '9' || value > 1u << 24)
			return 0;
		value = value * 10 + (uint64_t)(word[i] - '0');
	}
	return value;
}

/* Read a list of parameters; its bracket has been read.  Returns false if it is
   not a list of parameters. */
static bool read_params(struct scan *scan, dprp_param *params, uint32_t *n)
{
	uint64_t each = 0, count = 1;
	bool pointer = false, any = false, in_array = false;
	const char *word;
	size_t size;

	*n = 0;
	while ((size = take(scan, &word))) {
		if (is(word, size, ",") || is(word, size, ")")) {
			if (any && (*n == CUDA_TABLE_PARAMS ||
				    each * count > CUDA_TABLE_PARAMS))
				return false;
			if (any)
				params[(*n)++] = (dprp_param){
					pointer && each == 8 ? DPRP_ARG_MEM
							     : DPRP_ARG_UNKNOWN,
					0, each * count
				};
			if (*word == ')')
				return true;
			each = 0;
			count = 1;
			any = pointer = false;
		} else if (is(word, size, ".param")) {
			any = true;
		} else if (is(word, size, ".ptr")) {
			pointer = true;
		} else if (is(word, size, ".shared") ||
			   is(word, size, ".local")) {
			pointer = false;
		} else if (size > 2 && *word == '.' && !each &&
			   strchr("bufs", word[1]) &&
			   number(word + 2, size - 2)) {
			each = number(word + 2, size - 2) / 8;
		} else if (is(word, size, "[") || is(word, size, "]")) {
			in_array = *word == '[';
		} else if (in_array) {
			count = number(word, size);
		}
	}
	return false;
}

/* Read the directives between the parameters and the body. */
static void read_required(struct scan *scan, uint64_t required[3])
{
	const char *word;
	size_t size;
	int at = -1;

	while ((size = take(scan, &word)) && !is(word, size, "{") &&
	       !is(word, size, ";")) {
		if (*word == '.')
			at = is(word, size, ".reqntid") ? 0 : -1;
		else if (at >= 0 && at < 3 && number(word, size) &&
			 number(word, size) <= 1024)
			required[at++] = number(word, size);
	}
	if (required[0] && !required[1])
		required[1] = 1;
	if (required[0] && !required[2])
		required[2] = 1;
}

/* Read a kernel; the word .entry has been read. */
static bool read_entry(struct scan *scan, struct cuda_table *table,
		       dprp_param *params)
{
	struct cuda_table_kernel *kernel;
	const char *name, *word;
	struct scan ahead;
	size_t size = take(scan, &name), one;
	uint32_t n = 0;

	if (!size || !is_name(*name) || cuda_table_find(table, name, size))
		return true;
	ahead = *scan;
	one = take(&ahead, &word);
	if (is(word, one, "(")) {
		if (!read_params(&ahead, params, &n))
			return true;
		*scan = ahead;
	}
	kernel = cuda_table_add(table, name, size);
	if (!kernel || !cuda_table_params(table, kernel, params, n))
		return false;
	kernel->certain = true;
	read_required(scan, kernel->required);
	return true;
}

bool cuda_ptx_kernels(const char *text, size_t size, struct cuda_table *table)
{
	struct scan scan = { text, text + size };
	dprp_param *params = cuda_strings_get(
		&table->strings, CUDA_TABLE_PARAMS * sizeof(*params));
	const char *word;
	size_t length;

	if (!params)
		return false;
	while ((length = take(&scan, &word)))
		if (is(word, length, ".entry") &&
		    !read_entry(&scan, table, params))
			return false;
	return !table->strings.failed;
}

bool cuda_ptx_is_rounded(const char *text, size_t size, const char **what)
{
	static const char *const loose[] = { "div.approx", "div.full",
					     "sqrt.approx" };
	struct scan scan = { text, text + size };
	size_t i;

	while (scan.at < scan.end) {
		skip_space(&scan);
		for (i = 0; i < sizeof(loose) / sizeof(loose[0]); i++)
			if (starts(&scan, loose[i])) {
				*what = loose[i];
				return false;
			}
		while (scan.at < scan.end && !strchr(" \t\r\n;{}", *scan.at))
			scan.at++;
		if (scan.at < scan.end)
			scan.at++;
	}
	return true;
}
