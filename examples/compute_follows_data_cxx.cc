// SPDX-License-Identifier: Apache-2.0
// compute_follows_data_cxx.cc - an operation runs where its arrays are, in C++.  Arrays on
// different queues are refused, and the error names the call that helps; data moves only by
// such calls.
#include <dpr/dpr.hpp>

#include <iostream>

namespace {

// The first two devices, or if there is one, that device and a part of it.
std::vector<dpr::device> two_devices()
{
	auto all = dpr::device::enumerate();

	if (all.size() == 1)
		all.push_back(all[0].partition_equally(1).at(0));
	return all;
}

bool is_refused(const dpr::array &x, const dpr::array &y)
{
	try {
		(x + y).evaluate();
	} catch (const dpr::error &e) {
		std::cout << "refused: " << e.what() << '\n';
		return e.status() == DPR_ERROR_EXECUTION_PLACEMENT;
	}
	return false;
}

bool run()
{
	const auto devices = two_devices();
	const dpr::queue other(devices.at(1), DPR_QUEUE_IN_ORDER);
	const auto a = dpr::ones({ 4 }, DPR_FLOAT32, devices[0].queue());
	const auto b = dpr::ones({ 4 }, DPR_FLOAT32, devices[1].queue());
	const auto c = dpr::ones({ 4 }, DPR_FLOAT32, other);

	// On two devices; on one device, but two queues.
	if (!is_refused(a, b) || !is_refused(b, c))
		return false;
	const dpr::array sum = a.to_device(b.device()) + b;

	std::cout << sum << "\ncomputed on " << sum.queue().name() << '\n';
	return true;
}

} // namespace

int main()
try {
	const bool good = run();

	// c was never waited for: finish all work before the program ends.
	dpr::finalize();
	return !good;
} catch (const dpr::error &e) {
	std::cerr << "compute_follows_data_cxx: " << e.what() << '\n';
	return 1;
}
