# SPDX-License-Identifier: Apache-2.0
# Documentation: man pages go to dist_man_MANS, the rest to EXTRA_DIST.

EXTRA_DIST += %D%/RATIONALE.md %D%/parity.awk %D%/parity.list %D%/tour.md

# Guides.  The sessions of a page find dpr where "make check" installs it for them.
include $(top_srcdir)/%D%/guide/local.mk
include $(top_srcdir)/%D%/porting/local.mk
pages = $(guide_pages) $(porting_pages) README.md
guide_stage = $(abs_builddir)/tests/cache/stage
TEST_EXTENSIONS = .md
MD_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/build/run-guide.sh
AM_MD_LOG_FLAGS = '$(guide_stage)$(prefix)'
if TOOL
TESTS += $(pages)
endif
$(pages:.md=.log): stage-for-guides
stage-for-guides:
	$(AM_V_at)rm -rf '$(guide_stage)' && $(MKDIR_P) '$(guide_stage)' && \
	{ $(MAKE) $(AM_MAKEFLAGS) install DESTDIR= 'prefix=$(guide_stage)$(prefix)' \
	    >'$(guide_stage)/log' 2>&1 || { cat '$(guide_stage)/log'; exit 1; }; } && \
	for f in `find '$(guide_stage)' -name '*.pc'`; do \
	  $(SED) 's|^prefix=.*|prefix=$(guide_stage)$(prefix)|' "$$f" >"$$f.tmp" && \
	  mv "$$f.tmp" "$$f" || exit 1; \
	done

# Pictures of guides, and the rates that they show.
EXTRA_DIST += %D%/guide/rate-h200.svg %D%/guide/rate-h200.tsv \
	%D%/guide/rate-host.svg %D%/guide/rate-host.tsv

# For users; and for authors of backends.
dist_doc_DATA = %D%/building-programs.md %D%/invalid-contents.md %D%/parity.md \
	%D%/tested-on.md
dist_doc_DATA += %D%/abi.md %D%/writing-a-backend.md

dist_man_MANS += %D%/man/dpr.7 %D%/man/dpr-backend.7 %D%/man/dpr-expression.7 \
	%D%/man/dpr-selector.7
if TOOL
dist_man_MANS += \
	%D%/man/dpr.1 \
	%D%/man/dpr-bench.1 \
	%D%/man/dpr-cache.1 \
	%D%/man/dpr-check-plugin.1 \
	%D%/man/dpr-devices.1 \
	%D%/man/dpr-doctor.1 \
	%D%/man/dpr-eval.1 \
	%D%/man/dpr-kernels.1 \
	%D%/man/dpr-new-plugin.1 \
	%D%/man/dpr-trace-summary.1
endif

# The pages of section 3, a page for each function, type and macro, from the
# comments in the headers.  The stamp lists the pages.
# facts.awk reads tables of kernels/, parity.list and the lists in reference/.
EXTRA_DIST += %D%/reference/tables.awk %D%/reference/man.awk \
	%D%/reference/facts.awk $(reference_lists)
reference_lists = %D%/reference/examples.list %D%/reference/shapes.list \
	%D%/reference/special.list
facts_tables = $(reference_lists) %D%/reference/facts.awk %D%/parity.list \
	kernels/operations.def kernels/reductions.def
man3dir = $(mandir)/man3
functions_headers = $(dprinclude_HEADERS) $(nodist_dprinclude_HEADERS)
CLEANFILES += %D%/man/functions.list
if DOC
all-local: %D%/man/functions.list
nodist_man_MANS = %D%/man/dpr-topics.7 %D%/man/dpr-environment.7
endif
%D%/man/functions.list: %D%/reference/man.awk %D%/reference/tables.awk \
	$(facts_tables) $(functions_headers)
	$(AM_V_GEN)rm -rf %D%/man/man3 && $(MKDIR_P) %D%/man/man3 && \
	list= && for h in $(functions_headers); do \
	  test -f "$$h" || h=$(srcdir)/$$h; \
	  case $$h in *.h) list="$$list $$h" ;; esac; \
	done && \
	$(AWK) -v dir=%D%/man/man3 -v version=$(VERSION) -v top=$(top_srcdir) \
	    -f $(top_srcdir)/%D%/reference/tables.awk \
	    -f $(top_srcdir)/%D%/reference/facts.awk \
	    -f $(top_srcdir)/%D%/reference/man.awk $$list pass=2 $$list && \
	ls %D%/man/man3 >$@.tmp && mv $@.tmp $@
