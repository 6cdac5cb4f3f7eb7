// SPDX-License-Identifier: Apache-2.0
// gemm_cublas_cxx.cc - how an extension calls a vendor's library, in C++: C = A B with NVIDIA's
// cuBLAS, through the native handles of the queue and the memory.
//
// cuBLAS is opened at run time, so that the program builds without CUDA.  It reads dpr's row-major
// matrices as their transposes.  So it gets B and A, in this order, and writes the transpose of C,
// which is C in dpr's order.
#include <dlfcn.h>

#include <dpr/dpr.hpp>

#include <iostream>

namespace {

// Values of cublasOperation_t and cublasMath_t.
constexpr int op_n = 0, pedantic_math = 2;

// A function of a library that is open, or NULL.
template <class F> F find(void *library, const char *name)
{
	return library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
}

// cuBLAS on the context of a device, which is current as long as this lives.
class blas
{
public:
	explicit blas(const dpr::device &device)
	{
		std::uintptr_t context = 0;

		dpr::check(dpr_device_native(device.get(), DPR_NATIVE_CONTEXT, &context));
		check(push_context_(reinterpret_cast<void *>(context)));
		check(create_(&handle_));
		// Do not use TF32, which keeps only 10 of the 23 bits of a float32.
		check(set_math_mode_(handle_, pedantic_math));
	}
	blas(const blas &) = delete;
	blas &operator=(const blas &) = delete;
	~blas()
	{
		void *was = nullptr;

		destroy_(handle_);
		pop_context_(&was);
	}

	static bool is_there()
	{
		return create_ && destroy_ && set_stream_ && set_math_mode_ && sgemm_ &&
		       push_context_ && pop_context_;
	}

	// C = A B for C-contiguous float32 arrays of shape (m, k), (k, n) and (m, n).  The work runs
	// after all that is on the queue already and before what dpr submits to it later.
	void gemm(const dpr::array &a, const dpr::array &b, const dpr::array &c) const
	{
		const dpr::queue queue = dpr::execution_queue({ a, b, c });
		const auto m = static_cast<int>(c.shape()[0]), n = static_cast<int>(c.shape()[1]);
		const auto k = static_cast<int>(a.shape()[1]);
		const float one = 1, zero = 0;
		std::uintptr_t stream = 0;

		dpr::check(dpr_queue_native(queue.get(), &stream));
		check(set_stream_(handle_, reinterpret_cast<void *>(stream)));
		check(sgemm_(handle_, op_n, op_n, n, m, k, &one, address_of(b), n, address_of(a), k,
			     &zero, address_of(c), n));
	}

private:
	// The device address of the first element.
	static float *address_of(const dpr::array &x)
	{
		std::uintptr_t base = 0;
		std::size_t bytes = 0;

		// Wait: dpr may not have submitted the work that computes x yet.
		x.wait();
		dpr::check(dpr_usm_native(x.usm().get(), &base, &bytes));
		return reinterpret_cast<float *>(base + bytes) + x.offset();
	}

	static void check(int error)
	{
		if (error)
			throw dpr::error(DPR_ERROR_DRIVER,
					 "gemm: cuBLAS or CUDA returned " + std::to_string(error));
	}

	static void *open_cublas()
	{
		void *const newer = dlopen("libcublas.so.13", RTLD_NOW);

		return newer ? newer : dlopen("libcublas.so.12", RTLD_NOW);
	}

	using matrix = const float *;
	static inline void *const cublas_ = open_cublas();
	static inline void *const cuda_ = dlopen("libcuda.so.1", RTLD_NOW);
	static inline const auto create_ = find<int (*)(void **)>(cublas_, "cublasCreate_v2");
	static inline const auto destroy_ = find<int (*)(void *)>(cublas_, "cublasDestroy_v2");
	static inline const auto set_stream_ =
		find<int (*)(void *, void *)>(cublas_, "cublasSetStream_v2");
	static inline const auto set_math_mode_ =
		find<int (*)(void *, int)>(cublas_, "cublasSetMathMode");
	static inline const auto sgemm_ =
		find<int (*)(void *, int, int, int, int, int, const float *, matrix, int, matrix,
			     int, const float *, float *, int)>(cublas_, "cublasSgemm_v2");
	static inline const auto push_context_ =
		find<int (*)(void *)>(cuda_, "cuCtxPushCurrent_v2");
	static inline const auto pop_context_ =
		find<int (*)(void **)>(cuda_, "cuCtxPopCurrent_v2");

	void *handle_ = nullptr;
};

} // namespace

int main()
try {
	const auto queue = dpr::queue::canonical("cuda");

	if (!blas::is_there()) {
		std::cout << "skipped: cuBLAS or the driver is not there\n";
		return 77;
	}

	const dpr::array a({ { 1.0F, 2.0F, 3.0F }, { 4.0F, 5.0F, 6.0F } }, queue);
	const dpr::array b({ { 1.0F, 0.0F }, { 0.0F, 1.0F }, { -1.0F, 2.0F } }, queue);
	const dpr::array c = dpr::zeros({ 2, 2 }, DPR_FLOAT32, queue);

	blas(queue.device()).gemm(a, b, c);
	std::cout << c << '\n';
	return c.to_vector<float>() != std::vector<float>{ -2, 8, -2, 17 };
} catch (const dpr::error &e) {
	std::cerr << "gemm_cublas_cxx: " << e.what() << '\n';
	// 77: there is no CUDA device.
	return e.status() == DPR_ERROR_NOT_FOUND ? 77 : 1;
}
