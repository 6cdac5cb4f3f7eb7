#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The way of somebody who writes a backend, with an installed dpr alone.  "dpr
# new-plugin" starts a backend, in C and in C++17.  make, Autotools and CMake
# build it and run dpr check-plugin.  "dpr devices" shows its device, and a
# program runs a kernel on this device.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-author.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=../support/installation.sh disable=SC2154 # from the environment
. "$top_srcdir/tests/support/installation.sh"

# says TEXT: the last command must have said it.
says() {
	grep -qF -- "$1" "$tmp/log" || fail "no \"$1\""
}

# has COMMAND...: whether it can be run; says so if not.
has() {
	for command; do
		$command --version >/dev/null 2>&1 && continue
		echo "left out: what needs ${command%% *}, which is not here"
		return 1
	done
}
has pkg-config || exit 77

# libtool wants the prefix of the installation to end in the configured one.
root=$tmp/root$prefix
quiet "make install" "$MAKE" -C "$build" install "prefix=$root"
use "$root"
# A tree that was moved as a whole: pkg-config finds the prefix from the file.
mkdir "$tmp/bin" || exit 99
printf '#!/bin/sh\nexec %s --define-prefix "$@"\n' "$(command -v pkg-config)" \
	>"$tmp/bin/pkg-config" && chmod 755 "$tmp/bin/pkg-config" || exit 99
PATH=$tmp/bin:$PATH
PKG_CONFIG=$tmp/bin/pkg-config
export PKG_CONFIG

# --- The command ------------------------------------------------------------

# refused STATUS TEXT ARGUMENT...: dpr new-plugin ends so, and writes nothing.
refused() {
	want=$1 text=$2
	shift 2
	dpr new-plugin "$@" >"$tmp/log" 2>&1
	got=$?
	[ $got = "$want" ] || fail "new-plugin $*: status $got, not $want"
	says "$text"
	[ ! -e "$tmp/none" ] || fail "new-plugin $* left $tmp/none"
}
refused 2 'usage: dpr new-plugin' one
refused 2 'usage: dpr new-plugin' --nonsense one "$tmp/none"
refused 2 'a name has 2 to 32 characters' x "$tmp/none"
refused 2 'a name has 2 to 32 characters' My-Dev "$tmp/none"
refused 2 'a name has 2 to 32 characters' 9dev "$tmp/none"
refused 2 'dpr has a backend of that name' opencl "$tmp/none"
refused 1 'it exists; name a directory that does not' mine "$tmp"
refused 1 'No such file or directory' mine "$tmp/none/deeper"
refused 1 'name a template with --from' -f "$tmp/bin" mine "$tmp/none"
mkdir "$tmp/half" && cp "$root/share/dpr/backend-template/mydevice.c" \
	"$tmp/half" || exit 99
refused 1 "$tmp/half/Makefile: No such file" --from="$tmp/half" mine \
	"$tmp/none"
if [ -w /dev/full ]; then
	dpr new-plugin --help >/dev/full 2>"$tmp/log"
	says 'the output cannot be written'
fi

quiet "new-plugin" dpr new-plugin my_dev "$tmp/my_dev"
says "cd $tmp/my_dev && make && make check"
says "dpr check-plugin"
says "man dpr-backend"
quiet "new-plugin --c++" dpr new-plugin --c++ plus "$tmp/plus"
if grep -r mydevice "$tmp/my_dev" "$tmp/plus"; then
	fail "the name is not filled in everywhere"
fi
[ "$(wc -l <"$tmp/my_dev/my_dev.c")" -lt 450 ] ||
	fail "the template has 450 lines or more"

# --- A program with a kernel ------------------------------------------------

cat >"$tmp/user.c" <<'END'
#include <dpr/dpr.h>
#include <dpr/backend.h>

#include <stdio.h>
#include <string.h>

