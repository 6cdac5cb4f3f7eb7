// SPDX-License-Identifier: Apache-2.0
// api_cxx_handles.cc - errors, handles, queues, events, memory and kernels of
// dpr.hpp.  At the end dpr_finalize() finds every object that was not released.
#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

#include "tests/cplusplus/cxx_test.h"

START_TEST(errors)
{
	std::string text;

	dpr::check(DPR_OK);
	try {
		dpr::device::select("nonsense");
	} catch (const dpr::error &e) {
		ck_assert_int_eq(e.status(), DPR_ERROR_SELECTOR);
		text = e.what();
	}
	ck_assert_str_eq(text.c_str(), dpr_last_error());
	ck_assert_ptr_nonnull(std::strstr(text.c_str(), "nonsense"));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, dpr::queue().wait());
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, dpr::event().duration());
}
END_TEST

static_assert(std::is_nothrow_move_constructible_v<dpr::usm>);
static_assert(std::is_nothrow_move_assignable_v<dpr::array>);
static_assert(sizeof(dpr::array) == sizeof(dpr_array *));
static_assert(sizeof(dpr::queue) == sizeof(dpr_queue *));

START_TEST(counting)
{
	dpr::queue queue(dpr::device(test_device), 0);
	dpr::usm a(queue, DPR_USM_DEVICE, 64);
	dpr_usm *const object = a.get();
	dpr::usm b = a, c = std::move(a);
	const dpr::usm *const same = &b;

	ck_assert(!a && b && c);
	ck_assert_ptr_eq(b.get(), object);
	ck_assert_ptr_eq(c.get(), object);
	b = *same;
	ck_assert_ptr_eq(b.get(), object);
	c = dpr::usm();
	ck_assert(!c);
	c = std::move(b);
	ck_assert(!b && c.get() == object);
	ck_assert_uint_eq(c.size(), 64);

	/* A C function puts its reference in place of the old one. */
	CHECK_OK(dpr_usm_alloc(queue.get(), DPR_USM_DEVICE, 32, c.put()));
	ck_assert_uint_eq(c.size(), 32);

	/* One reference is the caller's, and is adopted again. */
	dpr_usm *const mine = c.detach();
	ck_assert(!c);
	dpr::usm shared = dpr::usm::share(mine), owner = dpr::usm::adopt(mine);
	ck_assert_uint_eq(shared.size(), 32);
	shared = {};
	ck_assert_uint_eq(owner.size(), 32);
	ck_assert(!dpr::usm::share(nullptr) && !dpr::usm::adopt(nullptr));
}
END_TEST

START_TEST(devices)
{
	const dpr::device device(test_device);
	bool found = false;

	for (const dpr::device &d : dpr::device::enumerate())
		found = found || d == device;
	ck_assert(found);
	ck_assert(dpr::device::select(device.selector()) == device);
	ck_assert_str_eq(device.name(), dpr_device_name(test_device));
	ck_assert_str_eq(device.backend(), dpr_device_backend(test_device));
	ck_assert_int_eq(device.type(), dpr_device_get_type(test_device));
	ck_assert(device.has("cpu") ==
		  (dpr_device_has(test_device, "cpu") != 0));
	ck_assert(device.info_u64(DPR_INFO_COMPUTE_UNITS) > 0);
	ck_assert(device.root() == device && !device.parent());
	ck_assert_ptr_eq(device.queue().get(), test_queue);
	ck_assert_ptr_eq(dpr::queue::canonical(device.selector()).get(),
			 test_queue);
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, device.partition_equally(0));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, device.partition_counts({}));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     device.partition_domain(static_cast<dpr_domain>(99)));
	try {
		const auto parts = device.partition_counts({ 1 });

		ck_assert(parts.size() == 1 && parts[0].parent() == device);
	} catch (const dpr::error &e) {
		ck_assert_int_eq(e.status(), DPR_ERROR_UNSUPPORTED);
	}
}
END_TEST

