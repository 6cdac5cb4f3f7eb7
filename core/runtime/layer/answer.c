/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - the answers of the three entries for properties. */
#include "core/runtime/layer/answer.h"

#include <string.h>

#include "core/base/mem.h"

#define SMALL_BYTE 0xa5

/* Ask for the size alone, which must be the same. */
static void check_size(const struct answer *a, size_t need)
{
	size_t other = (size_t)PASSAGE_LONG;
	dprp_rc rc;

	passage_probe();
	rc = a->ask(a, NULL, 0, &other);
	passage_probed();
	if (rc)
		passage_bad(a->p, "V3", "the size of the value",
			    "the code %d for key %u with the buffer NULL, "
			    "after a value",
			    (int)rc, (unsigned)a->key);
	else if (other != need)
		passage_bad(a->p, "V3", "one size, with and without a buffer",
			    "%zu bytes of key %u, and %zu with the buffer NULL",
			    need, (unsigned)a->key, other);
}

/* Ask with a buffer that is a byte too small.  It must stay as it is. */
static void check_small(const struct answer *a, size_t need)
{
	unsigned char *small = need ? mem_alloc(need) : NULL;
	size_t other = 0, i;
	dprp_rc rc;

	if (!small)
		return;
	memset(small, SMALL_BYTE, need);
	passage_probe();
	rc = a->ask(a, small, need - 1, &other);
	passage_probed();
	for (i = 0; i < need && small[i] == SMALL_BYTE; i++)
		;
	if (rc != DPR_RC_INVALID)
		passage_bad(a->p, "V4", "DPR_RC_INVALID",
			    "the code %d for key %u, of %zu bytes, in a buffer "
			    "of %zu",
			    (int)rc, (unsigned)a->key, need, need - 1);
	else if (i < need)
		passage_bad(a->p, "V4", "a buffer that stays unchanged",
			    "bytes of key %u in a buffer that is too small",
			    (unsigned)a->key);
	mem_free(small);
}

static void check(const struct answer *a, dprp_rc rc, size_t need)
{
	const char *form;

	if (rc == DPR_RC_INVALID && !a->buffer)
		passage_bad(a->p, "V3", "DPR_RC_OK with the size in *need",
			    "the code %d for key %u with the buffer NULL",
			    (int)rc, (unsigned)a->key);
	if (rc)
		return;
	if (need == (size_t)PASSAGE_LONG) {
		passage_bad(a->p, "V3", "the size in *need",
			    "DPR_RC_OK for key %u, and *need was not set",
			    (unsigned)a->key);
		return;
	}
	if (a->buffer && need > a->capacity) {
		passage_bad(a->p, "V4", "DPR_RC_INVALID",
			    "DPR_RC_OK for key %u, with %zu bytes in a buffer "
			    "of %zu",
			    (unsigned)a->key, need, a->capacity);
		return;
	}
	if (a->buffer) {
		check_size(a, need);
		check_small(a, need);
	}
	form = a->bad_form(a->key, a->buffer, need);
	if (form)
		passage_bad(a->p, a->form_rule, form,
			    "%zu bytes of another form for key %u", need,
			    (unsigned)a->key);
}

dprp_rc answer_get(const struct answer *a)
{
	size_t need = (size_t)PASSAGE_LONG;
	dprp_rc rc = a->ask(a, a->buffer, a->capacity, &need);

	rc = passage_end(a->p, rc);
	if (need != (size_t)PASSAGE_LONG)
		*a->need = need;
	if (a->p->layer->checks)
		check(a, rc, need);
	return rc;
}
