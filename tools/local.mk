# SPDX-License-Identifier: Apache-2.0
# The dpr program, linked with libdpr.la, and programs that measure.

# The parts of dpr eval and dpr bench that do not use devices; unit tests link
# them, too.
noinst_LTLIBRARIES += %D%/libtools.la
%C%_libtools_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
%C%_libtools_la_LIBADD = $(DPR_LIBS)
%C%_libtools_la_SOURCES = \
	%D%/bench/bench_measure.c %D%/bench/bench_measure.h \
	%D%/bench/bench_side.c %D%/bench/bench_side.h \
	%D%/bench/bench_values.c %D%/bench/bench_values.h \
	%D%/eval/plot_draw.c %D%/eval/plot_draw.h \
	%D%/eval/point.c %D%/eval/point.h \
	%D%/inspect/trace_events.c %D%/inspect/trace_events.h \
	%D%/inspect/trace_tables.c %D%/inspect/trace_tables.h \
	%D%/shared/json_read.c %D%/shared/json_read.h \
	%D%/kit/note.c %D%/kit/note.h \
	%D%/kit/waited.c %D%/kit/waited.h \
	%D%/shared/message.c %D%/shared/message.h \
	%D%/shared/progress_line.c %D%/shared/progress_line.h \
	%D%/shared/seconds.h

# The baselines on drivers, which tests compile once more: libtools does not use
# devices.
bench_baselines = %D%/bench/bench_baselines.c %D%/bench/bench_calls.c \
	%D%/bench/bench_cl.c %D%/bench/bench_copies.c %D%/bench/bench_cpu.c \
	%D%/bench/bench_driver.c %D%/bench/bench_team.c \
	%D%/bench/level_zero/bench_ze_spirv.c

if TOOL
bin_PROGRAMS += %D%/dpr
%C%_dpr_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) \
	-DTEMPLATE_DIR='"$(templatedir)"'
%C%_dpr_CFLAGS = $(AM_CFLAGS) $(DPR_NO_UNWIND_CFLAGS)
%C%_dpr_LDADD = %D%/libkit.la %D%/libtools.la libdpr.la -lm $(DPR_LIBS)
%C%_dpr_SOURCES = \
	%D%/author/new_plugin.c %D%/author/new_plugin.h \
	%D%/author/show_kernels.c %D%/author/show_kernels.h \
	%D%/bench/bench.c %D%/bench/bench.h \
	%D%/bench/bench_arrays.c %D%/bench/bench_arrays.h \
	%D%/bench/bench_baselines.c %D%/bench/bench_baselines.h \
	%D%/bench/bench_calls.c %D%/bench/bench_calls.h \
	%D%/bench/bench_cl.c %D%/bench/bench_cl.h \
	%D%/bench/bench_cl_arrays.c %D%/bench/bench_cl_arrays.h \
	%D%/bench/bench_cliffs.c %D%/bench/bench_cliffs.h \
	%D%/bench/bench_copies.c %D%/bench/bench_copies.h \
	%D%/bench/bench_cpu.c %D%/bench/bench_cpu.h \
	%D%/bench/bench_cuda.c %D%/bench/bench_cuda.h \
	%D%/bench/bench_driver.c %D%/bench/bench_driver.h \
	%D%/bench/start/bench_cuda_start.c %D%/bench/start/bench_cuda_start.h \
	%D%/bench/level_zero/bench_ze.c %D%/bench/level_zero/bench_ze.h \
	%D%/bench/level_zero/bench_ze_spirv.c \
	%D%/bench/level_zero/bench_ze_spirv.h \
	%D%/bench/level_zero/bench_ze_start.c \
	%D%/bench/level_zero/bench_ze_start.h \
	%D%/bench/bench_rows.c %D%/bench/bench_rows.h \
	%D%/bench/start/bench_child.c %D%/bench/start/bench_child.h \
	%D%/bench/start/bench_first.c %D%/bench/start/bench_first.h \
	%D%/bench/start/bench_start.c %D%/bench/start/bench_start.h \
	%D%/bench/bench_moves.c %D%/bench/bench_moves.h \
	%D%/bench/bench_show.c %D%/bench/bench_show.h \
	%D%/bench/bench_strided.c %D%/bench/bench_strided.h \
	%D%/bench/bench_sweep.c %D%/bench/bench_sweep.h \
	%D%/bench/bench_team.c %D%/bench/bench_team.h \
	%D%/dpr.c \
	%D%/eval/eval.c %D%/eval/eval.h \
	%D%/eval/plot.c %D%/eval/plot.h \
	%D%/inspect/doctor.c %D%/inspect/doctor.h \
	%D%/inspect/findings.c %D%/inspect/findings.h \
	%D%/inspect/isolate.c %D%/inspect/isolate.h \
	%D%/inspect/process_state.c %D%/inspect/process_state.h \
	%D%/inspect/show_cache.c %D%/inspect/show_cache.h \
	%D%/inspect/show_devices.c %D%/inspect/show_devices.h \
	%D%/inspect/trace_summary.c %D%/inspect/trace_summary.h \
	%D%/shared/json.c %D%/shared/json.h

