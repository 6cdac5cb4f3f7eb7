/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handle.hpp - errors, devices, queues, events, memory, programs and kernels
 * in C++17.
 *
 * An object of these classes owns one reference to an object of the C API.  A
 * copy retains the C object, a move takes the reference over, and the
 * destructor releases it.  An object that was made without arguments has no C
 * object, and neither has a moved-from object: get() returns NULL, and C
 * functions refuse NULL, but an event without an object counts as complete.
 * Constness is that of the handle: a const queue can be waited for.
 *
 * The functions are those of the C headers, under the same names and with the
 * same rules for threads and waiting.  Where a C function returns a status
 * other than DPR_OK, the C++ function throws dpr::error.  get(), put() and
 * adopt() let a program call any C function with these objects.
 *
 * Everything is inline and calls the C function directly.
 */
#ifndef DPR_HANDLE_HPP
#define DPR_HANDLE_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "this header needs C++17"
#endif

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <dpr/device.h>
#include <dpr/event.h>
#include <dpr/kernel.h>
#include <dpr/launch.h>
#include <dpr/native.h>
#include <dpr/program.h>
#include <dpr/queue.h>
#include <dpr/runtime.h>
#include <dpr/status.h>
#include <dpr/usm.h>

namespace dpr
{

/* What every function throws when the C function fails: the status, and in
   what() the text of dpr_last_error(). */
class error : public std::runtime_error
{
public:
	/* An error of @status with the text @what. */
	error(dpr_status status, const std::string &what)
	    : std::runtime_error(what), status_(status)
	{
	}

	/* The status that the C function returned; never DPR_OK. */
	dpr_status status() const noexcept
	{
		return status_;
	}

private:
	dpr_status status_;
};

namespace detail
{

/* Throw the error of this thread's last failed call. */
[[noreturn]] inline void fail(dpr_status status)
{
	const char *text = dpr_last_error();

	throw error(status, *text ? text : dpr_status_text(status));
}

/* The functions that count references to a T. */
template <class T> struct counted;
#define DPR__X(name)                                              \
	template <> struct counted<dpr_##name> {                  \
		static dpr_##name *retain(dpr_##name *x) noexcept \
		{                                                 \
			return dpr_##name##_retain(x);            \
		}                                                 \
		static void release(dpr_##name *x) noexcept       \
		{                                                 \
			dpr_##name##_release(x);                  \
		}                                                 \
	};
DPR__X(queue)
DPR__X(event)
DPR__X(usm)
DPR__X(program)
DPR__X(kernel)
#undef DPR__X

/* The text that a C function has made, which is freed. */
inline std::string take_text(char *text)
{
	const std::unique_ptr<char, void (*)(void *)> owner(text, dpr_free);

	return std::string(text);
}

/* The limit @time of a wait, in nanoseconds: 0 if it is not above zero, and
   DPR_FOREVER if it is more than fits. */
template <class R, class P>
std::uint64_t limit_of(const std::chrono::duration<R, P> &time) noexcept
{
	const auto n =
		std::chrono::duration<long double, std::nano>(time).count();

	if (!(n > 0))
		return 0;
	return n >= 9.2e18L ? DPR_FOREVER : static_cast<std::uint64_t>(n);
}

/* Whether a wait with the limit @time, which @call takes in nanoseconds, came
   to its end. */
template <class T, class F> bool wait_for(const T &time, F call)
{
	const dpr_status status = call(limit_of(time));

	if (status && status != DPR_ERROR_TIMEOUT)
		fail(status);
	return !status;
}

} // namespace detail

/* Throw dpr::error if @status is not DPR_OK.  For calls of C functions:
   dpr::check(dpr_eye(3, 3, 0, DPR_FLOAT32, NULL, x.put())). */
inline void check(dpr_status status)
{
	if (status)
		detail::fail(status);
}

/* One reference to a C object of type T.  Self is the class that derives from
   this one.  Objects may be used as those of std::shared_ptr: several threads
   may use copies, but not change one object. */
template <class Self, class T> class handle
{
public:
	/* No object. */
	handle() noexcept = default;

	/* Another reference to the object of @other. */
	handle(const handle &other) noexcept : object_(retain(other.object_))
	{
	}

	/* The reference of @other, which has no object afterwards. */
	handle(handle &&other) noexcept
	    : object_(std::exchange(other.object_, nullptr))
	{
	}

	/* Release the object, and take the reference of @other. */
	handle &operator=(handle other) noexcept
	{
		std::swap(object_, other.object_);
		return *this;
	}

	/* Release the object.  Never waits. */
	~handle()
	{
		if (object_)
			detail::counted<T>::release(object_);
	}

	/* Take over the caller's reference to @object; NULL: no object. */
	static Self adopt(T *object) noexcept
	{
		Self self;

		static_cast<handle &>(self).object_ = object;
		return self;
	}

	/* Retain @object, which stays the caller's; NULL: no object. */
	static Self share(T *object) noexcept
	{
		return adopt(retain(object));
	}

	/* The C object, which stays this object's; NULL: there is none. */
	T *get() const noexcept
	{
		return object_;
	}

	/* Give the reference to the caller.  No object is left. */
	T *detach() noexcept
	{
		return std::exchange(object_, nullptr);
	}

	/* Release the object.  Returns a pointer for the last parameter of a C
	   function, which puts a new reference there. */
	T **put() noexcept
	{
		*this = handle();
		return &object_;
	}

	/* Whether there is an object. */
	explicit operator bool() const noexcept
	{
		return object_ != nullptr;
	}

private:
	static T *retain(T *object) noexcept
	{
		return object ? detail::counted<T>::retain(object) : nullptr;
	}

	T *object_ = nullptr;
};

class queue;

/* A device.  It is borrowed, as in C: valid until the process ends. */
class device
{
public:
	/* No device. */
	device() noexcept = default;

