/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_module.c - writes a SPIR-V module with one kernel. */
#include "core/array/engine/spirv/spirv_module.h"

#include <string.h>

/* The most words of an instruction in this file. */
#define MOST_WORDS 64

bool spirv_module_begin(struct spirv_module *module, const void *data,
			size_t size)
{
	*module = (struct spirv_module){ 0 };
	if (!spirv_library_read(&module->library, data, size))
		return false;
	module->bound = module->library.bound;
	return true;
}

void spirv_module_fini(struct spirv_module *module)
{
	spirv_library_fini(&module->library);
	for (int i = 0; i < SPIRV_SECTIONS; i++)
		text_fini(&module->part[i]);
	text_fini(&module->variables);
	text_fini(&module->body);
}

uint32_t spirv_module_id(struct spirv_module *module)
{
	return module->bound++;
}

uint32_t spirv_module_make(struct spirv_module *module, enum spirv_op op,
			   uint32_t type, const uint32_t *operands, size_t n)
{
	const uint32_t id = spirv_module_id(module);

	spirv_code_add(&module->body, op, type, id, operands, n);
	return id;
}

void spirv_module_do(struct spirv_module *module, enum spirv_op op,
		     const uint32_t *operands, size_t n)
{
	spirv_code_add(&module->body, op, 0, 0, operands, n);
}

/* --- Types, constants, variables ---------------------------------------- */

/* Return the bytes of @text as 32-bit words.  *@n becomes the number of words.
   A text's memory is aligned for any type. */
static const uint32_t *words_of(const struct text *text, size_t *n)
{
	*n = text->size / sizeof(uint32_t);
	return (const uint32_t *)(const void *)text->bytes;
}

uint32_t spirv_module_global(struct spirv_module *module, enum spirv_op op,
			     uint32_t type, const uint32_t *operands, size_t n)
{
	const struct spirv_library *library = &module->library;
	size_t n_own;
	const uint32_t *own = words_of(&module->part[SPIRV_GLOBALS], &n_own);
	uint32_t id = spirv_library_equal(library->words + library->globals,
					  library->functions - library->globals,
					  op, type, operands, n);

	if (!id)
		id = spirv_library_equal(own, n_own, op, type, operands, n);
	if (id)
		return id;
	id = spirv_module_id(module);
	spirv_code_add(&module->part[SPIRV_GLOBALS], op, type, id, operands, n);
	return id;
}

uint32_t spirv_module_integer(struct spirv_module *module, unsigned bits)
{
	return SPIRV_TYPE(module, INT, bits, 0);
}

uint32_t spirv_module_float(struct spirv_module *module, unsigned bits)
{
	return SPIRV_TYPE(module, FLOAT, bits);
}

uint32_t spirv_module_vector(struct spirv_module *module, uint32_t type,
			     unsigned n)
{
	return n == 1 ? type : SPIRV_TYPE(module, VECTOR, type, n);
}

uint32_t spirv_module_pointer(struct spirv_module *module, unsigned class,
			      uint32_t type)
{
	return SPIRV_TYPE(module, POINTER, class, type);
}

uint32_t spirv_module_number(struct spirv_module *module, unsigned bits,
			     uint64_t value)
{
	const uint32_t words[] = { (uint32_t)value, (uint32_t)(value >> 32) };

	return spirv_module_global(module, SPIRV_CONSTANT,
				   spirv_module_integer(module, bits), words,
				   bits / 32);
}

void spirv_module_decorate(struct spirv_module *module, const uint32_t *words,
			   size_t n)
{
	spirv_code_add(&module->part[SPIRV_DECORATIONS], SPIRV_DECORATE, 0, 0,
		       words, n);
}

uint32_t spirv_module_variable(struct spirv_module *module, uint32_t type,
			       unsigned alignment)
{
	const uint32_t id = spirv_module_id(module);

	spirv_code_add(&module->variables, SPIRV_VARIABLE, type, id,
		       SPIRV_WORDS(SPIRV_CLASS_FUNCTION));
	spirv_module_decorate(
		module, SPIRV_WORDS(id, SPIRV_DECORATION_ALIGNMENT, alignment));
	return id;
}

uint32_t spirv_module_local(struct spirv_module *module, uint32_t type,
			    unsigned alignment)
{
	const uint32_t pointer =
		spirv_module_pointer(module, SPIRV_CLASS_WORKGROUP, type);
	const uint32_t id = spirv_module_id(module);

	spirv_code_add(&module->part[SPIRV_GLOBALS], SPIRV_VARIABLE, pointer,
		       id, SPIRV_WORDS(SPIRV_CLASS_WORKGROUP));
	spirv_module_decorate(
		module, SPIRV_WORDS(id, SPIRV_DECORATION_ALIGNMENT, alignment));
	return id;
}

/* clang declares built-in variables in this form, as imports with a name.  So
   drivers know this form. */
