/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_words.c - the words of OpenCL C, and the names that a source declares.
 */
#include "cuda_words.h"

#include <string.h>

bool cuda_words_type(const char *word, size_t size, struct cuda_word_type *type)
{
	static const struct cuda_word_type scalars[] = {
		{ "char", 1, 1 },     { "uchar", 1, 1 },
		{ "short", 2, 1 },    { "ushort", 2, 1 },
		{ "int", 4, 1 },      { "uint", 4, 1 },
		{ "long", 8, 1 },     { "ulong", 8, 1 },
		{ "float", 4, 1 },    { "double", 8, 1 },
		{ "half", 2, 1 },     { "size_t", 8, 1 },
		{ "bool", 1, 1 },     { "ptrdiff_t", 8, 1 },
		{ "intptr_t", 8, 1 }, { "uintptr_t", 8, 1 },
	};
	static const char lanes[][3] = { "2", "3", "4", "8", "16" };
	size_t i, j, length;

	for (i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
		length = strlen(scalars[i].scalar);
		if (size < length ||
		    memcmp(word, scalars[i].scalar, length) != 0)
			continue;
		*type = scalars[i];
		if (size == length)
			return true;
		for (j = 0; j < sizeof(lanes) / sizeof(lanes[0]) && i < 10;
		     j++) {
			if (size - length != strlen(lanes[j]) ||
			    memcmp(word + length, lanes[j], size - length) != 0)
				continue;
			type->lanes = j < 3 ? (unsigned)j + 2 : j == 3 ? 8 : 16;
			return true;
		}
	}
	return false;
}

static bool among(const struct cuda_token *token, const char *const *words,
		  size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (cuda_lexer_is(token, words[i]))
			return true;
	return false;
}
#define AMONG(token, words) \
	among((token), (words), sizeof(words) / sizeof((words)[0]))

bool cuda_words_reserved(const struct cuda_token *token)
{
	static const char *const words[] = {
		"alignas",
		"alignof",
		"and",
		"and_eq",
		"bitand",
		"bitor",
		"catch",
		"char16_t",
		"char32_t",
		"char8_t",
		"class",
		"co_await",
		"co_return",
		"co_yield",
		"compl",
		"concept",
		"const_cast",
		"consteval",
		"constexpr",
		"constinit",
		"decltype",
		"delete",
		"dynamic_cast",
		"explicit",
		"export",
		"friend",
		"mutable",
		"namespace",
		"new",
		"noexcept",
		"not",
		"not_eq",
		"nullptr",
		"operator",
		"or",
		"or_eq",
		"protected",
		"public",
		"reinterpret_cast",
		"requires",
		"static_assert",
		"static_cast",
		"template",
		"this",
		"thread_local",
		"throw",
		"try",
		"typeid",
		"typename",
		"using",
		"virtual",
		"wchar_t",
		"xor",
		"xor_eq",
	};

	return AMONG(token, words);
}

bool cuda_words_image(const struct cuda_token *token)
{
	static const char *const words[] = {
		"image1d_t",    "image1d_array_t", "image1d_buffer_t",
		"image2d_t",    "image2d_array_t", "image3d_t",
		"sampler_t",    "read_only",       "__read_only",
		"write_only",   "__write_only",    "read_write",
		"__read_write",
	};

	return AMONG(token, words);
}

