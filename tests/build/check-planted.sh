#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The check-*.sh scripts themselves: each accepts a small clean tree, and
# rejects it after one violation is planted, for that violation's reason.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr planted.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
CC=${CC:-cc}
failed=0 planted=0

# CC may be several words.
compile() {
	# shellcheck disable=SC2086
	$CC "$@"
}

if ! compile --version >/dev/null 2>&1; then
	echo "needs $CC"
	exit 77
fi

# put FILE: write standard input to a file of the tree.
put() {
	mkdir -p "$(dirname "$1")" && cat >"$1"
}

# accepts WHAT COMMAND...
accepts() {
	what=$1
	shift
	"$@" >out 2>&1 && return
	echo "FAIL: $what was rejected:"
	sed 's/^/    /' out
	failed=1
}

# rejects PATTERN COMMAND...: it must fail with a line that matches.
rejects() {
	pattern=$1
	shift
	planted=$((planted + 1))
	"$@" >out 2>&1
	rc=$?
	[ $rc -eq 1 ] && grep -Eq "$pattern" out && return
	echo "FAIL: planted violation got through (exit $rc): $pattern"
	sed 's/^/    /' out
	failed=1
}

# --- check-layers.sh --------------------------------------------------------

clean_tree() {
	rm -rf tree objects
	put tree/include/dpr/x.h <<-'END'
		#include <stddef.h>
		#include <dpr/y.h>
	END
	put tree/core/base/b.c <<-'END'
		/* getenv("PATH"), abort() and stderr in a comment are fine. */
		#include <stdio.h>
		#include "core/base/b.h"
		#include "b.h"
		static const char *text = "exit(1) \" abort()"; // abort()
		int f(char *s) { return snprintf(s, 3, "%s", text); }
	END
	put tree/core/base/b.h </dev/null
	put tree/core/base/env.c <<-'END'
		char *e(void) { return secure_getenv("DPR_LOG"); }
	END
	put tree/core/runtime/r.c <<-'END'
		#include <dpr/backend.h>
		#include "core/runtime/r.h"
		#include "core/base/b.h"
	END
	put tree/core/array/a.c <<-'END'
		#include <dpr/x.h>
		#include "core/base/b.h"
	END
	put tree/backends/opencl/ocl_a.c <<-'END'
		#include <CL/cl.h>
		#include <dpr/backend.h>
		#include <dpr/backend-help.h>
		#include "ocl_a.h"
	END
	put tree/backends/opencl/ocl_a.h </dev/null
	put tree/tools/t.c <<-'END'
		#include <stdio.h>
		#include <dpr/dpr.h>
		int main(void) { printf("x"); return 0; }
	END
}

# plant FILE TEXT PATTERN: append TEXT to FILE of a clean tree.
plant() {
	clean_tree
	mkdir -p "tree/$(dirname "$1")"
	printf '%s\n' "$2" >>"tree/$1"
	rejects "$3" "$here/check-layers.sh" tree ''
}

# Two headers that include each other.
clean_tree
echo '#include "b2.h"' >>tree/core/base/b.h
echo '#include "core/base/b.h"' >tree/core/base/b2.h
rejects 'a circle of headers: core/base/b\.h core/base/b2\.h' \
	"$here/check-layers.sh" tree ''

# object FOLDER FILE CODE: a source of the tree and its object.
object() {
	mkdir -p "objects/$1/.libs"
	printf '%s\n' "$3" | put "tree/$1/$2.c"
	compile -c "tree/$1/$2.c" -o "objects/$1/.libs/libx_la-$2.o" || exit 99
}

# The same through symbols: object files of three layers, TEXT added to one.
objects() {
	clean_tree
	for layer in base runtime array; do
		case $layer in
		base) code='int base_f(void) { return 1; }' ;;
		runtime) code='int base_f(void); int runtime_f(void)
			{ return base_f(); } int dpr_r(void) { return 2; }' ;;
		array) code='int dpr_r(void); int dpr_a(void)
			{ return dpr_r(); } int array_f(void) { return 3; }' ;;
		esac
		[ "$layer" = "$1" ] && code="$code $2"
		object "core/$layer" "$layer" "$code"
	done
}

