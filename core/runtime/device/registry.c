/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - loading the plugins, opening backends, the list of devices. */
#include "core/runtime/device/registry.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "core/base/clock.h"
#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/settings.h"
#include "core/base/status.h"
#include "core/runtime/device/selector.h"
#include "core/runtime/plugin/backends.h"
#include "core/runtime/plugin/host_table.h"

#define MAX_DEVICES 65536

/* Names that are always known, so that a program may prefer a backend that this
   machine lacks. */
static const char *const bundled[] = { "cuda", "host", "level_zero", "opencl" };
#define N_BUNDLED (sizeof(bundled) / sizeof(*bundled))

static const struct device_list no_devices;
static pthread_once_t watched = PTHREAD_ONCE_INIT;

static struct {
	pthread_mutex_t lock;
	/* Guards the fields down to `n_added`. */
	pthread_cond_t idle;
	int busy;        /* the baton: somebody loads or opens */
	pthread_t owner; /* who */
	char **added;    /* by dpr_plugin_add() */
	size_t n_added;

	/* Written with the baton, read after `started` (acquire, pairs with the
	   release that sets it). */
	struct candidates found;
	/* A bad variable: an option is seen to be one only when its backend is
	   opened, with the baton (release, pairs with the acquire in sticky()).
	   The text is there first, and stays. */
	_Atomic(dpr_status) failure;
	char *failure_text;
	atomic_int started;

	/* Written with the baton. */
	struct candidate **opened; /* in this order */
	size_t n_opened;
	_Atomic(const struct device_list *) snapshot;
} registry = { .lock = PTHREAD_MUTEX_INITIALIZER,
	       .idle = PTHREAD_COND_INITIALIZER,
	       .snapshot = &no_devices };

/* --- The baton -------------------------------------------------------------
 */

static dpr_status take_baton(const char *what)
{
	dpr_status status = DPR_OK;

	pthread_mutex_lock(&registry.lock);
	while (registry.busy && !pthread_equal(registry.owner, pthread_self()))
		pthread_cond_wait(&registry.idle, &registry.lock);
	if (registry.busy)
		status = fail(DPR_ERROR_INTERNAL,
			      "%s: a backend plugin called dpr while dpr was "
			      "opening it",
			      what);
	registry.busy = 1;
	registry.owner = pthread_self();
	pthread_mutex_unlock(&registry.lock);
	return status;
}

static void give_baton(void)
{
	pthread_mutex_lock(&registry.lock);
	registry.busy = 0;
	pthread_cond_broadcast(&registry.idle);
	pthread_mutex_unlock(&registry.lock);
}

static void before_fork(void)
{
	pthread_mutex_lock(&registry.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&registry.lock);
}

static bool in_child(void)
{
	int busy = registry.busy;

	registry.busy = 0;
	pthread_mutex_unlock(&registry.lock);
	return busy;
}

static void watch(void);

dpr_status registry_add(const char *file)
{
	dpr_status status = DPR_OK;
	char *copy = mem_string(file), **added;

	pthread_mutex_lock(&registry.lock);
	added = mem_grow(registry.added, registry.n_added + 1, sizeof(*added));
	if (added)
		registry.added = added;
	if (registry.busy ||
	    atomic_load_explicit(&registry.started, memory_order_relaxed))
		status = fail(DPR_ERROR_BUSY,
			      "plugin add %s: too late, the plugins have been "
			      "loaded; call it before anything that needs "
			      "devices",
			      text_quote(file).bytes);
	else if (!copy || !added)
		status = fail_memory("plugin add");
	else
		added[registry.n_added++] = copy;
	pthread_mutex_unlock(&registry.lock);
	if (status)
		mem_free(copy);
	return status;
}

/* --- Loading ---------------------------------------------------------------
 */

/* The candidate before number @at that is the same file, or NULL. */
static struct candidate *same_file(const struct candidates *found, size_t at)
{
	struct stat st;
	size_t i;

	if (stat(found->list[at]->file, &st))
		return NULL;
	for (i = 0; i < at; i++) {
		if (found->list[i]->inode == st.st_ino &&
		    found->list[i]->device == st.st_dev)
			return found->list[i];
	}
	return NULL;
}

