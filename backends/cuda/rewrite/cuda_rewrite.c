/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_rewrite.c - OpenCL C 1.2 as CUDA C++, for NVRTC. */
#include "cuda_rewrite.h"

#include <string.h>

#include "cuda_macros.h"
#include "cuda_prelude.h"
#include "cuda_signature.h"

/* The depth of brackets around a token.  Each preprocessor line counts its
   own. */
struct depth {
	size_t round;
	uint32_t directive;
	size_t outside; /* the depth around the preprocessor line */
};

static struct cuda_token *token_at(struct cuda_source *source, size_t at)
{
	return &source->tokens.list[at];
}

/* Whether token @at is @text, in the same preprocessor line as @like. */
static bool follows(const struct cuda_source *source, size_t like, size_t at,
		    const char *text)
{
	return at < source->tokens.n &&
	       source->tokens.list[at].directive ==
		       source->tokens.list[like].directive &&
	       cuda_lexer_is(&source->tokens.list[at], text);
}

/* --- Address spaces ------------------------------------------------------- */

/* The first character after a declaration's words: '*', '(', or what follows
   the name.  '\0': there is none. */
static char after_words(const struct cuda_source *source, size_t at)
{
	const struct cuda_token *list = source->tokens.list;
	const uint32_t directive = list[at].directive;
	size_t i;

	for (i = at + 1; i < source->tokens.n; i++) {
		if (list[i].directive != directive)
			return '\0';
		if (cuda_lexer_is(&list[i], "__attribute__") &&
		    follows(source, at, i + 1, "("))
			i = cuda_lexer_close(&source->tokens, i + 1);
		/* Skip a structure that is defined in the declaration. */
		else if (cuda_lexer_is(&list[i], "{") && i > at + 1 &&
			 (cuda_lexer_is(&list[i - 1], "struct") ||
			  cuda_lexer_is(&list[i - 2], "struct")))
			i = cuda_lexer_close(&source->tokens, i);
		else if (list[i].kind != CUDA_TOKEN_WORD &&
			 !cuda_lexer_is(&list[i], "##"))
			return *list[i].text;
	}
	return '\0';
}

/* Whether `const` is among the words around token @at. */
static bool is_const(const struct cuda_source *source, size_t at)
{
	const struct cuda_token *list = source->tokens.list;
	size_t i;

	for (i = at; i-- > 0 && list[i].kind == CUDA_TOKEN_WORD &&
		     list[i].directive == list[at].directive;)
		if (cuda_lexer_is(&list[i], "const"))
			return true;
	for (i = at + 1;
	     i < source->tokens.n && list[i].kind == CUDA_TOKEN_WORD &&
	     list[i].directive == list[at].directive;
	     i++)
		if (cuda_lexer_is(&list[i], "const"))
			return true;
	return false;
}

/* The CUDA C++ words for a word that names an address space. */
static const char *space_word(const struct cuda_source *source, size_t at,
			      char space, const struct depth *depth)
{
	const char next = after_words(source, at);
	const bool has_const = space == 'c' && is_const(source, at);

	if (space == 'l' && !depth->round && next && strchr(";[=,", next))
		return "__shared__";
	if (space != 'c')
		return "";
	if (!depth->round && (next == '[' || next == '='))
		return has_const ? "__constant__" : "__constant__ const";
	return has_const ? "" : "const";
}

/* --- Types and conversions ------------------------------------------------ */

/* The CUDA C++ for a word convert_T[_sat][_rt?]; NULL if it is not such a
   word. */
static const char *convert_word(struct cuda_source *source,
				const struct cuda_token *token)
{
	static const char modes[][5] = { "_rte", "_rtz", "_rtp", "_rtn" };
	const char *word = token->text + 8;
	struct cuda_word_type type;
	size_t size = token->size;
	unsigned mode = 0, i;
	bool sat = false;

	if (size < 9 || memcmp(token->text, "convert_", 8) != 0)
		return NULL;
	size -= 8;
	for (i = 0; i < 4; i++)
		if (size > 4 && memcmp(word + size - 4, modes[i], 4) == 0)
			mode = i + 1;
	size -= mode ? 4 : 0;
	if (size > 4 && memcmp(word + size - 4, "_sat", 4) == 0) {
		sat = true;
		size -= 4;
	}
	if (!cuda_words_type(word, size, &type))
		return NULL;
	return cuda_strings_format(&source->strings,
				   "dpr_convert<%.*s, %d, %u>", (int)size, word,
				   sat, mode);
}

