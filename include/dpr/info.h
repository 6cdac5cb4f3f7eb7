/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info.h - the properties of devices: one table for the public API, the plugin
 * ABI, the JSON of `dpr devices` and the documentation.
 *
 * A property that the driver does not report is "not available"
 * (DPR_ERROR_UNSUPPORTED, DPR_RC_UNSUPPORTED).  The library never makes up a
 * value.
 */
#ifndef DPR_INFO_H
#define DPR_INFO_H

#include <stdint.h>

/* The form of a value. */
typedef enum dpr_info_type {
	DPR_INFO_TYPE_STRING = 1, /* char[], zero-terminated UTF-8 */
	DPR_INFO_TYPE_U64 = 2, /* uint64_t */
	DPR_INFO_TYPE_BOOL = 3, /* uint64_t, 0 or 1 */
	DPR_INFO_TYPE_FLAGS = 4, /* uint64_t, bits named beside the key */
	DPR_INFO_TYPE_LIST = 5, /* uint64_t[], any number */
	DPR_INFO_TYPE_UUID = 6, /* unsigned char[16] */
	DPR_INFO_TYPE_STRINGS = 7 /* strings one after the other, each with its
				     zero byte; the list ends with the buffer */
} dpr_info_type;

/*
 * X(name, number, type, unit, text).  Numbers are part of the ABI: append only.
 * A plugin is never asked for keys from 900 on, which the core answers, nor for
 * ASPECT_CPU, _GPU, _ACCELERATOR and _CUSTOM, which follow from TYPE.  The TYPE
 * of a sub-device is that of its root device.  Once a device is lost, AVAILABLE
 * is 0, whatever the plugin says.
 * DLPACK_DEVICE is six numbers: for each kind of memory, in the order of enum
 * dpr_usm_kind, the device type and the device id of DLPack, or 0 and 0 if
 * memory of that kind has none.  In a plugin that reports it, the addresses of
 * memory are DLPack's data pointers, and native_wrap takes such an address as
 * memory.
 */
