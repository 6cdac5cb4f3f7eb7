/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_vendor.h - what cuBLAS and cuSOLVER have in common: they are opened at
   run time, and are called with handles. */
#ifndef CUDA_VENDOR_H
#define CUDA_VENDOR_H

#include <stddef.h>

#include "backends/cuda/cuda_objects.h"

/* The status of both for a library or a handle that was not set up. */
#define CUDA_VENDOR_NOT_INITIALIZED 1

/* An entry of a library, and the place for it in the library's struct. */
struct cuda_vendor_entry {
	const char *name;
	size_t place;
	bool optional;
};

/* A library that was opened, or that could not be.  The struct of each library
   begins with it. */
struct cuda_vendor_library {
	const struct cuda_vendor *vendor;
	bool works;
	char name[40];  /* "cuBLAS 13.1.0" */
	char text[512]; /* the name and the file, or why there is none */
	int (*create)(void **handle);
	int (*destroy)(void *handle);
	int (*set_stream)(void *handle, CUstream stream);
	int (*get_property)(int property, int *value);
};

/* A handle of a library, which one thread may use at a time.  It belongs to a
   context. */
struct cuda_handle {
	struct cuda_handle *next;
	void *cu;
	uint64_t stream; /* the id of the stream that was set; 0: none */
	/* Of cuSOLVER alone: options, and memory for its routines. */
	void *params, *jacobi;
	CUdeviceptr work;
	size_t work_size;
	void *host;
	size_t host_size;
	uint64_t host_stream; /* the stream for which `host` was used last */
	CUevent done; /* recorded when `work` was used last */
};

/* A kind of library. */
struct cuda_vendor {
	enum cuda_vendor_id id;
	size_t size; /* of its struct */
	const char *name, *option;
	const char *files[4]; /* of CUDA 13 first */
	const char *file, *package, *wheel;
	const char *numbers[2]; /* of the files of CUDA 12 and 13 */
	const char *entry[4];   /* create, destroy, set_stream, get_property */
	const struct cuda_vendor_entry *entries;
	size_t n_entries;
	/* Get the name of a status, and the code of the ABI. */
	const char *(*status_name)(const struct cuda_vendor_library *library,
				   int status);
	dprp_rc (*code_of)(int status);
	/* Set up a new handle.  After a failure nothing of that is left. */
	dprp_rc (*prepare)(struct cuda_scope *scope,
			   const struct cuda_vendor_library *library,
			   struct cuda_handle *handle);
	/* Undo prepare(), and free what the handle has; NULL: nothing. */
	void (*undo)(struct cuda_scope *scope,
		     const struct cuda_vendor_library *library,
		     struct cuda_handle *handle);
};

/* Get the library, which is opened when it is first needed.  UNSUPPORTED, with
   a text, if there is none. */
dprp_rc cuda_vendor_get(dprp_instance *instance,
			const struct cuda_vendor *vendor,
			const struct cuda_vendor_library **out);
void cuda_vendor_close(dprp_instance *instance);

/* Make sure that the scope has a handle.  UNSUPPORTED: the library does not
   work with this driver or device. */
dprp_rc cuda_vendor_start(struct cuda_scope *scope,
			  const struct cuda_vendor_library *library);
/* Take a handle for a stream, if possible its last one.  The scope's context
   must be current. */
dprp_rc cuda_vendor_take(struct cuda_scope *scope,
			 const struct cuda_vendor_library *library,
			 const struct cuda_stream *stream,
			 struct cuda_handle **out);
void cuda_vendor_put(struct cuda_scope *scope,
		     const struct cuda_vendor_library *library,
		     struct cuda_handle *handle);
/* Detach the handles from a stream that is destroyed next. */
void cuda_vendor_forget(struct cuda_scope *scope,
			const struct cuda_stream *stream);
/* Destroy the handles of a scope. */
void cuda_vendor_free_all(struct cuda_scope *scope);
/* Report that @call has failed with @status.  The scope's context must be
   current. */
dprp_rc cuda_vendor_failed(const struct cuda_scope *scope,
			   const struct cuda_vendor_library *library,
			   int status, const char *call);

#endif
