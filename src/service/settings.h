/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_SETTINGS_H
#define DW_SERVICE_SETTINGS_H

/*
 * The configuration of the service: diskwiped.conf, then diskwiped.conf.d/NAME.conf beside it. What
 * cannot be understood is an error: a policy that is half read might erase what it should not.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/diskwipe.h>

#include "care_rules.h"

enum bay_action { BAY_NONE, BAY_OFFER, BAY_QUEUE, BAY_ERASE };

/**
 * struct bay - a place for disks that the configuration declares
 * @name: of its section
 * @slot: "ENCLOSURE:SLOT", where '*' stands for any text; empty = any
 * @phy: "ADDRESS:PHY" of SAS, likewise
 * @address: "H:C:T:L", likewise
 * @action: what becomes of a disk that appears there; BAY_QUEUE = it waits for a job until somebody
 *	lets it go
 * @options: of that job, "KEY=VALUE\n" each
 *
 * A disk that several match stands in the first. Two that say the same are an error.
 */
struct bay {
	char name[64];
	char slot[96];
	char phy[64];
	char address[64];
	enum bay_action action;
	char options[1024];
};

/**
 * struct settings - all of it
 * @config: of the machine, with the disks that are protected; owned
 * @rules: for discovery and jobs; @config's lists
 * @station: name of the station
 * @group: who may use the socket, besides root
 * @records, @record_key: folder of signed records, and the key that signs them; empty = none
 * @assets: tags of disks that a caller does not say; owned
 * @options: of jobs that do not say otherwise, "KEY=VALUE\n" each
 * @active: disks at once behind one adapter, 0 = no limit
 * @return_seconds: a disk that comes back within that time continues
 * @unattended: the third switch of three: BAY_ERASE of a bay does nothing without
 * @hook_pre, @hook_post, @hook_event: programs, empty = none
 * @hook_user: who runs them, @hook_seconds: for at most so long
 * @textfile: of the node exporter, empty = none
 * @wall: folder of the wall screen, empty = none
 * @heat_seconds: each disk is asked for its temperature so often
 * @heat: which is too high
 * @refuse_failing: a disk that says it is about to fail is not erased
 * @lights: of bays tell how far a disk is
 * @spin_up: stopped disks of declared bays are started, @spin_up_seconds apart
 * @spin_down: a disk of a declared bay is stopped when its work is over
 * @bay, @n_bays: owned
 * @simulated: of a simulated station: who runs it may use it, and nothing of it leaves its folder
 * @refs: who uses it; rules are borrowed by the engine
 */
struct settings {
	struct dw_config *config;
	struct dw_rules rules;
	char station[64];
	char group[64];
	char records[256];
	char record_key[256];
	struct dw_assets assets;
	char options[1024];
	uint32_t active;
	uint64_t return_seconds;
	bool unattended;
	char hook_pre[256];
	char hook_post[256];
	char hook_event[256];
	char hook_user[64];
	uint32_t hook_seconds;
	char textfile[256];
	char wall[256];
	uint64_t heat_seconds;
	struct heat_limits heat;
	bool refuse_failing;
	bool lights;
	bool spin_up;
	uint64_t spin_up_seconds;
	bool spin_down;
	struct bay *bay;
	size_t n_bays;
	bool simulated;
	unsigned refs;
};

/**
 * settings_load() - read the configuration
 * @path: the main file; it may be missing if @required is false
 * @safety: the file of protected disks, as dw_config_load() has it
 * @ret: settings_unref()
 * @err: what is wrong, and where
 *
 * Return: 0; -EINVAL; another negative errno.
 */
int settings_load(const char *path, bool required, const char *safety,
		  struct settings **ret, struct dw_error *err);

/** settings_ref() - one more uses it; returns @s. */
struct settings *settings_ref(struct settings *s);

/** settings_unref() - one less; NULL is accepted. */
void settings_unref(struct settings *s);

/** settings_bay() - where that disk stands; NULL = outside of the declared bays. */
const struct bay *settings_bay(const struct settings *s, const struct dw_disk_info *info);

/**
 * spec_option() - one member of a spec from text
 * @spec: changed
 * @key: its name, one of those that are offered; what concerns files, rules, or the whole station
 *	is not for a caller
 * @value: a word, a number, a text, "true" or "false"
 * Return: 0; -EINVAL.
 */
int spec_option(struct dw_job_spec *spec, const char *key, const char *value,
		struct dw_error *err);

/** spec_options() - the same for lines of "KEY=VALUE\n". */
int spec_options(struct dw_job_spec *spec, const char *lines, struct dw_error *err);

#endif
