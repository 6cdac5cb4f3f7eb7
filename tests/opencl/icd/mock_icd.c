/* SPDX-License-Identifier: Apache-2.0 */
/* The mock driver's platforms and devices. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mock_icd.h"

struct mock_report mock_report;

static cl_icd_dispatch tables[MOCK_PLAIN + 1];
static struct _cl_platform_id platforms[MOCK_PLATFORMS];
static struct _cl_device_id devices[MOCK_PLATFORMS][MOCK_MANY_DEVICES];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void mock_note(const char *format, ...)
{
	size_t used;
	va_list args;

	pthread_mutex_lock(&lock);
	used = strlen(mock_report.trace);
	va_start(args, format);
	vsnprintf(mock_report.trace + used, sizeof(mock_report.trace) - used,
		format, args);
	va_end(args);
	pthread_mutex_unlock(&lock);
}

cl_int mock_put(const void *value, size_t size, size_t room, void *out,
	size_t *size_ret)
{
	if (size_ret)
		*size_ret = size;
	if (!out)
		return CL_SUCCESS;
	if (room < size)
		return CL_INVALID_VALUE;
	memcpy(out, value, size);
	return CL_SUCCESS;
}

static cl_int put_text(const char *text, size_t room, void *out, size_t *ret)
{
	return mock_put(text, strlen(text) + 1, room, out, ret);
}

static unsigned device_count(const struct _cl_platform_id *platform)
{
	switch (platform->persona) {
	case MOCK_MANY: return MOCK_MANY_DEVICES;
	case MOCK_EMPTY: return 0;
	default: return 1;
	}
}

static const char *version(enum mock_persona persona)
{
	switch (persona) {
	case MOCK_MANY:
	case MOCK_USM:
	case MOCK_COARSE: return "OpenCL 3.0 mock";
	case MOCK_POCL: return "OpenCL 3.0 PoCL 5.0  Linux, mock";
	case MOCK_ANCIENT: return "OpenCL 1.1 mock";
	default: return "OpenCL 1.2 mock";
	}
}

static cl_int CL_API_CALL get_platform_info(cl_platform_id platform,
	cl_platform_info key, size_t room, void *out, size_t *ret)
{
	static const char *const names[] = { "Mock many", "Mock usm",
		"Mock coarse", "Mock broken", "Mock old", "Mock ancient",
		"Mock empty", "Portable Computing Language",
		"Mock plain" };

	if (!platform)
		return CL_INVALID_PLATFORM;
	switch (key) {
	case CL_PLATFORM_NAME:
		return put_text(names[platform->persona], room, out, ret);
	case CL_PLATFORM_VERSION:
		return put_text(version(platform->persona), room, out, ret);
	case CL_PLATFORM_VENDOR: return put_text("mock", room, out, ret);
	case CL_PLATFORM_PROFILE:
		return put_text("FULL_PROFILE", room, out, ret);
	case CL_PLATFORM_EXTENSIONS:
		return put_text("cl_khr_icd", room, out, ret);
	case CL_PLATFORM_ICD_SUFFIX_KHR: return put_text("MOCK", room, out, ret);
	default: return CL_INVALID_VALUE;
	}
}

static cl_int CL_API_CALL get_device_ids(cl_platform_id platform,
	cl_device_type type, cl_uint room, cl_device_id *out, cl_uint *n)
{
	unsigned i, count = device_count(platform);

	(void)type;
	if (platform->persona == MOCK_BROKEN)
		return CL_OUT_OF_HOST_MEMORY;
	if (!count)
		return CL_DEVICE_NOT_FOUND;
	if (n)
		*n = count;
	for (i = 0; out && i < room && i < count; i++)
		out[i] = &devices[platform->index][i];
	return CL_SUCCESS;
}

static const char *extensions(enum mock_persona persona)
{
	switch (persona) {
	case MOCK_USM:
		return "cl_khr_fp64 cl_intel_unified_shared_memory "
		       "cl_khr_priority_hints cl_khr_device_uuid "
		       "cl_khr_pci_bus_info ";
	case MOCK_COARSE:
		return " cl_nv_device_attribute_query cl_khr_fp16_but_not_quite";
	case MOCK_OLD: return "cl_khr_priority_hints";
	case MOCK_POCL: return "cl_intel_unified_shared_memory";
	default: return "";
	}
}

/* Answers that only one persona gives. */
static cl_int get_special(cl_device_id device, cl_device_info key, size_t room,
	void *out, size_t *ret)
{
	enum mock_persona persona = device->platform->persona;
	cl_uint pci[4] = { 1, 0x3b, 2, 3 };
	unsigned char uuid[16] = { 0xd0, [15] = 0x0d };
	cl_bitfield bits = 0;
	cl_uint number;

	switch (key) {
	case CL_DEVICE_SVM_CAPABILITIES:
		if (persona == MOCK_OLD)
			mock_report.forbidden++;
		bits = persona == MOCK_PLAIN ? 0 : CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
		if (persona == MOCK_POCL && mock_report.fine)
			bits |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
		return mock_put(&bits, sizeof(bits), room, out, ret);
	case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
	case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
		bits = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL |
			CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
		break;
	case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
		bits = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL;
		break;
	case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: break;
	case CL_DEVICE_SINGLE_FP_CONFIG:
		bits = CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
		break;
	case CL_DEVICE_ADDRESS_BITS:
		number = persona == MOCK_USM ? 64 : 32;
		return mock_put(&number, sizeof(number), room, out, ret);
	case CL_DEVICE_IL_VERSION:
		return put_text(persona == MOCK_USM ? "SPIR-V_1.2" : "", room,
			out, ret);
	case 0x106a: /* CL_DEVICE_UUID_KHR */
		return mock_put(uuid, sizeof(uuid), room, out, ret);
	case 0x410f: /* CL_DEVICE_PCI_BUS_INFO_KHR */
		return mock_put(pci, sizeof(pci), room, out, ret);
	case 0x4003: /* CL_DEVICE_WARP_SIZE_NV */
		number = 32;
		return mock_put(&number, sizeof(number), room, out, ret);
	case 0x4008: /* CL_DEVICE_PCI_BUS_ID_NV */
		number = 0x18;
		return mock_put(&number, sizeof(number), room, out, ret);
	case 0x4009: /* CL_DEVICE_PCI_SLOT_ID_NV */
		number = 0x0d << 3 | 1;
		return mock_put(&number, sizeof(number), room, out, ret);
	case 0x400a: /* CL_DEVICE_PCI_DOMAIN_ID_NV */
		number = 2;
		return mock_put(&number, sizeof(number), room, out, ret);
	default: return CL_INVALID_VALUE;
	}
	if (persona != MOCK_USM && persona != MOCK_POCL)
		return CL_INVALID_VALUE;
	return mock_put(&bits, sizeof(bits), room, out, ret);
}

