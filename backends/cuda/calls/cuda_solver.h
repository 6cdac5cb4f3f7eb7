/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_solver.h - the entries of cuSOLVER that the plugin calls. */
#ifndef CUDA_SOLVER_H
#define CUDA_SOLVER_H

#include "backends/cuda/calls/cuda_vendor.h"

/* The last arguments of a query and of a routine. */
#define CUDA_SOLVER_SIZES size_t *device_size, size_t *host_size
#define CUDA_SOLVER_SPACE                                               \
	void *device, size_t device_size, void *host, size_t host_size, \
		int *info

#define CUDA_SOLVER_POTRF                                                   \
	void *handle, void *params, int uplo, int64_t n, int type, void *a, \
		int64_t lda, int compute
#define CUDA_SOLVER_GETRF                                                    \
	void *handle, void *params, int64_t m, int64_t n, int type, void *a, \
		int64_t lda
#define CUDA_SOLVER_GEQRF                                                    \
	void *handle, void *params, int64_t m, int64_t n, int type, void *a, \
		int64_t lda, int tau_type, void *tau, int compute
#define CUDA_SOLVER_SYEV                                              \
	void *handle, void *params, int vectors, int uplo, int64_t n, \
		int type, void *a, int64_t lda, int w_type, void *w,  \
		int compute
#define CUDA_SOLVER_GEEV                                                      \
	void *handle, void *params, int left, int right, int64_t n, int type, \
		void *a, int64_t lda, int w_type, void *w, int vl_type,       \
		void *vl, int64_t ldvl, int vr_type, void *vr, int64_t ldvr,  \
		int compute
#define CUDA_SOLVER_GESVD                                                  \
	void *handle, void *params, signed char job_u, signed char job_vh, \
		int64_t m, int64_t n, int type, void *a, int64_t lda,      \
		int s_type, void *s, int u_type, void *u, int64_t ldu,     \
		int vh_type, void *vh, int64_t ldvh, int compute

/* Entries: X(result, name, parameters). */
#define CUDA_SOLVER_ENTRIES(X)                                           \
	X(int, cusolverDnCreateParams, (void **params))                  \
	X(int, cusolverDnDestroyParams, (void *params))                  \
	X(int, cusolverDnCreateGesvdjInfo, (void **info))                \
	X(int, cusolverDnDestroyGesvdjInfo, (void *info))                \
	X(int, cusolverDnXpotrf_bufferSize,                              \
	  (CUDA_SOLVER_POTRF, CUDA_SOLVER_SIZES))                        \
	X(int, cusolverDnXpotrf, (CUDA_SOLVER_POTRF, CUDA_SOLVER_SPACE)) \
	X(int, cusolverDnXgetrf_bufferSize,                              \
	  (CUDA_SOLVER_GETRF, int compute, CUDA_SOLVER_SIZES))           \
	X(int, cusolverDnXgetrf,                                         \
	  (CUDA_SOLVER_GETRF, int64_t * pivots, int compute,             \
	   CUDA_SOLVER_SPACE))                                           \
	X(int, cusolverDnXgetrs,                                         \
	  (void *handle, void *params, int trans, int64_t n, int64_t k,  \
	   int type, const void *a, int64_t lda, const int64_t *pivots,  \
	   int b_type, void *b, int64_t ldb, int *info))                 \
	X(int, cusolverDnXgeqrf_bufferSize,                              \
	  (CUDA_SOLVER_GEQRF, CUDA_SOLVER_SIZES))                        \
	X(int, cusolverDnXgeqrf, (CUDA_SOLVER_GEQRF, CUDA_SOLVER_SPACE)) \
	X(int, cusolverDnXsyevd_bufferSize,                              \
	  (CUDA_SOLVER_SYEV, CUDA_SOLVER_SIZES))                         \
	X(int, cusolverDnXsyevd, (CUDA_SOLVER_SYEV, CUDA_SOLVER_SPACE))  \
	X(int, cusolverDnXgesvd_bufferSize,                              \
	  (CUDA_SOLVER_GESVD, CUDA_SOLVER_SIZES))                        \
	X(int, cusolverDnXgesvd, (CUDA_SOLVER_GESVD, CUDA_SOLVER_SPACE))