/* The candidate before number @at that is loaded and has the same name, or
   NULL. */
static struct candidate *same_name(const struct candidates *found, size_t at)
{
	size_t i;

	for (i = 0; i < at && found->list[at]->name; i++) {
		if (found->list[i]->plugin &&
		    !strcmp(found->list[i]->name, found->list[at]->name))
			return found->list[i];
	}
	return NULL;
}

/* Whether the name alone says that number @at is not to be used. */
static int passed_over(const struct backend_choice *choice,
		       const struct candidates *found, size_t at,
		       dpr_status *status)
{
	struct candidate *c = found->list[at], *other;

	*status = DPR_OK;
	if (c->name && !backends_allow(choice, c->name)) {
		*status = candidate_stop(
			c, DPR_PLUGIN_EXCLUDED, NULL,
			"DPR_BACKEND=\"%s\" leaves it out",
			text_quote(env_get("DPR_BACKEND")).bytes);
		return 1;
	}
	other = same_name(found, at);
	if (!other)
		return 0;
	*status = candidate_stop(c, DPR_PLUGIN_SHADOWED, NULL, "%s comes first",
				 other->file);
	return 1;
}

static dpr_status load(const struct backend_choice *choice,
		       const struct candidates *found, size_t at)
{
	struct candidate *c = found->list[at], *other;
	dpr_status status = DPR_OK;
	uint64_t start = clock_now();

	if (c->stage != DPR_PLUGIN_FOUND ||
	    passed_over(choice, found, at, &status))
		return status;
	other = same_file(found, at);
	if (other)
		return candidate_stop(c, DPR_PLUGIN_SHADOWED, NULL,
				      "it is the same file as %s", other->file);
	status = loader_load(c);
	c->nanoseconds = clock_now() - start;
	/* Only now is the name of a file sure that was not found by search. */
	if (!status && c->plugin && passed_over(choice, found, at, &status))
		loader_unload(c);
	return status;
}

/* A file that was asked for and cannot be loaded is an error. */
static dpr_status check_required(const struct candidates *found)
{
	size_t i;

	for (i = 0; i < found->n; i++) {
		const struct candidate *c = found->list[i];

		if (c->required && (c->stage == DPR_PLUGIN_REFUSED ||
				    c->stage == DPR_PLUGIN_BROKEN ||
				    c->stage == DPR_PLUGIN_REJECTED))
			return fail(DPR_ERROR_PLUGIN,
				    "plugin %s, named by %s, cannot be used: "
				    "%s%s%s",
				    text_quote(c->file).bytes, c->origin,
				    c->text, c->advice ? "; " : "",
				    c->advice ? c->advice : "");
	}
	return DPR_OK;
}

/* DPR_DEVICE must at least be a selector. */
static dpr_status check_device_variable(void)
{
	const char *value = env_get("DPR_DEVICE");
	struct selector *selector = NULL;
	dpr_status status;

	if (!value)
		return DPR_OK;
	status = selector_parse(value, &selector);
	selector_drop(selector);
	if (status == DPR_ERROR_SELECTOR) {
		env_note("DPR_DEVICE", dpr_last_error());
		status_prefix("DPR_DEVICE");
		status = DPR_ERROR_ENVIRONMENT;
	}
	return status;
}

static dpr_status load_all(struct backend_choice *choice)
{
	struct candidates *found = &registry.found;
	dpr_status status;
	size_t i;

	status = discover(found, registry.added, registry.n_added);
	for (i = 0; i < found->n && !status; i++)
		status = load(choice, found, i);
	if (status) {
		candidates_drop(found);
		return status;
	}
	backends_rank(choice, found);
	status = check_required(found);
	if (!status)
		status = backends_check(choice, found);
	if (!status)
		status = check_device_variable();
	if (!status)
		status = settings_pool_limit_read();
	if (!status)
		status = settings_layers_read();
	return status;
}

