/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.c - dpr doctor: which backends work, and why others do not. */
#include "tools/inspect/doctor.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/array_kernels.h>
#include <dpr/device.h>
#include <dpr/info.h>
#include <dpr/program.h>
#include <dpr/queue.h>
#include <dpr/runtime.h>
#include <dpr/version.h>

#include "tools/inspect/findings.h"
#include "tools/inspect/isolate.h"
#include "tools/shared/json.h"

#define DEFAULT_SECONDS 30

struct options {
	bool json, env, isolate;
	unsigned seconds;
};

static int usage(FILE *to, int status)
{
	fputs("usage: dpr doctor [--env] [--isolate] [--timeout=SECONDS] "
	      "[--json]\n\n"
	      "Try every plugin and say how far it came, why it stopped and "
	      "what to do.\n\n"
	      "  -e, --env              show the environment variables instead\n"
	      "  -i, --isolate          try each plugin in its own process, to "
	      "name the one\n"
	      "                         that crashes or hangs\n"
	      "  -t, --timeout=SECONDS  how long such a process may take (30)\n"
	      "  -j, --json             print JSON\n"
	      "  -h, --help             this text\n",
	      to);
	return status;
}

/* --- Findings --------------------------------------------------------------
 */

/* Load and open everything in this process.  False: no memory. */
static bool find_here(struct findings *findings)
{
	dpr_plugin_report *list = NULL;
	size_t n = 0, i, devices;
	bool ok = true;

	memset(findings, 0, sizeof(*findings));
	if (dpr_device_enumerate(NULL, NULL, 0, &devices)) {
		findings->error = strdup(dpr_last_error());
		ok = findings->error != NULL;
	}
	if (ok && dpr_plugins(1, &list, &n) && !findings->error) {
		findings->error = strdup(dpr_last_error());
		ok = findings->error != NULL;
	}
	for (i = 0; ok && i < n; i++) {
		struct finding f = {
			.file = (char *)list[i].file,
			.name = (char *)list[i].name,
			.version = (char *)list[i].version,
			.origin = (char *)list[i].origin,
			.stage = (char *)dpr_plugin_stage_name(list[i].stage),
			.text = findings_notes(&list[i]),
			.advice = (char *)list[i].advice,
			.devices = list[i].devices,
			.nanoseconds = list[i].nanoseconds,
		};

		ok = f.text && findings_add(findings, &f);
		free(f.text);
	}
	dpr_free(list);
	return ok;
}

static void print_finding(const struct finding *f)
{
	printf("%-12s %-9s", *f->name ? f->name : "?", f->stage);
	if (f->devices)
		printf(" %llu device%s,", (unsigned long long)f->devices,
		       f->devices == 1 ? "" : "s");
	printf(" %.1f ms\n", (double)f->nanoseconds / 1e6);
	printf("             file: %s (%s)\n", f->file, f->origin);
	if (*f->text)
		printf("             %s %s\n",
		       strcmp(f->stage, "ready") ? "why: " : "note:", f->text);
	if (*f->advice)
		printf("             do:   %s\n", f->advice);
}

/* Print in which format each device gets the kernels of array functions. */
static void print_formats(void)
{
	dpr_device *devices[64];
	const char *format;
	size_t n = 0, i;

	if (dpr_device_enumerate(NULL, devices, 64, &n))
		return;
	puts("\nKernels of array functions:");
	for (i = 0; i < n && i < 64; i++) {
		format = dpr_array_kernel_format(devices[i]);
		printf("    %-18s %s\n", dpr_device_selector(devices[i]),
		       format ? format : "none: only kernels of your own");
	}
}

/* Whether the device's backend can take routines from libraries. */
static bool has_calls(const dpr_device *device)
{
	char list[1024];
	size_t size;

	if (dpr_device_info(device, DPR_INFO_FORMATS, list, sizeof(list),
			    &size))
		return false;
	for (const char *at = list; at < list + size; at += strlen(at) + 1)
		if (!strcmp(at, "calls-1"))
			return true;
	return false;
}