	/* The device @object; NULL: no device. */
	explicit device(dpr_device *object) noexcept : object_(object)
	{
	}

	/* The first device that @selector matches, as dpr_device_select().
	   NULL: the default device. */
	static device select(const char *selector = nullptr)
	{
		device found;

		check(dpr_device_select(selector, &found.object_));
		return found;
	}

	/* All devices that @selector matches, as dpr_device_enumerate(). NULL:
	   all root devices. */
	static std::vector<device> enumerate(const char *selector = nullptr)
	{
		return list([selector](dpr_device **out, std::size_t capacity,
				    std::size_t *count) {
			return dpr_device_enumerate(
				selector, out, capacity, count);
		});
	}

	/* The C object; NULL: there is none. */
	dpr_device *get() const noexcept
	{
		return object_;
	}

	/* Whether there is a device. */
	explicit operator bool() const noexcept
	{
		return object_ != nullptr;
	}

	/* The device's name, its backend, and a selector that finds the device
	   again.  Valid until the process ends. */
	const char *name() const noexcept
	{
		return dpr_device_name(object_);
	}
	const char *backend() const noexcept
	{
		return dpr_device_backend(object_);
	}
	const char *selector() const noexcept
	{
		return dpr_device_selector(object_);
	}

	/* CPU, GPU, accelerator or custom. */
	dpr_device_type type() const noexcept
	{
		return dpr_device_get_type(object_);
	}

	/* Whether the device has @aspect, named as in a selector. */
	bool has(const char *aspect) const noexcept
	{
		return dpr_device_has(object_, aspect) != 0;
	}

	/* The value of a key of type U64, BOOL or FLAGS, as
	   dpr_device_info_u64(). */
	std::uint64_t info_u64(dpr_info key) const
	{
		std::uint64_t value = 0;

		check(dpr_device_info_u64(object_, key, &value));
		return value;
	}

