/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlpack_test.h - what the tests of DLPack share: the mock with a DLPack device
 * of its own, and tensors of another library.
 */
#ifndef TESTS_DLPACK_TEST_H
#define TESTS_DLPACK_TEST_H

#include <stdatomic.h>

#include "tests/support/runtime_test.h"

#define TYPE 12 /* the DLPack device type of the mock */
#define N 24

static dpr_queue *host; /* of backend host; NULL if not built */

static inline void start(void)
{
	setenv("DPR_OPTION_MOCK_DLPACK", "12", 1);
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	setenv("DPR_OPTION_MOCK_HOST_MEMORY", "1", 1);
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK_FORMATS", DPRP_NATIVE_FORMAT ",opencl-c,mock",
	       1);
	setenv("DPR_OPTION_MOCK2_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK2_FORMATS", DPRP_NATIVE_FORMAT ",opencl-c,mock",
	       1);
	start_mocks();
	if (dpr_canonical_queue("host", &host))
		host = NULL;
}

/* The queue for a test that runs both on host (0) and on the mock (1). */
static inline dpr_queue *queue_at(int i)
{
	return i ? q1 : host;
}

/* --- Another library -------------------------------------------------------
 */

/* A tensor of another library, in the versioned and the legacy form. */
struct foreign {
	dpr_dl_versioned versioned;
	dpr_dl_legacy legacy;
	dpr_dlpack inner; /* released with the tensor */
	atomic_int deleted;
};

static inline void foreign_deleted(struct foreign *f)
{
	atomic_fetch_add(&f->deleted, 1);
	dpr_dlpack_release(&f->inner);
}

static inline void delete_versioned(dpr_dl_versioned *self)
{
	foreign_deleted(self->manager);
}

static inline void delete_legacy(dpr_dl_legacy *self)
{
	foreign_deleted(self->manager);
}

/* Make another library's tensor with the fields of @tensor. */
static inline dpr_dlpack foreign_over(struct foreign *f,
				      const dpr_dl_tensor *tensor)
{
	memset(f, 0, sizeof(*f));
	f->versioned.version.major = 1;
	f->versioned.manager = f;
	f->versioned.deleter = delete_versioned;
	f->versioned.tensor = *tensor;
	return (dpr_dlpack){ &f->versioned, NULL };
}

/* Make another library's tensor in the legacy form. */
static inline dpr_dlpack foreign_legacy(struct foreign *f,
					const dpr_dl_tensor *tensor)
{
	(void)foreign_over(f, tensor);
	f->legacy = (dpr_dl_legacy){ *tensor, f, delete_legacy };
	return (dpr_dlpack){ NULL, &f->legacy };
}

/* Import @x into another library, and export it again as that library would. */
static inline dpr_dlpack relay(struct foreign *f, const dpr_array *x)
{
	dpr_dlpack inner, outer;

	CHECK_OK(dpr_array_to_dlpack(x, NULL, &inner));
	outer = foreign_over(f, &inner.versioned->tensor);
	f->inner = inner;
	return outer;
}

/* A tensor of @n ints at @data, on device 0 of type @type. */
static inline dpr_dl_tensor ints_at(int32_t *data, int64_t *n, int32_t type)
{
	return (dpr_dl_tensor){ .data = data,
				.device = { type, 0 },
				.ndim = 1,
				.dtype = { DPR_DL_INT, 32, 1 },
				.shape = n };
}

/* Wait for all uses of the memory, and let dpr free what they kept. */
static inline void look(void)
{
	CHECK_OK(dpr_queue_wait(q1));
	if (host)
		CHECK_OK(dpr_queue_wait(host));
	CHECK_OK(dpr_pool_trim(dpr_queue_device(q1), UINT64_MAX, NULL));
}

static inline dpr_array *numbers(dpr_queue *queue)
{
	dpr_array *flat, *x;

	CHECK_OK(dpr_arange(0, N, 1, DPR_INT32, queue, &flat));
	CHECK_OK(dpr_reshape(flat, DPR_SHAPE(4, 6), &x));
	dpr_array_release(flat);
	return x;
}

#endif
