# SPDX-License-Identifier: Apache-2.0
# core/runtime/layer: the layers between the core and plugins.

core_libdprcore_la_SOURCES += \
	%D%/answer.c %D%/answer.h \
	%D%/around.c %D%/around.h \
	%D%/entries.c %D%/entries.h \
	%D%/fault.c %D%/fault.h \
	%D%/finding.c %D%/finding.h \
	%D%/layer.c %D%/layer.h \
	%D%/layered.h \
	%D%/logged.c %D%/logged.h \
	%D%/passage.c %D%/passage.h \
	%D%/rules/form.c %D%/rules/form.h \
	%D%/rules/times.c %D%/rules/times.h \
	%D%/submission.c %D%/submission.h \
	%D%/tag.c %D%/tag.h \
	%D%/turn.c %D%/turn.h \
	%D%/watch.c %D%/watch.h \
	%D%/wrap_device.c %D%/wrap_device.h \
	%D%/wrap_event.c %D%/wrap_event.h \
	%D%/wrap_host.c %D%/wrap_host.h \
	%D%/wrap_mem.c %D%/wrap_mem.h \
	%D%/wrap_module.c %D%/wrap_module.h \
	%D%/wrap_plugin.c %D%/wrap_plugin.h \
	%D%/wrap_queue.c %D%/wrap_queue.h
