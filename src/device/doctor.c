/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One function looks for one kind of fault, by what the kernel shows in its files. A thing that
 * cannot be seen is no finding: the machine may be without it.
 */
#include "device/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/timex.h>
#include <time.h>

#include <diskwipe/doctor.h>

#include "base/util.h"
#include "device/topology.h"
#include "device/node.h"
#include "scsi/ata.h"

#define YEAR_2024 1704067200

/** struct look - findings in the making, and the disks they are looked for on */
struct look {
	const struct dw_machine *m;
	struct dw_disk_info *disk;
	size_t n_disks;
	struct dw_finding *v;
	size_t n;
	int error;
};

__attribute__((format(printf, 5, 6))) static void
add_finding(struct look *l, const char *key, const char *subject, const char *advice,
	    const char *format, ...)
{
	struct dw_finding *f;
	va_list ap;

	if (l->error || (l->error = dw_grow(&l->v, l->n, l->n + 1, sizeof(*f))))
		return;
	f = &l->v[l->n++];
	snprintf(f->key, sizeof(f->key), "%s", key);
	snprintf(f->subject, sizeof(f->subject), "%s", subject);
	snprintf(f->advice, sizeof(f->advice), "%s", advice);
	va_start(ap, format);
	vsnprintf(f->text, sizeof(f->text), format, ap);
	va_end(ap);
}

static const char *node_of(const struct dw_disk_info *d)
{
	return d->block[0] ? d->block : d->sg;
}

static void look_for_sg(struct look *l)
{
	size_t without = 0;

	for (size_t i = 0; i < l->n_disks; i++)
		without += l->disk[i].scsi && !l->disk[i].sg_dev;
	if (without)
		add_finding(l, "sg-module", "", "modprobe sg",
			    "%zu SCSI disks have no sg node: the sg module is not loaded",
			    without);
}

static void look_at_rights(struct look *l)
{
	size_t shut = 0;

	for (size_t i = 0; l->m->live && i < l->n_disks; i++)
		shut += access(l->disk[i].sg[0] ? l->disk[i].sg : l->disk[i].block,
			       R_OK | W_OK) &&
			errno == EACCES;
	if (shut)
		add_finding(l, "permission", "", "run the program as root",
			    "%zu disks may not be opened by this user", shut);
}

/* Adapters that make volumes of disks, and what is documented to pass the disks through. */
static const char *raid_advice(const char *driver)
{
	static const struct {
		const char *driver;
		const char *advice;
	} rows[] = {
		{ "megaraid_sas",
		  "storcli /cX/eY/sZ set jbod, for each disk that storcli /cX/eall/sall "
		  "show lists" },
		{ "hpsa",
		  "ssacli controller slot=N array all delete, then ssacli controller "
		  "slot=N modify hbamode=on; one without that mode passes none: "
		  "use an HBA" },
		{ "smartpqi",
		  "ssacli controller slot=N array all delete, or arcconf delete N "
		  "logicaldrive all; it then shows the disks" },
		{ "aacraid",
		  "arcconf delete N logicaldrive all, then arcconf setcontrollermode N 2; "
		  "before series 7: arcconf create N jbod CHANNEL,DEVICE" },
		{ "mpi3mr", "delete the volumes; the adapter then shows their disks" },
		{ "mpt3sas", "sas3ircu N delete, for SAS-2 sas2ircu N delete: that "
			     "deletes all its volumes; it then shows their disks" },
		{ "mpt2sas", "sas2ircu N delete: that deletes all its volumes; it then "
			     "shows their disks" },
		{ "mptsas",
		  "no command: delete the volumes in its setup (Ctrl-C while the "
		  "machine starts); it then shows their disks" },
		{ "arcmsr",
		  "no command: set JBOD instead of RAID in its setup (Tab or F6 "
		  "while the machine starts, System Configuration)" },
		{ "3w-9xxx", "tw_cli /cX/uY del for each unit, then tw_cli /cX set "
			     "exportjbod=on; one that refuses passes none: use an HBA" },
		{ "3w-sas",
		  "no command and no mode: it passes no disk through; use an HBA" },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].driver, driver))
			return rows[i].advice;
	return "delete the volumes, or set the adapter to pass disks through";
}

static void look_at_adapters(struct look *l)
{
	for (size_t i = 0; i < l->n_disks; i++) {
		const struct dw_disk_info *d = &l->disk[i];
		char host[24];
		bool first = true;

		for (size_t k = 0; k < i; k++)
			first &= !l->disk[k].logical_volume || l->disk[k].host != d->host;
		if (!d->logical_volume || !first)
			continue;
		snprintf(host, sizeof(host), "host%u", d->host);
		add_finding(l, "raid-adapter", host, raid_advice(d->host_driver),
			    "%s hides disks behind volumes such as %s",
			    d->host_driver[0] ? d->host_driver : "a RAID adapter",
			    node_of(d));
	}
}

/* By the kernel's copy of VPD page 89h: IDENTIFY DEVICE as it was when the disk was found. */
static bool is_frozen(const struct dw_machine *m, const struct dw_disk_info *d)
{
	char dir[PATH_MAX], path[PATH_MAX];
	uint8_t page[DW_ATA_PAGE_LEN];
	struct dw_ata_identity id;
	dw_autoclose int fd = -1;
	ssize_t n;

	if (!d->scsi || dw_node_scsi_dir(m, d, dir) || dw_path(path, "%s/vpd_pg89", dir))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, page, sizeof(page));
	return n > 0 && !dw_ata_identify(page, (size_t)n, &id) && id.frozen;
}