/* Print the last error, of a build for @device, without the operation and the
   plugin that stand around it. */
static void print_reason(const dpr_device *device, const char *none)
{
	const char *text = dpr_last_error(), *end;
	char before[300];
	size_t n = (size_t)snprintf(
		before, sizeof(before),
		"program: build for %s: ", dpr_device_selector(device));

	if (n < sizeof(before) && !strncmp(text, before, n))
		text += n;
	end = strrchr(text, '[');
	if (!end || end == text || end[-1] != ' ' ||
	    text[strlen(text) - 1] != ']')
		end = text + strlen(text) + 1;
	printf("none: %s (%.*s)\n", none, (int)(end - text - 1), text);
}

/* Print the library from which each device takes a routine.  It is loaded for
   that.  @host: the text for a device of the host backend without a library.
   @elsewhere: the text for other devices without one. */
static void print_libraries(const char *title, const char *routine,
			    const char *elsewhere, const char *host)
{
	const dpr_image image = { "calls-1", NULL, routine, strlen(routine) };
	dpr_device *devices[64];
	dpr_program *program;
	dpr_queue *queue;
	size_t n = 0, i;

	if (dpr_device_enumerate(NULL, devices, 64, &n))
		return;
	printf("\n%s:\n", title);
	for (i = 0; i < n && i < 64; i++) {
		const char *none = strcmp(dpr_device_backend(devices[i]),
					  "host")
					   ? elsewhere
					   : host;

		printf("    %-18s ", dpr_device_selector(devices[i]));
		if (!has_calls(devices[i])) {
			printf("none: %s\n", none);
		} else if (dpr_device_queue(devices[i], &queue) ||
			   dpr_program_build(queue, &image, 1, NULL,
					     &program)) {
			print_reason(devices[i], none);
		} else {
			puts(dpr_program_log(program));
			dpr_program_release(program);
		}
	}
}

static void json_finding(struct json *json, const struct finding *f)
{
	json_open(json, NULL, '{');
	json_string(json, "file", f->file);
	json_string(json, "name", f->name);
	json_string(json, "version", f->version);
	json_string(json, "origin", f->origin);
	json_string(json, "stage", f->stage);
	json_number(json, "devices", f->devices);
	json_number(json, "nanoseconds", f->nanoseconds);
	json_string(json, "text", f->text);
	json_string(json, "advice", f->advice);
	json_close(json, '}');
}

static void print_json(const struct findings *findings)
{
	struct json json = { .to = stdout };
	size_t i;

	json_open(&json, NULL, '{');
	json_string(&json, "version", dpr_version());
	json_string(&json, "error", findings->error);
	json_open(&json, "plugins", '[');
	for (i = 0; i < findings->n; i++)
		json_finding(&json, &findings->list[i]);
	json_close(&json, ']');
	json_close(&json, '}');
}

static void print_findings(const struct findings *findings, uint64_t devices,
			   bool is_isolated)
{
	size_t i;

	printf("dpr %s\n", dpr_version());
	if (findings->error)
		printf("\nNothing can be used: %s\n", findings->error);
	for (i = 0; i < findings->n; i++) {
		putchar('\n');
		print_finding(&findings->list[i]);
	}
	if (!findings->n && !findings->error)
		puts("\nNo plugin was found: install one, or name its directory "
		     "in DPR_PLUGIN_PATH.");
	else if (!findings->error)
		puts("\nA backend that is not in this list has no plugin here: "
		     "install it, or name\nits directory in DPR_PLUGIN_PATH.");
	if (devices && !is_isolated) {
		print_formats();
		print_libraries("Libraries for products of matrices",
				"gemm float32", "kernels of dpr",
				"kernels of dpr");
		print_libraries("Libraries for linear algebra", "gesv float32",
				"the host's, if it has one, through host "
				"memory",
				"only some norms are computed");
	}
	if (devices)
		puts("\n\"dpr devices\" lists the devices.");
	else
		puts("\nThere is no device.");
}

