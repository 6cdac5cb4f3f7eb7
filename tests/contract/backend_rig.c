/* SPDX-License-Identifier: Apache-2.0 */
/* backend_rig.c - a small core, for tests of plugins through the ABI. */
#include "tests/contract/backend_rig.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BACKENDS 16

static char names[MAX_BACKENDS][64];
static int n_names;

/* --- The host table --- */

static struct rig *of(dprp_host_instance *self)
{
	return (struct rig *)(void *)self;
}

static void *host_alloc(dprp_host_instance *self, size_t size)
{
	struct rig *rig = of(self);
	void *block = NULL;
	bool fail;

	pthread_mutex_lock(&rig->lock);
	rig->allocs++;
	fail = rig->fail_at && (rig->fail_on ? rig->allocs >= rig->fail_at
					     : rig->allocs == rig->fail_at);
	if (!fail)
		block = malloc(size);
	rig->live += block != NULL;
	pthread_mutex_unlock(&rig->lock);
	if (block)
		memset(block, 0xa5, size);
	return block;
}

static void host_free(dprp_host_instance *self, void *block)
{
	struct rig *rig = of(self);

	pthread_mutex_lock(&rig->lock);
	rig->live -= block != NULL;
	pthread_mutex_unlock(&rig->lock);
	free(block);
}

static void host_log(dprp_host_instance *self, int32_t level, const char *line)
{
	(void)self;
	ck_assert(level >= 1 && level <= 5 && line);
}

static void host_set_error(dprp_host_instance *self, dprp_rc rc, int64_t native,
			   const char *text)
{
	struct rig *rig = of(self);

	pthread_mutex_lock(&rig->lock);
	rig->errors++;
	rig->error = rc;
	rig->native = native;
	snprintf(rig->text, sizeof(rig->text), "%s", text);
	pthread_mutex_unlock(&rig->lock);
}

static const char *host_option(dprp_host_instance *self, const char *key)
{
	const char *const *option = of(self)->options;
	size_t length = strlen(key);

	for (; option && *option; option++)
		if (!strncmp(*option, key, length) && (*option)[length] == '=')
			return *option + length + 1;
	return NULL;
}

static void *host_driver_open(dprp_host_instance *self,
			      const char *const *sonames, size_t count)
{
	void *library = NULL;
	size_t i;

	(void)self;
	for (i = 0; i < count && !library; i++)
		library = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

static void *host_driver_sym(dprp_host_instance *self, void *library,
			     const char *symbol)
{
	(void)self;
	return dlsym(library, symbol);
}

static void host_event_done(dprp_host_instance *self, uint64_t token,
			    dprp_rc status)
{
	struct rig *rig = of(self);
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	pthread_mutex_lock(&rig->lock);
	if (!pthread_equal(pthread_self(), rig->owner) &&
	    !sigismember(&set, SIGUSR1))
		rig->signals_open = true;
	if (token < RIG_TOKENS) {
		rig->told[token]++;
		rig->told_rc[token] = status;
	}
	pthread_cond_broadcast(&rig->changed);
	pthread_mutex_unlock(&rig->lock);
}

static void host_device_lost(dprp_host_instance *self, dprp_device *device,
			     const char *why)
{
	(void)self;
	ck_assert(device && why);
}

/* --- Opening and closing --- */

const char *rig_backend(int index)
{
	return names[index];
}

int rig_backends(void)
{
	return n_names;
}

bool rig_has_driver(int index)
{
	return strncmp(names[index], "mock", 4) && strcmp(names[index], "host");
}

static const dprp_plugin *load(const char *dir, const char *name)
{
	dprp_entry_fn entry;
	char path[4096];
	void *file;

	if (!dir)
		return NULL;
	snprintf(path, sizeof(path), "%s/libdpr-%s.so", dir, name);
	if (access(path, R_OK))
		return NULL;
	file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!file) {
		printf("%s\n", dlerror());
		exit(1);
	}
	*(void **)&entry = dlsym(file, DPRP_ENTRY_SYMBOL);
	return entry ? entry(DPRP_ABI_MINOR) : NULL;
}

const dprp_plugin *rig_plugin(const char *name)
{
	const dprp_plugin *plugin = load(getenv("DPR_PLUGIN_PATH"), name);

	return plugin ? plugin : load(getenv("DPR_TEST_PLUGIN_DIR"), name);
}

void rig_init(struct rig *rig, int index, const char *const *options)
{
	memset(rig, 0, sizeof(*rig));
	rig->name = names[index];
	rig->driver = rig_has_driver(index);
	rig->plugin = rig_plugin(rig->name);
	rig->options = options;
	rig->owner = pthread_self();
	ck_assert_ptr_nonnull(rig->plugin);
	pthread_mutex_init(&rig->lock, NULL);
	pthread_cond_init(&rig->changed, NULL);
	rig->host = (dprp_host){
		.struct_size = sizeof(dprp_host),
		.abi_minor = DPRP_ABI_MINOR,
		.self = (dprp_host_instance *)(void *)rig,
		.alloc = host_alloc,
		.free = host_free,
		.log = host_log,
		.set_error = host_set_error,
		.option = host_option,
		.driver_open = host_driver_open,
		.driver_sym = host_driver_sym,
		.event_done = host_event_done,
		.device_lost = host_device_lost,
	};
}