uint32_t spirv_module_built_in(struct spirv_module *module, unsigned which,
			       const char *name)
{
	const uint32_t vector = spirv_module_vector(
		module, spirv_module_integer(module, 64), 3);
	const uint32_t type =
		spirv_module_pointer(module, SPIRV_CLASS_INPUT, vector);
	const uint32_t id = spirv_module_id(module);
	uint32_t words[MOST_WORDS] = { id };
	size_t n = 1 + spirv_code_string(words + 1, MOST_WORDS - 4, name);

	spirv_code_add(&module->part[SPIRV_GLOBALS], SPIRV_VARIABLE, type, id,
		       SPIRV_WORDS(SPIRV_CLASS_INPUT));
	spirv_code_add(&module->part[SPIRV_NAMES], SPIRV_NAME, 0, 0, words, n);
	spirv_module_decorate(
		module, SPIRV_WORDS(id, SPIRV_DECORATION_BUILT_IN, which));
	spirv_module_decorate(module,
			      SPIRV_WORDS(id, SPIRV_DECORATION_CONSTANT));
	words[1] = SPIRV_DECORATION_LINKAGE;
	n = 2 + spirv_code_string(words + 2, MOST_WORDS - 4, name);
	words[n++] = SPIRV_LINKAGE_IMPORT;
	spirv_module_decorate(module, words, n);
	return id;
}

/* --- Functions ---------------------------------------------------------- */

uint32_t spirv_module_function(struct spirv_module *module, const char *name)
{
	const uint32_t id =
		spirv_library_find(&module->library, SPIRV_FUNCTION, name);

	module->failed |= !id;
	return id;
}

uint32_t spirv_module_call(struct spirv_module *module, uint32_t function,
			   uint32_t result, const struct spirv_value *x,
			   unsigned n)
{
	uint32_t words[MOST_WORDS] = { function };
	const uint32_t *types = NULL;

	if (n >= MOST_WORDS ||
	    spirv_library_signature(&module->library, function, &types) !=
		    n + 1 ||
	    types[0] != result) {
		module->failed = true;
		return 0;
	}
	for (unsigned i = 0; i < n; i++) {
		module->failed |= types[i + 1] != x[i].type;
		words[i + 1] = x[i].id;
	}
	return spirv_module_make(module, SPIRV_FUNCTION_CALL, result, words,
				 n + 1);
}

/* --- The whole ---------------------------------------------------------- */

static void add_entry(struct spirv_module *module, uint32_t kernel,
		      const char *name, const uint32_t *used, unsigned n_used)
{
	uint32_t words[MOST_WORDS] = { SPIRV_MODEL_KERNEL, kernel };
	struct text *to = &module->part[SPIRV_MODEL];
	size_t n = spirv_code_string(words + 2, MOST_WORDS - 2 - n_used, name);

	if (!n) {
		module->failed = true;
		return;
	}
	n += 2;
	memcpy(words + n, used, n_used * sizeof(*used));
	spirv_code_add(to, SPIRV_ENTRY_POINT, 0, 0, words, n + n_used);
	spirv_code_add(to, SPIRV_EXECUTION_MODE, 0, 0,
		       SPIRV_WORDS(kernel, SPIRV_MODE_CONTRACTION_OFF));
}

/* Append the kernel to the functions that are copied from the library. */
static void add_kernel(struct spirv_module *module, uint32_t kernel,
		       const struct spirv_value *parameters, unsigned n)
{
	const uint32_t nothing =
		spirv_module_global(module, SPIRV_TYPE_VOID, 0, NULL, 0);
	uint32_t words[MOST_WORDS] = { nothing }, type;
	struct text *to = &module->part[SPIRV_FUNCTIONS];

	for (unsigned i = 0; i < n; i++)
		words[i + 1] = parameters[i].type;
	type = spirv_module_global(module, SPIRV_TYPE_FUNCTION, 0, words,
				   n + 1);
	spirv_code_add(to, SPIRV_FUNCTION, nothing, kernel,
		       SPIRV_WORDS(0, type));
	for (unsigned i = 0; i < n; i++)
		spirv_code_add(to, SPIRV_FUNCTION_PARAMETER, parameters[i].type,
			       parameters[i].id, NULL, 0);
	spirv_code_add(to, SPIRV_LABEL, 0, spirv_module_id(module), NULL, 0);
	text_add(to, text_get(&module->variables), module->variables.size);
	text_add(to, text_get(&module->body), module->body.size);
	spirv_code_add(to, SPIRV_FUNCTION_END, 0, 0, NULL, 0);
}

bool spirv_module_lacks_memory(const struct spirv_module *module)
{
	bool failed = module->library.failed || module->variables.failed ||
		      module->body.failed;

	for (int i = 0; i < SPIRV_SECTIONS; i++)
		failed |= module->part[i].failed;
	return failed;
}

bool spirv_module_end(struct spirv_module *module, const char *kernel,
		      const struct spirv_value *parameters,
		      unsigned n_parameters, const uint32_t *used,
		      unsigned n_used, struct text *out)
{
	const uint32_t id = spirv_module_id(module);
	uint32_t head[SPIRV_HEADER];
	const uint32_t *words;
	size_t n;

	add_entry(module, id, kernel, used, n_used);
	add_kernel(module, id, parameters, n_parameters);
	if (module->failed || spirv_module_lacks_memory(module))
		return false;
	for (int i = 0; i < SPIRV_SECTIONS; i++) {
		words = words_of(&module->part[i], &n);
		spirv_library_use_all(&module->library, words, n);
	}
	memcpy(head, module->library.words, sizeof(head));
	head[3] = module->bound;
	spirv_code_words(out, head, SPIRV_HEADER);
	for (int i = 0; i < SPIRV_SECTIONS; i++) {
		const struct text *own = &module->part[i];

		spirv_library_copy(&module->library, (enum spirv_section)i,
				   out);
		text_add(out, text_get(own), own->size);
	}
	return !out->failed;
}
