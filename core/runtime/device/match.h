/* SPDX-License-Identifier: Apache-2.0 */
/* match.h - which devices a selector matches. */
#ifndef RUNTIME_MATCH_H
#define RUNTIME_MATCH_H

#include "core/base/text.h"
#include "core/runtime/device/device_list.h"
#include "core/runtime/device/selector.h"

/* The devices that matched, in order and each once, with the term that
   matched. */
struct matches {
	struct match {
		dpr_device *device;
		/* the term's number; selector->n: no term adds devices, so all
		   matched */
		size_t term;
	} * list;
	size_t n;
	/* the reason why a sub-device could not be made, or DPR_OK */
	dpr_status refused;
	struct text notes; /* the reasons in words, one line each */
};

/* Whether a device of @backend can match @selector, a struct selector.  A
   callback for registry_open(). */
bool match_wants(const void *selector, const char *backend);

/* Whether @term, ignoring its index and aspects, matches a root device. */
bool match_fits(const struct selector_term *term, const dpr_device *device);

/* Find the devices that match.  Divides devices of @list if @selector names
   sub-devices.  DPR_ERROR_OUT_OF_MEMORY. */
dpr_status match_selector(const struct selector *selector,
			  const struct device_list *list, struct matches *out);
void match_drop(struct matches *matches);

#endif