static void look_for_frozen(struct look *l)
{
	for (size_t i = 0; i < l->n_disks; i++)
		if (is_frozen(l->m, &l->disk[i]))
			add_finding(
				l, "frozen", node_of(&l->disk[i]),
				"pull it and put it in its bay again, or suspend the "
				"machine and wake it; an erase by writing works as it is",
				"the firmware of the machine has frozen it: it takes no "
				"ATA security command");
}

/* Off, on a disk that turns: each write waits for the medium. */
static void look_at_caches(struct look *l)
{
	for (size_t i = 0; i < l->n_disks; i++) {
		const struct dw_disk_info *d = &l->disk[i];
		struct dw_topology t;

		if (!d->scsi || d->logical_volume || d->rotation == 1 ||
		    dw_topology_read(l->m, d, &t) || t.wce != DW_NO)
			continue;
		add_finding(l, "write-cache", node_of(d),
			    "let the job switch it on, see write cache in diskwipe(1)",
			    "its volatile write cache is off");
	}
}

static int look_at_phy(void *ctx, const char *dir, const char *name)
{
	struct look *l = ctx;
	char path[PATH_MAX], now[32], most[32];

	/* a slower disk at a faster phy is no fault, a quarter of the rate is */
	if (!dw_path(path, "%s/%s", dir, name) &&
	    !dw_sysfs_text(path, "negotiated_linkrate", now, sizeof(now)) &&
	    !dw_sysfs_text(path, "maximum_linkrate", most, sizeof(most)) &&
	    dw_topology_lane(now) && dw_topology_lane(now) * 2 < dw_topology_lane(most))
		add_finding(l, "sas-link", name, "look at its cable and the disk's seat",
			    "%s where %s is possible", now, most);
	return 0;
}

static void look_at_phys(struct look *l)
{
	char dir[PATH_MAX];

	if (!dw_path(dir, "%s/class/sas_phy", l->m->sys))
		dw_sysfs_each(dir, look_at_phy, l);
}

static uint64_t pcie_rate(const char *dir, const char *which)
{
	char name[40], speed[32];
	uint64_t width;

	snprintf(name, sizeof(name), "%s_link_speed", which);
	if (dw_sysfs_text(dir, name, speed, sizeof(speed)))
		return 0;
	snprintf(name, sizeof(name), "%s_link_width", which);
	return dw_sysfs_u64(dir, name, &width) && width <= 32
		       ? dw_topology_lane(speed) * width
		       : 0;
}

static int look_at_host(void *ctx, const char *dir, const char *name)
{
	struct look *l = ctx;
	char path[PATH_MAX], real[PATH_MAX];
	uint64_t now, most;

	if (dw_path(path, "%s/%s", dir, name) || !realpath(path, real))
		return 0;
	while (real[0] && !dw_sysfs_has(real, "current_link_speed"))
		dw_path_parent(real);
	now = real[0] ? pcie_rate(real, "current") : 0;
	most = real[0] ? pcie_rate(real, "max") : 0;
	if (now && now < most)
		add_finding(l, "pcie-link", name,
			    "seat it again, or use a slot with more lanes",
			    "its adapter at %s has %.1f of %.1f GB/s to the machine",
			    dw_path_base(real), (double)now / 1e9, (double)most / 1e9);
	return 0;
}

static void look_at_hosts(struct look *l)
{
	char dir[PATH_MAX];

	if (!dw_path(dir, "%s/class/scsi_host", l->m->sys))
		dw_sysfs_each(dir, look_at_host, l);
}

/* Block devices without SCSI go through it; there is another way, which is slower. */
static void look_at_io_uring(struct look *l)
{
	char dir[PATH_MAX];
	uint64_t value;

	if (!dw_path(dir, "%s/sys/kernel", l->m->proc) &&
	    dw_sysfs_u64(dir, "io_uring_disabled", &value) && value == 2)
		add_finding(l, "io-uring", "", "sysctl kernel.io_uring_disabled=0",
			    "io_uring is switched off");
}

static void look_for_udev(struct look *l)
{
	if (l->m->live && access("/run/udev/control", F_OK))
		add_finding(l, "udev", "", "systemctl start systemd-udevd",
			    "udevd does not run: disks that come get no names");
}

static void look_at_clock(struct look *l)
{
	struct timex t = { 0 };

	if (!l->m->live)
		return;
	if (time(NULL) < YEAR_2024)
		add_finding(l, "clock", "", "timedatectl set-ntp true",
			    "the clock is not set: reports would have a wrong date");
	else if (adjtimex(&t) >= 0 && (t.status & STA_UNSYNC))
		add_finding(l, "clock", "", "timedatectl set-ntp true",
			    "no time server keeps the clock right");
}

int dw_doctor_look(const struct dw_machine *m, struct dw_finding **ret, size_t *ret_n)
{
	static void (*const parts[])(struct look * l) = {
		look_for_sg,    look_at_rights, look_at_adapters, look_for_frozen,
		look_at_caches, look_at_phys,   look_at_hosts,    look_at_io_uring,
		look_for_udev,  look_at_clock,
	};
	struct look l = { .m = m };

	l.error = dw_nodes_list(m, &l.disk, &l.n_disks);
	for (size_t i = 0; !l.error && i < DW_ARRAY_SIZE(parts); i++)
		parts[i](&l);
	free(l.disk);
	if (l.error) {
		free(l.v);
		return l.error;
	}
	*ret = l.v;
	*ret_n = l.n;
	return 0;
}

int dw_doctor(struct dw_finding **ret, size_t *ret_n)
{
	return dw_doctor_look(&dw_machine_self, ret, ret_n);
}
