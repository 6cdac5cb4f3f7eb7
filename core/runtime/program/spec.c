/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec.c - values for specialization constants, and which constants a SPIR-V
 * module has.
 *
 * The reader never reads beyond the end of the module.  Other errors in a
 * module are left to the driver.
 */
#include "core/runtime/program/spec.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"

#define MAGIC UINT32_C(0x07230203)
#define HEADER_WORDS 5
/* A module declares each scalar type once: bool, ints and floats of every
   width. */
#define MAX_TYPES 32

enum { /* instructions, and one decoration */
       OP_TYPE_BOOL = 20,
       OP_TYPE_INT = 21,
       OP_TYPE_FLOAT = 22,
       OP_SPEC_TRUE = 48,
       OP_SPEC_FALSE = 49,
       OP_SPEC_CONSTANT = 50,
       OP_FUNCTION = 54,
       OP_DECORATE = 71,
       DECORATION_SPEC_ID = 1
};

/* A module, and the instruction at which the reader is. */
struct spec_reader {
	const unsigned char *bytes;
	/* how many words the module has; the first one of the instruction */
	size_t words, at;
	uint32_t op, length;
	bool swapped; /* written on a machine with the other byte order */
};

/* What the module says about one of the wanted constants. */
struct found {
	uint32_t target; /* the result id of the constant; 0: not decorated */
	uint32_t size;   /* the size of the constant in bytes; 0: not found */
};

/* Scalar types by their result ids. */
struct types {
	uint32_t n;
	uint32_t ids[MAX_TYPES], sizes[MAX_TYPES];
};

/* --- Reading ---------------------------------------------------------------
 */

static uint32_t reader_word(const struct spec_reader *reader, size_t index)
{
	uint32_t word;

	memcpy(&word, reader->bytes + 4 * index, sizeof(word));
	return reader->swapped ? __builtin_bswap32(word) : word;
}

/* The operand @index of the instruction; 0, which is not a valid id, if there
   are fewer. */
static uint32_t reader_operand(const struct spec_reader *reader, uint32_t index)
{
	return index + 1 < reader->length
		       ? reader_word(reader, reader->at + 1 + index)
		       : 0;
}

/* Start reading a module.  Returns false if the bytes are not a SPIR-V
   module. */
static bool reader_start(struct spec_reader *reader, const void *data,
			 size_t size)
{
	*reader = (struct spec_reader){ .bytes = data, .words = size / 4 };
	if (size % 4 || reader->words < HEADER_WORDS)
		return false;
	reader->swapped = reader_word(reader, 0) == __builtin_bswap32(MAGIC);
	return reader_word(reader, 0) == MAGIC;
}

/* Go to the next instruction.  Returns false at the end, where the module is
   cut off, and at the first function, after which nothing is declared. */
static bool reader_next(struct spec_reader *reader)
{
	uint32_t word;

	reader->at = reader->at ? reader->at + reader->length : HEADER_WORDS;
	if (reader->at >= reader->words)
		return false;
	word = reader_word(reader, reader->at);
	reader->op = word & 0xffff;
	reader->length = word >> 16;
	return reader->length && reader->length <= reader->words - reader->at &&
	       reader->op != OP_FUNCTION;
}

/* --- What a module has -----------------------------------------------------
 */

