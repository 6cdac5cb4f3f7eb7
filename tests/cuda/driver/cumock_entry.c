/* SPDX-License-Identifier: Apache-2.0 */
/* cumock_entry.c - the entries of the mock driver: how they are found, counted
   and made to fail. */
#include "cumock_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define MAX_WAITS 1024

static const struct {
	const char *name;
	int since;
	bool undo; /* frees, destroys or restores something: never made to fail
		    */
} entries[CUMOCK_N_ENTRIES] = {
#define CUDA_ENTRY(since, name, version) { #name, since, false },
#include "backends/cuda/cuda_entries.def"
#undef CUDA_ENTRY
};

static void (*const addresses[CUMOCK_N_ENTRIES])(void) = {
#define CUDA_ENTRY(since, name, version) (void (*)(void)) cumock_##name,
#include "backends/cuda/cuda_entries.def"
#undef CUDA_ENTRY
};

struct cumock_state cumock = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};
struct cumock_settings cumock_settings;
_Thread_local bool cumock_in_host_function;
static _Thread_local enum cumock_entry now_in;

/* All guarded by the lock. */
static uint64_t counts[CUMOCK_N_ENTRIES];
static uint64_t misuses;
static char misuse_text[512];
static struct cumock_wait waits[MAX_WAITS];
static size_t n_waits;
static struct {
	int entry; /* the entry that fails; -1: any */
	uint64_t n;
	CUresult code;
	const char *happened;
} fault;

/* --- Settings --- */

static int number_of(const char *name, int otherwise)
{
	const char *text = getenv(name);

	return text && *text ? atoi(text) : otherwise;
}

static void set_device(int i)
{
	struct cumock_device_settings *set = &cumock_settings.devices[i];
	int j;

	snprintf(set->name, sizeof(set->name), "Mock H200 %d", i);
	for (j = 0; j < 16; j++)
		set->uuid[j] = (unsigned char)(16 * i + j);
	set->pci_bus = 0x10 + i;
	set->major = 9;
	set->units = 132;
	set->mode = number_of("DPR_TEST_CUDA_MODE", 0);
	set->taken = set->mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS;
	set->managed = true;
	set->memory = UINT64_C(1) << 30;
	for (j = 0; j < CUMOCK_DEVICES; j++)
		set->peers[j] = true;
}

__attribute__((constructor)) static void set_all(void)
{
	int i;

	cumock_settings.version = number_of("DPR_TEST_CUDA_VERSION", 13000);
	cumock_settings.n_devices = number_of("DPR_TEST_CUDA_DEVICES", 2);
	cumock_settings.init_error = number_of("DPR_TEST_CUDA_INIT", 0);
	cumock_settings.order = number_of("DPR_TEST_CUDA_ORDER", 0);
	cumock_settings.ipc = number_of("DPR_TEST_CUDA_IPC", 0);
	cumock_settings.workers = 3;
	for (i = 0; i < CUMOCK_DEVICES; i++)
		set_device(i);
}

/* --- Around an entry --- */

