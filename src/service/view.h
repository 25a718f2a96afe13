/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_VIEW_H
#define DW_SERVICE_VIEW_H

/*
 * Disks and jobs as the bus has them: one struct of properties for each, and a table that names
 * them. What has changed is found by comparing two of these.
 */
#include "bus/properties.h"
#include "service.h"

/* A text is in the struct; sd-bus takes a bool from an int. */
#define VIEW_s(member, size) char member[size];
#define VIEW_o(member, size) char member[size];
#define VIEW_t(member, size) uint64_t member;
#define VIEW_T(member, size) uint64_t member;
#define VIEW_u(member, size) uint32_t member;
#define VIEW_i(member, size) int32_t member;
#define VIEW_b(member, size) int32_t member;
#define VIEW_d(member, size) double member;

#define VIEW_MEMBER(name, type, member, size) VIEW_##type(member, size)

/** struct disk_view - properties of a disk */
struct disk_view {
	BUS_DISK_PROPERTIES(VIEW_MEMBER)
};

/** struct job_view - properties of a job */
struct job_view {
	BUS_JOB_PROPERTIES(VIEW_MEMBER)
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
