# SPDX-License-Identifier: GPL-2.0-or-later
"""In a guest: the real service on a bus, which is carried out over a serial line. A file `restart`
in the folder that is shared has the service killed and started again.

in_guest.py DISKWIPED FOLDER"""

import os
import subprocess
import sys
import threading
import time

from line import far_end

BUS = '/run/cockpit-bus'
CONF = f'''<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig>
<listen>unix:path={BUS}</listen><auth>EXTERNAL</auth><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>'''


def serve(daemon, folder):
    with open(folder + '/service.log', 'w', encoding='utf-8') as log:
        while True:
            service = subprocess.Popen(
                [
                    daemon,
                    f'--bus=unix:path={BUS}',
                    '--state-dir=/run/state',
                    '--socket=/run/service-bus',
                ],
                stderr=log,
            )
            while not os.path.exists(folder + '/restart') and service.poll() is None:
                time.sleep(0.2)
            service.kill()
            service.wait()
            if os.path.exists(folder + '/restart'):
                os.unlink(folder + '/restart')


def main():
    daemon, folder = sys.argv[1:]
    with open('/run/bus.conf', 'w', encoding='utf-8') as f:
        f.write(CONF)
    subprocess.Popen(['dbus-daemon', '--nofork', '--config-file=/run/bus.conf'])
    while not os.path.exists(BUS):
        time.sleep(0.05)
    threading.Thread(target=serve, args=(daemon, folder), daemon=True).start()
    with open(folder + '/ready', 'w', encoding='utf-8'):
        pass
    far_end('/dev/ttyS1', BUS)


main()
