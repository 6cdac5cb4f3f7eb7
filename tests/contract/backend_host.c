/* SPDX-License-Identifier: Apache-2.0 */
/* backend_host.c - tests of the host backend alone. */
#include "tests/contract/backend_rig.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The record of a kernel.  Its address is passed as a MEM argument. */
struct seen {
	atomic_int cells[64 * 64 * 4];
	atomic_int cpus[1024];
	atomic_ullong groups, largest;
	uint64_t extent[3];
	atomic_size_t least_stack;
};

static void *address(const void *const *args, int index)
{
	void *pointer;

	memcpy(&pointer, args[index], sizeof(pointer));
	return pointer;
}

/* The size of the stack of this thread. */
static size_t own_stack(void)
{
	pthread_attr_t attr;
	size_t size = 0;

	if (pthread_getattr_np(pthread_self(), &attr))
		return 0;
	pthread_attr_getstacksize(&attr, &size);
	pthread_attr_destroy(&attr);
	return size;
}

/* Count how often each cell of extent is visited, the groups, and the CPUs. */
static void visit(const void *const *args, const uint64_t global[3],
		  const uint64_t local[3], const uint64_t group[3])
{
	struct seen *seen = address(args, 0);
	const uint64_t *n = seen->extent;
	uint64_t x, y, z, gx, gy, gz, items = local[0] * local[1] * local[2];
	const size_t stack = own_stack();

	(void)global;
	if (stack < seen->least_stack)
		seen->least_stack = stack;
	for (z = 0; z < local[2]; z++)
		for (y = 0; y < local[1]; y++)
			for (x = 0; x < local[0]; x++) {
				gx = group[0] * local[0] + x;
				gy = group[1] * local[1] + y;
				gz = group[2] * local[2] + z;
				if (gx < n[0] && gy < n[1] && gz < n[2])
					seen->cells[(gz * n[1] + gy) * n[0] +
						    gx]++;
			}
	seen->groups++;
	if (items > seen->largest)
		seen->largest = items;
	seen->cpus[sched_getcpu() & 1023]++;
}

static const dprp_param visit_params[] = { { DPRP_ARG_MEM, 0, 0 } };
static const dprp_native_kernel kernels[] = {
	{ "visit", visit, 1, 0, visit_params },
};
static const dprp_native_module native = {
	.struct_size = sizeof(native),
	.n_kernels = 1,
	.kernels = kernels,
};

static dprp_kernel *visit_kernel(struct rig *rig, dprp_module **module)
{
	const dprp_image image = { sizeof(image), DPRP_NATIVE_FORMAT, NULL,
				   &native, sizeof(native) };
	const dprp_image *list[1] = { &image };
	dprp_module_desc desc = { .struct_size = sizeof(desc),
				  .n_images = 1,
				  .images = list };

	rig_ok(rig, rig->plugin->module->create(rig->context, rig->device,
						&desc, module));
	return rig_kernel(rig, *module, "visit");
}

static struct seen *run_visit(struct rig *rig, dprp_queue *queue,
			      const uint64_t global[3], const uint64_t local[3],
			      uint32_t dims)
{
	struct seen *seen = calloc(1, sizeof(*seen));
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_IMPORT_HOST,
			       .size = sizeof(*seen),
			       .host_ptr = seen };
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = dims,
			       .n_args = 1 };
	dprp_module *module;
	dprp_kernel *kernel = visit_kernel(rig, &module);
	dprp_arg arg;
	dprp_mem *mem;

	memcpy(seen->extent, global, sizeof(seen->extent));
	seen->least_stack = SIZE_MAX;
	rig_ok(rig,
	       rig->plugin->mem->alloc(rig->context, rig->device, &desc, &mem));
	arg = rig_arg_mem(mem, 0);
	launch.args = &arg;
	memcpy(launch.global, global, sizeof(launch.global));
	if (local)
		memcpy(launch.local, local, sizeof(launch.local));
	rig_ok(rig,
	       rig->plugin->queue->launch(queue, kernel, &launch, NULL, NULL));
	rig_ok(rig, rig->plugin->queue->finish(queue));
	rig->plugin->mem->free(mem);
	rig->plugin->module->kernel_destroy(kernel);
	rig->plugin->module->destroy(module);
	return seen;
}

