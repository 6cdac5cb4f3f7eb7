/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h - a CBLAS and a LAPACK of the system, whose routines are kernels
 * (DPRP_CALLS_FORMAT), for all plugins that run functions of this process.
 *
 * A routine is a native kernel with one argument more than its launches have:
 * the struct library_task, which comes first.
 *
 * Each file calls those before it in this list: library, blas, lapack_call,
 * lapack, calls.  All may call those of library_values.h.  A plugin calls
 * library_calls.c.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/backend.h>
#include <dpr/backend-help.h>
#include <dpr/help-team.h>

#include "backends/library/library_values.h"

/* --- Structs of several files --- */

/* The dtypes of routines. */
enum library_dtype {
	LIBRARY_FLOAT32,
	LIBRARY_FLOAT64,
	LIBRARY_COMPLEX64,
	LIBRARY_COMPLEX128,
	LIBRARY_DTYPES
};

#define LIBRARY_TEXT 512

/* Counts the parts of launches that want a library to use one thread.  Some
   libraries can set only the number for the whole process: the first part sets it,
   and the last one sets the number before. */
struct library_alone {
	pthread_mutex_t lock;
	/* Guarded by the lock. */
	uint64_t parts;
	int before; /* the number to set; 0: none */
	void (*set)(int n);
};

/* A library whose routines are kernels.  It never changes once it is open. */
struct library {
	bool is_wide; /* integers have 64 bits */
	/* Set the number of threads for the calls of this thread, and return
	   the number before.  NULL: the library has no such function. */
	int (*set_threads)(int n);
	/* Set and get the number for the process.  NULL: not known. */
	void (*set_all)(int n);
	int (*get_all)(void);
	struct library_alone *alone;
	int threads; /* that a call uses; 0: unknown */
	/* what was found, or why nothing was */
	char text[LIBRARY_TEXT];
};

/* A library in which functions are looked up. */
struct library_source {
	const dprp_host *host;
	void *library;
	const char *prefix, *suffix; /* of the functions' names */
};

/* A CBLAS. */
struct library_blas {
	struct library library;
	struct library_source source;
	/* cblas_sgemm(), and the same function for each other dtype; all NULL:
	   there is no CBLAS */
	void (*gemm[LIBRARY_DTYPES])(void);
};

/* A LAPACK.  What it does not have is NULL. */
struct library_lapack {
	struct library library;
	bool is_found;
	void (*function[LIBRARY_LAPACK_ROUTINES][LIBRARY_DTYPES])(void);
	void (*getrs[LIBRARY_DTYPES])(void); /* the second half of gesv */
};

/* The libraries of an instance of a plugin. */
struct library_set {
	const dprp_host *host;
	const char *owner;  /* before texts of errors: "host: " */
	const char *prefix; /* of options: "DPR_OPTION_HOST_" */
	/* the values of the options BLAS and LAPACK, or NULL */
	const char *blas_option, *lapack_option;

	/* Guards `blas` until it is open.  A library is loaded under it. */
	pthread_mutex_t blas_lock;
	bool blas_is_open;
	struct library_blas blas;

	/* Guards `lapack` likewise. */
	pthread_mutex_t lapack_lock;
	bool lapack_is_open;
	struct library_lapack lapack;

	struct library_alone alone; /* of both */
};

/* A routine of a library (DPRP_CALLS_FORMAT), for a dtype. */
struct library_call {
	const struct library_routine *routine; /* NULL: native code */
	const struct library *library;
	void (*function)(void); /* of the library */
	void (*getrs)(void);    /* of the library, for gesv */
	enum library_dtype dtype;
	int threads; /* to use; 0: as many as the library likes */
};

/* How the work of a launch of a routine is divided into parts, and the sizes of
   a part's workspaces, in bytes.  work: for elements of the routine's dtype.
   real: for real numbers.  integers: for integers of the library. */
struct library_plan {
	uint64_t parts;
	size_t work, real, integers;
	size_t part;  /* the bytes of all three */
	int64_t most; /* elements in `work` */
};

/* A routine. */
struct library_routine {
	const dprp_native_module *module; /* with its one kernel */
	/* Set the library and the function of @call, whose dtype is set. */
	dprp_rc (*get)(struct library_set *set, struct library_call *call);
	/* Check the values of a launch, and plan it: @out->parts is 1, and may
	   become more. */
	dprp_rc (*plan)(const struct library_set *set,
			const struct library_call *call,
			const dprp_launch *launch, struct library_plan *out);
};

/* The first argument of a routine: what it calls, and how its work is
   divided. */
struct library_task {
	struct library_call call;
	struct library_plan plan;
	unsigned char *workspace; /* of part 0 */
};

/* An integer of a library. */
union library_integer {
	int32_t narrow;
	int64_t wide;
};

/* The arguments of a routine of LAPACK. */
struct library_problem {
	const struct library_call *call;
	const dprp_lapack *v;
	union library_integer m, n, k, leading[DPRP_LAPACK_ARGS];
	void *arg[DPRP_LAPACK_ARGS];
	void *work, *real, *integers;
	union library_integer work_size, real_size, integers_size, info;
	bool is_query; /* of the size of the work space */
};

