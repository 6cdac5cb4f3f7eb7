/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_driver.h - NVIDIA's driver, opened at run time.
 *
 * The types of the entries come from the toolkit's headers where configure has
 * found them, else from our own cuda_declarations.h.  Nothing of the toolkit is
 * linked.
 */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#ifdef HAVE_CUDA_TOOLKIT
#include <cuda.h>
#include <cudaTypedefs.h>
#else
#include "cuda_declarations.h"
#endif

#include <dpr/backend.h>
#include <dpr/backend-help.h>

/* The oldest driver that the plugin works with. */
#define CUDA_OLDEST 12000

/* libcuda.so.1; an entry that is newer than CUDA_OLDEST may be NULL. */
struct cuda_api {
	int version; /* 12040 is CUDA 12.4 */
#define CUDA_ENTRY(since, name, version) PFN_##name##_v##version name;
#include "cuda_entries.def"
#undef CUDA_ENTRY
};

/*
 * Open the driver and find its entries.  NO_DRIVER, with a text, if there is no
 * driver or it is older than CUDA_OLDEST.
 */
dprp_rc cuda_driver_open(const dprp_host *host, struct cuda_api *cu);

#endif