static cl_int CL_API_CALL get_device_info(cl_device_id device,
	cl_device_info key, size_t room, void *out, size_t *ret)
{
	enum mock_persona persona = device->platform->persona;
	cl_device_type type = CL_DEVICE_TYPE_GPU;
	cl_command_queue_properties flags = CL_QUEUE_PROFILING_ENABLE;
	cl_device_exec_capabilities can = CL_EXEC_KERNEL;
	cl_ulong local = 32768;
	size_t sizes[] = { 1024, 1024, 64 }, size = 1024;
	cl_bool yes = CL_TRUE;
	cl_uint number = 4096;
	cl_ulong most = 1 << 20;
	char name[32];

	if (persona == MOCK_MANY && device->index == 4)
		return CL_OUT_OF_RESOURCES;
	snprintf(name, sizeof(name), "  mock %u.%u ", device->platform->index,
		device->index);
	switch (key) {
	case CL_DEVICE_NAME: return put_text(name, room, out, ret);
	case CL_DEVICE_VERSION:
		return put_text(persona == MOCK_OLD ? "OpenCL 3.0 mock" :
				version(persona), room, out, ret);
	case CL_DEVICE_EXTENSIONS:
		return put_text(extensions(persona), room, out, ret);
	case CL_DEVICE_TYPE:
		if (persona == MOCK_POCL)
			type = CL_DEVICE_TYPE_CPU;
		return mock_put(&type, sizeof(type), room, out, ret);
	case CL_DEVICE_EXECUTION_CAPABILITIES:
		if (persona == MOCK_POCL && mock_report.native)
			can |= CL_EXEC_NATIVE_KERNEL;
		return mock_put(&can, sizeof(can), room, out, ret);
	case CL_DEVICE_LOCAL_MEM_SIZE:
		return mock_put(&local, sizeof(local), room, out, ret);
	case CL_DEVICE_QUEUE_PROPERTIES:
		return mock_put(&flags, sizeof(flags), room, out, ret);
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		return mock_put(&most, sizeof(most), room, out, ret);
	case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
		return mock_put(&number, sizeof(number), room, out, ret);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return mock_put(&size, sizeof(size), room, out, ret);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return mock_put(sizes, sizeof(sizes), room, out, ret);
	case CL_DEVICE_AVAILABLE:
	case CL_DEVICE_COMPILER_AVAILABLE:
		return mock_put(&yes, sizeof(yes), room, out, ret);
	default: return get_special(device, key, room, out, ret);
	}
}

