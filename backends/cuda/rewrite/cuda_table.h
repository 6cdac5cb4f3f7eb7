/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_table.h - the table of a module's kernels, and "cuda-binary", the form
   in which the table and the code are kept. */
#ifndef CUDA_TABLE_H
#define CUDA_TABLE_H

#include "cuda_strings.h"
#include "cuda_text.h"

struct cuda_table_kernel {
	const char *name;
	/* Whether the list of parameters is known, and whether it is certain.
	   A list with a macro is not, because a macro may stand for
	   anything. */
	bool known, certain;
	uint32_t n_params;
	dprp_param *params;
	uint64_t required[3]; /* zeros: any size of work-group */
};

struct cuda_table {
	struct cuda_strings strings; /* all of its memory */
	struct cuda_table_kernel *list;
	uint32_t n, room;
	bool locals; /* arguments in local memory are offsets of 4 bytes */
};

/* The most parameters that a kernel can have: one byte each. */
#define CUDA_TABLE_PARAMS 32764

/* Find a kernel, or NULL. */
struct cuda_table_kernel *cuda_table_find(const struct cuda_table *table,
					  const char *name, size_t size);
/* Add a kernel without parameters; NULL if memory runs out. */
struct cuda_table_kernel *cuda_table_add(struct cuda_table *table,
					 const char *name, size_t size);
/* Give a kernel its parameters, copied.  False if memory runs out. */
bool cuda_table_params(struct cuda_table *table,
		       struct cuda_table_kernel *kernel,
		       const dprp_param *params, uint32_t n);
void cuda_table_free(struct cuda_table *table);

/* The code for one kind of device. */
struct cuda_binary {
	int major, minor; /* of the compute capability */
	const void *code;
	size_t size;
};

/* Append a "cuda-binary" to @out. */
void cuda_table_write(const struct cuda_table *table,
		      const struct cuda_binary *binary, struct cuda_text *out);
/* Read a "cuda-binary".  Its code is not copied: binary->code points into
   @bytes.  The table's host must be set.  Returns NULL, or what is wrong with
   the binary. */
const char *cuda_table_read(struct cuda_table *table, const void *bytes,
			    size_t size, struct cuda_binary *binary);
/* Whether this is a whole cubin: everything that its headers name is in it.
   The driver is not told the size, so it could read beyond the end. */
bool cuda_table_is_cubin(const void *bytes, size_t size);

#endif
