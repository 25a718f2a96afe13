/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paper is made of the records, which are kept when it cannot be made. What can fail without a
 * disk is tried before the first write: the file, the program that prints, the key, the folders.
 * A key that is missing is made when it is agreed that disks are erased, and not for a command that
 * comes to nothing.
 * Root has one place for key and records, whatever the environment says: it may be another user's.
 */
#include "job/certificate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/record.h"
#include "options.h"
#include "program.h"
#include "signals.h"

#define ROOT_STATE  "/var/lib/diskwipe"
#define PUBLIC_MAX  1024 /* bytes of a public key with its comment */
#define SIGNERS_MAX ((size_t)1024 * PUBLIC_MAX)
#define STATE_MAX   (PATH_MAX - 32) /* leaves room for the names within it */

static const struct cli_program printer = { "diskwipe-report", "diskwipe-report",
					    "certificates are printed by" };

/* The same command with the next disk would take away the certificate of the one before. */
static bool has_certificate(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size;
}

static int try_printer(struct cli *c)
{
	const char *argv[] = { NULL, "certificate",       "--check",
			       "-o", c->sign.certificate, NULL };
	char reported[CLI_PROGRAM_TEXT];

	if (!c->sign.certificate[0])
		return cli_fail(c, CLI_EXIT_USAGE, "--certificate: its value is empty");
	if (!strcmp(c->sign.certificate, "-"))
		return cli_fail(c, CLI_EXIT_USAGE,
				"--certificate: name a file; the standard output has the "
				"result");
	if (has_certificate(c->sign.certificate))
		return cli_fail(c, CLI_EXIT_USAGE,
				"--certificate: %s is there already, perhaps of another "
				"disk; name a new file",
				c->sign.certificate);
	return cli_program_run(&printer, argv, NULL, reported)
		       ? cli_fail(c, CLI_EXIT_USAGE, "--certificate: %s", reported)
		       : 0;
}

/* The state folder of the caller, by the XDG Base Directory Specification; 0 or -1. */
static int find_state(char buf[STATE_MAX])
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n;

	if (!geteuid())
		n = snprintf(buf, STATE_MAX, ROOT_STATE);
	else if (state && state[0] == '/')
		n = snprintf(buf, STATE_MAX, "%s/diskwipe", state);
	else if (home && home[0] == '/')
		n = snprintf(buf, STATE_MAX, "%s/.local/state/diskwipe", home);
	else
		return -1;
	return n < STATE_MAX ? 0 : -1;
}

bool cli_certificate_records(char *buf, size_t size)
{
	char state[STATE_MAX];

	if (find_state(state))
		return false;
	snprintf(buf, size, "%s/erase/records", state);
	return !access(buf, R_OK | X_OK);
}

static int find_places(struct cli *c)
{
	struct cli_papers *p = cli_allocate(1, sizeof(*p));
	char state[STATE_MAX];

	c->sign.papers = p;
	if (find_state(state))
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"--certificate: HOME names no folder for key and records; "
			"give --record and --record-key");
	snprintf(p->folder, sizeof(p->folder), "%s/erase", state);
	snprintf(p->records, sizeof(p->records), "%s/erase/records", state);
	snprintf(p->key, sizeof(p->key), "%s/erase/record.key", state);
	snprintf(p->signers, sizeof(p->signers), "%s/erase/signers", state);
	return 0;
}

/* With all that is missing above it. 0 or negative errno. */
static int make_folder(const char *folder)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", folder);
	for (char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
		*end = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			return -errno;
		*end = '/';
	}
	return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

/* @key: "ssh-ed25519 BASE64", of @name. Signers that are there stay: old records are theirs.
 * 0 or negative errno. */
static int add_signer(const struct cli_papers *p, const char *key, const char *name)
{
	char *old = NULL, *text = NULL;
	size_t len = 0;
	int r = dw_file_read(p->signers, SIGNERS_MAX, &old, &len);

	if (r == -ENOENT)
		r = 0;
	if (!r && !(old && strstr(old, key))) {
		bool cut = old && len && old[len - 1] != '\n';

		if (asprintf(&text, "%s%s%s namespaces=\"" DW_PROOF_NAMESPACE "\" %s\n",
			     old ? old : "", cut ? "\n" : "", name, key) < 0)
			text = NULL;
		r = text ? dw_file_write(p->signers, text, strlen(text)) : -ENOMEM;
	}
	free(text);
	free(old);
	return r;
}