static dpr_status scan(void)
{
	struct backend_choice choice = { 0 };
	dpr_status status, loaded;

	status = env_start();
	if (status)
		return status;
	if (env_secure())
		log_post(DPR_LOG_WARN,
			 "this program is setuid: DPR_* variables "
			 "are ignored");
	status = log_start();
	if (!status)
		status = settings_cache_read();
	if (!status)
		status = backends_read(&choice);
	if (status == DPR_ERROR_OUT_OF_MEMORY)
		return status;
	/* A bad variable does not keep files from being looked at: the report
	   shows them. */
	if (status) {
		registry.failure_text = mem_string(dpr_last_error());
		loaded = load_all(&choice);
		if (loaded == DPR_ERROR_OUT_OF_MEMORY || !registry.failure_text)
			status = DPR_ERROR_OUT_OF_MEMORY;
	} else {
		status = load_all(&choice);
		if (status)
			registry.failure_text = mem_string(dpr_last_error());
		if (status && !registry.failure_text)
			status = fail_memory("loading plugins");
	}
	backends_drop(&choice);
	if (status == DPR_ERROR_OUT_OF_MEMORY) {
		mem_free(registry.failure_text);
		registry.failure_text = NULL;
		candidates_drop(&registry.found);
		return status;
	}
	atomic_store_explicit(&registry.failure, status, memory_order_release);
	return DPR_OK;
}

static dpr_status sticky(const char *what)
{
	dpr_status failure =
		atomic_load_explicit(&registry.failure, memory_order_acquire);

	if (!failure)
		return DPR_OK;
	return fail(failure, "%s: %s", what, registry.failure_text);
}

dpr_status registry_start(const char *what)
{
	dpr_status status = runtime_check(what);

	if (status)
		return status;
	if (atomic_load_explicit(&registry.started, memory_order_acquire))
		return sticky(what);
	pthread_once(&watched, watch);
	process_watch(0);
	status = take_baton(what);
	if (status)
		return status;
	if (!atomic_load_explicit(&registry.started, memory_order_relaxed)) {
		status = scan();
		if (!status)
			atomic_store_explicit(&registry.started, 1,
					      memory_order_release);
	}
	give_baton();
	log_flush();
	return status ? status : sticky(what);
}

/* --- Opening ---------------------------------------------------------------
 */

/* @status is of an option and already recorded: from here on it is the status
   of every call that needs devices.  The first one stays. */
static dpr_status keep_failure(dpr_status status)
{
	char *text;

	if (status != DPR_ERROR_ENVIRONMENT || registry.failure)
		return status == DPR_ERROR_ENVIRONMENT ? DPR_OK : status;
	text = mem_string(dpr_last_error());
	if (!text)
		return fail_memory("opening a backend");
	registry.failure_text = text;
	atomic_store_explicit(&registry.failure, status, memory_order_release);
	return DPR_OK;
}

static dpr_status open_failed(struct candidate *c, dprp_rc rc)
{
	int absent = rc == DPR_RC_NO_DRIVER || rc == DPR_RC_NO_DEVICE;
	char *why = host_report(c->plugin, rc);
	dpr_status status;

	/* Want of memory is of the moment, not of the backend. */
	if (rc == DPR_RC_OOM_HOST) {
		mem_free(why);
		why = NULL;
	}
	if (!why)
		return fail_memory("opening a backend");
	status = candidate_stop(c,
				absent ? DPR_PLUGIN_ABSENT : DPR_PLUGIN_FAILED,
				advice_for(c->name, rc), "%s", why);
	if (!status && !c->plugin->instance)
		status = keep_failure(host_check_value(c->plugin, rc, why));
	mem_free(why);
	return status;
}

/* The device objects of an instance.  DPR_OK with c->n_devices 0: it stopped,
   and says why. */
