/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_options.c - the options of OpenCL's compiler. */
#include "cuda_options.h"

#include <string.h>

#define BLANKS " \t\r\n"

/* The known options.  Some set a member of struct cuda_options, given by its
   offset.  The others are ignored for the given reason, which is logged unless
   it is "". */
static const struct {
	const char *name;
	size_t offset;
	const char *ignored;
} known[] = {
#define MEMBER(name, member)                                   \
	{                                                      \
		name, offsetof(struct cuda_options, member), 0 \
	}
	MEMBER("-cl-fast-relaxed-math", fast),
	MEMBER("-cl-fp32-correctly-rounded-divide-sqrt", rounded),
	MEMBER("-cl-unsafe-math-optimizations", unsafe),
	MEMBER("-cl-denorms-are-zero", zero_denormals),
	MEMBER("-cl-single-precision-constant", single),
	MEMBER("-g", lines),
	MEMBER("-w", quiet),
#undef MEMBER
	{ "-cl-kernel-arg-info", 0, "" },
	{ "-cl-mad-enable", 0, "" },
	{ "-cl-no-signed-zeros", 0, "" },
	{ "-cl-finite-math-only", 0, "values may be infinite or NaN" },
	{ "-cl-opt-disable", 0, "NVRTC always optimises" },
	{ "-cl-strict-aliasing", 0, "" },
	{ "-Werror", 0, "warnings stay warnings" },
};

static bool is(const char *word, size_t size, const char *text)
{
	return strlen(text) == size && memcmp(word, text, size) == 0;
}

/* Add a macro from the text NAME, NAME=VALUE, or NAME(X)=VALUE. */
static void define(struct cuda_options *out, const char *text, size_t size)
{
	const char *equal = memchr(text, '=', size);
	const size_t name = equal ? (size_t)(equal - text) : size;

	cuda_text_format(&out->defines, "#define %.*s ", (int)name, text);
	if (equal)
		cuda_text_add(&out->defines, equal + 1, size - name - 1);
	else
		cuda_text_add(&out->defines, "1", 1);
	cuda_text_add(&out->defines, "\n", 1);
}

static bool read_version(struct cuda_options *out, const char *text,
			 size_t size, struct cuda_text *log)
{
	static const struct {
		const char *name;
		unsigned version;
	} all[] = { { "CL1.0", 100 }, { "CL1.1", 110 }, { "CL1.2", 120 },
		    { "cl1.0", 100 }, { "cl1.1", 110 }, { "cl1.2", 120 } };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (is(text, size, all[i].name)) {
			out->version = all[i].version;
			return true;
		}
	cuda_text_format(log,
			 "error: -cl-std=%.*s: the CUDA backend supports "
			 "OpenCL C 1.0 to 1.2\n",
			 (int)size, text);
	return false;
}

static bool include(struct cuda_strings *strings, struct cuda_options *out,
		    const char *text, size_t size, struct cuda_text *log)
{
	const char **list =
		cuda_strings_get(strings, (out->n_include + 1) * sizeof(*list));

	if (!list)
		return false;
	if (out->n_include)
		memcpy(list, out->include, out->n_include * sizeof(*list));
	else
		cuda_text_format(log,
				 "warning: -I: included files are compiled "
				 "as CUDA C++\n");
	list[out->n_include++] = cuda_strings_format(
		strings, "--include-path=%.*s", (int)size, text);
	out->include = list;
	return true;
}

/* Read an option that is a single whole word.  Returns false if it is
   unknown. */
static bool read_known(struct cuda_options *out, const char *word, size_t size,
		       struct cuda_text *log)
{
	const bool yes = true;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!is(word, size, known[i].name))
			continue;
		if (!known[i].ignored)
			memcpy((char *)out + known[i].offset, &yes,
			       sizeof(yes));
		else if (*known[i].ignored)
			cuda_text_format(log, "warning: %s is ignored: %s\n",
					 known[i].name, known[i].ignored);
		return true;
	}
	return false;
}

/* Read -D, -U or -I and its value, which is in the same word or the next. */
static bool read_letter(struct cuda_strings *strings, struct cuda_options *out,
			const char **at, size_t size, struct cuda_text *log)
{
	const char letter = (*at)[1], *value = *at + 2;
	size_t length = size - 2;

	if (!length) {
		value += strspn(value, BLANKS);
		length = strcspn(value, BLANKS);
	}
	*at = value + length;
	if (!length) {
		cuda_text_format(log, "error: -%c needs a value\n", letter);
		return false;
	}
	if (letter == 'I')
		return include(strings, out, value, length, log);
	if (letter == 'D')
		define(out, value, length);
	else
		cuda_text_format(&out->defines, "#undef %.*s\n", (int)length,
				 value);
	return true;
}

bool cuda_options_read(struct cuda_strings *strings, const char *given,
		       struct cuda_text *log, struct cuda_options *out)
{
	const char *at = given ? given : "";
	size_t size;
	bool ok = true;

	out->version = 120;
	for (at += strspn(at, BLANKS); *at && ok; at += strspn(at, BLANKS)) {
		size = strcspn(at, BLANKS);
		if (size >= 2 && at[0] == '-' && strchr("DUI", at[1])) {
			ok = read_letter(strings, out, &at, size, log);
			continue;
		}
		if (size > 8 && memcmp(at, "-cl-std=", 8) == 0) {
			ok = read_version(out, at + 8, size - 8, log);
		} else if (!read_known(out, at, size, log)) {
			cuda_text_format(
				log,
				"error: the CUDA backend does not know "
				"the option %.*s\n",
				(int)(size > 200 ? 200 : size), at);
			ok = false;
		}
		at += size;
	}
	return ok && !out->defines.failed && !strings->failed && !log->failed;
}
