// SPDX-License-Identifier: Apache-2.0
// stencil_cxx.cc - a stencil for any type of number, in C++17: a template is the
// kernel of CPUs, and OpenCL C that of other devices.
#include <dpr/dpr.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t n = 1000;

// The weights are an argument of their own type, as a struct.
struct weights {
	float side, middle;
};

template <class T>
inline void blur(dpr_native_item at, const T *in, T *out, weights w)
{
	const std::uint64_t i = at.global_id[0] + 1;

	out[i] = static_cast<T>(w.side * in[i - 1] + w.middle * in[i] + w.side * in[i + 1]);
}
DPR_NATIVE_ITEMS(blur_floats, blur<float>, DPR_NATIVE_POINTER(const float),
		 DPR_NATIVE_POINTER(float), DPR_NATIVE_VALUE(weights))
DPR_NATIVE_ITEMS(blur_ints, blur<std::int32_t>, DPR_NATIVE_POINTER(const std::int32_t),
		 DPR_NATIVE_POINTER(std::int32_t), DPR_NATIVE_VALUE(weights))

const std::string text = R"(
	struct weights { float side, middle; };
	#define BLUR(name, T) kernel void name(global const T *in, global T *out, \
		struct weights w) \
	{ \
		size_t i = get_global_id(0) + 1; \
		out[i] = (T)(w.side * in[i - 1] + w.middle * in[i] + w.side * in[i + 1]); \
	}
	BLUR(floats, float)
	BLUR(ints, int)
)";

const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("floats", blur_floats),
				      DPR_NATIVE_ENTRY("ints", blur_ints) };
const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

// Blur the numbers 0, 3, 6, ...: between the ends nothing changes.
template <class T> bool try_blur(const dpr::kernel &kernel, const dpr::queue &queue)
{
	const auto in = dpr::arange(0, 3.0 * n, 3, dpr::dtype_of<T>, queue);
	dpr::array out = dpr::zeros({ n }, dpr::dtype_of<T>, queue);

	queue.launch(kernel, DPR_RANGE1(n - 2), in, out, weights{ 0.25F, 0.5F });
	const auto values = out.to_vector<T>();

	for (std::uint64_t i = 1; i < n - 1; i++)
		if (values[i] != static_cast<T>(3 * i))
			return false;
	return values[0] == 0 && values[n - 1] == 0;
}

} // namespace

int main()
try {
	const auto queue = dpr::queue::canonical();
	const dpr::program program(queue, { DPR_NATIVE_IMAGE(module), dpr::opencl_c(text) });
	const bool good = try_blur<float>(program.kernel("floats"), queue) &&
			  try_blur<std::int32_t>(program.kernel("ints"), queue);

	std::cout << "blurred on " << queue.name() << (good ? "\n" : ": WRONG\n");
	return !good;
} catch (const dpr::error &e) {
	std::cerr << "stencil_cxx: " << e.what() << '\n';
	// 77: the device takes neither image.
	return e.status() == DPR_ERROR_UNSUPPORTED ? 77 : 1;
}
