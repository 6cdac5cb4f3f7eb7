/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_mock.c - tests of the mock of NVIDIA's driver, which is called directly:
   it answers as the driver does, and finds misuses. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_test.h"
#include "tests/cuda/driver/cumock_types.h"

static struct {
#define CUDA_ENTRY(since, name, version) PFN_##name##_v##version name;
#include "backends/cuda/cuda_entries.def"
#undef CUDA_ENTRY
} d;

static const char ptx[] =
	".version 7.0\n"
	"// .entry of a comment (\n"
	".target sm_60\n"
	".address_size 64\n"
	".visible .entry add_one(.param .u64 .ptr .global .align 4 x,\n"
	"	.param .u64 n)\n"
	"{\n	ret;\n}\n"
	".visible .entry append(.param .u64 list, .param .u32 value)\n"
	"{\n	ret;\n}\n"
	".visible .entry fault()\n"
	".maxntid 64, 1, 1\n"
	"{\n	ret;\n}\n"
	".visible .entry nothing(.param .u8 a, .param .align 16 .b8 b[24],\n"
	"	.param .f32 c) .reqntid 32\n"
	"{\n	ret;\n}\n";

static CUcontext context;
static CUstream s1, s2;
static CUlibrary library;

#define OK(call) ck_assert_int_eq((int)(call), 0)
#define IS(code, call) ck_assert_int_eq((int)(call), (int)(code))

