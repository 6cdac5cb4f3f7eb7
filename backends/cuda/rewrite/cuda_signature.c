/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_signature.c - the kernels of a source in OpenCL C. */
#include "cuda_signature.h"

#include <stdlib.h>
#include <string.h>

#include <dpr/backend-help.h>

#include "cuda_macros.h"

#define MAX_PARAMS 4096 /* of 1 byte each; they have 4 KiB in all */

/* A kernel's declaration, as the indices of its tokens. */
struct cuda_signature {
	size_t kernel, name, open, close, after;
	bool plain; /* the name is one word, and not a parameter of a macro */
	bool has_required;
	uint64_t required[3];
};

void cuda_signature_refuse(struct cuda_source *source, uint32_t line,
			   const char *text)
{
	cuda_text_format(source->log, "<source>(%u): error: %s\n",
			 line - source->lines_before, text);
	source->refused = true;
}

static bool is(const struct cuda_source *source, size_t at, const char *text)
{
	return at < source->tokens.n &&
	       cuda_lexer_is(&source->tokens.list[at], text);
}

/* --- Sizes of work-groups ------------------------------------------------- */

/* A constant expression of numbers, macros, brackets, * / + - << >>. */
struct cuda_sum {
	const struct cuda_source *source;
	size_t at, end;
	unsigned depth;
	bool bad;
};

static uint64_t sum_of(struct cuda_sum *sum, unsigned level);

static uint64_t sum_macro(struct cuda_sum *sum, const struct cuda_name *name)
{
	struct cuda_sum body = { sum->source, name->body, name->end,
				 sum->depth + 1, false };
	uint64_t value;

	if (sum->depth > 16 ||
	    !cuda_macros_is_plain(&sum->source->tokens, name)) {
		sum->bad = true;
		return 0;
	}
	value = sum_of(&body, 0);
	sum->bad = sum->bad || body.bad || body.at != body.end;
	return value;
}

static uint64_t sum_one(struct cuda_sum *sum)
{
	const struct cuda_token *token;
	const struct cuda_name *name;
	unsigned long long value;
	char digits[24], *end;

	if (sum->at >= sum->end || ++sum->depth > 64) {
		sum->bad = true;
		return 0;
	}
	token = &sum->source->tokens.list[sum->at++];
	if (cuda_lexer_is(token, "(")) {
		value = sum_of(sum, 0);
		if (sum->at < sum->end &&
		    cuda_lexer_is(&sum->source->tokens.list[sum->at], ")"))
			sum->at++;
		else
			sum->bad = true;
		return value;
	}
	name = cuda_words_find(&sum->source->names, token);
	if (name && name->bits & CUDA_NAME_MACRO)
		return sum_macro(sum, name);
	if (token->kind != CUDA_TOKEN_NUMBER || token->size >= sizeof(digits)) {
		sum->bad = true;
		return 0;
	}
	memcpy(digits, token->text, token->size);
	digits[token->size] = '\0';
	value = strtoull(digits, &end, 0);
	end += strspn(end, "uUlL");
	sum->bad = sum->bad || *end;
	return value;
}

/* Compute shifts (@level 0), sums (1) or products (2). */
static uint64_t sum_of(struct cuda_sum *sum, unsigned level)
{
	static const char *const ops[3][2] = { { "<<", ">>" },
					       { "+", "-" },
					       { "*", "/" } };
	uint64_t value = level < 2 ? sum_of(sum, level + 1) : sum_one(sum);
	uint64_t other;
	bool second;

	while (!sum->bad && sum->at < sum->end) {
		const struct cuda_token *token =
			&sum->source->tokens.list[sum->at];

		second = cuda_lexer_is(token, ops[level][1]);
		if (!second && !cuda_lexer_is(token, ops[level][0]))
			break;
		sum->at++;
		other = level < 2 ? sum_of(sum, level + 1) : sum_one(sum);
		if ((level == 0 && other > 31) ||
		    (level == 2 && second && !other))
			sum->bad = true;
		else if (level == 0)
			value = second ? value >> other : value << other;
		else if (level == 1)
			value = second ? value - other : value + other;
		else
			value = second ? value / other : value * other;
	}
	return value;
}