START_TEST(queues)
{
	const dpr::device device(test_device);
	const dpr::queue queue(device, DPR_QUEUE_OUT_OF_ORDER), other = queue;

	ck_assert(queue == other && queue != the_queue());
	ck_assert(queue.device() == device);
	ck_assert(!queue.is_canonical() && the_queue().is_canonical());
	ck_assert_str_eq(queue.name(), dpr_queue_name(queue.get()));
	ck_assert_uint_eq(queue.flags(), dpr_queue_get_flags(queue.get()));
	queue.flush();
	queue.barrier().wait();
	queue.wait();
	ck_assert(queue.wait_for(std::chrono::seconds(100)));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, dpr::queue(device, 1U << 30));
}
END_TEST

// The limit of a wait has any unit, and what is too long is no limit.
START_TEST(limits)
{
	using dpr::detail::limit_of;
	using seconds = std::chrono::duration<double>;
	using namespace std::chrono_literals;
	const dpr::event done = the_queue().barrier();

	ck_assert_uint_eq(limit_of(std::chrono::seconds::max()), DPR_FOREVER);
	ck_assert_uint_eq(limit_of(std::chrono::hours::max()), DPR_FOREVER);
	ck_assert_uint_eq(limit_of(seconds(INFINITY)), DPR_FOREVER);
	ck_assert_uint_eq(limit_of(std::chrono::seconds::min()), 0);
	ck_assert_uint_eq(limit_of(seconds(NAN)), 0);
	ck_assert_uint_eq(limit_of(-1ns), 0);
	ck_assert_uint_eq(limit_of(7ns), 7);
	ck_assert_uint_eq(limit_of(1h), UINT64_C(3600000000000));
	ck_assert_uint_eq(limit_of(seconds(0.5)), 500000000);
	ck_assert(done.wait_for(std::chrono::seconds::max()));
	ck_assert(the_queue().wait_for(seconds(100)));
}
END_TEST

START_TEST(memory_and_events)
{
	const dpr::queue queue = the_queue();
	const dpr::usm one(queue, DPR_USM_DEVICE, 400);
	const dpr::usm two(queue, DPR_USM_DEVICE, 400);
	std::vector<int> values(100), back(100);
	std::atomic<int> called{ -1 };

	for (int i = 0; i < 100; i++)
		values[static_cast<std::size_t>(i)] = i * i;
	ck_assert_int_eq(one.kind(), DPR_USM_DEVICE);
	ck_assert(one.queue() == queue);
	one.fill(7, 400);
	one.read(back.data(), 400);
	ck_assert(back == std::vector<int>(100, 7));
	one.write(values.data(), 396, 4);

	const dpr::event copied = queue.copy(two, 0, one, 4, 396);
	const dpr::event read =
		queue.read(back.data(), two, 0, 396, dpr::after(copied));

	read.on_end([&](dpr_status status) { called = status; });
	read.wait();
	ck_assert(read.wait_for(std::chrono::nanoseconds(0)));
	ck_assert_int_eq(read.state(), DPR_EVENT_COMPLETE);
	ck_assert(read.queue() == queue && copied.name()[0]);
	back.resize(99);
	values.resize(99);
	ck_assert(back == values);
	queue.write(one, 0, values.data(), 4, dpr::after(copied, read)).wait();
	two.wait();
	ck_assert(two.wait_for(std::chrono::seconds(100)));
	for (int i = 0; i < 10000 && called == -1; i++)
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	ck_assert_int_eq(called, DPR_OK);
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, one.fill(7, 404));
}
END_TEST

// A list points into itself, also after it was copied.
START_TEST(more_of_memory)
{
	const dpr::queue queue = the_queue();
	const dpr::usm one(queue, host_or_device(), 400);
	std::vector<int> back(100);
	dpr::event last;

	last = queue.fill(one, 0, 5, 400);
	last = queue.fill(one, 4, 6, 4, dpr::after(last));
	last = queue.prefetch(one, 0, 400, dpr::after(last));
	last = queue.barrier(one, dpr::after(last));
	last.wait();
	one.event().wait();
	one.advise(DPR_ADVICE_READ_MOSTLY, 400);
	one.read(back.data(), 400);
	ck_assert(back[0] == 5 && back[1] == 6 && back[2] == 5);
	ck_assert(!one.is_read_only());
	if (one.address()) {
		const auto [found, offset] =
			dpr::usm::find(static_cast<char *>(one.address()) + 12);

		ck_assert(found.get() == one.get() && offset == 12);
	}
	CHECK_THROWS(DPR_ERROR_NOT_FOUND, dpr::usm::find(&back));
	one.invalidate(DPR_ERROR_DRIVER, "given up");
	CHECK_THROWS(DPR_ERROR_DRIVER, one.wait());
	one.fill(8, 400);
	one.wait();
}
END_TEST

