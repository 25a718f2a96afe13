// SPDX-License-Identifier: GPL-2.0-or-later
// What a state is called and how it looks; numbers for people; elements. What a disk says of itself
// comes into the page as text alone.
/* global cockpit */

export const _ = cockpit.gettext;
export const format = cockpit.format;
export const plural = cockpit.ngettext;

export const HOT = 60; // degrees Celsius: the limit of most disks

// Each kind has a shape of its own, so that colour is never all there is. Paths in 16 x 16.
export const KINDS = {
    trouble: { word: () => _("trouble"), shape: "M8 1 15 15H1zM7 6v5h2V6zM7 12v2h2v-2z" },
    working: { word: () => _("working"), shape: "M3 1v14l11-7z" },
    waiting: { word: () => _("waiting"), shape: "M3 2h4v12H3zM9 2h4v12H9z" },
    done: { word: () => _("erased"), shape: "M1 8 3 6l4 4 7-8 1 2-8 10z" },
    stopped: { word: () => _("stopped"), shape: "M2 2h12v12H2z" },
    free: { word: () => _("free"), shape: "M8 1a7 7 0 1 0 .01 0zM8 3.5a4.5 4.5 0 1 1-.01 0z" },
    refused: { word: () => _("refused"), shape: "M1 6h14v4H1z" },
    absent: { word: () => _("absent"), shape: "M2 7h3v2H2zM6.5 7h3v2h-3zM11 7h3v2h-3z" },
};

const STATES = {
    free: ["free", () => _("free")],
    offered: ["free", () => _("offered")],
    refused: ["refused", () => _("refused")],
    queued: ["waiting", () => _("queued")],
    waiting: ["waiting", () => _("waiting")],
    paused: ["waiting", () => _("paused")],
    quarantined: ["trouble", () => _("STALLED")],
    "power-cycling": ["trouble", () => _("UNPLUG IT")],
    claiming: ["working", () => _("claims")],
    writing: ["working", () => _("writes")],
    flushing: ["working", () => _("flushes")],
    verifying: ["working", () => _("verifies")],
    repairing: ["working", () => _("repairs")],
    recovering: ["working", () => _("recovers")],
    sanitizing: ["working", () => _("erases itself")],
    pausing: ["working", () => _("pausing")],
    stopping: ["working", () => _("stopping")],
};

// Erased is what the service calls so, and nothing else: a word that is not known is trouble.
const OUTCOMES = {
    erased: ["done", () => _("erased")],
    "as-expected": ["done", () => _("verified")],
    stopped: ["stopped", () => _("stopped")],
    removed: ["trouble", () => _("REMOVED")],
    refused: ["trouble", () => _("REFUSED")],
    "erased-with-exceptions": ["trouble", () => _("BAD BLOCKS")],
    "not-as-expected": ["trouble", () => _("DIFFERS")],
    "purge-unavailable": ["trouble", () => _("NO PURGE")],
    failed: ["trouble", () => _("FAILED")],
    unknown: ["trouble", () => _("UNKNOWN")],
};

function found(row) {
    return { kind: row[0], word: row[1]() };
}

export function outcomeLook(outcome) {
    return found(OUTCOMES[outcome] || ["trouble", () => outcome || _("UNKNOWN")]);
}

export function hasJob(disk) {
    return Boolean(disk.Job) && disk.Job !== "/" && !disk.Outcome;
}

export function diskLook(disk) {
    if (disk.State === "done") {
        const ended = outcomeLook(disk.Outcome);
        // it was away, or somebody has used it: the outcome is of then, what it holds is of now
        return ended.kind === "done" && disk.Signatures ? found(["stopped", () => _("WRITTEN SINCE")]) : ended;
    }
    if (disk.State === "absent") {
        if (hasJob(disk))
            return found(["trouble", () => _("PULLED")]);
        const last = disk.Outcome ? outcomeLook(disk.Outcome) : null;
        return last && last.kind === "trouble" ? last : found(["absent", () => _("absent")]);
    }
    return found(STATES[disk.State] || ["working", () => disk.State]);
}

export function jobLook(job) {
    if (job.State === "done")
        return outcomeLook(job.Outcome);
    if (job.State === "running")
        return found(["working", () => _("running")]);
    return found(STATES[job.State] || ["waiting", () => job.State]);
}

export function mayErase(disk) {
    return !disk.Refusal && Boolean(disk.Serial || disk.WWN) && !hasJob(disk) &&
        !["absent", "quarantined", "refused"].includes(disk.State);
}

export function whyNot(disk) {
    if (disk.Refusal || disk.State === "refused")
        return disk.Reason || disk.Refusal || _("The service refuses it.");
    if (hasJob(disk))
        return _("A job has it.");
    if (disk.State === "quarantined")
        return _("It is still at work by itself. Resume its job, or cancel it.");
    if (disk.State === "absent")
        return _("It is not there.");
    return _("It tells neither serial nor WWN. Erase it with diskwipe on the machine.");
}

// --- text -----------------------------------------------------------------------------------------

// Control characters and marks that turn the direction of text are shown as what they are: foreign.
const FOREIGN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export function said(text) {
    return String(text ?? "").replace(FOREIGN, "\ufffd");
}

export function tail(disk) {
    return said(disk.Serial || disk.WWN).slice(-8);
}

