// SPDX-License-Identifier: Apache-2.0
/*
 * hostile.cc - a backend that harms the process which loads it, in the way that
 * DPR_TEST_HOSTILE in the environment says: "load_", "entry_" or "open_" and a
 * deed.  Without it, it has one device, of which nothing works.
 */
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dpr/backend.h>

static volatile int zero;

// Uses up the stack; the volatile keeps the calls from becoming a loop.
static int recurse(int depth)
{
	volatile char room[4096];

	room[depth % 4096] = 1;
	return zero ? depth : recurse(depth + 1) + room[0];
}

static void crash()
{
	raise(SIGSEGV);
}

static void *crash_later(void *unused)
{
	usleep(1000);
	crash();
	return unused;
}

static void ignore(int)
{
}

// Deeds that end the process, or keep it from going on.
static void end(const char *deed)
{
	char none[] = "/bin/true", *args[] = { none, nullptr };
	pthread_t thread;

	if (!strcmp(deed, "abort"))
		abort();
	if (!strcmp(deed, "segv"))
		crash();
	if (!strcmp(deed, "fpe"))
		raise(SIGFPE);
	if (!strcmp(deed, "kill"))
		raise(SIGKILL);
	if (!strcmp(deed, "exit0"))
		exit(0);
	if (!strcmp(deed, "exit3"))
		exit(3);
	if (!strcmp(deed, "_exit0"))
		_exit(0);
	if (!strcmp(deed, "quick"))
		quick_exit(0);
	if (!strcmp(deed, "throw"))
		throw 1;
	if (!strcmp(deed, "stack"))
		zero = recurse(0);
	if (!strcmp(deed, "hang"))
		sleep(1000);
	if (!strcmp(deed, "spin"))
		while (!zero) {
		}
	if (!strcmp(deed, "exec"))
		execv(none, args);
	if (!strcmp(deed, "alarm")) {
		alarm(1);
		sleep(1000);
	}
	if (!strcmp(deed, "thread") &&
	    !pthread_create(&thread, nullptr, crash_later, nullptr))
		pthread_join(thread, nullptr);
	if (!strcmp(deed, "atexit"))
		atexit(crash);
	if (!strcmp(deed, "closeall"))
		for (int fd = 0; fd < 256; fd++)
			close(fd);
}

// Deeds that change the process for everybody in it.
static void change(const char *deed)
{
	char name[] = "DPR_TEST_CHANGED=1";
	sigset_t set;

	if (!strcmp(deed, "mask")) {
		sigemptyset(&set);
		sigaddset(&set, SIGTERM);
		pthread_sigmask(SIG_BLOCK, &set, nullptr);
	}
	if (!strcmp(deed, "handler"))
		signal(SIGINT, ignore);
	if (!strcmp(deed, "environment"))
		putenv(strdup(name));
	if (!strcmp(deed, "cwd") && chdir("/"))
		abort();
	if (!strcmp(deed, "umask"))
		umask(0);
	if (!strcmp(deed, "locale"))
		setlocale(LC_ALL, "C.UTF-8");
	if (!strcmp(deed, "close2"))
		close(2);
	if (!strcmp(deed, "print"))
		printf("{ \"this\": would spoil JSON\n");
	if (!strcmp(deed, "fork") && fork() < 0)
		abort();
}

static void harm(const char *when)
{
	const char *what = getenv("DPR_TEST_HOSTILE");
	size_t n = strlen(when);

	if (!what || strncmp(what, when, n) != 0)
		return;
	end(what + n);
	change(what + n);
}

static struct harm_on_load {
	harm_on_load()
	{
		harm("load_");
	}
} on_load;

/* --- The plugin --- */

static dprp_open_fn hostile_open;
static dprp_close_fn hostile_close;
static dprp_device_count_fn hostile_count;
static dprp_device_get_fn hostile_get;
static dprp_device_info_fn hostile_info;

static dprp_rc hostile_open(const dprp_host *, dprp_instance **out)
{
	harm("open_");
	*out = reinterpret_cast<dprp_instance *>(&on_load);
	return DPR_RC_OK;
}

static void hostile_close(dprp_instance *, uint32_t)
{
}

static dprp_rc hostile_count(dprp_instance *, uint32_t *n)
{
	*n = 1;
	return DPR_RC_OK;
}

static dprp_rc hostile_get(dprp_instance *instance, uint32_t, dprp_device **out)
{
	*out = reinterpret_cast<dprp_device *>(instance);
	return DPR_RC_OK;
}

static dprp_rc hostile_info(dprp_device *, uint32_t, void *, size_t, size_t *)
{
	return DPR_RC_UNSUPPORTED;
}

// Behind every entry that no test calls.
template <class... A> static dprp_rc fails(A...)
{
	return DPR_RC_UNSUPPORTED;
}

template <class... A> static void nothing(A...)
{
}

static const dprp_device_ops device_ops = { sizeof(device_ops),
					    hostile_count,
					    hostile_get,
					    hostile_info,
					    nullptr,
					    nullptr,
					    nullptr };
static const dprp_context_ops context_ops = { sizeof(context_ops), fails,
					      nothing };
static const dprp_queue_ops queue_ops = { sizeof(queue_ops),
					  fails,
					  nothing,
					  fails,
					  fails,
					  fails,
					  fails,
					  fails,
					  fails,
					  nullptr,
					  nullptr,
					  nullptr,
					  nullptr };
static const dprp_event_ops event_ops = { sizeof(event_ops), fails, fails,
					  nothing, nullptr };
static const dprp_mem_ops mem_ops = { sizeof(mem_ops), fails,   nothing,
				      fails,           nullptr, nullptr };
static const dprp_plugin plugin = { DPRP_MAGIC,
				    sizeof(plugin),
				    DPRP_ABI_MAJOR,
				    DPRP_ABI_MINOR,
				    0,
				    0,
				    "hostile",
				    "1",
				    "for tests",
				    "Apache-2.0",
				    hostile_open,
				    hostile_close,
				    &device_ops,
				    &context_ops,
				    &queue_ops,
				    &event_ops,
				    &mem_ops,
				    nullptr,
				    nullptr,
				    nullptr,
				    nullptr,
				    DPRP_RANK_HOST,
				    0,
				    nullptr,
				    nullptr };

extern "C" DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor);

extern "C" DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t)
{
	harm("entry_");
	return &plugin;
}