	/* The value of a key of type STRING; NULL as dpr_device_info_string().
	   Lent as long as the device. */
	const char *info_string(dpr_info key) const noexcept
	{
		return dpr_device_info_string(object_, key);
	}

	/* The device that this one was divided from, the root device, and the
	   same physical device of another backend; as dpr_device_parent(),
	   dpr_device_root() and dpr_device_twin(). */
	device parent() const noexcept
	{
		return device(dpr_device_parent(object_));
	}
	device root() const noexcept
	{
		return device(dpr_device_root(object_));
	}
	device twin() const noexcept
	{
		return device(dpr_device_twin(object_));
	}

	/* Sub-devices of @units compute units each, as many as fit; as
	   dpr_device_partition_equally(). */
	std::vector<device> partition_equally(std::uint64_t units) const
	{
		return list([this, units](dpr_device **out,
				    std::size_t capacity, std::size_t *count) {
			return dpr_device_partition_equally(
				object_, units, out, capacity, count);
		});
	}

	/* Sub-devices of these numbers of compute units, and along an affinity
	   domain; as dpr_device_partition_counts() and
	   dpr_device_partition_domain(). */
	std::vector<device> partition_counts(
		const std::vector<std::uint64_t> &counts) const
	{
		return list([this, &counts](dpr_device **out,
				    std::size_t capacity, std::size_t *count) {
			return dpr_device_partition_counts(object_,
				counts.data(), counts.size(), out, capacity,
				count);
		});
	}
	std::vector<device> partition_domain(dpr_domain domain) const
	{
		return list([this, domain](dpr_device **out,
				    std::size_t capacity, std::size_t *count) {
			return dpr_device_partition_domain(
				object_, domain, out, capacity, count);
		});
	}

	/* The device's canonical queue, as dpr_device_queue(). */
	dpr::queue queue() const;

	/* Whether both are the same device. */
	friend bool operator==(const device &a, const device &b) noexcept
	{
		return a.object_ == b.object_;
	}
	friend bool operator!=(const device &a, const device &b) noexcept
	{
		return a.object_ != b.object_;
	}

private:
	/* The list of devices that @call writes: first their number is asked
	   for. */
	template <class F> static std::vector<device> list(F call)
	{
		std::size_t count = 0;

		check(call(nullptr, 0, &count));
		std::vector<dpr_device *> found(count);
		check(call(found.data(), found.size(), &count));
		return std::vector<device>(found.begin(), found.end());
	}

	dpr_device *object_ = nullptr;
};

/* The completion of one submission. */
class event : public handle<event, dpr_event>
{
public:
	/* Wait until the submission is over.  Throws the submission's error, as
	   dpr_event_wait(). */
	void wait() const
	{
		check(dpr_event_wait(get()));
	}

	/* The same for at most @time, of any unit; std::chrono::hours::max()
	   is no limit.  Returns whether the submission is over.  Throws its
	   error. */
	template <class R, class P>
	bool wait_for(const std::chrono::duration<R, P> &time) const
	{
		return detail::wait_for(
			time, [this](std::uint64_t nanoseconds) {
				return dpr_event_wait_for(get(), nanoseconds);
			});
	}

	/* How far the submission has got.  Does not wait. */
	dpr_event_state state() const noexcept
	{
		return dpr_event_get_state(get());
	}

	/* The submission's times on the host's clock, on the device's clock,
	   and how long the submission ran.  They wait for the submission.
	   Errors as dpr_event_times(), dpr_event_device_times() and
	   dpr_event_duration(). */
	dpr_times times() const
	{
		dpr_times times = {};

		check(dpr_event_times(get(), &times));
		return times;
	}
	dpr_times device_times() const
	{
		dpr_times times = {};

		check(dpr_event_device_times(get(), &times));
		return times;
	}
	std::chrono::nanoseconds duration() const
	{
		std::uint64_t nanoseconds = 0;

		check(dpr_event_duration(get(), &nanoseconds));
		return std::chrono::nanoseconds(nanoseconds);
	}

