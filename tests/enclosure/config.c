/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration: one line each for the enclosure, for disks ("disk 0-13 ..."),
 * for faults and for planted data. Keys are rows of a table, so the same rows
 * serve the file, the command line and "set" while running. Later lines win.
 */
#include "config.h"

#include "words.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type {
	T_NUMBER,
	T_FLAG,
	T_TEXT,
	T_OPCODES,
	T_HEALTH,
	T_SANITIZE,
	T_SATL,
	T_CUT,
	T_WORD
};

struct key {
	const char *name;
	enum type type;
	size_t offset, size;
	uint64_t max;
};

#define NUM(s, n, f, m)                                                                  \
	{                                                                                \
		n, T_NUMBER, offsetof(struct s, f), 0, m                                 \
	}
#define FLAG(s, n, f)                                                                    \
	{                                                                                \
		n, T_FLAG, offsetof(struct s, f), 0, 1                                   \
	}
#define TEXT(s, n, f)                                                                    \
	{                                                                                \
		n, T_TEXT, offsetof(struct s, f), sizeof(((struct s *)0)->f), 0          \
	}

static const struct key rack_keys[] = {
	NUM(dw_rack_conf, "id", id, 99),
	NUM(dw_rack_conf, "seed", seed, UINT64_MAX),
	FLAG(dw_rack_conf, "fast", fast),
	FLAG(dw_rack_conf, "keep_cache", keep_cache),
	NUM(dw_rack_conf, "bus_rate", bus_bps, UINT64_MAX),
	NUM(dw_rack_conf, "bus_cmd_us", bus_cmd_us, 1000000),
	FLAG(dw_rack_conf, "bus_retry", bus_retry),
	NUM(dw_rack_conf, "buffer", buffer_bytes, UINT64_MAX / 4),
	NUM(dw_rack_conf, "overflow_us", overflow_us, 10000000),
	NUM(dw_rack_conf, "max_sectors", max_sectors, UINT32_MAX),
	NUM(dw_rack_conf, "seg_max", seg_max, 1024),
	NUM(dw_rack_conf, "cmd_per_lun", cmd_per_lun, 4096),
	NUM(dw_rack_conf, "queues", queues, 8),
	{ NULL, T_NUMBER, 0, 0, 0 },
};

