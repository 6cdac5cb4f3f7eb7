/* SPDX-License-Identifier: Apache-2.0 */
/* fake_nvrtc.c - a library with the entries of NVRTC that the CUDA backend
   uses (see fake_nvrtc.h). */
#include "tests/cuda/fake_nvrtc.h"

#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT struct fake_nvrtc fake_nvrtc = {
	.major = 13,
	.archs = { 75, 80, 90, 100 },
	.n_archs = 4,
};

EXPORT int nvrtcVersion(int *major, int *minor);
EXPORT int nvrtcGetNumSupportedArchs(int *n);
EXPORT int nvrtcGetSupportedArchs(int *archs);
EXPORT int nvrtcCreateProgram(void **program, const char *text,
			      const char *name, int n,
			      const char *const *headers,
			      const char *const *names);
EXPORT int nvrtcDestroyProgram(void **program);
EXPORT int nvrtcCompileProgram(void *program, int n,
			       const char *const *options);
EXPORT int nvrtcGetProgramLogSize(void *program, size_t *size);
EXPORT int nvrtcGetProgramLog(void *program, char *log);
EXPORT int nvrtcGetPTXSize(void *program, size_t *size);
EXPORT int nvrtcGetPTX(void *program, char *ptx);
EXPORT int nvrtcGetCUBINSize(void *program, size_t *size);
EXPORT int nvrtcGetCUBIN(void *program, char *cubin);
EXPORT const char *nvrtcGetErrorString(int result);

/* The result of an entry. */
static int answer(const char *entry)
{
	return fake_nvrtc.fail && !strcmp(fake_nvrtc.fail, entry)
		       ? fake_nvrtc.result
		       : 0;
}

static const char *log_text(void)
{
	return fake_nvrtc.log ? fake_nvrtc.log : "";
}

int nvrtcVersion(int *major, int *minor)
{
	*major = fake_nvrtc.major;
	*minor = fake_nvrtc.minor;
	return answer(__func__);
}

int nvrtcGetNumSupportedArchs(int *n)
{
	*n = fake_nvrtc.n_archs;
	return answer(__func__);
}

int nvrtcGetSupportedArchs(int *archs)
{
	memcpy(archs, fake_nvrtc.archs,
	       (size_t)fake_nvrtc.n_archs * sizeof(*archs));
	return answer(__func__);
}

int nvrtcCreateProgram(void **program, const char *text, const char *name,
		       int n, const char *const *headers,
		       const char *const *names)
{
	int result = answer(__func__);

	(void)headers;
	(void)names;
	*program = NULL;
	if (result)
		return result;
	if (!text || !name || n)
		return 3; /* NVRTC_ERROR_INVALID_INPUT */
	*program = &fake_nvrtc;
	fake_nvrtc.programs++;
	return 0;
}

int nvrtcDestroyProgram(void **program)
{
	if (*program != &fake_nvrtc)
		return 4; /* NVRTC_ERROR_INVALID_PROGRAM */
	*program = NULL;
	fake_nvrtc.programs--;
	return 0;
}

int nvrtcCompileProgram(void *program, int n, const char *const *options)
{
	size_t used = 0;
	int i;

	(void)program;
	*fake_nvrtc.options = '\0';
	for (i = 0; i < n && used < sizeof(fake_nvrtc.options); i++)
		used += (size_t)snprintf(fake_nvrtc.options + used,
					 sizeof(fake_nvrtc.options) - used,
					 "%s\n", options[i]);
	return answer(__func__);
}

int nvrtcGetProgramLogSize(void *program, size_t *size)
{
	(void)program;
	*size = strlen(log_text()) + 1;
	return answer(__func__);
}

int nvrtcGetProgramLog(void *program, char *log)
{
	(void)program;
	memcpy(log, log_text(), strlen(log_text()) + 1);
	return answer(__func__);
}

int nvrtcGetPTXSize(void *program, size_t *size)
{
	(void)program;
	*size = strlen(fake_nvrtc.ptx) + 1;
	return answer(__func__);
}

int nvrtcGetPTX(void *program, char *ptx)
{
	(void)program;
	memcpy(ptx, fake_nvrtc.ptx, strlen(fake_nvrtc.ptx) + 1);
	fake_nvrtc.ptxs++;
	return answer(__func__);
}

int nvrtcGetCUBINSize(void *program, size_t *size)
{
	(void)program;
	*size = fake_nvrtc.cubin_size;
	return answer(__func__);
}

int nvrtcGetCUBIN(void *program, char *cubin)
{
	(void)program;
	memcpy(cubin, fake_nvrtc.cubin, fake_nvrtc.cubin_size);
	fake_nvrtc.cubins++;
	return answer(__func__);
}

const char *nvrtcGetErrorString(int result)
{
	return result == 1   ? "NVRTC_ERROR_OUT_OF_MEMORY"
	       : result == 6 ? "NVRTC_ERROR_COMPILATION"
			     : NULL;
}