clean_tree
accepts 'a clean tree' "$here/check-layers.sh" tree ''
plant core/base/b.c '#include "core/runtime/r.h"' 'core/base stands on nothing'
plant core/base/b.c '#include "core/array/a.h"' 'core/base stands on nothing'
plant core/base/b.c '#  include  "../runtime/r.h"' 'core/base stands on nothing'
plant core/runtime/r.c '#include "core/array/a.h"' 'core/runtime may use'
plant core/array/a.c '#include "core/runtime/r.h"' 'core/array may use'
plant kernels/k.c '#include "core/array/a.h"' 'kernels may use'
plant core/array/a.c '#include <dpr/backend.h>' 'not plugin tables'
plant core/runtime/r.c '#include <dpr/backend-help.h>' 'what helps plugins'
plant core/runtime/r.c '#include "backends/opencl/ocl_a.h"' 'core/runtime may'
plant core/runtime/r.c '#include <CL/cl.h>' 'belongs to backends/opencl'
plant include/dpr/x.h '#include <CL/cl.h>' 'belongs to backends/opencl'
plant include/dpr/x.h '#include "core/base/b.h"' 'public headers include'
plant backends/opencl/ocl_a.c '#include <cuda.h>' 'belongs to backends/cuda'
plant backends/opencl/ocl_a.c '#include <ze_api.h>' \
	'belongs to backends/level_zero'
plant backends/opencl/ocl_a.c '#include <dpr/dpr.h>' 'a plugin may use'
plant backends/opencl/ocl_a.c '#include "core/base/b.h"' 'a plugin may use'
plant backends/host/host_a.c '#include "backends/opencl/ocl_a.h"' \
	'a plugin may use'
plant backends/opencl/ocl_a.c '#include "backends/common/c.h"' 'a plugin may use'
plant tools/t.c '#include "core/base/b.h"' 'programs use the public headers'
plant tools/t.c '#include <dpr/backend.h>' 'programs use the public headers'
plant tools/shared/s.c '#include "tools/eval/e.h"' 'stands on tools/shared'
plant tools/eval/e.c '#include "tools/bench/b.h"' 'bench is another command'
plant core/runtime/r.c 'char *g(void) { return getenv("X"); }' \
	'r\.c:.*reads the environment'
plant backends/opencl/ocl_a.c 'extern char **environ;' 'reads the environment'
plant core/array/a.c 'void g(void) { abort(); }' 'never ends the process'
plant core/runtime/queue/q.c '#include "core/runtime/memory/m.h"' \
	'memory comes after core/runtime/queue'
plant core/runtime/plugin/p.c '#include "core/runtime/transfer/t.h"' \
	'transfer comes after core/runtime/plugin'
plant core/array/element/e.c '#include "core/array/functions/f.h"' \
	'functions comes after core/array/element'
plant core/runtime/attic/a.c 'int g;' 'runtime/attic is not in the list'
plant backends/opencl/ocl_a.c 'void g(void) { exit (1); }' 'never ends'
plant core/base/b.c 'void g(void) { printf("x"); }' 'never prints'
plant core/base/b.c 'void g(void) { fputs("x", stderr); }' 'through the log'

objects none ''
accepts 'clean objects' "$here/check-layers.sh" tree objects
objects base 'int runtime_f(void); int g(void) { return runtime_f(); }'
rejects 'base\.c refers to runtime_f' "$here/check-layers.sh" tree objects
objects base 'int dpr_a(void); int g(void) { return dpr_a(); }'
rejects 'base\.c refers to dpr_a' "$here/check-layers.sh" tree objects
objects runtime 'int dpr_a(void); int g(void) { return dpr_a(); }'
rejects 'runtime\.c refers to dpr_a' "$here/check-layers.sh" tree objects
objects array 'int runtime_f(void); int g(void) { return runtime_f(); }'
rejects 'array\.c refers to runtime_f' "$here/check-layers.sh" tree objects

# The same within a layer.
room() { # FOLDER CODE [FILE]
	object "$1" "${3:-${1##*/}}" "$2"
}
rooms() {
	objects none ''
	room core/runtime/device 'int device_f(void) { return 1; }'
	room core/runtime/queue 'int device_f(void); int queue_f(void)
		{ return device_f(); }'
	room core/array/launch 'int launch_f(void) { return 1; }'
	room backends/b 'int b_one(void) { return 1; }' b_one
	room tools/t 'int b_one(void); int t_f(void) { return b_one(); }
		int main(void) { return 0; }'
}
rooms
accepts 'clean folders' "$here/check-layers.sh" tree objects
room core/runtime/device 'int queue_f(void); int device_f(void)
	{ return queue_f(); }'
rejects 'device\.c refers to queue_f' "$here/check-layers.sh" tree objects
rooms
room core/array/layout 'int launch_f(void); int layout_f(void)
	{ return launch_f(); }'