/* Whether @name undoes something (see `undo`). */
static bool undoes(const char *name)
{
	static const char *const words[] = { "Free",    "Destroy", "Unload",
					     "Release", "Pop",     "Close" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

/* Whether this call counts towards a failure.  Calls that make a context
   current count only if ordered by name: the driver refuses them only for a
   destroyed context. */
static bool may_fail(enum cumock_entry entry)
{
	if (undoes(entries[entry].name))
		return false;
	if (fault.entry >= 0)
		return fault.entry == (int)entry;
	return entry != CUMOCK_cuCtxPushCurrent &&
	       entry != CUMOCK_cuCtxGetCurrent &&
	       entry != CUMOCK_cuThreadExchangeStreamCaptureMode;
}

static bool capturing; /* guarded by the lock */
static _Thread_local CUstreamCaptureMode capture_mode;

/* Whether the driver refuses this entry while a graph is captured. */
static bool is_unsafe(const char *name)
{
	static const char *const names[] = {
		"cuMemAlloc",          "cuMemFree",
		"cuMemHostAlloc",      "cuMemFreeHost",
		"cuMemAllocManaged",   "cuEventQuery",
		"cuEventSynchronize",  "cuStreamQuery",
		"cuStreamSynchronize", "cuLibraryLoadData",
		"cuLibraryUnload",     "cuKernelGetFunction",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Whether an entry can be called before cuInit and in a host function. */
static bool is_harmless(enum cumock_entry entry)
{
	return entry == CUMOCK_cuInit || entry == CUMOCK_cuGetErrorName ||
	       entry == CUMOCK_cuGetErrorString;
}

CUresult cumock_misuse(CUresult error, const char *format, ...)
{
	va_list list;
	int n;

	misuses++;
	if (misuses == 1) {
		n = snprintf(misuse_text, sizeof(misuse_text),
			     "%s: ", entries[now_in].name);
		va_start(list, format);
		vsnprintf(misuse_text + n, sizeof(misuse_text) - (size_t)n,
			  format, list);
		va_end(list);
	}
	return error;
}

CUresult cumock_begin(enum cumock_entry entry)
{
	pthread_mutex_lock(&cumock.lock);
	now_in = entry;
	counts[entry]++;
	if (is_harmless(entry))
		return CUDA_SUCCESS;
	if (cumock_in_host_function)
		return cumock_misuse(CUDA_ERROR_NOT_PERMITTED,
				     "called in a host function");
	if (!cumock.started || cumock.pid != getpid())
		return cumock_misuse(CUDA_ERROR_NOT_INITIALIZED,
				     "called without cuInit, or after fork");
	if (fault.n && !fault.happened && may_fail(entry) && !--fault.n) {
		fault.happened = entries[entry].name;
		return fault.code;
	}
	if (capturing && capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
	    is_unsafe(entries[entry].name))
		return cumock_misuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
				     "another library's graph is lost");
	return CUDA_SUCCESS;
}

CUresult cumock_end(CUresult error)
{
	pthread_mutex_unlock(&cumock.lock);
	return error;
}

const char *cumock_entry_name(void)
{
	return entries[now_in].name;
}

void cumock_entry_waits(bool device)
{
	if (n_waits < MAX_WAITS)
		waits[n_waits] = (struct cumock_wait){
			.entry = entries[now_in].name,
			.thread = (uint64_t)(uintptr_t)pthread_self(),
			.device = device,
		};
	n_waits++;
}

uint64_t cumock_entry_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)time.tv_nsec;
}

/* --- The entries of this file --- */

CUresult cumock_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CUresult error = cumock_begin(CUMOCK_cuThreadExchangeStreamCaptureMode);
	CUstreamCaptureMode before = capture_mode;

	if (!error) {
		capture_mode = *mode;
		*mode = before;
	}
	return cumock_end(error);
}

CUresult cumock_cuInit(unsigned flags)
{
	CUresult error = cumock_begin(CUMOCK_cuInit);
	int i;

	if (flags)
		error = CUDA_ERROR_INVALID_VALUE;
	if (!error)
		error = (CUresult)cumock_settings.init_error;
	if (!error && !cumock_settings.n_devices)
		error = CUDA_ERROR_NO_DEVICE;
	if (!error && cumock.started && cumock.pid != getpid())
		error = CUDA_ERROR_NOT_INITIALIZED;
	if (!error && !cumock.started) {
		cumock.started = true;
		cumock.pid = getpid();
		cumock.random = cumock_settings.seed + 1;
		for (i = 0; i < CUMOCK_DEVICES; i++) {
			cumock.devices[i].number = i;
			cumock.devices[i].settings =
				&cumock_settings.devices[i];
		}
	}
	return cumock_end(error);
}

