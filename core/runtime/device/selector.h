/* SPDX-License-Identifier: Apache-2.0 */
/* selector.h - parsing selectors, whose grammar is in dpr/device.h. */
#ifndef RUNTIME_SELECTOR_H
#define RUNTIME_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/device.h>
#include <dpr/info.h>
#include <dpr/status.h>

/* A step from a device to one of its sub-devices. */
struct selector_step {
	uint32_t how; /* enum dpr_partition_how; 0: the natural partition */
	enum dpr_domain domain;
	uint64_t *counts; /* one number if `how` is EQUALLY */
	size_t n_counts;
	uint64_t index;
};

struct selector_aspect {
	enum dpr_info key;
	bool wanted;
};

struct selector_term {
	size_t at, length;         /* the place of the term in the text */
	bool removes;              /* the term begins with ! */
	char *backend;             /* NULL: any backend */
	enum dpr_device_type type; /* 0: any type */
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
	/* n 0: the selector means all root devices */
	struct selector_term *terms;
	size_t n;
};

/*
 * Parse @text; NULL is "".  Call it only after start_library(): then the names
 * of backends are known.
 * DPR_ERROR_SELECTOR: malformed; the error text has the column and the nearest
 * known word.  DPR_ERROR_OUT_OF_MEMORY.
 */
dpr_status selector_parse(const char *text, struct selector **out);
void selector_drop(struct selector *selector);

/* The word for a value of enum dpr_domain, such as "numa"; "" for any other
   number. */
const char *selector_domain(uint32_t domain);

#endif
