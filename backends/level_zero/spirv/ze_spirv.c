/* SPDX-License-Identifier: Apache-2.0 */
/* ze_spirv.c - reading SPIR-V modules. */
#include "ze_spirv.h"

#include <string.h>

#include <dpr/backend-help.h>

#define MAGIC UINT32_C(0x07230203)
#define HEADER_WORDS 5
/* SPIR-V's own limit. */
#define MAX_BOUND UINT32_C(4194304)
/* If a type is larger than this, its size is not recorded. */
#define MAX_SIZE (UINT64_C(1) << 31)
#define POINTER_SIZE 8

enum { /* instructions */
       OP_MEMORY_MODEL = 14,
       OP_ENTRY_POINT = 15,
       OP_EXECUTION_MODE = 16,
       OP_CAPABILITY = 17,
       OP_TYPE_FIRST = 19,
       OP_TYPE_BOOL = 20,
       OP_TYPE_INT = 21,
       OP_TYPE_FLOAT = 22,
       OP_TYPE_VECTOR = 23,
       OP_TYPE_ARRAY = 28,
       OP_TYPE_STRUCT = 30,
       OP_TYPE_POINTER = 32,
       OP_TYPE_LAST = 38,
       OP_CONSTANT = 43,
       OP_SPEC_CONSTANT = 50,
       OP_FUNCTION = 54,
       OP_FUNCTION_PARAMETER = 55,
       OP_FUNCTION_END = 56,
       OP_DECORATE = 71,
       OP_LABEL = 248,
       OP_EXECUTION_MODE_ID = 331
};

enum { /* operands of these instructions */
       MODEL_KERNEL = 6,
       MODE_LOCAL_SIZE = 17,
       MODE_LOCAL_SIZE_ID = 38,
       CAPABILITY_FLOAT16 = 9,
       CAPABILITY_FLOAT64 = 10,
       CAPABILITY_INT64_ATOMICS = 12,
       DECORATION_PACKED = 10,
       ADDRESSING_64 = 2,
       CLASS_CONSTANT = 0,
       CLASS_LOCAL = 4,
       CLASS_GLOBAL = 5,
       CLASS_FUNCTION = 7
};

/* What is known about an id. */
struct thing {
	uint32_t op;   /* 0: not declared yet */
	uint32_t more; /* of a pointer: the storage class */
	uint32_t of;   /* of a pointer: the id of the type that it points to */
	uint32_t align;
	uint64_t size; /* in bytes; of a constant: the value; 0: unknown */
	bool packed;
	uint32_t kernel; /* of a function: the kernel's index plus 1; 0: no
			    kernel */
};

struct ze_spirv_reader {
	const dprp_host *host;
	const unsigned char *bytes;
	size_t words, at; /* words: length of the module; at: place of the
			     instruction */
	uint32_t op, length, bound;
	uint32_t *index; /* by id: the place in `things` plus 1 */
	struct thing *things;
	uint32_t n_things, room;
	unsigned char *outline;
	size_t outline_size;
};

/* --- Words ---------------------------------------------------------------- */

static uint32_t word_at(const struct ze_spirv_reader *reader, size_t index)
{
	uint32_t word;

	memcpy(&word, reader->bytes + 4 * index, sizeof(word));
	return word;
}

/* Operand @index of the instruction, or 0, which is not a valid id, if there
   are fewer operands. */
static uint32_t operand(const struct ze_spirv_reader *reader, uint32_t index)
{
	return index + 1 < reader->length
		       ? word_at(reader, reader->at + 1 + index)
		       : 0;
}

/* Go to the instruction at @at.  Returns false at the end. */
static bool go_to(struct ze_spirv_reader *reader, size_t at)
{
	uint32_t word;

	reader->at = at;
	if (at >= reader->words)
		return false;
	word = word_at(reader, at);
	reader->op = word & 0xffff;
	reader->length = word >> 16;
	return true;
}

static bool go_on(struct ze_spirv_reader *reader)
{
	return go_to(reader, reader->at + reader->length);
}

/* Check that the module is a sequence of instructions.  Returns what is wrong
   with it, or NULL. */
