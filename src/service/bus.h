/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_BUS_H
#define DW_SERVICE_BUS_H

/*
 * The objects of the service on D-Bus: on the system bus under its name, and peer to peer on a
 * socket of its own, where root and one group are let in. Both have the same tables.
 */
#include <systemd/sd-bus.h>

#include "service.h"

#define BUS_NAME    "io.github.diskwipe.Diskwipe1"
#define ERROR(kind) BUS_NAME ".Error." kind

/**
 * bus_new() - open both
 * @socket: path of the socket, unless systemd hands one over
 * @address: of the bus; NULL = the system's, empty = none
 * @ret: bus_free(); @why: on failure what cannot be had
 *
 * That there is no system bus is logged, and no failure.
 */
int bus_new(struct service *s, const char *socket, const char *address, struct bus **ret,
	    char why[256]);

/** bus_free() - NULL is accepted. */
void bus_free(struct bus *b);

/** bus_system() - the connection to the system bus; NULL = none. */
sd_bus *bus_system(const struct service *s);

/** bus_refresh() - tell what is new, and what has changed. */
void bus_refresh(struct service *s);

/** bus_disk_gone(), bus_job_gone() - an object is about to be freed. */
void bus_disk_gone(struct service *s, const struct svc_disk *d);
void bus_job_gone(struct service *s, const struct svc_job *job);

/** bus_completed() - all disks of a job have ended. */
void bus_completed(struct service *s, struct svc_job *job);

/** bus_remark() - a remark about a disk of a job. */
void bus_remark(struct service *s, const struct svc_attempt *a, const char *text);

/** bus_inhibit() - keep the machine from being shut down, or let it. */
void bus_inhibit(struct service *s, bool on);

/* --- methods.c -------------------------------------------------------------- */

/** manager_table(), job_methods() - rows of vtables; the last one ends them. */
const sd_bus_vtable *manager_table(void);
size_t job_methods(const sd_bus_vtable **ret);

/** methods_of() - whose methods these are; once. */
void methods_of(struct service *s);

/* --- entries.c --------------------------------------------------------------- */

/** entry_taken - take the value of @key from the message, or refuse; >= 0, or a negative errno with
 *  @error. */
typedef int entry_taken(sd_bus_message *m, const char *key, void *ctx,
			sd_bus_error *error);

/** entries_read() - a dictionary a{sv}, entry by entry; the first that is not taken ends it. */
int entries_read(sd_bus_message *m, entry_taken *take, void *ctx, sd_bus_error *error);

/** entries_none() - a dictionary of options that has to be empty. */
int entries_none(sd_bus_message *m, sd_bus_error *error);

/** entry_unknown() - what is said of an option that there is not. */
int entry_unknown(const char *key, sd_bus_error *error);

/* --- records.c ------------------------------------------------------------- */

/** records_answer() - the method Records: as an sd-bus method handler. */
int records_answer(struct service *s, sd_bus_message *m, sd_bus_error *error);

/* --- access.c --------------------------------------------------------------- */

/** access_go - what is done when the caller may; as an sd-bus method handler. @who NULL: nothing is
 *  done; only whether it could be: a negative errno with @error, or 0. */
typedef int access_go(struct service *s, sd_bus_message *m,
		      const struct store_caller *who, sd_bus_error *error);

/**
 * access_check() - do something if the caller may
 * @action: of polkit, without its prefix
 *
 * Root may do everything, and whoever was let in on the socket; all others are asked for by
 * polkit, which may take its time: the method is answered later then. Of what could not be done
 * polkit is not asked, nor when too many calls wait for it.
 *
 * Return: as an sd-bus method handler.
 */
int access_check(struct service *s, sd_bus_message *m, const char *action, access_go *go,
		 sd_bus_error *error);

/** access_admits() - whether a process that connects to the socket is let in. */
bool access_admits(const struct settings *settings, int fd, uint32_t *ret_uid);

#endif