/* Each item runs once, in one to three dimensions and with any local size. */
START_TEST(test_ranges)
{
	static const uint64_t ranges[][3] = { { 1, 1, 1 },   { 4097, 1, 1 },
					      { 64, 64, 1 }, { 3, 1000, 1 },
					      { 5, 7, 9 },   { 1, 1, 4000 },
					      { 63, 2, 64 } };
	static const uint64_t local[3] = { 4, 2, 1 };
	static const uint64_t even[3] = { 64, 32, 2 };
	static const char *const threads[] = { "THREADS=3", NULL };
	struct seen *seen;
	struct rig rig;
	size_t i, k, n;

	rig_open(&rig, _i, threads);
	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		seen = run_visit(&rig, rig.queue, ranges[i], NULL, 3);
		n = ranges[i][0] * ranges[i][1] * ranges[i][2];
		for (k = 0; k < n; k++)
			ck_assert_int_eq(seen->cells[k], 1);
		free(seen);
	}
	seen = run_visit(&rig, rig.queue, even, local, 3);
	for (k = 0; k < 64 * 32 * 2; k++)
		ck_assert_int_eq(seen->cells[k], 1);
	ck_assert_uint_eq(seen->groups, 16 * 16 * 2);
	ck_assert_uint_eq(seen->largest, 8);
	free(seen);
	rig_close(&rig);
}
END_TEST

START_TEST(test_bad_ranges)
{
	static const uint64_t bad[][6] = { { 64, 1, 1, 5, 1, 1 },
					   { 64, 64, 1, 8, 0, 1 },
					   { 1 << 20, 1, 1, 1 << 20, 1, 1 },
					   { 128, 128, 1, 128, 128, 1 },
					   { UINT64_MAX, 1, 1, 0, 0, 0 },
					   { UINT64_C(1) << 40,
					     UINT64_C(1) << 40, 1, 0, 0, 0 } };
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 3,
			       .n_args = 1 };
	dprp_module *module;
	dprp_kernel *kernel;
	struct rig rig;
	dprp_arg arg;
	dprp_mem *mem;
	size_t i;

	rig_open(&rig, _i, NULL);
	kernel = visit_kernel(&rig, &module);
	mem = rig_mem(&rig, sizeof(struct seen));
	arg = rig_arg_mem(mem, 0);
	launch.args = &arg;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(launch.global, bad[i], sizeof(launch.global));
		memcpy(launch.local, bad[i] + 3, sizeof(launch.local));
		rig_rc(&rig, DPR_RC_INVALID,
		       rig.plugin->queue->launch(rig.queue, kernel, &launch,
						 NULL, NULL));
	}
	rig.plugin->mem->free(mem);
	rig.plugin->module->kernel_destroy(kernel);
	rig.plugin->module->destroy(module);
	rig_close(&rig);
}
END_TEST

/* There are enough work-groups for all threads, each with some hundred
   items. */
START_TEST(test_group_sizes)
{
	static const char *const threads[] = { "THREADS=8", NULL };
	static const uint64_t range[3] = { 16384, 1, 1 };
	struct seen *seen;
	struct rig rig;

	rig_open(&rig, _i, threads);
	seen = run_visit(&rig, rig.queue, range, NULL, 1);
	ck_assert_uint_ge(seen->groups, 8 * 8);
	ck_assert_uint_le(seen->largest, 4096);
	ck_assert_uint_ge(seen->largest, 64);
	free(seen);
	rig_close(&rig);
}
END_TEST

/* The @nth CPU that this process may use; if @nth is negative, their number. */
static int allowed(int nth)
{
	cpu_set_t set;
	int cpu;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	if (nth < 0)
		return CPU_COUNT(&set);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && !nth--)
			return cpu;
	return -1;
}

static dprp_rc open_with(struct rig *rig, int index, const char *option)
{
	const char *const options[] = { option, NULL };
	dprp_rc rc;

	rig_init(rig, index, options);
	rc = rig_try(rig);
	rig->options = NULL;
	return rc;
}