static void find_entries(int version)
{
	PFN_cuGetProcAddress_v12000 get;
	CUdriverProcAddressQueryResult result;

	*(void **)&get = dlsym(mock_library, "cuGetProcAddress_v2");
	ck_assert(get != NULL);
#define CUDA_ENTRY(since, name, version_of)                               \
	if ((since) > version)                                            \
		IS(CUDA_ERROR_NOT_FOUND,                                  \
		   get(#name, (void **)&d.name, version_of, 0, &result)); \
	else                                                              \
		OK(get(#name, (void **)&d.name, version_of, 0, &result));
#include "backends/cuda/cuda_entries.def"
#undef CUDA_ENTRY
}

static void start(void)
{
	open_mock();
	find_entries(13000);
	OK(d.cuInit(0));
	OK(d.cuDevicePrimaryCtxRetain(&context, 0));
	OK(d.cuCtxPushCurrent(context));
	OK(d.cuStreamCreateWithPriority(&s1, CU_STREAM_NON_BLOCKING, 0));
	OK(d.cuStreamCreateWithPriority(&s2, CU_STREAM_NON_BLOCKING, 0));
	OK(d.cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
}

static void stop(void)
{
	CUcontext was;

	OK(d.cuLibraryUnload(library));
	OK(d.cuStreamDestroy(s1));
	OK(d.cuStreamDestroy(s2));
	OK(d.cuCtxPopCurrent(&was));
	OK(d.cuDevicePrimaryCtxRelease(0));
	check_mock();
}

/* Check that exactly one misuse was counted, and that its text contains
   @part. */
static void check_misuse(const char *part)
{
	char text[512];

	ck_assert_uint_eq(mock->misuse(text, sizeof(text)), 1);
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in: %s", part,
		      text);
	mock->forget_misuse();
}

static CUfunction kernel(const char *name)
{
	CUkernel out;

	OK(d.cuLibraryGetKernel(&out, library, name));
	return (CUfunction)out;
}

static CUdeviceptr new_ints(size_t n)
{
	CUdeviceptr out;

	OK(d.cuMemAlloc(&out, n * sizeof(int)));
	OK(d.cuMemsetD32Async(out, 0, n, s1));
	OK(d.cuStreamSynchronize(s1));
	return out;
}

static void append(CUstream stream, CUdeviceptr list, int value)
{
	void *params[] = { &list, &value };

	OK(d.cuLaunchKernel(kernel("append"), 1, 1, 1, 1, 1, 1, 0, stream,
			    params, NULL));
}

/* Check the contents of a list that append() wrote. */
static void check_list(CUdeviceptr list, const int *values, int n)
{
	const int *got = (const int *)(uintptr_t)list;
	int i;

	ck_assert_int_eq(got[0], n);
	for (i = 0; i < n; i++)
		ck_assert_int_eq(got[i + 1], values[i]);
}

START_TEST(newer_entries_are_not_found)
{
	PFN_cuGetProcAddress_v12000 get;
	CUdriverProcAddressQueryResult result;
	void *entry;

	open_mock();
	mock->settings->version = 12000;
	find_entries(12000);
	*(void **)&get = dlsym(mock_library, "cuGetProcAddress_v2");
	IS(CUDA_ERROR_NOT_FOUND, get("cuNonsense", &entry, 12000, 0, &result));
	ck_assert_int_eq((int)result, 1);
	IS(CUDA_ERROR_NOT_FOUND, get("cuInit", &entry, 1000, 0, &result));
	ck_assert_int_eq((int)result, 2);
	ck_assert(entry == NULL);
}
END_TEST

START_TEST(streams_are_in_order_and_apart)
{
	static const int reversed[] = { 3, 4, 1, 2 };
	CUdeviceptr list;

	mock->settings->order = CUMOCK_NEWEST;
	mock->settings->workers = 1;
	start();
	list = new_ints(8);
	mock->hold(true);
	append(s1, list, 1);
	append(s2, list, 3);
	append(s1, list, 2);
	append(s2, list, 4);
	ck_assert_uint_eq(mock->pending(), 4);
	IS(CUDA_ERROR_NOT_READY, d.cuStreamQuery(s1));
	mock->hold(false);
	OK(d.cuStreamSynchronize(s1));
	OK(d.cuStreamSynchronize(s2));
	/* Value 2 was the newest once 3 had begun.  So only the order within
	   each stream is certain, and that s2 is first. */
	ck_assert_int_eq(((int *)(uintptr_t)list)[1], reversed[0]);
	OK(d.cuMemFree(list));
	stop();
}
END_TEST

START_TEST(events_order_streams)
{
	static const int values[] = { 1, 2, 3 };
	CUdeviceptr list;
	CUevent event;

	mock->settings->order = CUMOCK_NEWEST;
	start();
	list = new_ints(8);
	OK(d.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK(d.cuEventQuery(event));
	mock->hold(true);
	append(s1, list, 1);
	OK(d.cuEventRecord(event, s1));
	OK(d.cuStreamWaitEvent(s2, event, 0));
	append(s2, list, 2);
	/* s2 still waits for the first record, though the event is recorded
	   again and destroyed. */
	OK(d.cuEventRecord(event, s2));
	OK(d.cuStreamWaitEvent(s1, event, 0));
	append(s1, list, 3);
	IS(CUDA_ERROR_NOT_READY, d.cuEventQuery(event));
	OK(d.cuEventDestroy(event));
	mock->hold(false);
	OK(d.cuStreamSynchronize(s1));
	check_list(list, values, 3);
	OK(d.cuMemFree(list));
	stop();
}
END_TEST

START_TEST(elapsed_times)
{
	CUevent start_event, end, plain;
	CUdeviceptr list;
	float ms = -1;

	start();
	list = new_ints(8);
	OK(d.cuEventCreate(&start_event, 0));
	OK(d.cuEventCreate(&end, 0));
	OK(d.cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
	OK(d.cuEventRecord(start_event, s1));
	mock->hold(true);
	append(s1, list, 1);
	OK(d.cuEventRecord(end, s1));
	OK(d.cuEventRecord(plain, s1));
	IS(CUDA_ERROR_NOT_READY, d.cuEventElapsedTime(&ms, start_event, end));
	mock->hold(false);
	OK(d.cuEventSynchronize(plain));
	OK(d.cuEventElapsedTime(&ms, start_event, end));
	ck_assert(ms > 0);
	IS(CUDA_ERROR_INVALID_HANDLE,
	   d.cuEventElapsedTime(&ms, start_event, plain));
	check_misuse("without times");
	OK(d.cuMemFree(list));
	OK(d.cuEventDestroy(start_event));
	OK(d.cuEventDestroy(end));
	OK(d.cuEventDestroy(plain));
	stop();
}
END_TEST

/* --- Which calls wait ----------------------------------------------------- */

static void *let_go(void *unused)
{
	struct timespec some = { 0, 20000000 };

	(void)unused;
	nanosleep(&some, NULL);
	mock->hold(false);
	return NULL;
}

/* Check that @call waits @yes times for work on s1: in entry @who, and for the
   whole device if @for_device. */
#define WAITS(yes, for_device, who, call)                               \
	do {                                                            \
		struct cumock_wait wait_ = { NULL, 0, false };          \
		pthread_t thread_;                                      \
		size_t n_;                                              \
		OK(d.cuStreamSynchronize(s1));                          \
		mock->waits(NULL, 0);                                   \
		mock->hold(true);                                       \
		OK(d.cuMemsetD8Async(memory, 1, 1, s1));                \
		pthread_create(&thread_, NULL, let_go, NULL);           \
		OK(call);                                               \
		n_ = mock->waits(&wait_, 1);                            \
		pthread_join(thread_, NULL);                            \
		ck_assert_msg(n_ == (yes), "%s: %zu waits", #call, n_); \
		if (n_) {                                               \
			ck_assert_str_eq(wait_.entry, who);             \
			ck_assert(wait_.device == (for_device));        \
			ck_assert(wait_.thread ==                       \
				  (uint64_t)(uintptr_t)pthread_self()); \
		}                                                       \
	} while (0)

/* These are the answers of an H100 and an H200. */
START_TEST(who_waits)
{
	enum { M = 1 << 20 };
	unsigned char *page = calloc(4, M);
	CUdeviceptr memory, other, managed;
	void *pinned, *second;
	CUfunction function;
	CUevent event;

#define A(p) ((CUdeviceptr)(uintptr_t)(p))
	start();
	OK(d.cuMemAlloc(&memory, 4 * M));
	OK(d.cuMemAllocManaged(&managed, M, 1));
	OK(d.cuMemHostAlloc(&pinned, M, 3));
	OK(d.cuMemHostAlloc(&second, M, 3));
	WAITS(1, false, "cuMemcpyAsync",
	      d.cuMemcpyAsync(A(page), memory, 4, s1));
	WAITS(0, false, "", d.cuMemcpyAsync(memory, A(page), M, s1));
	WAITS(1, false, "cuMemcpyAsync",
	      d.cuMemcpyAsync(memory, A(page), 4 * M, s1));
	WAITS(0, false, "", d.cuMemcpyAsync(A(pinned), memory, M, s1));
	WAITS(1, false, "cuMemcpyAsync",
	      d.cuMemcpyAsync(A(pinned), A(second), 4, s1));
	WAITS(0, false, "", d.cuMemcpyAsync(A(pinned), managed, 4, s1));
	WAITS(0, false, "", d.cuMemsetD32Async(A(pinned), 7, 4, s1));
	WAITS(0, false, "", d.cuMemAlloc(&other, 64));
	WAITS(1, true, "cuMemFree", d.cuMemFree(other));
	WAITS(1, true, "cuMemFreeHost", d.cuMemFreeHost(second));
	WAITS(1, true, "cuKernelGetFunction",
	      d.cuKernelGetFunction(&function, (CUkernel)kernel("fault")));
	WAITS(0, false, "",
	      d.cuKernelGetFunction(&function, (CUkernel)kernel("append")));
	WAITS(1, true, "cuLibraryUnload", d.cuLibraryUnload(library));
	OK(d.cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	WAITS(0, false, "", d.cuLibraryUnload(library));
	OK(d.cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	WAITS(0, false, "", d.cuMemAllocAsync(&other, 64, s1));
	WAITS(0, false, "", d.cuMemFreeAsync(other, s1));
	OK(d.cuEventCreate(&event, 2));
	WAITS(0, false, "", d.cuEventRecord(event, s1));
	WAITS(1, false, "cuEventSynchronize",
	      d.cuEventRecord(event, s1) || d.cuEventSynchronize(event));
	WAITS(0, false, "", d.cuEventDestroy(event));
	OK(d.cuMemFreeHost(pinned));
	OK(d.cuMemFree(memory));
	OK(d.cuMemFree(managed));
	free(page);
	stop();
}
END_TEST

/* --- Misuse --- */

START_TEST(misuse_is_found)
{
	CUdeviceptr memory, out;
	size_t size;
	CUcontext was, other;
	CUevent event, theirs;

	start();
	OK(d.cuMemAlloc(&memory, 64));
	OK(d.cuEventCreate(&event, 2));
	OK(d.cuCtxPopCurrent(&was));
	IS(CUDA_ERROR_INVALID_CONTEXT, d.cuMemAlloc(&out, 64));
	check_misuse("cuMemAlloc: no context is current");
	IS(CUDA_ERROR_INVALID_CONTEXT,
	   d.cuMemGetAddressRange(&out, &size, memory));
	check_misuse("no context is current");
	/* These need no current context, since the stream or the address has
	   one. */
	OK(d.cuMemsetD8Async(memory, 1, 64, s1));
	OK(d.cuEventRecord(event, s1));
	OK(d.cuEventSynchronize(event));
	OK(d.cuMemFree(memory));
	IS(CUDA_ERROR_INVALID_VALUE, d.cuMemFree(memory));
	check_misuse("not the start of such memory");
	OK(d.cuEventDestroy(event));
	IS(CUDA_ERROR_INVALID_HANDLE, d.cuEventQuery(event));
	check_misuse("was destroyed before");
	OK(d.cuDevicePrimaryCtxRetain(&other, 1));
	OK(d.cuCtxPushCurrent(other));
	OK(d.cuEventCreate(&theirs, 2));
	OK(d.cuCtxPopCurrent(&was));
	IS(CUDA_ERROR_INVALID_HANDLE, d.cuEventRecord(theirs, s1));
	check_misuse("another device's context");
	/* But waiting for another device's event is allowed. */
	OK(d.cuStreamWaitEvent(s1, theirs, 0));
	OK(d.cuEventDestroy(theirs));
	OK(d.cuDevicePrimaryCtxRelease(1));
	IS(CUDA_ERROR_INVALID_CONTEXT, d.cuDevicePrimaryCtxRelease(1));
	check_misuse("not retained");
	ck_assert_uint_eq(mock->depth(), 0);
	OK(d.cuCtxPushCurrent(context));
	stop();
}
END_TEST

static CUresult inside;

static void call_inside(void *unused)
{
	CUdeviceptr out;

	(void)unused;
	inside = d.cuMemAlloc(&out, 64);
}

START_TEST(a_host_function_calls_nothing)
{
	start();
	OK(d.cuLaunchHostFunc(s1, call_inside, NULL));
	OK(d.cuStreamSynchronize(s1));
	ck_assert_uint_eq(mock->host_functions(s1), 1);
	ck_assert_uint_eq(mock->host_functions(s2), 0);
	IS(CUDA_ERROR_NOT_PERMITTED, inside);
	check_misuse("in a host function");
	stop();
}
END_TEST

/* --- Code --- */

START_TEST(kernels_have_parameters)
{
	CUkernel k;
	size_t offset, size;
	int value;

	start();
	OK(d.cuLibraryGetKernel(&k, library, "nothing"));
	OK(d.cuKernelGetParamInfo(k, 0, &offset, &size));
	ck_assert_uint_eq(offset + size, 1);
	OK(d.cuKernelGetParamInfo(k, 1, &offset, &size));
	ck_assert_uint_eq(offset, 16);
	ck_assert_uint_eq(size, 24);
	OK(d.cuKernelGetParamInfo(k, 2, &offset, &size));
	ck_assert_uint_eq(offset, 40);
	ck_assert_uint_eq(size, 4);
	IS(CUDA_ERROR_INVALID_VALUE,
	   d.cuKernelGetParamInfo(k, 3, &offset, &size));
	IS(CUDA_ERROR_NOT_FOUND, d.cuLibraryGetKernel(&k, library, "no"));
	OK(d.cuLibraryGetKernel(&k, library, "fault"));
	OK(d.cuKernelGetAttribute(&value, 0, k, 0));
	ck_assert_int_eq(value, 64);
	stop();
}
END_TEST

START_TEST(launches_are_checked)
{
	CUfunction f;
	unsigned char a = 0, b[24] = { 0 };
	float c = 0;
	void *params[] = { &a, b, &c };

	start();
	f = kernel("nothing");
	IS(CUDA_ERROR_INVALID_VALUE,
	   d.cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, s1, params, NULL));
	IS(CUDA_ERROR_INVALID_VALUE,
	   d.cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, s1, params, NULL));
	IS(CUDA_ERROR_INVALID_VALUE,
	   d.cuLaunchKernel(f, 1, 65536, 1, 32, 1, 1, 0, s1, params, NULL));
	IS(CUDA_ERROR_INVALID_VALUE,
	   d.cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 65536, s1, params, NULL));
	OK(d.cuKernelSetAttribute(8, 65536, (CUkernel)f, 0));
	OK(d.cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 65536, s1, params, NULL));
	OK(d.cuStreamSynchronize(s1));
	stop();
}
END_TEST

START_TEST(linking_makes_a_cubin)
{
	static char bad[] = ".version 7.0\n.target sm_60\n"
			    ".entry k()\n{\nmock_error r1;\n}\n";
	char log[200] = "";
	CUjit_option keys[] = { (CUjit_option)5, (CUjit_option)6 };
	void *values[] = { log, (void *)(uintptr_t)sizeof(log) };
	CUlinkState link;
	CUlibrary made;
	CUkernel k;
	void *cubin;
	size_t size;

	start();
	OK(d.cuLinkCreate(2, keys, values, &link));
	IS(CUDA_ERROR_INVALID_PTX,
	   d.cuLinkAddData(link, (CUjitInputType)1, bad, sizeof(bad), "bad", 0,
			   NULL, NULL));
	ck_assert_msg(strstr(log, "line 5; error") != NULL, "%s", log);
	OK(d.cuLinkDestroy(link));
	OK(d.cuLinkCreate(0, NULL, NULL, &link));
	OK(d.cuLinkAddData(link, (CUjitInputType)1, (void *)(uintptr_t)ptx,
			   sizeof(ptx), "good", 0, NULL, NULL));
	OK(d.cuLinkComplete(link, &cubin, &size));
	ck_assert(size > 64 && !memcmp(cubin, "\177ELF", 4));
	OK(d.cuLibraryLoadData(&made, cubin, NULL, NULL, 0, NULL, NULL, 0));
	OK(d.cuLinkDestroy(link));
	OK(d.cuLibraryGetKernel(&k, made, "append"));
	OK(d.cuLibraryUnload(made));
	IS(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
	   d.cuLibraryLoadData(&made, ".version 19.0\n.target sm_60\n", NULL,
			       NULL, 0, NULL, NULL, 0));
	IS(CUDA_ERROR_NO_BINARY_FOR_GPU,
	   d.cuLibraryLoadData(&made, ".version 8.0\n.target sm_120\n", NULL,
			       NULL, 0, NULL, NULL, 0));
	stop();
}
END_TEST

START_TEST(a_fault_stays)
{
	CUdeviceptr out;
	CUevent event;

	start();
	OK(d.cuEventCreate(&event, 2));
	OK(d.cuLaunchKernel(kernel("fault"), 1, 1, 1, 1, 1, 1, 0, s1, NULL,
			    NULL));
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, d.cuStreamSynchronize(s1));
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, d.cuEventQuery(event));
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, d.cuMemAlloc(&out, 64));
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, d.cuEventDestroy(event));
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, d.cuStreamDestroy(s1));
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, d.cuStreamDestroy(s2));
	OK(d.cuLibraryUnload(library));
	OK(d.cuDevicePrimaryCtxRelease(0));
	IS(CUDA_ERROR_ILLEGAL_ADDRESS, d.cuDevicePrimaryCtxRetain(&context, 0));
	OK(d.cuDevicePrimaryCtxRetain(&context, 1));
	OK(d.cuDevicePrimaryCtxRelease(1));
	check_mock();
}
END_TEST

