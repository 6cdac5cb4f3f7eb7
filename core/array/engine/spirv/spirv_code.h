/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spirv_code.h - reads and writes instructions of SPIR-V.  An instruction is a
 * sequence of 32-bit words.  All numbers in this file come from the SPIR-V
 * specification.
 */
#ifndef ARRAY_SPIRV_CODE_H
#define ARRAY_SPIRV_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"

#define SPIRV_MAGIC 0x07230203u
#define SPIRV_HEADER 5 /* the number of words before the first instruction */

/* X(name, number, has a type, has a result, operands).  Each letter stands for
   an operand: i is an id, and n is a number or a word of a string.  The operand
   after * may occur any number of times, or not at all. */
#define SPIRV_OP_MAP(X)                                \
	X(UNDEF, 1, 1, 1, "")                          \
	X(SOURCE, 3, 0, 0, "*n")                       \
	X(NAME, 5, 0, 0, "in*n")                       \
	X(EXTENSION, 10, 0, 0, "n*n")                  \
	X(EXT_INST_IMPORT, 11, 0, 1, "n*n")            \
	X(EXT_INST, 12, 1, 1, "in*i")                  \
	X(MEMORY_MODEL, 14, 0, 0, "nn")                \
	X(ENTRY_POINT, 15, 0, 0, "nin*n")              \
	X(EXECUTION_MODE, 16, 0, 0, "in*n")            \
	X(CAPABILITY, 17, 0, 0, "n")                   \
	X(TYPE_VOID, 19, 0, 1, "")                     \
	X(TYPE_BOOL, 20, 0, 1, "")                     \
	X(TYPE_INT, 21, 0, 1, "nn")                    \
	X(TYPE_FLOAT, 22, 0, 1, "n")                   \
	X(TYPE_VECTOR, 23, 0, 1, "in")                 \
	X(TYPE_ARRAY, 28, 0, 1, "ii")                  \
	X(TYPE_STRUCT, 30, 0, 1, "*i")                 \
	X(TYPE_POINTER, 32, 0, 1, "ni")                \
	X(TYPE_FUNCTION, 33, 0, 1, "i*i")              \
	X(CONSTANT_TRUE, 41, 1, 1, "")                 \
	X(CONSTANT_FALSE, 42, 1, 1, "")                \
	X(CONSTANT, 43, 1, 1, "n*n")                   \
	X(CONSTANT_COMPOSITE, 44, 1, 1, "*i")          \
	X(CONSTANT_NULL, 46, 1, 1, "")                 \
	X(FUNCTION, 54, 1, 1, "ni")                    \
	X(FUNCTION_PARAMETER, 55, 1, 1, "")            \
	X(FUNCTION_END, 56, 0, 0, "")                  \
	X(FUNCTION_CALL, 57, 1, 1, "i*i")              \
	X(VARIABLE, 59, 1, 1, "n*i")                   \
	X(LOAD, 61, 1, 1, "i*n")                       \
	X(STORE, 62, 0, 0, "ii*n")                     \
	X(COPY_MEMORY_SIZED, 64, 0, 0, "iii*n")        \
	X(PTR_ACCESS_CHAIN, 67, 1, 1, "ii*i")          \
	X(INBOUNDS_PTR_ACCESS_CHAIN, 70, 1, 1, "ii*i") \
	X(DECORATE, 71, 0, 0, "in*n")                  \
	X(COMPOSITE_EXTRACT, 81, 1, 1, "i*n")          \
	X(COMPOSITE_INSERT, 82, 1, 1, "ii*n")          \
	X(U_CONVERT, 113, 1, 1, "i")                   \
	X(BITCAST, 124, 1, 1, "i")                     \
	X(I_ADD, 128, 1, 1, "ii")                      \
	X(I_SUB, 130, 1, 1, "ii")                      \
	X(I_MUL, 132, 1, 1, "ii")                      \
	X(U_DIV, 134, 1, 1, "ii")                      \
	X(SELECT, 169, 1, 1, "iii")                    \
	X(I_NOT_EQUAL, 171, 1, 1, "ii")                \
	X(S_GREATER_THAN_EQUAL, 175, 1, 1, "ii")       \
	X(U_LESS_THAN, 176, 1, 1, "ii")                \
	X(SHIFT_RIGHT_LOGICAL, 194, 1, 1, "ii")        \
	X(BITWISE_OR, 197, 1, 1, "ii")                 \
	X(CONTROL_BARRIER, 224, 0, 0, "iii")           \
	X(PHI, 245, 1, 1, "*i")                        \
	X(LOOP_MERGE, 246, 0, 0, "iin*n")              \
	X(SELECTION_MERGE, 247, 0, 0, "in")            \
	X(LABEL, 248, 0, 1, "")                        \
	X(BRANCH, 249, 0, 0, "i")                      \
	X(BRANCH_CONDITIONAL, 250, 0, 0, "iii*n")      \
	X(RETURN, 253, 0, 0, "")                       \
	X(RETURN_VALUE, 254, 0, 0, "i")                \
	X(UNREACHABLE, 255, 0, 0, "")                  \
	X(LIFETIME_START, 256, 0, 0, "in")             \
	X(LIFETIME_STOP, 257, 0, 0, "in")