/* Entries that older versions lack. */
#define CUDA_SOLVER_NEW_ENTRIES(X)                                     \
	X(int, cusolverDnXgeev_bufferSize,                             \
	  (CUDA_SOLVER_GEEV, CUDA_SOLVER_SIZES))                       \
	X(int, cusolverDnXgeev, (CUDA_SOLVER_GEEV, CUDA_SOLVER_SPACE)) \
	X(int, cusolverDnXsyevBatched_bufferSize,                      \
	  (CUDA_SOLVER_SYEV, CUDA_SOLVER_SIZES, int64_t count))        \
	X(int, cusolverDnXsyevBatched,                                 \
	  (CUDA_SOLVER_SYEV, CUDA_SOLVER_SPACE, int64_t count))
/* Entries for float32, float64, complex64 and complex128: X(member, four names,
   parameters). */
#define CUDA_SOLVER_TYPED_ENTRIES(X)                                          \
	X(orgqr_size, cusolverDnSorgqr_bufferSize,                            \
	  cusolverDnDorgqr_bufferSize, cusolverDnCungqr_bufferSize,           \
	  cusolverDnZungqr_bufferSize,                                        \
	  (void *handle, int m, int n, int k, const void *a, int lda,         \
	   const void *tau, int *size))                                       \
	X(orgqr, cusolverDnSorgqr, cusolverDnDorgqr, cusolverDnCungqr,        \
	  cusolverDnZungqr,                                                   \
	  (void *handle, int m, int n, int k, void *a, int lda,               \
	   const void *tau, void *work, int size, int *info))                 \
	X(gesvdjs_size, cusolverDnSgesvdjBatched_bufferSize,                  \
	  cusolverDnDgesvdjBatched_bufferSize,                                \
	  cusolverDnCgesvdjBatched_bufferSize,                                \
	  cusolverDnZgesvdjBatched_bufferSize,                                \
	  (void *handle, int vectors, int m, int n, const void *a, int lda,   \
	   const void *s, const void *u, int ldu, const void *v, int ldv,     \
	   int *size, void *jacobi, int count))                               \
	X(gesvdjs, cusolverDnSgesvdjBatched, cusolverDnDgesvdjBatched,        \
	  cusolverDnCgesvdjBatched, cusolverDnZgesvdjBatched,                 \
	  (void *handle, int vectors, int m, int n, void *a, int lda,         \
	   void *s, void *u, int ldu, void *v, int ldv, void *work, int size, \
	   int *info, void *jacobi, int count))                               \
	X(potrfs, cusolverDnSpotrfBatched, cusolverDnDpotrfBatched,           \
	  cusolverDnCpotrfBatched, cusolverDnZpotrfBatched,                   \
	  (void *handle, int uplo, int n, void *const *a, int lda, int *info, \
	   int count))

struct cuda_solver {
	struct cuda_vendor_library base;
#define CUDA_SOLVER_ENTRY(result, name, parameters) result(*name) parameters;
	CUDA_SOLVER_ENTRIES(CUDA_SOLVER_ENTRY)
	CUDA_SOLVER_NEW_ENTRIES(CUDA_SOLVER_ENTRY)
#undef CUDA_SOLVER_ENTRY
#define CUDA_SOLVER_ENTRY(member, s, d, c, z, parameters) \
	int(*member[4]) parameters;
	CUDA_SOLVER_TYPED_ENTRIES(CUDA_SOLVER_ENTRY)
#undef CUDA_SOLVER_ENTRY
};

extern const struct cuda_vendor cuda_solver_vendor;

/*
 * Get memory for the routines that are submitted next to the handle's stream:
 * @device bytes on the device and @host bytes of the host.  It is the handle's
 * own memory, unless it is large.  The context must be current.
 * cuda_solver_done() must follow when all of them are submitted.
 */
struct cuda_solver_space {
	CUdeviceptr device;
	void *host;
	bool is_large, is_large_host; /* freed by cuda_solver_done() */
	bool has_waited; /* the stream waits for the handle's last work */
};
dprp_rc cuda_solver_reserve(struct cuda_scope *scope,
			    struct cuda_handle *handle, CUstream stream,
			    size_t device, size_t host,
			    struct cuda_solver_space *out);
dprp_rc cuda_solver_done(struct cuda_scope *scope, struct cuda_handle *handle,
			 CUstream stream, struct cuda_solver_space *space);

#endif