/* Whether the preprocessor pastes token @at to the token before or after it. */
static bool is_pasted(const struct cuda_source *source, size_t at)
{
	return (at && follows(source, at, at - 1, "##")) ||
	       follows(source, at, at + 1, "##");
}

/* Whether the bracket at @open may begin a cast: the token before it is neither
   a function's name nor the name of a macro with parameters. */
static bool may_cast(const struct cuda_source *source, size_t open)
{
	static const char *const words[] = { "return", "else", "case", "do",
					     "sizeof" };
	const struct cuda_token *list = source->tokens.list, *before;
	size_t i;

	if (!open || list[open - 1].directive != list[open].directive)
		return true;
	before = &list[open - 1];
	if (before->kind != CUDA_TOKEN_WORD)
		return true;
	for (i = 0; i + 1 < sizeof(words) / sizeof(words[0]); i++)
		if (cuda_lexer_is(before, words[i]))
			return true;
	/* In "#define NAME (float4)(0)" the blank makes (float4)(0) a cast. */
	return before->directive && list[open].space_size && open >= 3 &&
	       cuda_lexer_is(&list[open - 2], "define") &&
	       cuda_lexer_is(&list[open - 3], "#");
}

/* Find the opening bracket of the cast whose type ends with token @at; *@first
   is the type's first token.  Returns @at if this is not a cast. */
static size_t cast_open(const struct cuda_source *source, size_t at,
			size_t *first, bool *tag)
{
	size_t open;

	*first = at;
	while (*first > 1 && follows(source, at, *first - 1, "##"))
		*first -= 2;
	*tag = false;
	if (!*first || !follows(source, at, at + 1, ")"))
		return at;
	for (open = *first - 1; open; open--) {
		if (follows(source, at, open, "struct") ||
		    follows(source, at, open, "union"))
			*tag = true;
		else if (!follows(source, at, open, "const"))
			break;
	}
	return follows(source, at, open, "(") && may_cast(source, open) ? open
									: at;
}

/* Rewrite the cast whose type ends with token @at, if there is one.  For a
   vector, (T)(...) becomes the call of a function, and (T){...} loses its
   parentheses. */
static void cast(struct cuda_source *source, size_t at, bool vector)
{
	struct cuda_token *token = token_at(source, at), *begin;
	struct cuda_word_type type;
	size_t first, open, i;
	bool tag;

	open = cast_open(source, at, &first, &tag);
	if (open == at)
		return;
	begin = token_at(source, first);
	vector = vector || (first < at &&
			    cuda_words_type(begin->text, begin->size, &type));
	if (follows(source, at, at + 2, "(") && vector) {
		token->to = cuda_strings_format(&source->strings, "%.*s>",
						(int)token->size, token->text);
		begin->to = cuda_strings_format(
			&source->strings, "dpr_make<%.*s%s", (int)begin->size,
			begin->text, first == at ? ">" : "");
	} else if (follows(source, at, at + 2, "{") && first == at &&
		   (vector || tag ||
		    cuda_words_has(&source->names, token, CUDA_NAME_TYPEDEF)) &&
		   (!open || !follows(source, at, open - 1, ")"))) {
		for (i = open + 1; i < at; i++)
			token_at(source, i)->to = "";
	} else {
		return;
	}
	token_at(source, open)->to = "";
	token_at(source, at + 1)->to = "";
}

/* --- Components ----------------------------------------------------------- */

/* Whether the code after token @at changes the value. */
static bool is_changed(const struct cuda_source *source, size_t at)
{
	static const char *const ops[] = { "=",  "+=", "-=", "*=",  "/=", "%=",
					   "&=", "|=", "^=", "<<=", ">>=" };
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (follows(source, at, at + 1, ops[i]))
			return true;
	return false;
}