/* The list of who may sign has the public key beside @p->key, "ssh-ed25519 BASE64 NAME": a key that
 * was lost has been made again, and without it what is signed now could not be printed. */
static int complete_signers(struct cli *c, const struct cli_papers *p)
{
	char public[PATH_MAX + 8], *text = NULL, *name;
	size_t len;
	int r;

	snprintf(public, sizeof(public), "%s.pub", p->key);
	r = dw_file_read(public, PUBLIC_MAX, &text, &len);
	if (r == -ENOENT && !access(p->signers, F_OK))
		return 0;
	if (r == -ENOENT)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"%s: missing; ssh-keygen -y -f %s >%s makes it of the key",
			public, p->key, public);
	if (r)
		return cli_fail(c, CLI_EXIT_USAGE, "%s: %s", public, dw_file_error(r));
	text[strcspn(text, "\n")] = '\0';
	name = strrchr(text, ' ');
	if (!name || name == strchr(text, ' ')) {
		r = cli_fail(c, CLI_EXIT_USAGE, "%s: it is not a public key with a name",
			     public);
	} else {
		*name = '\0';
		r = add_signer(p, text, name + 1);
		if (r)
			r = cli_fail(c, CLI_EXIT_USAGE, "%s: %s", p->signers,
				     dw_file_error(r));
	}
	free(text);
	return r;
}

/* Makes the folder, and holds it until it is closed: whoever else makes a key at the same moment
 * has written all of it by then. The folder itself is locked, as one that is only read has no room
 * for a file. A descriptor or negative errno; -EINTR: asked to stop. */
static int hold_folder(const char *folder)
{
	int r = make_folder(folder), fd;

	if (r)
		return r;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX)) {
		r = -errno;
		if (r == -EINTR && !cli_signals_stop())
			continue;
		close(fd);
		return r;
	}
	return fd;
}

static int not_held(struct cli *c, const struct cli_papers *p, int r)
{
	if (r != -EINTR)
		return cli_fail(c, CLI_EXIT_USAGE, "%s: %s", p->folder, strerror(-r));
	c->ending.signal = cli_signals_stop();
	return cli_fail(c, CLI_EXIT_REFUSED, "stopped; nothing was written");
}

static int complete_place(struct cli *c, const struct cli_papers *p)
{
	int r, fd = hold_folder(p->folder);

	if (fd < 0)
		return not_held(c, p, fd);
	r = complete_signers(c, p);
	close(fd);
	return r;
}

/* Whether a key has to be made; one that was lost, or taken away, is not replaced unasked. */
static int look_for_key(struct cli *c, struct cli_papers *p)
{
	char public[PATH_MAX + 8];
	bool has_public;

	/* it is made after the key, so it is looked for before it: another may make both now */
	snprintf(public, sizeof(public), "%s.pub", p->key);
	has_public = !access(public, F_OK);
	p->without_key = access(p->key, F_OK) && errno == ENOENT;
	if (p->without_key && has_public)
		return cli_fail(c, CLI_EXIT_USAGE,
				"%s: missing, though %s is there; put the key back, or "
				"remove that, and a new key is made",
				p->key, public);
	return p->without_key ? 0 : complete_place(c, p);
}

/* Unless another command has made it while this one put its question. */
static int make_key(struct cli *c, struct cli_papers *p)
{
	struct dw_error err = { 0 };
	char name[CLI_SIGNER], *line = NULL;
	bool there = !access(p->key, F_OK);
	int r = there ? 0 : dw_record_key(p->key, cli_record_signer(name), &line, &err);

	/* diskwipe records key does not hold the folder */
	if (r == -EEXIST && !access(p->key, F_OK)) {
		there = true;
		r = 0;
	}
	free(line);
	if (r)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	p->without_key = false;
	if (!there)
		cli_say(c,
			"%s: a new key that signs records; keep it on this machine alone",
			p->key);
	return 0;
}

int cli_certificate_begin(struct cli *c)
{
	struct cli_papers *p = c->sign.papers;
	int r, fd;

	if (!p || !p->without_key)
		return 0;
	fd = hold_folder(p->folder);
	if (fd < 0)
		return not_held(c, p, fd);
	r = make_key(c, p);
	if (!r)
		r = complete_signers(c, p);
	close(fd);
	return r ? r : cli_record_try(c);
}

