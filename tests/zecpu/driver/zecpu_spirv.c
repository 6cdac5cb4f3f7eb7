/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zecpu_spirv.c - read a SPIR-V module's kernels: names, arguments, sizes of
 * work-groups, capabilities, specialization constants.
 */
#include "zecpu_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPIRV_MAGIC 0x07230203
#define MAX_BOUND (1u << 22)

enum { /* opcodes */
       OP_ENTRY_POINT = 15,
       OP_EXECUTION_MODE = 16,
       OP_CAPABILITY = 17,
       OP_TYPE_VOID = 19,
       OP_TYPE_BOOL = 20,
       OP_TYPE_INT = 21,
       OP_TYPE_FLOAT = 22,
       OP_TYPE_VECTOR = 23,
       OP_TYPE_IMAGE = 25,
       OP_TYPE_SAMPLER = 26,
       OP_TYPE_ARRAY = 28,
       OP_TYPE_STRUCT = 30,
       OP_TYPE_POINTER = 32,
       OP_TYPE_FUNCTION = 33,
       OP_CONSTANT = 43,
       OP_SPEC_CONSTANT_TRUE = 48,
       OP_SPEC_CONSTANT_FALSE = 49,
       OP_SPEC_CONSTANT = 50,
       OP_FUNCTION = 54,
       OP_FUNCTION_PARAMETER = 55,
       OP_FUNCTION_CALL = 57,
       OP_VARIABLE = 59,
       OP_DECORATE = 71,
       OP_CONTROL_BARRIER = 224
};

enum { /* storage classes */
       CLASS_UNIFORM_CONSTANT = 0,
       CLASS_WORKGROUP = 4,
       CLASS_CROSS_WORKGROUP = 5,
       CLASS_FUNCTION = 7
};

enum { /* decorations, and their operands */
       DECORATION_SPEC_ID = 1,
       DECORATION_PACKED = 10,
       DECORATION_ATTRIBUTE = 38,
       ATTRIBUTE_ZEXT = 0,
       ATTRIBUTE_SEXT = 1,
       ATTRIBUTE_BYVAL = 2
};

enum {
	CAPABILITY_FLOAT16_BUFFER = 8,
	CAPABILITY_FLOAT16 = 9,
	CAPABILITY_FLOAT64 = 10,
	CAPABILITY_INT64_ATOMICS = 12,
	CAPABILITY_IMAGE_BASIC = 13
};

/* The facts about an id. */
struct id {
	const uint32_t *words; /* the instruction that defines it */
	uint32_t count;        /* words of the instruction */
	uint32_t op;
	uint64_t value; /* if it is a constant */
	uint32_t spec;  /* SpecId + 1 */
	bool packed, byval, sext, zext;
	bool barrier;        /* it is a function with a barrier */
	uint32_t first_call; /* of a function: index of its first call + 1 */
};

struct call {
	uint32_t to, next;
};

struct reader {
	const uint32_t *words;
	size_t count;
	uint32_t bound;
	struct id *ids;
	struct call *calls;
	size_t n_calls;
	uint32_t function; /* the function that is being read */
	uint32_t local;    /* bytes of all local variables so far */
	const char *wrong;
	struct spirv *out;
};

static struct id *id_of(struct reader *r, uint32_t id)
{
	if (id < r->bound)
		return &r->ids[id];
	r->wrong = "an id is beyond the bound";
	return &r->ids[0];
}

static size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* The size of a type, and its alignment in *@align.  0: it has none. */
static size_t size_of(struct reader *r, uint32_t type, size_t *align, int depth)
{
	const struct id *id = id_of(r, type);
	size_t size = 0, most = 1, one;
	uint32_t i;

	*align = 1;
	if (depth > 32 || !id->words)
		return 0;
	switch (id->op) {
	case OP_TYPE_INT:
	case OP_TYPE_FLOAT: return *align = id->words[2] / 8;
	case OP_TYPE_POINTER: return *align = 8;
	case OP_TYPE_VECTOR:
		one = size_of(r, id->words[2], align, depth + 1);
		size = one * (id->words[3] == 3 ? 4 : id->words[3]);
		return *align = size;
	case OP_TYPE_ARRAY:
		one = size_of(r, id->words[2], align, depth + 1);
		return one * id_of(r, id->words[3])->value;
	case OP_TYPE_STRUCT:
		for (i = 2; i < id->count; i++) {
			one = size_of(r, id->words[i], align, depth + 1);
			if (id->packed)
				*align = 1;
			size = (size + *align - 1) / *align * *align + one;
			most = max_size(most, *align);
		}
		*align = most;
		return (size + most - 1) / most * most;
	default: return 0;
	}
}