static const char *check_words(struct ze_spirv_reader *reader, size_t size)
{
	bool more;

	reader->words = size / 4;
	if (size % 4 || reader->words < HEADER_WORDS)
		return "is cut off";
	if (word_at(reader, 0) == __builtin_bswap32(MAGIC))
		return "has another byte order than this machine";
	if (word_at(reader, 0) != MAGIC)
		return "is not SPIR-V";
	reader->bound = word_at(reader, 3);
	if (!reader->bound || reader->bound > MAX_BOUND)
		return "has too many ids";
	for (more = go_to(reader, HEADER_WORDS); more; more = go_on(reader))
		if (!reader->length ||
		    reader->length > reader->words - reader->at)
			return "is cut off, or has an instruction without a "
			       "length";
	return NULL;
}

/* --- Ids ------------------------------------------------------------------ */

/* Find the entry of an id, or NULL. */
static struct thing *find_thing(const struct ze_spirv_reader *reader,
				uint32_t id)
{
	if (id >= reader->bound || !reader->index[id])
		return NULL;
	return &reader->things[reader->index[id] - 1];
}

/* Find or add the entry of an id.  NULL: the id is not valid, or there are more
   ids than instructions that could declare them. */
static struct thing *get_thing(struct ze_spirv_reader *reader, uint32_t id)
{
	if (!id || id >= reader->bound)
		return NULL;
	if (!reader->index[id]) {
		if (reader->n_things == reader->room)
			return NULL;
		reader->index[id] = ++reader->n_things;
	}
	return &reader->things[reader->index[id] - 1];
}

static bool is_type(uint32_t op)
{
	return op >= OP_TYPE_FIRST && op <= OP_TYPE_LAST;
}

static uint64_t round_up(uint64_t size, uint32_t align)
{
	return (size + align - 1) / align * align;
}

/* Read a struct type.  It is laid out as in C: each member at a multiple of its
   alignment. */
static void read_struct(const struct ze_spirv_reader *reader,
			struct thing *thing)
{
	const struct thing *member;
	uint64_t size = 0;
	uint32_t i;

	thing->align = 1;
	for (i = 1; i + 1 < reader->length; i++) {
		member = find_thing(reader, operand(reader, i));
		if (!member || !member->size || !is_type(member->op))
			return;
		if (!thing->packed) {
			size = round_up(size, member->align);
			if (member->align > thing->align)
				thing->align = member->align;
		}
		size += member->size;
		if (size > MAX_SIZE)
			return;
	}
	thing->size = round_up(size, thing->align);
}

/* Read an array or vector type.  A vector of 3 elements takes the space of 4;
   an array is not rounded up. */
static void read_row(const struct ze_spirv_reader *reader, struct thing *thing)
{
	const struct thing *of = find_thing(reader, operand(reader, 1));
	const struct thing *length;
	uint64_t count = operand(reader, 2), size;

	if (!of || !of->size || !is_type(of->op))
		return;
	if (reader->op == OP_TYPE_ARRAY) {
		length = find_thing(reader, (uint32_t)count);
		count = length && length->op == OP_CONSTANT ? length->size : 0;
	} else if (count == 3) {
		count = 4;
	}
	if (__builtin_mul_overflow(of->size, count, &size) || size > MAX_SIZE)
		return;
	thing->size = size;
	thing->align = reader->op == OP_TYPE_ARRAY || !size ? of->align
							    : (uint32_t)size;
}

static void read_type(struct ze_spirv_reader *reader)
{
	struct thing *thing = get_thing(reader, operand(reader, 0));

	if (!thing || thing->op)
		return;
	thing->op = reader->op;
	switch (reader->op) {
	case OP_TYPE_BOOL: thing->size = 1; break;
	case OP_TYPE_INT:
	case OP_TYPE_FLOAT:
		/* 8, 16, 32 or 64 bits. */
		if (operand(reader, 1) <= 64)
			thing->size = operand(reader, 1) / 8;
		break;
	case OP_TYPE_VECTOR:
	case OP_TYPE_ARRAY: read_row(reader, thing); return;
	case OP_TYPE_STRUCT: read_struct(reader, thing); return;
	case OP_TYPE_POINTER:
		thing->more = operand(reader, 1);
		thing->of = operand(reader, 2);
		thing->size = POINTER_SIZE;
		break;
	default: break;
	}
	thing->align = thing->size ? (uint32_t)thing->size : 1;
}

/* Read a constant: lengths of arrays and sizes of work-groups may refer to
   it. */
