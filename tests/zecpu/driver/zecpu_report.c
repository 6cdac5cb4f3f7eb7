/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_report.c - write a line at the end of a process: the work that the
   driver did in it.  By this line a script proves that a program used the
   driver. */
#include "zecpu_impl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	char *path;    /* the file to report to; NULL: none */
	pid_t process; /* the process that reports; its forked children do not
			*/
} report;

void zecpu_report_start(void)
{
	const char *path = getenv("ZECPU_REPORT");

	report.process = getpid();
	report.path = path && *path ? strdup(path) : NULL;
}

/* The name of this library's file. */
static const char *own_name(void)
{
	const char *slash;
	Dl_info self;

	if (!dladdr(&zecpu, &self) || !self.dli_fname)
		return "zecpu";
	slash = strrchr(self.dli_fname, '/');
	return slash ? slash + 1 : self.dli_fname;
}

static int64_t objects_left(void)
{
	int64_t left = 0;
	int kind;

	for (kind = 0; kind < ZECPU_N_OBJECTS; kind++)
		left += atomic_load(&zecpu.live[kind]);
	return left;
}

__attribute__((destructor)) static void write_report(void)
{
	struct engine_counts counts;
	char line[400];
	int file, n;

	if (!report.path || report.process != getpid())
		return;
	counts = zecpu_engine_counts();
	n = snprintf(line, sizeof(line),
		     "%.200s commands %llu kernels %llu overtook %llu misuses "
		     "%llu left %lld\n",
		     own_name(), (unsigned long long)counts.executed,
		     (unsigned long long)counts.kernels,
		     (unsigned long long)counts.overtook,
		     (unsigned long long)zecpu_check_violations(),
		     (long long)objects_left());
	/* A single write, since other processes append, too. */
	file = open(report.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
		    0666);
	if (file < 0 || write(file, line, (size_t)n) != n)
		perror(report.path);
	if (file >= 0)
		close(file);
	free(report.path);
	report.path = NULL;
}
