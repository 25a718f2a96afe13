/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_SCHEMA_H
#define DW_SERVICE_SCHEMA_H

/*
 * The tables. Entry i brings a file of version i to version i + 1; entries are never changed once
 * they have been released. The outbox is what another program sends to a central place.
 */
static const char *const schema_steps[] = {
	"create table disk(id integer primary key, serial text not null, wwn text not null,"
	" capacity integer not null, block_size integer not null, vendor text not null,"
	" model text not null, revision text not null, bay text not null,"
	" first_seen integer not null, last_seen integer not null,"
	" used_here integer not null, unique(serial, wwn, capacity, block_size)) strict;"
	"create table job(number integer primary key, id text not null unique,"
	" submitted integer not null, ended integer not null, uid integer not null,"
	" priority integer not null, label text not null, options text not null,"
	" paused integer not null, cancelled integer not null) strict;"
	"create table attempt(id integer primary key autoincrement,"
	" job text not null references job(id), disk integer not null references disk(id),"
	" bay text not null, signatures text not null, expected real not null,"
	" started integer not null, ended integer not null, outcome text not null,"
	" reason text not null, code integer not null, paused integer not null,"
	" cancelled integer not null, result text) strict;"
	"create index attempt_job on attempt(job);"
	"create index attempt_ended on attempt(ended);"
	"create table progress(attempt integer primary key references attempt(id),"
	" at integer not null, pass integer not null, bytes integer not null,"
	" total integer not null, flushed_pass integer not null,"
	" flushed_lba integer not null) strict;"
	"create table audit(seq integer primary key autoincrement, at integer not null,"
	" uid integer not null, pid integer not null, loginuid integer not null,"
	" comm text not null, bus text not null, what text not null, job text,"
	" text_ text not null) strict;"
	"create trigger audit_keep before update on audit begin"
	" select raise(abort, 'the audit trail is only added to'); end;"
	"create trigger audit_stay before delete on audit begin"
	" select raise(abort, 'the audit trail is only added to'); end;"
	"create trigger attempt_stay before update of outcome, result, ended on attempt"
	" when old.outcome <> '' begin"
	" select raise(abort, 'what has ended is not changed'); end;"
	"create table outbox(seq integer primary key autoincrement, at integer not null,"
	" kind text not null, body text not null) strict;",
	/* -274: unknown */
	"alter table attempt add column max_temperature integer not null default -274;"
	"alter table attempt add column health_before text not null default '';"
	"alter table attempt add column health_after text not null default '';",
	/* microseconds */
	"alter table attempt add column heat_pause integer not null default 0;"
	"alter table attempt add column do_not_reuse integer not null default 0;"
	"update attempt set do_not_reuse = 1 where outcome <> ''"
	" and (health_before like 'failing%' or health_after like 'failing%');",
	"alter table attempt add column left_working integer not null default 0;",
	/* number in the folder of signed records */
	("alter table attempt add column record integer not null default 0;"
	 "create index attempt_unproven on attempt(ended, id)"
	 " where outcome <> '' and record = 0;"),
	/* who logged in, 4294967295: not known; tag of the disk's owner */
	("alter table job add column loginuid integer not null default 4294967295;"
	 "alter table attempt add column asset text not null default '';"),
};

#define SCHEMA_VERSION (sizeof(schema_steps) / sizeof(schema_steps[0]))

#endif
