// SPDX-License-Identifier: Apache-2.0
// events_cxx.cc - work on two queues, of two backends if there are two, in C++.  Events order
// the work and tell how long it took.
#include <dpr/dpr.hpp>

#include <iostream>

namespace {

constexpr std::size_t n = 100000, bytes = n * sizeof(int);

constexpr char source[] = R"(
	kernel void produce(global int *x)
	{ ulong i = get_global_id(0); x[i] = (int)i + 1; }
)";

// Another device that keeps times, or the same one if there is no other.
dpr::device other_than(const dpr::device &device)
{
	dpr::device other = device;

	for (const dpr::device &d : dpr::device::enumerate("+queue_profiling"))
		if (d.root() != device.root())
			other = d;
	return other;
}

void report(const char *what, const dpr::event &event)
{
	std::cout << what << " on " << event.queue().name() << ": "
		  << event.duration().count() / 1000 << " us\n";
}

} // namespace

int main()
try {
	const auto device = dpr::device::select("+online_compiler");
	const dpr::queue one(device, DPR_QUEUE_PROFILING);
	const dpr::queue other(other_than(device), DPR_QUEUE_PROFILING);
	const dpr::usm made(one, DPR_USM_DEVICE, bytes), staged(other, DPR_USM_DEVICE, bytes);
	const dpr::kernel produce(one, source, "produce");
	int last = 0;

	const auto produced = one.submit(nullptr, produce, DPR_RANGE1(n), made);
	const auto copied = other.copy(staged, 0, made, 0, bytes, dpr::after(produced));
	const auto fetched = other.read(&last, staged, bytes - sizeof(int), sizeof(int),
					dpr::after(copied));

	// This throws the error of produce if produce failed.
	fetched.wait();
	report("produce", produced);
	report("copy", copied);
	std::cout << "the last element is " << last << '\n';
	return last != static_cast<int>(n);
} catch (const dpr::error &e) {
	std::cerr << "events_cxx: " << e.what() << '\n';
	// 77: no device compiles.
	return e.status() == DPR_ERROR_NOT_FOUND ? 77 : 1;
}