export function label(disk) {
    return said(disk.Bay || disk.Slot || disk.Address || disk.Device.replace("/dev/", "") || disk.Serial);
}

export function near(disk) { // its label within its enclosure; one bay may have many slots
    const slot = (disk.Slot || "").split(":").pop(), has = disk.Bay.endsWith(slot) && !/\w$/.test(disk.Bay.slice(0, -slot.length));
    return slot && !has ? said(disk.Bay ? `${disk.Bay}, ${slot}` : slot) : label(disk);
}

// The beginning of a job's number, by which it is named everywhere; its path on the bus has a j before.
export function short(path) {
    return path.split("/").pop().replace(/^j(?=[0-9a-f]{8}_)/, "").slice(0, 8);
}

// --- numbers --------------------------------------------------------------------------------------

const locale = () => cockpit.language.replace("_", "-");

function scaled(value, unit) {
    const names = ["", "k", "M", "G", "T", "P"];
    let i = 0;
    for (; value >= 999.5 && i < names.length - 1; i++)
        value /= 1000;
    const digits = value >= 99.5 || i === 0 ? 0 : value >= 9.95 ? 1 : 2;
    const number = value.toLocaleString(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
    return `${number}\u00a0${names[i]}${unit}`;
}

export const bytes = value => scaled(value, "B");
export const rate = value => scaled(value, "B/s");

function unbroken(text) {
    return text.replace(/ /g, "\u00a0");
}

export function duration(seconds) {
    const minutes = Math.ceil(Math.max(seconds, 0) / 60);
    if (seconds < 60)
        return unbroken(format(_("$0 s"), Math.ceil(Math.max(seconds, 0))));
    if (minutes < 60)
        return unbroken(format(_("$0 min"), minutes));
    if (minutes < 48 * 60)
        return unbroken(format(_("$0 h $1 min"), Math.floor(minutes / 60), minutes % 60));
    return unbroken(format(_("$0 d $1 h"), Math.floor(minutes / 1440), Math.floor(minutes % 1440 / 60)));
}

// us: microseconds since the epoch, 0 = unknown; zone: of who looks, if it is not said
export function clock(us, timeZone) {
    return us ? new Date(us / 1000).toLocaleString(locale(), { dateStyle: "short", timeStyle: "short", timeZone }) : "";
}

export function secondsUntil(us) {
    return us ? us / 1e6 - Date.now() / 1000 : NaN;
}

// Rounded down: what is not at its end is never 100 %.
export function percent(share) {
    return `${Math.floor(share * 100)}\u00a0%`;
}

// Between 2 and 10 the digits count, and between a and b the letters.
export const natural = new Intl.Collator("en", { numeric: true }).compare;

// --- elements -------------------------------------------------------------------------------------

/** @returns {any} */
export function el(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
        if (key.startsWith("on"))
            element.addEventListener(key.slice(2), value);
        else if (typeof value === "boolean")
            element.toggleAttribute(key, value);
        else
            element.setAttribute(key, value);
    }
    element.append(...children.filter(child => child !== null && child !== undefined));
    return element;
}

export function td(...children) {
    return el("td", {}, ...children);
}

export function bar(...children) {
    return el("div", { class: "bar" }, ...children);
}

// The head of a table; a column without a name has no heading.
export function heads(names) {
    return el("thead", {}, el("tr", {}, ...names.map(name => (name ? el("th", { scope: "col" }, name) : td()))));
}

// Foreign text: isolated, so that its direction stays its own.
export function foreign(text) {
    return el("bdi", {}, said(text));
}

export function shape(kind) {
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg");
    const path = document.createElementNS(ns, "path");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("class", "shape");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("fill-rule", "evenodd");
    path.setAttribute("d", KINDS[kind].shape);
    svg.append(path);
    return svg;
}

export function badge(look) {
    return el("span", { class: `badge ${look.kind}` }, shape(look.kind), " ", said(look.word));
}

export function setText(element, text) {
    if (element.textContent !== text)
        element.textContent = text;
}

/** @returns {any} */
export function byId(id) {
    return document.getElementById(id);
}

// Rows of a definition list; what has no value is left out.
export function facts(rows) {
    return el("dl", {}, ...rows.filter(([, value]) => value !== "" && value !== null && value !== undefined)
            .flatMap(([key, value]) =>
                [el("dt", {}, key), el("dd", {}, typeof value === "string" ? foreign(value) : value)]));
}

// What a screen reader says without being led there, and what the line at the foot shows.
export function announce(text, isError) {
    const line = byId("said");
    line.className = isError ? "error" : "";
    line.textContent = "";
    line.append(foreign(text));
}

// What a refused call says, with what to do about it.
export function errorText(error) {
    const name = error.name || "";
    if (name.endsWith("NotAuthorized") || name.endsWith("AccessDenied") || error.problem === "access-denied")
        return format(_("You may not do that: $0."), error.message || name) + " " + remedyForRights();
    if (error.problem === "disconnected" || name.endsWith("ServiceUnknown") || name.endsWith("NoReply"))
        return format(_("The service does not answer: $0. Whether it was done is not known: look at the jobs."),
                      error.message || error.problem);
    return error.message || error.problem || String(error);
}

export function remedyForRights() {
    return _("Turn on administrative access at the top of Cockpit, or ask for the group diskwipe-operators.");
}
