-- The second wall between organizations: a statement sees rows of the organization that `balcao.organization` names, of every
-- one if it is `*`, else of none. The program sets it for each statement, within its transaction. FORCE: the owner of the tables
-- is held to it, too; superusers and roles with BYPASSRLS are not, so the program should be neither.
CREATE FUNCTION balcao_sees(organization BIGINT) RETURNS BOOLEAN LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT current_setting('balcao.organization', true) IN (organization::text, '*')
$$;

-- For every table that carries the organization; each later migration calls it for its own.
CREATE FUNCTION balcao_wall_off(walled TEXT, seen TEXT DEFAULT 'balcao_sees(organization_id)') RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', walled);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', walled);
    EXECUTE format('CREATE POLICY organization ON %I USING (%s) WITH CHECK (%s)', walled, seen, seen);
END
$$;

SELECT balcao_wall_off(t.table_name::text)
FROM information_schema.tables t
JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE t.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.column_name = 'organization_id';

SELECT balcao_wall_off('organization', 'balcao_sees(id)');
-- Whose an entry is stands in its own row, behind its own wall.
SELECT balcao_wall_off('knowledge_search', 'EXISTS (SELECT 1 FROM knowledge_entry e WHERE e.id = rowid)');
