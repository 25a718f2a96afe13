#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One dependency, one place: which files may include the header of a foreign library."""
import re

import lint

ALLOWED = {
    'scsi/sg_lib': r'src/scsi/words\.c',
    'scsi/sg.h': r'src/(device|judge|own|transport)/',
    'liburing.h': r'src/transport/',
    'libudev.h': r'src/device/udev\.c',
    'openssl/': r'src/(data/|service/plans\.c|print/attach\.c)',
    'jansson.h': r'src/(report/|papers/json\.c|print/sweep\.c|send/url\.c|'
                 r'fleet/bucket\.c|service/wall\.c)',
    'curl/': r'src/(send/url|fleet/bucket)\.c',
    'libpq-fe.h': r'src/fleet/db\.c',
    'ini.h': r'src/ini/ini\.c',
    'blkid': r'src/judge/',
    'libmount': r'src/judge/',
    'cairo': r'src/print/',
    'pango': r'src/print/',
    'qrencode.h': r'src/print/qr\.c',
    'zstd.h': r'src/report/pack_zstd\.c',
    'libsmartcols': r'tools/diskwipe/output/table\.c',
    'systemd/': r'src/service/|tools/diskwipe/client/',
    'sqlite3.h': r'src/service/store',
    'curses.h': r'tools/diskwipe/top/screen\.c',
    'pthread.h': r'src/(transport|data)/|src/(forecast/live|device/device|device/abreast)\.c|'
                 r'src/(engine/loop\.[ch]|device/shelves\.c|'
                 r'judge/(names\.c|reading\.c|snapshot\.[ch])|'
                 r'service/(works|care)\.c)',
    'threads.h': r'src/(transport|data)/',
}


def main():
    for path in lint.files('.c', '.h', under='src/') + lint.files('.c', '.h', under='tools/'):
        for n, line in enumerate(lint.read(path).splitlines(), 1):
            m = re.match(r'\s*#\s*include\s+<([^>]+)>', line)
            for header, where in ALLOWED.items():
                if m and m[1].startswith(header) and not re.match(where, path):
                    lint.found(f'{path}:{n}', f'<{m[1]}> belongs to {where}')
    lint.done('one dependency, one place')


main()