/* The CUDA C++ for the word after a dot or an arrow. */
static const char *component(struct cuda_source *source, size_t at)
{
	static const struct {
		const char *name, *arguments;
	} halves[] = { { "lo", "0, 1" },
		       { "hi", "2, 1" },
		       { "even", "0, 2" },
		       { "odd", "1, 2" } };
	const struct cuda_token *token = token_at(source, at);
	const bool changed = is_changed(source, at);
	struct cuda_text text = { .host = source->strings.host };
	const char *result;
	unsigned lanes[16], n, i;

	if (cuda_words_has(&source->names, token, CUDA_NAME_MEMBER))
		return NULL;
	for (i = 0; i < 4; i++)
		if (cuda_lexer_is(token, halves[i].name))
			return cuda_strings_format(
				&source->strings, "dpr_half%s<%s>()",
				changed ? "_put" : "", halves[i].arguments);
	n = cuda_words_lanes(token, lanes);
	if (!n)
		return NULL;
	for (i = 0; i < n; i++)
		cuda_text_format(&text, "%s%u", i ? ", " : "", lanes[i]);
	result = text.failed
			 ? NULL
			 : cuda_strings_format(&source->strings, "dpr_%s<%s>()",
					       n == 1    ? "c"
					       : changed ? "put"
							 : "get",
					       text.bytes);
	source->strings.failed = source->strings.failed || text.failed;
	cuda_text_free(&text);
	return result;
}

/* --- Preprocessor lines and attributes ------------------------------------ */

/* Make the line of a #pragma OPENCL empty. */
static void pragma(struct cuda_source *source, size_t at)
{
	const uint32_t directive = token_at(source, at)->directive;
	size_t i;

	if (!follows(source, at, at + 1, "pragma") ||
	    !follows(source, at, at + 2, "OPENCL"))
		return;
	if (follows(source, at, at + 3, "FP_CONTRACT") &&
	    follows(source, at, at + 4, "OFF"))
		source->loose_sum = false;
	for (i = at; i < source->tokens.n &&
		     token_at(source, i)->directive == directive;
	     i++)
		cuda_lexer_drop(&source->strings, token_at(source, i));
}

