# SPDX-License-Identifier: GPL-2.0-or-later
"""A service made of words on a bus of its own, that tells of its changes: what the page sees. The
interfaces are those of packaging/dbus, so a call or a property of another type fails.

fake.py ADDRESS INTERFACE.xml: a line of JSON in, a line out, until the end of its input."""

import json
import sys
import uuid

import gi

gi.require_version('Gio', '2.0')
from gi.repository import Gio, GLib  # noqa: E402

NAME = 'io.github.diskwipe.Diskwipe1'
ROOT = '/io/github/diskwipe/Diskwipe1'
OBJECTS = '''<node><interface name="org.freedesktop.DBus.ObjectManager">
<method name="GetManagedObjects"><arg type="a{oa{sa{sv}}}" direction="out"/></method>
<signal name="InterfacesAdded"><arg type="o"/><arg type="a{sa{sv}}"/></signal>
<signal name="InterfacesRemoved"><arg type="o"/><arg type="as"/></signal></interface></node>'''
POLKIT = '''<node><interface name="org.freedesktop.PolicyKit1.Authority">
<method name="CheckAuthorization"><arg type="(sa{sv})" direction="in"/>
<arg type="s" direction="in"/><arg type="a{ss}" direction="in"/><arg type="u" direction="in"/>
<arg type="s" direction="in"/><arg type="(bba{ss})" direction="out"/></method></interface></node>'''
PLAIN = {'s': '', 'o': '/', 'b': False, 'as': [], 'ao': [], 'd': 0.0}