static int show_plugins(const struct options *options)
{
	struct findings findings = { 0 };
	uint64_t devices = 0;
	bool ok, usable;
	size_t i;

	ok = options->isolate ? isolate_findings(&findings, options->seconds)
			      : find_here(&findings);
	if (!ok) {
		fputs("dpr doctor: out of memory\n", stderr);
		findings_drop(&findings);
		return 1;
	}
	for (i = 0; i < findings.n; i++)
		devices += findings.list[i].devices;
	if (options->json)
		print_json(&findings);
	else
		print_findings(&findings, devices, options->isolate);
	usable = devices && !findings.error;
	findings_drop(&findings);
	return usable ? 0 : 1;
}

/* --- Variables -------------------------------------------------------------
 */

static void json_variable(struct json *json, const dpr_variable *v)
{
	json_open(json, NULL, '{');
	json_string(json, "name", v->name);
	json_string(json, "value", v->value);
	json_string(json, "effect", v->effect);
	json_string(json, "nearest", v->nearest);
	json_bool(json, "known", v->known);
	json_bool(json, "ignored", v->ignored);
	json_close(json, '}');
}

static void print_variable(const dpr_variable *v)
{
	if (v->value)
		printf("%s=%s\n    from the environment%s\n", v->name, v->value,
		       v->ignored ? ", ignored: this program is setuid" : "");
	else
		printf("%s\n    not set\n", v->name);
	printf("    %s\n", v->effect);
	if (v->nearest)
		printf("    did you mean %s?\n", v->nearest);
}

/* Show the variables.  Returns the exit status: 1 if one is unknown or
   wrong. */
static int show_variables(const struct options *options)
{
	struct json json = { .to = stdout };
	dpr_plugin_report *plugins;
	dpr_variable *list = NULL;
	int status = 0;
	size_t n, i;

	/* Load the plugins first: some values can only be checked then. */
	if (!dpr_plugins(0, &plugins, &n))
		dpr_free(plugins);
	if (dpr_variables(&list, &n)) {
		fprintf(stderr, "dpr doctor: %s\n", dpr_last_error());
		return 1;
	}
	if (options->json) {
		json_open(&json, NULL, '{');
		json_open(&json, "variables", '[');
	}
	for (i = 0; i < n; i++) {
		if (options->json)
			json_variable(&json, &list[i]);
		else
			print_variable(&list[i]);
		status |= !list[i].known;
	}
	if (options->json) {
		json_close(&json, ']');
		json_close(&json, '}');
	}
	dpr_free(list);
	return status;
}

/* --- The command -----------------------------------------------------------
 */

static bool parse_seconds(const char *text, unsigned *seconds)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 1 || n > 3600)
		return false;
	*seconds = (unsigned)n;
	return true;
}

int doctor_main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "env", no_argument, NULL, 'e' },
		{ "isolate", no_argument, NULL, 'i' },
		{ "timeout", required_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct options options = { .seconds = DEFAULT_SECONDS };
	int option;

	while ((option = getopt_long(argc, argv, "eit:jh", longs, NULL)) !=
	       -1) {
		switch (option) {
		case 'e': options.env = true; break;
		case 'i': options.isolate = true; break;
		case 't':
			if (parse_seconds(optarg, &options.seconds))
				break;
			fputs("dpr doctor: --timeout takes 1 to 3600 "
			      "seconds\n",
			      stderr);
			return 2;
		case 'j': options.json = true; break;
		case 'h': return usage(stdout, 0);
		default: return usage(stderr, 2);
		}
	}
	if (optind < argc)
		return usage(stderr, 2);
	return options.env ? show_variables(&options) : show_plugins(&options);
}
