#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Words of the command line: verbs, options, values, and what is said when they are wrong."""
import json
import os
import re
import subprocess
import unittest

from cli import Case, disk, LIMIT, PROGRAM, Terminal


class Usage(Case):
    def refused(self, text, *args, code=1):
        r = self.run_cli(*args, code=code)
        self.assertIn(text, r.stderr)
        self.assertEqual(r.stdout, '')
        self.assertTrue(all(line.startswith('diskwipe: ') for line in r.stderr.splitlines()),
                        r.stderr)

    def test_no_words(self):
        self.refused('no device named')

    def test_help(self):
        for args in (['--help'], ['-h'], ['help']):
            r = self.run_cli(*args)
            self.assertIn('Usage: diskwipe [COMMAND]', r.stdout)
            self.assertIn('\n  list ', r.stdout)
            self.assertLessEqual(len(r.stdout.splitlines()), 23)
            self.assertLessEqual(max(map(len, r.stdout.splitlines())), 80)
            self.assertEqual(r.stderr, '')
        for args in (['erase', '--help'], ['help', 'erase']):
            r = self.run_cli(*args)
            self.assertIn('Usage: diskwipe [erase] [OPTIONS] DEV', r.stdout)
            self.assertEqual(r.stderr, '')
        for verb in ('list', 'inspect', 'verify', 'plan', 'help'):
            for args in ([verb, '--help'], ['help', verb]):
                self.assertIn(f'Usage: diskwipe {verb} ', self.run_cli(*args).stdout)

    def test_usual_options(self):
        """--help is short where a command has many options; --help=all and help have them all."""
        overview = self.run_cli('--help').stdout
        service = re.search('The service: (.*)', overview)[1].split(', ')
        verbs = re.findall(r'^  ([a-z]+) +[A-Z]', overview, re.M) + service
        self.assertGreater(len(verbs), 20)
        for verb in set(verbs) - {'model', 'help'}:
            short, whole = (self.run_cli(verb, o).stdout for o in ('--help', '--help=all'))
            self.assertEqual(whole, self.run_cli('help', verb).stdout)
            names = [re.findall(r'^  (?:-., |    )--([a-z-]+)', s, re.M) for s in (short, whole)]
            self.assertLessEqual(len(names[0]), 12, verb)
            self.assertEqual([n for n in names[1] if n in names[0]], names[0])
            self.assertIn('help', names[0])
            more = re.search(rf'^(\d+) more options: diskwipe {verb} --help=all$', short, re.M)
            self.assertEqual(len(names[1]) - len(names[0]), int(more[1]) if more else 0, verb)
            self.assertEqual(whole.count(' more options'), 0)
        self.assertEqual(short, self.run_cli(verb, '-h').stdout)
        known = re.findall(r'--([a-z-]+)', self.run_cli('erase', '--help').stdout)
        for expert in ('others', 'near', 'verify-policy', 'print-schedule'):
            self.assertNotIn(expert, known)
            self.assertIn(f' --{expert}', self.run_cli('--help=all').stdout)
        self.refused("--help: no 'al'; did you mean 'all'?", 'erase', '--help=al')

    def test_help_of_80_columns(self):
        """No word is broken where a terminal has 80 columns."""
        t = Terminal(self, 'erase', '--help', width=80)
        self.assertEqual(t.wait(), 0)
        lines = t.text.replace('\r', '').splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertLessEqual(len(lines), 24)
        said = ' '.join(' '.join(lines).split())
        self.assertEqual(said, ' '.join(self.run_cli('erase', '--help').stdout.split()))

    def test_help_topics(self):
        self.assertIn('worth today', self.run_cli('help', 'methods').stdout)
        self.assertIn('serial', self.run_cli('help', 'columns').stdout)
        self.refused("did you mean 'methods'", 'help', 'method')

    def test_version(self):
        for option in ('--version', '-V'):
            self.assertRegex(self.run_cli(option).stdout, r'^diskwipe \S+\n$')

    def test_verb_mistyped(self):
        self.refused("did you mean 'list'?", 'lsit')
        self.refused("did you mean 'erase'?", 'erse', '/dev/null')
        self.refused('neither a command nor a device; see diskwipe list', 'qqqqqq')
        # of three letters two are another word
        self.refused("help: no topic 'foo'; see diskwipe --help", 'help', 'foo')

    def test_disk_called_like_a_command(self):
        self.machine(disk(0, serial='lists'), disk(1))
        self.refused('lists: is it /fake/sg0 (ACME MODEL0', 'lists')
        self.refused("did you mean 'list'?", 'listt')

    def test_names_of_disks(self):
        """A word that means one disk is taken where nothing is written; else it is said what to
        type."""
        self.machine(*map(disk, range(3)), disk(3, serial='sg0'), disk(4, serial='TWIN-5555'),
                     disk(5, serial='TWIN-5555', wwn=''), disk(6, serial='sda', sg=''))
        for word in ('sg1', 'sd1', 'SERIAL-0001', 'serial-0001', '0x5000c50000000001',
                     '5000c50000000001', 'naa.5000c50000000001', 'wwn-0x5000c50000000001'):
            for verb in ('list', 'inspect', 'verify', 'plan', 'topology'):
                r = self.run_cli(verb, word)
                self.assertIn(f'{word}: /fake/sg1 (ACME MODEL1, serial number SERIAL-0001)\n',
                              r.stderr)
                self.assertNotIn('sg2', r.stdout)
            for verb in ('erase', 'format'):
                self.refused(f'{word}: it is /fake/sg1 (ACME MODEL1, serial number SERIAL-0001); '
                             'nothing was written: what is erased is named by its node; if this '
                             'disk is meant, type /fake/sg1\n', verb, '--yes',
                             *(['--block-size=512'] if verb == 'format' else []), word, code=2)
            self.refused(f'{word}: is it /fake/sg1 (ACME MODEL1, serial number SERIAL-0001)? to '
                         'look at it: diskwipe inspect /fake/sg1; to erase it: diskwipe erase '
                         '/fake/sg1', word)
        # what is said is what works
        self.run_cli('inspect', '/fake/sg1')
        os.unlink(self.path('log'))  # verify starts, too
        self.run_cli('erase', '--yes', '/fake/sg1')
        self.assertEqual(self.started(), ['/fake/sg1'])
        # a serial number that reads like the node of another disk, and one that two disks have
        for word, nodes in (('sg0', '/fake/sg0, /fake/sg3'), ('TWIN-5555', '/fake/sg4, /fake/sg5')):
            for args in (['inspect'], ['list'], ['verify'], ['erase', '--yes']):
                r = self.run_cli(*args, word, code=2)
                self.assertIn(f'{word}: {nodes} are called so; name one of them by its node',
                              r.stderr)
            self.refused(f'{word}: {nodes} are called so', word)
        self.refused("SERIAL-00O1: no disk is called so; did you mean the serial number "
                     "'SERIAL-0001'? see diskwipe list", 'inspect', 'SERIAL-00O1', code=2)
        self.refused("SERIAL-00O1: no disk is called so; did you mean the serial number "
                     "'SERIAL-0001'? see diskwipe list", 'SERIAL-00O1')
        self.refused('sg9: no such node', 'inspect', 'sg9', code=2)
        # a path is no name, a file that is there is none, and what is left out may be called so
        self.refused('no such node', 'list', '/nowhere/sg1', code=2)
        r = self.run_cli('erase', '--yes', '--exclude=SERIAL-0001', '/fake/sg0', '/fake/sg1',
                         code=2)
        self.assertIn('/fake/sg1: skipped: excluded by --exclude', r.stderr)
        self.run_cli('erase', '--yes', '--exclude=TWIN-5555', '/fake/sg0', code=2)
        self.assertEqual(self.started(), ['/fake/sg1'])
        with open(self.path('sg2'), 'w', encoding='utf-8'):
            pass
        r = subprocess.run([PROGRAM, 'inspect', 'sg2'], env=self.environment(), cwd=self.path(''),
                           capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual((r.returncode, r.stderr), (2, 'diskwipe: sg2: no such node\n'))

    def test_option_mistyped(self):
        self.refused("did you mean '--verify'?", '--verfiy=full', '/dev/null')
        self.refused("did you mean '--bytes'?", 'list', '--bytez')
        self.refused("did you mean '--strategy'?", '--stratgy', '/dev/null')
        self.refused('unknown option; see diskwipe erase --help', '--qqqqqq', '/dev/null')
        self.refused('more than one option begins so', '--co', '/dev/null')

    def test_too_long_for_a_record(self):
        self.refused('at most 63 bytes of it', '--label=' + 64 * 'x', '/dev/null')
        self.refused('longer than 127 bytes', 'verify', '--operator=' + 64 * 'é', '/dev/null')
        self.assertNotIn('bytes of it', self.run_cli('--label=' + 63 * 'x', '/dev/nothing',
                                                     code=2).stderr)

    def test_plan_on_a_terminal(self):
        """The table, and no pages of JSON after it; a pipe and --json get the document."""
        self.machine(disk(0), disk(1))
        t = Terminal(self, 'plan', '/fake/sg0')
        self.assertEqual(t.wait(), 0)
        self.assertIn('forecast: 0:00:10', t.text)
        self.assertIn('1 disk; -o FILE keeps the plan, for diskwipe erase --plan FILE', t.text)
        self.assertNotIn('"document"', t.text)
        t = Terminal(self, 'plan', '--json', '/fake/sg0')
        self.assertEqual(t.wait(), 0)
        self.assertIn('"document"', t.text)
        t = Terminal(self, 'plan', '-q', '/fake/sg0')
        self.assertEqual(t.wait(), 0)
        self.assertIn('"document"', t.text)
        r = self.run_cli('plan', '/fake/sg0')
        self.assertEqual(json.loads(r.stdout)['document'], 'plan')
        self.assertNotIn('keeps the plan', r.stderr)

    def test_verb_not_first(self):
        self.refused('put the command before options: diskwipe list', '-q', 'list')
        self.refused('put the command before options: diskwipe status', '--bus=x', 'status')
        self.refused("did you mean '--label'", 'erase', '--lable', 'report', '/dev/sg1')

    def test_no_hint_for_devices(self):
        r = self.run_cli('--yes', '/fake/sg1', code=2)
        self.assertNotIn('did you mean', r.stderr)

    def test_each_help_alone(self):
        """What a command is for does not need the line before it; no line ends in blanks."""
        for verb in ('list', 'queue', 'pause', 'resume', 'cancel', 'doctor', 'top'):
            usage, what, *rest = self.run_cli(verb, '--help').stdout.splitlines()
            self.assertNotIn(' them ', what)
            for line in (usage, what, *rest):
                self.assertEqual(line, line.rstrip())

    def test_node_as_a_value(self):
        """An option that has a value has taken the disk; it is said which."""
        for verb, option in (('erase', '--certificate'), ('plan', '--output'),
                             ('verify', '--trace'), ('submit', '--label')):
            self.refused(f'no device named: /dev/sg0 is the value of {option}; see diskwipe ',
                         verb, option, '/dev/sg0')
        self.refused('no device named; see diskwipe ', 'erase', '--certificate', 'x.pdf')
        self.refused('--certificate: its value is empty', 'erase', '--certificate=', '/fake/sg1')

    def test_beginning_takes_no_device(self):
        """The beginning of an option does not take the word behind it, which may be a disk, and
        an option of another command is none of this one by its beginning."""
        for words in (('--all', '/fake/sg1'), ('--all=crypto', '/fake/sg1')):
            self.refused("--all: not an option of 'erase'", 'erase', *words)
        for name, whole in (('--allo', '--allow=LIST'), ('--meth', '--method=NAME'),
                            ('--expect-c', '--expect-count=N')):
            self.refused(f'{name}: the beginning of {whole[:whole.index("=")]}, which has a value:'
                         f' write {whole}', 'erase', name, '/fake/sg1')
            self.refused(f'write {whole}', 'erase', name)
        self.refused("no 'zer'", 'erase', '--meth=zer', '/fake/sg1')
        self.refused('no device named', 'erase', '--dry', '--qui')

    def test_unknown_option(self):
        self.refused('--forc: unknown option', '--forc', '/dev/null')
        self.refused('--force: unknown option', '--force', '/dev/null')
        self.refused('-x: unknown option', '-x', '/dev/null')
        self.refused('--method: needs a value', '/dev/null', '--method')
        self.refused("--all: not an option of 'erase'", 'erase', '--all')
        self.refused('--yes: takes no value', '--yes=1', '/dev/null')

    def test_doctor(self):
        where = {'DBUS_SYSTEM_BUS_ADDRESS': 'unix:path=/nonexistent'}
        self.assertEqual(self.run_cli('doctor', **where).stdout, 'nothing found\n')
        said = self.run_cli('doctor', code=1, DISKWIPE_FAKE_FINDING='pcie-link',
                            **where).stdout
        self.assertEqual(said, 'host0: it is slow\n    seat it again\n')
        self.refused("doctor: '/fake/sg0': it takes no device", 'doctor', '/fake/sg0')

    def test_bench(self):
        self.refused('bench: one of --contiguous, --random and --load', 'bench', '/fake/sg0')
        self.refused('one of --contiguous', 'bench', '--load', '--random', '/fake/sg0')
        self.refused('no device named; see diskwipe bench --help', 'bench', '--load')
        for sweep in ('blocks=0:4:1', 'blocks=8:4:1', 'blocks=1:4:0', 'len=1:4:1', 'blocks=1:4'):
            self.refused(f"--sweep: '{sweep}' is not of the form blocks=FROM:TO:STEP", 'bench',
                         '--random', f'--sweep={sweep}', '/fake/sg0')
        self.refused('more than 4096 lengths', 'bench', '--random', '--sweep=blocks=1:9000:1', 'x')
        self.refused("--misalign: '-1' is not", 'bench', '--random', '--misalign=-1', 'x')
        self.refused('has to end in .html, .svg, .pdf or .png', 'bench', '--load', '-o', 'x.gif',
                     'x')
        self.refused('no disk selected that can be measured', 'bench', '--random', '/fake/none',
                     code=2)
        self.refused('--link: goes with --rate', 'inspect', '--link=1GB/s', '/fake/sg0')
        self.refused('--anonymous: goes with --capture', 'inspect', '--anonymous', '/fake/sg0')
        self.refused('--capture: goes with one device', 'inspect', '--capture=x', '/fake/sg0',
                     '/fake/sg1')
        self.refused("--rate: '0' is not a rate like 250MB/s", 'inspect', '--rate=0', '/fake/sg0')

    def test_options_of_other_verbs(self):
        for verb, option in (('list', '--yes'), ('verify', '--yes'), ('verify', '--command=write'),
                             ('plan', '--yes'), ('inspect', '--method=zero')):
            self.refused('not an option of', verb, option)

    def test_values(self):
        self.refused("did you mean 'parallel'?", '--strategy=paralel', '/dev/null')
        self.refused('there is sequential, round-robin', '--strategy=x', '/dev/null')
        self.refused("did you mean 'write-same'?", '--command=writesame', '/dev/null')
        self.refused("did you mean 'dod-short'?", '--method=dodshort', '/dev/null')
        self.refused('fixed:BLOCKS', '--controller=fixed:0', '/dev/null')
        for name in ('tuning', 'controller'):
            self.refused("--tuning: 'cache:8' is not a tuning; only fixed takes a number",
                         f'--{name}=cache:8', '/dev/null')
        self.refused('from 1 to 32', '--depth=33', '/dev/null')
        self.refused('from 1 to 32', '--depth=-1', '/dev/null')
        self.refused('from 1 to', '--active=0', '/dev/null')
        self.refused('sample:N%', '--verify=sample:0%', '/dev/null')
        self.refused('sample:N%', '--verify=sample:101%', '/dev/null')
        self.refused("did you mean 'full'?", '--verify=ful', '/dev/null')
        self.refused('a size of at least', '--controller-buffer=5', '/dev/null')
        self.refused('a time like', '--stall-budget=soon', '/dev/null')
        self.refused('share:20%, keep-response:30ms', '--background=20%', '/dev/null')
        self.refused('share:20%, keep-response:30ms', '--background=share:0%', '/dev/null')
        self.refused("did you mean 'near-first'", '--order=near-frist', '/dev/null')
        self.refused('two devices', '--mirror=/dev/sg0', '/dev/null')
        self.refused('two devices', '--mirror=a,b,c', '/dev/null')
        self.refused('there is both, common, auto', '--verify-policy=9', '/dev/null')
        self.refused('like users:20', '--others=users:20', '/dev/null')
        self.refused('a size like 64GiB or a time', '--flush-every=300', '/dev/null')
        self.refused('a size like 64GiB or a time', '--flush-every=0G', '/dev/null')
        self.refused("did you mean 'keep'?", '--write-cache=kep', '/dev/null')
        self.refused('longer than 255', '--state=' + 'x' * 256, '/dev/null')
        self.refused('its value is empty', '--state=', '/dev/null')
        self.refused("no column 'sizes'; did you mean 'size'?", 'list', '-o', 'serial,sizes')

    def test_together(self):
        self.refused('cannot be combined', '--method=zero', '--pattern=00', '/dev/null')
        self.refused('cannot be combined', '--plan=a', '--resume=b')
        self.refused('--plan fixes that already', '--plan=a', '--method=zero')
        self.refused('diskwipe: --near: missing; the order', '--order=near-first', '/dev/null')
        self.refused('diskwipe: --order: missing;', '--near=start', '/dev/null')
        self.refused('diskwipe: --pattern: \'zz\': not a', '--pattern=zz', '/dev/null')
        self.refused('diskwipe: --background: other work',
                     '--others=users:2,think:1s,demands:1s', '/dev/null')
        self.refused('--plan, which names its disks', '--plan=a', '/dev/null')
        self.refused('--resume fixes that already', '--resume=a', '--verify=full')

    def test_missing_files(self):
        gone = self.path('gone')
        self.refused('gone', f'--plan={gone}')
        self.refused('gone', f'--resume={gone}')
        self.refused('gone', f'--config={gone}', '/dev/null')

    def test_json_lines_or_json(self):
        r = self.run_cli('--json', '--json-lines', '/dev/null', code=1)
        self.assertIn('cannot be combined', r.stderr)
        self.assertIn('cannot be combined', json.loads(r.stdout)['error'])

    def test_json_of_an_error(self):
        for args in ([], ['--force'], ['--method=nil', 'x/y'], ['lsit']):
            doc = self.run_json(*args, code=1)
            self.assertEqual(doc['schema'], 1)
            self.assertEqual(doc['tool']['name'], 'diskwipe')
            self.assertEqual(doc['job']['outcome'], 'invalid')
            self.assertEqual((doc['disks'], doc['refused']), ([], []))
            self.assertTrue(doc['error'])

    def test_closed_descriptors(self):
        """They are taken for /dev/null: what is lost is the output, not the exit status."""
        self.machine(disk(1))
        r = subprocess.run(['sh', '-c', 'exec "$0" list <&- >&- 2>&-', PROGRAM],
                           timeout=LIMIT, check=False, env=self.environment())
        self.assertEqual(r.returncode, 0)

    def test_regular_file_and_directory(self):
        name = self.path('file')
        with open(name, 'wb') as f:
            f.write(b'precious')
        for target in (name, self.dir.name, self.path('vanished')):
            r = self.run_cli('--yes', target, code=2)
            self.assertIn(f'{target}: skipped: ', r.stderr)
            doc = self.run_json('--yes', target, code=2)
            self.assertEqual(doc['job']['outcome'], 'refused')
            self.assertEqual(doc['disks'], [])
            self.assertEqual([d['device'] for d in doc['refused']], [target[:63]])
            self.assertTrue(doc['refused'][0]['reason'])
        with open(name, 'rb') as f:
            self.assertEqual(f.read(), b'precious')
        self.assertFalse(os.path.exists(self.path('vanished')))


if __name__ == '__main__':
    unittest.main()
