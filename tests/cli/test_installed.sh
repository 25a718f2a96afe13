#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `meson install` installs is enough: the program runs with the library from there, and the
# example is built by diskwipe.pc. Arguments: the build, the example, a C compiler.
set -eEu -o pipefail
trap 'echo "FAILED at line $LINENO: $BASH_COMMAND" >&2' ERR

build=$1 example=$2
shift 2
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
DESTDIR=$T/root meson install -C "$build" --no-rebuild --quiet >"$T/log" 2>&1 ||
	{ cat "$T/log" >&2; exit 1; }
program=$(find "$T/root" -name diskwipe -type f -perm -100)
pc=$(find "$T/root" -name diskwipe.pc)
library=$(find "$T/root" -name 'libdiskwipe.so.0')
[[ -n $program && -n $pc && -n $library ]]
[[ -z $(find "$T/root" -name '*.a') ]]

export LD_LIBRARY_PATH=${library%/*} PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$T/root
ldd "$program" >"$T/out"
grep -qF "$library" "$T/out"
[[ $(pkg-config --modversion diskwipe) == "$("$program" --version | cut -d' ' -f2)" ]]
# Figures are drawn by the program beside it.
"$program" model zone bytes=4TB outer=250e6 --sweep=inner=50e6:250e6:50e6 -o "$T/zone.svg"
grep -q 'seconds over inner' "$T/zone.svg"
read -ra flags < <(pkg-config --cflags --libs diskwipe)
for name in erase rack; do
	"$@" -Wall -Werror "${example%/*}/$name.c" "${flags[@]}" -o "$T/$name"
	ldd "$T/$name" >"$T/out"
	grep -qF "$library" "$T/out"
done
status=0
"$T/erase" /dev/null >"$T/out" 2>&1 </dev/null || status=$?
[[ $status == 1 ]] && grep -q '^not erased: ' "$T/out"