/* Write a type in LLVM's notation.  False: it is a structure. */
static bool type_text(struct reader *r, uint32_t type, char *text, size_t size)
{
	const struct id *id = id_of(r, type);
	char element[16];

	switch (id->op) {
	case OP_TYPE_INT:
		snprintf(text, size, "i%u", id->words[2]);
		return true;
	case OP_TYPE_FLOAT:
		snprintf(text, size, "%s",
			 id->words[2] == 16   ? "half"
			 : id->words[2] == 32 ? "float"
					      : "double");
		return true;
	case OP_TYPE_VECTOR:
		if (!type_text(r, id->words[2], element, sizeof(element)))
			return false;
		snprintf(text, size, "<%u x %s>", id->words[3], element);
		return true;
	default: return false;
	}
}

/* --- first pass: every instruction --- */

static void read_decoration(struct reader *r, const uint32_t *w, uint32_t n)
{
	struct id *id = id_of(r, w[1]);

	if (w[2] == DECORATION_PACKED)
		id->packed = true;
	if (n < 4)
		return;
	if (w[2] == DECORATION_SPEC_ID)
		id->spec = w[3] + 1;
	if (w[2] == DECORATION_ATTRIBUTE) {
		id->byval |= w[3] == ATTRIBUTE_BYVAL;
		id->sext |= w[3] == ATTRIBUTE_SEXT;
		id->zext |= w[3] == ATTRIBUTE_ZEXT;
	}
}

static void read_capability(struct reader *r, uint32_t capability)
{
	struct spirv *out = r->out;

	out->fp64 |= capability == CAPABILITY_FLOAT64;
	out->fp16 |= capability == CAPABILITY_FLOAT16;
	out->int64_atomics |= capability == CAPABILITY_INT64_ATOMICS;
	out->images |= capability == CAPABILITY_IMAGE_BASIC;
}

static void note(struct reader *r, uint32_t id, const uint32_t *w, uint32_t n)
{
	struct id *to = id_of(r, id);

	to->words = w;
	to->count = n;
	to->op = w[0] & 0xffff;
}

static bool is_type(uint32_t op)
{
	return op >= OP_TYPE_VOID && op <= OP_TYPE_FUNCTION;
}

static void read_variable(struct reader *r, const uint32_t *w)
{
	const struct id *type = id_of(r, w[1]);
	size_t align;

	if (w[3] == CLASS_WORKGROUP && type->op == OP_TYPE_POINTER)
		r->local += (uint32_t)size_of(r, type->words[3], &align, 0);
}

static void read_instruction(struct reader *r, const uint32_t *w, uint32_t n)
{
	uint32_t op = w[0] & 0xffff;
	struct id *function;

	if (op == OP_CAPABILITY && n > 1) {
		read_capability(r, w[1]);
	} else if (op == OP_DECORATE && n > 2) {
		read_decoration(r, w, n);
	} else if (is_type(op) && n > 1) {
		note(r, w[1], w, n);
	} else if ((op == OP_CONSTANT || op == OP_SPEC_CONSTANT) && n > 3) {
		note(r, w[2], w, n);
		id_of(r, w[2])->value =
			w[3] | (n > 4 ? (uint64_t)w[4] << 32 : 0);
	} else if ((op == OP_SPEC_CONSTANT_TRUE ||
		    op == OP_SPEC_CONSTANT_FALSE) &&
		   n > 2) {
		note(r, w[2], w, n);
	} else if (op == OP_FUNCTION && n > 4) {
		note(r, w[2], w, n);
		r->function = w[2];
	} else if (op == OP_FUNCTION_PARAMETER && n > 2) {
		note(r, w[2], w, n);
	} else if (op == OP_VARIABLE && n > 3) {
		read_variable(r, w);
	} else if (op == OP_CONTROL_BARRIER) {
		id_of(r, r->function)->barrier = true;
	} else if (op == OP_FUNCTION_CALL && n > 3) {
		function = id_of(r, r->function);
		r->calls[r->n_calls].to = w[3];
		r->calls[r->n_calls].next = function->first_call;
		function->first_call = (uint32_t)++r->n_calls;
	}
}