	/* Have a thread of the library call @callback(status) once, when the
	   submission is over; as dpr_event_on_end().  The callback must
	   not throw.  A copy of the callback is kept until it has run. */
	template <class F> void on_end(F callback) const
	{
		auto kept = std::make_unique<F>(std::move(callback));

		check(dpr_event_on_end(get(), call<F>, kept.get()));
		kept.release();
	}

	/* What was submitted: "copy", or the name of a kernel or function. Lent
	   as long as the event. */
	const char *name() const noexcept
	{
		return dpr_event_name(get());
	}

	/* The queue that the work was submitted to, no object if all references
	   to the queue are gone; as dpr_event_retain_queue(). */
	dpr::queue queue() const noexcept;

private:
	template <class F>
	static void call(dpr_event *, dpr_status status, void *user) noexcept
	{
		const std::unique_ptr<F> callback(static_cast<F *>(user));

		(*callback)(status);
	}
};

namespace detail
{

/* The events of dpr::after(): a reference to each, their list, and the struct
   for C functions. */
template <std::size_t N> class events_of
{
public:
	explicit events_of(const std::array<event, N> &events) noexcept
	    : events_(events)
	{
		auto next = list_.begin();

		for (const event &e : events_)
			*next++ = e.get();
	}
	events_of(const events_of &other) noexcept : events_of(other.events_)
	{
	}
	events_of &operator=(const events_of &) = delete;
	operator const dpr_events *() const noexcept
	{
		return &head_;
	}

private:
	std::array<event, N> events_;
	std::array<dpr_event *, N> list_;
	dpr_events head_ = { N, list_.data() };
};

/* Whether a launch copies an object of type T as a struct of numbers.  What
   stands for something else, as a device does, is none. */
template <class T>
inline constexpr bool is_struct =
	std::is_trivially_copyable_v<T> &&std::is_class_v<T>;
template <> inline constexpr bool is_struct<device> = false;
template <class T>
inline constexpr bool is_struct<std::reference_wrapper<T>> = false;

/* The range with the sizes @sizes. */
inline dpr_range range_of(std::initializer_list<std::uint64_t> sizes)
{
	const std::uint64_t *const n = sizes.begin();

	switch (sizes.size()) {
	case 1: return dpr_range1(n[0]);
	case 2: return dpr_range2(n[0], n[1]);
	case 3: return dpr_range3(n[0], n[1], n[2]);
	default:
		throw error(DPR_ERROR_INVALID_ARGUMENT,
			"launch: a range of " + std::to_string(sizes.size()) +
				" numbers; give 1, 2 or 3");
	}
}

/* Makes the argument of a launch from a value of type T. */
template <class T, class = void> struct argument {
	static_assert(is_struct<T>,
		"a launch takes numbers, arrays, allocations, dpr_arg, and "
		"structs of numbers; convert an expression to dpr::array");
	static dpr_arg make(const T &value) noexcept
	{
		return dpr_arg_bytes(&value, sizeof(value));
	}
};
template <class T>
struct argument<T, std::enable_if_t<std::is_arithmetic_v<T>>> {
	static dpr_arg make(T value) noexcept
	{
		return dpr_arg_of(value);
	}
};
template <> struct argument<dpr_arg> {
	static dpr_arg make(const dpr_arg &value) noexcept
	{
		return value;
	}
};

} // namespace detail

/* Events to wait for, for the parameter @after: dpr::after(a, b).  The list
   retains the events. */
template <class... E>
detail::events_of<sizeof...(E)> after(const E &...events) noexcept
{
	return detail::events_of<sizeof...(E)>(
		std::array<event, sizeof...(E)>{ { events... } });
}

/* Wait for all of @events: dpr::events_wait(dpr::after(a, b)); as
   dpr_events_wait().  Throws the first failure in the order of the list. */
inline void events_wait(const dpr_events *events)
{
	check(dpr_events_wait(events));
}

/* The same for at most @time.  Returns whether all are over. */
template <class R, class P>
bool events_wait_for(
	const dpr_events *events, const std::chrono::duration<R, P> &time)
{
	return detail::wait_for(time, [events](std::uint64_t nanoseconds) {
		return dpr_events_wait_for(events, nanoseconds);
	});
}

class kernel;
class usm;

/* A queue.  Without an object it stands for the canonical queue of the default
   device where a C function takes NULL for this queue. */
class queue : public handle<queue, dpr_queue>
{
public:
	/* No object. */
	queue() noexcept = default;

