# SPDX-License-Identifier: Apache-2.0
# Pages for users who know another system, tested as those of doc/guide/.

porting_pages = \
	%D%/arrayfire.md \
	%D%/cuda.md \
	%D%/cupy.md \
	%D%/dpctl-dpnp.md \
	%D%/libgpuarray.md \
	%D%/opencl.md \
	%D%/openmp.md \
	%D%/sycl.md

EXTRA_DIST += $(porting_pages)