rejects 'layout\.c refers to launch_f' "$here/check-layers.sh" tree objects

# Circles of two and of three files, and names.
rooms
room core/base 'int text_f(void); int mem_f(void) { return text_f(); }' mem
room core/base 'int mem_f(void); int text_f(void) { return mem_f(); }' text
rejects 'core: a circle of files: mem text $' "$here/check-layers.sh" tree objects
rm tree/core/base/text.c
accepts 'the object of a file that is gone' "$here/check-layers.sh" tree objects
rooms
room backends/b 'int b_two(void); int b_one(void) { return b_two(); }' b_one
room backends/b 'int b_three(void); int b_two(void) { return b_three(); }' b_two
room backends/b 'int b_one(void); int b_three(void) { return b_one(); }' b_three
rejects 'backends/b: a circle of files: b_one b_three b_two $' \
	"$here/check-layers.sh" tree objects
rooms
room tools/t 'int a_f(void); int t_f(void) { return a_f(); }'
room tools/a 'int t_f(void); int a_f(void) { return t_f(); }'
rejects 'tools: a circle of files: a t $' "$here/check-layers.sh" tree objects
rooms
room core/runtime/queue 'int queued_f(void) { return 1; }'
rejects 'queue\.c defines queued_f' "$here/check-layers.sh" tree objects
rooms
room tools/t 'int t_table[3];  int run(void) { return 1; }'
rejects 't\.c defines run' "$here/check-layers.sh" tree objects
rooms
room backends/b 'int b_onetable[3] = { 1 };' b_one
rejects 'b_one\.c defines b_onetable' "$here/check-layers.sh" tree objects

# --- check-exports.sh -------------------------------------------------------

# shared NAME FLAGS: build NAME.so from standard input.
shared() {
	cat >"$1.c"
	# shellcheck disable=SC2086 # FLAGS are words
	compile -shared -fPIC $2 -o "$1.so" "$1.c" -Wl,-z,nodelete || exit 99
}

mkdir -p inc/dpr
put inc/dpr/x.h <<'END'
int dpr_one(int a);
const char *dpr_two(void);
static inline int dpr_three(void) { return dpr_one(3); }
END
shared lib '' <<'END'
int dpr_one(int a) { return a; }
const char *dpr_two(void) { return ""; }
END
shared lib_more '' <<'END'
int dpr_one(int a) { return a; }
const char *dpr_two(void) { return ""; }
int dpr_four(void) { return 4; }
END
shared lib_less '' <<'END'
int dpr_one(int a) { return a; }
END
shared plugin '' <<'END'
int dpr_plugin_abi1(void) { return 0; }
END
shared plugin_more '' <<'END'
int dpr_plugin_abi1(void) { return 0; }
int helper(void) { return 0; }
END

if gcc --version >/dev/null 2>&1; then
	accepts 'a clean library' "$here/check-exports.sh" ./lib.so inc \
		./plugin.so
	rejects 'exports dpr_four' "$here/check-exports.sh" ./lib_more.so inc
	rejects 'declares dpr_two' "$here/check-exports.sh" ./lib_less.so inc
	rejects '^ *helper' "$here/check-exports.sh" ./lib.so inc \
		./plugin.so ./plugin_more.so
fi

# --- check-needed.sh --------------------------------------------------------

if readelf --version >/dev/null 2>&1; then
	accepts 'a clean library' "$here/check-needed.sh" ./lib.so
	# A dependency that is there on every machine: the one just made.
	compile -shared -fPIC -Wl,--no-as-needed -o needs.so plugin.c ./lib.so \
		-Wl,-z,nodelete || exit 99
	rejects 'needs .*lib\.so' "$here/check-needed.sh" ./lib.so ./needs.so
	compile -shared -fPIC -o delete.so plugin.c || exit 99
	rejects 'NODELETE' "$here/check-needed.sh" ./delete.so
	shared stack '-Wl,-z,execstack' <plugin.c
	rejects 'executable stack' "$here/check-needed.sh" ./stack.so
	shared rpath '-Wl,-rpath,/tmp' <plugin.c
	rejects 'search path' "$here/check-needed.sh" ./rpath.so
	shared textrel '-Wl,-z,notext' <<-'END'
		int target;
		__asm__(".text\n\t.quad target\n");
	END
	rejects 'text relocations' "$here/check-needed.sh" ./textrel.so
	case $(uname -m) in
	x86_64)
		shared tls '-ftls-model=initial-exec' <<-'END'
			__thread int t;
			int f(void) { return t; }
		END
		rejects 'static thread' "$here/check-needed.sh" ./tls.so ;;
	esac
