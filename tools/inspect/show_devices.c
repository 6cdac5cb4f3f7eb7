/* SPDX-License-Identifier: Apache-2.0 */
/* show_devices.c - dpr devices: the devices, how to select them, and their
   properties. */
#include "tools/inspect/show_devices.h"

#include <ctype.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/array_kernels.h>
#include <dpr/device.h>
#include <dpr/runtime.h>

#include "tools/shared/json.h"

/* Room for the name of any key. */
#define MAX_NAME 64

static const struct key {
	const char *name;
	enum dpr_info number;
	enum dpr_info_type type;
	const char *unit;
} keys[] = {
#define DPR__X(name, number, type, unit, text) \
	{ #name, DPR_INFO_##name, DPR_INFO_TYPE_##type, unit },
	DPR_INFO_MAP(DPR__X)
#undef DPR__X
};
#define N_KEYS (sizeof(keys) / sizeof(*keys))

struct options {
	bool json, verbose, explain;
	const char *selector;
};

static int usage(FILE *to, int status)
{
	fputs("usage: dpr devices [--json] [--verbose] [--explain] "
	      "[SELECTOR]\n\n"
	      "List the devices that SELECTOR matches, by default all "
	      "devices.\n\n"
	      "  -j, --json     print all properties of the devices as JSON\n"
	      "  -v, --verbose  print all properties; the default with a "
	      "SELECTOR\n"
	      "  -e, --explain  say for each device which part of SELECTOR "
	      "matches it\n"
	      "  -h, --help     this text\n\n"
	      "SELECTOR: \"gpu\", \"opencl:cpu\", \"0\", \"gpu+fp64\", "
	      "\"opencl:cpu:0/equally:1.0\",\n"
	      "\"!host\"; the first of a list that matches counts: "
	      "\"cuda,gpu,cpu\".\n",
	      to);
	return status;
}

/* Print the library's last error.  Returns the exit status for it. */
static int failed(void)
{
	fprintf(stderr, "dpr devices: %s\n", dpr_last_error());
	return 1;
}

/* Get the devices that match, to be freed. */
static dpr_status find_devices(const char *selector, dpr_device ***out,
			       size_t *count)
{
	dpr_device **devices;
	dpr_status status;
	size_t room;

	*out = NULL;
	status = dpr_device_enumerate(selector, NULL, 0, count);
	if (status)
		return status;
	room = *count;
	devices = calloc(room ? room : 1, sizeof(*devices));
	if (!devices)
		return DPR_ERROR_OUT_OF_MEMORY;
	status = dpr_device_enumerate(selector, devices, room, count);
	if (*count > room)
		*count = room;
	*out = devices;
	return status;
}

/* Get the value of a key, to be freed.  NULL: there is none; *@why is then the
   error, or NULL if the driver does not report this key. */
static void *find_value(const dpr_device *device, const struct key *key,
			size_t *size, const char **why)
{
	void *value = NULL;
	dpr_status status;

	*why = NULL;
	status = dpr_device_info(device, key->number, NULL, 0, size);
	if (!status) {
		value = calloc(1, *size + 8);
		if (!value) {
			*why = "out of memory";
			return NULL;
		}
		status = dpr_device_info(device, key->number, value, *size,
					 size);
	}
	if (!status)
		return value;
	free(value);
	if (status != DPR_ERROR_UNSUPPORTED)
		*why = dpr_last_error();
	return NULL;
}

static void lower_name(char *to, const char *from)
{
	size_t i;

	for (i = 0; from[i] && i < MAX_NAME - 1; i++)
		to[i] = (char)tolower((unsigned char)from[i]);
	to[i] = '\0';
}

static void print_uuid(char out[37], const unsigned char uuid[16])
{
	size_t i;

	for (i = 0; i < 16; i++)
		out += sprintf(out, "%s%02x",
			       i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			       uuid[i]);
}

/* --- JSON ------------------------------------------------------------------
 */

static const char *type_word(uint64_t type)
{
	static const char *const words[] = { "custom", "cpu", "gpu",
					     "accelerator", "custom" };

	return words[type < 5 ? type : 0];
}

static void json_value(struct json *json, const char *name,
		       const struct key *key, const void *value, size_t size)
{
	const uint64_t *numbers = value;
	const char *string = value;
	char uuid[37];
	size_t i;

	if (key->number == DPR_INFO_TYPE) {
		json_string(json, name, type_word(*numbers));
		return;
	}
	switch (key->type) {
	case DPR_INFO_TYPE_STRING: json_string(json, name, value); break;
	case DPR_INFO_TYPE_U64:
	case DPR_INFO_TYPE_FLAGS: json_number(json, name, *numbers); break;
	case DPR_INFO_TYPE_BOOL: json_bool(json, name, *numbers != 0); break;
	case DPR_INFO_TYPE_UUID:
		print_uuid(uuid, value);
		json_string(json, name, uuid);
		break;
	case DPR_INFO_TYPE_LIST:
		json_open(json, name, '[');
		for (i = 0; i < size / sizeof(*numbers); i++)
			json_number(json, NULL, numbers[i]);
		json_close(json, ']');
		break;
	case DPR_INFO_TYPE_STRINGS:
		json_open(json, name, '[');
		for (i = 0; i < size; i += strlen(string + i) + 1)
			json_string(json, NULL, string + i);
		json_close(json, ']');
		break;
	}
}

static void json_device(struct json *json, dpr_device *device)
{
	dpr_device *parent = dpr_device_parent(device);
	const char *why;
	char name[MAX_NAME];
	size_t i, size;
	void *value;

	json_open(json, NULL, '{');
	json_string(json, "parent",
		    parent ? dpr_device_selector(parent) : NULL);
	for (i = 0; i < N_KEYS; i++) {
		lower_name(name, keys[i].name);
		value = find_value(device, &keys[i], &size, &why);
		if (value)
			json_value(json, name, &keys[i], value, size);
		else
			json_string(json, name, NULL);
		free(value);
	}
	json_string(json, "array_kernels", dpr_array_kernel_format(device));
	json_open(json, "errors", '[');
	for (i = 0; i < N_KEYS; i++) {
		free(find_value(device, &keys[i], &size, &why));
		if (why)
			json_string(json, NULL, why);
	}
	json_close(json, ']');
	json_close(json, '}');
}

static void print_json(dpr_device *const *devices, size_t n)
{
	struct json json = { .to = stdout };
	size_t i;

	json_open(&json, NULL, '{');
	json_open(&json, "devices", '[');
	for (i = 0; i < n; i++)
		json_device(&json, devices[i]);
	json_close(&json, ']');
	json_close(&json, '}');
}

/* --- Text ------------------------------------------------------------------
 */

static void print_size(char *out, size_t room, uint64_t bytes)
{
	static const char *const units[] = { "B",   "KiB", "MiB", "GiB",
					     "TiB", "PiB", "EiB" };
	double size = (double)bytes;
	size_t i = 0;

	for (; size >= 1024 && i < 6; i++)
		size /= 1024;
	snprintf(out, room, i ? "%.1f %s" : "%.0f %s", size, units[i]);
}

static void print_value(const struct key *key, const void *value, size_t size)
{
	const uint64_t *numbers = value;
	const char *string = value;
	char text[64];
	size_t i;

	if (key->number == DPR_INFO_TYPE) {
		fputs(type_word(*numbers), stdout);
		return;
	}
	switch (key->type) {
	case DPR_INFO_TYPE_STRING: fputs(value, stdout); break;
	case DPR_INFO_TYPE_U64:
		if (!strcmp(key->unit, "byte") && *numbers >= 1024) {
			print_size(text, sizeof(text), *numbers);
			printf("%s (%llu)", text, (unsigned long long)*numbers);
		} else {
			printf("%llu%s%s", (unsigned long long)*numbers,
			       *key->unit ? " " : "", key->unit);
		}
		break;
	case DPR_INFO_TYPE_BOOL: fputs(*numbers ? "yes" : "no", stdout); break;
	case DPR_INFO_TYPE_FLAGS:
		printf("0x%llx", (unsigned long long)*numbers);
		break;
	case DPR_INFO_TYPE_UUID:
		print_uuid(text, value);
		fputs(text, stdout);
		break;
	case DPR_INFO_TYPE_LIST:
		for (i = 0; i < size / sizeof(*numbers); i++)
			printf("%s%llu", i ? " " : "",
			       (unsigned long long)numbers[i]);
		break;
	case DPR_INFO_TYPE_STRINGS:
		for (i = 0; i < size; i += strlen(string + i) + 1)
			printf("%s%s", i ? " " : "", string + i);
		break;
	}
}

static void print_details(dpr_device *device)
{
	const char *format = dpr_array_kernel_format(device);
	const char *why;
	char name[MAX_NAME];
	size_t i, size;
	void *value;

	printf("%s\n", dpr_device_selector(device));
	for (i = 0; i < N_KEYS; i++) {
		value = find_value(device, &keys[i], &size, &why);
		lower_name(name, keys[i].name);
		printf("  %-26s ", name);
		if (value)
			print_value(&keys[i], value, size);
		else
			fputs(why ? why : "not available", stdout);
		putchar('\n');
		free(value);
	}
	printf("  %-26s %s\n", "array_kernels", format ? format : "none");
}

static void print_line(dpr_device *device, int width)
{
	const char *format = dpr_array_kernel_format(device);
	const dpr_device *twin = dpr_device_twin(device);
	uint64_t units, memory;
	char size[64] = "?";

	printf("%-*s  %s", width, dpr_device_selector(device),
	       dpr_device_name(device));
	if (!dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, &units))
		printf(", %llu units", (unsigned long long)units);
	if (!dpr_device_info_u64(device, DPR_INFO_GLOBAL_MEM_SIZE, &memory)) {
		print_size(size, sizeof(size), memory);
		printf(", %s", size);
	}
	if (format)
		printf(", array kernels: %s", format);
	if (twin)
		printf(", same device as %s", dpr_device_selector(twin));
	putchar('\n');
}

