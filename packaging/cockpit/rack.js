// SPDX-License-Identifier: GPL-2.0-or-later
// The rack: the bays of each enclosure as they stand, a tile for each disk. Tiles stay and change in
// place, so that focus and marks stay where they are.
/* global cockpit */
import {
    HOT, KINDS, _, announce, badge, bar, byId, bytes, clock, diskLook, duration, el, errorText, facts, foreign,
    format, hasJob, label, mayErase, natural, near, percent, plural, rate, said, secondsUntil, setText, shape, short,
    tail, whyNot
} from "./words.js";
import { byPlace, groupOf, summary } from "./overview.js";
import { ask, button, closer, show } from "./dialog.js";

const COLUMNS = "diskwipe.columns.";

function identity(disk) {
    return JSON.stringify([disk.Serial, disk.WWN, disk.Capacity]);
}

// --- filter ---------------------------------------------------------------------------------------

const UNITS = { "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };

function compares(word, disk) {
    const m = /^(size|temp)([<>])([\d.]+)([kMGTP]?)B?$/i.exec(word);
    if (!m)
        return null;
    const prefix = m[4] === "k" || m[4] === "K" ? "k" : m[4].toUpperCase();
    const limit = Number(m[3]) * (m[1] === "size" ? UNITS[prefix] : 1);
    const value = m[1] === "size" ? disk.Capacity : disk.Temperature;
    return m[2] === "<" ? value < limit : value > limit;
}

export function fits(disk, text) {
    const look = diskLook(disk);
    const all = [disk.Bay, disk.Slot, disk.Address, disk.Device, disk.Block, disk.Serial, disk.WWN, disk.Vendor,
        disk.Model, disk.State, disk.Outcome, disk.Signatures, disk.Refusal, disk.Health, look.word,
        KINDS[look.kind].word()].join("\n").toLowerCase();
    return (text.match(/-?"[^"]*"|\S+/g) || []).every(word => {
        const not = word.length > 1 && word.startsWith("-");
        const want = (not ? word.slice(1) : word).replace(/"/g, "");
        return (compares(want, disk) ?? all.includes(want.toLowerCase())) !== not;
    });
}

// --- words about a disk and about all of them -------------------------------------------------------

function workParts(disk) {
    if (!hasJob(disk))
        return [];
    const parts = [percent(disk.Progress)];
    if (disk.Passes > 1)
        parts.push(format(_("pass $0 of $1"), disk.Pass, disk.Passes));
    if (disk.Rate)
        parts.push(rate(disk.Rate));
    const left = secondsUntil(disk.ExpectedEndTime);
    if (left > 0)
        parts.push(format(_("$0 left"), duration(left)));
    return parts;
}

function troubleLine(disk) {
    const parts = [];
    if (disk.BadBlocks)
        parts.push(format(plural("$0 bad block", "$0 bad blocks", disk.BadBlocks), disk.BadBlocks));
    if (disk.Errors)
        parts.push(format(_("$0 repeated"), disk.Errors));
    if (disk.Health.startsWith("failing"))
        parts.push(_("FAILING"));
    return parts.join(" · ");
}

function noteLine(disk) {
    return disk.State === "refused" ? disk.Reason || disk.Refusal : disk.Message;
}

// --- tiles ----------------------------------------------------------------------------------------

function makeTile(path, rack) {
    const t = { item: el("li", { class: "tile" }) };
    t.mark = el("input", { type: "checkbox", onchange: () => rack.setMark(path, t.mark.checked) });
    t.open = el("button", { type: "button", class: "open", onclick: () => rack.showDetails(path) });
    t.bay = el("bdi", { class: "bay" });
    t.state = el("span", { class: "state" });
    t.serial = el("bdi", { class: "serial" });
    t.model = el("bdi", { class: "model" });
    t.size = el("span", {});
    t.bar = el("progress", { max: "1", hidden: true });
    t.work = el("div", { class: "work" });
    t.heat = el("span", { class: "heat" });
    t.errors = el("span", { class: "errors" });
    t.note = el("bdi", { class: "why" });
    t.open.append(t.bay, " ", t.serial);
    t.item.append(el("div", { class: "head" }, t.mark, t.open), el("div", { class: "line" }, t.state, t.heat),
                  el("div", { class: "line what" }, t.model, t.size), t.bar, t.work, t.errors, t.note);
    return t;
}

function fillTile(t, disk, marked) {
    const look = diskLook(disk);
    const sign = `${look.kind} ${look.word}`;
    if (t.sign !== sign)
        t.state.replaceChildren(badge(look));
    t.sign = sign;
    t.item.className = `tile ${look.kind}${marked ? " marked" : ""}`;
    const may = mayErase(disk);
    t.mark.checked = marked;
    t.mark.disabled = !may;
    t.mark.title = may ? "" : said(whyNot(disk));
    t.mark.setAttribute("aria-label", format(_("Mark $0, serial $1"), label(disk), said(disk.Serial)));
    setText(t.bay, near(disk));
    setText(t.serial, tail(disk));
    setText(t.model, said(disk.Model));
    setText(t.size, bytes(disk.Capacity));
    setText(t.heat, disk.Temperature > -274 ? `${disk.Temperature}\u00a0°C` : "");
    t.heat.classList.toggle("hot", disk.Temperature >= HOT);
    t.bar.hidden = !hasJob(disk);
    t.bar.value = disk.Progress;
    t.bar.setAttribute("aria-label", format(_("Progress of $0"), label(disk)));
    const work = workParts(disk);
    if (t.work.textContent !== work.join(""))
        t.work.replaceChildren(...work.map(text => el("span", {}, text)));
    setText(t.errors, troubleLine(disk));
    setText(t.note, said(noteLine(disk)));
}

export class Rack {
    constructor(station) {
        this.station = station;
        this.tiles = new Map();
        this.marks = new Map(); // by path; what was marked is the disk that was seen there
        this.groups = new Map();
        byId("filter").addEventListener("input", () => this.draw());
        byId("mark-shown").addEventListener("click", () => this.markShown());
        byId("unmark").addEventListener("click", () => { this.marks.clear(); this.draw() });
        byId("rescan").addEventListener("click", () => station.rescan()
                .then(() => announce(_("The service looks for disks.")))
                .catch(error => announce(errorText(error), true)));
        for (const kind of Object.keys(KINDS))
            byId("legend").append(el("li", { class: kind }, el("button", {
                type: "button", onclick: () => { byId("filter").value = KINDS[kind].word(); this.draw() },
            }, shape(kind), ` ${KINDS[kind].word()} `, el("b", { id: `count-${kind}` }))));
    }

    setMark(path, on) {
        if (on)
            this.marks.set(path, identity(this.station.disks.get(path)));
        else
            this.marks.delete(path);
        this.draw();
    }

    shown() {
        return [...this.station.disks].filter(([, disk]) => fits(disk, byId("filter").value));
    }

    markShown() {
        for (const [path, disk] of this.shown())
            if (mayErase(disk))
                this.marks.set(path, identity(disk));
        this.draw();
    }

    // A mark is about a disk as it was seen: another one, and one that may not be erased any more, has none.
    dropMarks() {
        for (const [path, was] of this.marks) {
            const disk = this.station.disks.get(path);
            const same = disk && identity(disk) === was;
            if (!same || !mayErase(disk)) {
                this.marks.delete(path);
                announce(format(_("$0 is no longer marked: $1"), disk ? label(disk) : said(JSON.parse(was)[0]),
                                same ? whyNot(disk) : _("It is not there.")), true);
            }
        }
    }

    marked() {
        return [...this.marks.keys()].map(path => this.station.disks.get(path))
                .sort((a, b) => natural(label(a), label(b)));
    }

    draw() {
        const disks = [...this.station.disks.values()];
        this.dropMarks();
        setText(byId("summary"), summary(disks));
        for (const kind of Object.keys(KINDS))
            setText(byId(`count-${kind}`), String(disks.filter(d => diskLook(d).kind === kind).length));
        setText(byId("marked"), this.marks.size
            ? format(plural("$0 disk marked, $1", "$0 disks marked, $1", this.marks.size), this.marks.size,
                     bytes(this.marked().reduce((sum, d) => sum + d.Capacity, 0)))
            : "");
        byId("erase").disabled = !this.marks.size || !this.station.may.erase || this.station.state !== "there";
        byId("erase").title = this.station.may.erase ? "" : _("You may look, and not erase.");
        this.place();
    }

    place() {
        const shown = new Set(this.shown().map(([path]) => path));
        const order = [...this.station.disks].sort(([, a], [, b]) => byPlace(a, b));
        const used = new Set();
        for (const [path, disk] of order) {
            if (!this.tiles.has(path))
                this.tiles.set(path, makeTile(path, this));
            const tile = this.tiles.get(path);
            const name = groupOf(disk);
            const list = this.group(name);
            fillTile(tile, disk, this.marks.has(path));
            tile.item.hidden = !shown.has(path);
            const at = used.has(name) ? list.lastPlaced.nextSibling : list.firstChild;
            if (at !== tile.item)
                list.insertBefore(tile.item, at);
            list.lastPlaced = tile.item;
            used.add(name);
        }
        this.forget(used);
    }

    forget(used) {
        for (const [path, tile] of this.tiles)
            if (!this.station.disks.has(path)) {
                tile.item.remove();
                this.tiles.delete(path);
            }
        for (const [name, list] of this.groups) {
            list.parentElement.hidden = ![...list.children].some(item => !item.hidden);
            if (!used.has(name)) {
                list.parentElement.remove();
                this.groups.delete(name);
            }
        }
    }

    // How many bays a row has is reported by no disk: who sees the rack says it, once.
    group(name) {
        if (this.groups.has(name))
            return this.groups.get(name);
        const list = el("ul", { class: "bays" });
        const choice = el("select", { onchange: () => { localStorage.setItem(COLUMNS + name, choice.value); set() } },
                          el("option", { value: "0" }, _("as many as fit")),
                          ...[...Array(24).keys()].map(i => el("option", { value: String(i + 1) }, String(i + 1))));
        const set = () => {
            list.classList.toggle("fixed", choice.value !== "0");
            list.style.setProperty("--columns", choice.value);
        };
        choice.value = localStorage.getItem(COLUMNS + name) || "0";
        set();
        const id = `group-${this.groups.size}-${Date.now()}`;
        byId("rack").append(el("section", { class: "enclosure", "aria-labelledby": id },
                               el("h3", { id }, foreign(name)),
                               el("label", { class: "columns" }, _("bays in a row"), " ", choice), list));
        this.groups.set(name, list);
        return list;
    }

    showDetails(path) {
        const disk = this.station.disks.get(path);
        if (!disk)
            return;
        const end = secondsUntil(disk.ExpectedEndTime);
        const has = hasJob(disk) || disk.State === "quarantined";
        const control = what => this.station.control(what, disk.Job, path);
        const may = this.station.may;
        show(format(_("Disk in $0"), label(disk)),
             facts([[_("State"), badge(diskLook(disk))], [_("Serial"), disk.Serial], [_("WWN"), disk.WWN],
                 [_("Model"), `${disk.Vendor} ${disk.Model} ${disk.Revision}`],
                 [_("Size"), `${bytes(disk.Capacity)} (${disk.Capacity} B)`],
                 [_("Bay"), disk.Bay], [_("Slot"), disk.Slot], [_("Address"), disk.Address],
                 [_("Nodes"), `${disk.Device} ${disk.Block}`.trim()], [_("It holds"), disk.Signatures],
                 [_("May not be erased"), disk.Reason], [_("What would release it"), disk.Release],
                 [_("Progress"), workParts(disk).join(" · ")], [_("What it says"), disk.Message],
                 [_("Errors"), troubleLine(disk)], [_("Begun"), clock(disk.StartTime)],
                 [_("Ends"), end > 0 ? clock(disk.ExpectedEndTime) : ""],
                 [_("Temperature"), disk.Temperature > -274 ? `${disk.Temperature}\u00a0°C` : ""],
                 [_("Health"), disk.Health], [_("Job"), disk.Job === "/" ? "" : short(disk.Job)]]),
             bar(...(has ? [button(_("Pause"), () => control("Pause"), may.cancel),
                 button(_("Resume"), () => control("Resume"), may.erase),
                 button(_("Cancel…"), () => ask(_("Cancel this disk?"),
                                                _("What was begun stays half erased. The record will say stopped."),
                                                _("Cancel it"), () => control("Cancel")), may.cancel)] : []), closer()));
    }

    // --- scanner ----------------------------------------------------------------------------------

    // What was scanned may be the end of a serial: that leads to a disk, and marks none. whole: the
    // disks that are named so; ending: those whose serial only ends so.
    find(text) {
        const plain = wwn => wwn.toLowerCase().replace(/^(naa\.|0x|eui\.|t10\.)/, "");
        const all = [...this.station.disks];
        const names = ([, d]) => d.Serial === text || (d.WWN !== "" && plain(d.WWN) === plain(text));
        const ends = ([, d]) => text.length >= 4 && d.Serial.endsWith(text);
        return { whole: all.filter(names), ending: all.filter(row => ends(row) && !names(row)) };
    }

    scanned(text) {
        const { whole, ending } = this.find(text);
        const found = whole.length ? whole : ending;
        if (found.length !== 1) {
            announce(!found.length ? format(_("No disk here has the serial or WWN $0."), said(text))
                : format(whole.length ? _("$0 disks are called $1, and none is marked: $2")
                    : _("$0 disks end with $1, and none is marked; scan the whole serial: $2"),
                         found.length, said(text), found.map(([, d]) => label(d)).join(", ")), true);
            return;
        }
        const [path, disk] = found[0];
        if (!fits(disk, byId("filter").value))
            byId("filter").value = "";
        const why = this.whyNoMark(disk, text, whole, ending);
        const refused = byId("scan-marks").checked && why;
        if (byId("scan-marks").checked && !why)
            this.marks.set(path, identity(disk));
        cockpit.location.go(["rack"]);
        this.draw();
        const tile = this.tiles.get(path);
        for (const other of this.tiles.values())
            other.item.classList.toggle("scanned", other === tile);
        tile.item.scrollIntoView({ block: "center" });
        tile.open.focus();
        announce(refused ? format(_("$0 is not marked: $1"), label(disk), why)
            : format(_("$0: $1, serial $2"), label(disk), diskLook(disk).word, disk.Serial), refused);
    }

    whyNoMark(disk, text, whole, ending) {
        if (!whole.length)
            return format(_("$0 is only the end of its serial $1; scan the whole."), said(text), said(disk.Serial));
        if (ending.length)
            return format(_("$0 is also the end of the serial of $1; mark it by hand."), said(text),
                          ending.map(([, d]) => label(d)).join(", "));
        return mayErase(disk) ? "" : whyNot(disk);
    }
}
