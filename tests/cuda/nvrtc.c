/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc.c - call NVIDIA's compiler, if it is installed. */
#include "nvrtc.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static struct {
	int (*create)(void **, const char *, const char *, int,
		      const char *const *, const char *const *);
	int (*destroy)(void **);
	int (*compile)(void *, int, const char *const *);
	int (*log_size)(void *, size_t *);
	int (*log)(void *, char *);
	int (*cubin_size)(void *, size_t *);
	int (*cubin)(void *, char *);
	int (*ptx_size)(void *, size_t *);
	int (*ptx)(void *, char *);
} nvrtc;

static bool find(void *library, const char *name, void *slot)
{
	void *entry = dlsym(library, name);

	memcpy(slot, &entry, sizeof(entry));
	return entry != NULL;
}

bool nvrtc_open(void)
{
	static const char *const names[] = {
		"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13",
		"libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12"
	};
	void *library = NULL;
	size_t i;

	if (nvrtc.create)
		return true;
	for (i = 0; i < sizeof(names) / sizeof(names[0]) && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	return library &&
	       find(library, "nvrtcDestroyProgram", &nvrtc.destroy) &&
	       find(library, "nvrtcCompileProgram", &nvrtc.compile) &&
	       find(library, "nvrtcGetProgramLogSize", &nvrtc.log_size) &&
	       find(library, "nvrtcGetProgramLog", &nvrtc.log) &&
	       find(library, "nvrtcGetCUBINSize", &nvrtc.cubin_size) &&
	       find(library, "nvrtcGetCUBIN", &nvrtc.cubin) &&
	       find(library, "nvrtcGetPTXSize", &nvrtc.ptx_size) &&
	       find(library, "nvrtcGetPTX", &nvrtc.ptx) &&
	       find(library, "nvrtcCreateProgram", &nvrtc.create);
}

/* Compile with the plugin's options, to PTX if @ptx is set, else to a cubin. */
static bool compile(const char *text, const char *option, bool ptx, char **out,
		    size_t *size, char **log)
{
	const char *options[] = { ptx ? "--gpu-architecture=compute_90"
				      : "--gpu-architecture=sm_90",
				  "--device-as-default-execution-space",
				  "--std=c++20", "--diag-suppress=177,550,2361",
				  option };
	void *program = NULL;
	size_t length = 0;
	bool ok = false;

	*out = NULL;
	*log = NULL;
	if (nvrtc.create(&program, text, "<program>", 0, NULL, NULL))
		return false;
	ok = !nvrtc.compile(program, option ? 5 : 4, options);
	if (!nvrtc.log_size(program, &length)) {
		*log = calloc(length + 1, 1);
		if (*log)
			nvrtc.log(program, *log);
	}
	if (ok)
		ok = !(ptx ? nvrtc.ptx_size : nvrtc.cubin_size)(program, size);
	if (ok) {
		*out = malloc(*size);
		ok = *out && !(ptx ? nvrtc.ptx : nvrtc.cubin)(program, *out);
	}
	nvrtc.destroy(&program);
	return ok;
}

bool nvrtc_compile(const char *text, char **cubin, size_t *size, char **log)
{
	return compile(text, NULL, false, cubin, size, log);
}

bool nvrtc_ptx(const char *text, const char *option, char **ptx, char **log)
{
	size_t size;

	return compile(text, option, true, ptx, &size, log);
}
