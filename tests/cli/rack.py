# SPDX-License-Identifier: GPL-2.0-or-later
"""A rack of sixty bays, as the lines that station_text.h and fake_service.c read."""
NOW = 1_760_000_000  # 2025-10-09 08:53:20 UTC


def line(kind, **members):
    return kind + ''.join(f'\t{k}={v}' for k, v in members.items())


def disk(n, ident=None, **more):
    """A disk in bay n: row A has bays 1 to 15, row B the next ones."""
    members = {
        'Device': f'/dev/sg{n}', 'Serial': f'SER{n:05}', 'Vendor': 'ACME',
        'Model': f'RUST-{n % 3}', 'Capacity': 2_000_398_934_016, 'BlockSize': 512,
        'Address': f'0:0:{n}:0', 'Bay': f'{"ABCD"[n // 15 % 4]}{n % 15 + 1:02}',
        'State': 'free', 'Job': '/', 'Temperature': 31 + n % 9}
    members.update(more)
    return line(f'disk {ident or n}', **members)


def working(n, share, rate, now=NOW, **more):
    members = {
        'State': 'writing', 'Job': '1', 'Progress': share, 'Rate': rate,
        'BytesTotal': 6_001_196_802_048, 'Bytes': int(share * 6_001_196_802_048),
        'Pass': 1 + int(3 * share), 'Passes': 3, 'StartTime': (now - 3600) * 1_000_000,
        'ExpectedEndTime': (now + int((1 - share) * 6e12 / rate)) * 1_000_000}
    members.update(more)
    return disk(n, **members)


def rack(now=NOW):
    """34 at work, one of them slow; 12 wait, 9 are erased, 2 failed, one was pulled, 2 free."""
    lines = [line('manager', Station='rack-1')]
    for n in range(60):
        if n == 17:
            lines.append(disk(n, State='done', Outcome='failed', Job='1', Progress=0.31,
                              Errors=412, BadBlocks=128,
                              Message='unrecovered write error at LBA 1,203,968,000'))
        elif n == 44:
            lines.append(disk(n, State='done', Outcome='erased-with-exceptions', Job='1',
                              Progress=1, Errors=24, BadBlocks=3,
                              Message='3 blocks were not written'))
        elif n == 51:
            lines.append(disk(n, State='absent', Device='', Job='1', Progress=0.62,
                              Message='pulled while it was written'))
        elif n < 34:
            rate = 61_000_000 if n == 7 else 170_000_000 + n * 1_000_000
            lines.append(working(n, 0.2 + n / 60, rate, now,
                                 **({'Errors': 2} if n == 9 else {}),
                                 **({'State': 'verifying'} if n % 5 == 4 else {})))
        elif n < 46:
            lines.append(disk(n, State='waiting', Job='2',
                              ExpectedStartTime=(now + 600 + n * 60) * 1_000_000,
                              ExpectedEndTime=(now + 40_000 + n * 60) * 1_000_000))
        elif n < 56:
            lines.append(disk(n, State='done', Outcome='erased', Job='1', Progress=1,
                              Message='erased and verified'))
        elif n < 58:
            lines.append(disk(n))
        else:
            lines.append(disk(n, State='refused', Refusal='mounted',
                              Reason='mounted at /srv', Release='umount /srv'))
    for i in (1, 2):
        lines.append(line(f'job {i}', Id=f'0{i}f3c2d4-0000-4000-8000-00000000000{i}',
                          State='running' if i == 1 else 'queued', Method='dod-3', Verify='full',
                          Label=f'batch {i}', Disks=30, DisksDone=9, StartedByUID=1000))
    return lines


if __name__ == '__main__':
    import sys
    import time
    print('\n'.join(rack(int(time.time()) if '--now' in sys.argv else NOW)))
