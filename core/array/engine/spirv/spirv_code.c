/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_code.c - reads and writes instructions of SPIR-V. */
#include "core/array/engine/spirv/spirv_code.h"

#include <string.h>

struct shape {
	bool type, result;
	const char *operands;
};

static const struct shape shapes[] = {
#define SPIRV__X(name, number, type, result, operands) \
	[number] = { type, result, operands },
	SPIRV_OP_MAP(SPIRV__X)
#undef SPIRV__X
};

/* Whether @op, an instruction that is not in SPIRV_OP_MAP, has a type, a
   result, and only ids as operands.  Conversions, arithmetic, comparisons and
   operations on bits are of this kind. */
static bool is_plain(unsigned op)
{
	return (op >= 109 && op <= 122) || (op >= 126 && op <= 152) ||
	       (op >= 154 && op <= 191) || (op >= 194 && op <= 205);
}

static const struct shape *find_shape(unsigned op)
{
	static const struct shape plain = { true, true, "i*i" };

	if (op < sizeof(shapes) / sizeof(shapes[0]) && shapes[op].operands)
		return &shapes[op];
	return is_plain(op) ? &plain : NULL;
}

/* Whether an instruction with the operands @operands (SPIRV_OP_MAP) may have @n
   operands. */
static bool fits(const char *operands, unsigned n)
{
	const char *star = strchr(operands, '*');

	return star ? n >= (size_t)(star - operands) : n == strlen(operands);
}

bool spirv_code_read(const uint32_t *words, size_t left,
		     struct spirv_code *code)
{
	const struct shape *shape;
	unsigned first;

	if (!left)
		return false;
	*code = (struct spirv_code){ .op = words[0] & 0xffff,
				     .n = words[0] >> 16 };
	shape = find_shape(code->op);
	if (!shape || code->n > left)
		return false;
	first = 1u + shape->type + shape->result;
	if (code->n < first || !fits(shape->operands, code->n - first))
		return false;
	if (shape->type)
		code->type = words[1];
	if (shape->result)
		code->result = words[first - 1];
	if ((shape->type && !code->type) || (shape->result && !code->result))
		return false;
	code->operands = words + first;
	code->n_operands = code->n - first;
	code->shape = shape->operands;
	return true;
}

bool spirv_code_is_id(const struct spirv_code *code, unsigned i)
{
	const char *star = strchr(code->shape, '*');

	if (star && i >= (size_t)(star - code->shape))
		return star[1] == 'i';
	return code->shape[i] == 'i';
}

void spirv_code_words(struct text *to, const uint32_t *words, size_t n)
{
	if (n)
		text_add(to, (const char *)words, n * sizeof(*words));
}

void spirv_code_add(struct text *to, enum spirv_op op, uint32_t type,
		    uint32_t result, const uint32_t *operands, size_t n)
{
	uint32_t head[3];
	size_t used = 1;

	if (type)
		head[used++] = type;
	if (result)
		head[used++] = result;
	head[0] = (uint32_t)(used + n) << 16 | op;
	spirv_code_words(to, head, used);
	spirv_code_words(to, operands, n);
}

size_t spirv_code_string(uint32_t *words, size_t room, const char *string)
{
	const size_t n = strlen(string) / 4 + 1;

	if (n > room)
		return 0;
	memset(words, 0, n * sizeof(*words));
	memcpy(words, string, strlen(string));
	return n;
}