/* what may change while running comes first */
static const struct key live_keys[] = {
	FLAG(dw_lu_conf, "wce", wce),
	FLAG(dw_lu_conf, "times", times),
	FLAG(dw_lu_conf, "wp", wp),
	FLAG(dw_lu_conf, "dsense", dsense),
	FLAG(dw_lu_conf, "volatile", is_volatile),
	NUM(dw_lu_conf, "rate", rate_bps, UINT64_MAX),
	NUM(dw_lu_conf, "inner", inner_bps, UINT64_MAX),
	NUM(dw_lu_conf, "seek_us", seek_us, 10000000),
	NUM(dw_lu_conf, "overhead_us", overhead_us, 10000000),
	NUM(dw_lu_conf, "slow_permille", slow_permille, 1000000),
	NUM(dw_lu_conf, "max_depth", max_depth, 4096),
	NUM(dw_lu_conf, "cache", cache_bytes, UINT64_MAX),
	NUM(dw_lu_conf, "rpm", rpm, 65535),
	NUM(dw_lu_conf, "wwn", wwn, UINT64_MAX),
	NUM(dw_lu_conf, "device_wwn", device_wwn, UINT64_MAX),
	TEXT(dw_lu_conf, "serial", serial),
	NUM(dw_lu_conf, "max_xfer", max_xfer, UINT32_MAX),
	NUM(dw_lu_conf, "ws_max", ws_max, UINT32_MAX),
	FLAG(dw_lu_conf, "ws10", ws10),
	FLAG(dw_lu_conf, "ws16", ws16),
	FLAG(dw_lu_conf, "ndob", ndob),
	FLAG(dw_lu_conf, "wsnz", wsnz),
	FLAG(dw_lu_conf, "rsoc", rsoc),
	FLAG(dw_lu_conf, "dpofua", dpofua),
	FLAG(dw_lu_conf, "bytchk", bytchk),
	NUM(dw_lu_conf, "compare", compare, DW_COMPARE_LIES - 1),
	NUM(dw_lu_conf, "compare_info", compare_info, 2),
	NUM(dw_lu_conf, "compare_after", compare_after, UINT32_MAX),
	NUM(dw_lu_conf, "compare_permille", compare_permille, 1000),
	FLAG(dw_lu_conf, "write_and_verify", write_and_verify),
	FLAG(dw_lu_conf, "nameless", nameless),
	FLAG(dw_lu_conf, "log", log),
	NUM(dw_lu_conf, "temp", temp, 254),
	NUM(dw_lu_conf, "temp_limit", temp_limit, 254),
	NUM(dw_lu_conf, "hours", hours, 1000000),
	NUM(dw_lu_conf, "grown", grown, 1024),
	FLAG(dw_lu_conf, "ses_blind", ses_blind),
	NUM(dw_lu_conf, "overwrite_ms", overwrite_ms, 1000000000),
	NUM(dw_lu_conf, "block_ms", block_ms, 1000000000),
	NUM(dw_lu_conf, "crypto_ms", crypto_ms, 1000000000),
	NUM(dw_lu_conf, "format", format, 2),
	NUM(dw_lu_conf, "selects", selects, 4224),
	NUM(dw_lu_conf, "formats", formats, 4224),
	NUM(dw_lu_conf, "format_ms", format_ms, 1000000000),
	NUM(dw_lu_conf, "format_reach", format_reach, 1),
	NUM(dw_lu_conf, "mlu", mlu, 3),
	NUM(dw_lu_conf, "erase_ms", erase_ms, 1000000000),
	NUM(dw_lu_conf, "enhanced_ms", enhanced_ms, 1000000000),
	FLAG(dw_lu_conf, "frozen", frozen),
	{ "satl", T_SATL, offsetof(struct dw_lu_conf, satl), 0, 0 },
	NUM(dw_lu_conf, "lbabits", lbabits, 64),
	NUM(dw_lu_conf, "lbafrom", lbafrom, UINT64_MAX),
	{ "lbacut", T_CUT, offsetof(struct dw_lu_conf, lbacut), 0, 0 },
	NUM(dw_lu_conf, "fail_at", fail_at, 100),
	NUM(dw_lu_conf, "stuck_at", stuck_at, 100),
	FLAG(dw_lu_conf, "touch", touch),
	NUM(dw_lu_conf, "lie", lie, 2),
	NUM(dw_lu_conf, "early", early, 1000),
	NUM(dw_lu_conf, "deaf", deaf, 3),
	FLAG(dw_lu_conf, "untold", untold),
	FLAG(dw_lu_conf, "bare", bare),
	NUM(dw_lu_conf, "waber", waber, 3),
	NUM(dw_lu_conf, "wacer", wacer, 3),
	NUM(dw_lu_conf, "mismatch", mismatch, DW_MISMATCH_STAYS),
	NUM(dw_lu_conf, "erased", erased, 255),
	FLAG(dw_lu_conf, "progress", progress),
	{ "sanitize", T_SANITIZE, offsetof(struct dw_lu_conf, sanitize), 0, 0 },
	{ "health", T_HEALTH, offsetof(struct dw_lu_conf, failing), 0, 0 },
	{ "refuse", T_OPCODES, offsetof(struct dw_lu_conf, refuse), 0, 0 },
	{ NULL, T_NUMBER, 0, 0, 0 },
};

