#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The shared library exports what the public headers declare, and the program uses nothing
else of ours: it links the library, no object of src/ is in it, and every name that it takes is
exported. So does diskwipe-model, but for the archive of the papers' models. No canvas and no
fonts are loaded with them, which root runs. Arguments: the library, the two programs, the
models' archive, the archives of src/."""
import re
import sys

import lint

DECLARED = re.compile(r'^(?!#|typedef|static)(DW_PUBLIC )?[A-Za-z_][\w *]*\n?\b(dw_\w+)\(', re.M)
DRAWS = re.compile('lib(cairo|pango|fontconfig|freetype|harfbuzz|pixman|png|qrencode|X|xcb)')


def symbols(path, kinds, *options):
    """Names of a file's symbols of these kinds (see nm)."""
    nm = lint.run(lint.need('nm'), *options, path)
    if nm.returncode:
        lint.found(path, nm.stderr.strip())
    return set(re.findall(rf'^[0-9a-f ]+ [{kinds}] ([^\s@]+)', nm.stdout, re.M))


def dynamic(path, tag):
    """Values of a tag of the dynamic section: NEEDED, SONAME."""
    r = lint.run(lint.need('readelf'), '--dynamic', '--wide', path)
    return re.findall(rf'\({tag}\).*\[(.*)\]', r.stdout)


def check_headers(exported):
    """What a public header declares is exported, and nothing else is."""
    declared = set()
    for path in lint.files('.h', under='include/'):
        text = re.sub(r'/\*.*?\*/', '', lint.read(path), flags=re.S)
        for public, name in DECLARED.findall(text):
            declared.add(name)
            if not public:
                lint.found(path, f'{name}() is not declared with DW_PUBLIC')
    for name in sorted(declared - exported):
        lint.found(name, 'is declared by a public header, and not exported')
    for name in sorted(exported - declared):
        lint.found(name, 'is exported, and declared by no public header')


def check_program(library, program, parts, archives, exported):
    own = symbols(program, 'TDRBWVtdrb')
    for part in parts:
        own -= symbols(part, 'TDRBWV')
    if not own:
        lint.found(program, 'has no symbol table')
    for archive in archives:
        # Not what is static: small helpers of both may have one name.
        inside = symbols(archive, 'TDRBWV')
        if not inside:
            lint.found(archive, 'defines nothing')
        for name in sorted(own & inside):
            lint.found(program, f'has {name}, which belongs into the library')
    for name in dynamic(library, 'SONAME') or ['the library has no soname']:
        if name not in dynamic(program, 'NEEDED'):
            lint.found(program, f'does not link {name}')
    taken = {n for n in symbols(program, 'Uw') if n.startswith('dw_')}
    if not taken:
        lint.found(program, 'takes no name of the library')
    for name in sorted(taken - exported):
        lint.found(program, f'takes {name}, which is not exported')


def check_loaded(*programs):
    """All that is loaded with them, by others too."""
    for program in programs:
        r = lint.run(lint.need('ldd'), program)
        loaded = re.findall(r'^\s*(lib\S+?)\.so', r.stdout, re.M)
        if 'libc' not in loaded:
            lint.found(program, f'ldd does not name what is loaded: {r.stderr.strip()}')
        for name in loaded:
            if DRAWS.match(name):
                lint.found(program, f'loads {name}, which is for diskwipe-report alone')


def main():
    library, program, model, papers, *archives = sys.argv[1:]
    exported = symbols(library, 'TDRBWVi', '--dynamic', '--defined-only')
    check_headers(exported)
    check_program(library, program, (), (*archives, papers), exported)
    check_program(library, model, (papers,), archives, exported)
    check_loaded(library, program, model)
    lint.done(f'library with {len(exported)} functions')


main()
