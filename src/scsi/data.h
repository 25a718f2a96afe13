/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_DATA_H
#define DW_SCSI_DATA_H

/*
 * What NVMe disks answer: Identify data and log pages (NVM Express base specification 1.4,
 * sections 5.14 and 5.15). All numbers are little-endian.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DW_NVME_SERIAL_MAX 21
#define DW_NVME_MODEL_MAX  41

/**
 * struct dw_nvme_controller - of Identify Controller
 * @serial, @model: without the spaces at both ends, printable
 * @several_controllers: CMIC: the subsystem may have more than one controller
 * @can_format: OACS: Format NVM
 * @manages: OACS: Namespace Management
 * @sanicap: sanitize capabilities; 0 = no Sanitize
 * @format_all: FNA: a format concerns all namespaces; @erase_all: its erasing does
 * @format_crypto: FNA: Format NVM can erase by a change of the key
 * @namespaces: NN: highest number that a namespace may have
 * @unallocated: bytes that belong to no namespace (UNVMCAP), at most UINT64_MAX
 */
struct dw_nvme_controller {
	char serial[DW_NVME_SERIAL_MAX];
	char model[DW_NVME_MODEL_MAX];
	bool several_controllers;
	bool can_format;
	bool manages;
	bool format_all;
	bool erase_all;
	bool format_crypto;
	uint32_t sanicap;
	uint32_t namespaces;
	uint64_t unallocated;
};

/**
 * struct dw_nvme_namespace - of Identify Namespace
 * @blocks, @block_size: NSZE, and bytes of a block without metadata
 * @metadata: bytes of it that go with a block
 * @flbas, @dps: as they stand there
 */
struct dw_nvme_namespace {
	uint64_t blocks;
	uint32_t block_size;
	uint16_t metadata;
	uint8_t flbas;
	uint8_t dps;
};

/* SSTAT of the sanitize log */
enum dw_nvme_sstat {
	DW_NVME_NEVER = 0,
	DW_NVME_DONE = 1,
	DW_NVME_RUNS = 2,
	DW_NVME_FAILED = 3,
	DW_NVME_DONE_DEALLOCATED = 4,
};

#define DW_NVME_UNTOLD 0xffffffffu

/**
 * struct dw_nvme_sanitize_log - of log page 81h
 * @progress: of 65536
 * @state: enum dw_nvme_sstat, or what is not known
 * @purged: PRGD: it was asked to purge as IEEE 2883 defines that (PREQ), and says that it did
 * @action: SANACT of the last Sanitize command (CDW10 as the disk keeps it)
 * @seconds: by SANACT, DW_NVME_UNTOLD where no time is stated
 */
struct dw_nvme_sanitize_log {
	uint16_t progress;
	uint8_t state;
	bool purged;
	uint8_t action;
	uint32_t seconds[5];
};

/**
 * struct dw_nvme_health - of log page 02h
 * @warning: Critical Warning
 * @kelvin: composite temperature, 0 = not reported
 * @spare, @spare_least, @used: percent: spare blocks that are left, how many there must be,
 *	and of the endurance that is used up
 * @hours: power on hours; @media_errors: data that could not be read; at most UINT64_MAX
 */
struct dw_nvme_health {
	uint8_t warning;
	uint16_t kelvin;
	uint8_t spare;
	uint8_t spare_least;
	uint8_t used;
	uint64_t hours;
	uint64_t media_errors;
};

/** dw_nvme_controller_parse() - Identify data of a controller. 0; -EBADMSG: too short, or of no
 *  controller. */
int dw_nvme_controller_parse(const uint8_t *data, size_t len,
			     struct dw_nvme_controller *ret);

/** dw_nvme_namespace_parse() - Identify data of a namespace. 0; -EBADMSG: too short; -ENODEV: of an
 *  inactive one, all zeros; -ERANGE: of blocks that nobody has. */
int dw_nvme_namespace_parse(const uint8_t *data, size_t len,
			    struct dw_nvme_namespace *ret);

/** dw_nvme_list_count() - entries of a list of namespaces, which ends at the first 0. */
uint32_t dw_nvme_list_count(const uint8_t *data, size_t len);

/** dw_nvme_list_entry() - entry @i of it; 0 beyond its end. */
uint32_t dw_nvme_list_entry(const uint8_t *data, size_t len, uint32_t i);

/** dw_nvme_controllers_count() - entries of a list of controllers; 0 when it cannot be one. */
uint32_t dw_nvme_controllers_count(const uint8_t *data, size_t len);

/**
 * dw_nvme_sanitize_log_parse() - log page 81h
 * @data, @len: the page
 * @kept: the last sanitize was commanded not to deallocate, so that such times count
 * @ret: the log
 *
 * Return: 0; -EBADMSG: too short.
 */
int dw_nvme_sanitize_log_parse(const uint8_t *data, size_t len, bool kept,
			       struct dw_nvme_sanitize_log *ret);

/** dw_nvme_stated_ns() - the time that @seconds of the sanitize log state; 0 = none: of all ones,
 *  and of 0, which disks have that know none. */
uint64_t dw_nvme_stated_ns(uint32_t seconds);

/** dw_nvme_health_parse() - log page 02h. 0; -EBADMSG: too short. */
int dw_nvme_health_parse(const uint8_t *data, size_t len, struct dw_nvme_health *ret);

#endif