/* Read the three sizes after reqd_work_group_size; @open is its bracket. */
static void read_required(struct cuda_source *source, size_t open,
			  struct cuda_signature *signature)
{
	const size_t close = cuda_lexer_close(&source->tokens, open);
	struct cuda_sum sum = { source, open + 1, close, 0, false };
	int i;

	for (i = 0; i < 3; i++) {
		signature->required[i] = sum_of(&sum, 0);
		if (i < 2 && !is(source, sum.at++, ","))
			sum.bad = true;
		if (!signature->required[i] || signature->required[i] > 1024)
			sum.bad = true;
	}
	if (sum.bad || sum.at != close)
		cuda_signature_refuse(
			source, source->tokens.list[open].line,
			"reqd_work_group_size takes three numbers from 1 to "
			"1024, or macros that are defined once as such");
	signature->has_required = true;
}

/* Read an attribute; token @at may be its word `__attribute__`.  Returns the
   index of the token after the attribute, or @at if there is no attribute. */
static size_t read_attribute(struct cuda_source *source, size_t at,
			     struct cuda_signature *signature)
{
	size_t close, i;

	if (!is(source, at, "__attribute__") || !is(source, at + 1, "("))
		return at;
	close = cuda_lexer_close(&source->tokens, at + 1);
	if (close == source->tokens.n)
		return at;
	for (i = at + 2; i + 1 < close; i++)
		if ((is(source, i, "reqd_work_group_size") ||
		     is(source, i, "__reqd_work_group_size__")) &&
		    is(source, i + 1, "("))
			read_required(source, i + 1, signature);
	return close + 1;
}

/* Read the attributes that stand before the word `kernel`. */
static void read_before(struct cuda_source *source,
			struct cuda_signature *signature)
{
	size_t end = signature->kernel, at, depth;

	while (end && is(source, end - 1, ")")) {
		for (at = end - 1, depth = 0; at; at--) {
			depth += is(source, at, ")");
			if (is(source, at, "(") && !--depth)
				break;
		}
		if (!at || !is(source, at - 1, "__attribute__"))
			return;
		read_attribute(source, at - 1, signature);
		end = at - 1;
	}
}

/* Find the name and the brackets; false if this is not a declaration. */
static bool read_signature(struct cuda_source *source,
			   struct cuda_signature *signature)
{
	const struct cuda_token *list = source->tokens.list;
	size_t at = signature->kernel + 1, next;

	signature->plain = true;
	read_before(source, signature);
	for (; at < source->tokens.n; at++) {
		if (list[at].directive != list[signature->kernel].directive)
			return false;
		while ((next = read_attribute(source, at, signature)) != at)
			at = next;
		if (is(source, at, "##")) {
			signature->plain = false;
			continue;
		}
		if (at >= source->tokens.n || list[at].kind != CUDA_TOKEN_WORD)
			return false;
		if (is(source, at + 1, "("))
			break;
	}
	if (at >= source->tokens.n)
		return false;
	if (cuda_macros_is_parameter(&source->tokens, at))
		signature->plain = false;
	signature->name = at;
	signature->open = at + 1;
	signature->close = cuda_lexer_close(&source->tokens, at + 1);
	if (signature->close == source->tokens.n)
		return false;
	at = signature->close + 1;
	while ((next = read_attribute(source, at, signature)) != at)
		at = next;
	signature->after = at;
	return true;
}

/* --- Parameters ----------------------------------------------------------- */

/* The tokens of one parameter, and what they say. */
struct parameter {
	size_t from, to;
	size_t name, bracket;      /* indices, or `to` */
	bool star, starred, macro; /* starred: with a `*` */
	char space;
};

static void read_parameter(const struct cuda_source *source,
			   struct parameter *p)
{
	const struct cuda_token *list = source->tokens.list;
	bool sound = true;
	size_t i;
	char space;

	p->star = p->starred = p->macro = false;
	p->space = 0;
	p->name = p->bracket = p->to;
	for (i = p->from; i < p->to; i++) {
		const struct cuda_token *token = &list[i];

		if (cuda_lexer_is(token, "["))
			p->bracket = p->bracket == p->to ? i : p->bracket;
		p->starred = p->starred || cuda_lexer_is(token, "*");
		p->star = p->starred || p->bracket < p->to;
		/* A macro or a preprocessor line may change this parameter. */
		if (cuda_words_has(&source->names, token, CUDA_NAME_MACRO) ||
		    cuda_macros_is_parameter(&source->tokens, i) ||
		    cuda_lexer_is(token, "##") || cuda_lexer_is(token, "#"))
			p->macro = true;
		sound = sound && token->kind != CUDA_TOKEN_STRING;
		if (token->kind != CUDA_TOKEN_WORD)
			continue;
		space = cuda_words_space(token);
		if (space)
			p->space = space;
		else if (p->bracket == p->to)
			p->name = i;
	}
	/* No valid parameter has a string in it; the compiler will report the
	   error. */
	if (!sound)
		p->name = p->to;
}

