-- What people see and call. Tables are the owner's alone (sessiondb_data); here are views that show everyone what is
-- theirs to see, and the functions by which a device pushes. Nothing here depends on an extension.
CREATE SCHEMA sessiondb_team;
--> statement-breakpoint
REVOKE ALL ON SCHEMA sessiondb_data, sessiondb_team FROM PUBLIC;
--> statement-breakpoint
-- Should somebody be granted a table by mistake, it is empty for them: there is no policy.
ALTER TABLE sessiondb_data.sessions ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE sessiondb_data.usage ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE sessiondb_data.usage_quarters ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE sessiondb_data.tool_stats ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE sessiondb_data.entry_text ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE sessiondb_data.authors ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE sessiondb_data.devices ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
-- Whose rows the connection sees: its own; a lead those of all.
CREATE FUNCTION sessiondb_team.visible_authors() RETURNS SETOF integer
LANGUAGE sql STABLE PARALLEL SAFE ROWS 50 SECURITY DEFINER SET search_path = sessiondb_data, pg_temp AS $$
  SELECT a.id FROM authors a JOIN authors me ON me.role = session_user AND me.revoked_at IS NULL
  WHERE a.id = me.id OR me.kind = 'lead'
$$;
--> statement-breakpoint
-- The author that the connection is, for writing. @raises insufficient_privilege
CREATE FUNCTION sessiondb_data.writing_author(device uuid) RETURNS integer
LANGUAGE plpgsql STABLE SET search_path = sessiondb_data, pg_temp AS $$
DECLARE me integer;
BEGIN
  SELECT a.id INTO me FROM authors a WHERE a.role = session_user AND a.revoked_at IS NULL;
  IF me IS NULL THEN
    RAISE EXCEPTION 'sessiondb: this role may not push' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF EXISTS (SELECT 1 FROM devices d WHERE d.author = me AND d.id = device AND d.revoked_at IS NOT NULL) THEN
    RAISE EXCEPTION 'sessiondb: this device was revoked' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN me;
END $$;
--> statement-breakpoint
-- Functions that push look some rows up in tables that grow: plans that were made while those were small must not be kept.
-- Adds up the quarters of an hour again that are named, each by author, session and quarter.
CREATE FUNCTION sessiondb_data.add_up(of_author integer[], of_session bigint[], of_quarter bigint[]) RETURNS void
LANGUAGE sql SET search_path = sessiondb_data, pg_temp AS $$
  DELETE FROM usage_quarters q USING (SELECT DISTINCT * FROM unnest(of_author, of_session, of_quarter)) n(author, session, quarter)
  WHERE q.author = n.author AND q.session = n.session AND q.quarter = n.quarter;
  INSERT INTO usage_quarters (author, session, quarter, provider, model, source, counted, input, output, cache_read,
    cache_write, total_tokens, cost, requests, unpriced, priced_input, priced_cache, cost_input, cost_cache_read,
    cost_cache_write, cost_from_provider, timed_requests, timed_output, duration_ms)
  SELECT u.author, u.session, u.quarter, coalesce(u.provider, ''), coalesce(u.model, ''), u.source, u.counted,
    sum(u.input), sum(u.output), sum(u.cache_read), sum(u.cache_write), sum(u.total_tokens), sum(u.cost), count(*),
    count(*) FILTER (WHERE u.cost = 0 AND u.total_tokens > 0),
    coalesce(sum(u.input) FILTER (WHERE u.cost_input > 0), 0),
    coalesce(sum(u.cache_read + u.cache_write)
      FILTER (WHERE u.cost_input + u.cost_output + u.cost_cache_read + u.cost_cache_write > 0), 0),
    sum(u.cost_input), sum(u.cost_cache_read), sum(u.cost_cache_write), coalesce(sum(u.cost_from_provider), 0),
    count(u.duration_ms), coalesce(sum(u.output) FILTER (WHERE u.duration_ms IS NOT NULL), 0), coalesce(sum(u.duration_ms), 0)
  FROM (SELECT DISTINCT * FROM unnest(of_author, of_session, of_quarter)) n(author, session, quarter)
  JOIN usage u ON u.author = n.author AND u.session = n.session AND u.quarter = n.quarter
  WHERE u.accounted < 2 GROUP BY 1, 2, 3, 4, 5, 6, 7
