/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_strings.h - small strings and other memory that is freed together. */
#ifndef CUDA_STRINGS_H
#define CUDA_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/backend.h>

/* All memory of one owner.  `failed` is set when an allocation has failed. */
struct cuda_strings {
	const dprp_host *host;
	struct cuda_string_block *blocks;
	bool failed;
};

/* Get @size bytes of memory; NULL if there is none. */
void *cuda_strings_get(struct cuda_strings *strings, size_t size);
/* Copy a text; "" if memory runs out. */
const char *cuda_strings_copy(struct cuda_strings *strings, const char *text,
			      size_t size);
const char *cuda_strings_format(struct cuda_strings *strings,
				const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void cuda_strings_free(struct cuda_strings *strings);

#endif
