-- SPDX-License-Identifier: GPL-2.0-or-later
-- One ledger for a fleet: what diskwipe-send brings from each station, byte for byte.
--
--   psql -v ON_ERROR_STOP=1 -f schema.sql 'postgresql:///records'
--
-- as the owner of the database, with the right to create roles; UTF8. It may be run again: each
-- step runs once, in its order, in a transaction. docs/ledger.md is about who may do what.
--
-- Nothing here is proof by itself: who owns a database can change it. The proof is in the bytes,
-- which diskwipe-ledger checks, and in the heads that are kept where that owner cannot change them.

\set QUIET on
SET client_min_messages = warning;
SELECT current_setting('server_encoding') <> 'UTF8' AS wrong \gset
\if :wrong
\warn 'the database has to have the encoding UTF8: createdb --encoding=UTF8 --template=template0'
SELECT 1 / 0 AS "the encoding is not UTF8";
\endif

CREATE SCHEMA IF NOT EXISTS diskwipe;
CREATE TABLE IF NOT EXISTS diskwipe.migration (
	step integer PRIMARY KEY,
	applied timestamptz NOT NULL DEFAULT now()
);

SELECT NOT EXISTS (SELECT FROM diskwipe.migration WHERE step = 1) AS due \gset
\if :due
BEGIN;
INSERT INTO diskwipe.migration (step) VALUES (1);

-- Roles belong to the cluster: another database may have made them.
DO $$
DECLARE
	r text;
BEGIN
	FOREACH r IN ARRAY ARRAY['diskwipe_send', 'diskwipe_check', 'diskwipe_read'] LOOP
		IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r) THEN
			EXECUTE format('CREATE ROLE %I NOLOGIN', r);
		END IF;
	END LOOP;
END $$;

REVOKE ALL ON SCHEMA diskwipe FROM PUBLIC;
GRANT USAGE ON SCHEMA diskwipe TO diskwipe_send, diskwipe_check, diskwipe_read;

-- What a table may never do. Its owner can take the trigger away: that is what heads elsewhere are for.
CREATE FUNCTION diskwipe.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'records are only added: % of % is refused', TG_OP, TG_TABLE_NAME;
END $$;

-- A record, as it was signed. "chain" is the SHA-256 of the first record of its ledger. The hash
-- belongs to the key, so that a second record at the same place is kept as evidence, and not in
-- the way. From "station" on, columns are read from the text by put(), none is what a sender says.
CREATE TABLE diskwipe.record (
	chain bytea NOT NULL CHECK (octet_length(chain) = 32),
	sequence bigint NOT NULL CHECK (sequence > 0),
	hash bytea NOT NULL CHECK (hash = sha256(text)),
	written timestamptz NOT NULL,
	text bytea NOT NULL CHECK (octet_length(text) <= 16777216),
	signature text NOT NULL CHECK (octet_length(signature) <= 4096),
	sender name NOT NULL,
	arrived timestamptz NOT NULL,
	at timestamptz NOT NULL, -- written, but no later than it arrived
	document text,
	station text,
	serial text,
	wwn text,
	model text,
	capacity bigint,
	outcome text,
	simulated boolean,
	level text,
	method text,
	label text,
	customer text,
	order_number text,
	asset text,
	operator text,
	synchronised boolean,
	erased boolean, -- in full, at a level; what diskwipe-report prints ERASED for
	alone boolean, -- nothing tells this disk from others: it counts by itself
	passed boolean, -- it was only read, and held what was expected
	compared bigint, -- it is the second check of that record of its chain
	differs boolean, -- and the disk held something else
	PRIMARY KEY (chain, sequence, hash, written)
) PARTITION BY RANGE (written);
CREATE INDEX record_serial ON diskwipe.record (serial);
CREATE INDEX record_label ON diskwipe.record (label);
CREATE INDEX record_customer ON diskwipe.record (customer, order_number);
CREATE INDEX record_station ON diskwipe.record (station, at);
CREATE INDEX record_compared ON diskwipe.record (chain, compared) WHERE compared IS NOT NULL;
CREATE INDEX record_at ON diskwipe.record USING brin (at) WITH (pages_per_range = 32);
CREATE TRIGGER only_added BEFORE UPDATE OR DELETE ON diskwipe.record
	FOR EACH ROW EXECUTE FUNCTION diskwipe.refuse();