dprp_rc rig_try(struct rig *rig)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc),
				 .flags = DPRP_QUEUE_PROFILING };
	const dprp_plugin *p = rig->plugin;
	dprp_rc rc;
	uint32_t n = 0;

	rc = p->open(&rig->host, &rig->instance);
	if (!rc)
		rc = p->device->count(rig->instance, &n);
	if (!rc && !n)
		return DPR_RC_NO_DEVICE;
	if (!rc)
		rc = p->device->get(rig->instance, 0, &rig->device);
	if (!rc)
		rc = p->context->create(rig->instance, rig->device, NULL,
					&rig->context);
	if (rc)
		return rc;
	rc = p->queue->create(rig->context, rig->device, &desc,
			      &rig->queue_flags, &rig->queue);
	return rc;
}

void rig_open(struct rig *rig, int index, const char *const *options)
{
	dprp_rc rc;

	rig_init(rig, index, options);
	rc = rig_try(rig);
	ck_assert_msg(rc == DPR_RC_OK, "%s: open: %d: %s", rig->name, rc,
		      rig->text);
}

void rig_close(struct rig *rig)
{
	const dprp_plugin *p = rig->plugin;

	if (rig->queue)
		p->queue->destroy(rig->queue);
	if (rig->context)
		p->context->destroy(rig->context);
	if (rig->instance)
		p->close(rig->instance, DPRP_CLOSE_FINALIZE);
	ck_assert_msg(rig->live == 0, "%s: %lld blocks leaked", rig->name,
		      (long long)rig->live);
	ck_assert_msg(rig->driver || !rig->signals_open,
		      "%s: a thread takes signals", rig->name);
	pthread_mutex_destroy(&rig->lock);
	pthread_cond_destroy(&rig->changed);
	rig->queue = NULL;
	rig->context = NULL;
	rig->instance = NULL;
}

/* --- Helpers --- */

dprp_queue *rig_queue(struct rig *rig, uint64_t flags, uint64_t *got)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc), .flags = flags };
	dprp_queue *queue;
	uint64_t granted = ~UINT64_C(0);

	rig_ok(rig, rig->plugin->queue->create(rig->context, rig->device, &desc,
					       &granted, &queue));
	ck_assert_ptr_nonnull(queue);
	ck_assert_uint_eq(granted & ~flags, 0);
	if (got)
		*got = granted;
	return queue;
}

bool rig_has_kind(struct rig *rig, uint32_t kind)
{
	static const uint32_t keys[] = { 0, DPR_INFO_ASPECT_USM_DEVICE,
					 DPR_INFO_ASPECT_USM_SHARED,
					 DPR_INFO_ASPECT_USM_HOST };

	return rig_u64(rig, rig->device, keys[kind], 0);
}

dprp_mem *rig_mem(struct rig *rig, uint64_t size)
{
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_DEVICE,
			       .size = size };
	dprp_mem *mem;

	rig_ok(rig,
	       rig->plugin->mem->alloc(rig->context, rig->device, &desc, &mem));
	return mem;
}

struct rig_bytes rig_bytes(struct rig *rig, uint64_t size)
{
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_HOST,
			       .size = size };
	struct rig_bytes bytes = { 0 };
	size_t need;

	if (!rig->driver || !rig_has_kind(rig, DPRP_MEM_HOST)) {
		bytes.at = calloc(1, size);
	} else {
		rig_ok(rig, rig->plugin->mem->alloc(rig->context, rig->device,
						    &desc, &bytes.mem));
		rig_ok(rig, rig->plugin->mem->info(
				    bytes.mem, DPRP_MEM_INFO_ADDRESS, &bytes.at,
				    sizeof(bytes.at), &need));
		memset(bytes.at, 0, size);
	}
	ck_assert_ptr_nonnull(bytes.at);
	return bytes;
}

void rig_bytes_free(struct rig *rig, struct rig_bytes *bytes)
{
	if (bytes->mem)
		rig->plugin->mem->free(bytes->mem);
	else
		free(bytes->at);
	memset(bytes, 0, sizeof(*bytes));
}

void rig_write(struct rig *rig, dprp_mem *to, uint64_t offset, const void *from,
	       uint64_t size)
{
	struct rig_bytes bytes = rig_bytes(rig, size ? size : 1);
	dprp_event *event;

	memcpy(bytes.at, from, size);
	rig_ok(rig, rig->plugin->queue->write(rig->queue, to, offset, bytes.at,
					      size, NULL, &event));
	rig_done(rig, event);
	rig_bytes_free(rig, &bytes);
}