static dpr_status make_devices(struct candidate *c)
{
	struct plugin *plugin = c->plugin;
	dpr_device **devices;
	uint32_t n = 0, i;
	dprp_rc rc;

	rc = plugin->device.count(plugin->instance, &n);
	if (rc)
		return open_failed(c, rc);
	if (!n)
		return open_failed(c, DPR_RC_NO_DEVICE);
	if (n > MAX_DEVICES)
		return candidate_stop(c, DPR_PLUGIN_FAILED, NULL,
				      "it speaks of %u devices", (unsigned)n);
	devices = mem_array(n, sizeof(*devices));
	for (i = 0; devices && i < n; i++) {
		dprp_device *handle = NULL;

		rc = plugin->device.get(plugin->instance, i, &handle);
		rc = plugin_made(plugin, "device->get", rc, handle);
		if (rc)
			break;
		devices[i] = device_make(plugin, handle, i,
					 (const dpr_device *const *)devices);
		if (!devices[i])
			break;
	}
	if (devices && i == n) {
		c->devices = devices;
		c->n_devices = n;
		return DPR_OK;
	}
	while (devices && i > 0)
		device_drop(devices[--i]);
	mem_free(devices);
	return rc ? open_failed(c, rc) : fail_memory("opening a backend");
}

/* A new snapshot with the devices of @c in it. */
static dpr_status publish(struct candidate *c)
{
	const struct device_list *old =
		atomic_load_explicit(&registry.snapshot, memory_order_relaxed);
	struct device_list *list;
	size_t bytes, i;

	if (__builtin_mul_overflow(old->n + c->n_devices, sizeof(dpr_device *),
				   &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(*list), &bytes))
		return fail_memory("opening a backend");
	list = mem_alloc(bytes);
	if (!list)
		return fail_memory("opening a backend");
	list->older = old;
	list->n = old->n;
	if (old->n)
		memcpy(list->devices, old->devices,
		       old->n * sizeof(*list->devices));
	for (i = 0; i < c->n_devices; i++) {
		size_t at = list->n++;

		for (;
		     at && device_before(c->devices[i], list->devices[at - 1]);
		     at--)
			list->devices[at] = list->devices[at - 1];
		list->devices[at] = c->devices[i];
	}
	device_match_twins(list);
	atomic_store_explicit(&registry.snapshot, list, memory_order_release);
	return DPR_OK;
}

static dpr_status remember(struct candidate *c)
{
	struct candidate **opened = mem_grow(
		registry.opened, registry.n_opened + 1, sizeof(*opened));

	if (!opened)
		return fail_memory("opening a backend");
	registry.opened = opened;
	opened[registry.n_opened] = c;
	return DPR_OK;
}

/* Undo an open that came to nothing. */
static void close_again(struct candidate *c)
{
	uint32_t i;

	for (i = 0; i < c->n_devices; i++)
		device_drop(c->devices[i]);
	mem_free(c->devices);
	c->devices = NULL;
	c->n_devices = 0;
	c->plugin->desc->close(c->plugin->instance, DPRP_CLOSE_FAILED);
	c->plugin->instance = NULL;
}

/* Start the driver of @c; fails only for want of memory, and may then be called
   again. */
static dpr_status open_backend(struct candidate *c)
{
	struct plugin *plugin = c->plugin;
	uint64_t start = clock_now();
	dpr_status status;
	dprp_rc rc;

	log_post(DPR_LOG_DEBUG, "entering open of %s", c->file);
	log_flush();
	host_forget();
	rc = plugin->desc->open(&plugin->host, &plugin->instance);
	rc = plugin_made(plugin, "open", rc, plugin->instance);
	if (rc) {
		plugin->instance = NULL;
		status = open_failed(c, rc);
	} else {
		process_watch(1);
		status = make_devices(c);
		if (!status && c->n_devices)
			status = keep_failure(host_check_options(plugin));
		if (!status && c->n_devices)
			status = remember(c);
		if (!status && c->n_devices)
			status = publish(c);
		if (status || !c->n_devices) {
			close_again(c);
		} else {
			registry.n_opened++;
			c->stage = DPR_PLUGIN_READY;
			c->text = host_opened(plugin);
		}
	}
	c->nanoseconds += clock_now() - start;
	if (!status)
		atomic_store_explicit(&c->opened, 1, memory_order_release);
	log_post(DPR_LOG_INFO, "backend %s: %s, %u devices", c->name,
		 dpr_plugin_stage_name(c->stage), (unsigned)c->n_devices);
	return status;
}

static int is_wanted(const struct candidate *c,
		     int (*wanted)(const void *, const char *),
		     const void *user)
{
	return c->plugin &&
	       !atomic_load_explicit(&c->opened, memory_order_acquire) &&
	       (!wanted || wanted(user, c->name));
}

