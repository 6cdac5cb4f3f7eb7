/* SPDX-License-Identifier: Apache-2.0 */
/* show_kernels.c - dpr kernels: the kernels of the array functions, for devices
   with a format of their own. */
#include "tools/author/show_kernels.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include <dpr/array_kernels.h>

#include "tools/shared/json.h"

static int usage(FILE *to, int status)
{
	fputs("usage: dpr kernels [--list] [--json]\n"
	      "       dpr kernels --source NAME\n\n"
	      "Print the names of the kernels that the array functions look "
	      "for where a device\n"
	      "lists only a format of its own.  dpr-backend(7) says where "
	      "their files are.\n\n"
	      "  -l, --list          with parameters, and what is in the last "
	      "one\n"
	      "  -j, --json          --list as JSON\n"
	      "  -s, --source NAME   print the kernel's source in OpenCL C\n"
	      "  -h, --help          this text\n",
	      to);
	return status;
}

static int failed(void)
{
	fprintf(stderr, "dpr kernels: %s\n", dpr_last_error());
	return 1;
}

static void print_names(const dpr_array_kernel *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		puts(list[i].name);
}

static void print_list(const dpr_array_kernel *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		printf("%s(%s)\n    %s\n", list[i].name, list[i].parameters,
		       list[i].words);
		if (list[i].per_item)
			printf("    %u per work-item\n", list[i].per_item);
	}
}

static void print_json(const dpr_array_kernel *list, size_t n)
{
	struct json json = { .to = stdout };

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "name", list[i].name);
		json_string(&json, "parameters", list[i].parameters);
		json_string(&json, "words", list[i].words);
		json_number(&json, "per_item", list[i].per_item);
		json_close(&json, '}');
	}
	json_close(&json, ']');
}

static int print_source(const char *name)
{
	char *source;

	if (dpr_array_kernel_source(name, &source))
		return failed();
	fputs(source, stdout);
	dpr_free(source);
	return 0;
}

int show_kernels_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "list", no_argument, NULL, 'l' },
		{ "json", no_argument, NULL, 'j' },
		{ "source", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool all = false, json = false;
	const char *source = NULL;
	dpr_array_kernel *list;
	size_t n;
	int c;

	while ((c = getopt_long(argc, argv, "ljs:h", options, NULL)) != -1)
		switch (c) {
		case 'l': all = true; break;
		case 'j': json = true; break;
		case 's': source = optarg; break;
		case 'h': return usage(stdout, 0);
		default: return usage(stderr, 2);
		}
	if (optind < argc || (source && (all || json)))
		return usage(stderr, 2);
	if (source)
		return print_source(source);
	if (dpr_array_kernels(&list, &n))
		return failed();
	(json ? print_json : all ? print_list : print_names)(list, n);
	dpr_free(list);
	return 0;
}
