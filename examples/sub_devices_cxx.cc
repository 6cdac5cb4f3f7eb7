// SPDX-License-Identifier: Apache-2.0
// sub_devices_cxx.cc - each half of a CPU sums half of an array, in C++.  Neither has to copy
// its half: sub-devices can access their parent's memory.
#include <dpr/dpr.hpp>

#include <iostream>

namespace {

constexpr std::int64_t n = 100000;

// The sum of the numbers of @part on @device.
dpr::array sum_on(const dpr::array &part, const dpr::device &device)
{
	const dpr::array here = part.to_device(device);

	std::cout << device.selector() << " shares the memory: "
		  << (here.usm().get() == part.usm().get() ? "yes" : "no") << '\n';
	return sum(here);
}

} // namespace

int main()
try {
	const auto device = dpr::device::select("cpu");
	const auto units = device.info_u64(DPR_INFO_COMPUTE_UNITS);

	if (units < 2) {
		std::cout << "skipped: " << device.selector() << " has one compute unit\n";
		return 77;
	}
	const auto half = device.partition_equally(units / 2);
	const auto x = dpr::arange(0, n, 1, DPR_INT64, device.queue());
	const auto low = sum_on(x(dpr::slice(0, n / 2)), half.at(0));
	const auto high = sum_on(x(dpr::slice(n / 2)), half.at(1));
	const dpr::array total = low.to_device(half[1]) + high;

	std::cout << total << '\n';
	return total.item<std::int64_t>() != n * (n - 1) / 2;
} catch (const dpr::error &e) {
	std::cerr << "sub_devices_cxx: " << e.what() << '\n';
	// 77: there is no CPU, or it is not divided.
	return e.status() == DPR_ERROR_NOT_FOUND || e.status() == DPR_ERROR_UNSUPPORTED ? 77 : 1;
}