static const struct {
	CUresult error;
	const char *name, *text;
} errors[] = {
#define E(name, text)                            \
	{                                        \
		CUDA_##name, "CUDA_" #name, text \
	}
	E(SUCCESS, "no error"),
	E(ERROR_INVALID_VALUE, "invalid argument"),
	E(ERROR_OUT_OF_MEMORY, "out of memory"),
	E(ERROR_NOT_INITIALIZED, "initialization error"),
	E(ERROR_DEVICE_UNAVAILABLE, "the device is busy or unavailable"),
	E(ERROR_NO_DEVICE, "no device is detected"),
	E(ERROR_INVALID_DEVICE, "invalid device ordinal"),
	E(ERROR_INVALID_IMAGE, "device kernel image is invalid"),
	E(ERROR_INVALID_CONTEXT, "invalid device context"),
	E(ERROR_NO_BINARY_FOR_GPU, "no kernel image for the device"),
	E(ERROR_PEER_ACCESS_UNSUPPORTED, "peer access is not supported"),
	E(ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
	E(ERROR_UNSUPPORTED_PTX_VERSION, "the PTX is of a newer version"),
	E(ERROR_INVALID_HANDLE, "invalid resource handle"),
	E(ERROR_NOT_FOUND, "named symbol not found"),
	E(ERROR_NOT_READY, "device not ready"),
	E(ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
	E(ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
	E(ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
	E(ERROR_LAUNCH_FAILED, "unspecified launch failure"),
	E(ERROR_INVALID_RESOURCE_CONFIGURATION,
	  "invalid resource configuration"),
	E(ERROR_NOT_PERMITTED, "operation not permitted"),
	E(ERROR_NOT_SUPPORTED, "operation not supported"),
	E(ERROR_SYSTEM_DRIVER_MISMATCH, "the driver does not fit"),
	E(ERROR_UNKNOWN, "unknown error"),
#undef E
};

CUresult cumock_cuGetErrorName(CUresult error, const char **out)
{
	CUresult result = cumock_begin(CUMOCK_cuGetErrorName);
	size_t i, n = sizeof(errors) / sizeof(errors[0]);

	*out = NULL;
	for (i = 0; i < n && !*out; i++)
		if (errors[i].error == error)
			*out = errors[i].name;
	return cumock_end(*out ? result : CUDA_ERROR_INVALID_VALUE);
}

CUresult cumock_cuGetErrorString(CUresult error, const char **out)
{
	CUresult result = cumock_begin(CUMOCK_cuGetErrorString);
	size_t i, n = sizeof(errors) / sizeof(errors[0]);

	*out = NULL;
	for (i = 0; i < n && !*out; i++)
		if (errors[i].error == error)
			*out = errors[i].text;
	return cumock_end(*out ? result : CUDA_ERROR_INVALID_VALUE);
}

/* --- Exported functions --------------------------------------------------- */

EXPORT CUresult cuDriverGetVersion(int *version);
EXPORT CUresult cuInit(unsigned flags);
EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version,
				    cuuint64_t flags,
				    CUdriverProcAddressQueryResult *result);

CUresult cuDriverGetVersion(int *version)
{
	if (!cumock_settings.version_error)
		*version = cumock_settings.version;
	return (CUresult)cumock_settings.version_error;
}

CUresult cuInit(unsigned flags)
{
	return cumock_cuInit(flags);
}

CUresult cuGetProcAddress_v2(const char *name, void **out, int version,
			     cuuint64_t flags,
			     CUdriverProcAddressQueryResult *result)
{
	CUdriverProcAddressQueryResult found =
		CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	int i;

	*out = NULL;
	if (flags & ~(cuuint64_t)3)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < CUMOCK_N_ENTRIES; i++) {
		if (strcmp(entries[i].name, name))
			continue;
		if (entries[i].since > cumock_settings.version ||
		    (cumock_settings.missing &&
		     !strcmp(cumock_settings.missing, name)))
			continue;
		if (version < entries[i].since) {
			found = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
			continue;
		}
		memcpy(out, &addresses[i], sizeof(*out));
		found = CU_GET_PROC_ADDRESS_SUCCESS;
	}
	if (result)
		*result = found;
	return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* --- The control --- */

static int find_entry(const char *name)
{
	int i;

	for (i = 0; i < CUMOCK_N_ENTRIES; i++)
		if (!strcmp(entries[i].name, name))
			return i;
	fprintf(stderr, "cumock: there is no entry %s\n", name);
	abort();
}

static uint64_t control_calls(const char *name)
{
	uint64_t n = 0;
	int i, only = name ? find_entry(name) : -1;

	pthread_mutex_lock(&cumock.lock);
	for (i = 0; i < CUMOCK_N_ENTRIES; i++)
		if (only < 0 || i == only)
			n += counts[i];
	pthread_mutex_unlock(&cumock.lock);
	return n;
}

static void control_forget_calls(void)
{
	pthread_mutex_lock(&cumock.lock);
	memset(counts, 0, sizeof(counts));
	pthread_mutex_unlock(&cumock.lock);
}

static void control_fail(const char *name, uint64_t n, int code)
{
	pthread_mutex_lock(&cumock.lock);
	fault.entry = name ? find_entry(name) : -1;
	fault.n = n;
	fault.code = (CUresult)code;
	fault.happened = NULL;
	pthread_mutex_unlock(&cumock.lock);
}

static const char *control_failed(void)
{
	const char *name;

	pthread_mutex_lock(&cumock.lock);
	name = fault.happened;
	pthread_mutex_unlock(&cumock.lock);
	return name;
}

static uint64_t control_misuse(char *text, size_t size)
{
	uint64_t n;

	pthread_mutex_lock(&cumock.lock);
	n = misuses;
	if (size)
		snprintf(text, size, "%s", n ? misuse_text : "");
	pthread_mutex_unlock(&cumock.lock);
	return n;
}

static void control_forget_misuse(void)
{
	pthread_mutex_lock(&cumock.lock);
	misuses = 0;
	pthread_mutex_unlock(&cumock.lock);
}

static int64_t control_live(enum cumock_object object)
{
	int64_t n;

	pthread_mutex_lock(&cumock.lock);
	n = cumock.live[object];
	pthread_mutex_unlock(&cumock.lock);
	return n;
}

static void control_hold(bool on)
{
	pthread_mutex_lock(&cumock.lock);
	cumock.held = on;
	pthread_cond_broadcast(&cumock.changed);
	pthread_mutex_unlock(&cumock.lock);
}

static uint64_t control_pending(void)
{
	uint64_t n;

	pthread_mutex_lock(&cumock.lock);
	n = cumock.pending;
	pthread_mutex_unlock(&cumock.lock);
	return n;
}

static size_t control_waits(struct cumock_wait *out, size_t max)
{
	size_t n, kept;

	pthread_mutex_lock(&cumock.lock);
	n = n_waits;
	kept = n < MAX_WAITS ? n : MAX_WAITS;
	if (max)
		memcpy(out, waits, (kept < max ? kept : max) * sizeof(*out));
	n_waits = 0;
	pthread_mutex_unlock(&cumock.lock);
	return n;
}

static void control_lose(int device, int error)
{
	pthread_mutex_lock(&cumock.lock);
	cumock.devices[device].lost = (CUresult)error;
	pthread_cond_broadcast(&cumock.changed);
	pthread_mutex_unlock(&cumock.lock);
}

static void control_capture(bool on)
{
	pthread_mutex_lock(&cumock.lock);
	capturing = on;
	pthread_mutex_unlock(&cumock.lock);
}

static void control_capture_stream(void *stream)
{
	pthread_mutex_lock(&cumock.lock);
	cumock.captured = stream;
	pthread_mutex_unlock(&cumock.lock);
}

static void control_reset_context(int device)
{
	pthread_mutex_lock(&cumock.lock);
	cumock_context_reset(&cumock.devices[device], true);
	pthread_mutex_unlock(&cumock.lock);
}

static uint64_t control_launched(void)
{
	uint64_t n;

	pthread_mutex_lock(&cumock.lock);
	n = cumock.launched;
	pthread_mutex_unlock(&cumock.lock);
	return n;
}

static uint64_t control_host_functions(void *handle)
{
	const struct stream *stream = handle;
	uint64_t n;

	pthread_mutex_lock(&cumock.lock);
	n = stream->host_functions;
	pthread_mutex_unlock(&cumock.lock);
	return n;
}

static unsigned char *control_cubin(const char *ptx, size_t *size)
{
	CUresult error = CUDA_SUCCESS;
	char *text = cumock_image_assemble(ptx, strlen(ptx), &error, NULL, 0);
	unsigned char *file = text ? cumock_image_wrap(text, size) : NULL;

	free(text);
	return file;
}

static bool control_reaches(int device, const void *address, size_t size)
{
	bool yes;

	pthread_mutex_lock(&cumock.lock);
	yes = cumock_memory_reaches(&cumock.devices[device], address, size);
	pthread_mutex_unlock(&cumock.lock);
	return yes;
}

EXPORT const struct cumock cumock_control = {
	.settings = &cumock_settings,
	.calls = control_calls,
	.forget_calls = control_forget_calls,
	.fail = control_fail,
	.failed = control_failed,
	.misuse = control_misuse,
	.forget_misuse = control_forget_misuse,
	.live = control_live,
	.depth = cumock_context_depth,
	.hold = control_hold,
	.pending = control_pending,
	.waits = control_waits,
	.kernel = cumock_kernels_set,
	.lose = control_lose,
	.capture = control_capture,
	.capture_stream = control_capture_stream,
	.reset_context = control_reset_context,
	.launched = control_launched,
	.host_functions = control_host_functions,
	.cubin = control_cubin,
	.reaches = control_reaches,
};
