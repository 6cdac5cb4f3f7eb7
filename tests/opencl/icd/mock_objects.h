/* SPDX-License-Identifier: Apache-2.0 */
/* mock_objects.h - the mock driver's objects, shared by its files. */
#ifndef MOCK_OBJECTS_H
#define MOCK_OBJECTS_H

#include "mock_icd.h"

enum { MOCK_ARGS = 2 };

struct _cl_context {
	struct mock_object object;
};

struct _cl_mem {
	struct mock_object object;
	cl_context context;
	cl_mem parent;
	char *bytes;
	bool borrowed; /* not to be freed */
	size_t size;
};

struct _cl_program {
	struct mock_object object;
	cl_context context;
	char *source;
	const char *log;
};

struct _cl_kernel {
	struct mock_object object;
	cl_program program;
	char name[16];
	char *memory; /* argument 0 */
	cl_uint value; /* argument 1 */
	bool set[MOCK_ARGS];
	bool by_address, refused; /* argument 0 */
};

struct _cl_command_queue {
	struct mock_object object;
	cl_context context;
	cl_device_id device;
	cl_command_queue_properties flags;
	cl_int failed; /* first failure since the last marker */
	unsigned long sent, flushed; /* numbers of commands */
	cl_event calls; /* events whose callbacks wait for a flush */
};

struct _cl_event {
	struct mock_object object;
	cl_context context;
	cl_command_queue queue; /* NULL: a user event */
	cl_command_type type;
	cl_int status;
	unsigned long number; /* the command's number on its queue */
	cl_event next; /* in queue->calls */
	void(CL_CALLBACK *call)(cl_event, cl_int, void *);
	void *user;
};

/* Make a counted object with one reference and the table of @like. */
void *mock_new(const void *like, size_t size);
/* Add a reference.  Returns the object. */
void *mock_get(void *of);
/* Drop a reference.  Returns whether it was the last one. */
bool mock_put_object(void *of);
cl_int CL_API_CALL mock_release_context(cl_context context);

/* Record a command that has run with @status, or did not run because one of its
   dependencies has failed. */
cl_int mock_command(cl_command_queue queue, cl_command_type type, cl_uint n,
	const cl_event *list, cl_event *out, cl_int status);

/* Fill the part of the table that deals with programs and kernels. */
void mock_fill_kernels(cl_icd_dispatch *table);
cl_int CL_API_CALL mock_set_address(cl_kernel kernel, cl_uint index,
	const void *address);
cl_int CL_API_CALL mock_set_constant(cl_program program, cl_uint id,
	size_t size, const void *value);
cl_program CL_API_CALL mock_create_il(cl_context context, const void *il,
	size_t size, cl_int *err);

#endif