static void print_table(dpr_device *const *devices, size_t n)
{
	int width = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		int w = (int)strlen(dpr_device_selector(devices[i]));

		width = w > width ? w : width;
	}
	for (i = 0; i < n; i++)
		print_line(devices[i], width);
}

/* --- The command -----------------------------------------------------------
 */

static int explain_selector(const char *selector)
{
	char *text = NULL;

	if (dpr_device_explain(selector, &text))
		return failed();
	fputs(text, stdout);
	dpr_free(text);
	return 0;
}

/* Print the library's explanation why no device matches. */
static int no_match(const char *selector)
{
	dpr_device *device;

	if (!dpr_device_select(selector, &device))
		return 0;
	return failed();
}

static int list_devices(const struct options *options)
{
	dpr_device **devices = NULL;
	size_t n = 0, i;
	int status = 0;

	if (find_devices(options->selector, &devices, &n)) {
		free(devices);
		return failed();
	}
	if (options->json)
		print_json(devices, n);
	else if (options->verbose || options->selector)
		for (i = 0; i < n; i++)
			print_details(devices[i]);
	else
		print_table(devices, n);
	if (!n)
		status = no_match(options->selector);
	free(devices);
	return status;
}

int show_devices_main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "explain", no_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct options options = { 0 };
	int option;

	while ((option = getopt_long(argc, argv, "jveh", longs, NULL)) != -1) {
		switch (option) {
		case 'j': options.json = true; break;
		case 'v': options.verbose = true; break;
		case 'e': options.explain = true; break;
		case 'h': return usage(stdout, 0);
		default: return usage(stderr, 2);
		}
	}
	if (argc - optind > 1) {
		fputs("dpr devices: more than one selector; a list of them is "
		      "one word, separated by commas\n",
		      stderr);
		return 2;
	}
	if (optind < argc)
		options.selector = argv[optind];
	if (options.explain)
		return explain_selector(options.selector);
	return list_devices(&options);
}