/* --- library.c: libraries whose routines are kernels --- */

/* A pointer to a function, as POSIX allows to make one from dlsym(). */
union library_symbol {
	void *address;
	void (*function)(void);
	int (*set_threads)(int n);
	void (*set_all)(int n);
	int (*get_threads)(void);
	int (*get_kind)(void);
	const char *(*get_text)(void);
	void (*get_mkl_text)(char *text, int size);
	float (*dot)(int64_t n, const float *x, int64_t x_step, const float *y,
		     int64_t y_step);
};

/* A problem of about this number of multiplications, or fewer, is computed by
   one thread, and the team divides a batch of such problems.  A larger problem
   is left to the library's threads. */
#define LIBRARY_SMALL (64 * 64 * 64)

/* What library to open. */
struct library_search {
	const char *option, *value; /* such as "BLAS", and its value or
				       NULL */
	const char *const *files;   /* to try, the best first */
	size_t n_files;
	const char *const *names; /* functions that it must have */
	size_t n_names;
	const char *missing; /* what to say if there is none */
};

/* The problems of a part of a launch. */
struct library_share {
	int64_t from, to;
	int (*set_threads)(int n); /* NULL: not called */
	int before;
	struct library_alone *alone; /* NULL: the library is left alone */
};

/* Bytes of an element. */
extern const int64_t library_item[LIBRARY_DTYPES];

/* Find the function @name in its spelling. */
union library_symbol library_find(const struct library_source *source,
				  const char *name);
/* Find the spelling in which the library has all of these functions.  Returns
   false if there is none. */
bool library_spell(struct library_source *source, const char *const *names,
		   size_t n);
/* Open a library.  If there is none, @text says why. */
bool library_open(const struct library_set *set,
		  const struct library_search *search,
		  struct library_source *source, char text[LIBRARY_TEXT]);
/* Whether an option's value asks for no library. */
bool library_is_none(const char *value);
/* Describe a library: its version or else its kind, file, size of integers, and
   threads.  @function is any function of the library. */
void library_describe(const struct library_source *source, const char *kind,
		      void (*function)(void), struct library *library);
/* Whether the library's integers have room for a number. */
bool library_fits(const struct library *library, int64_t number);
/* Get the share of @count problems that part @group of @groups computes, and
   set the library's threads for it. */
struct library_share library_begin(const struct library_call *call,
				   int64_t count, uint64_t groups,
				   uint64_t group);
/* Set the threads as they were. */
void library_end(const struct library_share *share);

/* --- library_blas.c: a CBLAS of the system, and its products --- */

/* Get the CBLAS, which is opened on first use. */
const struct library_blas *library_blas_open(struct library_set *set);

extern const struct library_routine library_blas_gemm;

/* --- library_lapack_call.c: calls of LAPACK's routines --- */

union library_integer library_lapack_call_integer(const struct library *library,
						  int64_t n);
int64_t library_lapack_call_value(const struct library *library,
				  union library_integer n);
extern void (*const library_lapack_call_list[LIBRARY_LAPACK_ROUTINES])(
	struct library_problem *p);
/* Whether the first matrix has no NaN and no infinity; has_triangle: only the
   triangle that the flags name is looked at. */
bool library_lapack_call_is_finite(const struct library_problem *p,
				   int64_t rows, int64_t columns,
				   bool has_triangle);

/* --- library_lapack.c: a LAPACK of the system --- */

/* Fill in the extents and leading dimensions of @v.  @out keeps a pointer to
   @v. */
void library_lapack_problem(const struct library_call *call,
			    const dprp_lapack *v, struct library_problem *out);

/* Get routine @i. */
const struct library_routine *library_lapack_routine(unsigned i);

/* --- library_calls.c: routines of libraries as kernels --- */

/* Read the options.  @host, @owner and @prefix stay the caller's. */
void library_calls_set(struct library_set *set, const dprp_host *host,
		       const char *owner, const char *prefix);
void library_calls_unset(struct library_set *set);
/* Whether the options ask for no library at all. */
bool library_calls_are_none(const struct library_set *set);
/* Find the routine that @image names, for a device of @units CPUs. */
dprp_rc library_calls_find(struct library_set *set, const dprp_image *image,
			   uint32_t units, struct library_call *out);
/* Check the values of a launch of @call, and plan it for a team of @members
   threads. */
dprp_rc library_calls_plan(const struct library_set *set,
			   const struct library_call *call,
			   const dprp_launch *launch, uint32_t members,
			   struct library_plan *out);
/* The bytes of the task of a launch, a multiple of DPRH_ALIGN. */
size_t library_calls_size(const dprp_launch *launch);
/* The bytes of the workspaces of a launch; 0: it needs none. */
size_t library_calls_workspace(const struct library_plan *plan);
/* Divide the work of a launch, and give its task to the kernel.  @memory is for
   the task; it and @workspace are aligned to DPRH_ALIGN. */
void library_calls_init(const struct library_call *call,
			const dprp_launch *launch,
			const struct library_plan *plan, void *memory,
			void *workspace, struct dprh_native_launch *out);

#endif
