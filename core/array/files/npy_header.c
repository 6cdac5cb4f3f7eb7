/* SPDX-License-Identifier: Apache-2.0 */
/* npy_header.c - the header of a .npy file, a Python dictionary in text. */
#include "core/array/files/npy_header.h"

#include <stdio.h>
#include <string.h>

#include "core/base/status.h"

#define HOST_IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/* The text being read. */
struct npy_text {
	const char *at, *end;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_space(struct npy_text *text)
{
	while (text->at < text->end && is_space(*text->at))
		text->at++;
}

/* Skip spaces.  Returns the next character, or 0. */
static char peek_char(struct npy_text *text)
{
	skip_space(text);
	return text->at < text->end ? *text->at : 0;
}

static bool take_char(struct npy_text *text, char c)
{
	if (peek_char(text) != c)
		return false;
	text->at++;
	return true;
}

static bool take_word(struct npy_text *text, const char *word)
{
	size_t n = strlen(word);

	skip_space(text);
	if ((size_t)(text->end - text->at) < n || memcmp(text->at, word, n))
		return false;
	text->at += n;
	return true;
}

/* Read a quoted string, without its quotes. */
static bool take_string(struct npy_text *text, const char **start,
			size_t *length)
{
	char quote = peek_char(text);
	const char *end;

	if (quote != '\'' && quote != '"')
		return false;
	end = memchr(text->at + 1, quote, (size_t)(text->end - text->at - 1));
	if (!end)
		return false;
	*start = text->at + 1;
	*length = (size_t)(end - *start);
	text->at = end + 1;
	return true;
}

/* --- descr --------------------------------------------------------------- */

/* The type codes of .npy, without byte order. */
static const struct descr {
	char code[4];
	dpr_dtype dtype;
} descrs[] = {
	{ "b1", DPR_BOOL },      { "i1", DPR_INT8 },
	{ "i2", DPR_INT16 },     { "i4", DPR_INT32 },
	{ "i8", DPR_INT64 },     { "u1", DPR_UINT8 },
	{ "u2", DPR_UINT16 },    { "u4", DPR_UINT32 },
	{ "u8", DPR_UINT64 },    { "f2", DPR_FLOAT16 },
	{ "f4", DPR_FLOAT32 },   { "f8", DPR_FLOAT64 },
	{ "c8", DPR_COMPLEX64 }, { "c16", DPR_COMPLEX128 },
};

#define INT_LONG (sizeof(long) == 8 ? DPR_INT64 : DPR_INT32)
#define UINT_LONG (sizeof(long) == 8 ? DPR_UINT64 : DPR_UINT32)

/* NumPy's other names of these dtypes.  Those of one letter may have a byte
   order in front. */
static const struct npy_alias {
	const char *name;
	dpr_dtype dtype;
} aliases[] = {
	{ "?", DPR_BOOL },
	{ "b", DPR_INT8 },
	{ "h", DPR_INT16 },
	{ "i", DPR_INT32 },
	{ "l", INT_LONG },
	{ "q", DPR_INT64 },
	{ "p", DPR_INT64 },
	{ "n", DPR_INT64 },
	{ "B", DPR_UINT8 },
	{ "H", DPR_UINT16 },
	{ "I", DPR_UINT32 },
	{ "L", UINT_LONG },
	{ "Q", DPR_UINT64 },
	{ "P", DPR_UINT64 },
	{ "N", DPR_UINT64 },
	{ "e", DPR_FLOAT16 },
	{ "f", DPR_FLOAT32 },
	{ "d", DPR_FLOAT64 },
	{ "F", DPR_COMPLEX64 },
	{ "D", DPR_COMPLEX128 },
#define NAME(name, lower, value, size, kind) { #lower, DPR_##name },
	DPR_DTYPE_MAP(NAME)
#undef NAME
		{ "bool_", DPR_BOOL },
	{ "bool8", DPR_BOOL },
	{ "byte", DPR_INT8 },
	{ "short", DPR_INT16 },
	{ "intc", DPR_INT32 },
	{ "int", DPR_INT64 },
	{ "int_", DPR_INT64 },
	{ "intp", DPR_INT64 },
	{ "long", INT_LONG },
	{ "longlong", DPR_INT64 },
	{ "ubyte", DPR_UINT8 },
	{ "ushort", DPR_UINT16 },
	{ "uintc", DPR_UINT32 },
	{ "uint", DPR_UINT64 },
	{ "uintp", DPR_UINT64 },
	{ "ulong", UINT_LONG },
	{ "ulonglong", DPR_UINT64 },
	{ "half", DPR_FLOAT16 },
	{ "single", DPR_FLOAT32 },
	{ "double", DPR_FLOAT64 },
	{ "float", DPR_FLOAT64 },
	{ "float_", DPR_FLOAT64 },
	{ "csingle", DPR_COMPLEX64 },
	{ "cdouble", DPR_COMPLEX128 },
	{ "cfloat", DPR_COMPLEX128 },
	{ "complex", DPR_COMPLEX128 },
	{ "complex_", DPR_COMPLEX128 },
};

/* dtypes that cannot be read.  Only digits or a unit may follow a code; a name
   must be equal. */
#define PYTHON "means Python objects, which only Python can read"
#define TEXT "means text, which is not a number"
#define DATES "means dates or times; view them as int64 first"
#define BYTES                                                                  \
	"means raw bytes or a structure (bfloat16 is stored like this, too); " \
	"convert it to a plain number type first"
#define EXTENDED \
	"is an extended float, which dpr does not have; convert it first"
static const struct refusal {
	const char *name;
	bool is_code;
	const char *why;
} refusals[] = {
	{ "O", true, PYTHON },
	{ "object", false, PYTHON },
	{ "object_", false, PYTHON },
	{ "U", true, TEXT },
	{ "S", true, TEXT },
	{ "a", true, TEXT },
	{ "c", false, TEXT },
	{ "str", false, TEXT },
	{ "str_", false, TEXT },
	{ "bytes", false, TEXT },
	{ "bytes_", false, TEXT },
	{ "M", true, DATES },
	{ "m", true, DATES },
	{ "datetime64", true, DATES },
	{ "timedelta64", true, DATES },
	{ "V", true, BYTES },
	{ "void", false, BYTES },
	{ "f12", false, EXTENDED },
	{ "f16", false, EXTENDED },
	{ "c24", false, EXTENDED },
	{ "c32", false, EXTENDED },
	{ "g", false, EXTENDED },
	{ "G", false, EXTENDED },
	{ "longdouble", false, EXTENDED },
	{ "clongdouble", false, EXTENDED },
	{ "float96", false, EXTENDED },
	{ "float128", false, EXTENDED },
	{ "complex192", false, EXTENDED },
	{ "complex256", false, EXTENDED },
};

static bool is_named(const char *code, size_t length, const char *name)
{
	return length == strlen(name) && !memcmp(code, name, length);
}

/* Whether @code is @name, with digits or a unit in brackets behind it. */
static bool begins_code(const char *code, size_t length, const char *name)
{
	const size_t n = strlen(name);

	return length >= n && !memcmp(code, name, n) &&
	       (length == n || is_digit(code[n]) || code[n] == '[');
}

/* Find the dtype of a code without its byte order.  @ordered: there was one. */
static bool find_descr(const char *code, size_t length, bool ordered,
		       dpr_dtype *out)
{
	for (size_t i = 0; i < sizeof(descrs) / sizeof(descrs[0]); i++)
		if (is_named(code, length, descrs[i].code)) {
			*out = descrs[i].dtype;
			return true;
		}
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (is_named(code, length, aliases[i].name) &&
		    (length == 1 || !ordered)) {
			*out = aliases[i].dtype;
			return true;
		}
	return false;
}

/* Fail: say why a type code that is not in the tables is refused. */
static dpr_status refuse_descr(const char *code, size_t length)
{
	const char *why = "is not a number type that dpr has";

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (refusals[i].is_code
			    ? begins_code(code, length, refusals[i].name)
			    : is_named(code, length, refusals[i].name))
			why = refusals[i].why;
	return fail(DPR_ERROR_DTYPE, "its dtype '%.*s' %s",
		    length > 40 ? 40 : (int)length, code, why);
}

static dpr_status parse_descr(struct npy_text *text, struct npy_header *out)
{
	const char *code;
	char order = 0;
	size_t length;

	if (peek_char(text) == '[')
		return fail(DPR_ERROR_DTYPE,
			    "it holds structures with fields, "
			    "and dpr arrays hold plain numbers");
	if (peek_char(text) == '(')
		return fail(DPR_ERROR_DTYPE,
			    "its dtype is a sub-array, and dpr "
			    "arrays hold plain numbers");
	if (!take_string(text, &code, &length))
		return fail(DPR_ERROR_FILE,
			    "bad header: 'descr' is not a string");
	if (length && *code && strchr("<>|=", *code)) {
		order = *code++;
		length--;
	}
	out->swap = order == (HOST_IS_LITTLE ? '>' : '<');
	return find_descr(code, length, order != 0, &out->dtype)
		       ? DPR_OK
		       : refuse_descr(code, length);
}

/* --- shape --------------------------------------------------------------- */

static dpr_status parse_extent(struct npy_text *text, int64_t *out)
{
	int64_t value = 0;

	if (peek_char(text) == '-')
		return fail(DPR_ERROR_FILE, "its shape has a negative extent");
	if (!is_digit(peek_char(text)))
		return fail(DPR_ERROR_FILE, "bad header: an extent in 'shape' "
					    "is not an integer");
	for (; text->at < text->end && is_digit(*text->at); text->at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *text->at - '0', &value))
			return fail(DPR_ERROR_FILE, "its shape is absurd: an "
						    "extent over 2^63");
	/* Python 2 wrote some integers as 3L. */
	if (text->at < text->end && *text->at == 'L')
		text->at++;
	*out = value;
	return DPR_OK;
}