/* Whether a preprocessor line has text that is not C.  Its first word tells. */
static bool is_foreign(const struct cuda_source *source, size_t at)
{
	static const char *const words[] = { "include", "error", "warning",
					     "line", "pragma" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (follows(source, at, at + 1, words[i]))
			return true;
	return false;
}

/* Remove an attribute that only OpenCL has. */
static void attribute(struct cuda_source *source, size_t at)
{
	static const char *const words[] = { "reqd_work_group_size",
					     "__reqd_work_group_size__",
					     "work_group_size_hint",
					     "__work_group_size_hint__",
					     "vec_type_hint",
					     "__vec_type_hint__",
					     "opencl_unroll_hint",
					     "nosvm",
					     "endian" };
	size_t close, i;

	if (!follows(source, at, at + 1, "(") ||
	    !follows(source, at, at + 2, "("))
		return;
	close = cuda_lexer_close(&source->tokens, at + 1);
	if (close == source->tokens.n)
		return;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (follows(source, at, at + 3, words[i]))
			break;
	if (i == sizeof(words) / sizeof(words[0]))
		return;
	for (i = at; i <= close; i++)
		cuda_lexer_drop(&source->strings, token_at(source, i));
}

/* --- All words ------------------------------------------------------------ */

static bool is_kernel(const struct cuda_token *token)
{
	return cuda_lexer_is(token, "kernel") ||
	       cuda_lexer_is(token, "__kernel");
}

/* The spelling in CUDA C++ of a word that is replaced wherever it is used;
   NULL: no replacement. */
static const char *plain_word(struct cuda_source *source,
			      const struct cuda_token *token)
{
	static const char *const pairs[][2] = {
		{ "restrict", "__restrict__" },
		{ "register", "" },
		{ "_Bool", "bool" },
	};
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (cuda_lexer_is(token, pairs[i][0]))
			return pairs[i][1];
	if (cuda_words_reserved(token))
		return cuda_strings_format(&source->strings, "%.*s_",
					   (int)token->size, token->text);
	return convert_word(source, token);
}

static void word(struct cuda_source *source, size_t at,
		 const struct depth *depth)
{
	struct cuda_token *token = token_at(source, at);
	const char space = cuda_words_space(token);
	struct cuda_word_type type;
	bool vector;

	if (token->to || is_kernel(token))
		return;
	if (at && (follows(source, at, at - 1, ".") ||
		   follows(source, at, at - 1, "->"))) {
		token->to = component(source, at);
		if (!token->to && cuda_words_reserved(token))
			token->to = plain_word(source, token);
		return;
	}
	if (cuda_lexer_is(token, "__attribute__")) {
		attribute(source, at);
		return;
	}
	if (cuda_words_image(token) && !source->image)
		source->image = token->line - source->lines_before;
	if (space) {
		token->to = space_word(source, at, space, depth);
		return;
	}
	if (!is_pasted(source, at))
		token->to = plain_word(source, token);
	vector = (cuda_words_type(token->text, token->size, &type) &&
		  type.lanes > 1) ||
		 cuda_words_has(&source->names, token, CUDA_NAME_VECTOR);
	cast(source, at, vector);
}

/* Turn 1.0 into 1.0f if the options ask for that. */
static void number(struct cuda_source *source, struct cuda_token *token)
{
	const char *text = token->text;
	const bool hex = token->size > 1 && (text[1] == 'x' || text[1] == 'X');
	const char last = text[token->size - 1];
	const char *marks = hex ? "pP" : ".eE";
	size_t i;

	if ((last < '0' || last > '9') && last != '.')
		return;
	for (i = 0; i < token->size; i++)
		if (strchr(marks, text[i])) {
			token->to =
				cuda_strings_format(&source->strings, "%.*sf",
						    (int)token->size, text);
			return;
		}
}

static void count(struct depth *depth, const struct cuda_token *token)
{
	if (token->directive != depth->directive) {
		if (!depth->directive)
			depth->outside = depth->round;
		depth->round = token->directive ? 0 : depth->outside;
		depth->directive = token->directive;
	}
	if (cuda_lexer_is(token, "("))
		depth->round++;
	else if (cuda_lexer_is(token, ")") && depth->round)
		depth->round--;
}

static void rewrite_words(struct cuda_source *source)
{
	struct depth depth = { 0, 0, 0 };
	uint32_t foreign = 0;
	size_t i;

	for (i = 0; i < source->tokens.n && !source->strings.failed; i++) {
		struct cuda_token *token = token_at(source, i);

		count(&depth, token);
		if (token->directive && cuda_lexer_is(token, "#") &&
		    (!i ||
		     token_at(source, i - 1)->directive != token->directive)) {
			pragma(source, i);
			foreign = is_foreign(source, i) ? token->directive : 0;
		}
		if (token->directive && token->directive == foreign)
			continue;
		if (token->kind == CUDA_TOKEN_WORD)
			word(source, i, &depth);
		else if (token->kind == CUDA_TOKEN_NUMBER && source->single)
			number(source, token);
	}
	for (i = 0; i < source->tokens.n && !source->strings.failed; i++)
		if (is_kernel(token_at(source, i)) && !token_at(source, i)->to)
			cuda_signature_kernel(source, i);
}

/* Write the text before the source.  #line directives keep the source's own
   line numbers. */
static void head(struct cuda_rewrite *rewrite)
{
	struct cuda_text *out = &rewrite->text;

	cuda_text_format(out, "#line 1 \"<prelude>\"\n");
	cuda_text_add(out, cuda_prelude, strlen(cuda_prelude));
	cuda_text_format(out, "#define __OPENCL_C_VERSION__ %u\n",
			 rewrite->options.version);
	if (rewrite->options.fast)
		cuda_text_format(out, "#define __FAST_RELAXED_MATH__ 1\n");
	cuda_text_format(out, "namespace dpr_cl { namespace dpr_user {\n");
}

/* Split the text into tokens, and collect the names that it declares. */
static bool read_names(struct cuda_source *source, const struct cuda_text *text)
{
	source->names = (struct cuda_names){ .strings = &source->strings };
	if (text->failed || !cuda_lexer_split(&source->strings, text->bytes,
					      text->size, &source->tokens))
		return false;
	cuda_words_collect(&source->names, &source->tokens);
	return !source->strings.failed;
}

/* Rewrite the text.  @expanded gets a text that must live as long as the
   tokens. */
static dprp_rc make(struct cuda_rewrite *rewrite, struct cuda_source *source,
		    const struct cuda_text *joined, struct cuda_text *expanded)
{
	bool read = read_names(source, joined);

	if (read && cuda_macros_expand(&source->strings, &source->names,
				       &source->tokens)) {
		cuda_lexer_write(&source->tokens, 0, source->tokens.n + 1,
				 expanded);
		read = read_names(source, expanded);
	}
	if (!read)
		return DPR_RC_OOM_HOST;
	rewrite_words(source);
	if (source->strings.failed || rewrite->table.strings.failed)
		return DPR_RC_OOM_HOST;
	if (source->refused)
		return DPR_RC_INVALID;
	rewrite->contract = source->loose_sum;
	rewrite->image_line = source->image;
	head(rewrite);
	cuda_lexer_write(&source->tokens, 0, source->tokens.n + 1,
			 &rewrite->text);
	cuda_text_format(&rewrite->text, "\n}}\n");
	return rewrite->text.failed ? DPR_RC_OOM_HOST : DPR_RC_OK;
}

/* Write the macros of the options and then the source as one text. */
static void join(struct cuda_rewrite *rewrite, struct cuda_source *source,
		 const char *text, size_t size, struct cuda_text *out)
{
	size_t i;

	cuda_text_format(out, "#line 1 \"<options>\"\n");
	cuda_text_add(out, rewrite->options.defines.bytes,
		      rewrite->options.defines.size);
	cuda_text_format(out, "#line 1 \"<source>\"\n");
	for (i = 0; i < out->size; i++)
		source->lines_before += out->bytes[i] == '\n';
	cuda_text_add(out, text, size);
	cuda_text_add(out, "\n", 1);
}

dprp_rc cuda_rewrite_source(struct cuda_rewrite *rewrite, const dprp_host *host,
			    const char *text, size_t size, const char *options)
{
	struct cuda_text joined = { .host = host }, expanded = joined;
	struct cuda_source source;
	dprp_rc rc;

	memset(rewrite, 0, sizeof(*rewrite));
	memset(&source, 0, sizeof(source));
	rewrite->text.host = rewrite->log.host = rewrite->strings.host = host;
	rewrite->table.strings.host = source.strings.host = host;
	rewrite->options.defines.host = host;
	rewrite->table.locals = true;
	source.table = &rewrite->table;
	source.log = &rewrite->log;
	source.loose_sum = true;
	if (!cuda_options_read(&rewrite->strings, options, &rewrite->log,
			       &rewrite->options))
		return rewrite->log.failed || rewrite->strings.failed ||
				       rewrite->options.defines.failed
			       ? DPR_RC_OOM_HOST
			       : DPR_RC_INVALID;
	source.single = rewrite->options.single;
	while (size && !text[size - 1])
		size--;
	if (memchr(text, 0, size)) {
		cuda_text_format(&rewrite->log,
				 "error: the source has a zero byte in it\n");
		return DPR_RC_INVALID;
	}
	join(rewrite, &source, text, size, &joined);
	rc = make(rewrite, &source, &joined, &expanded);
	cuda_text_free(&joined);
	cuda_text_free(&expanded);
	cuda_strings_free(&source.strings);
	return rc;
}

void cuda_rewrite_free(struct cuda_rewrite *rewrite)
{
	cuda_text_free(&rewrite->text);
	cuda_text_free(&rewrite->log);
	cuda_text_free(&rewrite->options.defines);
	cuda_table_free(&rewrite->table);
	cuda_strings_free(&rewrite->strings);
}