static void read_constant(struct ze_spirv_reader *reader)
{
	struct thing *thing = get_thing(reader, operand(reader, 1));

	if (!thing || thing->op)
		return;
	thing->op = reader->op;
	thing->size = operand(reader, 2);
	if (reader->length > 4)
		thing->size |= (uint64_t)operand(reader, 3) << 32;
}

static void read_decoration(struct ze_spirv_reader *reader)
{
	struct thing *thing;

	if (operand(reader, 1) != DECORATION_PACKED || reader->length != 3)
		return;
	thing = get_thing(reader, operand(reader, 0));
	if (thing)
		thing->packed = true;
}

static void read_capability(const struct ze_spirv_reader *reader,
			    struct ze_spirv *out)
{
	switch (operand(reader, 0)) {
	case CAPABILITY_FLOAT16: out->float16 = true; break;
	case CAPABILITY_FLOAT64: out->float64 = true; break;
	case CAPABILITY_INT64_ATOMICS: out->int64_atomics = true; break;
	default: break;
	}
}

/* --- Kernels -------------------------------------------------------------- */

/* The name of an entry point, or NULL if it is not terminated. */
static const char *entry_name(const struct ze_spirv_reader *reader)
{
	const char *name;

	if (reader->length < 4)
		return NULL;
	name = (const char *)reader->bytes + 4 * (reader->at + 3);
	return memchr(name, 0, 4 * (size_t)(reader->length - 3)) ? name : NULL;
}

static bool is_kernel(const struct ze_spirv_reader *reader)
{
	return reader->op == OP_ENTRY_POINT &&
	       operand(reader, 0) == MODEL_KERNEL;
}

static bool is_value(uint32_t type)
{
	switch (type) {
	case OP_TYPE_BOOL:
	case OP_TYPE_INT:
	case OP_TYPE_FLOAT:
	case OP_TYPE_VECTOR:
	case OP_TYPE_ARRAY:
	case OP_TYPE_STRUCT: return true;
	default: return false;
	}
}

static dprp_param param_of(const struct ze_spirv_reader *reader, uint32_t type)
{
	const struct thing *thing = find_thing(reader, type), *of;
	dprp_param param = { .kind = DPRP_ARG_UNKNOWN };

	if (!thing || !is_type(thing->op))
		return param;
	if (thing->op == OP_TYPE_POINTER) {
		switch (thing->more) {
		case CLASS_CONSTANT:
		case CLASS_GLOBAL:
			param.kind = DPRP_ARG_MEM;
			param.size = POINTER_SIZE;
			break;
		case CLASS_LOCAL: param.kind = DPRP_ARG_LOCAL; break;
		case CLASS_FUNCTION: /* a struct by value */
			of = find_thing(reader, thing->of);
			param.kind = DPRP_ARG_VALUE;
			param.size = of && is_type(of->op) ? of->size : 0;
			break;
		default: break;
		}
	} else if (is_value(thing->op)) {
		param.kind = DPRP_ARG_VALUE;
		param.size = thing->size;
	}
	return param;
}

/* Read the parameters of the current function, into @params unless it is NULL.
   Returns their number. */
static uint32_t read_params(struct ze_spirv_reader reader, dprp_param *params)
{
	uint32_t n = 0;

	while (go_on(&reader) && reader.op != OP_FUNCTION_END &&
	       reader.op != OP_LABEL && reader.op != OP_FUNCTION) {
		if (reader.op != OP_FUNCTION_PARAMETER)
			continue;
		if (params)
			params[n] = param_of(&reader, operand(&reader, 0));
		n++;
	}
	return n;
}

/* The kernel whose code is @function, or NULL. */
static struct ze_spirv_kernel *kernel_of(const struct ze_spirv_reader *reader,
					 uint32_t function,
					 const struct ze_spirv *out)
{
	const struct thing *thing = find_thing(reader, function);

	return thing && thing->kernel ? &out->kernels[thing->kernel - 1] : NULL;
}

/* Keep the parameters of the current function, which is that of @kernel. */
static dprp_rc read_function(const struct ze_spirv_reader *reader,
			     struct ze_spirv_kernel *kernel)
{
	if (kernel->params)
		return DPR_RC_OK;
	kernel->n_params = read_params(*reader, NULL);
	kernel->params = dprh_alloc(reader->host, kernel->n_params,
				    sizeof(*kernel->params));
	if (!kernel->params)
		return DPR_RC_OOM_HOST;
	read_params(*reader, kernel->params);
	return DPR_RC_OK;
}