class Fake:
    def __init__(self, address, xml):
        with open(xml, encoding='utf-8') as f:
            node = Gio.DBusNodeInfo.new_for_xml(f.read())
        self.faces = {
            kind: node.lookup_interface(f'{NAME}.{kind}') for kind in ('Manager', 'Disk', 'Job')
        }
        self.objects, self.ids, self.failing, self.log, self.rows = {}, {}, {}, [], []
        self.plans, self.name, self.rights = {}, 0, {}
        self.holding, self.held, self.sender = [], [], ''
        self.bus = Gio.DBusConnection.new_for_address_sync(
            address,
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION,
            None,
            None,
        )
        root = Gio.DBusNodeInfo.new_for_xml(OBJECTS).interfaces[0]
        self.bus.register_object(ROOT, root, self.call, None, None)
        self.add(f'{ROOT}/Manager', 'Manager', {'Station': 'rack 1', 'Version': '0'})

    def typed(self, kind, values):
        types = {p.name: p.signature for p in self.faces[kind].properties}
        return {k: GLib.Variant(types[k], v) for k, v in values.items()}

    def add(self, path, kind, values):
        whole = {p.name: PLAIN.get(p.signature, 0) for p in self.faces[kind].properties} | values
        self.objects[path] = (kind, self.typed(kind, whole))
        self.ids[path] = self.bus.register_object(path, self.faces[kind], self.call, self.get, None)
        self.bus.emit_signal(
            None,
            ROOT,
            'org.freedesktop.DBus.ObjectManager',
            'InterfacesAdded',
            GLib.Variant('(oa{sa{sv}})', (path, {f'{NAME}.{kind}': self.objects[path][1]})),
        )

    def remove(self, path):
        kind, _ = self.objects.pop(path)
        self.bus.unregister_object(self.ids.pop(path))
        self.bus.emit_signal(
            None,
            ROOT,
            'org.freedesktop.DBus.ObjectManager',
            'InterfacesRemoved',
            GLib.Variant('(oas)', (path, [f'{NAME}.{kind}'])),
        )

    def set(self, path, values):
        kind, known = self.objects[path]
        known.update(self.typed(kind, values))
        if kind != 'Manager':  # as the service: it tells none of the manager's
            self.bus.emit_signal(
                None,
                path,
                'org.freedesktop.DBus.Properties',
                'PropertiesChanged',
                GLib.Variant('(sa{sv}as)', (f'{NAME}.{kind}', self.typed(kind, values), [])),
            )

    def get(self, _bus, _sender, path, _face, name):
        return self.objects[path][1][name]

    def call(self, _bus, sender, path, _face, method, args, call):
        given = args.unpack()
        if method == 'GetManagedObjects':
            all_ = {p: {f'{NAME}.{kind}': values} for p, (kind, values) in self.objects.items()}
            call.return_value(GLib.Variant('(a{oa{sa{sv}}})', (all_,)))
            return
        self.log.append([path[len(ROOT) + 1 :], method, list(given)])
        if method == 'Rescan':
            self.sender = sender
        if method in self.holding:
            self.held.append((path, method, given, call))
        else:
            self.answer(path, method, given, call)

    def release(self):
        """What was held is answered now."""
        self.holding, held = [], self.held
        self.held = []
        for one in held:
            self.answer(*one)

    def asker(self):
        """The process that had disks looked for last."""
        reply = self.bus.call_sync(
            'org.freedesktop.DBus',
            '/org/freedesktop/DBus',
            'org.freedesktop.DBus',
            'GetConnectionUnixProcessID',
            GLib.Variant('(s)', (self.sender,)),
            GLib.VariantType('(u)'),
            Gio.DBusCallFlags.NONE,
            -1,
            None,
        )
        with open(f'/proc/{reply.unpack()[0]}/cmdline', encoding='utf-8') as f:
            return f.read().split('\0')

    def answer(self, path, method, given, call):
        if method in self.failing:
            call.return_dbus_error(*self.failing[method])
            return
        answer = getattr(self, f'on_{method}', None)
        call.return_value(answer(path, *given) if answer else None)

    def polkit(self, answers):
        if not self.rights:
            face = Gio.DBusNodeInfo.new_for_xml(POLKIT).interfaces[0]
            self.bus.register_object(
                '/org/freedesktop/PolicyKit1/Authority', face, self.call, None, None
            )
            Gio.bus_own_name_on_connection(
                self.bus, 'org.freedesktop.PolicyKit1', Gio.BusNameOwnerFlags.NONE, None, None
            )
        self.rights = answers

    def on_CheckAuthorization(self, _path, subject, action, *_):
        assert subject[0] == 'system-bus-name' and subject[1]['name'].startswith(':'), subject
        may = self.rights[action]  # else an administrator could be asked
        return GLib.Variant('((bba{ss}))', ((may, not may, {}),))

    def on_Plan(self, _path, disks, options):
        digest = uuid.uuid4().hex * 2
        known = [
            {k: v.unpack() for k, v in o.items()}
            for kind, o in self.objects.values()
            if kind == 'Disk'
        ]
        rows = [next(k for k in known if k['Serial'] == d.get('serial', '')) for d in disks]
        job = {'method': 'zero', 'pattern': '', 'verify': 'default'} | options
        job['verify_percent'] = float(options.get('verify_percent', '1%')[:-1])
        plan = {
            'job': job,
            'disks': [
                {
                    'serial': r['Serial'],
                    'wwn': r['WWN'],
                    'vendor': r['Vendor'],
                    'model': r['Model'],
                    'capacity_bytes': r['Capacity'],
                }
                for r in rows
            ],
        }
        plan['forecast'] = {
            'seconds': 7200,
            'low_seconds': 7000,
            'high_seconds': 7500,
            'bytes_per_second': 400000000,
            'binding': 'slowest disk',
            'disks': [
                {'finish_seconds': 7200, 'limit': 'medium', 'verify_share': share}
                for share, _ in zip((0.01, 0.025, 1), rows)
            ],
        }
        self.plans[digest] = plan
        return GLib.Variant('(ss)', (digest, json.dumps(plan)))

    def on_Submit(self, _path, _disks, _options):
        raise SystemExit('the page submits plans only')

    def on_SubmitPlan(self, _path, digest, options):
        plan, ident = self.plans[digest], str(uuid.uuid4())
        job = f'{ROOT}/job/j{ident.replace("-", "_")}'
        self.add(
            job,
            'Job',
            {
                'Id': ident,
                'State': 'queued',
                'Label': options.get('label', ''),
                'Method': plan['job']['method'],
                'Verify': 'sample:1%',
                'Disks': len(plan['disks']),
                'ExitCode': -1,
                'Cancelable': True,
            },
        )
        for path, (kind, o) in list(self.objects.items()):
            if kind == 'Disk' and o['Serial'].unpack() in [d['serial'] for d in plan['disks']]:
                self.set(path, {'Job': job, 'State': 'queued', 'Outcome': ''})
        return GLib.Variant('(o)', (job,))

    def on_Records(self, _path, _options):
        types = {
            'capacity': 't',
            'started': 't',
            'ended': 't',
            'uid': 'u',
            'do_not_reuse': 'b',
            'simulated': 'b',
            'max_temperature': 'i',
        }
        return GLib.Variant(
            '(aa{sv})',
            ([{k: GLib.Variant(types.get(k, 's'), v) for k, v in r.items()} for r in self.rows],),
        )

    def on_Result(self, path, _options):
        disks = [
            o for kind, o in self.objects.values() if kind == 'Disk' and o['Job'].unpack() == path
        ]
        rows = [
            {
                'serial': o['Serial'].unpack(),
                'outcome': o['Outcome'].unpack(),
                'reason': o['Message'].unpack(),
            }
            for o in disks
        ]
        return GLib.Variant('(s)', (json.dumps({'disks': rows}),))

    def heard(self, line):
        what = json.loads(line)
        do = what.pop('do')
        reply = None
        if do == 'own':
            self.name = Gio.bus_own_name_on_connection(
                self.bus, NAME, Gio.BusNameOwnerFlags.NONE, None, None
            )
        elif do == 'leave':
            Gio.bus_unown_name(self.name)
        elif do == 'fail':
            self.failing = what['methods']
        elif do == 'hold':
            self.holding = what['methods']
        elif do == 'asker':
            reply = self.asker()
        elif do == 'rows':
            self.rows = what['rows']
        elif do == 'log':
            reply, self.log = self.log, []
        else:
            getattr(self, do)(**what)
        self.bus.flush_sync(None)
        print(json.dumps(reply), flush=True)


def main():
    fake, loop = Fake(*sys.argv[1:3]), GLib.MainLoop()

    def readable(source, condition):
        line = sys.stdin.readline()
        if not line:
            loop.quit()
            return False
        fake.heard(line)
        return True

    GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, readable)
    print('ready', flush=True)
    loop.run()


if __name__ == '__main__':
    main()
