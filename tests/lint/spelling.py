#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Words are spelt right."""
import lint

# Words of SCSI and names that codespell takes for mistakes.
RIGHT = 'ans,arre,ba,bu,fo,hda,inflight,inout,ith,lun,nd,ot,sav,ser,sie,te,ue,wan,ws'


def main():
    tool = lint.need('codespell')
    paths = [p for p in lint.files() if not p.startswith(('LICENSES/', 'tests/fuzz/corpus/',
                                                          'tests/data/', 'tests/lint/spelling.py',
                                                          'src/print/words_de.c',
                                                          'packaging/cockpit/po.de.js',
                                                          'packaging/image/copy',
                                                          'tests/unit/test_device_config.c'))]
    r = lint.run(tool, '-L', RIGHT, *paths)
    for line in r.stdout.splitlines():
        lint.found(*line.split(': ', 1))
    lint.done('spelling')


main()
