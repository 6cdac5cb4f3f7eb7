/* SPDX-License-Identifier: Apache-2.0 */
/* ze_driver.c - the Level Zero loader and its entries. */
#include "ze_driver.h"

/* Look up one entry. */
static dprp_rc find(const dprp_host *host, void *library, const char *name,
		    void *slot)
{
	void *entry = host->driver_sym(host->self, library, name);

	memcpy(slot, &entry, sizeof(entry));
	if (entry)
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_NO_DRIVER, 0,
			 "libze_loader.so.1 has no %s: install a Level "
			 "Zero loader of version 1.8 or newer",
			 name);
}

dprp_rc ze_driver_open(const dprp_host *host, struct ze_api *api)
{
	static const char *const names[] = { "libze_loader.so.1" };
	void *library = host->driver_open(host->self, names, 1);
	dprp_rc rc;

	if (!library)
		return dprh_fail(host, DPR_RC_NO_DRIVER, 0,
				 "libze_loader.so.1 does not load: the "
				 "Level Zero loader is not installed");
#define ZE_ENTRY(name)                               \
	rc = find(host, library, #name, &api->name); \
	if (rc)                                      \
		return rc;
#include "ze_entries.def"
#undef ZE_ENTRY
	return DPR_RC_OK;
}