/* clang-format off */
#define DPR_INFO_MAP(X) \
	/* identity */ \
	X(NAME, 1, STRING, "", "the device's name as the driver gives it") \
	X(VENDOR, 2, STRING, "", "the maker of the device") \
	X(VENDOR_ID, 3, U64, "", "the vendor's number, as on the PCI bus") \
	X(DRIVER_VERSION, 4, STRING, "", "version of the driver") \
	X(VERSION, 5, STRING, "", "the device's API version, in words") \
	X(PLATFORM_NAME, 6, STRING, "", "the driver's platform or library") \
	X(PLATFORM_VERSION, 7, STRING, "", "version of the platform") \
	X(TYPE, 8, U64, "", "dpr_device_type") \
	X(UUID, 9, UUID, "", "the physical device's UUID") \
	X(PCI_ADDRESS, 10, STRING, "", "domain:bus:device.function in hex") \
	X(AVAILABLE, 11, BOOL, "", "whether the device can be used now") \
	X(EXTENSIONS, 12, STRINGS, "", "extensions that the driver lists") \
	X(DEVICE_ID, 13, U64, "", "the device's number on the PCI bus") \
	X(DLPACK_DEVICE, 14, LIST, "", \
	  "DLPack's device type and id of DEVICE, SHARED and HOST memory") \
	/* limits of computing */ \
	X(COMPUTE_UNITS, 20, U64, "", "compute units, cores or multiprocessors") \
	X(MAX_WORK_ITEM_DIMS, 21, U64, "", "dimensions of a range, at least 3") \
	X(MAX_WORK_ITEM_SIZES, 22, LIST, "", "largest local size per dimension") \
	X(MAX_WORK_GROUP_SIZE, 23, U64, "", "maximum work-items per work-group") \
	X(MAX_SUB_GROUPS, 24, U64, "", "maximum sub-groups per work-group") \
	X(SUB_GROUP_SIZES, 25, LIST, "", "sizes that a sub-group may have") \
	X(MAX_CLOCK_FREQUENCY, 26, U64, "MHz", "highest clock") \
	X(ADDRESS_BITS, 27, U64, "bit", "width of an address") \
	X(MAX_PARAMETER_SIZE, 28, U64, "byte", "total size of kernel arguments") \
	X(TIMER_RESOLUTION, 29, U64, "ns", "step of the profiling clock") \
	/* vector widths */ \
	X(PREFERRED_VECTOR_CHAR, 30, U64, "", "preferred vector width, 8 bit") \
	X(PREFERRED_VECTOR_SHORT, 31, U64, "", "preferred vector width, 16 bit") \
	X(PREFERRED_VECTOR_INT, 32, U64, "", "preferred vector width, 32 bit") \
	X(PREFERRED_VECTOR_LONG, 33, U64, "", "preferred vector width, 64 bit") \
	X(PREFERRED_VECTOR_FLOAT, 34, U64, "", "preferred vector width, float") \
	X(PREFERRED_VECTOR_DOUBLE, 35, U64, "", "preferred vector width, double") \
	X(PREFERRED_VECTOR_HALF, 36, U64, "", "preferred vector width, half") \
	X(NATIVE_VECTOR_CHAR, 37, U64, "", "native vector width, 8 bit") \
	X(NATIVE_VECTOR_SHORT, 38, U64, "", "native vector width, 16 bit") \
	X(NATIVE_VECTOR_INT, 39, U64, "", "native vector width, 32 bit") \
	X(NATIVE_VECTOR_LONG, 40, U64, "", "native vector width, 64 bit") \
	X(NATIVE_VECTOR_FLOAT, 41, U64, "", "native vector width, float") \
	X(NATIVE_VECTOR_DOUBLE, 42, U64, "", "native vector width, double") \
	X(NATIVE_VECTOR_HALF, 43, U64, "", "native vector width, half") \
	/* memory */ \
	X(GLOBAL_MEM_SIZE, 50, U64, "byte", "the device's memory") \
	X(LOCAL_MEM_SIZE, 51, U64, "byte", "local memory of a work-group") \
	X(LOCAL_MEM_TYPE, 52, U64, "", "0 none, 1 local, 2 global memory") \
	X(MAX_ALLOC_SIZE, 53, U64, "byte", "largest single allocation") \
	X(MEM_BASE_ALIGN, 54, U64, "byte", "alignment of every allocation") \
	X(GLOBAL_CACHE_TYPE, 55, U64, "", "0 none, 1 read only, 2 read and write") \
	X(GLOBAL_CACHE_SIZE, 56, U64, "byte", "cache of global memory") \
	X(GLOBAL_CACHE_LINE, 57, U64, "byte", "line of that cache") \
	X(ERROR_CORRECTION, 58, BOOL, "", "whether memory corrects errors") \
	X(FREE_MEMORY, 59, U64, "byte", "memory that is free now") \
	X(UNIFIED_MEMORY, 60, BOOL, "", "shares its memory with the host") \
	X(SUB_BUFFER_ALIGN, 61, U64, "byte", \
	  "alignment of an offset that a kernel argument may have; 1: any") \
	X(MEMORY_PATH, 62, STRING, "", "how the plugin allocates memory") \
	X(COPY_THREADS, 63, U64, "", "host threads that share one copy") \
	/* images */ \
	X(IMAGE_2D_MAX_WIDTH, 70, U64, "pixel", "largest 2-d image, width") \
	X(IMAGE_2D_MAX_HEIGHT, 71, U64, "pixel", "largest 2-d image, height") \
	X(IMAGE_3D_MAX_WIDTH, 72, U64, "pixel", "largest 3-d image, width") \
	X(IMAGE_3D_MAX_HEIGHT, 73, U64, "pixel", "largest 3-d image, height") \
	X(IMAGE_3D_MAX_DEPTH, 74, U64, "pixel", "largest 3-d image, depth") \
	X(IMAGE_MAX_BUFFER_SIZE, 75, U64, "pixel", "largest image over a buffer") \
	X(MAX_SAMPLERS, 76, U64, "", "maximum samplers per kernel") \
	X(MAX_READ_IMAGE_ARGS, 77, U64, "", "maximum images a kernel reads") \
	X(MAX_WRITE_IMAGE_ARGS, 78, U64, "", "maximum images a kernel writes") \
	/* arithmetic: bits of enum dpr_fp_config */ \
	X(HALF_FP_CONFIG, 80, FLAGS, "", "what half arithmetic keeps") \
	X(SINGLE_FP_CONFIG, 81, FLAGS, "", "what float arithmetic keeps") \
	X(DOUBLE_FP_CONFIG, 82, FLAGS, "", "what double arithmetic keeps") \
	/* atomics: bits relaxed 1, acquire 2, release 4, acq_rel 8, seq_cst 16;
	   scopes work-item 1, sub-group 2, work-group 4, device 8, system 16 */ \
	X(ATOMIC_MEMORY_ORDERS, 90, FLAGS, "", "orders of atomic operations") \
	X(ATOMIC_FENCE_ORDERS, 91, FLAGS, "", "orders of fences") \
	X(ATOMIC_MEMORY_SCOPES, 92, FLAGS, "", "scopes of atomic operations") \
	X(ATOMIC_FENCE_SCOPES, 93, FLAGS, "", "scopes of fences") \
	/* sub-devices */ \
	X(PARTITION_MAX_SUB_DEVICES, 100, U64, "", "maximum number of sub-devices") \
	X(PARTITION_PROPERTIES, 101, FLAGS, "", "dpr_partition_how, 1 << how") \
	X(PARTITION_DOMAINS, 102, FLAGS, "", "dpr_domain, 1 << domain") \
	X(PARTITION_TYPE, 103, U64, "", "how a sub-device was made; 0: a root device") \
	X(PARTITION_TYPE_DOMAIN, 104, U64, "", "domain of a sub-device, if made by domain") \
	X(PARTITION_UNIT, 105, U64, "", \
	  "compute units of a sub-device are a multiple of this") \
	/* limits of launches */ \
	X(MAX_WORK_GROUPS, 110, LIST, "", \
	  "most work-groups of a launch, per dimension") \
	X(MAX_NATIVE_PARAMETER_SIZE, 111, U64, "byte", \
	  "total size of a native kernel's arguments, if it is another") \
	/* aspects; the name of an aspect in a selector is the key in small
	   letters without ASPECT_ */ \
	X(ASPECT_CPU, 200, BOOL, "", "a CPU") \
	X(ASPECT_GPU, 201, BOOL, "", "a GPU") \
	X(ASPECT_ACCELERATOR, 202, BOOL, "", "an accelerator") \
	X(ASPECT_CUSTOM, 203, BOOL, "", "a fixed-function device") \
	X(ASPECT_FP16, 204, BOOL, "", "computes in half precision") \
	X(ASPECT_FP64, 205, BOOL, "", "computes in double precision") \
	X(ASPECT_ATOMIC64, 206, BOOL, "", "64-bit atomics") \
	X(ASPECT_IMAGE, 207, BOOL, "", "images") \
	X(ASPECT_ONLINE_COMPILER, 208, BOOL, "", "builds from source") \
	X(ASPECT_ONLINE_LINKER, 209, BOOL, "", "links programs") \
	X(ASPECT_QUEUE_PROFILING, 210, BOOL, "", "queues can record times") \
	X(ASPECT_USM_DEVICE, 211, BOOL, "", "device allocations") \
	X(ASPECT_USM_HOST, 212, BOOL, "", "host allocations") \
	X(ASPECT_USM_SHARED, 213, BOOL, "", "shared allocations") \
	X(ASPECT_USM_SYSTEM, 214, BOOL, "", "kernels may use any host pointer") \
	X(ASPECT_USM_ATOMIC_HOST, 215, BOOL, "", "atomics on host allocations") \
	X(ASPECT_USM_ATOMIC_SHARED, 216, BOOL, "", "atomics on shared allocations") \
	X(ASPECT_HOST_DEBUGGABLE, 217, BOOL, "", "kernels stop in a host debugger") \
	X(ASPECT_EMULATED, 218, BOOL, "", "emulates another device") \
	X(ASPECT_COMPONENT, 219, BOOL, "", "part of a composite device") \
	X(ASPECT_COMPOSITE, 220, BOOL, "", "made of component devices") \
	X(ASPECT_IPC_MEMORY, 221, BOOL, "", "processes can share memory") \
	X(ASPECT_OUT_OF_ORDER, 222, BOOL, "", "work of a queue may overlap") \
	X(ASPECT_ADDRESSES, 223, BOOL, "", "allocations have addresses") \
	X(ASPECT_HOST_MEMORY, 224, BOOL, "", \
	  "the host may use all allocations by address") \
	/* what the device takes, best first */ \
	X(FORMATS, 300, STRINGS, "", "kernel formats accepted, best first") \
	X(BINARIES, 301, U64, "", \
	  "which programs to keep on disk, dpr_binaries") \
	X(BINARY_TARGET, 302, STRING, "", \
	  "what a kept binary depends on besides plugin and driver; unknown: this device only") \
	/* answered by the core */ \
	X(BACKEND, 900, STRING, "", "name of the backend") \
	X(SELECTOR, 901, STRING, "", "a selector that finds this device again") \
	X(BACKEND_VERSION, 902, STRING, "", "version of the plugin") \
	X(TWIN, 903, STRING, "", "selector of the same device in another backend")