static dpr_status parse_shape(struct npy_text *text, struct npy_header *out)
{
	bool comma = true;
	dpr_status status;

	if (!take_char(text, '('))
		return fail(DPR_ERROR_FILE,
			    "bad header: 'shape' is not a tuple");
	out->rank = 0;
	while (!take_char(text, ')')) {
		if (!comma)
			return fail(DPR_ERROR_FILE, "bad header: 'shape' is "
						    "not a tuple of integers");
		if (out->rank == DPR_MAX_RANK)
			return fail(DPR_ERROR_FILE, "it has more than %d axes",
				    DPR_MAX_RANK);
		status = parse_extent(text, &out->shape[out->rank++]);
		if (status)
			return status;
		comma = take_char(text, ',');
	}
	if (out->rank == 1 && !comma)
		return fail(DPR_ERROR_FILE,
			    "bad header: 'shape' is not a tuple");
	return DPR_OK;
}

/* Count elements and bytes.  An extent of 0 is left out of the products, so
   that it does not hide an overflow. */
static dpr_status count_elements(struct npy_header *out)
{
	int64_t count = 1, bytes;
	bool empty = false;
	int i;

	for (i = 0; i < out->rank; i++) {
		if (!out->shape[i])
			empty = true;
		else if (__builtin_mul_overflow(count, out->shape[i], &count))
			return fail(DPR_ERROR_FILE, "its shape is absurd: more "
						    "than 2^63 elements");
	}
	if (__builtin_mul_overflow(count, (int64_t)dpr_dtype_size(out->dtype),
				   &bytes))
		return fail(DPR_ERROR_FILE, "its shape is absurd: more than "
					    "2^63 bytes");
	out->count = empty ? 0 : count;
	out->bytes = empty ? 0 : (uint64_t)bytes;
	return DPR_OK;
}

