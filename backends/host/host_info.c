/* SPDX-License-Identifier: Apache-2.0 */
/* host_info.c - properties of the device; <dpr/info.h> has the keys. */
#include "host.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* Get the value of the first line "key : value" of /proc/cpuinfo.  Returns
   false if there is no such line. */
static bool cpuinfo_value(dprp_instance *instance, const char *key, char *out,
			  size_t capacity)
{
	char text[4096], *line = text, *value;
	size_t length = strlen(key);

	if (!host_cpu_read_file(instance, text, sizeof(text), "/proc/cpuinfo"))
		return false;
	while (line && strncmp(line, key, length)) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	value = line ? strchr(line, ':') : NULL;
	if (!value)
		return false;
	value += 1 + strspn(value + 1, " \t");
	value[strcspn(value, "\n")] = '\0';
	snprintf(out, capacity, "%s", value);
	return *out != '\0';
}

/* Answer a key that is a text.  Returns false if @key is not such a key, or if
   the system does not report the text. */
static bool info_text(dprp_device *device, uint32_t key, char *text,
		      size_t capacity)
{
	dprp_instance *instance = device->instance;
	struct utsname system;

	switch (key) {
	case DPR_INFO_NAME:
		if (cpuinfo_value(instance, "model name", text, capacity))
			return true;
		/* Not every architecture's kernel names the CPU. */
		if (uname(&system))
			return false;
		snprintf(text, capacity, "%s", system.machine);
		return true;
	case DPR_INFO_VENDOR:
		return cpuinfo_value(instance, "vendor_id", text, capacity);
	case DPR_INFO_PLATFORM_NAME:
		snprintf(text, capacity, "host");
		return true;
	case DPR_INFO_PLATFORM_VERSION:
		snprintf(text, capacity, "%s", HOST_VERSION);
		return true;
	case DPR_INFO_MEMORY_PATH:
		snprintf(text, capacity, "system");
		return true;
	default: return false;
	}
}

/* Get the size, or the line size, of the last level of cache for data that the
   device's first CPU has. */
static bool info_cache(dprp_device *device, uint32_t key, uint64_t *value)
{
	static const char dir[] =
		"/sys/devices/system/cpu/cpu%u/cache/index%d/%s";
	dprp_instance *instance = device->instance;
	unsigned cpu = device->cpus.ids[0];
	unsigned long long size;
	bool found = false;
	char text[64], unit;
	int i;

	for (i = 0; i < 10; i++) {
		if (!host_cpu_read_file(instance, text, sizeof(text), dir, cpu,
					i, "type"))
			break;
		if (!strncmp(text, "Instruction", 11))
			continue;
		if (!host_cpu_read_file(instance, text, sizeof(text), dir, cpu,
					i,
					key == DPR_INFO_GLOBAL_CACHE_LINE
						? "coherency_line_size"
						: "size"))
			continue;
		unit = '\0';
		if (sscanf(text, "%llu%c", &size, &unit) < 1)
			continue;
		*value = size << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
		found = true;
	}
	return found;
}

static bool info_clock(dprp_device *device, uint64_t *mhz)
{
	unsigned long long khz;
	char text[64];

	if (!host_cpu_read_file(
		    device->instance, text, sizeof(text),
		    "/sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq",
		    device->cpus.ids[0]) ||
	    sscanf(text, "%llu", &khz) != 1)
		return false;
	*mhz = khz / 1000;
	return true;
}

static bool info_free_memory(dprp_device *device, uint64_t *value)
{
	unsigned long long kib;
	char text[4096];
	const char *line;

	if (!host_cpu_read_file(device->instance, text, sizeof(text),
				"/proc/meminfo"))
		return false;
	line = strstr(text, "MemAvailable:");
	if (!line || sscanf(line, "MemAvailable: %llu", &kib) != 1)
		return false;
	*value = (uint64_t)kib << 10;
	return true;
}

static bool info_partition(dprp_device *device, uint32_t key, uint64_t *value)
{
	uint64_t how = 0;

	if (device->units > 1)
		how = 1u << DPR_PARTITION_EQUALLY | 1u << DPR_PARTITION_COUNTS;
	if (host_device_nodes(device) > 1)
		how |= 1u << DPR_PARTITION_DOMAIN;
	switch (key) {
	case DPR_INFO_PARTITION_MAX_SUB_DEVICES: *value = device->units; break;
	case DPR_INFO_PARTITION_PROPERTIES: *value = how; break;
	case DPR_INFO_PARTITION_UNIT: *value = 1; break;
	case DPR_INFO_PARTITION_DOMAINS:
		*value = how & 1u << DPR_PARTITION_DOMAIN
				 ? 1u << DPR_DOMAIN_NUMA | 1u << DPR_DOMAIN_NEXT
				 : 0;
		break;
	case DPR_INFO_PARTITION_TYPE: *value = device->how; break;
	case DPR_INFO_PARTITION_TYPE_DOMAIN:
		*value = DPR_DOMAIN_NUMA;
		return device->how == DPR_PARTITION_DOMAIN;
	default: return false;
	}
	return true;
}

/* Answer keys whose values come from the system. */
static bool info_system(dprp_device *device, uint32_t key, uint64_t *value)
{
	struct timespec ts;

	switch (key) {
	case DPR_INFO_GLOBAL_CACHE_SIZE:
	case DPR_INFO_GLOBAL_CACHE_LINE: return info_cache(device, key, value);
	case DPR_INFO_MAX_CLOCK_FREQUENCY: return info_clock(device, value);
	case DPR_INFO_FREE_MEMORY: return info_free_memory(device, value);
	case DPR_INFO_TIMER_RESOLUTION:
		clock_getres(CLOCK_MONOTONIC, &ts);
		*value = (uint64_t)ts.tv_nsec;
		return true;
	default: return info_partition(device, key, value);
	}
}