$$;
--> statement-breakpoint
-- Decides which copy of each of these bills counts, and adds up what that changes, and the quarters that are named. First
-- comes what sessions of sub-agents account for, wherever those are; then the session that was created first.
CREATE FUNCTION sessiondb_data.settle(bills bigint[], tokens bigint[], of_author integer[], of_session bigint[], of_quarter bigint[])
RETURNS void LANGUAGE plpgsql SET search_path = sessiondb_data, pg_temp SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE authors integer[]; sessions_of bigint[]; quarters bigint[];
BEGIN
  WITH asked AS MATERIALIZED (SELECT DISTINCT a.bill, a.stated FROM unnest(bills, tokens) a(bill, stated)),
  shared AS MATERIALIZED (
    SELECT u.author, u.session, u.place, u.quarter, u.counted, u.accounted, u.bill, u.stated_tokens,
      count(*) OVER (PARTITION BY u.bill, u.stated_tokens) AS copies
    FROM asked a JOIN usage u ON u.bill = a.bill AND u.stated_tokens = a.stated),
  ranked AS MATERIALIZED (
    SELECT c.author, c.session, c.place, c.counted, row_number() OVER (PARTITION BY c.bill, c.stated_tokens
      ORDER BY c.accounted DESC, s.created_at NULLS LAST, c.author, c.session, c.place) = 1 AS is_first
    FROM shared c JOIN sessions s ON s.author = c.author AND s.id = c.session
    WHERE c.copies > 1 OR c.counted = 0),
  changed AS (
    UPDATE usage u SET counted = 1 - u.counted FROM ranked r
    WHERE u.author = r.author AND u.session = r.session AND u.place = r.place AND (u.counted = 1) <> r.is_first
    RETURNING u.author, u.session, u.quarter)
  SELECT array_agg(c.author), array_agg(c.session), array_agg(c.quarter) INTO authors, sessions_of, quarters FROM changed c;
  PERFORM add_up(of_author || authors, of_session || sessions_of, of_quarter || quarters);
END $$;
--> statement-breakpoint
-- Removes rows of sessions, and lets copies of their bills count instead; the sessions themselves only where asked.
CREATE FUNCTION sessiondb_data.clear_sessions(of_author integer, ids bigint[], removes boolean) RETURNS void
LANGUAGE plpgsql SET search_path = sessiondb_data, pg_temp AS $$
DECLARE bills bigint[]; tokens bigint[];
BEGIN
  WITH gone AS (DELETE FROM usage u WHERE u.author = of_author AND u.session = ANY (ids) RETURNING u.bill, u.stated_tokens, u.counted)
  SELECT array_agg(g.bill), array_agg(g.stated_tokens) INTO bills, tokens FROM gone g WHERE g.counted = 1;
  DELETE FROM usage_quarters q WHERE q.author = of_author AND q.session = ANY (ids);
  DELETE FROM tool_stats t WHERE t.author = of_author AND t.session = ANY (ids);
  DELETE FROM entry_text e WHERE e.author = of_author AND e.session = ANY (ids);
  IF removes THEN DELETE FROM sessions s WHERE s.author = of_author AND s.id = ANY (ids); END IF;
  PERFORM settle(bills, tokens, NULL, NULL, NULL);