void rig_read(struct rig *rig, dprp_mem *from, uint64_t offset, void *to,
	      uint64_t size)
{
	struct rig_bytes bytes = rig_bytes(rig, size ? size : 1);
	dprp_event *event;

	rig_ok(rig, rig->plugin->queue->read(rig->queue, from, offset, bytes.at,
					     size, NULL, &event));
	rig_done(rig, event);
	memcpy(to, bytes.at, size);
	rig_bytes_free(rig, &bytes);
}

dprp_rc rig_wait(struct rig *rig, dprp_event *event, uint64_t timeout_ns)
{
	return rig->plugin->event->wait(&event, 1, timeout_ns);
}

uint32_t rig_state(struct rig *rig, dprp_event *event, dprp_event_state *out)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	dprp_sink none = { 0 };

	rig_ok(rig, rig->plugin->event->status(event, &state, none));
	if (out)
		*out = state;
	return state.state;
}

void rig_done(struct rig *rig, dprp_event *event)
{
	ck_assert_ptr_nonnull(event);
	rig_ok(rig, rig_wait(rig, event, RIG_FOREVER));
	ck_assert_uint_eq(rig_state(rig, event, NULL), DPRP_EVENT_DONE);
	rig->plugin->event->destroy(event);
}

uint64_t rig_u64(struct rig *rig, dprp_device *device, uint32_t key,
		 uint64_t otherwise)
{
	uint64_t value;
	size_t need;

	if (rig->plugin->device->info(device, key, &value, sizeof(value),
				      &need))
		return otherwise;
	return value;
}

dprp_arg rig_arg_mem(dprp_mem *mem, uint64_t offset)
{
	dprp_arg arg = { .kind = DPRP_ARG_MEM };

	arg.u.m.mem = mem;
	arg.u.m.offset = offset;
	return arg;
}

dprp_arg rig_arg_value(const void *value, uint64_t size)
{
	dprp_arg arg = { .kind = DPRP_ARG_VALUE, .size = size };

	arg.u.value = value;
	return arg;
}

dprp_arg rig_arg_local(uint64_t size)
{
	dprp_arg arg = { .kind = DPRP_ARG_LOCAL, .size = size };

	return arg;
}

dprp_rc rig_launch(struct rig *rig, dprp_queue *queue, dprp_kernel *kernel,
		   uint64_t global, const dprp_arg *args, uint32_t n_args,
		   const dprp_deps *deps, dprp_event **event)
{
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 1,
			       .n_args = n_args,
			       .global = { global, 1, 1 },
			       .args = args };

	return rig->plugin->queue->launch(queue, kernel, &launch, deps, event);
}

dprp_deps rig_deps(dprp_event *const *events, uint32_t n)
{
	return (dprp_deps){ .struct_size = sizeof(dprp_deps),
			    .count = n,
			    .events = events };
}

dprp_rc rig_module_try(struct rig *rig, dprp_module **out)
{
	dprp_module_desc desc = { .struct_size = sizeof(desc), .n_images = 1 };
	const dprp_image *list[3];
	dprp_image images[3];
	uint32_t n = rig_images(images, list), best;
	dprp_rc rc;

	rc = rig->plugin->module->pick(rig->device, list, n, &best);
	if (rc)
		return rc;
	desc.images = &list[best];
	return rig->plugin->module->create(rig->context, rig->device, &desc,
					   out);
}

dprp_module *rig_module(struct rig *rig)
{
	dprp_module *module;

	rig_ok(rig, rig_module_try(rig, &module));
	return module;
}

dprp_kernel *rig_kernel(struct rig *rig, dprp_module *module, const char *name)
{
	dprp_kernel *kernel;

	rig_ok(rig, rig->plugin->module->kernel(module, name, &kernel));
	return kernel;
}

/* --- The program --- */

void rig_add(Suite *suite, const char *name, const TTest *test)
{
	TCase *tc = tcase_create(name);

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test, 0, n_names);
	suite_add_tcase(suite, tc);
}

int rig_main(const char *name, void (*add)(Suite *suite))
{
	const char *list = getenv("DPR_TEST_BACKENDS");
	SRunner *runner;
	Suite *suite;
	size_t length;
	int failed;

	list = list ? list : "mock mock_bare host";
	while (*(list += strspn(list, " ,")) && n_names < MAX_BACKENDS) {
		length = strcspn(list, " ,");
		snprintf(names[n_names], sizeof(names[0]), "%.*s", (int)length,
			 list);
		list += length;
		if (rig_plugin(names[n_names]))
			printf("backend %d: %s\n", n_names, names[n_names]);
		else
			printf("%s: not built\n", names[n_names]);
		n_names += rig_plugin(names[n_names]) != NULL;
	}
	if (!n_names) {
		printf("no backend to test was built\n");
		return 77;
	}
	suite = suite_create(name);
	add(suite);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