char cuda_words_space(const struct cuda_token *token)
{
	static const char *const words[] = { "global",   "__global",
					     "constant", "__constant",
					     "local",    "__local",
					     "private",  "__private" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (cuda_lexer_is(token, words[i]))
			return "gclp"[i / 2];
	return 0;
}

unsigned cuda_words_lanes(const struct cuda_token *token, unsigned lanes[16])
{
	static const char letters[] = "xyzw", digits[] = "0123456789abcdef";
	const bool numbered = *token->text == 's' || *token->text == 'S';
	const size_t n = token->size - numbered;
	const char *found;
	size_t i;
	char c;

	if (token->kind != CUDA_TOKEN_WORD || !n || n > 16 ||
	    (n > 4 && n != 8 && n != 16) || (!numbered && (n == 1 || n > 4)))
		return 0;
	for (i = 0; i < n; i++) {
		c = token->text[i + numbered];
		if (numbered && c >= 'A' && c <= 'F')
			c = (char)(c - 'A' + 'a');
		found = strchr(numbered ? digits : letters, c);
		if (!c || !found)
			return 0;
		lanes[i] = (unsigned)(found - (numbered ? digits : letters));
	}
	return (unsigned)n;
}

/* --- Names ---------------------------------------------------------------- */

/* The place of a name in the table: its entry, or the empty one where it
   belongs. */
static struct cuda_name *slot(const struct cuda_names *names, const char *text,
			      size_t size)
{
	size_t hash = 5381, i;

	for (i = 0; i < size; i++)
		hash = hash * 33 ^ (unsigned char)text[i];
	for (i = hash & (names->room - 1);; i = (i + 1) & (names->room - 1)) {
		struct cuda_name *name = &names->list[i];

		if (!name->text ||
		    (name->size == size && memcmp(name->text, text, size) == 0))
			return name;
	}
}

static bool grow(struct cuda_names *names)
{
	struct cuda_names more = *names;
	size_t i;

	if (names->n * 2 < names->room)
		return true;
	more.room = names->room ? names->room * 2 : 64;
	more.list = cuda_strings_get(names->strings,
				     more.room * sizeof(*more.list));
	if (!more.list)
		return false;
	memset(more.list, 0, more.room * sizeof(*more.list));
	for (i = 0; i < names->room; i++)
		if (names->list[i].text)
			*slot(&more, names->list[i].text, names->list[i].size) =
				names->list[i];
	*names = more;
	return true;
}

/* Add the bits @bits to what is known of a name; NULL if memory runs out. */
static struct cuda_name *add(struct cuda_names *names,
			     const struct cuda_token *token, unsigned bits)
{
	struct cuda_name *name;

	if (!grow(names))
		return NULL;
	name = slot(names, token->text, token->size);
	if (!name->text) {
		name->text = token->text;
		name->size = token->size;
		names->n++;
	}
	name->bits |= bits;
	return name;
}

const struct cuda_name *cuda_words_find(const struct cuda_names *names,
					const struct cuda_token *token)
{
	const struct cuda_name *name;

	if (!names->room || token->kind != CUDA_TOKEN_WORD)
		return NULL;
	name = slot(names, token->text, token->size);
	return name->text ? name : NULL;
}

bool cuda_words_has(const struct cuda_names *names,
		    const struct cuda_token *token, unsigned bits)
{
	const struct cuda_name *name = cuda_words_find(names, token);

	return name && name->bits & bits;
}

static bool is_vector(const struct cuda_names *names,
		      const struct cuda_token *token)
{
	struct cuda_word_type type;

	return token->kind == CUDA_TOKEN_WORD &&
	       ((cuda_words_type(token->text, token->size, &type) &&
		 type.lanes > 1) ||
		cuda_words_has(names, token, CUDA_NAME_VECTOR));
}

/* Collect the name of "#define NAME ..." or "#undef NAME"; @i is the #. */
static void collect_macro(struct cuda_names *names,
			  const struct cuda_tokens *tokens, size_t i)
{
	const struct cuda_token *list = tokens->list;
	const uint32_t directive = list[i].directive;
	struct cuda_name *name;
	size_t end = i + 3;

	if (tokens->n < i + 3 || list[i + 2].directive != directive)
		return;
	if (cuda_lexer_is(&list[i + 1], "undef") &&
	    cuda_words_has(names, &list[i + 2], CUDA_NAME_MACRO))
		add(names, &list[i + 2], CUDA_NAME_REMOVED);
	if (!cuda_lexer_is(&list[i + 1], "define"))
		return;
	name = add(names, &list[i + 2], 0);
	if (!name)
		return;
	if (name->bits & CUDA_NAME_MACRO)
		name->bits |= CUDA_NAME_TWICE;
	name->bits |= CUDA_NAME_MACRO;
	while (end < tokens->n && list[end].directive == directive)
		end++;
	name->body = i + 3;
	name->end = end;
	if (end == i + 4 && is_vector(names, &list[i + 3]))
		name->bits |= CUDA_NAME_VECTOR;
}

/* Collect the name of "typedef ... NAME"; @i is the word typedef. */
static void collect_typedef(struct cuda_names *names,
			    const struct cuda_tokens *tokens, size_t i)
{
	const struct cuda_token *list = tokens->list;
	const struct cuda_token *last = NULL;
	bool vector = false, pointer = false;

	for (i++; i < tokens->n && !cuda_lexer_is(&list[i], ";"); i++) {
		if (cuda_lexer_is(&list[i], "{") ||
		    cuda_lexer_is(&list[i], "(")) {
			if (cuda_lexer_is(&list[i], "(") &&
			    !cuda_lexer_is(&list[i - 1], "__attribute__") &&
			    i + 1 < tokens->n &&
			    cuda_lexer_is(&list[i + 1], "*"))
				return;
			i = cuda_lexer_close(tokens, i);
			continue;
		}
		pointer = pointer || cuda_lexer_is(&list[i], "*") ||
			  cuda_lexer_is(&list[i], "[");
		if (list[i].kind != CUDA_TOKEN_WORD ||
		    cuda_lexer_is(&list[i], "__attribute__"))
			continue;
		vector = vector || is_vector(names, &list[i]);
		if (!cuda_lexer_is(&list[i - 1], "["))
			last = &list[i];
	}
	if (last)
		add(names, last,
		    pointer  ? CUDA_NAME_POINTER
		    : vector ? CUDA_NAME_VECTOR | CUDA_NAME_TYPEDEF
			     : CUDA_NAME_TYPEDEF);
}

/* Collect the members of a struct or union; @i is that word. */
static void collect_members(struct cuda_names *names,
			    const struct cuda_tokens *tokens, size_t i)
{
	const struct cuda_token *list = tokens->list;
	size_t end;

	i++;
	while (i < tokens->n && (list[i].kind == CUDA_TOKEN_WORD ||
				 cuda_lexer_is(&list[i], "("))) {
		if (cuda_lexer_is(&list[i], "("))
			i = cuda_lexer_close(tokens, i);
		if (i < tokens->n)
			i++;
	}
	if (i >= tokens->n || !cuda_lexer_is(&list[i], "{"))
		return;
	end = cuda_lexer_close(tokens, i);
	for (; i + 1 < end; i++)
		if (list[i].kind == CUDA_TOKEN_WORD &&
		    list[i + 1].kind == CUDA_TOKEN_PUNCT &&
		    strchr(";,[:", *list[i + 1].text))
			add(names, &list[i], CUDA_NAME_MEMBER);
}

void cuda_words_collect(struct cuda_names *names,
			const struct cuda_tokens *tokens)
{
	size_t i;

	for (i = 0; i < tokens->n; i++) {
		const struct cuda_token *token = &tokens->list[i];

		if (cuda_lexer_is(token, "#"))
			collect_macro(names, tokens, i);
		else if (cuda_lexer_is(token, "typedef"))
			collect_typedef(names, tokens, i);
		else if (cuda_lexer_is(token, "struct") ||
			 cuda_lexer_is(token, "union"))
			collect_members(names, tokens, i);
	}
}
