/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_library.c - copies functions from a SPIR-V module to others. */
#include "core/array/engine/spirv/spirv_library.h"

#include <string.h>

#include "core/base/mem.h"

/* A module with more ids than this is refused.  In a damaged module the number
   of ids may be much too large, and arrays of this length are allocated. */
#define MOST_IDS (1u << 20)

static enum spirv_section section_of(unsigned op)
{
	switch (op) {
	case SPIRV_CAPABILITY: return SPIRV_CAPABILITIES;
	case SPIRV_EXTENSION:
	case SPIRV_EXT_INST_IMPORT: return SPIRV_IMPORTS;
	case SPIRV_MEMORY_MODEL:
	case SPIRV_ENTRY_POINT:
	case SPIRV_EXECUTION_MODE: return SPIRV_MODEL;
	case SPIRV_SOURCE:
	case SPIRV_NAME: return SPIRV_NAMES;
	case SPIRV_DECORATE: return SPIRV_DECORATIONS;
	default:
		return op < SPIRV_FUNCTION || op == SPIRV_VARIABLE
			       ? SPIRV_GLOBALS
			       : SPIRV_FUNCTIONS;
	}
}

/* The instruction at word @at of a library that has been read. */
static struct spirv_code code_at(const struct spirv_library *library, size_t at)
{
	struct spirv_code code;

	if (!spirv_code_read(library->words + at, library->n_words - at, &code))
		code = (struct spirv_code){ .n = 1, .shape = "" };
	return code;
}

static unsigned op_of(const struct spirv_library *library, uint32_t id)
{
	return library->at[id] ? library->words[library->at[id]] & 0xffff : 0;
}

/* --- Reading ------------------------------------------------------------ */

/* Record that the instruction at word @at defines its result.  Returns false if
   the result's id is too large, or is defined twice. */
static bool define(struct spirv_library *library, size_t at,
		   const struct spirv_code *code)
{
	if (!code->result)
		return true;
	if (code->result >= library->bound || library->at[code->result])
		return false;
	library->at[code->result] = (uint32_t)at;
	return true;
}

/* Find where sections begin, and where each id is defined.  Returns false if
   sections are out of order, or if a function begins inside another. */
static bool find_all(struct spirv_library *library)
{
	enum spirv_section last = SPIRV_CAPABILITIES, section;
	struct spirv_code code;
	bool inside = false;

	for (size_t at = SPIRV_HEADER; at < library->n_words; at += code.n) {
		if (!spirv_code_read(library->words + at, library->n_words - at,
				     &code) ||
		    !define(library, at, &code))
			return false;
		section = inside ? SPIRV_FUNCTIONS : section_of(code.op);
		if (section < last)
			return false;
		if (section == SPIRV_GLOBALS && last != SPIRV_GLOBALS)
			library->globals = at;
		if (section == SPIRV_FUNCTIONS && last != SPIRV_FUNCTIONS)
			library->functions = at;
		last = section;
		if (section == SPIRV_FUNCTIONS &&
		    inside == (code.op == SPIRV_FUNCTION))
			return false;
		inside = section == SPIRV_FUNCTIONS &&
			 code.op != SPIRV_FUNCTION_END;
	}
	return !inside && library->globals && library->functions;
}

static bool is_defined(const struct spirv_library *library, uint32_t id)
{
	return id < library->bound && library->at[id];
}

/* Check that all ids in instructions are defined.  A global may refer only to
   earlier globals. */
static bool check_all(const struct spirv_library *library)
{
	for (size_t at = SPIRV_HEADER, n; at < library->n_words; at += n) {
		const struct spirv_code code = code_at(library, at);
		const bool ordered = section_of(code.op) == SPIRV_GLOBALS &&
				     at < library->functions;

		n = code.n;
		if (code.type && (!is_defined(library, code.type) ||
				  library->at[code.type] >= at))
			return false;
		for (unsigned i = 0; i < code.n_operands; i++) {
			if (!spirv_code_is_id(&code, i))
				continue;
			if (!is_defined(library, code.operands[i]) ||
			    (ordered && library->at[code.operands[i]] >= at))
				return false;
		}
	}
	return true;
}

bool spirv_library_read(struct spirv_library *library, const void *data,
			size_t size)
{
	*library = (struct spirv_library){ .words = data, .n_words = size / 4 };
	if (!data || size % 4 || library->n_words <= SPIRV_HEADER ||
	    library->n_words > UINT32_MAX || library->words[0] != SPIRV_MAGIC)
		return false;
	library->bound = library->words[3];
	if (!library->bound || library->bound > MOST_IDS)
		return false;
	library->at = mem_array(library->bound, sizeof(*library->at));
	library->queue = mem_array(library->bound, sizeof(*library->queue));
	library->used = mem_alloc(library->bound);
	library->failed = !library->at || !library->queue || !library->used;
	return !library->failed && find_all(library) && check_all(library);
}

void spirv_library_fini(struct spirv_library *library)
{
	mem_free(library->at);
	mem_free(library->queue);
	mem_free(library->used);
}

/* --- Finding ------------------------------------------------------------ */

static bool has_name(const struct spirv_code *code, const char *name)
{
	const size_t room = (code->n_operands - 1) * sizeof(uint32_t);
	const size_t length = strlen(name);

	return length < room && !memcmp(code->operands + 1, name, length + 1);
}