START_TEST(test_threads_option)
{
	static const char *const bad[] = { "THREADS=",   "THREADS=0",
					   "THREADS=-1", "THREADS=two",
					   "THREADS=4x", "THREADS=99999" };
	struct rig rig;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(open_with(&rig, _i, bad[i]), DPR_RC_INVALID);
		ck_assert_ptr_nonnull(
			strstr(rig.text, "DPR_OPTION_HOST_THREADS"));
		rig_close(&rig);
	}
	ck_assert_int_eq(open_with(&rig, _i, "THREADS=5"), DPR_RC_OK);
	ck_assert_uint_eq(rig_u64(&rig, rig.device, DPR_INFO_COMPUTE_UNITS, 0),
			  5);
	rig_close(&rig);
	ck_assert_int_eq(open_with(&rig, _i, NULL), DPR_RC_OK);
	ck_assert_uint_eq(rig_u64(&rig, rig.device, DPR_INFO_COMPUTE_UNITS, 0),
			  (uint64_t)allowed(-1));
	rig_close(&rig);
}
END_TEST

static bool pinned(const struct seen *seen, int cpu)
{
	int i;

	for (i = 0; i < 1024; i++)
		if (i != cpu && seen->cpus[i])
			return false;
	return true;
}

/* Kernels have a large stack, also where threads have a small one otherwise. */
START_TEST(test_stacks)
{
	static const uint64_t range[3] = { 4097, 1, 1 };
	static const char *const threads[] = { "THREADS=3", NULL };
	struct seen *seen;
	struct rig rig;

#ifdef __GLIBC__
	pthread_attr_t attr;

	ck_assert_int_eq(pthread_attr_init(&attr), 0);
	ck_assert_int_eq(pthread_attr_setstacksize(&attr, 128 << 10), 0);
	ck_assert_int_eq(pthread_setattr_default_np(&attr), 0);
	pthread_attr_destroy(&attr);
#endif
	rig_open(&rig, _i, threads);
	seen = run_visit(&rig, rig.queue, range, NULL, 1);
	ck_assert_uint_ge(seen->least_stack, 1 << 20);
	free(seen);
	rig_close(&rig);
}
END_TEST

/* The threads of a part stay on its CPUs, and the affinity of other threads
   does not change. */
START_TEST(test_pinning)
{
	static const uint64_t range[3] = { 16384, 1, 1 };
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	cpu_set_t before, after;
	dprp_device *parts[2];
	dprp_queue *queue;
	struct seen *seen;
	struct rig rig;
	uint32_t n, i;
	uint64_t got;
	int cpu, found;

	sched_getaffinity(0, sizeof(before), &before);
	rig_open(&rig, _i, NULL);
	if (rig_u64(&rig, rig.device, DPR_INFO_COMPUTE_UNITS, 1) < 2) {
		rig_close(&rig);
		return;
	}
	{
		const uint64_t counts[2] = { 1, 1 };
		const dprp_partition how = { .struct_size = sizeof(how),
					     .how = DPR_PARTITION_COUNTS,
					     .n_counts = 2,
					     .counts = counts };

		rig_ok(&rig, rig.plugin->device->partition(rig.device, &how,
							   parts, 2, &n));
	}
	for (i = 0; i < 2; i++) {
		cpu = allowed((int)i);
		rig_ok(&rig, rig.plugin->queue->create(rig.context, parts[i],
						       &desc, &got, &queue));
		seen = run_visit(&rig, queue, range, NULL, 1);
		found = seen->cpus[cpu];
		ck_assert(pinned(seen, cpu));
		ck_assert_int_gt(found, 0);
		free(seen);
		rig.plugin->queue->destroy(queue);
	}
	rig_close(&rig);
	sched_getaffinity(0, sizeof(after), &after);
	ck_assert(CPU_EQUAL(&before, &after));
}
END_TEST