/* Get the size in bytes of a value whose type is built into the language; 0 if
   the type is declared in the source.  Returns false if the type is not
   known. */
static bool value_size(const struct cuda_source *source,
		       const struct parameter *p, uint64_t *size)
{
	struct cuda_word_type type;
	unsigned found = 0;
	bool is_int = false, known = false;
	size_t i;

	for (i = p->from; i < p->name; i++) {
		const struct cuda_token *token = &source->tokens.list[i];

		if (cuda_lexer_is(token, "struct") ||
		    cuda_lexer_is(token, "union") ||
		    cuda_lexer_is(token, "enum") ||
		    cuda_words_has(&source->names, token, CUDA_NAME_TYPEDEF)) {
			*size = 0;
			return true;
		}
		if (cuda_lexer_is(token, "unsigned") ||
		    cuda_lexer_is(token, "signed") ||
		    cuda_lexer_is(token, "int")) {
			is_int = true;
		} else if (cuda_words_type(token->text, token->size, &type)) {
			found = type.size * (type.lanes == 3 ? 4 : type.lanes);
			known = true;
		}
	}
	*size = known ? found : 4;
	return known || is_int;
}

static dprp_param param_of(const struct cuda_source *source,
			   const struct parameter *p)
{
	dprp_param param = { DPRP_ARG_UNKNOWN, 0, 0 };
	uint64_t size;

	if (p->star && p->space == 'l' && p->name < p->to) {
		param.kind = DPRP_ARG_LOCAL;
	} else if (p->macro) {
		param.kind = DPRP_ARG_UNKNOWN;
	} else if (p->star && (p->space == 'g' || p->space == 'c')) {
		param.kind = DPRP_ARG_MEM;
		param.size = 8;
	} else if (!p->star && (!p->space || p->space == 'p') &&
		   value_size(source, p, &size)) {
		param.kind = DPRP_ARG_VALUE;
		param.size = size;
	}
	return param;
}

/* Find the end of the parameter that begins at @from: a comma or @close. */
static size_t parameter_end(const struct cuda_source *source, size_t from,
			    size_t close)
{
	size_t i;

	for (i = from; i < close && !is(source, i, ","); i++)
		if (is(source, i, "(") || is(source, i, "["))
			i = cuda_lexer_close(&source->tokens, i);
	return i < close ? i : close;
}

/* Replace a pointer to local memory by an offset; the kernel's body then
   declares the pointer. */
static void hide_local(struct cuda_source *source, const struct parameter *p,
		       uint32_t index, struct cuda_text *body)
{
	struct cuda_token *list = source->tokens.list;
	size_t i;

	for (i = p->from; i < (p->starred ? p->to : p->bracket); i++) {
		cuda_text_add(body, " ", 1);
		if (i == p->name && !p->starred)
			cuda_text_add(body, "*", 1);
		cuda_lexer_write(&source->tokens, i, i + 1, body);
	}
	cuda_text_format(body, " = dpr_local{ dpr_at_%u };", index);
	for (i = p->from; i < p->to; i++)
		cuda_lexer_drop(&source->strings, &list[i]);
	list[p->from].to = cuda_strings_format(&source->strings,
					       "unsigned dpr_at_%u", index);
}

/* Read the parameters into @params, and the declarations for the beginning of
   the kernel's body into @body.  Returns the number of parameters. */
static uint32_t read_params(struct cuda_source *source,
			    const struct cuda_signature *signature,
			    dprp_param *params, bool *certain,
			    struct cuda_text *body)
{
	const bool has_body = is(source, signature->after, "{");
	struct parameter p;
	uint32_t n = 0;

