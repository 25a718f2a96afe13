/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Erases the disks that it is given, by libdiskwipe:
 *	cc erase.c $(pkg-config --cflags --libs diskwipe) -o erase && ./erase /dev/sg1 /dev/sg2
 * A disk in use is refused, and so is all if one is. Without a disk the machine's are listed.
 */
#include <stdio.h>
#include <stdlib.h>

#include <diskwipe/diskwipe.h>

static void show(const struct dw_disk *d)
{
	char size[DW_UNIT_TEXT];
	const struct dw_disk_info *i = &d->info;

	dw_size_format(i->blocks * i->block_size, size, sizeof(size));
	printf("%s %s %s %s %s %s\n", i->sg[0] ? i->sg : i->block, i->vendor, i->model,
	       i->serial, size, d->verdict.reason);
}

static int list(void)
{
	struct dw_disk *disk;
	size_t n;
	int r = dw_disks_list(NULL, &disk, &n);

	for (size_t i = 0; r == 0 && i < n; i++)
		show(&disk[i]);
	if (r == 0)
		free(disk);
	return r == 0 ? 0 : 1;
}

/* what the user has to type: how many disks lose all their data */
static int confirm(int n)
{
	int typed = 0;

	printf("Type %d to erase all data of these %d disks: ", n, n);
	fflush(stdout);
	return scanf("%d", &typed) == 1 && typed == n;
}

static int run(struct dw_job *job)
{
	struct dw_event e;
	int r;

	do {
		r = dw_job_step(job, -1);
		while (dw_job_next_event(job, &e))
			if (e.kind != DW_EVENT_PROGRESS)
				printf("%.1f s, disk %d: %s %s\n", e.seconds, (int)e.disk,
				       dw_phase_name(e.progress.phase), e.text);
	} while (r == 1);
	return r;
}

int main(int argc, char **argv)
{
	struct dw_disk *disk = calloc((size_t)argc, sizeof(*disk));
	struct dw_job_spec spec;
	struct dw_verdict why = { 0 };
	struct dw_job *job = NULL;
	struct dw_error err = { 0 };
	char text[DW_ERROR_TEXT];
	int n = argc - 1, r = disk ? 0 : -1, code = 1;

	if (!r && !n)
		return free(disk), list();
	for (int i = 0; i < n && !r; i++)
		r = dw_disk_examine(argv[i + 1], NULL, &disk[i]);
	if (!r)
		dw_disks_refuse_duplicates(disk, (size_t)n);
	for (int i = 0; i < n && !r; i++) {
		show(&disk[i]);
		why = disk[i].verdict;
		r = why.refusal != DW_REFUSAL_NONE;
	}
	if (!r && !confirm(n))
		r = -1;
	dw_job_spec_init(&spec);
	if (!r)
		r = dw_job_new(NULL, &spec, &job, &err);
	for (int i = 0; i < n && !r; i++)
		r = dw_job_add(job, &disk[i], &why);
	if (!r)
		r = dw_job_start(job, &err);
	if (!r)
		r = run(job);
	for (int i = 0; i < n && !r; i++)
		printf("%s: %s\n", argv[i + 1],
		       dw_outcome_name(dw_job_result(job)->disk[i].outcome, false));
	if (!r)
		code = dw_job_exit_code(dw_job_result(job));
	else
		fprintf(stderr, "not erased: %s%s\n", dw_error_text(&err, text),
			why.reason);
	dw_job_free(job);
	free(disk);
	return code;
}
