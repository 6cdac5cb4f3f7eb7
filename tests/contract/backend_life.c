/* SPDX-License-Identifier: Apache-2.0 */
/* backend_life.c - the descriptor, opening and closing, and failing
   allocations. */
#include "tests/contract/backend_rig.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REQUIRED(table, type, entry) \
	ck_assert_msg(DPRP_HAS(table, type, entry), #type "." #entry)

START_TEST(test_descriptor)
{
	const dprp_plugin *p = rig_plugin(rig_backend(_i));
	const char *c;

	ck_assert_uint_eq(p->magic, DPRP_MAGIC);
	ck_assert_uint_eq(p->abi_major, DPRP_ABI_MAJOR);
	ck_assert_uint_ge(p->struct_size,
			  DPRP_SIZE_TO(dprp_plugin, advice_no_device));
	ck_assert(islower((unsigned char)p->name[0]));
	for (c = p->name; *c; c++)
		ck_assert(islower((unsigned char)*c) ||
			  isdigit((unsigned char)*c) || *c == '_');
	ck_assert_str_eq(p->name, rig_backend(_i));
	ck_assert(p->version && p->description && p->license);
	ck_assert_uint_ge(p->rank, DPRP_RANK_NATIVE);
	ck_assert_uint_le(p->rank, DPRP_RANK_HOST);
	ck_assert(!p->advice_no_driver || *p->advice_no_driver);
	ck_assert(!p->advice_no_device || *p->advice_no_device);
	REQUIRED(p, dprp_plugin, open);
	REQUIRED(p, dprp_plugin, close);
	REQUIRED(p->device, dprp_device_ops, count);
	REQUIRED(p->device, dprp_device_ops, get);
	REQUIRED(p->device, dprp_device_ops, info);
	REQUIRED(p->context, dprp_context_ops, create);
	REQUIRED(p->context, dprp_context_ops, destroy);
	REQUIRED(p->queue, dprp_queue_ops, create);
	REQUIRED(p->queue, dprp_queue_ops, destroy);
	REQUIRED(p->queue, dprp_queue_ops, flush);
	REQUIRED(p->queue, dprp_queue_ops, finish);
	REQUIRED(p->queue, dprp_queue_ops, barrier);
	REQUIRED(p->queue, dprp_queue_ops, write);
	REQUIRED(p->queue, dprp_queue_ops, read);
	REQUIRED(p->queue, dprp_queue_ops, copy);
	REQUIRED(p->queue, dprp_queue_ops, launch);
	REQUIRED(p->event, dprp_event_ops, status);
	REQUIRED(p->event, dprp_event_ops, wait);
	REQUIRED(p->event, dprp_event_ops, destroy);
	REQUIRED(p->mem, dprp_mem_ops, alloc);
	REQUIRED(p->mem, dprp_mem_ops, free);
	REQUIRED(p->mem, dprp_mem_ops, info);
	REQUIRED(p->module, dprp_module_ops, pick);
	REQUIRED(p->module, dprp_module_ops, create);
	REQUIRED(p->module, dprp_module_ops, destroy);
	REQUIRED(p->module, dprp_module_ops, kernel);
	REQUIRED(p->module, dprp_module_ops, kernel_destroy);
	REQUIRED(p->module, dprp_module_ops, kernel_info);
}
END_TEST

/* Check that at most @most threads are left.  A thread that was joined may stay
   in /proc for a moment. */
static void ck_threads(unsigned most)
{
	const struct timespec ms = { 0, 1000000 };
	int i;

	for (i = 0; i < 5000 && rig_threads() > most; i++)
		nanosleep(&ms, NULL);
	ck_assert_uint_le(rig_threads(), most);
}

START_TEST(test_open_close)
{
	unsigned threads = 0, files = 0;
	struct rig rig;
	int i, rounds;

	/* A driver may keep threads and files from its first use on. */
	rounds = rig_has_driver(_i) ? 5 : 100;
	for (i = 0; i < rounds; i++) {
		rig_open(&rig, _i, NULL);
		rig_close(&rig);
		if (i == 1) {
			threads = rig_threads();
			files = rig_files();
		}
	}
	ck_threads(threads);
	ck_assert_uint_le(rig_files(), files);
}
END_TEST

/* Creating and destroying queues does not accumulate threads. */
START_TEST(test_queues_come_and_go)
{
	unsigned threads;
	struct rig rig;
	int i;

	rig_open(&rig, _i, NULL);
	threads = rig_threads();
	for (i = 0; i < 200; i++)
		rig.plugin->queue->destroy(rig_queue(&rig, 0, NULL));
	ck_threads(threads + 8);
	rig_close(&rig);
}
END_TEST

START_TEST(test_two_instances)
{
	struct rig a, b;
	dprp_mem *x, *y;
	int32_t v = 1, w = 2, got;

	rig_open(&a, _i, NULL);
	rig_open(&b, _i, NULL);
	ck_assert_ptr_ne(a.instance, b.instance);
	x = rig_mem(&a, 64);
	y = rig_mem(&b, 64);
	rig_write(&a, x, 0, &v, 4);
	rig_write(&b, y, 0, &w, 4);
	rig_read(&a, x, 0, &got, 4);
	ck_assert_int_eq(got, 1);
	a.plugin->mem->free(x);
	rig_close(&a);
	rig_read(&b, y, 0, &got, 4);
	ck_assert_int_eq(got, 2);
	b.plugin->mem->free(y);
	rig_close(&b);
}
END_TEST

static void *close_it(void *arg)
{
	rig_close(arg);
	return NULL;
}

START_TEST(test_close_from_another_thread)
{
	pthread_t thread;
	struct rig rig;

	rig_open(&rig, _i, NULL);
	ck_assert_int_eq(pthread_create(&thread, NULL, close_it, &rig), 0);
	pthread_join(thread, NULL);
}
END_TEST

/* An older core has a shorter host table, a newer core has a longer one. */
START_TEST(test_host_table_sizes)
{
	struct {
		dprp_host host;
		void *more[8];
	} longer;
	struct rig rig;
	dprp_rc rc;

	rig_init(&rig, _i, NULL);
	memset(&longer, 0x5a, sizeof(longer));
	longer.host = rig.host;
	longer.host.struct_size = sizeof(longer);
	rc = rig.plugin->open(&longer.host, &rig.instance);
	ck_assert_int_eq(rc, DPR_RC_OK);
	rig_close(&rig);
	rig_init(&rig, _i, NULL);
	rig.host.struct_size = DPRP_SIZE_TO(dprp_host, event_done);
	rig.host.device_lost = NULL;
	rig_ok(&rig, rig_try(&rig));
	rig_close(&rig);
}
END_TEST

/* A newer core has longer structs.  The plugin accepts them if the members that
   it does not know are zero. */
START_TEST(test_longer_structs)
{
	struct {
		dprp_queue_desc desc;
		unsigned char more[16];
	} queue = { .desc = { .struct_size = sizeof(queue) } };
	struct {
		dprp_mem_desc desc;
		unsigned char more[16];
	} mem = { .desc = { .struct_size = sizeof(mem),
			    .kind = DPRP_MEM_DEVICE,
			    .size = 100 } };
	struct {
		dprp_deps deps;
		unsigned char more[16];
	} deps = { .deps = { .struct_size = sizeof(deps) } };
	dprp_event *event;
	const dprp_plugin *p;
	struct rig rig;
	dprp_queue *q;
	dprp_mem *m;
	uint64_t got;

	rig_open(&rig, _i, NULL);
	p = rig.plugin;
	rig_ok(&rig, p->queue->create(rig.context, rig.device, &queue.desc,
				      &got, &q));
	rig_ok(&rig, p->mem->alloc(rig.context, rig.device, &mem.desc, &m));
	rig_ok(&rig, p->queue->barrier(q, &deps.deps, &event));
	rig_done(&rig, event);
	p->queue->destroy(q);
	p->mem->free(m);
	queue.more[15] = 1;
	rig_rc(&rig, DPR_RC_UNSUPPORTED,
	       p->queue->create(rig.context, rig.device, &queue.desc, &got,
				&q));
	ck_assert_ptr_null(q);
	mem.more[0] = 1;
	rig_rc(&rig, DPR_RC_UNSUPPORTED,
	       p->mem->alloc(rig.context, rig.device, &mem.desc, &m));
	ck_assert_ptr_null(m);
	deps.more[3] = 1;
	rig_rc(&rig, DPR_RC_UNSUPPORTED,
	       p->queue->barrier(rig.queue, &deps.deps, NULL));
	rig_close(&rig);
}
END_TEST

/* Waiting for the queue may need memory.  It succeeds once there is memory
   again. */
static void finish_without_memory(struct rig *rig)
{
	dprp_rc rc;

	if (!rig->queue)
		return;
	rc = rig->plugin->queue->finish(rig->queue);
	ck_assert_msg(rc == DPR_RC_OK || rc == DPR_RC_OOM_HOST, "%d: %s", rc,
		      rig->text);
	rig->fail_at = 0;
	rig_ok(rig, rig->plugin->queue->finish(rig->queue));
}

/* Use each part of the plugin, up to the first failure. */
static dprp_rc tour(struct rig *rig)
{
	const dprp_plugin *p = rig->plugin;
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_DEVICE,
			       .size = 4096 };
	dprp_module *module = NULL;
	dprp_kernel *kernel = NULL;
	dprp_event *first = NULL, *second = NULL;
	dprp_mem *mem = NULL;
	dprp_deps deps;
	const int32_t pattern = 7;
	int32_t x[16];
	dprp_rc rc = rig_try(rig);

	if (!rc)
		rc = p->mem->alloc(rig->context, rig->device, &desc, &mem);
	if (!rc)
		rc = rig_module_try(rig, &module);
	if (!rc)
		rc = p->module->kernel(module, "add_one", &kernel);
	if (!rc)
		rc = rig_add_one(rig, rig->queue, kernel, mem, 16, NULL,
				 &first);
	deps = rig_deps(&first, 1);
	if (!rc)
		rc = p->queue->read(rig->queue, mem, 0, x, sizeof(x), &deps,
				    &second);
	/* The plugin cannot read into this memory: take a barrier's event
	   instead. */
	if (rc == DPR_RC_NO_PATH)
		rc = p->queue->barrier(rig->queue, &deps, &second);
	if (!rc && DPRP_HAS(p->queue, dprp_queue_ops, fill))
		rc = p->queue->fill(rig->queue, mem, 0, 64, &pattern, 4, NULL,
				    NULL);
	if (!rc && DPRP_HAS(p->event, dprp_event_ops, notify))
		rc = p->event->notify(second, 5);
	if (!rc)
		rc = p->event->wait(&second, 1, RIG_FOREVER);
	finish_without_memory(rig);
	if (first)
		p->event->destroy(first);
	if (second)
		p->event->destroy(second);
	if (kernel)
		p->module->kernel_destroy(kernel);
	if (module)
		p->module->destroy(module);
	if (mem)
		p->mem->free(mem);
	return rc;
}

