/* SPDX-License-Identifier: Apache-2.0 */
/* answer.h - the answers of the three entries for properties. */
#ifndef RUNTIME_ANSWER_H
#define RUNTIME_ANSWER_H

#include "core/runtime/layer/passage.h"

/* A question: how to ask the plugin, the core's arguments, and the rules that
   a wrong answer breaks. */
struct answer {
	struct passage *p;
	dprp_rc (*ask)(const struct answer *answer, void *buffer,
		       size_t capacity, size_t *need);
	void *handle, *device;
	uint32_t key;
	void *buffer;
	size_t capacity, *need;
	/* What is expected in place of the value; NULL: its form is right.
	   @value may be NULL: only the size is known. */
	const char *(*bad_form)(uint32_t key, const void *value, size_t size);
	const char *form_rule;
};

/* Ask the plugin, end the passage, and check the answer. */
dprp_rc answer_get(const struct answer *answer);

#endif