fi

# --- check-headers.sh -------------------------------------------------------

# header TEXT: one header, of that text.
header() {
	rm -rf hdr
	put hdr/dpr/x.h <<-END
		#ifndef X
		#define X
		$1
		#endif
	END
}
header 'int dpr_f(void);'
accepts 'a clean header' "$here/check-headers.sh" hdr
header 'size_t dpr_f(void);'
rejects 'x\.h: not clean as c11' "$here/check-headers.sh" hdr
header 'int dpr_f(int class);'
if command -v g++ >/dev/null 2>&1; then
	rejects 'x\.h: not clean as c\+\+17' "$here/check-headers.sh" hdr
fi
header 'static int dpr_f(void) { return 0; }'
rejects 'not clean' "$here/check-headers.sh" hdr
commented='/* What dpr_f and dpr_g do. */
DPR_API int dpr_f(void);
DPR_API int dpr_g(int a,
	int b);'
header "#define DPR_API
$commented"
accepts 'a header with a comment' "$here/check-headers.sh" hdr
header "#define DPR_API
$commented

DPR_API int dpr_h(void);"
rejects 'x\.h:[0-9]*: no comment above: .*dpr_h' "$here/check-headers.sh" hdr
header "#define DPR_API
$commented

static inline int dpr_i(void)
{
	return 1;
}"
rejects 'x\.h:[0-9]*: no comment above: .*dpr_i' "$here/check-headers.sh" hdr
# cxx_header TEXT: one header for C++, with a class that has TEXT in it.
cxx_header() {
	header 'int dpr_f(void);'
	put hdr/dpr/y.hpp <<END
#ifndef Y
#define Y
namespace dpr
{

/* Something. */
class y {
public:
	/* Its number. */
	int number() const
	{
		int n = 1;

		return n;
	}
$1
};

} // namespace dpr
#endif
END
}
cxx_header '	int other() const
	{
		return 2;
	}'
accepts 'a clean header for C++' "$here/check-headers.sh" hdr
cxx_header '
	int other() const
	{
		return 2;
	}'
rejects 'y\.hpp:[0-9]*: no comment above: .*other' "$here/check-headers.sh" hdr
cxx_header '};

inline int free_one()
{
	return 3;
}