	/* A new queue on @device, with @flags (enum dpr_queue_flags, ORed); as
	   dpr_queue_create(). */
	queue(const dpr::device &device, std::uint32_t flags)
	{
		check(dpr_queue_create(device.get(), flags, put()));
	}

	/* The canonical queue of the device that @selector finds; as
	   dpr_canonical_queue(). NULL: the default device. */
	static queue canonical(const char *selector = nullptr)
	{
		dpr_queue *found = nullptr;

		check(dpr_canonical_queue(selector, &found));
		return share(found);
	}

	/* The queue's device, flags and name; as dpr_queue_device(),
	   dpr_queue_get_flags(), dpr_queue_is_canonical() and
	   dpr_queue_name(). */
	dpr::device device() const noexcept
	{
		return dpr::device(dpr_queue_device(get()));
	}
	std::uint32_t flags() const noexcept
	{
		return dpr_queue_get_flags(get());
	}
	bool is_canonical() const noexcept
	{
		return dpr_queue_is_canonical(get()) != 0;
	}
	const char *name() const noexcept
	{
		return dpr_queue_name(get());
	}

	/* Hand submitted work to the device now; as dpr_queue_flush(). */
	void flush() const
	{
		check(dpr_queue_flush(get()));
	}

	/* Wait until everything that was submitted before is over.  Throws the
	   first error since the last wait, as dpr_queue_wait(). */
	void wait() const
	{
		check(dpr_queue_wait(get()));
	}

	/* The same for at most @time.  Returns whether the work is over. */
	template <class R, class P>
	bool wait_for(const std::chrono::duration<R, P> &time) const
	{
		return detail::wait_for(
			time, [this](std::uint64_t nanoseconds) {
				return dpr_queue_wait_for(get(), nanoseconds);
			});
	}

	/* Submit a barrier, which waits for @after (NULL: all earlier work); as
	   dpr_queue_barrier(). */
	event barrier(const dpr_events *after = nullptr) const
	{
		event done;

		check(dpr_queue_barrier(get(), after, done.put()));
		return done;
	}

	/*
	 * Launch @kernel over @range, with an argument for each parameter; as
	 * dpr_kernel_launch_args().  Does not wait.  A range in braces has the
	 * global sizes: { 64, 64 } is DPR_RANGE2(64, 64).  An argument is
	 * - a number;
	 * - a dpr::array, which the kernel reads if the object is const, as
	 *   with dpr::read(x), and reads and writes otherwise.  What a lambda
	 *   captures by copy is const unless the lambda is mutable;
	 * - a dpr::usm, which is not ordered against other uses;
	 * - a struct of numbers, which is copied;
	 * - a dpr_arg, such as DPR_USM_READ(), dpr::strided(x) and
	 *   dpr::local<float>(64).
	 */
	template <class... A>
	void launch(const dpr::kernel &kernel, const dpr_range &range,
		A &&...args) const
	{
		check(start(kernel, range, nullptr, nullptr, args...));
	}
	template <class... A>
	void launch(const dpr::kernel &kernel,
		std::initializer_list<std::uint64_t> range, A &&...args) const
	{
		launch(kernel, detail::range_of(range), args...);
	}