START_TEST(lists_of_events)
{
	const dpr::event a = the_queue().barrier();
	const auto none = dpr::after();
	const auto list = dpr::after(a, dpr::event(), a);
	const auto copy = list;
	const dpr_events *const events = copy, *const first = list;

	ck_assert_uint_eq(static_cast<const dpr_events *>(none)->count, 0);
	ck_assert_uint_eq(events->count, 3);
	ck_assert_ptr_eq(events->list[0], a.get());
	ck_assert_ptr_null(events->list[1]);
	ck_assert_ptr_ne(events->list, first->list);
	the_queue().barrier(list).wait();
	dpr::events_wait(list);
	dpr::events_wait(nullptr);
	ck_assert(dpr::events_wait_for(list, std::chrono::seconds(100)));
}
END_TEST

// An event without an object counts as complete.
START_TEST(no_event)
{
	const dpr::event none;
	const dpr::array empty = dpr::empty({ 0 }, DPR_INT32, the_queue());

	none.wait();
	ck_assert(none.wait_for(std::chrono::seconds(0)));
	ck_assert(!empty.event());
	empty.event().wait();
}
END_TEST

// A list keeps events that the program has no more.
static_assert(
	!std::is_trivially_destructible_v<decltype(dpr::after(dpr::event()))>);
START_TEST(kept_events)
{
	const auto list = dpr::after(the_queue().barrier());

	the_queue().barrier(list).wait();
}
END_TEST

namespace
{

struct weights {
	float scale, shift;
};

inline void line(dpr_native_item at, weights w, const float *x, float *y,
		 std::int32_t *count, std::uint64_t n, unsigned char turn)
{
	const std::uint64_t i = at.global_id[0];

	if (i < n)
		y[i] = w.scale * x[turn ? n - 1 - i : i] + w.shift;
	if (i == 0)
		count[0] = static_cast<std::int32_t>(n);
}
DPR_NATIVE_ITEMS(line_kernel, line, DPR_NATIVE_VALUE(weights),
		 DPR_NATIVE_POINTER(const float), DPR_NATIVE_POINTER(float),
		 DPR_NATIVE_POINTER(std::int32_t),
		 DPR_NATIVE_VALUE(std::uint64_t),
		 DPR_NATIVE_VALUE(unsigned char))

const std::string text =
	"struct weights { float scale, shift; };\n"
	"kernel void line(struct weights w, global const float *x,\n"
	"	global float *y, global int *count, ulong n, uchar turn)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	if (i < n)\n"
	"		y[i] = w.scale * x[turn ? n - 1 - i : i] + w.shift;\n"
	"	if (i == 0)\n"
	"		count[0] = (int)n;\n"
	"}\n";

const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("line", line_kernel) };
const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

} // namespace

