/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items, copies by work-groups, and atomics. */

/* --- Work-items --- */

#define DPR_AXIS(name, expression)                                    \
	inline size_t name(uint d)                                    \
	{                                                             \
		return d == 0 ? DPR_##expression(x)                   \
		       : d == 1 ? DPR_##expression(y)                 \
		       : d == 2 ? DPR_##expression(z)                 \
				: DPR_BEYOND_##expression;            \
	}
#define DPR_GLOBAL_ID(d) ((size_t)blockIdx.d * blockDim.d + threadIdx.d)
#define DPR_BEYOND_GLOBAL_ID 0
#define DPR_GLOBAL_SIZE(d) ((size_t)gridDim.d * blockDim.d)
#define DPR_BEYOND_GLOBAL_SIZE 1
#define DPR_LOCAL_ID(d) ((size_t)threadIdx.d)
#define DPR_BEYOND_LOCAL_ID 0
#define DPR_LOCAL_SIZE(d) ((size_t)blockDim.d)
#define DPR_BEYOND_LOCAL_SIZE 1
#define DPR_GROUP_ID(d) ((size_t)blockIdx.d)
#define DPR_BEYOND_GROUP_ID 0
#define DPR_NUM_GROUPS(d) ((size_t)gridDim.d)
#define DPR_BEYOND_NUM_GROUPS 1
DPR_AXIS(get_global_id, GLOBAL_ID)
DPR_AXIS(get_global_size, GLOBAL_SIZE)
DPR_AXIS(get_local_id, LOCAL_ID)
DPR_AXIS(get_local_size, LOCAL_SIZE)
DPR_AXIS(get_group_id, GROUP_ID)
DPR_AXIS(get_num_groups, NUM_GROUPS)
#undef DPR_AXIS
inline size_t get_global_offset(uint)
{
	return 0;
}
/* CUDA does not know the number of dimensions of the range: count those in
   use. */
inline uint get_work_dim()
{
	return gridDim.z * blockDim.z > 1 ? 3 : gridDim.y * blockDim.y > 1 ? 2 : 1;
}

enum { CLK_LOCAL_MEM_FENCE = 1, CLK_GLOBAL_MEM_FENCE = 2 };
inline void barrier(cl_mem_fence_flags)
{
	__syncthreads();
}
inline void mem_fence(cl_mem_fence_flags flags)
{
	if (flags & CLK_GLOBAL_MEM_FENCE)
		__threadfence();
	else
		__threadfence_block();
}
inline void read_mem_fence(cl_mem_fence_flags flags)
{
	mem_fence(flags);
}
inline void write_mem_fence(cl_mem_fence_flags flags)
{
	mem_fence(flags);
}

typedef int event_t;
template <class T>
inline event_t async_work_group_strided_copy(T *to, const T *from, size_t n,
					     size_t to_stride,
					     size_t from_stride)
{
	const size_t size = (size_t)blockDim.x * blockDim.y * blockDim.z;

	for (size_t i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
			threadIdx.x;
	     i < n; i += size)
		to[i * to_stride] = from[i * from_stride];
	return 0;
}
template <class T, class U>
inline event_t async_work_group_copy(T *to, const U *from, size_t n, event_t)
{
	return async_work_group_strided_copy(to, (const T *)from, n, 1, 1);
}
/* The stride applies to the side in global memory. */
template <class T, class U>
inline event_t async_work_group_strided_copy(T *to, const U *from, size_t n,
					     size_t stride, event_t)
{
	const bool gather = __isShared(to);

	return async_work_group_strided_copy(to, (const T *)from, n,
					     gather ? 1 : stride,
					     gather ? stride : 1);
}
inline void wait_group_events(int, event_t *)
{
	__syncthreads();
}
template <class T> inline void prefetch(const T *, size_t)
{
}

/* --- Atomics --- */

template <class T> struct atomic_as {
	typedef T type;
};
template <> struct atomic_as<long> {
	typedef long long type;
};
template <> struct atomic_as<ulong> {
	typedef unsigned long long type;
};
/* Sums and exchanges are done on unsigned integers. */
template <class T> struct atomic_bits {
	typedef unsigned long long type;
};
template <> struct atomic_bits<int> {
	typedef uint type;
};
template <> struct atomic_bits<uint> {
	typedef uint type;
};
template <> struct atomic_bits<float> {
	typedef uint type;
};
#define DPR_ATOMIC(name, call, as)                                         \
	template <class T>                                                 \
	inline T atomic_##name(volatile T *p, same<T> a)                   \
	{                                                                  \
		typedef typename as<T>::type B;                            \
		return dpr_as<T>(::call((B *)p, dpr_as<B>(a)));            \
	}                                                                  \
	template <class T> inline T atom_##name(volatile T *p, same<T> a)  \
	{                                                                  \
		return atomic_##name(p, a);                                \
	}
DPR_ATOMIC(add, atomicAdd, atomic_bits)
DPR_ATOMIC(xchg, atomicExch, atomic_bits)
DPR_ATOMIC(and, atomicAnd, atomic_bits)
DPR_ATOMIC(or, atomicOr, atomic_bits)
DPR_ATOMIC(xor, atomicXor, atomic_bits)
DPR_ATOMIC(min, atomicMin, atomic_as)
DPR_ATOMIC(max, atomicMax, atomic_as)
#undef DPR_ATOMIC
template <class T> inline T atomic_sub(volatile T *p, same<T> a)
{
	return atomic_add(p, (T)(0 - a));
}
template <class T> inline T atomic_inc(volatile T *p)
{
	return atomic_add(p, (T)1);
}
template <class T> inline T atomic_dec(volatile T *p)
{
	return atomic_add(p, (T)(0 - (T)1));
}
template <class T>
inline T atomic_cmpxchg(volatile T *p, same<T> old, same<T> a)
{
	typedef typename atomic_bits<T>::type B;

	return dpr_as<T>(::atomicCAS((B *)p, dpr_as<B>(old), dpr_as<B>(a)));
}
template <class T> inline T atom_sub(volatile T *p, same<T> a)
{
	return atomic_sub(p, a);
}
template <class T> inline T atom_inc(volatile T *p)
{
	return atomic_inc(p);
}
template <class T> inline T atom_dec(volatile T *p)
{
	return atomic_dec(p);
}
template <class T>
inline T atom_cmpxchg(volatile T *p, same<T> old, same<T> a)
{
	return atomic_cmpxchg(p, old, a);
}

