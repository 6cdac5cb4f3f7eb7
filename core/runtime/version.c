/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the library. */
#include <dpr/version.h>

const char *dpr_version(void)
{
	return DPR_VERSION;
}