/* --- kernels --- */

/* Whether the function, or a function that it calls, has a barrier. */
static bool has_barrier(struct reader *r, uint32_t function, int depth)
{
	const struct id *id = id_of(r, function);
	uint32_t i;

	if (id->barrier)
		return true;
	for (i = id->first_call; i && depth < 64; i = r->calls[i - 1].next)
		if (has_barrier(r, r->calls[i - 1].to, depth + 1))
			return true;
	return false;
}

static bool read_pointer(struct reader *r, const struct id *parameter,
			 const struct id *type, struct argument *out)
{
	switch (type->words[2]) {
	case CLASS_WORKGROUP:
		out->kind = ARGUMENT_LOCAL;
		strcpy(out->type, "ptr addrspace(3)");
		return true;
	case CLASS_CROSS_WORKGROUP:
	case CLASS_UNIFORM_CONSTANT:
		out->kind = ARGUMENT_GLOBAL;
		out->size = out->align = 8;
		strcpy(out->type, type->words[2] == CLASS_CROSS_WORKGROUP
					  ? "ptr addrspace(1)"
					  : "ptr addrspace(2)");
		return true;
	case CLASS_FUNCTION:
		if (!parameter->byval)
			return false;
		out->kind = ARGUMENT_VALUE;
		out->size = size_of(r, type->words[3], &out->align, 0);
		return out->size > 0;
	default: return false;
	}
}

static bool read_argument(struct reader *r, uint32_t type,
			  const struct id *parameter, struct argument *out)
{
	const struct id *id = id_of(r, type);

	out->extend = parameter->sext   ? "signext "
		      : parameter->zext ? "zeroext "
					: "";
	if (id->op == OP_TYPE_POINTER)
		return read_pointer(r, parameter, id, out);
	out->kind = ARGUMENT_VALUE;
	out->size = size_of(r, type, &out->align, 0);
	return out->size > 0 &&
	       type_text(r, type, out->type, sizeof(out->type));
}

/* Read the parameters, which follow their function. */
static bool read_arguments(struct reader *r, const struct id *function,
			   struct kernel_info *out)
{
	const struct id *type = id_of(r, function->words[4]);
	const uint32_t *w = function->words + function->count;
	uint32_t i, n = type->op == OP_TYPE_FUNCTION ? type->count - 3 : 0;

	out->arguments = calloc(n + 1, sizeof(*out->arguments));
	if (!out->arguments)
		return false;
	out->n_arguments = n;
	for (i = 0; i < n; i++, w += w[0] >> 16) {
		if (w >= r->words + r->count ||
		    (w[0] & 0xffff) != OP_FUNCTION_PARAMETER)
			return false;
		if (!read_argument(r, type->words[3 + i], id_of(r, w[2]),
				   &out->arguments[i]))
			return false;
	}
	return true;
}

static bool read_kernel(struct reader *r, const uint32_t *w, uint32_t n)
{
	struct kernel_info *out = &r->out->kernels[r->out->n_kernels++];
	const struct id *function = id_of(r, w[2]);

	out->name = strndup((const char *)&w[3], (n - 3) * sizeof(*w));
	if (!out->name || function->op != OP_FUNCTION)
		return false;
	out->barriers = has_barrier(r, w[2], 0);
	out->local = r->local;
	return read_arguments(r, function, out);
}

static void read_mode(struct reader *r, const uint32_t *w, uint32_t n,
		      const uint32_t *entries)
{
	uint32_t i;

	if (n < 6 || w[2] != 17) /* LocalSize */
		return;
	for (i = 0; i < r->out->n_kernels; i++)
		if (entries[i] == w[1])
			memcpy(r->out->kernels[i].required, &w[3],
			       sizeof(r->out->kernels[i].required));
}