/* Last. */
class z {'
rejects 'y\.hpp:[0-9]*: no comment above: .*free_one' "$here/check-headers.sh" hdr
cxx_header '	/* Not in C++17. */
	bool has(int a) const requires (sizeof(int) == 4) { return a; }'
if command -v g++ >/dev/null 2>&1; then
	rejects 'y\.hpp: not clean as c\+\+17' "$here/check-headers.sh" hdr
	cxx_header '	/* I is a macro of <complex.h>. */
	template <class I> I as() const
	{
		return I(1);
	}'
	rejects 'y\.hpp: not clean as gnu\+\+17' "$here/check-headers.sh" hdr
	cxx_header '	/* Loses digits. */
	float half(double a) const
	{
		return a / 2;
	}'
	rejects 'y\.hpp: not clean as c\+\+17' "$here/check-headers.sh" hdr
fi
header 'struct dpr_s { int a; };'
printf 'struct dpr_s { int a; };\n' >hdr/dpr/backend.h
cp hdr/dpr/x.h hdr/dpr/dpr.h
rejects 'a[bp]i_a[bp]i: not clean' "$here/check-headers.sh" hdr

# --- check-style.sh ---------------------------------------------------------

spdx='/* SPDX-License-Identifier: Apache-2.0 */'
style_tree() {
	rm -rf style
	mkdir -p style/core/base style/tools
	printf '%s\nint f(void)\n{\n\treturn 1;\n}\n' "$spdx" \
		>style/core/base/f.c
	printf '%s\n' "$spdx" >style/tools/t.c
}
# untidy PATTERN TEXT: append TEXT to a tidy file.
untidy() {
	style_tree
	printf '%b\n' "$2" >>style/core/base/f.c
	rejects "$1" "$here/check-style.sh" style
}
style_tree
accepts 'a tidy tree' "$here/check-style.sh" style
style_tree
echo 'int g;' >style/tools/g.c
rejects 'g\.c: no SPDX line' "$here/check-style.sh" style
style_tree
cp style/core/base/f.c style/tools/f.c
rejects '^f\.c: more than one' "$here/check-style.sh" style
style_tree
printf 'struct piece {\n\tint n;\n};\n' | tee -a style/core/base/f.c >>style/tools/t.c
accepts 'a struct of the core, and one of a tool' "$here/check-style.sh" style
printf '%s\nstatic const struct piece {\n\tint n;\n} g;\n' "$spdx" |
	put style/kernels/g.c
rejects '^struct piece: more than one' "$here/check-style.sh" style
untidy 'f\.c:6:.*TO''DO' '/* TO''DO: more */'
untidy 'f\.c:6: 1[0-9][0-9] columns' "/* $(printf '%0101d' 0) */"
untidy 'blanks at the end' 'int g; '
untidy 'f\.c:6:.*: use core/base/refs\.h' '\tatomic_uint refs;'
untidy 'f\.c:6:.*: use core/base/refs\.h' '\tatomic_fetch_add(&x->refs, 1);'
untidy 'a function of 61 lines' \
	"int g(void)\\n{$(printf '\\n%.0s' $(seq 62))}"
style_tree
for n in $(seq 21); do
	cp style/core/base/f.c "style/tools/g$n.c"
done
rejects '^tools: 2[0-9] \.c files' "$here/check-style.sh" style
untidy '^core/base/f\.c: 80[0-9] lines' "$(printf '\\n%.0s' $(seq 800))"
# Three pronouns in a sentence, in a comment of the core.
style_tree
put style/core/array/launch/w.c <<END
$spdx
/* The one that is needed is in one file.  It is so. */
END
accepts 'two pronouns in a sentence' "$here/check-style.sh" style
printf '/* What it does,\n   and that. */\n' >>style/core/array/launch/w.c
rejects '^core/array/launch/w\.c:3: 3: What it does, and that\.$' \
	"$here/check-style.sh" style

# The same in the first comment of a test or a script, in m4, and in pages.
# wordy FILE:LINE: FILE is on standard input, and LINE of it is rejected.
wordy() {
	style_tree
	put "style/${1%:*}"
	rejects "^$(printf '%s' "$1" | sed 's/\./\\./g'): 3: What it does, and that\\.\$" \
		"$here/check-style.sh" style
}
sentence='What it does, and that.'
wordy tests/array/t.c:3 <<END
$spdx
/*
 * $sentence
 */
END
wordy m4/t.m4:2 <<END
# SPDX-License-Identifier: Apache-2.0
# $sentence
END
wordy tests/base/t.sh:3 <<END
#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# $sentence
END
wordy NEWS:3 <<END
Changes

* What it does, and
  that.
END
wordy doc/p.md:8 <<END
<!-- SPDX-License-Identifier: Apache-2.0 -->
# It is that

