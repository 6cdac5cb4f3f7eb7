/* SPDX-License-Identifier: Apache-2.0 */
/* group_exit.c - processes that end, and children, while work is under way.
   What goes wrong here is a crash or a hang, which the parent sees. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/work.h"

/* Have a lot of work under way. */
static dprp_event *busy(struct kit *kit, struct work_long *work)
{
	dprp_event *last;

	*work = work_long(kit);
	work->copies.count *= 3;
	work_long_begin(kit, work, kit->queue, &last);
	return last;
}

/* Nothing is closed, and work is under way. */
static void while_busy(struct kit *kit)
{
	struct work_long work;

	busy(kit, &work);
	note_step("exit", "while work is under way");
	note_exit();
}

static void idle(struct kit *kit)
{
	work_finish(kit, kit->queue);
	note_step("exit", "without close");
	note_exit();
}

/* exit() after close(): what the plugin has left behind runs then. */
static void closed(struct kit *kit)
{
	dprp_mem *mem = work_mem(kit, 64);

	work_set(kit, mem, 16, 5);
	work_free(kit, mem);
	kit_close(kit);
	note_step("exit", "after close");
	note_exit();
}

static void *exit_now(void *arg)
{
	(void)arg;
	kit_sleep_ms(2);
	note_exit();
	return NULL;
}

/* One thread waits, another ends the process. */
static void other_thread(struct kit *kit)
{
	struct work_long work;
	dprp_event *last = busy(kit, &work);
	pthread_t thread;

	if (pthread_create(&thread, NULL, exit_now, NULL))
		note_skip("no thread could be made");
	for (;;) {
		note_step("event->wait", "while another thread calls exit()");
		kit->plugin->event->wait(&last, 1, UINT64_MAX);
		kit->plugin->queue->barrier(kit->queue, NULL, NULL);
	}
}

/* Make a child that ends at once, and wait for it. */
static void make_child(void)
{
	pid_t pid = fork();
	int how;

	if (pid < 0)
		note_skip("no process could be made");
	if (!pid)
		_exit(0);
	while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
		;
}

/* The parent goes on after a child was made. */
static void forked(struct kit *kit)
{
	struct work_long work;
	dprp_event *last = busy(kit, &work);
	dprp_mem *mem = work_mem(kit, 64);

	make_child();
	note_step("fork", "while work is under way");
	work_done(kit, last);
	work_set(kit, mem, 16, 5);
	make_child();
	work_check_cell(kit, mem, 15, 5, "L4",
			"the parent goes on as before after fork()");
	work_free(kit, mem);
	work_finish(kit, kit->queue);
	work_long_end(kit, &work);
}

static const struct kit_check checks[] = {
	{ "while_busy", while_busy, 0 }, { "idle", idle, 0 },
	{ "closed", closed, 0 },         { "other_thread", other_thread, 0 },
	{ "forked", forked, 0 },
};

const struct kit_group group_exit = {
	"exit", "processes that end, and children, while work is under way",
	checks, KIT_COUNT(checks)
};
