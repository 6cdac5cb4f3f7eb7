/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cumock_image.c - code.  The mock reads the names and parameters of kernels
 * from PTX, and writes them into its own cubin, which is an ELF header followed
 * by lines of text:
 *
 *	kernel NAME REQNTID.x .y .z MAXNTID SIZE:ALIGN ...
 */
#include "cumock_impl.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EM_CUDA_MACHINE 190

/* --- Reading PTX --- */

struct reader {
	char *text; /* without comments */
	char *at;
	char *out;
	size_t size, room;
	char *log;
	size_t log_size;
};

static void add_text(struct reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append to r->out.  There is room: the kernels are shorter than their PTX. */
static void add_text(struct reader *r, const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(r->out + r->size, r->room - r->size, format, list);
	va_end(list);
	r->size += (size_t)n;
	if (r->size >= r->room)
		abort();
}

static CUresult complain(struct reader *r, CUresult error, const char *text)
{
	int line = 1;
	char *at;

	for (at = r->text; at < r->at; at++)
		line += *at == '\n';
	if (r->log_size)
		snprintf(r->log, r->log_size,
			 "ptxas application ptx input, line %d; error   : %s",
			 line, text);
	return error;
}

/* Replace comments by blanks. */
static void strip(char *text)
{
	char *end;

	for (; *text; text++) {
		if (text[0] != '/' || (text[1] != '/' && text[1] != '*'))
			continue;
		end = text[1] == '/' ? strchr(text, '\n')
				     : strstr(text + 2, "*/");
		end = !end ? text + strlen(text) : *end == '*' ? end + 2 : end;
		for (; text < end; text++)
			if (*text != '\n')
				*text = ' ';
		if (!*text)
			return;
	}
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.' ||
	       c == '%';
}

/* Read the next word or other character into @word.  Returns false at the
   end. */
static bool next(struct reader *r, char word[256])
{
	size_t n = 0;

	r->at += strspn(r->at, " \t\r\n");
	while (is_word(r->at[n]) && n < 255)
		n++;
	if (!n && *r->at)
		n = 1;
	memcpy(word, r->at, n);
	word[n] = '\0';
	r->at += n;
	return n > 0;
}

static size_t size_of_type(const char *type)
{
	size_t n = strlen(type);

	if (type[0] != '.' || n < 3 || !strchr("usfb", type[1]))
		return 0;
	return (size_t)atoi(type + 2) / 8;
}

/* Read a parameter.  The comma or bracket after it is left in @word. */
static CUresult read_param(struct reader *r, char word[256])
{
	size_t size = 0, align = 0, count = 1;
	bool pointer = false;

	do {
		/* After .ptr, .align is the alignment of the memory that is
		   pointed to. */
		if (!strcmp(word, ".align") && next(r, word))
			align = pointer ? 0 : (size_t)atoi(word);
		else if (!strcmp(word, ".ptr"))
			pointer = true;
		else if (size_of_type(word))
			size = size_of_type(word);
		else if (!strcmp(word, "[") && next(r, word))
			count = (size_t)atoi(word);
	} while (next(r, word) && strcmp(word, ",") && strcmp(word, ")"));
	if (!size || !count)
		return complain(r, CUDA_ERROR_INVALID_PTX,
				"a parameter has no type");
	add_text(r, " %zu:%zu", size * count, align > size ? align : size);
	return CUDA_SUCCESS;
}

/* Read the limits that stand between the parameters and the body. */
static void read_limits(struct reader *r, unsigned need[3], unsigned *most)
{
	char word[256];
	unsigned *to = NULL;
	int i = 0;

	while (next(r, word) && strcmp(word, "{")) {
		if (!strcmp(word, ".reqntid") || !strcmp(word, ".maxntid")) {
			to = word[1] == 'r' ? need : NULL;
			*most = !to ? 1 : *most;
			i = 0;
		} else if (*word >= '0' && *word <= '9') {
			if (to && i < 3)
				to[i++] = (unsigned)atoi(word);
			else if (!to)
				*most *= (unsigned)atoi(word);
		} else if (*word == '.') {
			to = need + 3; /* ignore other directives' numbers */
			i = 3;
		}
	}
	for (i = 1; i < 3; i++)
		if (need[0] && !need[i])
			need[i] = 1;
}

/* Read a kernel, from its name on. */
static CUresult read_kernel(struct reader *r)
{
	unsigned need[3] = { 0, 0, 0 }, most = 0;
	char word[256], *params, *limits;
	CUresult error = CUDA_SUCCESS;

	next(r, word);
	add_text(r, "kernel %s", word);
	params = r->at + strspn(r->at, " \t\r\n");
	limits = *params == '(' ? strchr(params, ')') : params;
	if (!limits)
		return complain(r, CUDA_ERROR_INVALID_PTX, "no )");
	r->at = limits;
	read_limits(r, need, &most);
	add_text(r, " %u %u %u %u", need[0], need[1], need[2], most);
	limits = r->at;
	r->at = params;
	if (*params == '(') {
		next(r, word);
		next(r, word);
		while (strcmp(word, ")") && !error) {
			if (!strcmp(word, ","))
				next(r, word);
			error = read_param(r, word);
		}
	}
	add_text(r, "\n");
	r->at = limits;
	return error;
}

/* Check a directive .version, .target or .address_size. */
static CUresult check_directive(struct reader *r, const char *directive)
{
	char word[256];
	int major, minor = 0, newest;

	next(r, word);
	if (!strcmp(directive, ".target")) {
		if (strncmp(word, "sm_", 3) ||
		    atoi(word + 3) > 10 * cumock_settings.devices[0].major +
					     cumock_settings.devices[0].minor)
			return complain(r, CUDA_ERROR_NO_BINARY_FOR_GPU,
					"the device is older than .target");
		return CUDA_SUCCESS;
	}
	/* PTX 8.0 came with CUDA 12.0, 9.0 with 13.0. */
	newest = 100 * (cumock_settings.version / 1000 - 4) +
		 cumock_settings.version % 1000 / 10;
	major = atoi(word);
	if (strchr(word, '.'))
		minor = atoi(strchr(word, '.') + 1);
	if (100 * major + minor > newest)
		return complain(r, CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
				"unsupported .version");
	return CUDA_SUCCESS;
}

static CUresult read_ptx(struct reader *r)
{
	CUresult error = CUDA_SUCCESS;
	bool versioned = false;
	char word[256];

	while (!error && next(r, word)) {
		if (!strcmp(word, ".version") || !strcmp(word, ".target")) {
			versioned |= word[1] == 'v';
			error = check_directive(r, word);
		} else if (!versioned) {
			return complain(r, CUDA_ERROR_INVALID_PTX,
					"no .version");
		} else if (!strcmp(word, ".entry")) {
			error = read_kernel(r);
		} else if (!strcmp(word, "mock_error")) {
			error = complain(r, CUDA_ERROR_INVALID_PTX,
					 "Not a name of any known "
					 "instruction: 'mock_error'");
		}
	}
	if (!error && !versioned)
		error = complain(r, CUDA_ERROR_INVALID_PTX, "no .version");
	return error;
}

char *cumock_image_assemble(const char *ptx, size_t size, CUresult *error,
			    char *log, size_t log_size)
{
	struct reader r = { .text = strndup(ptx, size),
			    .room = 2 * size + 512,
			    .log = log,
			    .log_size = log_size };

	r.out = malloc(r.room);
	*error = r.text && r.out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	if (!*error) {
		r.out[0] = '\0';
		r.at = r.text;
		strip(r.text);
		*error = read_ptx(&r);
	}
	free(r.text);
	if (*error) {
		free(r.out);
		return NULL;
	}
	return r.out;
}

/* --- The mock's cubin --- */

unsigned char *cumock_image_wrap(const char *text, size_t *size)
{
	const struct cumock_device_settings *set = &cumock_settings.devices[0];
	size_t n = strlen(text) + 1;
	unsigned char *file = malloc(sizeof(Elf64_Ehdr) + n);
	Elf64_Ehdr header;

	if (!file)
		return NULL;
	memset(&header, 0, sizeof(header));
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_ident[EI_VERSION] = EV_CURRENT;
	header.e_type = ET_EXEC;
	header.e_machine = EM_CUDA_MACHINE;
	header.e_version = EV_CURRENT;
	header.e_flags = (unsigned)(10 * set->major + set->minor);
	header.e_ehsize = sizeof(header);
	memcpy(file, &header, sizeof(header));
	memcpy(file + sizeof(header), text, n);
	*size = sizeof(header) + n;
	return file;
}

const char *cumock_image_text(const void *code)
{
	Elf64_Ehdr header;

	if (memcmp(code, ELFMAG, SELFMAG) != 0)
		return NULL;
	memcpy(&header, code, sizeof(header));
	return header.e_machine == EM_CUDA_MACHINE
		       ? (const char *)code + sizeof(header)
		       : NULL;
}

/* Add a parameter "SIZE:ALIGN". */
static bool add_param(struct kernel *kernel, size_t size, size_t align)
{
	size_t n = kernel->n_params + 1, *sizes, *offsets;

	sizes = realloc(kernel->sizes, n * sizeof(*sizes));
	if (!sizes)
		return false;
	kernel->sizes = sizes;
	offsets = realloc(kernel->offsets, n * sizeof(*offsets));
	if (!offsets)
		return false;
	kernel->offsets = offsets;
	sizes[n - 1] = size;
	offsets[n - 1] = (kernel->bytes + align - 1) / align * align;
	kernel->bytes = offsets[n - 1] + size;
	kernel->n_params = n;
	return true;
}

/* Add the kernel that a line describes after "kernel ". */
static bool add_kernel(struct library *library, const char *line)
{
	struct kernel *kernel =
		cumock_handle_new(sizeof(*kernel), MAGIC_KERNEL, NULL);
	size_t size, align;
	char name[256];
	int n = 0;

	if (!kernel)
		return false;
	kernel->library = library;
	kernel->next = library->kernels;
	library->kernels = kernel;
	if (sscanf(line, "%255s %u %u %u %u%n", name, &kernel->need[0],
		   &kernel->need[1], &kernel->need[2], &kernel->most, &n) < 5)
		return false;
	kernel->shared = 49152;
	kernel->name = strdup(name);
	line += n;
	while (sscanf(line, " %zu:%zu%n", &size, &align, &n) == 2 &&
	       line[0] == ' ') {
		if (!add_param(kernel, size, align))
			return false;
		line += n;
	}
	return kernel->name != NULL;
}

bool cumock_image_kernels(struct library *library, const char *text)
{
	while (text && !strncmp(text, "kernel ", 7)) {
		if (!add_kernel(library, text + 7))
			return false;
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return true;
}
