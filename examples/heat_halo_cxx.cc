// SPDX-License-Identifier: Apache-2.0
// heat_halo_cxx.cc - heat spreads in a plate, as in heat_cxx.cc, on two
// devices: each has half of the rows, and one more row, the halo, for a copy of
// the other's row beside it. After each step the halos are exchanged by
// copy_to(), which orders itself after the step before and ahead of the next.
#include <dpr/dpr.hpp>

#include <iostream>
#include <utility>

namespace {

constexpr int n = 66, rows = n / 2 + 1, steps = 400;
const auto in = dpr::slice(1, -1), before = dpr::slice(0, -2), after = dpr::slice(2);

// Compute the inside of @next from @u, which is on the same queue.
void step(const dpr::array &u, const dpr::array &next)
{
	next(in, in) = u(in, in) + 0.25F * (u(after, in) + u(before, in) + u(in, after) +
					    u(in, before) - 4 * u(in, in));
}

// The plate before the first step: its first row is hot.
dpr::array plate(const dpr::queue &queue)
{
	const dpr::array u = dpr::zeros({ n, n }, DPR_FLOAT32, queue);

	u(0) = 100;
	return u;
}

// The first two devices, or twice the only one.
std::vector<dpr::device> two_devices()
{
	auto all = dpr::device::enumerate();

	if (all.size() == 1)
		all.push_back(all[0]);
	return all;
}

// The plate after all steps, on the queue of the upper half.
dpr::array on_two(const dpr::queue &top, const dpr::queue &bottom)
{
	dpr::array upper = dpr::copy(plate(top)(dpr::slice(0, rows)));
	dpr::array lower = dpr::copy(plate(bottom)(dpr::slice(n - rows, n)));
	dpr::array next_upper = dpr::copy(upper), next_lower = dpr::copy(lower);

	for (int i = 0; i < steps; i++) {
		step(upper, next_upper);
		step(lower, next_lower);
		next_upper[-2].copy_to(next_lower[0]);
		next_lower[1].copy_to(next_upper[-1]);
		std::swap(upper, next_upper);
		std::swap(lower, next_lower);
	}
	return dpr::concat({ upper(dpr::slice(0, -1)), lower(dpr::slice(1)).to_queue(top) });
}

// The same without halos.
dpr::array on_one(const dpr::queue &queue)
{
	dpr::array u = plate(queue), next = dpr::copy(u);

	for (int i = 0; i < steps; i++) {
		step(u, next);
		std::swap(u, next);
	}
	return u;
}

} // namespace

int main()
try {
	const auto devices = two_devices();
	const dpr::queue top(devices.at(0), DPR_QUEUE_IN_ORDER);
	const dpr::queue bottom(devices.at(1), DPR_QUEUE_IN_ORDER);

	std::cout << "on " << top.name() << " and " << bottom.name() << '\n';
	const dpr::array u = on_two(top, bottom);

	std::cout << u(dpr::slice(0, n, 8), dpr::slice(0, n / 2 + 1, n / 4)) << '\n';
	return !(max(abs(u - on_one(top))).item() < 0.001);
} catch (const dpr::error &e) {
	std::cerr << "heat_halo_cxx: " << e.what() << '\n';
	return 1;
}