/* Read an execution mode that requires a size of work-groups. */
static void read_mode(const struct ze_spirv_reader *reader,
		      struct ze_spirv *out)
{
	struct ze_spirv_kernel *kernel =
		kernel_of(reader, operand(reader, 0), out);
	const uint32_t mode = operand(reader, 1);
	const struct thing *constant;
	uint64_t size[3];
	uint32_t i;

	if (!kernel || reader->length < 6 ||
	    mode != (reader->op == OP_EXECUTION_MODE ? MODE_LOCAL_SIZE
						     : MODE_LOCAL_SIZE_ID))
		return;
	for (i = 0; i < 3; i++) {
		size[i] = operand(reader, 2 + i);
		if (reader->op == OP_EXECUTION_MODE)
			continue;
		constant = find_thing(reader, (uint32_t)size[i]);
		size[i] = constant && constant->op == OP_CONSTANT
				  ? constant->size
				  : 0;
	}
	if (size[0] && size[1] && size[2])
		memcpy(kernel->required, size, sizeof(size));
}

/* --- The module ----------------------------------------------------------- */

/* Whether an instruction outside of functions belongs to the outline. */
static bool is_outline(uint32_t op)
{
	switch (op) {
	case OP_MEMORY_MODEL:
	case OP_ENTRY_POINT:
	case OP_EXECUTION_MODE:
	case OP_EXECUTION_MODE_ID:
	case OP_CAPABILITY:
	case OP_CONSTANT:
	case OP_SPEC_CONSTANT:
	case OP_DECORATE: return true;
	default: return is_type(op);
	}
}

/* Append @n words of the module to the outline, which has enough room. */
static void keep_words(struct ze_spirv_reader *reader, size_t at, size_t n)
{
	memcpy(reader->outline + reader->outline_size, reader->bytes + 4 * at,
	       4 * n);
	reader->outline_size += 4 * n;
}

/* Make the list of kernels, with their names. */
static dprp_rc read_entries(struct ze_spirv_reader *reader,
			    struct ze_spirv *out, const char **wrong)
{
	struct ze_spirv_kernel *kernel;
	struct thing *thing;
	const char *name;
	bool more;

	for (more = go_to(reader, HEADER_WORDS);
	     more && reader->op != OP_FUNCTION; more = go_on(reader)) {
		if (!is_kernel(reader))
			continue;
		name = entry_name(reader);
		thing = get_thing(reader, operand(reader, 1));
		if (!name || !*name || !thing || thing->kernel) {
			*wrong =
				"has a kernel without a name, or with two names";
			return DPR_RC_INVALID;
		}
		kernel = &out->kernels[out->n_kernels++];
		thing->kernel = out->n_kernels;
		kernel->name = dprh_alloc(out->host, 1, strlen(name) + 1);
		if (!kernel->name)
			return DPR_RC_OOM_HOST;
		strcpy(kernel->name, name);
	}
	return DPR_RC_OK;
}

/* Read an instruction that comes before the functions. */
static void read_declaration(struct ze_spirv_reader *reader,
			     struct ze_spirv *out, const char **wrong)
{
	if (is_type(reader->op))
		read_type(reader);
	switch (reader->op) {
	case OP_CAPABILITY: read_capability(reader, out); break;
	case OP_MEMORY_MODEL:
		if (operand(reader, 0) != ADDRESSING_64)
			*wrong = "is not for devices with 64-bit addresses";
		break;
	case OP_EXECUTION_MODE: read_mode(reader, out); break;
	case OP_DECORATE: read_decoration(reader); break;
	case OP_CONSTANT:
	case OP_SPEC_CONSTANT: read_constant(reader); break;
	default: break;
	}
	if (is_outline(reader->op))
		keep_words(reader, reader->at, reader->length);
}

/* Read all instructions; the kernels must be known.  Declarations come before
   the functions: anything later that looks like a declaration is ignored. */
