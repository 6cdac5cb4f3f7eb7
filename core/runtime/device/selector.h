/* SPDX-License-Identifier: Apache-2.0 */
/* selector.h - selectors: the grammar of device.h, parsed and evaluated. */
#ifndef RUNTIME_SELECTOR_H
#define RUNTIME_SELECTOR_H

#include "core/base/text.h"
#include "core/runtime/device/device.h"

struct device_list;

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
	int wanted;
};

struct selector_term {
	size_t at, length;         /* where it is in the text */
	int removes;               /* !x */
	char *backend;             /* NULL: any */
	enum dpr_device_type type; /* 0: any */
	int has_index, has_pci, has_uuid;
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
 * NULL is "".  Only after registry_start(), which knows the names of backends.
 * DPR_ERROR_SELECTOR: malformed; the text has the column and the nearest known
 * word.  DPR_ERROR_OUT_OF_MEMORY.
 */
dpr_status selector_parse(const char *text, struct selector **out);
void selector_drop(struct selector *selector);

/* Whether a device of the backend may match; in the form of registry_open(). */
int selector_wants(const void *selector, const char *backend);

/* What matched, in order, each once, and by which term. */
struct matches {
	struct match {
		dpr_device *device;
		size_t term; /* the number of terms: by none, there is none */
	} * list;
	size_t n;
	dpr_status refused; /* why a sub-device could not be made, if so */
	struct text notes;  /* and the words for it, a line each */
};

/* The devices of @list that match.  Divides devices.
   DPR_ERROR_OUT_OF_MEMORY. */
dpr_status selector_evaluate(const struct selector *selector,
			     const struct device_list *list,
			     struct matches *out);
void matches_drop(struct matches *matches);

/* Whether @term matches the root device, its index and aspects aside. */
int selector_fits(const struct selector_term *term, const dpr_device *device);

/* "0000:3b:00.0" or "3b:00.0" into four numbers; 0 if it is malformed.  Reads
   @length letters. */
int selector_pci(const char *address, size_t length, uint32_t out[4]);

#endif
