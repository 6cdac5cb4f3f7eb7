/* SPDX-License-Identifier: Apache-2.0 */
/* dpr.c - the dpr program: find and run the subcommand. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <dpr/version.h>

#include "tools/author/new_plugin.h"
#include "tools/author/show_kernels.h"
#include "tools/bench/bench.h"
#include "tools/eval/eval.h"
#include "tools/inspect/doctor.h"
#include "tools/inspect/show_cache.h"
#include "tools/inspect/show_devices.h"
#include "tools/kit/check_plugin.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *text;
} commands[] = {
	{ "bench", bench_main,
	  "measure a device, each figure beside its floor" },
	{ "cache", show_cache_main,
	  "show the cache of built programs, or clear it" },
	{ "check-plugin", check_plugin_main,
	  "check whether a plugin keeps the contract" },
	{ "devices", show_devices_main, "list devices, and what each can do" },
	{ "doctor", doctor_main,
	  "say which backends work, and why others do not" },
	{ "eval", eval_main, "compute an array expression over .npy files" },
	{ "kernels", show_kernels_main,
	  "list the array kernels, for backends with a format of their own" },
	{ "new-plugin", new_plugin_main, "start a backend of your own" },
};
#define N_COMMANDS (sizeof(commands) / sizeof(*commands))

static void usage(FILE *to)
{
	size_t i;

	fputs("usage: dpr COMMAND [ARGUMENT...]\n"
	      "       dpr --help | --version\n\ncommands:\n",
	      to);
	for (i = 0; i < N_COMMANDS; i++)
		fprintf(to, "  %-12s %s\n", commands[i].name, commands[i].text);
	fputs("\n\"dpr COMMAND --help\" describes a command.\n", to);
}

/* Check that all output was written: a full disk or a closed pipe is a failure,
   even if the command succeeded. */
static int printed(int result)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return result;
	fprintf(stderr, "dpr: the output cannot be written%s%s\n",
		errno ? ": " : "", errno ? strerror(errno) : "");
	return result ? result : 1;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	size_t i;

	if (!word) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(word, "--version")) {
		printf("dpr %s\n", dpr_version());
		return printed(0);
	}
	if (!strcmp(word, "--help") || !strcmp(word, "help")) {
		usage(stdout);
		return printed(0);
	}
	for (i = 0; i < N_COMMANDS; i++) {
		if (!strcmp(commands[i].name, word))
			return printed(commands[i].run(argc - 1, argv + 1));
	}
	fprintf(stderr, "dpr: there is no command \"%.60s\"\n", word);
	usage(stderr);
	return 2;
}