	/* The same after the events of @after (NULL: none).  Returns the event
	   of the launch. */
	template <class... A>
	event submit(const dpr_events *after, const dpr::kernel &kernel,
		const dpr_range &range, A &&...args) const
	{
		event done;

		check(start(kernel, range, after, done.put(), args...));
		return done;
	}
	template <class... A>
	event submit(const dpr_events *after, const dpr::kernel &kernel,
		std::initializer_list<std::uint64_t> range, A &&...args) const
	{
		return submit(after, kernel, detail::range_of(range), args...);
	}

	/* Copy @size bytes between two allocations, to host memory or from it,
	   after the events of @after (NULL: none); as dpr_usm_copy(),
	   dpr_usm_write() and dpr_usm_read().  They return the event of the
	   copy.  Host memory must stay valid and untouched until the event is
	   over. */
	event copy(const usm &to, std::size_t to_offset, const usm &from,
		std::size_t from_offset, std::size_t size,
		const dpr_events *after = nullptr) const;
	event write(const usm &to, std::size_t to_offset, const void *from,
		std::size_t size, const dpr_events *after = nullptr) const;
	event read(void *to, const usm &from, std::size_t from_offset,
		std::size_t size, const dpr_events *after = nullptr) const;

	/* Fill @size bytes with @pattern, ask the driver to move the range to
	   the queue's device, and submit a barrier that counts as reading and
	   writing all of @usm; as dpr_usm_fill(), dpr_usm_prefetch() and
	   dpr_usm_barrier().  They return the event. */
	template <class T>
	event fill(const usm &to, std::size_t to_offset, const T &pattern,
		std::size_t size, const dpr_events *after = nullptr) const;
	event prefetch(const usm &usm, std::size_t offset, std::size_t size,
		const dpr_events *after = nullptr) const;
	event barrier(const usm &usm, const dpr_events *after = nullptr) const;

	/* Whether both are the same queue. */
	friend bool operator==(const queue &a, const queue &b) noexcept
	{
		return a.get() == b.get();
	}
	friend bool operator!=(const queue &a, const queue &b) noexcept
	{
		return a.get() != b.get();
	}

private:
	template <class... A>
	dpr_status start(const dpr::kernel &kernel, const dpr_range &range,
		const dpr_events *after, dpr_event **done, A &...args) const;
};

inline queue device::queue() const
{
	dpr_queue *found = nullptr;

	check(dpr_device_queue(object_, &found));
	return dpr::queue::share(found);
}

inline queue event::queue() const noexcept
{
	return dpr::queue::adopt(dpr_event_retain_queue(get()));
}

/* One allocation of unified shared memory. */
class usm : public handle<usm, dpr_usm>
{
public:
	/* No object. */
	usm() noexcept = default;

	/* An allocation of @size bytes of @kind on @queue's device; as
	   dpr_usm_alloc(). */
	usm(const dpr::queue &queue, dpr_usm_kind kind, std::size_t size)
	{
		check(dpr_usm_alloc(queue.get(), kind, size, put()));
	}

	/* The size in bytes, the kind, the queue, and the address (NULL: none);
	   as dpr_usm_size(), dpr_usm_get_kind(), dpr_usm_queue() and
	   dpr_usm_address(). */
	std::size_t size() const noexcept
	{
		return dpr_usm_size(get());
	}
	dpr_usm_kind kind() const noexcept
	{
		return dpr_usm_get_kind(get());
	}
	dpr::queue queue() const noexcept
	{
		return dpr::queue::share(dpr_usm_queue(get()));
	}
	void *address() const noexcept
	{
		return dpr_usm_address(get());
	}

	/* Whether the memory was borrowed as read-only; as
	   dpr_usm_is_read_only(). */
	bool is_read_only() const noexcept
	{
		return dpr_usm_is_read_only(get()) != 0;
	}

	/* The allocation that contains @pointer, and the byte offset of
	   @pointer in it; as dpr_usm_find(). */
	static std::pair<usm, std::size_t> find(const void *pointer)
	{
		std::pair<usm, std::size_t> found;

		check(dpr_usm_find(pointer, found.first.put(), &found.second));
		return found;
	}