#define N 1000
#define DO(call)                                                    \
	do {                                                        \
		if (call) {                                         \
			printf("%s: %s\n", #call, dpr_last_error()); \
			return 1;                                   \
		}                                                   \
	} while (0)

static void run_scale(const void *const *args, const uint64_t global[3],
		      const uint64_t local[3], const uint64_t group[3])
{
	float *x = *(float *const *)args[0];
	float by = *(const float *)args[1];
	unsigned n = *(const unsigned *)args[2];
	uint64_t i, first = group[0] * local[0];

	(void)global;
	for (i = first; i < first + local[0] && i < n; i++)
		x[i] *= by;
}

static const dprp_param params[] = { { DPRP_ARG_MEM, 0, sizeof(void *) },
				     { DPRP_ARG_VALUE, 0, sizeof(float) },
				     { DPRP_ARG_VALUE, 0, sizeof(unsigned) } };
static const dprp_native_kernel kernels[] = { { "scale", run_scale, 3, 0,
						params } };
static const dprp_native_module module = { sizeof(module), 1, 0, kernels };

int main(int argc, char **argv)
{
	const dpr_image image = { DPRP_NATIVE_FORMAT, NULL, &module,
				  sizeof(module) };
	float x[N], y[N];
	dpr_queue *queue, *other;
	dpr_program *program;
	dpr_kernel *kernel;
	dpr_device *device;
	dpr_usm *a, *b;
	int i;

	(void)argc;
	for (i = 0; i < N; i++)
		x[i] = (float)i;
	DO(dpr_device_select(argv[1], &device));
	DO(dpr_queue_create(device, 0, &queue));
	DO(dpr_queue_create(device, DPR_QUEUE_OUT_OF_ORDER, &other));
	DO(dpr_usm_alloc(queue, DPR_USM_DEVICE, sizeof(x), &a));
	DO(dpr_usm_alloc(other, DPR_USM_SHARED, sizeof(x), &b));
	DO(dpr_program_from_images(queue, &image, 1, NULL, &program));
	DO(dpr_kernel_create(program, "scale", &kernel));
	DO(dpr_usm_write(queue, a, 0, x, sizeof(x), NULL, NULL));
	DO(dpr_kernel_launch(queue, kernel, DPR_RANGE1(N), NULL, NULL,
			     dpr_arg_usm_use(a, 0, DPR_READ_WRITE),
			     DPR_ARG(2.0f), DPR_ARG((unsigned)N)));
	/* Another queue, which depends on the first through the memory; the
	   plugin has no fill, so the core makes one of a write and copies. */
	DO(dpr_usm_fill(other, b, 0, x + 1, sizeof(x[0]), sizeof(x), NULL, NULL));
	DO(dpr_usm_copy(other, b, 4, a, 4, sizeof(x) - 4, NULL, NULL));
	DO(dpr_kernel_launch(other, kernel, DPR_RANGE1(N), NULL, NULL,
			     dpr_arg_usm_use(b, 0, DPR_READ_WRITE),
			     DPR_ARG(3.0f), DPR_ARG((unsigned)N)));
	DO(dpr_usm_read(other, y, b, 0, sizeof(y), NULL, NULL));
	DO(dpr_queue_wait(other));
	for (i = 0; i < N; i++)
		if (y[i] != (i ? 6.0f * (float)i : 3.0f))
			return printf("y[%d] is %g\n", i, (double)y[i]), 1;
	printf("%s computed %s\n", dpr_device_backend(device),
	       dpr_device_name(device));
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	dpr_queue_release(queue);
	dpr_queue_release(other);
	return dpr_finalize() != DPR_OK;
}
END
# shellcheck disable=SC2046,SC2086 # words
quiet "the program" $CC -std=gnu11 -o "$tmp/user" "$tmp/user.c" \
	$(pkg-config --cflags --libs dpr)

# works NAME FILE: the plugin has its device, and the program runs there.
works() {
	[ -f "$2" ] || fail "$2 was not built"
	[ "$(nm -D --defined-only "$2" | wc -l)" = 1 ] ||
		fail "$2 exports more than its entry"
	DPR_PLUGINS=$2
	export DPR_PLUGINS
	quiet "dpr devices with $2" dpr devices
	says "$1:cpu:0"
	says "the $1 device"
	quiet "dpr doctor with $2" dpr doctor
	says "$1"
	says "ready"
	quiet "a program with $2" "$tmp/user" "$1"
	says "$1 computed the $1 device"
	unset DPR_PLUGINS
	count=$((count + 1))
}
count=0

# checked NAME: the last command has run dpr check-plugin on the plugin, which
# keeps the contract.
checked() {
	says "plugin $1 0.1, device: the $1 device"
	grep -q '^[0-9]* checks: .* 0 with findings' "$tmp/log" ||
		fail "a finding in the backend that new-plugin wrote"
}

# --- The three ways to build, in both languages -----------------------------

for name in my_dev plus; do
	file=libdpr-$name.so
	cd "$tmp/$name" || exit 99
	quiet "make of $name" "$MAKE" CFLAGS=-Werror \
		CXXFLAGS='-Werror -std=c++17'
	works "$name" "$tmp/$name/$file"
	quiet "make check of $name" "$MAKE" check
	checked "$name"
	# Installed, the library finds it by itself.
	quiet "make install of $name" "$MAKE" install
	quiet "dpr devices with all" dpr devices "$name"
	says "the $name device"
	rm "$libdir/dpr/$file" || fail "$file was not installed"
	quiet "make clean of $name" "$MAKE" clean
	[ ! -e $file ] || fail "make clean left $file"
done

if has autoreconf automake libtoolize; then
	for name in my_dev plus; do
		cd "$tmp/$name" || exit 99
		ACLOCAL_PATH='' autoreconf -i >"$tmp/log" 2>&1 &&
			fail "autoreconf without the macro DPR_PLUGIN"
		says 'set ACLOCAL_PATH to PREFIX/share/aclocal'
		quiet "autoreconf of $name" env "ACLOCAL_PATH=$(pkg-config \
			--variable=aclocaldir dpr-backend)" autoreconf -i
		./configure >"$tmp/log" 2>&1 &&
			fail "configure would overwrite the Makefile"
		says 'mkdir build && cd build && ../configure'
		rm -f config.log
		mkdir build && cd build || exit 99
		quiet "configure of $name" ../configure
		quiet "make of $name by Autotools" "$MAKE"
		works "$name" "$tmp/$name/build/.libs/libdpr-$name.so"
		quiet "make check of $name by Autotools" "$MAKE" check
		checked "$name"
		quiet "make install of $name by Autotools" "$MAKE" install \
			"DESTDIR=$tmp/dest"
		[ -e "$tmp/dest$libdir/dpr/libdpr-$name.so" ] ||
			fail "libdpr-$name.so is not in $libdir/dpr"
		cd "$tmp" && rm -rf "$tmp/$name/build" "$tmp/dest"
	done
fi

if has cmake; then
	for name in my_dev plus; do
		cd "$tmp/$name" || exit 99
		quiet "cmake of $name" cmake -B build \
			-D "CMAKE_PREFIX_PATH=$(pkg-config \
				--variable=prefix dpr-backend)" \
			-D CMAKE_C_FLAGS=-Werror -D CMAKE_CXX_STANDARD=17
		quiet "cmake --build of $name" cmake --build build
		works "$name" "$tmp/$name/build/libdpr-$name.so"
		quiet "ctest of $name" env -C build ctest --verbose
		sed -i 's/^[0-9]*: //' "$tmp/log"
		checked "$name"
		quiet "cmake --install of $name" env "DESTDIR=$tmp/dest" \
			cmake --build build --target install
		[ -e "$tmp/dest$libdir/dpr/libdpr-$name.so" ] ||
			fail "libdpr-$name.so is not in $libdir/dpr"
		rm -rf "$tmp/dest"
		sed "s/add_backend($name /add_backend(My-Dev /" CMakeLists.txt \
			>CMakeLists.new && mv CMakeLists.new CMakeLists.txt
		cmake -B build >"$tmp/log" 2>&1 &&
			fail "dpr_add_backend() takes any name"
		says '"My-Dev" is not the name of a backend'
	done
fi

echo "a backend from the template: built and used $count times"