END $$;
--> statement-breakpoint
-- One pusher at a time decides about bills: so two that have copies of one can neither both count it nor wait for each other.
CREATE FUNCTION sessiondb_data.take_turn() RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(7253, 1)
$$;
--> statement-breakpoint
-- A device says that it is there. Returns what it has to know: which instance this is, the oldest program that may push, and
-- how many sessions and bytes are held of it: where that is what it remembers, it remembers all.
CREATE FUNCTION sessiondb_team.hello_v1(p jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = sessiondb_data, pg_temp AS $$
DECLARE me integer := writing_author((p ->> 'device')::uuid);
BEGIN
  INSERT INTO devices AS d (author, id, label, client, level, waiting)
  VALUES (me, (p ->> 'device')::uuid, p ->> 'label', p ->> 'client', p ->> 'level', (p ->> 'waiting')::integer)
  ON CONFLICT (author, id) DO UPDATE SET label = excluded.label, client = excluded.client, level = excluded.level,
    waiting = excluded.waiting, last_push_at = now();
  RETURN (SELECT jsonb_object_agg(m.name, m.value) FROM meta m) || (
    SELECT jsonb_build_object('sessions', count(*), 'pushed', coalesce(sum(s.pushed), 0))
    FROM sessions s WHERE s.author = me AND s.device = (p ->> 'device')::uuid);
END $$;
--> statement-breakpoint
-- Takes a piece of a session file in: from 0 it replaces what is held of the file; else it goes on where the last piece of
-- the same content ended, or is refused. Returns {pushed, content}, which is held now, taken or not; and whose bills and
-- quarters of an hour have to be settled.
CREATE FUNCTION sessiondb_data.take_piece(me integer, device_id uuid, p jsonb,
  OUT answer jsonb, OUT bills bigint[], OUT tokens bigint[], OUT sid bigint, OUT quarters bigint[])
LANGUAGE plpgsql SET search_path = sessiondb_data, pg_temp AS $$
#variable_conflict use_column
DECLARE
  s jsonb := p -> 'session';
  held sessions%ROWTYPE;
BEGIN
  SELECT * INTO held FROM sessions h WHERE h.author = me AND h.device = device_id AND h.file = p ->> 'file';
  IF (p ->> 'from')::bigint > 0 AND (held.id IS NULL OR held.content <> p ->> 'content' OR held.pushed <> (p ->> 'from')::bigint) THEN
    answer := jsonb_build_object('pushed', coalesce(held.pushed, 0), 'content', held.content);
    RETURN;
  END IF;
  IF held.id IS NOT NULL AND (p ->> 'from')::bigint = 0 THEN
    PERFORM clear_sessions(me, ARRAY[held.id], false);
  END IF;
  INSERT INTO sessions AS h (author, device, file, content, pushed, level, session_id, project, created_at, modified_at, origin,
    parent_file, root_file, agent, title, name, message_count, entry_count, branch_count, models, last_model)
  VALUES (me, device_id, p ->> 'file', p ->> 'content', (p ->> 'to')::bigint, p ->> 'level', s ->> 'session_id',
    s ->> 'project', (s ->> 'created_at')::bigint, (s ->> 'modified_at')::bigint, s ->> 'origin', s ->> 'parent_file',
    s ->> 'root_file', s ->> 'agent', s ->> 'title', s ->> 'name', (s ->> 'message_count')::bigint,
    (s ->> 'entry_count')::bigint, (s ->> 'branch_count')::bigint, s ->> 'models', s ->> 'last_model')
  ON CONFLICT (author, device, file) DO UPDATE SET content = excluded.content, pushed = excluded.pushed, level = excluded.level,
    session_id = excluded.session_id, project = excluded.project, created_at = excluded.created_at,
    modified_at = excluded.modified_at, origin = excluded.origin, parent_file = excluded.parent_file,
    root_file = excluded.root_file, agent = excluded.agent, title = excluded.title, name = excluded.name,
    message_count = excluded.message_count, entry_count = excluded.entry_count, branch_count = excluded.branch_count,
    models = excluded.models, last_model = excluded.last_model
  RETURNING h.id INTO sid;
  WITH added AS (
    INSERT INTO usage (author, session, place, entry_id, timestamp, quarter, source, provider, model, stop_reason,
      thinking_level, tool_name, agent, input, output, cache_read, cache_write, cache_write_1h, reasoning, total_tokens, cost_input,
      cost_output, cost_cache_read, cost_cache_write, cost, cost_from_provider, duration_ms, bill, stated_tokens, accounted, counted)
    SELECT me, sid, u.place, u.entry_id, u.timestamp, u.quarter, u.source, u.provider, u.model, u.stop_reason,
      u.thinking_level, u.tool_name, u.agent, coalesce(u.input, 0), coalesce(u.output, 0), coalesce(u.cache_read, 0), coalesce(u.cache_write, 0),
      coalesce(u.cache_write_1h, 0), coalesce(u.reasoning, 0), coalesce(u.total_tokens, 0), coalesce(u.cost_input, 0),
      coalesce(u.cost_output, 0), coalesce(u.cost_cache_read, 0), coalesce(u.cost_cache_write, 0), coalesce(u.cost, 0),
      u.cost_from_provider, u.duration_ms, u.bill, coalesce(u.stated_tokens, u.total_tokens, 0), coalesce(u.accounted, 0), 1
    FROM jsonb_to_recordset(p -> 'usage') AS u(place bigint, entry_id text, timestamp bigint, quarter bigint, source text,
      provider text, model text, stop_reason text, thinking_level text, tool_name text, agent text, input bigint, output bigint, cache_read bigint,
      cache_write bigint, cache_write_1h bigint, reasoning bigint, total_tokens bigint, cost_input double precision,
      cost_output double precision, cost_cache_read double precision, cost_cache_write double precision, cost double precision,
      cost_from_provider double precision, duration_ms bigint, bill bigint, stated_tokens bigint, accounted smallint)
    RETURNING bill, stated_tokens, quarter)
  SELECT array_agg(a.bill), array_agg(a.stated_tokens), array_agg(a.quarter) INTO bills, tokens, quarters FROM added a;
  IF p ? 'tools' THEN
    DELETE FROM tool_stats t WHERE t.author = me AND t.session = sid;
    INSERT INTO tool_stats (author, session, tool, calls, answered, errors, timed, duration_ms, longest_ms)
    SELECT me, sid, t.tool, t.calls, t.answered, t.errors, t.timed, t.duration_ms, t.longest_ms
    FROM jsonb_to_recordset(p -> 'tools') AS t(tool text, calls bigint, answered bigint, errors bigint, timed bigint,
      duration_ms bigint, longest_ms bigint);
  END IF;
  IF p ? 'texts' THEN
    INSERT INTO entry_text (author, session, place, part, entry_id, type, role, tool_name, timestamp, text, words)
    SELECT me, sid, t.place, t.part, t.entry_id, t.type, t.role, t.tool_name, t.timestamp, t.text, t.words::tsvector
    FROM jsonb_to_recordset(p -> 'texts') AS t(place bigint, part integer, entry_id text, type text, role text,
      tool_name text, timestamp bigint, text text, words text);
  END IF;
  answer := jsonb_build_object('pushed', (p ->> 'to')::bigint, 'content', p ->> 'content');
END $$;
--> statement-breakpoint
-- Takes pieces of session files in, in one transaction: {device, pieces}. Returns what is held now of each piece's file.
CREATE FUNCTION sessiondb_team.push_sessions_v1(p jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = sessiondb_data, pg_temp SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
  device_id uuid := (p ->> 'device')::uuid;
  me integer := writing_author(device_id);
  held jsonb := '[]';
  piece record;
  bills bigint[]; tokens bigint[]; of_session bigint[]; quarters bigint[];
BEGIN
  PERFORM take_turn();
  FOR piece IN SELECT t.* FROM jsonb_array_elements(p -> 'pieces') WITH ORDINALITY e(value, place),
    LATERAL take_piece(me, device_id, e.value) t ORDER BY e.place
  LOOP
    held := held || piece.answer;
    CONTINUE WHEN piece.bills IS NULL;
    bills := bills || piece.bills;
    tokens := tokens || piece.tokens;
    quarters := quarters || piece.quarters;
    of_session := of_session || array_fill(piece.sid, ARRAY[cardinality(piece.quarters)]);
  END LOOP;
  IF bills IS NOT NULL THEN
    PERFORM settle(bills, tokens, array_fill(me, ARRAY[cardinality(quarters)]), of_session, quarters);
  END IF;
  RETURN held;
END $$;
--> statement-breakpoint
-- Takes files of a device out: {device, files}. Returns how many there were.
CREATE FUNCTION sessiondb_team.tombstone_v1(p jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = sessiondb_data, pg_temp SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE me integer := writing_author((p ->> 'device')::uuid); ids bigint[];
BEGIN
  PERFORM take_turn();
  SELECT array_agg(s.id) INTO ids FROM sessions s WHERE s.author = me AND s.device = (p ->> 'device')::uuid
    AND s.file IN (SELECT jsonb_array_elements_text(p -> 'files'));
  IF ids IS NOT NULL THEN PERFORM clear_sessions(me, ids, true); END IF;
  RETURN coalesce(cardinality(ids), 0);
END $$;
--> statement-breakpoint
-- The files of a device that are held, each with how far and of which content: what a device asks that has lost its cursor.
CREATE FUNCTION sessiondb_team.held_v1(device uuid) RETURNS TABLE (file text, content text, pushed bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = sessiondb_data, pg_temp AS $$
  SELECT s.file, s.content, s.pushed FROM sessions s WHERE s.author = writing_author($1) AND s.device = $1
$$;
--> statement-breakpoint
-- Removes a person, with all that is held of them.
CREATE FUNCTION sessiondb_data.forget_author(of_author integer) RETURNS void
LANGUAGE plpgsql SET search_path = sessiondb_data, pg_temp AS $$
DECLARE ids bigint[];
BEGIN
  PERFORM take_turn();
  SELECT array_agg(s.id) INTO ids FROM sessions s WHERE s.author = of_author;
  IF ids IS NOT NULL THEN PERFORM clear_sessions(of_author, ids, true); END IF;
  DELETE FROM authors a WHERE a.id = of_author;
END $$;
--> statement-breakpoint
-- Removes all that is held of a device.
CREATE FUNCTION sessiondb_data.forget_device(of_author integer, device_id uuid) RETURNS void
LANGUAGE plpgsql SET search_path = sessiondb_data, pg_temp AS $$
DECLARE ids bigint[];
BEGIN
  PERFORM take_turn();
  SELECT array_agg(s.id) INTO ids FROM sessions s WHERE s.author = of_author AND s.device = device_id;
  IF ids IS NOT NULL THEN PERFORM clear_sessions(of_author, ids, true); END IF;
END $$;
--> statement-breakpoint
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA sessiondb_data, sessiondb_team FROM PUBLIC;