static const struct key disk_keys[] = {
	NUM(dw_lu_conf, "size", size_bytes, UINT64_MAX / 4),
	NUM(dw_lu_conf, "blocks", blocks, UINT64_MAX / 8192),
	NUM(dw_lu_conf, "block", block_bytes, DW_BLOCK_MAX),
	NUM(dw_lu_conf, "phys", phys_exp, 15),
	NUM(dw_lu_conf, "lowest_aligned", lowest_aligned, 0x3fff),
	TEXT(dw_lu_conf, "vendor", vendor),
	TEXT(dw_lu_conf, "model", model),
	TEXT(dw_lu_conf, "rev", rev),
	NUM(dw_lu_conf, "ptype", ptype, 0x1f),
	NUM(dw_lu_conf, "ses", ses, DW_SLOTS_MAX),
	NUM(dw_lu_conf, "pi", pi_type, 3),
	NUM(dw_lu_conf, "opt_xfer", opt_xfer, UINT32_MAX),
	NUM(dw_lu_conf, "gran", gran, 65535),
	NUM(dw_lu_conf, "ata", ata, 127),
	NUM(dw_lu_conf, "dco", dco, UINT64_MAX / 8192),
	TEXT(dw_lu_conf, "password", password),
	NUM(dw_lu_conf, "ata_sector", ata_sector, 4096),
	NUM(dw_lu_conf, "remapped", remapped, 1024),
	NUM(dw_lu_conf, "tcg", tcg, 2),
	NUM(dw_lu_conf, "elements", elements, 64),
	NUM(dw_lu_conf, "depopulated", depopulated, UINT64_MAX / 8192),
	NUM(dw_lu_conf, "zone", zone, UINT32_MAX),
	NUM(dw_lu_conf, "zone_conv", zone_conv, UINT32_MAX),
	NUM(dw_lu_conf, "zones_read_only", zones_read_only, UINT64_MAX),
	NUM(dw_lu_conf, "zones_offline", zones_offline, UINT64_MAX),
	FLAG(dw_lu_conf, "rc_basis", rc_basis),
	FLAG(dw_lu_conf, "urswrz", urswrz),
	NUM(dw_lu_conf, "bus", bus, DW_BUSES - 1),
	NUM(dw_lu_conf, "ready_ms", ready_ms, 86400000),
	NUM(dw_lu_conf, "foreign_pr", foreign_pr, 8),
	NUM(dw_lu_conf, "foreign_key", foreign_key, UINT64_MAX),
	FLAG(dw_lu_conf, "removable", removable),
	FLAG(dw_lu_conf, "thin", thin),
	FLAG(dw_lu_conf, "lbprz", lbprz),
	FLAG(dw_lu_conf, "stopped", stopped),
	FLAG(dw_lu_conf, "inq_bytes", inq_short),
	FLAG(dw_lu_conf, "shares", shares),
	{ "word", T_WORD, 0, 0, 0 },
	FLAG(dw_lu_conf, "keep", keep),
	FLAG(dw_lu_conf, "present", present),
	TEXT(dw_lu_conf, "fill", fill),
	{ NULL, T_NUMBER, 0, 0, 0 },
};