/* clang-format on */

/* The keys of dpr_device_info(), from DPR_INFO_MAP. */
typedef enum dpr_info {
#define DPR__X(name, number, type, unit, text) DPR_INFO_##name = number,
	DPR_INFO_MAP(DPR__X)
#undef DPR__X
		DPR_INFO_FORCE_INT = 0x7fffffff
} dpr_info;

/*
 * Values of DPR_INFO_TYPE.  The type decides which selectors find a device.  It
 * also decides the default device: a GPU, else an accelerator, a CPU, a custom
 * device.  Chips for certain computations are accelerators.  A program has to
 * name a custom device.
 */
typedef enum dpr_device_type {
	DPR_DEVICE_CPU = 1,
	DPR_DEVICE_GPU = 2,
	DPR_DEVICE_ACCELERATOR = 3,
	DPR_DEVICE_CUSTOM = 4
} dpr_device_type;

/*
 * Values of DPR_INFO_BINARIES.  If the backend has binaries and the device does
 * not report this key, FIRST is assumed.
 */
typedef enum dpr_binaries {
	DPR_BINARIES_NEVER = 0, /* none: the driver's own cache is as good */
	DPR_BINARIES_FIRST = 1, /* each, when it is first built */
	DPR_BINARIES_SECOND = 2 /* a program that another process has built
				   before, because getting the binary takes
				   long */
} dpr_binaries;

