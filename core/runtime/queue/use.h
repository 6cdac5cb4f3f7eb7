/* SPDX-License-Identifier: Apache-2.0 */
/* use.h - what a submission does with an allocation. */
#ifndef RUNTIME_USE_H
#define RUNTIME_USE_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/launch.h>
#include <dpr/usm.h>

/* More flags for `access`.  A use with neither DPR_READ nor DPR_WRITE keeps the
   allocation, but is not ordered. */
enum use_access {
	USE_WHOLE = DPR_WRITE_ALL & ~DPR_WRITE,
	USE_RAW = 8, /* a plain pointer: it may read and write, and the program
			orders it */
	USE_ORIGIN = 16 /* the data that this submission writes was read from
			   the allocation by another submission */
};

struct use {
	dpr_usm *usm;
	uint32_t access;
	/* The submissions of the same queue whose results this use gets; 0:
	   none. */
	uint64_t first, last;
};

/* Whether the use may read the old contents, and so must fail if they are
   invalid. */
static inline bool use_reads(uint32_t access)
{
	return (access & (DPR_READ | USE_RAW | USE_ORIGIN)) != 0;
}

/* Whether the use leaves nothing of the old contents. */
static inline bool use_replaces(uint32_t access)
{
	return (access & USE_WHOLE) && !use_reads(access);
}

#endif
