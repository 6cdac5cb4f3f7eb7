/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_empty.c - tables that the loader requires but in which this driver has
   no entry.  The loader then answers ZE_RESULT_ERROR_UNSUPPORTED_FEATURE. */
#include <level_zero/ze_api.h>

/* The types of the tables do not matter: nothing is written to them. */
#define EMPTY(name)                                                          \
	__attribute__((visibility("default")))                               \
	ze_result_t ZE_APICALL name##ProcAddrTable(ze_api_version_t version, \
						   void *table);             \
	ze_result_t ZE_APICALL name##ProcAddrTable(ze_api_version_t version, \
						   void *table)              \
	{                                                                    \
		if (!table)                                                  \
			return ZE_RESULT_ERROR_INVALID_NULL_POINTER;         \
		if (ZE_MAJOR_VERSION(version) !=                             \
		    ZE_MAJOR_VERSION(ZE_API_VERSION_CURRENT))                \
			return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;          \
		return ZE_RESULT_SUCCESS;                                    \
	}

EMPTY(zeGetImage)
EMPTY(zeGetSampler)
EMPTY(zeGetPhysicalMem)
EMPTY(zeGetVirtualMem)

EMPTY(zetGetDevice)
EMPTY(zetGetContext)
EMPTY(zetGetCommandList)
EMPTY(zetGetKernel)
EMPTY(zetGetModule)
EMPTY(zetGetDebug)
EMPTY(zetGetMetric)
EMPTY(zetGetMetricGroup)
EMPTY(zetGetMetricQuery)
EMPTY(zetGetMetricQueryPool)
EMPTY(zetGetMetricStreamer)
EMPTY(zetGetTracerExp)

EMPTY(zesGetDevice)
EMPTY(zesGetDriver)
EMPTY(zesGetDiagnostics)
EMPTY(zesGetEngine)
EMPTY(zesGetFabricPort)
EMPTY(zesGetFan)
EMPTY(zesGetFirmware)
EMPTY(zesGetFrequency)
EMPTY(zesGetLed)
EMPTY(zesGetMemory)
EMPTY(zesGetPerformanceFactor)
EMPTY(zesGetPower)
EMPTY(zesGetPsu)
EMPTY(zesGetRas)
EMPTY(zesGetScheduler)
EMPTY(zesGetStandby)
EMPTY(zesGetTemperature)
