// SPDX-License-Identifier: GPL-2.0-or-later
// The service as it is on the bus: its objects, kept by its signals, and its methods. Nothing of
// the page is known here; whoever listens hears "change" and looks at the maps.
/* global cockpit */

const NAME = "io.github.diskwipe.Diskwipe1";
const ROOT = "/io/github/diskwipe/Diskwipe1";
const MANAGER = ROOT + "/Manager";
const FACE = { disk: NAME + ".Disk", job: NAME + ".Job", manager: NAME + ".Manager" };
const POLKIT = "org.freedesktop.PolicyKit1";
const PATIENCE_MS = 120000;
const LOOK_MS = 5000; // the manager tells no changes of its properties

function plain(properties) {
    return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, value.v]));
}

const text = value => cockpit.variant("s", value);

// Only what was said is sent: what is left out is as the station is configured.
function texts(options) {
    return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== "")
            .map(([key, value]) => [key, text(value)]));
}

export class Station extends EventTarget {
    constructor() {
        super();
        this.disks = new Map();
        this.jobs = new Map();
        this.manager = {};
        this.state = "connecting"; // "there", "lost", "absent"
        this.why = "";
        this.may = { erase: true, cancel: true };
        this.generation = 0;
        this.calls = new Map(); // of each client those that are under way
    }

    // As pages of Cockpit do it. Not by cockpit.permission(), which loads the page again, and what was
    // begun in it is lost.
    start() {
        this.access = cockpit.dbus(null, { bus: "internal" }).proxy("cockpit.Superuser", "/superuser");
        this.access.addEventListener("changed", () => this.switched());
        cockpit.user().then(user => { this.root = user.id === 0; this.admin ||= this.root; this.lookAtRights() });
        this.admin = this.isAdmin();
        this.open();
    }

    isAdmin() {
        return this.root || !["none", "init", "", undefined].includes(this.access.Current);
    }

    // What is open stays as it was when it was opened, so all is opened once more.
    switched() {
        if (this.admin === this.isAdmin())
            return;
        this.admin = this.isAdmin();
        this.open();
    }

    // A call of the old client may have its answer still; then it is not needed any more.
    retire(client) {
        if (client && client !== this.client && !this.calls.get(client)) {
            this.calls.delete(client);
            client.close();
        }
    }

    open() {
        const old = this.client;
        const client = cockpit.dbus(NAME, { bus: "system", superuser: "try" });
        const mine = call => (...args) => client === this.client && call(...args);
        this.state = "connecting";
        this.client = client;
        this.retire(old);
        client.addEventListener("close", mine((_event, options) =>
            this.lose("absent", options.message || options.problem || "")));
        client.addEventListener("owner", mine((_event, owner) =>
            owner ? this.read() : this.state === "there" && this.lose("lost", "")));
        client.subscribe({ path_namespace: ROOT }, mine((path, _face, signal, args) => this.heard(path, signal, args)));
        this.read();
        clearInterval(this.timer);
        this.timer = setInterval(() => this.state === "there" && this.lookAtManager(), LOOK_MS);
    }

    tell() {
        this.dispatchEvent(new Event("change"));
    }

    // What was last known stays to be seen; nothing can be asked of it.
    lose(state, why) {
        this.generation++;
        this.state = state;
        this.why = why;
        this.tell();
    }

    again() {
        if (this.state === "absent")
            this.open();
        else
            this.read();
    }

    // A call starts the service if the bus can. An answer that comes when the service has gone, or
    // when a later one was asked for, is not taken.
    read() {
        const mine = ++this.generation;
        this.client.call(ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", [],
                         { timeout: PATIENCE_MS })
                .then(reply => mine === this.generation && this.take(reply[0]))
                .catch(error => mine === this.generation && this.lose("lost", error.message));
    }

    take(objects) {
        this.disks.clear();
        this.jobs.clear();
        for (const [path, faces] of Object.entries(objects))
            this.add(path, faces);
        this.state = "there";
        this.why = "";
        this.lookAtManager();
        this.lookAtRights();
        this.tell();
    }

    add(path, faces) {
        if (faces[FACE.disk])
            this.disks.set(path, plain(faces[FACE.disk]));
        if (faces[FACE.job])
            this.jobs.set(path, plain(faces[FACE.job]));
        if (faces[FACE.manager])
            this.manager = plain(faces[FACE.manager]);
    }