    what it does, and that

It has a block

What it does, and that.
END
wordy doc/man/p.1:3 <<END
.\\" SPDX-License-Identifier: Apache-2.0
.SH NAME
What
.B it
does, and that.
END

# What makes an object and is named in no file of attempts.
style_tree
printf '%s\nDPR_API DPR_CHECK dpr_status dpr_make(\n\tint a, dpr_x **out);\n' \
	"$spdx" | put style/include/dpr/x.h
printf '%s\nint g = dpr_make(1, &x);\n' "$spdx" | put style/tests/life/unit_faults.c
accepts 'a maker with an attempt' "$here/check-style.sh" style
printf '%s\nint g = dpr_make_more(1, &x);\n' "$spdx" >style/tests/life/unit_faults.c
rejects '^dpr_make: no attempt' "$here/check-style.sh" style

# --- check-guide.sh and run-guide.sh ------------------------------------------

# The stand-in for dpr has a device of each backend.
guide_tree() {
	rm -rf guide
	put guide/include/dpr/x.h <<-'END'
		/* dpr_not_this */
		enum { DPR_SIX = 6 };
		int dpr_f(int a);
	END
	printf '#define ENV_MAP(X) \\\n\tX(LOG, "a variable")\n' |
		put guide/core/base/env.h
	put guide/examples/guide/p.c <<END
$spdx

#include <stdio.h>

int main(void)
{
	/* guide: six */
	if (1)
		printf("%d\n", 6);
	/* guide: end */
	return 0;
}
END
	put guide/doc/guide/guides.list <<-'END'
		p.md
	END
	put guide/prefix/bin/dpr <<-'END'
		#!/bin/sh
		echo "$DPR_BACKEND:cpu:0"
	END
	chmod +x guide/prefix/bin/dpr
	: >guide/prefix/libdpr.so
	put guide/doc/guide/p.md <<'END'
<!-- SPDX-License-Identifier: Apache-2.0 -->
# A page

`dpr_f()` and `DPR_SIX` are in `include/dpr/x.h`, `DPR_LOG` is a variable, and
[this page](p.md) is here.

<!-- file: examples/guide/p.c -->
```c
#include <stdio.h>

int main(void)
{
	if (1)
		printf("%d\n", 6);
	return 0;
}
```
<!-- part: examples/guide/p.c six -->
```c
if (1)
	printf("%d\n", 6);
```
<!-- other -->
```c
other();
```
<!-- varies: on [a-z]*, [0-9]+ -->
```console
$ cc p.c && ./a.out
6
$ echo "on $DPR_BACKEND, $$"; echo 1; echo 2
on some, 7
...
2
```
<!-- only: opencl -->
```console
$ echo $DPR_BACKEND; cd /
opencl
```
<!-- not run: it cannot be -->
```console
$ false
six
```
END
}

check_guide() {
	"$here/check-guide.sh" guide guide
}

run_guide() {
	top_srcdir=guide top_builddir=guide dpr_sanitizers=none \
		"$here/run-guide.sh" "$PWD/guide/prefix" guide/doc/guide/p.md
}

# edit FILE SCRIPT: with sed.
edit() {
	sed "$2" "$1" >edited && cp edited "$1"
}

# plant_guide FILE SCRIPT PATTERN: edit FILE of a good tree.
plant_guide() {
	guide_tree
	edit "guide/$1" "$2"
	rejects "$3" check_guide
}

# plant_session SCRIPT PATTERN: edit the page, and run it.
plant_session() {
	guide_tree
	edit guide/doc/guide/p.md "$1"
	rejects "$2" run_guide
}

guide_tree
accepts 'a good page' check_guide
accepts 'the sessions of a good page' run_guide
guide_page=doc/guide/p.md
edit guide/$guide_page '41s/not run.*/needs: no-such-program -->/'
accepts 'a session that needs a program' run_guide
plant_guide $guide_page '14s/6/7/' 'p\.md:14: differs from examples/guide/p\.c'
plant_guide $guide_page '15d' 'p\.md:15: differs from examples/guide/p\.c'
plant_guide $guide_page '16s/.*/&\n/' 'p\.md:17: differs .*: it has ended'
plant_guide $guide_page '21s/6/7/' 'p\.md:21: differs from examples/guide/p\.c'
plant_guide $guide_page '18s/six/ten/' 'p\.c has no part ten'
plant_guide $guide_page '18s/p\.c/q.c/' 'there is no examples/guide/q\.c'
plant_guide $guide_page '18s/ six//' 'a comment of another form'
plant_guide $guide_page '18d' 'p\.md:18: a block of c says above where'
plant_guide $guide_page '18s/part/copied/' 'an unknown comment: copied'
plant_guide $guide_page '25s/other/dpr_f/' 'p\.md:25: a program with dpr is in'
plant_guide $guide_page '4s/dpr_f/dpr_not_this/' 'p\.md:4: no header declares dpr_not_this'
plant_guide $guide_page '4s/DPR_SIX/DPR_TEN/' 'no header declares DPR_TEN'
plant_guide $guide_page '4s/DPR_LOG/DPR_LAG/' 'no header declares DPR_LAG'
plant_guide $guide_page '4s/x\.h/y.h/' 'p\.md:4: there is no include/dpr/y\.h'
plant_guide $guide_page '4s/DPR_SIX/dpr::six/' 'no header declares dpr::six'
plant_guide $guide_page '5s/p\.md/q.md/' 'p\.md:5: a link to nothing: q\.md'
plant_guide $guide_page '5s/$/  It is what that has./' 'p\.md:5: 3 pronouns'
plant_guide $guide_page '1d' 'p\.md:1: no SPDX line'
plant_guide $guide_page '2s/#//' 'p\.md:2: no title'
plant_guide $guide_page '$d' 'a block without an end'
plant_guide doc/guide/guides.list '1d' 'guides\.list: p\.md is missing'
plant_guide doc/guide/guides.list '1s/.*/&\nq.md/' 'guides\.list: there is no q\.md'
guide_tree
cp guide/examples/guide/p.c guide/examples/guide/r.c
rejects 'examples/guide/r\.c: no page shows it' check_guide
plant_session '30s/6/7/' 'p\.md:29: host: other output: cc p\.c'
plant_session '32s/7/x/' 'p\.md:31: host: other output: echo'
plant_session '34s/2/1/' 'p\.md:31: host: other output: echo'
plant_session '36d' 'p\.md:37: host: other output'
plant_session '38s/cd .*/exit 3/' 'p\.md:38: opencl: did not end'
plant_session '38s/cd .*/kill -9 $$/' 'p\.md:38: opencl: did not end'
plant_session '38s/cd .*/sh -c "kill -SEGV \\$\\$"/' 'p\.md:38: opencl: status 139'
plant_session '41s/not run.*/needs: sh -->/' 'p\.md:43: host: other output: false'
plant_session '41d' 'p\.md:42: host: other output: false'

# A page of doc/porting, whose table has names of headers.
porting_tree() {
	guide_tree
	put guide/include/dpr/x.hpp <<-'END'
		struct device { static device select(); };
	END
	put guide/doc/porting/o.md <<'END'
<!-- SPDX-License-Identifier: Apache-2.0 -->
# From another system

| other | dpr | what differs |
|---|---|---|
| `f()`, `f_all()` | `dpr_f()` with `DPR_SIX` | |
| `device` | `dpr::device::select()` | |
| `g()` | none | there is no `h()` |
END
}

# plant_row SCRIPT PATTERN: edit the table.
plant_row() {
	porting_tree
	edit guide/doc/porting/o.md "$1"
	rejects "$2" check_guide
}

porting_tree
accepts 'a good table' check_guide
plant_row '6s/dpr_f/dpr_g/' 'o\.md:6: no header declares dpr_g'
plant_row '6s/DPR_SIX/DPR_TEN/' 'o\.md:6: no header declares DPR_TEN'
plant_row '6s/`dpr_f()`/`f()`/' 'o\.md:6: not a name of a header: f()'
plant_row '7s/select/choose/' 'o\.md:7: no header declares dpr::device::choose'
plant_row '7s/device::/queue::/' 'o\.md:7: no header declares dpr::queue::select'
plant_row '8s/none/the same/' 'o\.md:8: neither a name of dpr nor none'
plant_row '8s/|$//' 'o\.md:8: a row of 2 cells, not 3'

# --- check-man.sh -----------------------------------------------------------

# page NAME DESCRIPTION TEXT
page() {
	printf '.TH %s 3 "" dpr dpr\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n%s\n' \
		"$1" "$1" "$2" "$3" | put "man3/$1.3"
}
man_tree() {
	rm -rf man3
	page dpr_f 'do something' 'As \fBdpr_g\fR(3).'
	page dpr_g 'do more' 'More.'
}
man_tree
accepts 'two good pages' "$here/check-man.sh" man3 dpr_f dpr_g
rejects 'dpr_h: has no page' "$here/check-man.sh" man3 dpr_f dpr_h
rm man3/dpr_g.3
rejects 'dpr_f\.3: names a page that is not there: dpr_g' "$here/check-man.sh" man3 dpr_f
man_tree
echo '.so man3/dpr_h.3' >man3/dpr_i.3
rejects 'dpr_i\.3: names a page that is not there: dpr_h' "$here/check-man.sh" man3 dpr_f
man_tree
page dpr_g 'the same as dpr_f with less' 'Less.'
rejects 'dpr_g\.3: its description does not stand alone' "$here/check-man.sh" man3 dpr_f
page dpr_g '' 'Nothing.'
rejects 'dpr_g\.3: its description is too short' "$here/check-man.sh" man3 dpr_f
man_tree
page dpr_g 'do more' '.BR dpr\-h (7)' && mv man3/dpr_g.3 dpr_g.7
page dpr_g 'do more' 'More.'
rejects 'dpr_g\.7: names a page that is not there: dpr-h\.7' "$here/check-man.sh" man3 dpr_f
rm dpr_g.7

# array_page NUMPY EXAMPLE: a page of an array function
array_page() {
	printf '%s\n' '.\" Written by man.awk from <dpr/reduce.h>.' \
		'.TH dpr_f 3 "" dpr dpr' '.SH NAME' 'dpr_f \- do something' \
		'.SH SYNOPSIS' '\fBdpr_status dpr_f(int x);\fR' \
		'.SH IN OTHER LIBRARIES' '.TP' '.B dpr_f' "NumPy: $1" \
		'.SH EXAMPLE' "$2" | put man3/dpr_f.3
}
array_page none 'dpr_f(1)'
accepts 'an array function with its facts' "$here/check-man.sh" man3 dpr_f
array_page '' 'dpr_f(1)'
rejects 'dpr_f\.3: dpr_f has no name in NumPy' "$here/check-man.sh" man3 dpr_f
array_page none 'dpr_g(1)'
rejects 'dpr_f\.3: dpr_f has no example' "$here/check-man.sh" man3 dpr_f

# --- check-links.sh ---------------------------------------------------------

# links TEXT: two pages, the second in a folder, and links of the tree moved as they
# are for an installation.
links() {
	rm -rf links
	mkdir -p links/guide
	echo "Home, [a guide](guide/g.md), https://[x](https://example.org/none)" \
		>links/README.md
	printf '%s\n' "$1" >links/guide/g.md
}
links '[up](../README.md#top) and [self](#here)'
accepts 'links that lead somewhere' "$here/check-links.sh" links
links 'to [nothing](other.md)'
rejects '^guide/g\.md: a link to other\.md' "$here/check-links.sh" links
rm -r links
mkdir links
rejects 'no page in links' "$here/check-links.sh" links

# What stays of links that lead out of the installed pages.
printf '%s\n' doc/guide/g.md README.md examples/x.c >installed
echo 'A [file](../../examples/x.c), [home](../../README.md#a) and [inside](../tour.md).' |
	put doc/guide/g.md
if awk -v page=doc/guide/g.md -f "$here/../../doc/links.awk" installed doc/guide/g.md >moved &&
	[ "$(cat moved)" = 'A [file](../examples/x.c), [home](../README.md#a) and inside.' ]
then
	planted=$((planted + 1))
else
	echo "FAIL: doc/links.awk: $(cat moved)"
	failed=1
fi

# --- check-machine.sh -------------------------------------------------------

# machine COMMANDS: a configure that looks at the answers of the compiler, $size and
# $order, in this way.
machine() {
	{
		cat <<-'END'
			#!/bin/sh
			size=8 order=no
			for argument; do
				case $argument in
				*void_p=*) size=${argument#*=} ;;
				*bigendian=*) order=${argument#*=} ;;
				*-m32*) size=4 ;;
				esac
			done
		END
		printf '%s\n' "$1" ': >config.status'
	} >configure && chmod +x configure
}
# shellcheck disable=SC2016 # configure expands these
word='[ $size = 8 ] ||
	{ echo "error: dpr needs a 64-bit machine: no, and the reason"; exit 1; }'
