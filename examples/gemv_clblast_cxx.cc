// SPDX-License-Identifier: Apache-2.0
// gemv_clblast_cxx.cc - how an extension calls a library, in C++: y = A x with CLBlast, through
// the native handles of the queue and the memory.
#define CL_TARGET_OPENCL_VERSION 120
#include <clblast.h>

#include <dpr/dpr.hpp>

#include <iostream>

namespace {

// The driver's buffer that holds an array, and the index of the first element there.
struct place {
	cl_mem buffer;
	std::size_t first;

	explicit place(const dpr::array &x)
	{
		std::uintptr_t handle = 0;
		std::size_t bytes = 0;

		// Wait: dpr may not have submitted the work that computes x yet.
		x.wait();
		dpr::check(dpr_usm_native(x.usm().get(), &handle, &bytes));
		buffer = reinterpret_cast<cl_mem>(handle);
		first = bytes / sizeof(float) + static_cast<std::size_t>(x.offset());
	}
};

// y = A x for C-contiguous float32 arrays of shape (m, n), (n,) and (m,).
dpr::event gemv(const dpr::array &a, const dpr::array &x, const dpr::array &y)
{
	const dpr::queue queue = dpr::execution_queue({ a, x, y });
	const auto m = static_cast<std::size_t>(a.shape()[0]);
	const auto n = static_cast<std::size_t>(a.shape()[1]);
	const place at_a(a), at_x(x), at_y(y);
	std::uintptr_t handle = 0;
	cl_event event = nullptr;
	dpr::event done;

	dpr::check(dpr_queue_native(queue.get(), &handle));
	auto *const commands = reinterpret_cast<cl_command_queue>(handle);
	cl_command_queue list[] = { commands };
	const auto status = clblast::Gemv<float>(clblast::Layout::kRowMajor,
						 clblast::Transpose::kNo, m, n, 1, at_a.buffer,
						 at_a.first, n, at_x.buffer, at_x.first, 1, 0,
						 at_y.buffer, at_y.first, 1, list, &event);
	if (status != clblast::StatusCode::kSuccess)
		throw dpr::error(DPR_ERROR_DRIVER, "gemv: CLBlast returned " +
							   std::to_string(static_cast<int>(status)));
	dpr::check(dpr_event_from_native(queue.device().get(),
					 reinterpret_cast<std::uintptr_t>(event), 1, done.put()));
	return done;
}

} // namespace

int main()
try {
	const auto queue = dpr::queue::canonical("opencl");
	const dpr::array a({ { 1.0F, 2.0F, 3.0F }, { 4.0F, 5.0F, 6.0F } }, queue);
	const dpr::array x({ 1.0F, 0.0F, -1.0F }, queue);
	const dpr::array y = dpr::zeros({ 2 }, DPR_FLOAT32, queue);

	gemv(a, x, y).wait();
	std::cout << y << '\n';
	return y.to_vector<float>() != std::vector<float>{ -2, -2 };
} catch (const dpr::error &e) {
	std::cerr << "gemv_clblast_cxx: " << e.what() << '\n';
	// 77: there is no OpenCL device.
	return e.status() == DPR_ERROR_NOT_FOUND ? 77 : 1;
}
