CREATE OR REPLACE FUNCTION credits.utc_day(p_at timestamptz) RETURNS date LANGUAGE sql IMMUTABLE
RETURN (p_at AT TIME ZONE 'UTC')::date;