static bool read_kernels(struct reader *r)
{
	uint32_t *entries = NULL, n_entries = 0, n;
	const uint32_t *w, *end = r->words + r->count;
	bool good = true;

	for (w = r->words + 5; w < end; w += w[0] >> 16)
		n_entries += (w[0] & 0xffff) == OP_ENTRY_POINT;
	entries = calloc(n_entries + 1, sizeof(*entries));
	r->out->kernels = calloc(n_entries + 1, sizeof(*r->out->kernels));
	if (!entries || !r->out->kernels)
		good = false;
	for (w = r->words + 5; good && w < end; w += n) {
		n = w[0] >> 16;
		if ((w[0] & 0xffff) == OP_ENTRY_POINT && n > 3) {
			entries[r->out->n_kernels] = w[2];
			good = read_kernel(r, w, n);
		}
	}
	for (w = r->words + 5; good && w < end; w += w[0] >> 16)
		if ((w[0] & 0xffff) == OP_EXECUTION_MODE)
			read_mode(r, w, w[0] >> 16, entries);
	free(entries);
	return good;
}

static bool read_constants(struct reader *r)
{
	const struct id *type;
	struct constant_info *out;
	uint32_t i, n = 0;

	for (i = 0; i < r->bound; i++)
		n += r->ids[i].spec != 0;
	r->out->constants = calloc(n + 1, sizeof(*r->out->constants));
	if (!r->out->constants)
		return false;
	for (i = 0; i < r->bound; i++) {
		if (!r->ids[i].spec || !r->ids[i].words)
			continue;
		out = &r->out->constants[r->out->n_constants++];
		out->id = r->ids[i].spec - 1;
		type = id_of(r, r->ids[i].words[1]);
		out->is_float = type->op == OP_TYPE_FLOAT;
		if (type->op == OP_TYPE_INT || type->op == OP_TYPE_FLOAT)
			out->size = type->words[2] / 8;
	}
	return true;
}

/* --- the module --- */

/* Check the header and the length of each instruction.  Returns what is wrong,
   or NULL. */
static const char *check_module(const uint32_t *words, size_t count)
{
	size_t at = 5, n;

	if (count < 5 || words[0] != SPIRV_MAGIC)
		return "this is not SPIR-V";
	if (words[3] > MAX_BOUND)
		return "too many ids";
	if ((words[1] >> 16 & 0xff) > 1 || (words[1] >> 8 & 0xff) > 2)
		return "SPIR-V newer than 1.2";
	for (; at < count; at += n) {
		n = words[at] >> 16;
		if (n == 0 || n > count - at)
			return "an instruction is cut off";
	}
	return NULL;
}

static struct spirv *read_all(struct reader *r)
{
	const uint32_t *w, *end = r->words + r->count;

	for (w = r->words + 5; w < end && !r->wrong; w += w[0] >> 16)
		read_instruction(r, w, w[0] >> 16);
	if (!r->wrong && !read_kernels(r))
		r->wrong = "an argument of a kernel is of an unknown type";
	if (!r->wrong && !read_constants(r))
		r->wrong = "out of memory";
	if (!r->wrong)
		return r->out;
	zecpu_spirv_free(r->out);
	return NULL;
}

struct spirv *zecpu_spirv_read(const void *code, size_t size, char *log,
			       size_t log_size)
{
	struct reader r = { .words = code, .count = size / 4 };
	struct spirv *out = NULL;

	r.wrong = size % 4 ? "the size is not a multiple of 4"
			   : check_module(r.words, r.count);
	if (!r.wrong) {
		r.bound = r.words[3] ? r.words[3] : 1;
		r.ids = calloc(r.bound, sizeof(*r.ids));
		r.calls = calloc(r.count / 4 + 1, sizeof(*r.calls));
		r.out = calloc(1, sizeof(*r.out));
		if (r.ids && r.calls && r.out) {
			r.out->version = r.words[1];
			out = read_all(&r);
		} else {
			free(r.out);
			r.wrong = "out of memory";
		}
	}
	free(r.ids);
	free(r.calls);
	if (!out)
		snprintf(log, log_size, "error: %s\n", r.wrong);
	return out;
}

void zecpu_spirv_free(struct spirv *spirv)
{
	uint32_t i;

	if (!spirv)
		return;
	for (i = 0; i < spirv->n_kernels; i++) {
		free(spirv->kernels[i].name);
		free(spirv->kernels[i].arguments);
	}
	free(spirv->kernels);
	free(spirv->constants);
	free(spirv);
}
