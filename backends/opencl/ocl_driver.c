/* SPDX-License-Identifier: Apache-2.0 */
/* ocl_driver.c - the ICD loader and its entries. */
#include <string.h>

#include "ocl.h"

/* Look up one entry.  Returns 1 if the entry is required but missing. */
static int ocl_find(const dprp_host *host, void *library, int version,
		    const char *name, void *slot)
{
	void *symbol = host->driver_sym(host->self, library, name);

	memcpy(slot, &symbol, sizeof(symbol));
	if (symbol || version >= 200)
		return 0;
	dprh_fail(
		host, DPR_RC_NO_DRIVER, 0,
		"libOpenCL.so.1 has no %s: install an ICD loader for OpenCL 1.2 "
		"or newer (ocl-icd-libopencl1)",
		name);
	return 1;
}

dprp_rc ocl_driver_open(const dprp_host *host, struct ocl_api *cl)
{
	static const char *const names[] = { "libOpenCL.so.1" };
	void *library = host->driver_open(host->self, names, 1);

	if (!library)
		return dprh_fail(
			host, DPR_RC_NO_DRIVER, 0,
			"libOpenCL.so.1 does not load: install an OpenCL ICD "
			"loader (ocl-icd-libopencl1) and the device's driver");
#define OCL_SYMBOL(version, name)                               \
	if (ocl_find(host, library, version, #name, &cl->name)) \
		return DPR_RC_NO_DRIVER;
#include "ocl_symbols.def"
#undef OCL_SYMBOL
	return DPR_RC_OK;
}