# dpr check-plugin, with the layer "check" and the files that the layer needs:
# libdpr.so does not show them.  Nothing here has to be fast.
noinst_LTLIBRARIES += %D%/libkit.la
%C%_libkit_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
%C%_libkit_la_CFLAGS = $(AM_CFLAGS) $(DPR_NO_UNWIND_CFLAGS) $(DPR_SMALL_CFLAGS)
%C%_libkit_la_SOURCES = \
	%D%/kit/arrays.c %D%/kit/arrays.h \
	%D%/kit/behind.c %D%/kit/behind.h \
	%D%/kit/calls/calls_factors.c \
	%D%/kit/calls/calls_format.c %D%/kit/calls/calls_format.h \
	%D%/kit/calls/calls_job.c %D%/kit/calls/calls_job.h \
	%D%/kit/calls/calls_lapack.c \
	%D%/kit/calls/calls_matrix.c \
	%D%/kit/calls/calls_values.c \
	%D%/kit/check_plugin.c %D%/kit/check_plugin.h \
	%D%/kit/child.c %D%/kit/child.h \
	%D%/kit/groups/group_arrays.c \
	%D%/kit/groups/group_calls.c \
	%D%/kit/groups/group_copies.c \
	%D%/kit/groups/group_descriptor.c \
	%D%/kit/groups/group_devices.c \
	%D%/kit/groups/group_events.c \
	%D%/kit/groups/group_exit.c \
	%D%/kit/groups/group_finish.c \
	%D%/kit/groups/group_host_alloc.c \
	%D%/kit/groups/group_info.c \
	%D%/kit/groups/group_kernels.c \
	%D%/kit/groups/group_loss.c \
	%D%/kit/groups/group_memory.c \
	%D%/kit/groups/group_modules.c \
	%D%/kit/groups/group_open.c \
	%D%/kit/groups/group_order.c \
	%D%/kit/groups/group_outputs.c \
	%D%/kit/groups/group_promptness.c \
	%D%/kit/groups/group_threads.c \
	%D%/kit/groups/groups.h \
	%D%/kit/kit.c %D%/kit/kit.h \
	%D%/kit/kit_host.c %D%/kit/kit_host.h \
	%D%/kit/rules.c %D%/kit/rules.h \
	%D%/kit/samples.c %D%/kit/samples.h \
	%D%/kit/samples_spirv.h %D%/kit/samples_text.h \
	%D%/kit/show.c %D%/kit/show.h \
	%D%/kit/work.c %D%/kit/work.h \
	core/base/clock.c core/base/mem.c core/base/text.c \
	core/runtime/layer/answer.c core/runtime/layer/around.c \
	core/runtime/layer/entries.c core/runtime/layer/finding.c \
	core/runtime/layer/rules/form.c \
	core/runtime/layer/turn.c core/runtime/layer/passage.c \
	core/runtime/layer/submission.c core/runtime/layer/tag.c \
	core/runtime/layer/rules/times.c \
	core/runtime/layer/wrap_device.c core/runtime/layer/wrap_event.c \
	core/runtime/layer/wrap_host.c core/runtime/layer/wrap_mem.c \
	core/runtime/layer/wrap_module.c core/runtime/layer/wrap_plugin.c \
	core/runtime/layer/wrap_queue.c