	/* Wait until all work that writes the allocation is over; as
	   dpr_usm_wait(). */
	void wait() const
	{
		check(dpr_usm_wait(get()));
	}

	/* The same for at most @time.  Returns whether the work is over. */
	template <class R, class P>
	bool wait_for(const std::chrono::duration<R, P> &time) const
	{
		return detail::wait_for(
			time, [this](std::uint64_t nanoseconds) {
				return dpr_usm_wait_for(get(), nanoseconds);
			});
	}

	/* The event of the work that writes the allocation last; as
	   dpr_usm_event(). */
	dpr::event event() const
	{
		dpr::event last;

		check(dpr_usm_event(get(), last.put()));
		return last;
	}

	/* Mark the contents as invalid; as dpr_usm_invalidate().  @why NULL: a
	   general text. */
	void invalidate(dpr_status cause, const char *why = nullptr) const
	{
		check(dpr_usm_invalidate(get(), cause, why));
	}

	/* Say how the range will be used on the allocation's queue; as
	   dpr_usm_advise(). */
	void advise(dpr_usm_advice advice, std::size_t size,
		std::size_t offset = 0) const
	{
		check(dpr_usm_advise(
			dpr_usm_queue(get()), get(), offset, size, advice));
	}

	/* Copy @size bytes from host memory into the allocation, or to host
	   memory, on the allocation's queue, and wait for the copy; as
	   dpr_usm_write() and dpr_usm_read() without @done. */
	void write(const void *from, std::size_t size,
		std::size_t to_offset = 0) const
	{
		check(dpr_usm_write(dpr_usm_queue(get()), get(), to_offset,
			from, size, nullptr, nullptr));
	}
	void read(void *to, std::size_t size, std::size_t from_offset = 0) const
	{
		check(dpr_usm_read(dpr_usm_queue(get()), to, get(), from_offset,
			size, nullptr, nullptr));
	}

	/* Fill @size bytes from @offset on with @pattern, on the allocation's
	   queue; as dpr_usm_fill().  Does not wait. */
	template <class T>
	void fill(const T &pattern, std::size_t size,
		std::size_t offset = 0) const
	{
		static_assert(std::is_trivially_copyable_v<T>);
		check(dpr_usm_fill(dpr_usm_queue(get()), get(), offset,
			&pattern, sizeof(pattern), size, nullptr, nullptr));
	}
};

inline event queue::copy(const usm &to, std::size_t to_offset, const usm &from,
	std::size_t from_offset, std::size_t size,
	const dpr_events *after) const
{
	event done;

	check(dpr_usm_copy(get(), to.get(), to_offset, from.get(), from_offset,
		size, after, done.put()));
	return done;
}

inline event queue::write(const usm &to, std::size_t to_offset,
	const void *from, std::size_t size, const dpr_events *after) const
{
	event done;

	check(dpr_usm_write(
		get(), to.get(), to_offset, from, size, after, done.put()));
	return done;
}

inline event queue::read(void *to, const usm &from, std::size_t from_offset,
	std::size_t size, const dpr_events *after) const
{
	event done;

	check(dpr_usm_read(
		get(), to, from.get(), from_offset, size, after, done.put()));
	return done;
}

/* Fill with the bytes of the pattern. */
template <class T>
event queue::fill(const usm &to, std::size_t to_offset, const T &pattern,
	std::size_t size, const dpr_events *after) const
{
	static_assert(std::is_trivially_copyable_v<T>);
	event done;

	check(dpr_usm_fill(get(), to.get(), to_offset, &pattern,
		sizeof(pattern), size, after, done.put()));
	return done;
}

inline event queue::prefetch(const usm &usm, std::size_t offset,
	std::size_t size, const dpr_events *after) const
{
	event done;

	check(dpr_usm_prefetch(
		get(), usm.get(), offset, size, after, done.put()));
	return done;
}

inline event queue::barrier(const usm &usm, const dpr_events *after) const
{
	event done;

	check(dpr_usm_barrier(get(), usm.get(), after, done.put()));
	return done;
}

/* A built program. */
class program : public handle<program, dpr_program>
{
public:
	/* No object. */
	program() noexcept = default;