/* --- Parts --- */

static unsigned split(const CUdevResource *all, unsigned least, unsigned *size,
		      unsigned *left)
{
	CUdevResource groups[16], rest;
	unsigned n = 16;

	OK(d.cuDevSmResourceSplitByCount(groups, &n, all, &rest, 0, least));
	*size = groups[0].sm.smCount;
	*left = rest.sm.smCount;
	return n;
}

START_TEST(parts_as_on_an_h200)
{
	static const unsigned seen[][4] = { { 1, 15, 8, 12 },
					    { 8, 15, 8, 12 },
					    { 60, 2, 64, 4 },
					    { 66, 1, 72, 60 } };
	CUdevResource all, groups[15], mixed[2];
	unsigned size, left, n = 15, i;
	CUdevResourceDesc desc;
	CUgreenCtx green;
	CUcontext part, was;
	CUstream stream;
	CUevent event;

	start();
	OK(d.cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	ck_assert_uint_eq(all.sm.smCount, 132);
	for (i = 0; i < 4; i++) {
		ck_assert_uint_eq(split(&all, seen[i][0], &size, &left),
				  seen[i][1]);
		ck_assert_uint_eq(size, seen[i][2]);
		ck_assert_uint_eq(left, seen[i][3]);
	}
	OK(d.cuDevSmResourceSplitByCount(groups, &n, &all, &mixed[1], 0, 1));
	mixed[0] = groups[0];
	mixed[1] = all;
	IS(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
	   d.cuDevResourceGenerateDesc(&desc, mixed, 2));
	OK(d.cuDevResourceGenerateDesc(&desc, groups, 3));
	OK(d.cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	OK(d.cuGreenCtxGetDevResource(green, &all, CU_DEV_RESOURCE_TYPE_SM));
	ck_assert_uint_eq(all.sm.smCount, 24);
	ck_assert_uint_eq(split(&all, 8, &size, &left), 3);
	OK(d.cuCtxFromGreenCtx(&part, green));
	OK(d.cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
	OK(d.cuCtxPushCurrent(part));
	OK(d.cuEventCreate(&event, 2));
	OK(d.cuCtxPopCurrent(&was));
	OK(d.cuEventRecord(event, stream));
	OK(d.cuEventRecord(event, s1));
	OK(d.cuEventSynchronize(event));
	OK(d.cuEventDestroy(event));
	OK(d.cuStreamDestroy(stream));
	OK(d.cuGreenCtxDestroy(green));
	stop();
}
END_TEST

/* --- Failures, limits, other processes --- */

START_TEST(calls_fail_on_demand)
{
	CUdeviceptr out;

	start();
	mock->fail("cuMemAlloc", 2, CUDA_ERROR_OUT_OF_MEMORY);
	OK(d.cuMemAlloc(&out, 64));
	OK(d.cuMemFree(out));
	IS(CUDA_ERROR_OUT_OF_MEMORY, d.cuMemAlloc(&out, 64));
	ck_assert_str_eq(mock->failed(), "cuMemAlloc");
	mock->fail(NULL, 1, CUDA_ERROR_UNKNOWN);
	IS(CUDA_ERROR_UNKNOWN, d.cuMemAlloc(&out, 64));
	mock->fail(NULL, 0, 0);
	mock->settings->devices[0].memory = 100;
	IS(CUDA_ERROR_OUT_OF_MEMORY, d.cuMemAlloc(&out, 101));
	mock->forget_calls();
	OK(d.cuMemAlloc(&out, 100));
	OK(d.cuMemFree(out));
	ck_assert_uint_eq(mock->calls("cuMemAlloc"), 1);
	ck_assert_uint_eq(mock->calls(NULL), 2);
	stop();
}
END_TEST

START_TEST(a_reset_destroys_all)
{
	unsigned long long before, after;
	CUdeviceptr memory;
	CUcontext again;

	start();
	OK(d.cuMemAlloc(&memory, 64));
	OK(d.cuCtxGetId(context, &before));
	mock->reset_context(0);
	ck_assert_int_eq(mock->live(CUMOCK_MEMORY), 0);
	IS(CUDA_ERROR_CONTEXT_IS_DESTROYED, d.cuStreamQuery(s1));
	IS(CUDA_ERROR_CONTEXT_IS_DESTROYED, d.cuMemAlloc(&memory, 64));
	IS(CUDA_ERROR_CONTEXT_IS_DESTROYED, d.cuCtxGetId(context, &after));
	OK(d.cuDevicePrimaryCtxRetain(&again, 0));
	OK(d.cuCtxGetId(again, &after));
	ck_assert(before != after);
	OK(d.cuDevicePrimaryCtxRelease(0));
	OK(d.cuLibraryUnload(library));
	check_mock();
}
END_TEST

/* Runs in the child, before CUDA was started there. */
static int open_other(int from)
{
	CUipcMemHandle handle;
	CUdeviceptr memory;

	if (read(from, &handle, sizeof(handle)) != sizeof(handle))
		return 1;
	start();
	OK(d.cuIpcOpenMemHandle(&memory, handle, 1));
	ck_assert_int_eq(((int *)(uintptr_t)memory)[1], 7);
	((int *)(uintptr_t)memory)[1] = 8;
	OK(d.cuIpcCloseMemHandle(memory));
	stop();
	return 0;
}

START_TEST(memory_goes_to_another_process)
{
	CUipcMemHandle handle;
	CUdeviceptr memory, same;
	int pipes[2], status = 1;
	pid_t child;

	mock->settings->ipc = true;
	ck_assert_int_eq(pipe(pipes), 0);
	child = fork();
	if (!child)
		_exit(open_other(pipes[0]));
	start();
	OK(d.cuMemAlloc(&memory, 64));
	((int *)(uintptr_t)memory)[1] = 7;
	OK(d.cuIpcGetMemHandle(&handle, memory));
	IS(CUDA_ERROR_INVALID_CONTEXT, d.cuIpcOpenMemHandle(&same, handle, 1));
	ck_assert_int_eq(write(pipes[1], &handle, sizeof(handle)),
			 sizeof(handle));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(((int *)(uintptr_t)memory)[1], 8);
	OK(d.cuMemFree(memory));
	stop();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		newer_entries_are_not_found,
		streams_are_in_order_and_apart,
		events_order_streams,
		elapsed_times,
		who_waits,
		misuse_is_found,
		a_host_function_calls_nothing,
		kernels_have_parameters,
		launches_are_checked,
		linking_makes_a_cubin,
		a_fault_stays,
		parts_as_on_an_h200,
		calls_fail_on_demand,
		a_reset_destroys_all,
		memory_goes_to_another_process,
	};

	return run_tests("cuda_mock", tests, sizeof(tests) / sizeof(tests[0]));
}