/* --- The dictionary ------------------------------------------------------ */

static const char *const keys[] = { "descr", "fortran_order", "shape" };

static dpr_status parse_value(struct npy_text *text, int key,
			      struct npy_header *out)
{
	switch (key) {
	case 0: return parse_descr(text, out);
	case 1:
		if (take_word(text, "True"))
			out->fortran = true;
		else if (!take_word(text, "False"))
			return fail(DPR_ERROR_FILE,
				    "bad header: 'fortran_order' is "
				    "neither True nor False");
		return DPR_OK;
	default: return parse_shape(text, out);
	}
}

static dpr_status parse_entry(struct npy_text *text, unsigned *seen,
			      struct npy_header *out)
{
	const char *name;
	size_t length;
	int key;

	if (!take_string(text, &name, &length))
		return fail(DPR_ERROR_FILE,
			    "bad header: a key is not a string");
	for (key = 0; key < 3; key++)
		if (is_named(name, length, keys[key]))
			break;
	if (key == 3)
		return fail(DPR_ERROR_FILE,
			    "bad header: there is an unknown key '%.*s'",
			    length > 40 ? 40 : (int)length, name);
	if (*seen & 1u << key)
		return fail(DPR_ERROR_FILE, "bad header: '%s' is there twice",
			    keys[key]);
	*seen |= 1u << key;
	if (!take_char(text, ':'))
		return fail(DPR_ERROR_FILE, "bad header: no ':' after '%s'",
			    keys[key]);
	return parse_value(text, key, out);
}

