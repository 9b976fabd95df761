-- Text as people are looked for in it: case and accents make no difference, nor where in a word a Greek sigma is.
-- Most text is ASCII, and much cheaper.
CREATE OR REPLACE FUNCTION erasure.folded(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length(p_text) = length(p_text) THEN lower(p_text)
  ELSE replace(lower(regexp_replace(normalize(p_text, NFKD), '[\u0300-\u036f]+', '', 'g')), 'ς', 'σ') END;
