/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_store.c - making kernels of graphs, and keeping them. */
#include "core/array/engine/kernel_store.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <dpr/program.h>

#include "core/array/engine/emit_ptx.h"
#include "core/array/engine/emit_spirv.h"
#include "core/array/engine/emit_text.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"

#define STORE_BUCKETS 256
#define STORE_KEEP 1024

/* What a kernel is made of.  Compared as bytes, up to the graph's last step. */
struct store_key {
	const dpr_device *device;
	struct frame frame;
	struct graph graph;
};

struct stored {
	struct stored *next;          /* in its bucket */
	struct stored *newer, *older; /* in the order of use */
	uint64_t hash;
	size_t size; /* bytes of the key */
	bool building;
	dpr_program *program;
	dpr_kernel *kernel;
	struct store_key key; /* the last member: only `size` bytes of it */
};

/* Guards the table and all entries.  Never held during a build. */
static pthread_mutex_t store_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t store_built = PTHREAD_COND_INITIALIZER;
static struct stored *store_bucket[STORE_BUCKETS];
static struct stored *store_newest, *store_oldest;
static size_t store_count, store_most = STORE_KEEP;

/* --- The table -------------------------------------------------------------
 */

static uint64_t hash_key(const struct store_key *key, size_t size)
{
	const unsigned char *at = (const unsigned char *)key;
	uint64_t hash = UINT64_C(0xcbf29ce484222325), word;

	for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
		hash ^= hash >> 29;
	}
	for (; size; size--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static size_t make_key(struct store_key *key, const dpr_device *device,
		       const struct graph *graph, const struct frame *frame)
{
	const size_t size = graph_size(graph);

	mem_zero(key, offsetof(struct store_key, graph));
	key->device = device;
	key->frame = *frame;
	memcpy(&key->graph, graph, size);
	return offsetof(struct store_key, graph) + size;
}

static void unlink_order(struct stored *s)
{
	*(s->newer ? &s->newer->older : &store_newest) = s->older;
	*(s->older ? &s->older->newer : &store_oldest) = s->newer;
}

static void link_newest(struct stored *s)
{
	s->newer = NULL;
	s->older = store_newest;
	*(store_newest ? &store_newest->newer : &store_oldest) = s;
	store_newest = s;
}

static struct stored *find_stored(const struct store_key *key, size_t size,
				  uint64_t hash)
{
	struct stored *s = store_bucket[hash % STORE_BUCKETS];

	while (s && (s->hash != hash || s->size != size ||
		     memcmp(&s->key, key, size) != 0))
		s = s->next;
	if (s && s != store_newest) {
		unlink_order(s);
		link_newest(s);
	}
	return s;
}

static void remove_stored(struct stored *s)
{
	struct stored **at = &store_bucket[s->hash % STORE_BUCKETS];

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	unlink_order(s);
	store_count--;
}

static void free_stored(struct stored *s)
{
	dpr_kernel_release(s->kernel);
	dpr_program_release(s->program);
	mem_free(s);
}

/* Take the entries that are too many out of the table; the caller frees the
   list.  An entry that is being built stays. */
static struct stored *trim_store(void)
{
	struct stored *list = NULL, *s = store_oldest, *newer;

	for (; s && store_count > store_most; s = newer) {
		newer = s->newer;
		if (s->building)
			continue;
		remove_stored(s);
		s->next = list;
		list = s;
	}
	return list;
}

static void free_list(struct stored *list)
{
	struct stored *next;

	for (; list; list = next) {
		next = list->next;
		free_stored(list);
	}
}

/* --- Hooks -----------------------------------------------------------------
 */

static void count_store(size_t *programs, size_t *kernels)
{
	pthread_mutex_lock(&store_mutex);
	for (const struct stored *s = store_newest; s; s = s->older) {
		*programs += s->program != NULL;
		*kernels += s->kernel != NULL;
	}
	pthread_mutex_unlock(&store_mutex);
}

/* No kernel is in use now: its user would hold an array or a queue, and then
   the library frees nothing. */
static void drop_store(void)
{
	struct stored *list;
	size_t most;

	pthread_mutex_lock(&store_mutex);
	most = store_most;
	store_most = 0;
	list = trim_store();
	store_most = most;
	pthread_mutex_unlock(&store_mutex);
	free_list(list);
}

static void add_hook(void)
{
	static struct kept_hook hook = { NULL, count_store, drop_store };

	process_add_kept(&hook);
}

void kernel_store_keep(size_t n)
{
	struct stored *list;

	pthread_mutex_lock(&store_mutex);
	store_most = n ? n : STORE_KEEP;
	list = trim_store();
	pthread_mutex_unlock(&store_mutex);
	free_list(list);
}

/* --- Making ----------------------------------------------------------------
 */

enum kernel_store_format kernel_store_format(const struct target *target)
{
	/* A device that takes PTX gets no source: its driver's compiler for
	   source is in another library, which may be missing. */
	if (target->takes_ptx)
		return emit_ptx_is_there() ? KERNEL_STORE_PTX
					   : KERNEL_STORE_NONE;
	if (target->takes_text)
		return KERNEL_STORE_TEXT;
	if (target->takes_spirv && !target->is_cpu && emit_spirv_is_there())
		return KERNEL_STORE_SPIRV;
	return KERNEL_STORE_NONE;
}

const char *kernel_store_format_name(enum kernel_store_format format)
{
	switch (format) {
	case KERNEL_STORE_NONE: return NULL;
	case KERNEL_STORE_TEXT: return "opencl-c";
	case KERNEL_STORE_PTX: return "ptx";
	case KERNEL_STORE_SPIRV: return "spirv";
	}
	return NULL;
}

static dpr_status fail_graph(const dpr_queue *queue)
{
	return fail(DPR_ERROR_UNSUPPORTED,
		    "array kernel: %s takes none of the formats that kernels "
		    "of expressions can be made in",
		    dpr_queue_name(queue));
}

static dpr_status build_program(dpr_queue *queue, const struct target *target,
				const struct store_key *key, const char *name,
				dpr_program **out)
{
	const enum kernel_store_format format = kernel_store_format(target);
	dpr_build_options build = { .struct_size = sizeof(build),
				    .flags = target->flags };
	dpr_image image = { .format = kernel_store_format_name(format) };
	char options[48];
	struct text code = { 0 };
	bool made = false;
	dpr_status status;

	switch (format) {
	case KERNEL_STORE_NONE: return fail_graph(queue);
	case KERNEL_STORE_TEXT:
		snprintf(options, sizeof(options),
			 "-cl-std=CL1.2 -w -DDPR_CPU=%d", target->is_cpu);
		build.compiler = options;
		made = emit_text_kernel(&key->graph, &key->frame, name,
					target->is_cpu, &code);
		break;
	case KERNEL_STORE_PTX:
		made = emit_ptx_kernel(&key->graph, &key->frame, name, &code);
		break;
	case KERNEL_STORE_SPIRV:
		made = emit_spirv_kernel(&key->graph, &key->frame, name, &code);
		break;
	}
	image.data = code.bytes;
	image.size = code.size;
	status = made ? dpr_program_build(queue, &image, 1, &build, out)
		 : code.failed ? fail_memory("array kernel")
			       : fail_graph(queue);
	text_fini(&code);
	return status;
}

static dpr_status make_kernel(dpr_queue *queue, const struct target *target,
			      const struct store_key *key,
			      dpr_program **program, dpr_kernel **kernel)
{
	char name[GRAPH_NAME];
	dpr_status status;

	graph_name(&key->graph, name);
	status = build_program(queue, target, key, name, program);
	if (!status)
		status = dpr_kernel_create(*program, name, kernel);
	return status;
}

/* Add an entry that this thread will build, or return NULL: no memory. */
static struct stored *add_stored(const struct store_key *key, size_t size,
				 uint64_t hash)
{
	struct stored *s = mem_alloc(offsetof(struct stored, key) + size),
		      **bucket;

	if (!s)
		return NULL;
	s->hash = hash;
	s->size = size;
	s->building = true;
	memcpy(&s->key, key, size);
	bucket = &store_bucket[hash % STORE_BUCKETS];
	s->next = *bucket;
	*bucket = s;
	link_newest(s);
	store_count++;
	return s;
}

/* Find the kernel, or add an entry for it that this thread must build. */
static struct stored *claim_stored(const struct store_key *key, size_t size,
				   dpr_kernel **out)
{
	const uint64_t hash = hash_key(key, size);
	struct stored *s;

	pthread_mutex_lock(&store_mutex);
	while ((s = find_stored(key, size, hash)) && s->building)
		pthread_cond_wait(&store_built, &store_mutex);
	if (s)
		*out = dpr_kernel_retain(s->kernel);
	else
		s = add_stored(key, size, hash);
	pthread_mutex_unlock(&store_mutex);
	return s;
}

dpr_status kernel_store_get(dpr_queue *queue, const struct target *target,
			    const struct graph *graph,
			    const struct frame *frame, dpr_kernel **out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct store_key key;
	const size_t size =
		make_key(&key, dpr_queue_device(queue), graph, frame);
	struct stored *s, *list;
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;
	dpr_status status;

	*out = NULL;
	pthread_once(&once, add_hook);
	s = claim_stored(&key, size, out);
	if (*out)
		return DPR_OK;
	if (!s)
		return fail_memory("array kernel");
	status = make_kernel(queue, target, &key, &program, &kernel);
	pthread_mutex_lock(&store_mutex);
	s->building = false;
	s->program = program;
	s->kernel = kernel;
	if (status) {
		remove_stored(s);
		s->next = NULL;
		list = s;
	} else {
		*out = dpr_kernel_retain(kernel);
		list = trim_store();
	}
	pthread_cond_broadcast(&store_built);
	pthread_mutex_unlock(&store_mutex);
	free_list(list);
	return status;
}
