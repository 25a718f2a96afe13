# SPDX-License-Identifier: GPL-2.0-or-later
"""A service made of words beside the program."""
import os
import subprocess

from cli import Case

SERVICE, INTERFACE = os.environ['FAKE_SERVICE'], os.environ['INTERFACE']
JOB = '0a1b2c3d-0000-4000-8000-00000000000'
NOW = 1790000000000000  # a time in microseconds
SEEN = 'on GetManagedObjects'  # what follows in a script is so when the client has read the rest


def words(what, **fields):
    """A line of the script."""
    return '\t'.join([what, *(f'{k}={v}' for k, v in fields.items())])


def disk(n, **more):
    """A free disk of the station, number n, changed by more."""
    line = {'Device': f'/fake/sg{n}', 'Block': f'/fake/sd{n}', 'Serial': f'SERIAL-{n:04}',
            'WWN': f'0x5000c5000000000{n:x}', 'Vendor': 'ACME', 'Model': f'MODEL{n}',
            'Capacity': 1048576, 'BlockSize': 512, 'Transport': 'sas', 'Bay': f'bay {n}',
            'State': 'free', 'Job': '/', 'Temperature': 30 + n}
    line.update(more)
    return words(f'disk {n}', **line)


def job(n, **more):
    line = {'Id': f'{JOB}{n}', 'State': 'running', 'Method': 'zero', 'ExitCode': -1,
            'Label': f'rack {n}', 'Disks': 1, 'SubmitTime': NOW + n}
    line.update(more)
    return words(f'job {n}', **line)


def forecast(device):
    """Of two hours, in a plan."""
    first = {'device': device, 'model': '', 'group': '', 'start_seconds': 0,
             'finish_seconds': 7200, 'low_seconds': 7000, 'high_seconds': 7300,
             'alone_seconds': 7200, 'phases': {'write': 7200, 'flush': 0, 'verify': 0},
             'bytes_per_second': 1, 'limit': 'medium'}
    return {'method': 'closed form', 'seconds': 7200, 'low_seconds': 7000, 'high_seconds': 7300,
            't_min_seconds': 7200, 'binding': 'slowest disk x',
            'terms': {'slowest_disk': 7200, 'bus': 0, 'bus_name': '', 'slots': 0, 'commands': 0,
                      'controller_name': ''},
            'bytes_per_second': 1, 'strategy': 'parallel', 'active': 0, 'assumed': '',
            'disks': [first]}


class StationCase(Case):
    """Its program finds the service by DISKWIPE_BUS_ADDRESS."""

    def environment(self, **more):
        return super().environment(**{'DISKWIPE_BUS_ADDRESS': 'unix:path=' + self.path('bus'),
                                      'TZ': 'UTC'} | more)

    def serve(self, *lines, where=('listen', None)):
        """Start the service; its calls go to self.calls()."""
        with open(self.path('script'), 'w', encoding='utf-8') as f:
            f.write('\n'.join(('manager\tVersion=0.1.0\tStation=hall 3\tActive=1\tWaiting=2',
                               *lines)) + '\n')
        how, address = where
        p = subprocess.Popen([SERVICE, INTERFACE, self.path('script'), self.path('calls'), how,
                              address or self.path('bus')], stdout=subprocess.PIPE, text=True)
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        self.assertEqual(p.stdout.readline(), 'ready\n')
        return p

    def bus_that_starts(self, command):
        """The address of a system bus that starts the service by a command."""
        address = 'unix:path=' + self.path('system')
        os.mkdir(self.path('services'))
        with open(self.path('services/io.github.diskwipe.Diskwipe1.service'), 'w',
                  encoding='utf-8') as f:
            f.write(f'[D-BUS Service]\nName=io.github.diskwipe.Diskwipe1\nExec={command}\n')
        with open(self.path('bus.conf'), 'w', encoding='utf-8') as f:
            f.write(f'<busconfig><type>session</type><listen>{address}</listen>'
                    f'<servicedir>{self.path("services")}</servicedir><policy context="default">'
                    '<allow eavesdrop="true"/>'
                    '<allow send_destination="*"/><allow own="*"/></policy></busconfig>')
        p = subprocess.Popen(['dbus-daemon', '--nofork', '--print-address=1',
                              '--config-file=' + self.path('bus.conf')],
                             stdout=subprocess.PIPE, text=True)
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        p.stdout.readline()
        return address

    def calls(self):
        try:
            with open(self.path('calls'), encoding='utf-8') as f:
                return f.read().splitlines()
        except FileNotFoundError:
            return []
