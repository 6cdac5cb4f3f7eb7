/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_driver.c - NVIDIA's driver and its entries. */
#include "cuda_driver.h"

#include <string.h>

/* Look up one entry.  @since is the version of CUDA that introduced it. */
static dprp_rc find(const dprp_host *host, PFN_cuGetProcAddress_v12000 get,
		    const struct cuda_api *cu, int since, const char *name,
		    int version, void *slot)
{
	CUdriverProcAddressQueryResult result =
		CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	void *entry = NULL;

	if (since > cu->version)
		return DPR_RC_OK;
	if (get(name, &entry, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM,
		&result) ||
	    result != CU_GET_PROC_ADDRESS_SUCCESS)
		entry = NULL;
	memcpy(slot, &entry, sizeof(entry));
	if (entry || since > CUDA_OLDEST)
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_NO_DRIVER, 0,
			 "libcuda.so.1 has no %s: install NVIDIA's "
			 "driver of CUDA 12.0 (R525) or newer",
			 name);
}

/* Check that the driver is new enough.  This works before cuInit(). */
static dprp_rc check_version(const dprp_host *host, void *library, int *version)
{
	PFN_cuDriverGetVersion_v2020 get_version;
	void *entry =
		host->driver_sym(host->self, library, "cuDriverGetVersion");

	memcpy(&get_version, &entry, sizeof(entry));
	*version = 0;
	if (!get_version || get_version(version))
		return dprh_fail(
			host, DPR_RC_NO_DRIVER, 0,
			"libcuda.so.1 does not report its version: it is a "
			"stub for linking, or not NVIDIA's driver");
	if (*version < CUDA_OLDEST)
		return dprh_fail(
			host, DPR_RC_NO_DRIVER, 0,
			"the driver is for CUDA %d.%d: install one for CUDA "
			"12.0 (R525) or newer",
			*version / 1000, *version % 1000 / 10);
	return DPR_RC_OK;
}

dprp_rc cuda_driver_open(const dprp_host *host, struct cuda_api *cu)
{
	static const char *const names[] = { "libcuda.so.1" };
	void *library = host->driver_open(host->self, names, 1);
	PFN_cuGetProcAddress_v12000 get;
	dprp_rc rc;
	void *entry;

	if (!library)
		return dprh_fail(host, DPR_RC_NO_DRIVER, 0,
				 "libcuda.so.1 does not load: NVIDIA's "
				 "driver is not installed");
	rc = check_version(host, library, &cu->version);
	if (rc)
		return rc;
	entry = host->driver_sym(host->self, library, "cuGetProcAddress_v2");
	if (!entry)
		return dprh_fail(host, DPR_RC_NO_DRIVER, 0,
				 "libcuda.so.1 has no "
				 "cuGetProcAddress_v2: install NVIDIA's "
				 "driver of CUDA 12.0 (R525) or newer");
	memcpy(&get, &entry, sizeof(entry));
#define CUDA_ENTRY(since, name, version)                            \
	rc = find(host, get, cu, since, #name, version, &cu->name); \
	if (rc)                                                     \
		return rc;
#include "cuda_entries.def"
#undef CUDA_ENTRY
	return DPR_RC_OK;
}