enum spirv_op {
#define SPIRV__X(name, number, type, result, operands) SPIRV_##name = number,
	SPIRV_OP_MAP(SPIRV__X)
#undef SPIRV__X
};

enum {
	SPIRV_CAPABILITY_VECTOR16 = 7,
	SPIRV_CAPABILITY_FLOAT64 = 10,
	SPIRV_MODEL_KERNEL = 6,
	SPIRV_MODE_CONTRACTION_OFF = 31,
	SPIRV_CLASS_INPUT = 1,
	SPIRV_CLASS_WORKGROUP = 4,
	SPIRV_CLASS_CROSS_WORKGROUP = 5,
	SPIRV_CLASS_FUNCTION = 7,
	SPIRV_DECORATION_BUILT_IN = 11,
	SPIRV_DECORATION_CONSTANT = 22,
	SPIRV_DECORATION_PARAMETER = 38,
	SPIRV_DECORATION_LINKAGE = 41,
	SPIRV_DECORATION_ALIGNMENT = 44,
	SPIRV_LINKAGE_IMPORT = 1,
	SPIRV_PARAMETER_BY_VALUE = 2,
	SPIRV_BUILT_IN_GROUP = 26,
	SPIRV_BUILT_IN_LOCAL = 27,
	SPIRV_BUILT_IN_GLOBAL = 28,
	SPIRV_ACCESS_ALIGNED = 2,
	SPIRV_LOOP_ROLLED = 2,
	SPIRV_SCOPE_WORKGROUP = 2,
	/* memory semantics: sequentially consistent, for local memory */
	SPIRV_SEMANTICS_LOCAL = 0x110
};

/* An instruction that has been read. */
struct spirv_code {
	unsigned op;
	/* the number of words of the whole instruction */
	unsigned n;
	uint32_t type, result; /* ids; 0: the instruction has none */
	const uint32_t *operands;
	unsigned n_operands;
	const char *shape; /* the operands' kinds, as in SPIRV_OP_MAP */
};

/* Read the instruction at @words.  At most @left words may be read.  Returns
   false if the instruction is cut off or unknown, has a wrong number of words,
   or lacks its type or result. */
bool spirv_code_read(const uint32_t *words, size_t left,
		     struct spirv_code *code);

/* Whether operand @i of the instruction is an id. */
bool spirv_code_is_id(const struct spirv_code *code, unsigned i);

/* Append an instruction that has @n operands to @to.  @type and @result are
   ids, or 0 if the instruction has none. */
void spirv_code_add(struct text *to, enum spirv_op op, uint32_t type,
		    uint32_t result, const uint32_t *operands, size_t n);

/* Append @n words to @to. */
void spirv_code_words(struct text *to, const uint32_t *words, size_t n);

/* Copy @string with its final 0 to @words, as a string of SPIR-V: the last word
   is filled up with zeros.  There is room for @room words.  Returns the number
   of words written.  0: the string is too long. */
size_t spirv_code_string(uint32_t *words, size_t room, const char *string);

#endif