# shellcheck disable=SC2016
bytes='[ $order = no ] ||
	{ echo "error: dpr needs a little-endian machine: no, and the reason"; exit 1; }'
machine "$word; $bytes"
accepts 'a configure that refuses' "$here/check-machine.sh" "$tmp/configure"
machine "$bytes"
rejects 'configure takes .*void_p=4' "$here/check-machine.sh" "$tmp/configure"
machine "$word"
rejects 'configure takes .*bigendian=yes' "$here/check-machine.sh" "$tmp/configure"
machine "$word; [ \$order = no ] || exit 1"
rejects 'ends with 1, and gives no reason' "$here/check-machine.sh" "$tmp/configure"
machine "$word; case \$order in yes) $bytes ;; esac"
rejects 'configure takes .*bigendian=unknown' "$here/check-machine.sh" \
	"$tmp/configure"

# --- check-abi-doc.sh -------------------------------------------------------

# plant_version SCRIPT PATTERN: edit the tree's own page.
plant_version() {
	sed "$1" "$here/../../doc/abi.md" >abi.md
	rejects "$2" env "top_srcdir=$here/../.." \
		"$here/../author/check-abi-doc.sh" "$tmp/abi.md"
}
accepts 'the page on versions' env "top_srcdir=$here/../.." \
	"$here/../author/check-abi-doc.sh"
plant_version 's/^| 1\.1 |/| 1.2 |/' 'abi\.md: no row for version 1\.1'
plant_version 's/^\*\*1\.0\*\*/1.0/' 'nothing on what version 1\.0 has'
plant_version 's/^\(| 1\.1 |.*|\) .* |$/\1 frozen |/' 'frozen are 1\.0 and no others'
plant_version 's/DPRP_LAUNCH_BRIEF//' 'DPRP_LAUNCH_BRIEF is not in it'
plant_version 's/dprp_launch\.flags//' 'dprp_launch\.flags is not in it'
sed 's/Version 1\.1//' "$here/../../NEWS" >news
rejects 'news: no version 1\.1' env "top_srcdir=$here/../.." \
	"$here/../author/check-abi-doc.sh" "$here/../../doc/abi.md" "$tmp/news"

[ $failed -eq 0 ] && echo "$planted planted violations were caught"
exit $failed