/* Make each allocation fail, alone and with all later ones.  Each time the
   plugin reports OOM_HOST, and nothing is left behind. */
START_TEST(test_no_memory)
{
	int on, failures;
	struct rig rig;
	uint64_t at;
	dprp_rc rc;

	for (on = 0; on < 2; on++) {
		failures = 0;
		for (at = 1;; at++) {
			rig_init(&rig, _i, NULL);
			rig.fail_at = at;
			rig.fail_on = on;
			rc = tour(&rig);
			if (rig.allocs < at) {
				ck_assert_int_eq(rc, DPR_RC_OK);
				rig_close(&rig);
				break;
			}
			/* The plugin may do without some allocations. */
			if (rc) {
				ck_assert_msg(rc == DPR_RC_OOM_HOST,
					      "allocation %llu: %d: %s",
					      (unsigned long long)at, rc,
					      rig.text);
				ck_assert_uint_ge(rig.errors, 1);
				failures++;
			}
			rig_close(&rig);
		}
		ck_assert_int_ge(failures, 5);
	}
}
END_TEST

/* A process can exit while work is under way. */
START_TEST(test_exit_while_busy)
{
	const uint64_t size = UINT64_C(16) << 20;
	struct rig rig;
	dprp_mem *mem[2];
	pid_t child;
	int i, status;

	fflush(NULL);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		rig_open(&rig, _i, NULL);
		mem[0] = rig_mem(&rig, size);
		mem[1] = rig_mem(&rig, size);
		for (i = 0; i < 100; i++)
			rig_ok(&rig,
			       rig.plugin->queue->copy(rig.queue, mem[i % 2], 0,
						       mem[1 - i % 2], 0, size,
						       NULL, NULL));
		rig_ok(&rig, rig.plugin->queue->flush(rig.queue));
		exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

static void add(Suite *suite)
{
	rig_add(suite, "descriptor", test_descriptor);
	rig_add(suite, "open and close", test_open_close);
	rig_add(suite, "queues come and go", test_queues_come_and_go);
	rig_add(suite, "two instances", test_two_instances);
	rig_add(suite, "close elsewhere", test_close_from_another_thread);
	rig_add(suite, "host tables", test_host_table_sizes);
	rig_add(suite, "exit while busy", test_exit_while_busy);
	rig_add(suite, "longer structs", test_longer_structs);
	rig_add(suite, "no memory", test_no_memory);
}

int main(void)
{
	return rig_main("backend_life", add);
}