uint32_t spirv_library_find(const struct spirv_library *library,
			    enum spirv_op op, const char *name)
{
	for (size_t at = SPIRV_HEADER, n; at < library->functions; at += n) {
		const struct spirv_code code = code_at(library, at);

		n = code.n;
		if (code.op == SPIRV_NAME && has_name(&code, name) &&
		    op_of(library, code.operands[0]) == op)
			return code.operands[0];
	}
	return 0;
}

unsigned spirv_library_signature(const struct spirv_library *library,
				 uint32_t function, const uint32_t **types)
{
	struct spirv_code code;
	uint32_t type;

	if (function >= library->bound ||
	    op_of(library, function) != SPIRV_FUNCTION)
		return 0;
	code = code_at(library, library->at[function]);
	type = code.operands[1];
	if (op_of(library, type) != SPIRV_TYPE_FUNCTION)
		return 0;
	code = code_at(library, library->at[type]);
	*types = code.operands;
	return code.n_operands;
}

uint32_t spirv_library_equal(const uint32_t *words, size_t n, enum spirv_op op,
			     uint32_t type, const uint32_t *operands,
			     size_t n_operands)
{
	struct spirv_code code;

	for (size_t at = 0; at < n; at += code.n) {
		if (!spirv_code_read(words + at, n - at, &code))
			return 0;
		if (code.op == op && code.type == type &&
		    code.n_operands == n_operands &&
		    (!n_operands || !memcmp(code.operands, operands,
					    n_operands * sizeof(*operands))))
			return code.result;
	}
	return 0;
}

/* --- What is used ------------------------------------------------------- */

static void mark(struct spirv_library *library, uint32_t id)
{
	if (id >= library->bound || library->used[id])
		return;
	library->used[id] = 1;
	if (library->at[id] < library->functions ||
	    op_of(library, id) == SPIRV_FUNCTION)
		library->queue[library->n_queued++] = id;
}

static void mark_code(struct spirv_library *library,
		      const struct spirv_code *code)
{
	mark(library, code->type);
	mark(library, code->result);
	for (unsigned i = 0; i < code->n_operands; i++)
		if (spirv_code_is_id(code, i))
			mark(library, code->operands[i]);
}

static void mark_function(struct spirv_library *library, size_t at)
{
	const size_t begin = at;
	struct spirv_code code;

	do {
		code = code_at(library, at);
		mark_code(library, &code);
		at += code.n;
	} while (code.op != SPIRV_FUNCTION_END && at < library->n_words);
	library->used_words += at - begin;
}

void spirv_library_use(struct spirv_library *library, uint32_t id)
{
	struct spirv_code code;
	uint32_t next;

	mark(library, id);
	while (library->n_seen < library->n_queued) {
		next = library->queue[library->n_seen++];
		code = code_at(library, library->at[next]);
		if (code.op == SPIRV_FUNCTION)
			mark_function(library, library->at[next]);
		else if (library->at[next])
			mark_code(library, &code);
	}
}

void spirv_library_use_all(struct spirv_library *library, const uint32_t *words,
			   size_t n)
{
	struct spirv_code code;

	for (size_t at = 0; at < n; at += code.n) {
		if (!spirv_code_read(words + at, n - at, &code))
			return;
		spirv_library_use(library, code.type);
		for (unsigned i = 0; i < code.n_operands; i++)
			if (spirv_code_is_id(&code, i))
				spirv_library_use(library, code.operands[i]);
	}
}

void spirv_library_forget(struct spirv_library *library)
{
	memset(library->used, 0, library->bound);
	library->n_queued = library->n_seen = library->used_words = 0;
}

/* --- Copying ------------------------------------------------------------ */

/* Whether the kernel uses the type float64. */
static bool uses_double(const struct spirv_library *library)
{
	struct spirv_code code;

	for (size_t i = 0; i < library->n_queued; i++) {
		code = code_at(library, library->at[library->queue[i]]);
		if (code.op == SPIRV_TYPE_FLOAT && code.operands[0] == 64)
			return true;
	}
	return false;
}

/* Whether an instruction of a section before SPIRV_FUNCTIONS is copied into the
   module of the kernel. */
static bool is_kept(const struct spirv_library *library,
		    const struct spirv_code *code)
{
	switch (code->op) {
	case SPIRV_CAPABILITY:
		return code->operands[0] != SPIRV_CAPABILITY_FLOAT64 ||
		       uses_double(library);
	case SPIRV_NAME: return library->used[code->operands[0]];
	case SPIRV_DECORATE:
		return library->used[code->operands[0]] &&
		       code->operands[1] != SPIRV_DECORATION_LINKAGE;
	case SPIRV_ENTRY_POINT:
	case SPIRV_EXECUTION_MODE: return false;
	default: return !code->result || library->used[code->result];
	}
}

void spirv_library_copy(const struct spirv_library *library,
			enum spirv_section section, struct text *to)
{
	const bool functions = section == SPIRV_FUNCTIONS;
	size_t at = functions ? library->functions : SPIRV_HEADER;
	const size_t end = functions ? library->n_words : library->functions;
	struct spirv_code code;
	bool keep = false;

	for (; at < end; at += code.n) {
		code = code_at(library, at);
		if (!functions)
			keep = section_of(code.op) == section &&
			       is_kept(library, &code);
		else if (code.op == SPIRV_FUNCTION)
			keep = library->used[code.result];
		if (keep)
			spirv_code_words(to, library->words + at, code.n);
	}
}
