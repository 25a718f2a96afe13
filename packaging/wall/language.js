// SPDX-License-Identifier: GPL-2.0-or-later
// What Cockpit's page takes from Cockpit, for a page without it: texts in the language of the
// browser. A catalogue hands itself over by locale().
const cockpit = {
    language: "en",
    table: {},
    locale(table) {
        const language = table[""].language;
        if (!navigator.language.startsWith(language))
            return;
        this.language = language;
        this.table = table;
    },
};
cockpit.gettext = text => cockpit.table[text]?.[1] ?? text;
cockpit.ngettext = (one, many, n) => {
    const row = cockpit.table[one];
    return row ? row[1 + Number(cockpit.table[""]["plural-forms"](n))] : n === 1 ? one : many;
};
cockpit.format = (text, ...values) => text.replace(/\$(\d)/g, (all, n) => values[n] ?? all);