    heard(path, signal, args) {
        if (signal === "PropertiesChanged") {
            const known = this.disks.get(path) || this.jobs.get(path);
            if (known)
                Object.assign(known, plain(args[1]));
        } else if (signal === "InterfacesAdded") {
            this.add(args[0], args[1]);
        } else if (signal === "InterfacesRemoved") {
            this.disks.delete(args[0]);
            this.jobs.delete(args[0]);
        } else if (signal === "Notice") {
            this.dispatchEvent(new CustomEvent("notice", {
                detail: { disk: this.disks.get(args[0]), text: args[1] },
            }));
        }
        this.tell();
    }

    lookAtManager() {
        const mine = this.generation;
        this.client.call(MANAGER, "org.freedesktop.DBus.Properties", "GetAll", [FACE.manager],
                         { timeout: PATIENCE_MS })
                .then(reply => {
                    if (mine === this.generation) {
                        this.manager = plain(reply[0]);
                        this.tell();
                    }
                })
                .catch(() => {}); // that the service has gone is seen by its name
    }

    // Buttons that would be refused are not offered. It is the service that decides: where polkit
    // does not answer, it is asked when the button is pressed. Of root it asks nobody.
    lookAtRights() {
        for (const what of ["erase", "cancel"]) {
            if (this.isAdmin()) {
                this.may[what] = true;
                this.tell();
            } else {
                this.askPolkit(what);
            }
        }
    }

    askPolkit(what) {
        const polkit = cockpit.dbus(POLKIT, { bus: "system" });
        polkit.wait().then(() => polkit.call(
            "/org/freedesktop/PolicyKit1/Authority", POLKIT + ".Authority", "CheckAuthorization",
            [["system-bus-name", { name: text(polkit.unique_name) }],
                "io.github.diskwipe." + what, {}, 0, ""],
            { type: "(sa{sv})sa{ss}us" }))
                .then(reply => {
                    // that somebody who may could be asked for a password is not a right of this user
                    this.may[what] = this.isAdmin() || reply[0][0]; // the switch may have been turned meanwhile
                    this.tell();
                })
                .catch(() => {})
                .finally(() => polkit.close());
    }

    ask(path, face, method, args, type) {
        const client = this.client;
        const count = n => this.calls.set(client, (this.calls.get(client) || 0) + n);
        count(1);
        return client.call(path, face, method, args, { type, flags: "i", timeout: PATIENCE_MS })
                .finally(() => { count(-1); this.retire(client) });
    }

    // wanted: [{ serial, wwn, capacity, asset }]; options: text by name
    plan(wanted, options) {
        const disks = wanted.map(d => ({
            ...texts({ serial: d.serial, wwn: d.wwn, asset: d.asset }),
            capacity: cockpit.variant("t", d.capacity),
        }));
        return this.ask(MANAGER, FACE.manager, "Plan", [disks, texts(options)], "aa{sv}a{sv}")
                .then(reply => ({ digest: reply[0], plan: JSON.parse(reply[1]) }));
    }

    submitPlan(digest, remarks) {
        return this.ask(MANAGER, FACE.manager, "SubmitPlan", [digest, texts(remarks)], "sa{sv}")
                .then(reply => reply[0]);
    }

    rescan() {
        return this.ask(MANAGER, FACE.manager, "Rescan", [{}], "a{sv}");
    }

    // filter: since, until (microseconds), limit, serial, outcome, job, bay
    records(filter) {
        const types = { since: "t", until: "t", limit: "u" };
        const options = Object.fromEntries(Object.entries(filter)
                .filter(([, value]) => value !== "" && value !== 0)
                .map(([key, value]) => [key, cockpit.variant(types[key] || "s", value)]));
        return this.ask(MANAGER, FACE.manager, "Records", [options], "a{sv}")
                .then(reply => reply[0].map(plain));
    }

    // what: "Pause", "Resume", "Cancel"; disk: a path, or undefined for the whole job
    control(what, job, disk) {
        const options = disk ? { disk: cockpit.variant("o", disk) } : {};
        return this.ask(job, FACE.job, what, [options], "a{sv}");
    }

    setPriority(job, priority) {
        return this.ask(job, FACE.job, "SetPriority", [priority, {}], "ia{sv}");
    }

    result(job) {
        return this.ask(job, FACE.job, "Result", [{}], "a{sv}").then(reply => JSON.parse(reply[0]));
    }
}