static cl_int CL_API_CALL get_platform_ids(cl_uint room, cl_platform_id *out,
	cl_uint *n);

static void *CL_API_CALL get_extension_for(cl_platform_id platform,
	const char *name)
{
	return platform ? mock_extension(platform->persona, name) : NULL;
}

static void start(void)
{
	unsigned i, j, persona;

	for (persona = 0; persona <= MOCK_PLAIN; persona++) {
		cl_icd_dispatch *table = &tables[persona];

		table->clGetPlatformIDs = get_platform_ids;
		table->clGetPlatformInfo = get_platform_info;
		table->clGetDeviceIDs = get_device_ids;
		table->clGetDeviceInfo = get_device_info;
		table->clGetExtensionFunctionAddressForPlatform =
			get_extension_for;
		mock_fill_run(table, persona);
	}
	for (i = 0; i < MOCK_PLATFORMS; i++) {
		persona = i < MOCK_PLAIN ? i : MOCK_PLAIN;
		platforms[i] = (struct _cl_platform_id){ &tables[persona],
			persona, i };
		for (j = 0; j < MOCK_MANY_DEVICES; j++)
			devices[i][j] = (struct _cl_device_id){
				&tables[persona], &platforms[i], j };
	}
}

static cl_int CL_API_CALL get_platform_ids(cl_uint room, cl_platform_id *out,
	cl_uint *n)
{
	unsigned i;

	pthread_once(&once, start);
	if (n)
		*n = MOCK_PLATFORMS;
	for (i = 0; out && i < room && i < MOCK_PLATFORMS; i++)
		out[i] = &platforms[i];
	return CL_SUCCESS;
}

/* The function that the ICD loader looks for in a driver's file. */
MOCK_EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room,
	cl_platform_id *out, cl_uint *n);
cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *out,
	cl_uint *n)
{
	return get_platform_ids(room, out, n);
}

MOCK_EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *name);
void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
		return (void *)clIcdGetPlatformIDsKHR;
	if (strcmp(name, "clGetPlatformInfo") == 0)
		return (void *)get_platform_info;
	return NULL;
}

MOCK_EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
	cl_platform_info key, size_t room, void *out, size_t *ret);
cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
	cl_platform_info key, size_t room, void *out, size_t *ret)
{
	return get_platform_info(platform, key, room, out, ret);
}