static bool put_opcodes(uint8_t *map, const char *list)
{
	char buf[256], *save = NULL, *word;

	if (strlen(list) >= sizeof(buf))
		return false;
	strcpy(buf, list);
	memset(map, 0, 32);
	for (word = strtok_r(buf, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		char *end;
		unsigned long v = strtoul(word, &end, 16);

		if (*end || v > 0xff)
			return false;
		map[v / 8] |= (uint8_t)(1u << v % 8);
	}
	return true;
}

static const char *const methods[] = { "overwrite", "block", "crypto", NULL };
static const char *const translations[] = { "descriptor", "fixed",  "libata",
					    "ignorant",   "twelve", "refused",
					    "libata-old", NULL };

static const char *const cuts[] = { "read", "write", "ws", NULL };

/* words of a list, a bit each; "none" is an empty list */
static bool put_words(uint64_t *bits, const char *list, const char *const *words)
{
	char buf[128], *save = NULL, *word;
	unsigned int i;

	if (strlen(list) >= sizeof(buf))
		return false;
	strcpy(buf, list);
	*bits = 0;
	if (!strcmp(list, "none"))
		return true;
	for (word = strtok_r(buf, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		for (i = 0; words[i] && strcmp(words[i], word) != 0; i++)
			;
		if (!words[i])
			return false;
		*bits |= 1u << i;
	}
	return *bits != 0;
}

/* "N:HEX", a word of IDENTIFY DEVICE */
static bool put_word(struct dw_lu_conf *c, const char *value)
{
	unsigned int n, v;
	int end = 0;

	if (sscanf(value, "%3u:%4x%n", &n, &v, &end) != 2 || value[end] || n > 254 ||
	    c->n_words == DW_ATA_WORDS)
		return false;
	c->words[c->n_words++] = (struct dw_ata_word){ (uint16_t)n, (uint16_t)v };
	return true;
}

static bool put(const struct key *k, void *base, const char *value)
{
	void *field = (uint8_t *)base + k->offset;
	uint64_t v;

	if (k->type == T_OPCODES)
		return put_opcodes(field, value);
	if (k->type == T_SANITIZE)
		return put_words(field, value, methods);
	if (k->type == T_WORD)
		return put_word(base, value);
	if (k->type == T_SATL)
		return put_words(field, value, translations);
	if (k->type == T_CUT)
		return put_words(field, value, cuts);
	if (k->type == T_HEALTH) {
		*(bool *)field = !strcmp(value, "failing");
		return *(bool *)field || !strcmp(value, "good");
	}
	if (k->type == T_TEXT) {
		if (strlen(value) >= k->size)
			return false;
		memset(field, 0, k->size);
		memcpy(field, value, strlen(value));
		return true;
	}
	if (!dw_number_parse(value, &v) || v > k->max)
		return false;
	if (k->type == T_FLAG)
		*(bool *)field = v;
	else
		*(uint64_t *)field = v;
	return true;
}

static bool apply(const struct key *keys, void *base, const struct dw_word *w)
{
	for (; keys->name; keys++)
		if (!strcmp(keys->name, w->key))
			return w->value && put(keys, base, w->value);
	return false;
}

static bool put_port(int *ret, const char *value)
{
	uint64_t port;

	if (!dw_number_parse(value, &port) || port >= DW_PORTS_MAX)
		return false;
	*ret = (int)port;
	return true;
}

static bool apply_disk(struct dw_lu_conf *c, const struct dw_word *w)
{
	if (!strcmp(w->key, "same_as"))
		return put_port(&c->same_as, w->value);
	if (!strcmp(w->key, "lun_of"))
		return put_port(&c->lun_of, w->value);
	if (!strcmp(w->key, "ses"))
		c->ptype = 0x0d;
	return apply(live_keys, c, w) || apply(disk_keys, c, w);
}

static bool conf_ok(const struct dw_lu_conf *c)
{
	return c->block_bytes >= 512 && c->block_bytes % 8 == 0 &&
	       (c->blocks || c->size_bytes >= c->block_bytes);
}

static int disk_line(struct dw_rack *r, const struct dw_word *w, int n)
{
	uint64_t lo, hi, i;
	int k;

	if (n < 2 || w[1].value || !dw_range_parse(w[1].key, &lo, &hi) ||
	    hi >= DW_PORTS_MAX)
		return -EINVAL;
	for (i = lo; i <= hi; i++) {
		struct dw_lu_conf *c = &r->lu_conf[i];

		if (!r->configured[i])
			dw_lu_conf_init(c, (unsigned int)i, (unsigned int)r->conf.id);
		r->configured[i] = true;
		for (k = 2; k < n; k++)
			if (!apply_disk(c, &w[k]))
				return -EINVAL;
		if (!conf_ok(c))
			return -EINVAL;
	}
	return 0;
}

static int enclosure_line(struct dw_rack *r, const struct dw_word *w, int n)
{
	int k;

	for (k = 1; k < n; k++)
		if (!apply(rack_keys, &r->conf, &w[k]))
			return -EINVAL;
	return 0;
}

static int take_line(struct dw_rack *r, const char *line, char *copy)
{
	struct dw_word w[DW_WORDS_MAX];
	struct dw_fault f;
	int n = dw_words_split(copy, w, DW_WORDS_MAX), e;
	bool answer;

	if (n <= 0)
		return n ? -EINVAL : 0;
	if (!strcmp(w[0].key, "enclosure"))
		return enclosure_line(r, w, n);
	if (!strcmp(w[0].key, "disk"))
		return disk_line(r, w, n);
	answer = !strcmp(w[0].key, "answer");
	if (!answer && strcmp(w[0].key, "fault") != 0)
		return -EINVAL;
	line += strspn(line, " \t") + strlen(w[0].key);
	e = answer ? dw_answer_parse(line, &f) : dw_fault_parse(line, &f);
	return e ? e : dw_faults_add(&r->faults, &f);
}

/**
 * dw_config_line - one line of configuration
 * @r: enclosure, not yet started
 * @line: text; blank lines and remarks are fine
 *
 * Return: 0, or -EINVAL.
 */
int dw_config_line(struct dw_rack *r, const char *line)
{
	char *buf = strdup(line);
	int e = buf ? take_line(r, line, buf) : -ENOMEM;

	free(buf);
	return e;
}

/* lines that are one */
struct lines {
	char *text;
	bool open; /* it goes on */
};

static int append(struct lines *w, const char *line)
{
	size_t had = w->open ? strlen(w->text) : 0, n = strlen(line);
	char *text = realloc(w->text, had + n + 1);

	if (!text)
		return -ENOMEM;
	memcpy(text + had, line, n + 1);
	w->text = text;
	w->open = n && line[n - 1] == '\\';
	if (w->open)
		text[had + n - 1] = ' ';
	return 0;
}

/**
 * dw_config_file - a file of such lines; one that ends with a backslash goes on
 * @r: enclosure, not yet started
 * @path: file
 * @ret_line: number of the line at fault, also set on failure
 *
 * Return: 0 or a negative errno.
 */
int dw_config_file(struct dw_rack *r, const char *path, unsigned int *ret_line)
{
	FILE *f = fopen(path, "re");
	struct lines whole = { NULL, false };
	char *line = NULL;
	size_t cap = 0;
	int e = 0;

	*ret_line = 0;
	if (!f)
		return -errno;
	while (!e && getline(&line, &cap, f) > 0) {
		++*ret_line;
		line[strcspn(line, "\n")] = 0;
		e = append(&whole, line);
		if (!e && !whole.open)
			e = dw_config_line(r, whole.text);
	}
	free(line);
	free(whole.text);
	fclose(f);
	return e;
}

/**
 * dw_config_set - change a disk while it runs
 * @r: enclosure
 * @port: number
 * @pairs: "key=value ..."
 *
 * Return: 0, or -EINVAL for keys that are not for that; earlier ones hold.
 */
int dw_config_set(struct dw_rack *r, unsigned int port, const char *pairs)
{
	struct dw_lu *lu = r->port[port].lu;
	struct dw_word w[DW_WORDS_MAX];
	char buf[512];
	int n, k;

	if (!lu || strlen(pairs) >= sizeof(buf))
		return -EINVAL;
	strcpy(buf, pairs);
	n = dw_words_split(buf, w, DW_WORDS_MAX);
	for (k = 0; k < n; k++)
		if (!apply(live_keys, &lu->conf, &w[k]))
			return -EINVAL;
	for (k = 0; k < n; k++) {
		if (!strcmp(w[k].key, "wce"))
			lu->device->mode.wce = lu->device->saved.wce = lu->conf.wce;
		if (!strcmp(w[k].key, "dsense"))
			lu->device->mode.dsense = lu->device->saved.dsense =
				lu->conf.dsense;
	}
	dw_rack_pace(r, lu);
	return n < 0                  ? -EINVAL
	       : lu->device->mode.wce ? 0
				      : dw_lu_sync(lu, 0, dw_lu_bytes(lu));
}