static void put(const char *root, const char *path, const char *text)
{
	char full[600], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (slash = strchr(full + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void put_cache(const char *root, int level, const char *what,
		      const char *text)
{
	char path[200];

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", allowed(0),
		 level, what);
	put(root, path, text);
}

static void drop(const char *root)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	ck_assert_int_eq(system(command), 0);
}

/* Describe a machine of two NUMA nodes, in files like those of the system. */
static void put_machine(const char *root)
{
	char text[100];

	put(root, "/proc/meminfo",
	    "MemTotal:   2048 kB\nMemFree: 1 kB\n"
	    "MemAvailable:  1024 kB\n");
	put(root, "/proc/cpuinfo",
	    "processor\t: 0\nvendor_id\t: Acme\n"
	    "model name\t: Acme 3000\n");
	put(root, "/sys/devices/system/node/online", "0-2\n");
	snprintf(text, sizeof(text), "%d,100000-100003\n", allowed(0));
	put(root, "/sys/devices/system/node/node0/cpulist", text);
	put(root, "/sys/devices/system/node/node1/cpulist", "\n");
	snprintf(text, sizeof(text), "%d-%d\n", allowed(0) + 1, allowed(1));
	put(root, "/sys/devices/system/node/node2/cpulist", text);
	put_cache(root, 0, "type", "Data\n");
	put_cache(root, 0, "size", "32K\n");
	put_cache(root, 1, "type", "Unified\n");
	put_cache(root, 1, "size", "2M\n");
	put_cache(root, 1, "coherency_line_size", "64\n");
}

START_TEST(test_machine)
{
	char root[] = "/tmp/dpr-host-XXXXXX", option[64], text[100];
	const char *options[] = { option, "THREADS=2", NULL };
	const dprp_partition numa = { .struct_size = sizeof(numa),
				      .how = DPR_PARTITION_DOMAIN,
				      .domain = DPR_DOMAIN_NEXT };
	dprp_device *parts[4];
	struct rig rig;
	size_t need;
	uint32_t n;

	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(option, sizeof(option), "SYSTEM_ROOT=%s", root);
	put_machine(root);
	rig_open(&rig, _i, options);
	rig_ok(&rig, rig.plugin->device->info(rig.device, DPR_INFO_NAME, text,
					      sizeof(text), &need));
	ck_assert_str_eq(text, "Acme 3000");
	rig_ok(&rig, rig.plugin->device->info(rig.device, DPR_INFO_VENDOR, text,
					      sizeof(text), &need));
	ck_assert_str_eq(text, "Acme");
	ck_assert_uint_eq(
		rig_u64(&rig, rig.device, DPR_INFO_GLOBAL_MEM_SIZE, 0),
		2048 << 10);
	ck_assert_uint_eq(rig_u64(&rig, rig.device, DPR_INFO_FREE_MEMORY, 0),
			  1024 << 10);
	ck_assert_uint_eq(
		rig_u64(&rig, rig.device, DPR_INFO_MAX_CLOCK_FREQUENCY, 7), 7);
	ck_assert_uint_eq(
		rig_u64(&rig, rig.device, DPR_INFO_GLOBAL_CACHE_SIZE, 0),
		2 << 20);
	ck_assert_uint_eq(
		rig_u64(&rig, rig.device, DPR_INFO_GLOBAL_CACHE_LINE, 0), 64);
	if (allowed(-1) >= 2) {
		ck_assert_uint_ne(rig_u64(&rig, rig.device,
					  DPR_INFO_PARTITION_DOMAINS, 0),
				  0);
		rig_ok(&rig, rig.plugin->device->partition(rig.device, &numa,
							   parts, 4, &n));
		ck_assert_uint_eq(n, 2);
		ck_assert_uint_eq(rig_u64(&rig, parts[0],
					  DPR_INFO_PARTITION_TYPE_DOMAIN, 0),
				  DPR_DOMAIN_NUMA);
		rig_rc(&rig, DPR_RC_UNSUPPORTED,
		       rig.plugin->device->partition(parts[0], &numa, parts, 4,
						     &n));
	}
	rig_close(&rig);
	drop(root);
}
END_TEST

/* Memory of the program is used in place.  An address without memory is
   refused. */
START_TEST(test_wrapped_memory)
{
	static const uint64_t cpu[6] = { 1, 0, 1, 0, 1, 0 };
	uint64_t told[6] = { 0 }, kind = 0, flags = 1;
	int32_t x[16] = { 0 };
	void *address, *made;
	struct rig rig;
	size_t need;

	rig_open(&rig, _i, NULL);
	rig_ok(&rig,
	       rig.plugin->device->info(rig.device, DPR_INFO_DLPACK_DEVICE,
					told, sizeof(told), &need));
	ck_assert_uint_eq(need, sizeof(told));
	ck_assert_mem_eq(told, cpu, sizeof(cpu));
	rig_ok(&rig,
	       rig.plugin->native_wrap(rig.instance, DPRP_NATIVE_MEMORY,
				       rig.context, rig.device, (uintptr_t)x,
				       sizeof(x), 0, &flags, &made));
	ck_assert_uint_eq(flags, 0);
	rig_ok(&rig, rig.plugin->mem->info(made, DPRP_MEM_INFO_ADDRESS,
					   &address, sizeof(address), &need));
	ck_assert_ptr_eq(address, x);
	rig_ok(&rig, rig.plugin->mem->info(made, DPRP_MEM_INFO_KIND, &kind,
					   sizeof(kind), &need));
	ck_assert_uint_eq(kind, DPRP_MEM_HOST);
	rig_ok(&rig, rig.plugin->queue->fill(rig.queue, made, 4, 8, "\1", 1,
					     NULL, NULL));
	rig_ok(&rig, rig.plugin->queue->finish(rig.queue));
	rig.plugin->mem->free(made);
	ck_assert_int_eq(x[0], 0);
	ck_assert_int_eq(x[1], 0x01010101);
	ck_assert_int_eq(x[3], 0);
	rig_rc(&rig, DPR_RC_INVALID,
	       rig.plugin->native_wrap(rig.instance, DPRP_NATIVE_MEMORY,
				       rig.context, rig.device, 64, 8, 0,
				       &flags, &made));
	rig_rc(&rig, DPR_RC_INVALID,
	       rig.plugin->native_wrap(rig.instance, DPRP_NATIVE_MEMORY,
				       rig.context, rig.device, (uintptr_t)x,
				       UINT64_MAX, 0, &flags, &made));
	rig_rc(&rig, DPR_RC_UNSUPPORTED,
	       rig.plugin->native_wrap(rig.instance, DPRP_NATIVE_MEMORY,
				       rig.context, rig.device, (uintptr_t)x,
				       sizeof(x), 1, &flags, &made));
	rig_rc(&rig, DPR_RC_UNSUPPORTED,
	       rig.plugin->native_wrap(rig.instance, DPRP_NATIVE_QUEUE,
				       rig.context, rig.device, (uintptr_t)x, 0,
				       0, &flags, &made));
	rig_close(&rig);
}
END_TEST

START_TEST(test_no_machine)
{
	char root[] = "/tmp/dpr-host-XXXXXX", option[64];
	struct rig rig;

	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(option, sizeof(option), "SYSTEM_ROOT=%s", root);
	ck_assert_int_eq(open_with(&rig, _i, option), DPR_RC_NO_DEVICE);
	ck_assert_ptr_nonnull(strstr(rig.text, "meminfo"));
	rig_close(&rig);
	drop(root);
}
END_TEST

START_TEST(test_no_source)
{
	const dprp_image image = { sizeof(image), "opencl-c", NULL, rig_source,
				   strlen(rig_source) };
	const dprp_image *list[1] = { &image };
	uint32_t best;
	struct rig rig;

	rig_open(&rig, _i, NULL);
	rig_rc(&rig, DPR_RC_UNSUPPORTED,
	       rig.plugin->module->pick(rig.device, list, 1, &best));
	ck_assert_ptr_nonnull(strstr(rig.text, DPRP_NATIVE_FORMAT));
	rig_close(&rig);
}
END_TEST

static void add(Suite *suite)
{
	rig_add(suite, "ranges", test_ranges);
	rig_add(suite, "bad ranges", test_bad_ranges);
	rig_add(suite, "group sizes", test_group_sizes);
	rig_add(suite, "threads", test_threads_option);
	rig_add(suite, "stacks", test_stacks);
	rig_add(suite, "pinning", test_pinning);
	rig_add(suite, "machine", test_machine);
	rig_add(suite, "wrapped memory", test_wrapped_memory);
	rig_add(suite, "no machine", test_no_machine);
	rig_add(suite, "no source", test_no_source);
}

int main(void)
{
	setenv("DPR_TEST_BACKENDS", "host", 1);
	return rig_main("backend_host", add);
}