dpr_status registry_open(const char *what,
			 int (*wanted)(const void *user, const char *backend),
			 const void *user)
{
	const struct candidates *found = &registry.found;
	dpr_status status = DPR_OK;
	size_t i, n = 0;

	for (i = 0; i < found->n; i++)
		n += (size_t)is_wanted(found->list[i], wanted, user);
	if (!n)
		return sticky(what);
	status = take_baton(what);
	if (status)
		return status;
	/* Nothing is opened any more once dpr_finalize() has begun. */
	status = runtime_check(what);
	for (i = 0; i < found->n && !status; i++) {
		if (is_wanted(found->list[i], wanted, user))
			status = open_backend(found->list[i]);
	}
	give_baton();
	log_flush();
	return status ? status : sticky(what);
}

/* --- What others ask -------------------------------------------------------
 */

const struct device_list *registry_snapshot(void)
{
	return atomic_load_explicit(&registry.snapshot, memory_order_acquire);
}

const struct candidates *registry_candidates(void)
{
	return &registry.found;
}

static int is_name(const char *name, const char *word, size_t length)
{
	return strlen(name) == length && !strncasecmp(name, word, length);
}

int registry_knows(const char *backend, size_t length)
{
	size_t i;

	for (i = 0; i < N_BUNDLED; i++) {
		if (is_name(bundled[i], backend, length))
			return 1;
	}
	for (i = 0; i < registry.found.n; i++) {
		const char *name = registry.found.list[i]->name;

		if (name && is_name(name, backend, length))
			return 1;
	}
	return 0;
}

void registry_names(void (*visit)(void *user, const char *name), void *user)
{
	size_t i;

	for (i = 0; i < N_BUNDLED; i++)
		visit(user, bundled[i]);
	for (i = 0; i < registry.found.n; i++) {
		if (registry.found.list[i]->name)
			visit(user, registry.found.list[i]->name);
	}
}

static void set_loss(dpr_device *device, const char *why)
{
	struct text text = { 0 };

	text_print(&text, "the device %s is lost: %s", device->selector, why);
	failure_release(device_loss(device, text_get(&text)));
	text_fini(&text);
}

static void device_lost(const struct plugin *plugin, const dprp_device *device,
			const char *why)
{
	const struct device_list *list = registry_snapshot();
	size_t i;

	for (i = 0; i < list->n; i++) {
		dpr_device *d = list->devices[i];

		if (d->plugin != plugin || !device_is(d, device))
			continue;
		set_loss(d, why ? why : "the plugin gives no reason");
		atomic_store(&d->lost, 1);
		log_post(DPR_LOG_ERROR, "device %s is lost: %s", d->selector,
			 why ? why : "the plugin gives no reason");
	}
}

static int has_lost(const struct plugin *plugin)
{
	const struct device_list *list = registry_snapshot();
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->devices[i]->plugin == plugin &&
		    atomic_load(&list->devices[i]->lost))
			return 1;
	return 0;
}

static void watch(void)
{
	static const struct host_owner owner = { device_lost, has_lost,
						 registry_names };
	static struct process_hook hook = { .before_fork = before_fork,
					    .after_fork = after_fork,
					    .in_child = in_child };

	host_set_owner(&owner);
	process_add(&hook);
}

size_t registry_devices(dpr_device **out, size_t capacity)
{
	const struct device_list *list = registry_snapshot();
	size_t i;

	for (i = 0; i < list->n && i < capacity; i++)
		out[i] = list->devices[i];
	return list->n;
}

void registry_close(void)
{
	dpr_status status = take_baton("finalize");
	uint32_t i;

	if (status)
		return;
	while (registry.n_opened) {
		struct candidate *c = registry.opened[--registry.n_opened];

		for (i = 0; i < c->n_devices; i++)
			device_close(c->devices[i]);
		c->plugin->desc->close(c->plugin->instance,
				       DPRP_CLOSE_FINALIZE);
		c->plugin->instance = NULL;
	}
	give_baton();
	log_flush();
}