	*certain = true;
	p.from = signature->open + 1;
	if (p.from == signature->close ||
	    (p.from + 1 == signature->close && is(source, p.from, "void")))
		return 0;
	for (; n < MAX_PARAMS; p.from = p.to + 1) {
		p.to = parameter_end(source, p.from, signature->close);
		read_parameter(source, &p);
		params[n] = param_of(source, &p);
		*certain = *certain && !p.macro;
		/* A single word may be a macro that stands for any number of
		   parameters. */
		if (p.from + 1 >= p.to)
			*certain = false;
		if (params[n].kind == DPRP_ARG_LOCAL &&
		    (has_body || is(source, signature->after, ";")))
			hide_local(source, &p, n, body);
		else if (params[n].kind == DPRP_ARG_LOCAL)
			params[n].kind = DPRP_ARG_UNKNOWN;
		n++;
		if (p.to >= signature->close)
			break;
	}
	return n;
}

/* --- The table ------------------------------------------------------------ */

/* Add a kernel to the table.  If it was declared before, keep only what both
   declarations have in common. */
static void enter(struct cuda_source *source, const char *name, size_t size,
		  const struct cuda_signature *signature,
		  const dprp_param *params, uint32_t n, bool certain)
{
	struct cuda_table_kernel *kernel =
		cuda_table_find(source->table, name, size);
	uint32_t i;

	if (!kernel) {
		kernel = cuda_table_add(source->table, name, size);
		if (!kernel ||
		    !cuda_table_params(source->table, kernel, params, n))
			return;
		kernel->certain = certain;
	} else {
		kernel->certain =
			kernel->certain && certain && kernel->n_params == n;
		kernel->known = kernel->known && kernel->n_params == n;
		for (i = 0; i < n && kernel->known; i++) {
			if (kernel->params[i].kind != params[i].kind)
				kernel->params[i].kind = DPRP_ARG_UNKNOWN;
			if (kernel->params[i].size != params[i].size)
				kernel->params[i].size = 0;
		}
	}
	if (signature->has_required)
		memcpy(kernel->required, signature->required,
		       sizeof(kernel->required));
}

/* Add the kernels that the uses of a macro make of one declaration.  A use that
   is not seen makes a kernel without an entry in the table. */
static void enter_made(struct cuda_source *source,
		       const struct cuda_signature *signature,
		       const dprp_param *params, uint32_t n)
{
	struct cuda_text name = { .host = source->strings.host };
	size_t use = 0;

	while (cuda_macros_name(&source->names, &source->tokens,
				signature->name, &use, &name))
		if (name.size && !name.failed)
			enter(source, name.bytes, name.size, signature, params,
			      n, false);
	source->strings.failed = source->strings.failed || name.failed;
	cuda_text_free(&name);
}

/* Insert declarations at the beginning of the body. */
static void begin_body(struct cuda_source *source,
		       const struct cuda_signature *signature,
		       const struct cuda_text *body)
{
	struct cuda_token *list = source->tokens.list;

	if (body->size && is(source, signature->after, "{"))
		list[signature->after].to = cuda_strings_format(
			&source->strings, "{%s", body->bytes);
}

void cuda_signature_kernel(struct cuda_source *source, size_t at)
{
	struct cuda_token *list = source->tokens.list;
	struct cuda_signature signature = { .kernel = at };
	struct cuda_text body = { .host = source->strings.host };
	dprp_param *params;
	bool certain;
	uint32_t n;

	list[at].to = "extern \"C\" __global__";
	if (!read_signature(source, &signature))
		return;
	if (signature.has_required) {
		list[at].to = cuda_strings_format(
			&source->strings,
			"extern \"C\" __global__ __launch_bounds__(%llu)",
			(unsigned long long)signature.required[0] *
				signature.required[1] * signature.required[2]);
		if (!signature.plain)
			cuda_signature_refuse(
				source, list[at].line,
				"reqd_work_group_size cannot be used with a "
				"kernel whose name is made by a macro");
	}
	params = dprh_alloc(source->strings.host, MAX_PARAMS, sizeof(*params));
	if (!params) {
		source->strings.failed = true;
		return;
	}
	n = read_params(source, &signature, params, &certain, &body);
	begin_body(source, &signature, &body);
	if (signature.plain)
		enter(source, list[signature.name].text,
		      list[signature.name].size, &signature, params, n,
		      certain);
	else
		enter_made(source, &signature, params, n);
	source->strings.failed = source->strings.failed || body.failed;
	cuda_text_free(&body);
	dprh_free(source->strings.host, params);
}