static bool info_number(dprp_device *device, uint32_t key, uint64_t *value)
{
	switch (key) {
	case DPR_INFO_TYPE: *value = DPR_DEVICE_CPU; break;
	case DPR_INFO_COPY_THREADS:
	case DPR_INFO_COMPUTE_UNITS: *value = device->units; break;
	case DPR_INFO_MAX_WORK_ITEM_DIMS: *value = 3; break;
	case DPR_INFO_MAX_WORK_GROUP_SIZE: *value = HOST_MAX_WORK_GROUP; break;
	case DPR_INFO_ADDRESS_BITS: *value = 8 * sizeof(void *); break;
	case DPR_INFO_MAX_PARAMETER_SIZE:
	case DPR_INFO_MAX_NATIVE_PARAMETER_SIZE:
		*value = HOST_PARAMETER_BYTES;
		break;
	case DPR_INFO_GLOBAL_MEM_SIZE:
	case DPR_INFO_MAX_ALLOC_SIZE: *value = device->instance->memory; break;
	case DPR_INFO_LOCAL_MEM_SIZE: *value = HOST_LOCAL_MEMORY; break;
	case DPR_INFO_LOCAL_MEM_TYPE: *value = 2; break;
	case DPR_INFO_MEM_BASE_ALIGN: *value = HOST_ALIGN; break;
	case DPR_INFO_SUB_BUFFER_ALIGN: *value = 1; break;
	case DPR_INFO_GLOBAL_CACHE_TYPE: *value = 2; break;
	case DPR_INFO_SINGLE_FP_CONFIG:
		/* The kernels are compiled without fast math. */
		*value = DPR_FP_DENORM | DPR_FP_INF_NAN |
			 DPR_FP_ROUND_TO_NEAREST |
			 DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
		break;
	case DPR_INFO_DOUBLE_FP_CONFIG:
		*value = DPR_FP_DENORM | DPR_FP_INF_NAN |
			 DPR_FP_ROUND_TO_NEAREST;
		break;
	case DPR_INFO_AVAILABLE:
	case DPR_INFO_UNIFIED_MEMORY:
	case DPR_INFO_ASPECT_CPU:
	case DPR_INFO_ASPECT_FP64:
	case DPR_INFO_ASPECT_QUEUE_PROFILING:
	case DPR_INFO_ASPECT_USM_DEVICE:
	case DPR_INFO_ASPECT_USM_HOST:
	case DPR_INFO_ASPECT_USM_SHARED:
	case DPR_INFO_ASPECT_USM_SYSTEM:
	case DPR_INFO_ASPECT_USM_ATOMIC_HOST:
	case DPR_INFO_ASPECT_USM_ATOMIC_SHARED:
	case DPR_INFO_ASPECT_HOST_DEBUGGABLE:
	case DPR_INFO_ASPECT_HOST_MEMORY:
	case DPR_INFO_ASPECT_ADDRESSES: *value = 1; break;
	case DPR_INFO_ASPECT_ATOMIC64:
		*value = ATOMIC_LLONG_LOCK_FREE == 2;
		break;
	case DPR_INFO_ASPECT_GPU:
	case DPR_INFO_ASPECT_ACCELERATOR:
	case DPR_INFO_ASPECT_CUSTOM:
	case DPR_INFO_ASPECT_FP16:
	case DPR_INFO_ASPECT_IMAGE:
	case DPR_INFO_ASPECT_ONLINE_COMPILER:
	case DPR_INFO_ASPECT_ONLINE_LINKER:
	case DPR_INFO_ASPECT_EMULATED:
	case DPR_INFO_ASPECT_COMPONENT:
	case DPR_INFO_ASPECT_COMPOSITE:
	case DPR_INFO_ASPECT_IPC_MEMORY:
	case DPR_INFO_ASPECT_OUT_OF_ORDER: *value = 0; break;
	default: return info_system(device, key, value);
	}
	return true;
}

dprp_rc host_info_get(dprp_device *device, uint32_t key, void *buffer,
		      size_t capacity, size_t *need)
{
	static const uint64_t sizes[3] = { HOST_MAX_WORK_GROUP,
					   HOST_MAX_WORK_GROUP,
					   HOST_MAX_WORK_GROUP };
	/* All kinds are ordinary memory: DLPack's kDLCPU, whose id is 0. */
	static const uint64_t dlpack[6] = { 1, 0, 1, 0, 1, 0 };
	dprp_instance *instance = device->instance;
	/* Strings one after the other, each with its 0. */
	static const char formats[] = DPRP_NATIVE_FORMAT "\0" DPRP_CALLS_FORMAT;
	char text[256];
	uint64_t value;

	if (key == DPR_INFO_FORMATS)
		return dprh_answer(&instance->host, formats,
				   library_calls_are_none(&instance->libraries)
					   ? sizeof(DPRP_NATIVE_FORMAT)
					   : sizeof(formats),
				   buffer, capacity, need);
	if (key == DPR_INFO_DLPACK_DEVICE)
		return dprh_answer(&instance->host, dlpack, sizeof(dlpack),
				   buffer, capacity, need);

	if (key == DPR_INFO_MAX_WORK_ITEM_SIZES)
		return dprh_answer(&instance->host, sizes, sizeof(sizes),
				   buffer, capacity, need);
	if (info_text(device, key, text, sizeof(text)))
		return dprh_answer(&instance->host, text, strlen(text) + 1,
				   buffer, capacity, need);
	if (info_number(device, key, &value))
		return dprh_answer(&instance->host, &value, sizeof(value),
				   buffer, capacity, need);
	return dprh_unknown(&instance->host, "device", key);
}
