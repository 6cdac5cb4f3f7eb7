/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin_struct.h - two rules of the plugin ABI that every plugin follows: how
 * structs grow, and how the core asks for information, in one call for the size
 * and one for the value.
 *
 * Functions here have no state.  They need only <dpr/backend.h>, so that a
 * plugin outside of this tree can have a copy.
 */
#ifndef PLUGIN_STRUCT_H
#define PLUGIN_STRUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <dpr/backend.h>

/* Copy the struct @from to @to, which has @size bytes.  Members that @from
   lacks become zero; members that only @from has are ignored. */
static inline void plugin_struct_copy(void *to, size_t size, const void *from)
{
	size_t theirs;

	memcpy(&theirs, from, sizeof(theirs)); /* struct_size comes first */
	if (theirs < size)
		memset(to, 0, size);
	memcpy(to, from, theirs < size ? theirs : size);
}

/* Whether the core is older than this plugin.  If so, its structs may be
   shorter. */
static inline bool plugin_struct_may_lack(const dprp_host *host)
{
	const uint32_t ours = DPRP_ABI_MINOR;

	return host->abi_minor < ours;
}

/* plugin_struct_take() for a struct whose size in the core is different. */
static dprp_rc __attribute__((noinline, unused))
plugin_struct_adapt(const dprp_host *host, const char *name, void *to,
		    size_t size, const void *from)
{
	const unsigned char *bytes = from;
	dprp_rc rc = DPR_RC_OK;
	char text[160];
	size_t theirs, i;

	plugin_struct_copy(to, size, from);
	memcpy(&theirs, from, sizeof(theirs));
	if (theirs < size && !plugin_struct_may_lack(host)) {
		snprintf(text, sizeof(text),
			 "%s has %zu bytes, but the "
			 "plugin needs %zu",
			 name, theirs, size);
		rc = DPR_RC_ABI;
	}
	for (i = size; i < theirs && !rc; i++) {
		if (!bytes[i])
			continue;
		snprintf(text, sizeof(text),
			 "%s has a member that this plugin does not know",
			 name);
		rc = DPR_RC_UNSUPPORTED;
	}
	if (rc)
		host->set_error(host->self, rc, 0, text);
	return rc;
}

/*
 * Copy @from, a struct of the core of type @name, to @to, which has @size
 * bytes.  Every submission does this, so the common case is a copy of a size
 * that the compiler knows.
 * DPR_RC_ABI: @from is shorter than in the core's version of the ABI.
 * DPR_RC_UNSUPPORTED: the core is newer and has set a member that this plugin
 * does not know.
 */
static inline dprp_rc plugin_struct_take(const dprp_host *host,
					 const char *name, void *to,
					 size_t size, const void *from)
{
	size_t theirs;

	memcpy(&theirs, from, sizeof(theirs));
	if (theirs != size)
		return plugin_struct_adapt(host, name, to, size, from);
	memcpy(to, from, size);
	return DPR_RC_OK;
}

/* Copy @from, a struct of the plugin of @size bytes, to @to, a struct of the
   core, as far as @to has room.  The struct_size of @to does not change. */
static inline void plugin_struct_give(void *to, const void *from, size_t size)
{
	size_t theirs;

	memcpy(&theirs, to, sizeof(theirs));
	memcpy(to, from, theirs < size ? theirs : size);
	memcpy(to, &theirs, sizeof(theirs));
}

/* Answer an info entry: put the size into *@need, and the value into @buffer
   unless that is NULL.  DPR_RC_INVALID: the buffer is too short. */
static inline dprp_rc plugin_struct_answer(const dprp_host *host,
					   const void *value, size_t size,
					   void *buffer, size_t capacity,
					   size_t *need)
{
	char text[96];

	*need = size;
	if (!buffer)
		return DPR_RC_OK;
	if (capacity < size) {
		snprintf(text, sizeof(text),
			 "the answer has %zu bytes, the buffer %zu", size,
			 capacity);
		host->set_error(host->self, DPR_RC_INVALID, 0, text);
		return DPR_RC_INVALID;
	}
	memcpy(buffer, value, size);
	return DPR_RC_OK;
}

#endif
