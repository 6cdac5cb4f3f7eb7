/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - the answers of the three entries for properties. */
#include "core/runtime/layer/answer.h"

/* Ask for the size alone, which must be the same. */
static void check_size(const struct answer *a, size_t need)
{
	size_t other = (size_t)PASSAGE_LONG;
	dprp_rc rc;

	passage_probe(a->p);
	rc = a->ask(a, NULL, 0, &other);
	passage_probed(a->p);
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

static void check(const struct answer *a, dprp_rc rc, size_t need)
{
	const char *form;

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
	if (a->buffer)
		check_size(a, need);
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
