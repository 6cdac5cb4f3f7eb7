// SPDX-License-Identifier: Apache-2.0
// stencil_cxx.cc - a stencil for any type of number, in C++17: a template is the
// kernel of CPUs, and OpenCL C that of other devices.
#include <dpr/dpr.h>

#include <cstdint>
#include <memory>
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

struct release {
	void operator()(dpr_array *x) const { dpr_array_release(x); }
	void operator()(dpr_kernel *x) const { dpr_kernel_release(x); }
	void operator()(dpr_program *x) const { dpr_program_release(x); }
};
template <class T> using owner = std::unique_ptr<T, release>;

template <class T> owner<T> own(dpr_status status, T *&x)
{
	return owner<T>(status ? nullptr : x);
}

// Blur the numbers 0, 3, 6, ...: between the ends nothing changes.
template <class T> bool try_blur(dpr_program *program, const char *name, dpr_dtype dtype)
{
	std::vector<T> values(n);
	const weights w = { 0.25F, 0.5F };
	dpr_queue *queue = nullptr;
	dpr_array *x = nullptr, *y = nullptr;
	dpr_kernel *k = nullptr;

	if (dpr_canonical_queue(nullptr, &queue))
		return false;
	const auto in = own(dpr_arange(0, 3.0 * n, 3, dtype, queue, &x), x);
	const auto out = own(dpr_zeros(DPR_SHAPE(n), dtype, queue, &y), y);
	const auto kernel = own(dpr_kernel_create(program, name, &k), k);
	const dpr_array *from = x;

	if (!in || !out || !kernel ||
	    dpr_kernel_launch(queue, k, DPR_RANGE1(n - 2), nullptr, nullptr, from, y,
			      DPR_STRUCT(w)) ||
	    dpr_array_to_memory(y, values.data(), values.size() * sizeof(T), nullptr))
		return false;
	for (std::uint64_t i = 1; i < n - 1; i++)
		if (values[i] != static_cast<T>(3 * i))
			return false;
	return values[0] == 0 && values[n - 1] == 0;
}

} // namespace

int main()
{
	const dpr_image images[] = { DPR_NATIVE_IMAGE(module),
				     { "opencl-c", nullptr, text.data(), text.size() } };
	dpr_queue *queue = nullptr;
	dpr_program *p = nullptr;
	const dpr_status found = dpr_canonical_queue(nullptr, &queue);
	const dpr_status built = found ? found : dpr_program_build(queue, images, 2, nullptr, &p);
	const auto program = own(built, p);
	const bool good = program && try_blur<float>(p, "floats", DPR_FLOAT32) &&
			  try_blur<std::int32_t>(p, "ints", DPR_INT32);

	if (!good)
		fprintf(stderr, "stencil_cxx: %s\n", dpr_last_error());
	// 77: the device takes neither image.
	return built == DPR_ERROR_UNSUPPORTED ? 77 : !good;
}
