/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_store.c - makes kernels of graphs, and keeps them. */
#include "core/array/engine/kernel_store.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include <dpr/info.h>
#include <dpr/program.h>

#include "core/array/engine/failures.h"
#include "core/array/engine/kernel_files.h"
#include "core/array/engine/native/vmcode.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/refs.h"
#include "core/base/status.h"

#define STORE_BUCKETS 256
#define STORE_KEEP 1024
#define STORE_HELD 512

/* The key of a kernel.  Keys are compared as bytes, up to the graph's last
   step. */
struct store_key {
	const dpr_device *device;
	struct schedule schedule;
	struct graph graph;
};

struct stored {
	struct stored *next;          /* the next entry in its bucket */
	struct stored *newer, *older; /* neighbours in the order of use */
	uint64_t hash;
	size_t size; /* bytes of the key */
	bool building, linked, held;
	struct refs refs; /* counts the references; the table has one */
	dpr_program *program;
	struct kernel_store_kernel made;
	/* the last member; only its first `size` bytes are allocated */
	struct store_key key;
};

/* Guards the table and all entries.  Never held during a build. */
static pthread_mutex_t store_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t store_built = PTHREAD_COND_INITIALIZER;
static struct stored *store_bucket[STORE_BUCKETS];
static struct stored *store_newest, *store_oldest;
/* The number of entries that may be released, and of entries that are held
   until dpr_finalize() (kernel_store_hold()). */
static size_t store_count, store_held;
static size_t store_most = STORE_KEEP;

/* --- The table ---------------------------------------------------------- */

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
		       const struct graph *graph,
		       const struct schedule *schedule)
{
	const size_t size = graph_size(graph);

	mem_zero(key, offsetof(struct store_key, graph));
	key->device = device;
	key->schedule = *schedule;
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
	s->linked = false;
	--*(s->held ? &store_held : &store_count);
}

static void release_stored(struct stored *s)
{
	if (!refs_drop(&s->refs))
		return;
	dpr_kernel_release(s->made.kernel);
	dpr_program_release(s->program);
	text_fini(&s->made.code);
	mem_free(s);
}

static struct stored *entry_of(const struct kernel_store_kernel *kernel)
{
	return (struct stored *)((uintptr_t)kernel -
				 offsetof(struct stored, made));
}

void kernel_store_put(const struct kernel_store_kernel *kernel)
{
	release_stored(entry_of(kernel));
}

bool kernel_store_hold(const struct kernel_store_kernel *kernel)
{
	struct stored *s = entry_of(kernel);
	bool held;

	pthread_mutex_lock(&store_mutex);
	if (s->linked && !s->held && store_held < STORE_HELD) {
		s->held = true;
		store_held++;
		store_count--;
	}
	held = s->held;
	pthread_mutex_unlock(&store_mutex);
	return held;
}

/* Take entries out of the table and return them as a list, which the caller
   releases.  Pass @all = true to take every entry.  Otherwise the function
   takes the entries that were not used for the longest time, until at most
   store_most are left; held entries stay.  An entry that a thread is building
   always stays. */
static struct stored *trim_store(bool all)
{
	struct stored *list = NULL, *s = store_oldest, *newer;

	for (; s && (all || store_count > store_most); s = newer) {
		newer = s->newer;
		if (s->building || (s->held && !all))
			continue;
		remove_stored(s);
		s->next = list;
		list = s;
	}
	return list;
}

static void release_list(struct stored *list)
{
	struct stored *next;

	for (; list; list = next) {
		next = list->next;
		release_stored(list);
	}
}

/* --- Hooks -------------------------------------------------------------- */

static void count_store(size_t *programs, size_t *kernels)
{
	pthread_mutex_lock(&store_mutex);
	for (const struct stored *s = store_newest; s; s = s->older) {
		*programs += s->program != NULL;
		*kernels += s->made.kernel != NULL;
	}
	pthread_mutex_unlock(&store_mutex);
}

/* Called by dpr_finalize(), when no array and no queue exists and so no kernel
   is in use. */
static void drop_store(void)
{
	struct stored *list;

	pthread_mutex_lock(&store_mutex);
	list = trim_store(true);
	pthread_mutex_unlock(&store_mutex);
	release_list(list);
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
	list = trim_store(false);
	pthread_mutex_unlock(&store_mutex);
	release_list(list);
}

/* --- Making ------------------------------------------------------------- */

dpr_status kernel_store_refuse(dpr_queue *queue)
{
	char formats[1024];
	size_t need;
	const dpr_status status =
		dpr_device_info(dpr_queue_device(queue), DPR_INFO_FORMATS,
				formats, sizeof(formats), &need);

	if (status && status != DPR_ERROR_UNSUPPORTED)
		return status;
	return fail(DPR_ERROR_UNSUPPORTED,
		    "array kernel: %s takes no format in which dpr makes "
		    "kernels of expressions",
		    dpr_queue_name(queue));
}

/* Fail because the kernel's code could not be written. */
static dpr_status fail_code(const struct text *code, dpr_queue *queue)
{
	return code->failed ? fail_memory("array kernel")
			    : kernel_store_refuse(queue);
}

/* Build a program from @code, and find its kernel @name. */
static dpr_status build_image(struct stored *s, dpr_queue *queue,
			      const struct target *target,
			      const struct image *code, const char *name)
{
	const dpr_build_options build = { .struct_size = sizeof(build),
					  .flags = target->flags,
					  .compiler = target->format->options };
	const dpr_image image = { .format = target->format_name,
				  .data = code->data,
				  .size = code->size };
	const dpr_status status =
		dpr_program_build(queue, &image, 1, &build, &s->program);

	return status ? status
		      : dpr_kernel_create(s->program, name, &s->made.kernel);
}

