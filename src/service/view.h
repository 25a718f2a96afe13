/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_VIEW_H
#define DW_SERVICE_VIEW_H

/*
 * Disks and jobs as the bus has them: one struct of properties for each, and a table that names
 * them. What has changed is found by comparing two of these.
 */
#include "service.h"

/** struct disk_view - properties of a disk, as the interface's description has them */
struct disk_view {
	char device[64];
	char block[64];
	char serial[DW_SERIAL_MAX];
	char wwn[DW_WWN_MAX];
	char vendor[16];
	char model[48];
	char revision[16];
	uint64_t capacity;
	uint32_t block_size;
	char transport[16];
	char address[48];
	char slot[64];
	char bay[64];
	char signatures[128];
	char refusal[32];
	char reason[256];
	char release[256];
	char state[16];
	char job[96];
	char outcome[32];
	char message[256];
	double progress;
	uint64_t bytes;
	uint64_t bytes_total;
	uint64_t rate;
	uint64_t errors;
	uint32_t pass;
	uint32_t passes;
	uint64_t start;
	uint64_t expected_start;
	uint64_t expected_end;
	int32_t temperature;
	char health[128];
};

/** struct job_view - properties of a job */
struct job_view {
	char operation[16];
	double progress;
	int32_t progress_valid;
	uint64_t bytes;
	uint64_t rate;
	uint64_t start;
	uint64_t expected_end;
	uint32_t uid;
	int32_t cancelable;
	char id[40];
	char state[16];
	char outcome[32];
	int32_t code;
	int32_t priority;
	char label[64];
	char method[32];
	char verify[24];
	uint64_t submitted;
	uint64_t expected_start;
	uint64_t ended;
	uint32_t disks;
	uint32_t done;
	char message[256];
};

/** struct property - a row: name, D-Bus type, where it is in the struct */
struct property {
	const char *name;
	char type;
	size_t offset;
	size_t size;
};

#define ROOT_PATH    "/io/github/diskwipe/Diskwipe1"
#define MANAGER_PATH ROOT_PATH "/Manager"
#define DISK_PATH    ROOT_PATH "/disk"
#define JOB_PATH     ROOT_PATH "/job"
#define PATH_SIZE    96

/** disk_properties(), job_properties() - the tables; a row without a name ends them. */
const struct property *disk_properties(void);
const struct property *job_properties(void);

/** disk_look() - a disk as it is now. */
void disk_look(const struct service *s, const struct svc_disk *d, struct disk_view *ret);

/** job_look() - a job as it is now. */
void job_look(const struct service *s, const struct svc_job *j, struct job_view *ret);

/** disk_path(), job_path() - of their objects; return @buf. */
const char *disk_path(const struct svc_disk *d, char buf[PATH_SIZE]);
const char *job_path(const char *id, char buf[PATH_SIZE]);

#endif