static dprp_rc read_all(struct ze_spirv_reader *reader, struct ze_spirv *out,
			const char **wrong)
{
	struct ze_spirv_kernel *kernel = NULL;
	bool more, functions = false, params = false;
	dprp_rc rc;

	for (more = go_to(reader, HEADER_WORDS); more; more = go_on(reader)) {
		if (reader->op == OP_FUNCTION) {
			kernel = kernel_of(reader, operand(reader, 1), out);
			functions = params = true;
			rc = kernel ? read_function(reader, kernel) : DPR_RC_OK;
			if (rc)
				return rc;
		}
		if (!functions) {
			read_declaration(reader, out, wrong);
			if (*wrong)
				return DPR_RC_INVALID;
			continue;
		}
		/* Parameters end at the function's first label. */
		params = params && reader->op != OP_LABEL;
		if (kernel &&
		    (reader->op == OP_FUNCTION ||
		     (params && reader->op == OP_FUNCTION_PARAMETER) ||
		     reader->op == OP_FUNCTION_END))
			keep_words(reader, reader->at, reader->length);
	}
	return DPR_RC_OK;
}

/* Read the sizes of work-groups that are given as constants.  Constants are
   declared after the kernels' execution modes. */
static void read_late_modes(struct ze_spirv_reader *reader,
			    struct ze_spirv *out)
{
	bool more;

	for (more = go_to(reader, HEADER_WORDS);
	     more && reader->op != OP_FUNCTION; more = go_on(reader))
		if (reader->op == OP_EXECUTION_MODE_ID)
			read_mode(reader, out);
}

/* Count the kernels, and the instructions that may declare an id. */
static uint32_t count_entries(struct ze_spirv_reader *reader)
{
	uint32_t n = 0;
	bool more;

	for (more = go_to(reader, HEADER_WORDS); more; more = go_on(reader)) {
		n += is_kernel(reader);
		reader->room += is_kernel(reader) || is_outline(reader->op);
	}
	return n;
}

static dprp_rc read_module(struct ze_spirv_reader *reader, struct ze_spirv *out,
			   const char **wrong)
{
	const uint32_t n = count_entries(reader);
	dprp_rc rc = DPR_RC_OOM_HOST;
	uint32_t i;

	reader->index =
		dprh_alloc(reader->host, reader->bound, sizeof(*reader->index));
	reader->things =
		dprh_alloc(reader->host, reader->room, sizeof(*reader->things));
	reader->outline = dprh_alloc(reader->host, reader->words, 4);
	out->kernels = dprh_alloc(reader->host, n, sizeof(*out->kernels));
	if (reader->index && reader->things && reader->outline &&
	    out->kernels) {
		keep_words(reader, 0, HEADER_WORDS);
		rc = read_entries(reader, out, wrong);
		if (!rc)
			rc = read_all(reader, out, wrong);
		if (!rc)
			read_late_modes(reader, out);
	}
	for (i = 0; i < out->n_kernels && !rc; i++)
		if (!out->kernels[i].params) {
			*wrong = "has a kernel without a function";
			rc = DPR_RC_INVALID;
		}
	/* Set after a failure too, so that it is freed with the rest. */
	out->outline = reader->outline;
	out->outline_size = reader->outline_size;
	dprh_free(reader->host, reader->index);
	dprh_free(reader->host, reader->things);
	return rc;
}

dprp_rc ze_spirv_read(struct ze_spirv *out, const void *bytes, size_t size,
		      const char **wrong)
{
	struct ze_spirv_reader reader = { .host = out->host, .bytes = bytes };
	dprp_rc rc = DPR_RC_INVALID;

	*out = (struct ze_spirv){ .host = reader.host };
	*wrong = check_words(&reader, size);
	if (!*wrong) {
		out->major = word_at(&reader, 1) >> 16 & 0xff;
		out->minor = word_at(&reader, 1) >> 8 & 0xff;
		rc = read_module(&reader, out, wrong);
	}
	if (rc)
		ze_spirv_free(out);
	return rc;
}

void ze_spirv_free(struct ze_spirv *spirv)
{
	const dprp_host *host = spirv->host;
	uint32_t i;

	for (i = 0; i < spirv->n_kernels; i++) {
		dprh_free(host, spirv->kernels[i].name);
		dprh_free(host, spirv->kernels[i].params);
	}
	dprh_free(host, spirv->kernels);
	dprh_free(host, spirv->outline);
	*spirv = (struct ze_spirv){ .host = host };
}

const struct ze_spirv_kernel *ze_spirv_find(const struct ze_spirv *spirv,
					    const char *name)
{
	uint32_t i;

	for (i = 0; i < spirv->n_kernels; i++)
		if (strcmp(spirv->kernels[i].name, name) == 0)
			return &spirv->kernels[i];
	return NULL;
}
