/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_exit.c - faults when a process ends or makes a child. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/kit/faulty.h"
#include "tests/plugins/mock/mock_impl.h"

static int opened;

static dprp_rc count_open(const dprp_host *host, dprp_instance **out)
{
	dprp_rc rc;

	faulty.given = host;
	rc = faulty.mock->open(host, out);
	opened += !rc;
	return rc;
}

static void count_close(dprp_instance *instance, uint32_t reason)
{
	opened--;
	faulty.mock->close(instance, reason);
}

static void count(void)
{
	faulty.plugin.open = count_open;
	faulty.plugin.close = count_close;
}

static void crash_if_open(void)
{
	if (opened)
		raise(SIGSEGV);
}

static void exit_crash(void)
{
	count();
	atexit(crash_if_open);
}

static void crash_if_closed(void)
{
	if (!opened)
		raise(SIGSEGV);
}

static void exit_after_close(void)
{
	count();
	atexit(crash_if_closed);
}

/* Wait for work that nothing lets run any more. */
static void hang_if_busy(void)
{
	faulty.control->hold(1);
	while (faulty.control->pending())
		usleep(1000);
}

static void exit_hang(void)
{
	atexit(hang_if_busy);
}

static bool forked;

static void note_fork(void)
{
	forked = true;
}

static dprp_rc forked_wait(dprp_event *const *events, uint32_t n,
			   uint64_t timeout_ns)
{
	return forked ? faulty_fail(DPR_RC_FORKED)
		      : faulty.mock->event->wait(events, n, timeout_ns);
}

static void fork_breaks(void)
{
	pthread_atfork(note_fork, NULL, NULL);
	faulty.event.wait = forked_wait;
}

static void lose_work(void)
{
	faulty.control->hold(1);
}

static void fork_stops(void)
{
	pthread_atfork(lose_work, NULL, NULL);
}

const struct fault faulty_exit_faults[] = {
	{ "exit_crash", exit_crash }, { "exit_after_close", exit_after_close },
	{ "exit_hang", exit_hang },   { "fork_breaks", fork_breaks },
	{ "fork_stops", fork_stops }, { NULL, NULL },
};
