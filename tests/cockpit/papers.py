# SPDX-License-Identifier: GPL-2.0-or-later
"""What the page has printed, by the real programs on a real ledger."""

import glob
import json
import os
import subprocess
import time

from browser import ROOT, check, until


def check_pdf(name, text):
    """A paper that was saved is whole, and has a text; all of its text."""
    pdf = f"{os.environ['TMPDIR']}/got/{name}.pdf"
    until(lambda: os.path.exists(pdf), f'no {name}.pdf: {os.listdir(os.path.dirname(pdf))}')
    said = subprocess.run(['pdftotext', pdf, '-'], check=True, stdout=subprocess.PIPE, text=True)
    check(text in said.stdout, f'{name} does not say {text}: {said.stdout}')
    return said.stdout


def papers(s):
    """The real programs on a real ledger: a certificate, the chain, what doctor finds here."""
    tmp = os.environ['TMPDIR']
    os.makedirs(tmp + '/bin', exist_ok=True)
    for program in ('DISKWIPE', 'REPORT'):
        os.symlink(os.environ[program], f'{tmp}/bin/{os.path.basename(os.environ[program])}')
    ledger, key = tmp + '/ledger', tmp + '/key'
    subprocess.run(
        [os.environ['DISKWIPE'], 'records', 'key', key], check=True, stdout=subprocess.DEVNULL
    )
    subprocess.run([os.environ['PAPER_LEDGER'], ledger, key, '12'], check=True)
    with open(sorted(glob.glob(ledger + '/record-*.json'))[0], encoding='utf-8') as f:
        record = json.load(f)
    serial = record['disk']['serial']
    s.fake(
        'rows',
        rows=[
            {
                'job': record['job']['id'],
                'serial': serial,
                'wwn': '',
                'vendor': 'V',
                'model': 'M',
                'bay': '',
                'method': 'zero',
                'reason': '',
                'label': '',
                'customer': '',
                'asset': '',
                'outcome': 'erased',
                'capacity': 8 << 40,
                'started': 1,
                'ended': int(time.time() * 1e6),
            }
        ],
    )
    s.fake('set', path=f'{ROOT}/Manager', values={'RecordsFolder': ledger})
    s.fake('own')
    s.open('records')
    until(lambda: s.one('#records tbody button').is_enabled(), 'no certificate of a row')
    s.press('PDF', '#records')
    s.says('The certificate is saved')
    check_pdf('diskwipe-' + serial, serial)
    s.press('Label', '#records')
    s.says('The labels are saved')
    check(check_pdf('diskwipe-label-' + serial, serial).count('\f') == 1, 'one label of one row')
    s.press('Labels of these (PDF)')
    until(lambda: check_pdf('diskwipe-label-records', 'ERASED').count('\f') == 12, 'not all labels')
    s.fill('#records-customer', 'nobody')
    s.press('Show', '#page-records')
    s.says('0 records', '#records-count')
    s.press('Certificate of these (PDF)')
    s.says('there is no record of a disk of that kind')
    s.click('[data-page=machine]')
    s.press('Verify the chain of records')
    s.says('The records are whole', '#findings')
    with open(sorted(glob.glob(ledger + '/record-*.json'))[2], 'r+', encoding='utf-8') as f:
        f.write('[')
    s.press('Verify the chain of records')
    s.says('signature wrong', '#findings')
    s.press('Look at the machine (doctor)')
    until(lambda: s.all('#findings ul, #findings p:not(.error)'), 'doctor says nothing')
