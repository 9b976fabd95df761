-- Makes an identifier as the application does: p_prefix, `_`, and a UUIDv7 in 26 characters of lower-case Crockford base32.
CREATE OR REPLACE FUNCTION events.new_id(p_prefix text) RETURNS text LANGUAGE sql VOLATILE AS $$
  -- 48 bits of time and the version stand in place of the first 13 digits of a random UUID, which keeps its variant.
  WITH made AS MATERIALIZED (
    SELECT B'00' || ('x' || lpad(to_hex(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
      || substr(replace(gen_random_uuid()::text, '-', ''), 14))::bit(128) AS bits)
  SELECT p_prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits FROM place FOR 5)::bit(5)::integer + 1, 1), '' ORDER BY place)
  FROM made, generate_series(1, 126, 5) AS place;
$$;