static int compare_ids(const void *a, const void *b)
{
	const dprp_spec *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static void note_decoration(const struct spec_reader *reader,
			    const struct spec *spec, struct found *found)
{
	const dprp_spec key = { .id = reader_operand(reader, 2) };
	const dprp_spec *wanted;

	if (reader->length < 4 ||
	    reader_operand(reader, 1) != DECORATION_SPEC_ID)
		return;
	wanted = bsearch(&key, spec->list, spec->n, sizeof(key), compare_ids);
	if (wanted && !found[wanted - spec->list].target)
		found[wanted - spec->list].target = reader_operand(reader, 0);
}

static void note_type(const struct spec_reader *reader, struct types *types)
{
	uint32_t bits = reader_operand(reader, 1);

	if (types->n == MAX_TYPES)
		return;
	types->ids[types->n] = reader_operand(reader, 0);
	types->sizes[types->n++] = reader->op == OP_TYPE_BOOL ? 1 : bits / 8;
}

static void note_constant(const struct spec_reader *reader,
			  const struct types *types, size_t n,
			  struct found *found)
{
	uint32_t type = reader_operand(reader, 0);
	uint32_t id = reader_operand(reader, 1), size = 0;
	uint32_t t;
	size_t i;

	for (t = 0; t < types->n; t++)
		if (types->ids[t] == type)
			size = types->sizes[t];
	for (i = 0; i < n; i++)
		if (found[i].target && found[i].target == id)
			found[i].size = size;
}

static void read_constants(struct spec_reader *reader, const struct spec *spec,
			   struct found *found)
{
	struct types types = { 0 };

	while (reader_next(reader))
		switch (reader->op) {
		case OP_DECORATE: note_decoration(reader, spec, found); break;
		case OP_TYPE_BOOL:
		case OP_TYPE_INT:
		case OP_TYPE_FLOAT: note_type(reader, &types); break;
		case OP_SPEC_TRUE:
		case OP_SPEC_FALSE:
		case OP_SPEC_CONSTANT:
			note_constant(reader, &types, spec->n, found);
			break;
		default: break;
		}
}

/* Fail because the module has no constant @id, and say which ones it has. */
static dpr_status refuse_id(struct spec_reader reader, uint32_t id)
{
	struct text ids = { 0 };
	dpr_status status;

	reader.at = 0;
	while (reader_next(&reader))
		if (reader.op == OP_DECORATE && reader.length >= 4 &&
		    reader_operand(&reader, 1) == DECORATION_SPEC_ID)
			text_print(&ids, "%s%" PRIu32, ids.size ? ", " : "",
				   reader_operand(&reader, 2));
	status = fail(
		DPR_ERROR_INVALID_ARGUMENT,
		"program: the SPIR-V has no specialization constant %" PRIu32
		"; it has %s",
		id, ids.size ? text_quote(text_get(&ids)).bytes : "none");
	text_fini(&ids);
	return status;
}

dpr_status spec_check(const struct spec *spec, const void *data, size_t size)
{
	dpr_status status = DPR_OK;
	struct spec_reader reader;
	struct found *found;
	size_t i;

	if (!spec->n)
		return DPR_OK;
	if (!reader_start(&reader, data, size))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "program: the image with specialization constants "
			    "is not a SPIR-V module");
	found = mem_array(spec->n, sizeof(*found));
	if (!found)
		return fail_memory("program");
	read_constants(&reader, spec, found);
	for (i = 0; i < spec->n && !status; i++) {
		const dprp_spec *given = &spec->list[i];

		if (!found[i].target)
			status = refuse_id(reader, given->id);
		else if (!found[i].size)
			status =
				fail(DPR_ERROR_INVALID_ARGUMENT,
				     "program: specialization constant %" PRIu32
				     " of the SPIR-V is not a number or bool",
				     given->id);
		else if (found[i].size != given->size)
			status =
				fail(DPR_ERROR_INVALID_ARGUMENT,
				     "program: specialization constant %" PRIu32
				     " has %" PRIu32
				     " bytes in the SPIR-V, not %" PRIu32,
				     given->id, found[i].size, given->size);
	}
	mem_free(found);
	return status;
}

/* --- What the program gives ------------------------------------------------
 */

static dpr_status check_value(const dpr_spec *given)
{
	if (!given->value)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "program: specialization constant %" PRIu32
			    " has no value",
			    given->id);
	switch (given->size) {
	case 1:
	case 2:
	case 4:
	case 8: return DPR_OK;
	default:
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "program: specialization constant %" PRIu32
			    " is given as %" PRIu32
			    " bytes, but must have 1, 2, 4 or 8",
			    given->id, given->size);
	}
}

dpr_status spec_take(const dpr_spec *given, size_t n, struct spec *out)
{
	dpr_status status = DPR_OK;
	size_t i;

	*out = (struct spec){ 0 };
	if (!n)
		return DPR_OK;
	if (!given || n > UINT32_MAX)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "program: the list of specialization constants is "
			    "%s",
			    given ? "too long" : "NULL");
	for (i = 0; i < n && !status; i++)
		status = check_value(&given[i]);
	if (status)
		return status;
	out->list = mem_array(n, sizeof(*out->list));
	if (!out->list)
		return fail_memory("program");
	out->n = n;
	for (i = 0; i < n; i++)
		out->list[i] = (dprp_spec){ given[i].id, given[i].size,
					    given[i].value };
	qsort(out->list, n, sizeof(*out->list), compare_ids);
	for (i = 1; i < n; i++)
		if (out->list[i].id == out->list[i - 1].id) {
			status =
				fail(DPR_ERROR_INVALID_ARGUMENT,
				     "program: specialization constant %" PRIu32
				     " is given twice",
				     out->list[i].id);
			spec_fini(out);
			break;
		}
	return status;
}

void spec_fini(struct spec *spec)
{
	mem_free(spec->list);
	*spec = (struct spec){ 0 };
}