	/* Build OpenCL C for @queue's device; as dpr_program_from_source().
	   Blocks while it builds. */
	program(const queue &queue, const char *source,
		const char *options = nullptr)
	{
		check(dpr_program_from_source(
			queue.get(), source, options, put()));
	}
	program(const queue &queue, const std::string &source,
		const char *options = nullptr)
	    : program(queue, source.c_str(), options)
	{
	}

	/* Build the best of @images that @queue's device takes; as
	   dpr_program_build().  @options NULL: none. */
	program(const queue &queue, std::initializer_list<dpr_image> images,
		const dpr_build_options *options = nullptr)
	{
		check(dpr_program_build(queue.get(), images.begin(),
			images.size(), options, put()));
	}

	/* The kernel @name; as dpr_kernel_create(). */
	dpr::kernel kernel(const char *name) const;

	/* What the compiler said, "" if nothing.  Lent as long as the
	   program. */
	const char *log() const noexcept
	{
		return dpr_program_log(get());
	}

	/* The device that the program was built for. */
	dpr::device device() const noexcept
	{
		return dpr::device(dpr_program_device(get()));
	}
};

/* The image of OpenCL C @source for the list of images of a program.  The text
   is borrowed. */
inline dpr_image opencl_c(std::string_view source) noexcept
{
	return dpr_image{ "opencl-c", nullptr, source.data(), source.size() };
}

/* An entry point of a program. */
class kernel : public handle<kernel, dpr_kernel>
{
public:
	/* No object. */
	kernel() noexcept = default;

	/* Build @source for @queue's device, once for each device, and get its
	   kernel @name; as dpr_kernel_from_source(). */
	kernel(const queue &queue, const char *source, const char *name)
	{
		check(dpr_kernel_from_source(queue.get(), source, name, put()));
	}

	/* The kernel's name, its device, and its properties on that device; as
	   dpr_kernel_name(), dpr_kernel_device() and dpr_kernel_get_info(). */
	const char *name() const noexcept
	{
		return dpr_kernel_name(get());
	}
	dpr::device device() const noexcept
	{
		return dpr::device(dpr_kernel_device(get()));
	}
	dpr_kernel_info info() const
	{
		dpr_kernel_info info = {};

		check(dpr_kernel_get_info(get(), &info));
		return info;
	}
};

inline kernel program::kernel(const char *name) const
{
	dpr::kernel found;

	check(dpr_kernel_create(get(), name, found.put()));
	return found;
}

namespace detail
{

template <> struct argument<usm> {
	static dpr_arg make(const usm &value) noexcept
	{
		return dpr_arg_usm(value.get());
	}
};

} // namespace detail

/* Launch with the arguments as a list. */
template <class... A>
dpr_status queue::start(const dpr::kernel &kernel, const dpr_range &range,
	const dpr_events *after, dpr_event **done, A &...args) const
{
	const dpr_arg list[] = {
		detail::argument<std::remove_cv_t<A>>::make(args)..., dpr_arg()
	};

	return dpr_kernel_launch_args(
		get(), kernel.get(), range, after, done, list, sizeof...(A));
}

/* Local memory for @count elements of type T, as an argument of a launch. */
template <class T> dpr_arg local(std::size_t count) noexcept
{
	return dpr_arg_local(count * sizeof(T));
}

/* Wait for all work and close the plugins; as dpr_finalize().  Throws
   DPR_ERROR_BUSY while objects are alive. */
inline void finalize()
{
	check(dpr_finalize());
}

} // namespace dpr

#endif
