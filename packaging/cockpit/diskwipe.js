// SPDX-License-Identifier: GPL-2.0-or-later
// The page: who draws what, and when.
/* global cockpit */
import { _, announce, byId, diskLook, errorText, format, label } from "./words.js";
import { close } from "./dialog.js";
import { Station } from "./station.js";
import { Rack } from "./rack.js";
import { Erase } from "./erase.js";
import { Jobs } from "./jobs.js";
import { Records } from "./records.js";
import { Machine } from "./machine.js";

const REDRAW_MS = 300; // however much is heard; a rack that takes long to draw is drawn less often

function follow(station, parts) {
    let due = 0;
    let took = 0;
    const draw = () => {
        const start = performance.now();
        due = 0;
        document.body.dataset.state = station.state;
        for (const part of parts)
            part.draw();
        took = performance.now() - start;
    };
    const drawIn = ms => { due = due || setTimeout(draw, ms) };
    station.addEventListener("change", () => drawIn(Math.max(REDRAW_MS, 4 * took)));
    setInterval(() => drawIn(0), 5000); // times that are left run on without news
}

// What has ended badly is said, whatever page is shown.
function watchEnds(station) {
    const kinds = new Map();
    station.addEventListener("change", () => {
        for (const [path, disk] of station.disks) {
            const look = diskLook(disk);
            if (kinds.has(path) && kinds.get(path) !== look.kind && (look.kind === "trouble" || look.kind === "done"))
                announce(format(_("$0: $1, serial $2"), label(disk), look.word, disk.Serial), look.kind === "trouble");
            kinds.set(path, look.kind);
        }
    });
}

function showPage(records) {
    const page = ["rack", "jobs", "records", "machine"].find(name => name === cockpit.location.path[0]) || "rack";
    for (const section of document.querySelectorAll("main > section"))
        section.hidden = section.id !== `page-${page}`;
    for (const link of document.querySelectorAll("nav a")) {
        if (link.dataset.page === page)
            link.setAttribute("aria-current", "page");
        else
            link.removeAttribute("aria-current");
    }
    if (page === "records")
        records.read();
}

// A scanner types fast and ends with Enter: what is typed nowhere else goes to its field.
function listen(rack) {
    byId("scan-form").addEventListener("submit", event => {
        const text = byId("scan").value.trim();
        event.preventDefault();
        byId("scan").value = "";
        if (text)
            rack.scanned(text);
    });
    document.addEventListener("keydown", event => {
        const types = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.altKey && !event.metaKey;
        const takesText = event.target.closest("input:not([type=checkbox]), select, textarea, dialog:has(form)");
        if (!types || takesText)
            return;
        if (byId("dialog").open && !byId("dialog").querySelector("form"))
            close();
        byId("scan").focus();
    });
}

// As the shell is: its choice is kept where all pages of Cockpit see it.
function followTheme() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => {
        const style = localStorage.getItem("shell:style") || "auto";
        document.documentElement.classList.toggle("dark", style === "dark" || (style === "auto" && dark.matches));
    };
    window.addEventListener("storage", event => event.key === "shell:style" && apply());
    window.addEventListener("cockpit-style", apply);
    dark.addEventListener("change", apply);
    apply();
}

function main() {
    followTheme();
    cockpit.translate();
    document.documentElement.lang = cockpit.language.replace("_", "-");
    const station = new Station();
    const rack = new Rack(station);
    const records = new Records(station);
    const erase = new Erase(station, rack);
    follow(station, [rack, new Jobs(station), new Machine(station)]);
    watchEnds(station);
    listen(rack);
    station.addEventListener("notice", event =>
        announce(event.detail.disk ? `${label(event.detail.disk)}: ${event.detail.text}` : event.detail.text));
    cockpit.addEventListener("locationchanged", () => showPage(records));
    station.start();
    showPage(records);
    return erase;
}

try {
    main();
} catch (error) {
    announce(errorText(error), true);
    throw error;
}
