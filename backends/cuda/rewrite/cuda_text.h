/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_text.h - a text that grows.  `failed` is set when memory was short. */
#ifndef CUDA_TEXT_H
#define CUDA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/backend.h>

struct cuda_text {
	const dprp_host *host;
	char *bytes; /* zero-terminated; NULL while empty */
	size_t size, room;
	bool failed;
};

/* Append @size bytes. */
void cuda_text_add(struct cuda_text *text, const char *bytes, size_t size);
void cuda_text_format(struct cuda_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void cuda_text_free(struct cuda_text *text);

#endif
