/* SPDX-License-Identifier: Apache-2.0 */
/* vmcode_brief.c - decides whether a launch of a program is brief
   (vmcode_brief.h). */
#include "core/array/engine/native/vmcode_brief.h"

#include <stdbool.h>

/* Whether operand @k has few gaps: its elements take at least half of the
   memory from the first to the last. */
static bool is_close(const struct vm_code *code, const struct vm_words *words,
		     int k)
{
	uint64_t span = 1, count = 1;

	for (int d = 0; d < code->rank; d++) {
		const int64_t step = words->stride[d * code->operands + k];
		const uint64_t last = words->extent[d] - 1;

		if (!step || !words->extent[d])
			continue;
		span += last * (uint64_t)(step < 0 ? -step : step);
		count *= words->extent[d];
	}
	return span <= 2 * count;
}

uint64_t vmcode_brief_strided(const struct vm_code *code)
{
	const struct vm_operand *operand = (const void *)(code + 1);
	const struct vm_words words = vm_words(code);
	int axes = 0;

	for (int d = 0; d < code->rank; d++)
		axes += words.extent[d] != 1;
	for (int k = 0; k < code->operands; k++)
		if (!operand[k].is_index && !is_close(code, &words, k))
			return VMCODE_BRIEF_APART;
	return axes < 2 ? VMCODE_BRIEF : VMCODE_BRIEF / 2;
}