dpr_status npy_header_parse(const char *start, size_t length,
			    struct npy_header *out)
{
	struct npy_text text = { start, start + length };
	unsigned key, seen = 0;
	bool comma = true;
	dpr_status status;

	memset(out, 0, sizeof(*out));
	if (!take_char(&text, '{'))
		return fail(DPR_ERROR_FILE,
			    "bad header: it is not a dictionary");
	while (!take_char(&text, '}')) {
		if (text.at == text.end)
			return fail(DPR_ERROR_FILE, "bad header: the "
						    "dictionary has no end");
		if (!comma)
			return fail(DPR_ERROR_FILE, "bad header: no ',' "
						    "between two keys");
		status = parse_entry(&text, &seen, out);
		if (status)
			return status;
		comma = take_char(&text, ',');
	}
	if (peek_char(&text))
		return fail(DPR_ERROR_FILE, "bad header: there is text after "
					    "the dictionary");
	if (text.at != text.end)
		return fail(DPR_ERROR_FILE, "bad header: there is a NUL byte "
					    "in it");
	for (key = 0; key < 3; key++)
		if (!(seen & 1u << key))
			return fail(DPR_ERROR_FILE,
				    "bad header: there is no '%s'", keys[key]);
	return count_elements(out);
}

/* --- Writing ------------------------------------------------------------- */

size_t npy_header_format(dpr_dtype dtype, int rank, const int64_t *shape,
			 char out[NPY_HEADER_MAX])
{
	const size_t prefix = 10;
	char *text = out + prefix;
	size_t room = NPY_HEADER_MAX - prefix, n, total, i;
	const char *code = NULL;
	int axis, growth = 0;

	for (i = 0; i < sizeof(descrs) / sizeof(descrs[0]); i++)
		if (descrs[i].dtype == dtype)
			code = descrs[i].code;
	if (!code)
		return 0;
	n = (size_t)snprintf(text, room,
			     "{'descr': '%c%s', 'fortran_order': False, "
			     "'shape': (",
			     dpr_dtype_size(dtype) == 1 ? '|' : '<', code);
	/* The room is enough for 32 extents of 19 digits. */
	for (axis = 0; axis < rank; axis++)
		n += (size_t)snprintf(text + n, room - n, "%s%lld%s",
				      axis ? " " : "", (long long)shape[axis],
				      rank == 1 || axis + 1 < rank ? "," : "");
	n += (size_t)snprintf(text + n, room - n, "), }");
	/* NumPy leaves room for a first extent of 21 digits. */
	if (rank > 0)
		growth = 21 - snprintf(NULL, 0, "%lld", (long long)shape[0]);
	total = (prefix + n + (size_t)growth + 1 + 63) / 64 * 64;
	memset(text + n, ' ', total - prefix - n);
	out[total - 1] = '\n';
	memcpy(out, "\x93NUMPY\x01", 8);
	out[8] = (char)((total - prefix) & 0xff);
	out[9] = (char)((total - prefix) >> 8);
	return total;
}

void npy_header_convert(void *data, size_t bytes, dpr_dtype dtype, bool swap)
{
	size_t size = dpr_dtype_size(dtype), i;
	unsigned char *p = data;

	if (dtype == DPR_BOOL)
		for (i = 0; i < bytes; i++)
			p[i] = p[i] != 0;
	if (!swap)
		return;
	/* A complex number is two floats, each in its byte order. */
	if (dtype == DPR_COMPLEX64 || dtype == DPR_COMPLEX128)
		size /= 2;
	for (i = 0; i + size <= bytes; i += size) {
		size_t a = i, b = i + size - 1;

		for (; a < b; a++, b--) {
			unsigned char t = p[a];

			p[a] = p[b];
			p[b] = t;
		}
	}
}