/* Refuse a kernel that reduces if the driver cannot run the kernel in
   work-groups of SCHEDULE_GROUP work-items.  All its launches use groups of
   this size. */
static dpr_status check_group(const struct stored *s, dpr_queue *queue)
{
	dpr_kernel_info info;
	dpr_status status;

	if (!schedule_reduces(&s->key.schedule))
		return DPR_OK;
	status = dpr_kernel_get_info(s->made.kernel, &info);
	if (status || !info.max_work_group_size ||
	    info.max_work_group_size >= SCHEDULE_GROUP)
		return status;
	return fail(DPR_ERROR_UNSUPPORTED,
		    "array kernel: %s runs it in groups of %llu work-items, "
		    "not of %d",
		    dpr_queue_name(queue),
		    (unsigned long long)info.max_work_group_size,
		    SCHEDULE_GROUP);
}

/* Make a kernel that the driver builds. */
static dpr_status build_kernel(struct stored *s, dpr_queue *queue,
			       const struct target *target)
{
	char name[GRAPH_NAME];
	struct text code = { 0 };
	dpr_status status =
		target->format->open ? target->format->open() : DPR_OK;

	if (status)
		return status;
	schedule_name(&s->key.graph, &s->key.schedule, name);
	if (target->format->write(&s->key.graph, &s->key.schedule, name, &code))
		status = build_image(s, queue, target,
				     &(struct image){ code.bytes, code.size },
				     name);
	else
		status = fail_code(&code, queue);
	text_fini(&code);
	return status ? status : check_group(s, queue);
}

/* Make a kernel of native code: write its program (vmcode.h).  The functions
   that interpret the program are compiled into dpr. */
static dpr_status build_blocks(struct stored *s, dpr_queue *queue,
			       const struct target *target)
{
	const struct image blocks = vmcode_image();
	char name[VMCODE_NAME];

	vmcode_name(&s->key.graph, name);
	return vmcode_program(&s->key.graph, &s->key.schedule, NULL,
			      &s->made.code)
		       ? build_image(s, queue, target, &blocks, name)
		       : fail_code(&s->made.code, queue);
}

static dpr_status load_kernel(struct stored *s, dpr_queue *queue,
			      const struct target *target)
{
	char name[KERNEL_FILES_NAME];

	kernel_files_name(&s->key.graph, &s->key.schedule, name);
	return kernel_files_load(queue, target->format_name, name, &s->program,
				 &s->made.kernel);
}

static dpr_status make_kernel(struct stored *s, dpr_queue *queue,
			      const struct target *target)
{
	const struct kernel_format *format = target->format;

	if (format->write)
		return build_kernel(s, queue, target);
	if (format->is_native)
		return build_blocks(s, queue, target);
	return format->in_files ? load_kernel(s, queue, target)
				: kernel_store_refuse(queue);
}

/* Add an entry whose kernel this thread will build.  Returns NULL if memory ran
   out. */
static struct stored *add_stored(const struct store_key *key, size_t size,
				 uint64_t hash)
{
	struct stored *s = mem_alloc(sizeof(*s) - sizeof(s->key) + size);
	struct stored **bucket = &store_bucket[hash % STORE_BUCKETS];

	if (!s)
		return NULL;
	s->hash = hash;
	s->size = size;
	s->building = s->linked = true;
	refs_init(&s->refs);
	memcpy(&s->key, key, size);
	s->next = *bucket;
	*bucket = s;
	link_newest(s);
	store_count++;
	return s;
}

/* Find the entry of a kernel.  If another thread is building the kernel, wait.
   If there is no entry, add one and set *@must_build: the calling thread must
   build the kernel.  The caller gets a reference. */
static struct stored *claim_stored(const struct store_key *key, size_t size,
				   bool *must_build)
{
	const uint64_t hash = hash_key(key, size);
	struct stored *s;

	pthread_mutex_lock(&store_mutex);
	while ((s = find_stored(key, size, hash)) && s->building)
		pthread_cond_wait(&store_built, &store_mutex);
	*must_build = !s;
	if (!s)
		s = add_stored(key, size, hash);
	if (s)
		refs_take(&s->refs);
	pthread_mutex_unlock(&store_mutex);
	return s;
}

/* Record that this thread has built the kernel of entry @s or, if @status is an
   error, has failed to build it.  Wakes the threads that wait for the kernel.
   */
static void end_build(struct stored *s, dpr_status status)
{
	struct stored *list;

	pthread_mutex_lock(&store_mutex);
	s->building = false;
	if (status) {
		remove_stored(s);
		s->next = NULL;
		list = s;
	} else {
		list = trim_store(false);
	}
	pthread_cond_broadcast(&store_built);
	pthread_mutex_unlock(&store_mutex);
	release_list(list);
}

dpr_status kernel_store_get(dpr_queue *queue, const struct target *target,
			    const struct graph *graph,
			    const struct schedule *schedule,
			    const struct kernel_store_kernel **out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct store_key key;
	const size_t size =
		make_key(&key, dpr_queue_device(queue), graph, schedule);
	dpr_status status = DPR_OK;
	struct stored *s;
	bool must_build;

	*out = NULL;
	pthread_once(&once, add_hook);
	s = claim_stored(&key, size, &must_build);
	if (!s)
		return fail_memory("array kernel");
	if (must_build) {
		status = failures_tell(&key, size);
		if (!status) {
			status = make_kernel(s, queue, target);
			failures_note(&key, size, status);
		}
		end_build(s, status);
	}
	if (status)
		release_stored(s);
	else
		*out = &s->made;
	return status;
}
