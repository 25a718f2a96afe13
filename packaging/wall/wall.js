// SPDX-License-Identifier: GPL-2.0-or-later
// The wall screen: the rack for eyes three metres away. What the service writes beside this page
// is a script, because a browser reads no other file from the disk.
import { KINDS, _, badge, byId, clock, diskLook, duration, el, foreign, format, hasJob, near, percent, secondsUntil, setText,
         shape } from "./words.js";
import { alarms, byPlace, groupOf, summary } from "./overview.js";

const EVERY_MS = 2000;
const OLD_MS = 10000; // five times nothing new: the service does not live
const FEWEST = 4; // columns
const MOST = 40;
const COUNTED = ["working", "waiting", "done", "trouble"];

let state = null;
let heard = performance.now(); // by a clock that nobody sets

function tile(disk) {
    const look = diskLook(disk);
    const left = hasJob(disk) ? secondsUntil(disk.ExpectedEndTime) : NaN;
    return el("li", { class: `tile ${look.kind}` }, el("b", { class: "bay" }, foreign(near(disk))), badge(look),
              el("span", { class: "far" }, hasJob(disk) ? percent(disk.Progress) : ""),
              el("span", { class: "left" }, left > 0 ? duration(left) : ""),
              hasJob(disk) ? el("progress", { max: "1", value: disk.Progress, "aria-label": _("Progress") }) : null);
}

function drawRack(disks) {
    const groups = new Map();
    for (const disk of disks.slice().sort(byPlace)) {
        const name = groupOf(disk);
        groups.set(name, [...(groups.get(name) || []), disk]);
    }
    byId("rack").replaceChildren(...[...groups].map(([name, members]) =>
        el("section", {}, el("h2", {}, foreign(name)), el("ul", { class: "bays" }, ...members.map(tile)))));
}

// Nobody scrolls a wall: the tiles are as large as all of them fit.
function fit() {
    const page = document.documentElement;
    for (let columns = FEWEST; columns <= MOST; columns++) {
        byId("rack").style.setProperty("--columns", columns);
        if (page.scrollHeight <= page.clientHeight)
            return;
    }
}

function drawCounts(disks) {
    const counts = Object.fromEntries(COUNTED.map(kind => [kind, 0]));
    for (const disk of disks)
        counts[diskLook(disk).kind]++;
    byId("counts").replaceChildren(...COUNTED.map(kind =>
        el("li", { class: counts[kind] ? kind : "none" }, shape(kind), ` ${counts[kind]} `, KINDS[kind].word())));
}

function oldNews() {
    if (!state)
        return _("The service has written nothing yet.");
    if (state.stopped)
        return _("The service has stopped: what is shown is old.");
    if (performance.now() - heard > OLD_MS)
        return format(_("No news since $0: what is shown is old."), clock(state.written));
    return "";
}

function drawAlarms() {
    const old = oldNews();
    const all = [old, ...(state ? alarms(state.manager, state.disks) : [])].filter(Boolean);
    const sign = JSON.stringify(all);
    document.body.dataset.state = old ? "old" : "there";
    if (sign !== byId("alarms").dataset.sign)
        byId("alarms").replaceChildren(...all.map(text => el("p", {}, foreign(text))));
    byId("alarms").dataset.sign = sign;
}

function draw() {
    setText(byId("station"), state.manager.Station);
    setText(byId("summary"), summary(state.disks));
    setText(byId("time"), clock(state.written));
    drawCounts(state.disks);
    drawRack(state.disks);
    drawAlarms();
    fit();
}

// Called by the script that the service writes.
window.diskwipeWall = news => {
    const isNews = !state || news.begun !== state.begun || news.number !== state.number;
    if (!isNews)
        return;
    // what was there before this page may be old: only the next one shows that the service lives
    heard = state ? performance.now() : performance.now() - OLD_MS - 1;
    state = news;
    draw();
};

function ask() {
    const script = el("script", { src: `state.js?${Date.now()}` });
    script.onload = script.onerror = () => script.remove();
    document.head.append(script);
    drawAlarms();
}

document.documentElement.lang = cockpit.language;
setInterval(ask, EVERY_MS);
ask();