-- A year each, ahead of time: a year that has rows in "record_other" cannot be made any more
-- before they are moved. What a clock that jumped has signed goes there.
CREATE FUNCTION diskwipe.make_years(first integer, last integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
	part text;
BEGIN
	FOR y IN first..last LOOP
		part := 'record_' || y;
		CONTINUE WHEN to_regclass('diskwipe.' || part) IS NOT NULL;
		EXECUTE format('CREATE TABLE diskwipe.%I PARTITION OF diskwipe.record
			FOR VALUES FROM (%L) TO (%L)', part,
			y || '-01-01 00:00:00+00', y + 1 || '-01-01 00:00:00+00');
		EXECUTE format('CREATE TRIGGER never_emptied BEFORE TRUNCATE ON diskwipe.%I
			EXECUTE FUNCTION diskwipe.refuse()', part);
	END LOOP;
END $$;
DO $$ BEGIN PERFORM diskwipe.make_years(2026, 2040); END $$;
CREATE TABLE diskwipe.record_other PARTITION OF diskwipe.record DEFAULT;
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON diskwipe.record_other
	EXECUTE FUNCTION diskwipe.refuse();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON diskwipe.record
	EXECUTE FUNCTION diskwipe.refuse();

-- Heads of chains, and marks of their days, as they were signed.
CREATE TABLE diskwipe.head (
	chain bytea NOT NULL CHECK (octet_length(chain) = 32),
	kind text NOT NULL CHECK (kind IN ('head', 'day')),
	sequence bigint NOT NULL CHECK (sequence > 0),
	hash bytea NOT NULL CHECK (hash = sha256(text)),
	text bytea NOT NULL CHECK (octet_length(text) <= 4096),
	signature text NOT NULL CHECK (octet_length(signature) <= 4096),
	sender name NOT NULL,
	arrived timestamptz NOT NULL,
	PRIMARY KEY (chain, kind, sequence, hash)
);

-- A head came although a later one was there: a ledger that was put back to an older copy.
CREATE TABLE diskwipe.went_back (
	chain bytea NOT NULL,
	sequence bigint NOT NULL,
	hash bytea NOT NULL,
	highest bigint NOT NULL,
	sender name NOT NULL,
	arrived timestamptz NOT NULL,
	PRIMARY KEY (chain, sequence, hash, highest)
);

-- How far a checker found a chain whole. What it says is for tables and colours; who needs proof
-- checks himself.
CREATE TABLE diskwipe.checked (
	chain bytea NOT NULL,
	sequence bigint NOT NULL,
	hash bytea NOT NULL,
	checker name NOT NULL DEFAULT session_user,
	at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (chain, sequence, hash)
);

DO $$
DECLARE
	t text;
BEGIN
	FOREACH t IN ARRAY ARRAY['head', 'went_back', 'checked'] LOOP
		EXECUTE format('CREATE TRIGGER only_added BEFORE UPDATE OR DELETE ON diskwipe.%I
			FOR EACH ROW EXECUTE FUNCTION diskwipe.refuse()', t);
		EXECUTE format('CREATE TRIGGER never_emptied BEFORE TRUNCATE ON diskwipe.%I
			EXECUTE FUNCTION diskwipe.refuse()', t);
	END LOOP;
END $$;

-- What a text says, for tables. One that cannot be read has nulls and is kept all the same: what
-- a station signed is never turned away.
CREATE FUNCTION diskwipe.look(ret INOUT diskwipe.record) LANGUAGE plpgsql STABLE
SET search_path = diskwipe, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
	j jsonb;
	blank diskwipe.record := ret;
BEGIN
	j := convert_from(ret.text, 'UTF8')::jsonb;
	-- "yesterday" is a time for PostgreSQL, and another one each day: it belongs to the key
	ret.written := CASE WHEN j ->> 'written' ~
		'^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([+-][0-9]{2}:[0-9]{2}|Z)$'
		THEN (j ->> 'written')::timestamptz ELSE to_timestamp(0) END;
	ret.document := left(j ->> 'document', 64);
	ret.station := left(coalesce(j ->> 'station', j -> 'host' ->> 'name'), 256);
	ret.serial := left(j -> 'disk' ->> 'serial', 256);
	ret.wwn := left(j -> 'disk' ->> 'wwn', 256);
	ret.model := left(j -> 'disk' ->> 'model', 256);
	ret.capacity := (j -> 'disk' ->> 'blocks')::bigint * (j -> 'disk' ->> 'block_size')::bigint;
	ret.outcome := left(j ->> 'outcome', 64);
	ret.simulated := j -> 'job' ->> 'simulation' IS NOT NULL;
	ret.level := left(j ->> 'level', 64);
	ret.method := left(j ->> 'method', 64);
	ret.label := left(j ->> 'label', 256);
	ret.customer := left(j ->> 'customer', 256);
	ret.order_number := left(j ->> 'order', 256);
	ret.asset := left(j ->> 'asset', 256);
	ret.operator := left(j ->> 'operator', 256);
	ret.synchronised := (j ->> 'clock_synchronised')::boolean;
	ret.erased := ret.document = 'erasure-record' AND NOT ret.simulated AND ret.outcome = 'erased'
		AND ret.level IN ('clear', 'purge') AND j -> 'exceptions' = '[]';
	ret.alone := coalesce((j -> 'disk' ->> 'name_shared')::boolean, false)
		OR coalesce(ret.serial, '') || coalesce(ret.wwn, '') = '';
	ret.passed := ret.outcome = 'as-expected' AND j -> 'exceptions' = '[]';
	ret.compared := (j -> 'second_check' ->> 'compared')::bigint;
	ret.differs := ret.outcome = 'not-as-expected'
		OR (j -> 'verification' ->> 'mismatches')::bigint > 0;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
	ret := blank;
	ret.written := to_timestamp(0);
END $$;

-- All that a sender may do. The same once more changes nothing, so that what was cut off is sent
-- again. It returns when what was given is to be kept; with the commit it is.
CREATE FUNCTION diskwipe.put(chain bytea, kind text, sequence bigint, text bytea, signature text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = diskwipe, pg_temp AS $$
#variable_conflict use_variable
DECLARE
	r diskwipe.record;
	top bigint;
BEGIN
	IF kind = 'record' THEN
		r.chain := chain;
		r.sequence := sequence;
		r.hash := sha256(text);
		r.text := text;
		r.signature := signature;
		r.sender := session_user;
		r.arrived := clock_timestamp();
		r := diskwipe.look(r);
		r.at := least(r.written, r.arrived);
		INSERT INTO diskwipe.record SELECT r.* ON CONFLICT DO NOTHING;
		RETURN;
	END IF;
	INSERT INTO diskwipe.head VALUES (chain, kind, sequence, sha256(text), text, signature,
		session_user, clock_timestamp()) ON CONFLICT DO NOTHING;
	SELECT max(h.sequence) INTO top FROM diskwipe.head h WHERE h.chain = chain AND h.kind = 'head';
	IF kind = 'head' AND top > sequence THEN
		INSERT INTO diskwipe.went_back VALUES (chain, sequence, sha256(text), top,
			session_user, clock_timestamp()) ON CONFLICT DO NOTHING;
	END IF;
END $$;

-- Two records at one place of a chain; a place without a record before one that has it.
CREATE VIEW diskwipe.fork AS
	SELECT chain, sequence, count(*) AS records, array_agg(DISTINCT sender) AS senders
	FROM diskwipe.record GROUP BY chain, sequence HAVING count(*) > 1;
CREATE VIEW diskwipe.gap AS
	SELECT chain, before + 1 AS first, sequence - 1 AS last FROM (
		SELECT chain, sequence, lag(sequence, 1, 0::bigint)
			OVER (PARTITION BY chain ORDER BY sequence) AS before
		FROM diskwipe.record) places
	WHERE sequence > before + 1;

-- A chain, how far it came and how far it was found whole.
CREATE VIEW diskwipe.chain AS
	SELECT r.chain, r.station, r.records, r.last, r.arrived, h.head, c.checked, c.at AS checked_at
	FROM (SELECT chain, max(station) AS station, count(*) AS records, max(sequence) AS last,
			max(arrived) AS arrived
		FROM diskwipe.record GROUP BY chain) r
	LEFT JOIN (SELECT chain, max(sequence) AS head FROM diskwipe.head WHERE kind = 'head'
		GROUP BY chain) h USING (chain)
	LEFT JOIN (SELECT chain, max(sequence) AS checked, max(at) AS at FROM diskwipe.checked
		GROUP BY chain) c USING (chain);

-- Attempts at disks, by the rules of the papers: neither a simulation nor a check that found what it
-- expected is one. "checked": a checker has come past it, and nothing else is at its place. What a
-- checker passed over because nobody signed it is there all the same, and a view cannot look at
-- signatures: where a place has two records, none of them is checked, and none of them is erased. A
-- disk whose second check found something else is erased nowhere.
CREATE VIEW diskwipe.attempt AS
	SELECT r.chain, r.sequence, r.hash, r.station, r.serial, r.wwn, r.model, r.capacity, r.outcome,
		r.level, r.method, r.label, r.customer, r.order_number, r.asset, r.operator, r.written,
		r.at, r.arrived, r.written > r.arrived + interval '1 day' AS from_the_future,
		CASE WHEN r.alone THEN r.hash END AS alone,
		r.erased IS TRUE AND NOT EXISTS (SELECT FROM diskwipe.record c WHERE c.chain = r.chain
			AND c.compared = r.sequence AND c.differs)
			AND NOT EXISTS (SELECT FROM diskwipe.record t WHERE t.chain = r.chain
				AND t.sequence = r.sequence AND t.hash <> r.hash) AS erased,
		(r.sequence <= (SELECT max(c.sequence) FROM diskwipe.checked c WHERE c.chain = r.chain)
			AND NOT EXISTS (SELECT FROM diskwipe.record t WHERE t.chain = r.chain
				AND t.sequence = r.sequence AND t.hash <> r.hash)) IS TRUE AS checked
	FROM diskwipe.record r
	WHERE r.document = 'erasure-record' AND r.simulated IS NOT TRUE AND r.passed IS NOT TRUE;

-- Of each disk the last outcome. A record from the future counts from when it arrived.
CREATE VIEW diskwipe.disk AS
	SELECT DISTINCT ON (serial, wwn, model, alone) *
	FROM diskwipe.attempt
	ORDER BY serial, wwn, model, alone, at DESC, chain, sequence DESC;

-- In a lot a disk counts once, by the last attempt at it there.
CREATE VIEW diskwipe.lot_disk AS
	SELECT DISTINCT ON (customer, order_number, label, serial, wwn, model, alone) *
	FROM diskwipe.attempt
	ORDER BY customer, order_number, label, serial, wwn, model, alone, at DESC, chain,
		sequence DESC;
CREATE VIEW diskwipe.lot AS
	SELECT customer, order_number, label, count(*) AS disks,
		count(*) FILTER (WHERE erased) AS erased,
		sum(capacity) FILTER (WHERE erased) AS erased_bytes,
		bool_and(checked) AS checked, min(at) AS first, max(at) AS last
	FROM diskwipe.lot_disk GROUP BY customer, order_number, label;
CREATE VIEW diskwipe.customer AS
	SELECT customer, count(DISTINCT (order_number, label)) AS lots, count(*) AS disks,
		count(*) FILTER (WHERE erased) AS erased,
		sum(capacity) FILTER (WHERE erased) AS erased_bytes,
		bool_and(checked) AS checked, min(at) AS first, max(at) AS last
	FROM diskwipe.lot_disk GROUP BY customer;

-- What a station did on a day (UTC): attempts, not disks. Ask for a span of "at", which has an index:
-- day_of(DAY) is quick, the view goes through all.
CREATE FUNCTION diskwipe.day_of(day date)
RETURNS TABLE (station text, attempts bigint, erased bigint, erased_bytes numeric)
LANGUAGE sql STABLE SET timezone = 'UTC' AS $$
	SELECT station, count(*), count(*) FILTER (WHERE erased),
		sum(capacity) FILTER (WHERE erased)
	FROM diskwipe.attempt WHERE at >= day::timestamptz AND at < (day + 1)::timestamptz
	GROUP BY station ORDER BY station
$$;
CREATE VIEW diskwipe.station_day AS
	SELECT station, (at AT TIME ZONE 'UTC')::date AS day, count(*) AS attempts,
		count(*) FILTER (WHERE erased) AS erased,
		sum(capacity) FILTER (WHERE erased) AS erased_bytes
	FROM diskwipe.attempt GROUP BY station, day;
CREATE VIEW diskwipe.capacity AS
	SELECT date_trunc('month', at AT TIME ZONE 'UTC')::date AS month,
		count(*) FILTER (WHERE erased) AS erased,
		sum(capacity) FILTER (WHERE erased) AS erased_bytes
	FROM diskwipe.attempt GROUP BY month;

-- Functions are everybody's when they are made.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA diskwipe FROM PUBLIC;
GRANT EXECUTE ON FUNCTION diskwipe.put TO diskwipe_send;
GRANT SELECT ON ALL TABLES IN SCHEMA diskwipe TO diskwipe_read, diskwipe_check;
GRANT EXECUTE ON FUNCTION diskwipe.day_of TO diskwipe_read, diskwipe_check;
GRANT INSERT (chain, sequence, hash) ON diskwipe.checked TO diskwipe_check;
COMMIT;
\endif

-- Further steps follow here, each as the first: SELECT NOT EXISTS (... step = 2) and so on. Those
-- that were released stay as they are.