/* Bits of DPR_INFO_HALF_FP_CONFIG and its two siblings. */
typedef enum dpr_fp_config {
	DPR_FP_DENORM = 1,
	DPR_FP_INF_NAN = 2,
	DPR_FP_ROUND_TO_NEAREST = 4,
	DPR_FP_ROUND_TO_ZERO = 8,
	DPR_FP_ROUND_TO_INF = 16,
	DPR_FP_FMA = 32,
	DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 64,
	DPR_FP_SOFT_FLOAT = 128
} dpr_fp_config;

/* How a device is divided. */
typedef enum dpr_partition_how {
	DPR_PARTITION_EQUALLY = 1, /* into sub-devices of n compute units */
	DPR_PARTITION_COUNTS = 2, /* one sub-device per count */
	DPR_PARTITION_DOMAIN = 3 /* along an affinity domain */
} dpr_partition_how;

/* Affinity domains. */
typedef enum dpr_domain {
	DPR_DOMAIN_NUMA = 1,
	DPR_DOMAIN_L4 = 2,
	DPR_DOMAIN_L3 = 3,
	DPR_DOMAIN_L2 = 4,
	DPR_DOMAIN_L1 = 5,
	DPR_DOMAIN_NEXT = 6 /* the next domain along which the device can be
			       divided */
} dpr_domain;

#endif
