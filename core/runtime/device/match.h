/* SPDX-License-Identifier: Apache-2.0 */
/* match.h - which devices a selector matches. */
#ifndef RUNTIME_MATCH_H
#define RUNTIME_MATCH_H

#include "core/base/text.h"
#include "core/runtime/device/device_list.h"
#include "core/runtime/device/selector.h"

/* What matched, in order, each once, and by which term. */
struct matches {
	struct match {
		dpr_device *device;
		size_t term; /* the term's number; selector->n if no term adds
				devices */
	} * list;
	size_t n;
	dpr_status refused; /* why a sub-device could not be made, or DPR_OK */
	struct text notes;  /* the reasons in words, a line each */
};

/* Whether a device of the backend may match; in the form that registry_open()
   takes. */
bool match_wants(const void *selector, const char *backend);

/* Whether @term matches the root device, apart from index and aspects. */
bool match_fits(const struct selector_term *term, const dpr_device *device);

/* Find the devices of @list that match.  Divides devices.
   DPR_ERROR_OUT_OF_MEMORY. */
dpr_status match_selector(const struct selector *selector,
			  const struct device_list *list, struct matches *out);
void match_drop(struct matches *matches);

#endif