endif

EXTRA_DIST += %D%/kit/make_spirv.sh

# Draws what dpr bench --sweep has written.
dist_pkgdata_DATA = %D%/bench/bench.gp

# Programs that measure, never part of check.
EXTRA_DIST += %D%/bench/README.md %D%/bench/cliffs_numpy.py \
	%D%/bench/programs/rounds.h \
	%D%/bench/peers.py %D%/bench/peers_dpr.py %D%/bench/peers_numexpr.py
if TOOL
noinst_PROGRAMS += %D%/bench/programs/measure
noinst_LTLIBRARIES += %D%/libprograms.la
endif
%C%_bench_programs_measure_SOURCES = %D%/bench/programs/measure.c \
	%D%/bench/programs/measure.h %D%/bench/bench_team.c \
	%D%/bench/programs/by_hand.c \
	%D%/bench/programs/by_indices.c \
	%D%/bench/programs/factors_cusolver.c \
	%D%/bench/programs/linalg_by_hand.c \
	%D%/bench/programs/products.c \
	%D%/bench/programs/products_cublas.c \
	%D%/bench/programs/reduced.c \
	%D%/bench/programs/rows_by_hand.c \
	%D%/bench/programs/trace_cost.c \
	%D%/bench/programs/transfers.c \
	%D%/bench/programs/turns.c \
	%D%/bench/programs/vector_functions.c
%C%_bench_programs_measure_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
%C%_bench_programs_measure_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
%C%_bench_programs_measure_LDADD = %D%/libprograms.la %D%/libtools.la libdpr.la \
	-lm $(DPR_LIBS)
# Programs with loops that are only as fast as they are vectorised.
%C%_libprograms_la_SOURCES = %D%/bench/programs/loops.h \
	%D%/bench/programs/fused.c \
	%D%/bench/programs/heat_by_hand.c \
	%D%/bench/programs/native_images.c \
	%D%/bench/programs/rows.c
%C%_libprograms_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
%C%_libprograms_la_CFLAGS = $(AM_CFLAGS) $(DPR_NATIVE_CFLAGS) $(OPENMP_CFLAGS)
# In C++, which dpr itself does not need: made by its name.
EXTRA_PROGRAMS += %D%/bench/programs/cplusplus
%C%_bench_programs_cplusplus_SOURCES = %D%/bench/programs/cplusplus.cc
%C%_bench_programs_cplusplus_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
%C%_bench_programs_cplusplus_CXXFLAGS = -std=c++17 -Wall -Wextra -O2
%C%_bench_programs_cplusplus_LDADD = libdpr.la

# Completion for shells, which the program describes by its help.  Where programs for
# another machine are built, there is none.
EXTRA_DIST += %D%/completion/bash.awk %D%/completion/dpr.bash \
	%D%/completion/dpr.fish %D%/completion/dpr.zsh %D%/completion/fish.awk \
	%D%/completion/generate.sh %D%/completion/parse.awk %D%/completion/zsh.awk
if TOOL
if !CROSS_COMPILING
bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = %D%/completion/bash/dpr
fishcompletiondir = $(datadir)/fish/vendor_completions.d
fishcompletion_DATA = %D%/completion/fish/dpr.fish
zshcompletiondir = $(datadir)/zsh/site-functions
zshcompletion_DATA = %D%/completion/zsh/_dpr
completions = $(bashcompletion_DATA) $(fishcompletion_DATA) $(zshcompletion_DATA)
CLEANFILES += $(completions)
$(completions): %D%/dpr$(EXEEXT) include/dpr/info.h %D%/completion/bash.awk \
	%D%/completion/dpr.bash %D%/completion/dpr.fish %D%/completion/dpr.zsh \
	%D%/completion/fish.awk %D%/completion/generate.sh \
	%D%/completion/parse.awk %D%/completion/zsh.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && shell=$(@D) && \
	AWK='$(AWK)' $(SHELL) $(top_srcdir)/%D%/completion/generate.sh \
	    "$${shell##*/}" %D%/dpr$(EXEEXT) $(top_srcdir)/include/dpr/info.h \
	    >$@.tmp && mv $@.tmp $@
endif
endif
