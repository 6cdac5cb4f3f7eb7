/* SPDX-License-Identifier: Apache-2.0 */
/* dpr.c - the dpr program: find and run the subcommand. */
#include <errno.h>
#include <stdbool.h>
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
#include "tools/inspect/trace_summary.h"
#include "tools/kit/check_plugin.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *text;
} commands[] = {
	{ "bench", bench_main,
	  "measure a device, each figure beside its baseline" },
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
	{ "trace-summary", trace_summary_main,
	  "add up a trace by call, kernel and queue" },
};
#define N_COMMANDS (sizeof(commands) / sizeof(*commands))

static void usage(FILE *to)
{
	size_t i;

	fputs("usage: dpr COMMAND [ARGUMENT...]\n"
	      "       dpr help [COMMAND] | --help | --version\n\ncommands:\n",
	      to);
	for (i = 0; i < N_COMMANDS; i++)
		fprintf(to, "  %-13s %s\n", commands[i].name, commands[i].text);
	fputs("\n\"dpr help COMMAND\" describes a command.\n", to);
}

/* The command @word; NULL if there is none. */
static const struct command *find_command(const char *word)
{
	size_t i = 0;

	while (i < N_COMMANDS && strcmp(commands[i].name, word))
		i++;
	return i < N_COMMANDS ? &commands[i] : NULL;
}

/* Whether one letter too many, too few or wrong, or two in the wrong order,
   make the difference between two words. */
static bool is_near(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	while (n && m && *a == *b) {
		a++, n--;
		b++, m--;
	}
	while (n && m && a[n - 1] == b[m - 1]) {
		n--;
		m--;
	}
	return (n < 2 && m < 2) ||
	       (n == 2 && m == 2 && a[0] == b[1] && a[1] == b[0]);
}

static int fail_unknown(const char *word)
{
	size_t i = 0;

	fprintf(stderr, "dpr: there is no command \"%.60s\"", word);
	while (i < N_COMMANDS && !is_near(word, commands[i].name))
		i++;
	if (i < N_COMMANDS)
		fprintf(stderr, "; did you mean \"%s\"?", commands[i].name);
	fputc('\n', stderr);
	usage(stderr);
	return 2;
}

/* dpr help [COMMAND] */
static int show_help(char *word)
{
	char *argv[] = { word, (char[]){ "--help" }, NULL };
	const struct command *command = word ? find_command(word) : NULL;

	if (command)
		return command->run(2, argv);
	if (word)
		return fail_unknown(word);
	usage(stdout);
	return 0;
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
	const struct command *command;

	if (!word) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(word, "--version")) {
		printf("dpr %s\n", dpr_version());
		return printed(0);
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return printed(show_help(NULL));
	if (!strcmp(word, "help"))
		return printed(show_help(argc > 2 ? argv[2] : NULL));
	command = find_command(word);
	return command ? printed(command->run(argc - 1, argv + 1))
		       : fail_unknown(word);
}
