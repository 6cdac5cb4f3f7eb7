/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_open.c - faults of opening and closing. */
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kit/faulty.h"

static dprp_open_fn *right_open;
static void (*wrong)(void); /* what open does wrong before it opens */

static dprp_rc open_and(const dprp_host *host, dprp_instance **out)
{
	faulty.given = host;
	wrong();
	return right_open(host, out);
}

static void do_before(void (*what)(void))
{
	wrong = what;
	right_open = faulty.plugin.open;
	faulty.plugin.open = open_and;
}

#define BEFORE(name)                  \
	static void name(void)        \
	{                             \
		do_before(do_##name); \
	}

static void do_prints(void)
{
	puts("the plugin is open");
}
BEFORE(prints)

static void handle(int signal)
{
	(void)signal;
}

static void do_handler(void)
{
	signal(SIGUSR1, handle);
}
BEFORE(handler)

static void do_environment(void)
{
	setenv("LANGUAGE", "none", 1);
}
BEFORE(environment)

static void do_locale(void)
{
	setlocale(LC_ALL, "C.UTF-8");
}
BEFORE(locale)

static void do_mask(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}
BEFORE(mask)

static void *sleeper(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void do_thread_leak(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleeper, NULL);
}
BEFORE(thread_leak)

static void do_file_leak(void)
{
	if (open("/dev/null", O_RDONLY) < 0)
		abort();
}
BEFORE(file_leak)

static void do_block_leak(void)
{
	faulty.given->alloc(faulty.given->self, 100);
}
BEFORE(block_leak)

static void do_child_left(void)
{
	if (!fork())
		_exit(0);
}
BEFORE(child_left)

static pid_t helper;

/* Start a helper process that keeps all descriptors of the program. */
static void do_child_keeps(void)
{
	helper = fork();
	if (helper)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sleeper(NULL);
}

static void close_helper(dprp_instance *instance, uint32_t reason)
{
	kill(helper, SIGKILL);
	waitpid(helper, NULL, 0);
	faulty.mock->close(instance, reason);
}

static void child_keeps(void)
{
	do_before(do_child_keeps);
	faulty.plugin.close = close_helper;
}

static void do_hang(void)
{
	sleeper(NULL);
}
BEFORE(hang)

static void do_ends(void)
{
	_exit(0);
}
BEFORE(ends)

static dprp_instance *only;
static int users;

static dprp_rc open_shared(const dprp_host *host, dprp_instance **out)
{
	dprp_rc rc = users ? DPR_RC_OK : right_open(host, &only);

	users += !rc;
	*out = only;
	return rc;
}

static void close_shared(dprp_instance *instance, uint32_t reason)
{
	if (!--users)
		faulty.mock->close(instance, reason);
}

static void shared(void)
{
	right_open = faulty.plugin.open;
	faulty.plugin.open = open_shared;
	faulty.plugin.close = close_shared;
}

static dprp_rc open_once(const dprp_host *host, dprp_instance **out)
{
	faulty.given = host;
	return users++ ? faulty_fail(DPR_RC_INTERNAL) : right_open(host, out);
}

static void once(void)
{
	right_open = faulty.plugin.open;
	faulty.plugin.open = open_once;
}

static void close_unused(dprp_instance *instance, uint32_t reason)
{
	if (reason == DPRP_CLOSE_FAILED)
		raise(SIGSEGV);
	faulty.mock->close(instance, reason);
}

static void crash_unused(void)
{
	faulty.plugin.close = close_unused;
}

static dprp_rc open_exact(const dprp_host *host, dprp_instance **out)
{
	faulty.given = host;
	if (host->struct_size != sizeof(*host))
		return faulty_fail(DPR_RC_ABI);
	return right_open(host, out);
}

static void exact_host(void)
{
	right_open = faulty.plugin.open;
	faulty.plugin.open = open_exact;
}

static dprp_rc open_driver(const dprp_host *host, dprp_instance **out)
{
	static const char *const names[] = { "libc.so.6" };

	faulty.given = host;
	if (!host->driver_open(host->self, names, 1))
		return faulty_fail(DPR_RC_INTERNAL);
	return right_open(host, out);
}

static void no_driver(void)
{
	right_open = faulty.plugin.open;
	faulty.plugin.open = open_driver;
}

static dprp_rc open_strict(const dprp_host *host, dprp_instance **out)
{
	const char *size = host->option(host->self, "SIZE");

	if (size && strspn(size, "0123456789") < strlen(size)) {
		fprintf(stderr, "no number: %s\n", size);
		abort();
	}
	return right_open(host, out);
}

static void option_aborts(void)
{
	right_open = faulty.plugin.open;
	faulty.plugin.open = open_strict;
}

const struct fault faulty_open_faults[] = {
	{ "prints", prints },
	{ "handler", handler },
	{ "environment", environment },
	{ "locale", locale },
	{ "mask", mask },
	{ "child_left", child_left },
	{ "child_keeps", child_keeps },
	{ "thread_leak", thread_leak },
	{ "file_leak", file_leak },
	{ "block_leak", block_leak },
	{ "hang", hang },
	{ "ends", ends },
	{ "shared", shared },
	{ "once", once },
	{ "crash_unused", crash_unused },
	{ "exact_host", exact_host },
	{ "no_driver", no_driver },
	{ "option_aborts", option_aborts },
	{ NULL, NULL },
};
