/* SPDX-License-Identifier: Apache-2.0 */
/* failure.c - failures, which are shared by everything that became invalid. */
#include "core/base/failure.h"

#include <string.h>

#include "core/base/mem.h"

/* Used when memory runs out.  It is static, so that a failure is never lost. */
static struct failure unknown = {
	.refs = { 1 },
	.status = DPR_ERROR_OUT_OF_MEMORY,
	.text = "a submission has failed, and there was no memory to record why",
};

struct failure *failure_new(dpr_status status, const char *text)
{
	size_t size = strlen(text) + 1;
	struct failure *failure = mem_alloc(sizeof(*failure) + size);

	if (!failure)
		return &unknown;
	refs_init(&failure->refs);
	failure->status = status;
	memcpy(failure->text, text, size);
	return failure;
}

struct failure *failure_retain(struct failure *failure)
{
	if (failure && failure != &unknown)
		refs_take(&failure->refs);
	return failure;
}

void failure_release(struct failure *failure)
{
	if (failure && failure != &unknown && refs_drop(&failure->refs))
		mem_free(failure);
}