int cli_certificate_prepare(struct cli *c)
{
	int r;

	if (!c->sign.certificate)
		return 0;
	r = try_printer(c);
	/* a key without its folder is refused when the records are opened */
	if (r || c->sign.key)
		return r;
	r = find_places(c);
	if (r)
		return r;
	c->sign.key = c->sign.papers->key;
	if (!c->sign.dir)
		c->sign.dir = c->sign.papers->records;
	return c->dry_run ? 0 : look_for_key(c, c->sign.papers);
}

/* Of those disks that have one; @ret: their files, NULL after the last. Returns their number. */
static size_t find_records(const struct cli *c, const struct dw_job_result *result,
			   const char **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < result->n_disks; i++) {
		uint64_t number = cli_record_number(c, i);
		char *file = NULL;

		if (number && asprintf(&file, "%s/record-%08llu.json", c->sign.dir,
				       (unsigned long long)number) > 0)
			ret[n++] = file;
	}
	return n;
}

/* The file of the paper may begin like one. */
static bool is_option(const char *word)
{
	return !strcmp(word, "--signers") || !strcmp(word, "-o") || !strcmp(word, "--");
}

/* Written in one go: there may be more disks than a message has room for. */
static void report_command(const char **argv)
{
	char word[CLI_QUOTED];

	fprintf(stderr, "%s: to print it later:", cli_name);
	for (; *argv; argv++)
		fprintf(stderr, " %s", is_option(*argv) ? *argv : cli_quote(*argv, word));
	fputc('\n', stderr);
}

static void report_printed(const struct cli *c, const struct dw_job_result *result,
			   size_t n)
{
	size_t erased = 0, without = result->n_disks - n;

	for (size_t i = 0; i < result->n_disks; i++)
		erased += cli_record_number(c, i) &&
			  result->disk[i].outcome == DW_OUTCOME_ERASED;
	cli_say(c, "%s: %zu of %zu disk%s erased, a page for each", c->sign.certificate,
		erased, n, n == 1 ? "" : "s");
	if (without)
		cli_warn(
			"%s: %zu more disk%s of the job %s no page: this run has made no "
			"record of %s",
			c->sign.certificate, without, without == 1 ? "" : "s",
			without == 1 ? "has" : "have", without == 1 ? "it" : "them");
	if (c->sign.papers)
		cli_say(c,
			"its records: %s; who checks it needs the list of signers by another "
			"way: %s",
			c->sign.dir, c->sign.papers->signers);
}

static int print(struct cli *c, const struct dw_job_result *result, const char **argv,
		 size_t n)
{
	char reported[CLI_PROGRAM_TEXT];

	if (!n)
		return cli_fail(c, CLI_EXIT_USAGE,
				"%s: there is no certificate: no disk has a record",
				c->sign.certificate);
	if (!cli_program_run(&printer, argv, NULL, reported)) {
		report_printed(c, result, n);
		return 0;
	}
	cli_fail(
		c, CLI_EXIT_USAGE,
		"%s: the certificate could not be printed: %s; the records are kept in %s",
		c->sign.certificate, reported, c->sign.dir);
	argv[0] = printer.name;
	report_command(argv);
	return CLI_EXIT_USAGE;
}

int cli_certificate_print(struct cli *c, const struct dw_job_result *result, int code)
{
	const char **argv;
	size_t words = 0, n;
	int r;

	if (!c->sign.certificate || !c->sign.ledger)
		return code;
	argv = cli_allocate(result->n_disks + 8, sizeof(*argv));
	argv[++words] = "certificate";
	if (c->sign.papers) {
		argv[++words] = "--signers";
		argv[++words] = c->sign.papers->signers;
	}
	argv[++words] = "-o";
	argv[++words] = c->sign.certificate;
	argv[++words] = "--";
	words++;
	n = find_records(c, result, argv + words);
	r = print(c, result, argv, n);
	for (size_t i = 0; i < n; i++)
		free((char *)argv[words + i]);
	free(argv);
	return code ? code : r;
}

void cli_certificate_free(struct cli *c)
{
	free(c->sign.papers);
	c->sign.papers = NULL;
}
