/* SPDX-License-Identifier: Apache-2.0 */
/* selector.h - selectors: the grammar of dpr/device.h, parsed. */
#ifndef RUNTIME_SELECTOR_H
#define RUNTIME_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/device.h>
#include <dpr/info.h>
#include <dpr/status.h>

/* From a device to one of its sub-devices. */
struct selector_step {
	uint32_t how; /* enum dpr_partition_how; 0: the natural partition */
	enum dpr_domain domain;
	uint64_t *counts; /* EQUALLY: one */
	size_t n_counts;
	uint64_t index;
};

struct selector_aspect {
	enum dpr_info key;
	bool wanted;
};

struct selector_term {
	size_t at, length;         /* where it is in the text */
	bool removes;              /* !x */
	char *backend;             /* NULL: any */
	enum dpr_device_type type; /* 0: any */
	bool has_index, has_pci, has_uuid;
	uint64_t index;
	uint32_t pci[4]; /* domain, bus, device, function */
	unsigned char uuid[16];
	struct selector_step *steps;
	size_t n_steps;
	struct selector_aspect *aspects;
	size_t n_aspects;
};

struct selector {
	char *text;
	struct selector_term *terms; /* none: all root devices */
	size_t n;
};

/*
 * Parse @text; NULL is "".  Only after start_library(), since the names of
 * backends are known then.
 * DPR_ERROR_SELECTOR: malformed; the error text has the column and the nearest
 * known word.  DPR_ERROR_OUT_OF_MEMORY.
 */
dpr_status selector_parse(const char *text, struct selector **out);
void selector_drop(struct selector *selector);

#endif