# The index by topic.
EXTRA_DIST += %D%/reference/topics.list %D%/reference/topics.awk
CLEANFILES += %D%/man/dpr-topics.7
%D%/man/dpr-topics.7: %D%/man/functions.list %D%/reference/topics.list \
	%D%/reference/topics.awk
	$(AM_V_GEN)$(AWK) -v version=$(VERSION) \
	    -f $(top_srcdir)/%D%/reference/topics.awk \
	    $(top_srcdir)/%D%/reference/topics.list %D%/man/man3/*.3 >$@.tmp && \
	mv $@.tmp $@
# The environment variables, from the table that `dpr doctor --env` prints.
EXTRA_DIST += %D%/reference/environment.awk
CLEANFILES += %D%/man/dpr-environment.7
%D%/man/dpr-environment.7: core/base/env.h %D%/reference/environment.awk
	$(AM_V_GEN)$(MKDIR_P) %D%/man && $(AWK) -v version=$(VERSION) \
	    -f $(top_srcdir)/%D%/reference/environment.awk \
	    $(top_srcdir)/core/base/env.h >$@.tmp && mv $@.tmp $@
clean-local: clean-functions
clean-functions:
	rm -rf %D%/man/man3 %D%/html/html

# The reference in HTML, by Doxygen: make html, make install-html.
EXTRA_DIST += %D%/reference/Doxyfile.in %D%/reference/dox.awk \
	%D%/reference/doxygen.awk %D%/reference/doxygen_cxx.awk \
	%D%/reference/dark.css %D%/reference/html.css %D%/reference/labels.awk \
	%D%/reference/man_dox.awk %D%/reference/mainpage.awk %D%/reference/pages.awk
CLEANFILES += %D%/html/Doxyfile %D%/html/index.md %D%/html/*.dox
html_pages = $(pages) %D%/building-programs.md %D%/invalid-contents.md \
	%D%/writing-a-backend.md %D%/abi.md %D%/tested-on.md %D%/parity.md %D%/tour.md \
	HACKING.md
# Man pages that are pages of the HTML, too.
html_commands = bench cache check-plugin devices doctor eval kernels new-plugin \
	trace-summary
html_mans = $(top_srcdir)/%D%/man/dpr.1 \
	$(html_commands:%=$(top_srcdir)/%D%/man/dpr-%.1) \
	%D%/man/dpr-environment.7 $(top_srcdir)/%D%/man/dpr-expression.7 \
	$(top_srcdir)/%D%/man/dpr-selector.7 $(top_srcdir)/%D%/man/dpr.7 \
	$(top_srcdir)/%D%/man/dpr-backend.7
doxygen_filter = $(AWK) -v top=$(top_srcdir) \
	-f $(top_srcdir)/%D%/reference/tables.awk \
	-f $(top_srcdir)/%D%/reference/facts.awk -f $(top_srcdir)/%D%/reference/dox.awk
html-local: $(functions_headers) %D%/man/dpr-environment.7
	@doxygen --version >/dev/null 2>&1 || \
	{ echo "make html: install Doxygen (Debian: doxygen)" >&2; exit 1; }
	$(AM_V_GEN)rm -rf %D%/html/html && $(MKDIR_P) %D%/html && \
	for m in $(html_mans); do \
	  $(AWK) -v "name=$${m##*/}" -v known="`for k in $(html_mans); do echo $${k##*/}; done | tr '\n' ' '`" \
	      -f $(top_srcdir)/%D%/reference/labels.awk \
	      -f $(top_srcdir)/%D%/reference/man_dox.awk "$$m" >"%D%/html/$${m##*/}.dox" || exit; \
	done && \
	$(AWK) -v tree='$(top_srcdir)' -v pages='$(html_pages)' -v mans='$(html_mans)' \
	    -f $(top_srcdir)/%D%/reference/labels.awk \
	    -f $(top_srcdir)/%D%/reference/mainpage.awk \
	    $(top_srcdir)/include/dpr/*.h $(top_builddir)/include/dpr/*.h \
	    $(top_srcdir)/%D%/reference/topics.list >%D%/html/index.md && \
	dark= && { doxygen -s -g - | grep -q '^HTML_COLORSTYLE ' || \
	    dark=$(top_srcdir)/%D%/reference/dark.css; } && \
	$(SED) -e 's|@VERSION[@]|$(VERSION)|; s|@AWK[@]|$(AWK)|g; s|@FILTER[@]|$(doxygen_filter)|' \
	    -e "s|@DARK[@]|$$dark|" \
	    -e 's|@srcdir[@]|$(top_srcdir)|g; s|@OUTPUT[@]|%D%/html|' \
	    -e 's|@INPUT[@]|%D%/html/index.md @PAGES@ @MANS@ $(top_srcdir)/include/dpr $(top_builddir)/include/dpr|' \
	    -e "s|@PAGES[@]|`for p in $(html_pages); do printf '%s ' '$(top_srcdir)'/$$p; done`|" \
	    -e "s|@MANS[@]|`for m in $(html_mans); do printf '%s ' %D%/html/$${m##*/}.dox; done`|" \
	    -e 's|@STRIP[@]|$(top_srcdir)/include $(top_builddir)/include $(abs_top_srcdir) $(abs_top_builddir)|' \
	    $(top_srcdir)/%D%/reference/Doxyfile.in >%D%/html/Doxyfile && \
	doxygen %D%/html/Doxyfile
install-html-local: html
	$(MKDIR_P) "$(DESTDIR)$(htmldir)"
	cp -R %D%/html/html/. "$(DESTDIR)$(htmldir)"

if DOC
install_functions = install-functions
uninstall_functions = uninstall-functions
endif
install-functions: %D%/man/functions.list
	$(MKDIR_P) "$(DESTDIR)$(man3dir)"
	cd %D%/man/man3 && $(INSTALL_DATA) *.3 "$(DESTDIR)$(man3dir)"
uninstall-functions:
	test ! -f %D%/man/functions.list || \
	{ cd "$(DESTDIR)$(man3dir)" && rm -f `cat $(abs_builddir)/%D%/man/functions.list`; }

# README, guides and examples are installed as they are in the tarball, but with
# links that fit there.  Whatever the tarball has of these folders is installed:
# nothing else has to be listed.  The second list has all pages to link to.
dist_doc_DATA += LICENSE NEWS
EXTRA_DIST += %D%/links.awk
noinst_DATA = %D%/pages.list %D%/linked.list
CLEANFILES += $(noinst_DATA)
if DOC
pages_folders = %D%/guide %D%/porting examples
endif
%D%/pages.list: Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && echo README.md >$@.tmp && \
	for f in $(DISTFILES); do \
	  f=$${f#'$(srcdir)'/}; \
	  for d in $(pages_folders); do \
	    case $$f in *.mk | *.list) ;; $$d/*) echo "$$f" ;; esac; \
	  done; \
	done | sort -u >>$@.tmp && mv $@.tmp $@
%D%/linked.list: %D%/pages.list
	$(AM_V_GEN){ cat %D%/pages.list; for f in $(dist_doc_DATA); do echo "$$f"; done; } \
	  >$@.tmp && mv $@.tmp $@
install-data-local: install-pages $(install_functions)
install-pages: %D%/pages.list %D%/linked.list
	@tmp=%D%/page.$$$$; while read -r f; do \
	  from=$$f; test -f "$$from" || from=$(srcdir)/$$f; \
	  to=$(DESTDIR)$(docdir)/$${f#%D%/}; \
	  $(MKDIR_P) "$${to%/*}" || exit; \
	  case $$f in \
	  *.md) $(AWK) -v page="$$f" -f $(top_srcdir)/%D%/links.awk %D%/linked.list \
	      "$$from" >$$tmp && from=$$tmp || exit ;; \
	  esac; \
	  $(INSTALL_DATA) "$$from" "$$to" || exit; \
	done <%D%/pages.list; rm -f $$tmp
uninstall-local: uninstall-pages $(uninstall_functions)
uninstall-pages: %D%/pages.list
	@while read -r f; do \
	  rm -f "$(DESTDIR)$(docdir)/$${f#%D%/}"; \
	done <%D%/pages.list; \
	sed -n 's|^%D%/||; s|/[^/]*$$||p' %D%/pages.list | sort -ru | \
	while read -r d; do \
	  rmdir "$(DESTDIR)$(docdir)/$$d" 2>/dev/null; \
	done; :
