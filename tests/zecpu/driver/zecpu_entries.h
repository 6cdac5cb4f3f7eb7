/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zecpu_entries.h - the functions that the driver has.
 *
 * X(table, function): the function zeTABLEFUNCTION is in the table TABLE.  A
 * function that is not listed is NULL in the loader's table, and the loader
 * then answers ZE_RESULT_ERROR_UNSUPPORTED_FEATURE.
 */
#ifndef ZECPU_ENTRIES_H
#define ZECPU_ENTRIES_H

#define ZECPU_DRIVER(X)                   \
	X(Driver, Get)                    \
	X(Driver, GetApiVersion)          \
	X(Driver, GetProperties)          \
	X(Driver, GetIpcProperties)       \
	X(Driver, GetExtensionProperties) \
	X(Driver, GetExtensionFunctionAddress)

#define ZECPU_DEVICE(X)                           \
	X(Device, Get)                            \
	X(Device, GetSubDevices)                  \
	X(Device, GetProperties)                  \
	X(Device, GetComputeProperties)           \
	X(Device, GetModuleProperties)            \
	X(Device, GetCommandQueueGroupProperties) \
	X(Device, GetMemoryProperties)            \
	X(Device, GetMemoryAccessProperties)      \
	X(Device, GetCacheProperties)             \
	X(Device, GetExternalMemoryProperties)    \
	X(Device, GetP2PProperties)               \
	X(Device, CanAccessPeer)                  \
	X(Device, GetStatus)                      \
	X(Device, GetGlobalTimestamps)            \
	X(Device, PciGetPropertiesExt)

#define ZECPU_CONTEXT(X)               \
	X(Context, Create)             \
	X(Context, CreateEx)           \
	X(Context, Destroy)            \
	X(Context, GetStatus)          \
	X(Context, SystemBarrier)      \
	X(Context, MakeMemoryResident) \
	X(Context, EvictMemory)

#define ZECPU_MEM(X)               \
	X(Mem, AllocShared)        \
	X(Mem, AllocDevice)        \
	X(Mem, AllocHost)          \
	X(Mem, Free)               \
	X(Mem, FreeExt)            \
	X(Mem, GetAllocProperties) \
	X(Mem, GetAddressRange)    \
	X(Mem, GetIpcHandle)       \
	X(Mem, OpenIpcHandle)      \
	X(Mem, CloseIpcHandle)

#define ZECPU_EVENT_POOL(X)  \
	X(EventPool, Create) \
	X(EventPool, Destroy)

#define ZECPU_EVENT(X)            \
	X(Event, Create)          \
	X(Event, Destroy)         \
	X(Event, HostSignal)      \
	X(Event, HostSynchronize) \
	X(Event, QueryStatus)     \
	X(Event, HostReset)       \
	X(Event, QueryKernelTimestamp)

#define ZECPU_QUEUE(X)                       \
	X(CommandQueue, Create)              \
	X(CommandQueue, Destroy)             \
	X(CommandQueue, ExecuteCommandLists) \
	X(CommandQueue, Synchronize)

#define ZECPU_FENCE(X)            \
	X(Fence, Create)          \
	X(Fence, Destroy)         \
	X(Fence, HostSynchronize) \
	X(Fence, QueryStatus)     \
	X(Fence, Reset)

#define ZECPU_LIST(X)                               \
	X(CommandList, Create)                      \
	X(CommandList, CreateImmediate)             \
	X(CommandList, Destroy)                     \
	X(CommandList, Close)                       \
	X(CommandList, Reset)                       \
	X(CommandList, AppendWriteGlobalTimestamp)  \
	X(CommandList, AppendBarrier)               \
	X(CommandList, AppendMemoryRangesBarrier)   \
	X(CommandList, AppendMemoryCopy)            \
	X(CommandList, AppendMemoryCopyFromContext) \
	X(CommandList, AppendMemoryCopyRegion)      \
	X(CommandList, AppendMemoryFill)            \
	X(CommandList, AppendMemoryPrefetch)        \
	X(CommandList, AppendMemAdvise)             \
	X(CommandList, AppendSignalEvent)           \
	X(CommandList, AppendWaitOnEvents)          \
	X(CommandList, AppendEventReset)            \
	X(CommandList, AppendQueryKernelTimestamps) \
	X(CommandList, AppendLaunchKernel)          \
	X(CommandList, AppendLaunchCooperativeKernel)

#define ZECPU_MODULE(X)            \
	X(Module, Create)          \
	X(Module, Destroy)         \
	X(Module, DynamicLink)     \
	X(Module, GetNativeBinary) \
	X(Module, GetKernelNames)  \
	X(Module, GetProperties)

#define ZECPU_BUILD_LOG(X)         \
	X(ModuleBuildLog, Destroy) \
	X(ModuleBuildLog, GetString)

#define ZECPU_KERNEL(X)                            \
	X(Kernel, Create)                          \
	X(Kernel, Destroy)                         \
	X(Kernel, SetCacheConfig)                  \
	X(Kernel, SetGroupSize)                    \
	X(Kernel, SuggestGroupSize)                \
	X(Kernel, SuggestMaxCooperativeGroupCount) \
	X(Kernel, SetArgumentValue)                \
	X(Kernel, SetIndirectAccess)               \
	X(Kernel, GetIndirectAccess)               \
	X(Kernel, GetSourceAttributes)             \
	X(Kernel, GetProperties)                   \
	X(Kernel, GetName)

#define ZECPU_KERNEL_EXP(X) X(Kernel, SetGlobalOffsetExp)

#define ZECPU_ENTRIES(X)                                           \
	ZECPU_DRIVER(X)                                            \
	ZECPU_DEVICE(X)                                            \
	ZECPU_CONTEXT(X)                                           \
	ZECPU_MEM(X)                                               \
	ZECPU_EVENT_POOL(X)                                        \
	ZECPU_EVENT(X) ZECPU_QUEUE(X) ZECPU_FENCE(X) ZECPU_LIST(X) \
		ZECPU_MODULE(X) ZECPU_BUILD_LOG(X) ZECPU_KERNEL(X) \
			ZECPU_KERNEL_EXP(X)

/* Functions of newer versions or of extensions, which a program gets with
   zeDriverGetExtensionFunctionAddress. */
#define ZECPU_EXTENSIONS(X)               \
	X(zeCommandListHostSynchronize)   \
	X(zexDriverImportExternalPointer) \
	X(zexDriverReleaseImportedPointer)

#endif