START_TEST(launches)
{
	const dpr::queue queue = the_queue();
	const dpr::program program(
		queue, { DPR_NATIVE_IMAGE(module), dpr::opencl_c(text) });
	const dpr::kernel kernel = program.kernel("line");
	const dpr::usm count(queue, DPR_USM_DEVICE, 4);
	const dpr::array x({ 1.0F, 2.0F, 3.0F }, queue);
	dpr::array y = dpr::zeros({ 3 }, DPR_FLOAT32, queue);
	std::int32_t counted = 0;

	ck_assert_str_eq(kernel.name(), "line");
	ck_assert(kernel.device() == dpr::device(test_device));
	ck_assert(program.device() == kernel.device());
	queue.launch(kernel, dpr_range_padded(DPR_RANGE1(3)),
		     weights{ 2, 0.5F }, x, y, count, std::uint64_t{ 3 }, true);
	ck_assert(has<float>(y, { 6.5F, 4.5F, 2.5F }));

	const dpr::event done =
		queue.submit(dpr::after(queue.barrier()), kernel,
			     dpr_range_padded(DPR_RANGE1(3)), weights{ 1, 0 },
			     dpr::read(y), y, count, std::uint64_t{ 1 }, false);

	done.wait();
	count.read(&counted, sizeof(counted));
	ck_assert_int_eq(counted, 1);

	/* A range in braces. */
	const std::uint64_t n = 3;

	queue.launch(kernel, { n }, weights{ 1, 1 }, x, y, count, n, false);
	ck_assert(has<float>(y, { 2, 3, 4 }));
	queue.submit(nullptr, kernel, { n, 1 }, weights{ 1, 2 }, x, y, count, n,
		     false)
		.wait();
	ck_assert(has<float>(y, { 3, 4, 5 }));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, queue.launch(kernel, {}, x));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     queue.launch(kernel, DPR_RANGE1(3), x));
	CHECK_THROWS(DPR_ERROR_NOT_FOUND, program.kernel("curve"));
}
END_TEST

START_TEST(ranges)
{
	using dpr::detail::range_of;
	const dpr_range two = range_of({ 4, 5 }), three = range_of({ 4, 5, 6 });

	ck_assert_uint_eq(range_of({ 4 }).dims, 1);
	ck_assert(two.dims == 2 && two.global[1] == 5);
	ck_assert(three.dims == 3 && three.global[2] == 6);
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT, range_of({ 1, 2, 3, 4 }));
}
END_TEST

// The text of an image is borrowed, and not copied.
START_TEST(sources)
{
	static const char literal[] = "kernel void nothing(void) {}";
	const dpr_image image = dpr::opencl_c(literal);

	ck_assert_ptr_eq(image.data, literal);
	ck_assert_uint_eq(image.size, sizeof(literal) - 1);
	ck_assert_ptr_eq(dpr::opencl_c(text).data, text.data());
}
END_TEST

START_TEST(arguments)
{
	using argument = dpr::detail::argument<dpr::array>;
	dpr::array x({ 1.0F, 2.0F }, the_queue());
	const dpr::array &read = x;

	ck_assert_uint_eq(argument::make(x).access, DPR_READ_WRITE);
	ck_assert_uint_eq(argument::make(read).access, DPR_READ);
	ck_assert_uint_eq(dpr::read(x).access, DPR_READ);
	ck_assert_uint_eq(dpr::strided(x).access, DPR_READ_WRITE);
	ck_assert_uint_eq(dpr::strided(x[0]).access, DPR_READ_WRITE);
	ck_assert_uint_eq(dpr::strided(read).access, DPR_READ);
	ck_assert_uint_eq(dpr::strided(read).kind, DPR_ARG_STRIDED);
	ck_assert_uint_eq(dpr::base(x).access, DPR_READ_WRITE);
	ck_assert_uint_eq(dpr::base(x[0]).access, DPR_READ_WRITE);
	ck_assert_uint_eq(dpr::base(read).access, DPR_READ);
	ck_assert_uint_eq(dpr::base(read).kind, DPR_ARG_BASE);
	ck_assert_uint_eq(dpr::local<float>(16).size, 64);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("cxx_handles");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, errors);
	tcase_add_test(t, counting);
	tcase_add_test(t, devices);
	tcase_add_test(t, queues);
	tcase_add_test(t, limits);
	tcase_add_test(t, memory_and_events);
	tcase_add_test(t, more_of_memory);
	tcase_add_test(t, lists_of_events);
	tcase_add_test(t, no_event);
	tcase_add_test(t, kept_events);
	tcase_add_test(t, launches);
	tcase_add_test(t, ranges);
	tcase_add_test(t, sources);
	tcase_add_test(t, arguments);
	suite_add_tcase(s, t);
	return s;
}

int main()
{
	return run_cxx(suite);
}
