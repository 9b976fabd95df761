import type { Credentials } from '@quarry/installation';
import { DIRECTORY_KINDS, type DirectorySummary } from '@quarry/imported';

/** Sources for searches of companies and people. */
export interface SearchableData {
  /** Ids of the providers that are searched, in order; null when they are unknown. */
  searched: Readonly<Record<DirectorySummary['kind'], readonly string[]>> | null;
  /** Imported directories. */
  directories: ReadonlyArray<Pick<DirectorySummary, 'kind' | 'name' | 'rowCount'>>;
}

/**
 * @param link signs in to the web application, once
 * @param isFirst whether this start has created the key, which is shown once
 * @param data sources that a live key searches; each kind gets a line
 * @returns the start screen: addresses, the file of the key, and commands to paste, from a prompt to the rows of its table
 */
export function welcomeScreen(
  credentials: Credentials,
  {
    link,
    file: credentialsFile,
    isFirst,
    data,
  }: { link: string; file: string; isFirst: boolean; data: SearchableData },
): string {
  const { base_url: url, api_key: key } = credentials;
  const shownKey = isFirst
    ? `${key} (shown only once; stored in the file below)`
    : 'in the file below, as "api_key"';
  return `
  Quarry is ready. Open it (this link signs you in once, within 10 minutes):

  ${link}

  API          ${url}
  API docs     ${url}/docs
  API key      ${shownKey}
  Credentials  ${credentialsFile}

  Try it:

  AUTH="Authorization: Bearer $(node -p "JSON.parse(fs.readFileSync('${credentialsFile}')).api_key")"
  field() { node -p "JSON.parse(fs.readFileSync(0)).$1"; }

  # A run: start it, read it, and read the rows of its table.
  RUN=$(curl -s ${url}/v1/runs -H "$AUTH" -H 'Content-Type: application/json' \\
    -d '{"prompt":"20 software companies in the United States with 50 to 500 employees"}' | field id)
  ROWS=$(curl -s "${url}/v1/runs/$RUN?wait_seconds=60" -H "$AUTH" | field 'artifacts[0].links.rows')
  curl -s "${url}$ROWS?limit=3" -H "$AUTH"; echo

  # A batch: e-mail addresses for a list of people, one by one.
  curl -s ${url}/v1/services/jobs/batch -H "$AUTH" -H 'Content-Type: application/json' \\
    -d '{"service":"getEmail","inputs":[{"first_name":"Ada","last_name":"Lovelace","domain":"analytical.example"}]}'; echo

  More: ${url}/docs to read and try the API, ${url}/openapi.json for programs.

${dataLines(data)}
  Lookups of real companies read their own websites.
  Press Ctrl-C to stop.
`;
}

function dataLines(data: SearchableData): string {
  const { searched } = data;
  if (searched === null) return '';
  return DIRECTORY_KINDS.map(
    (kind) => `  Searches for ${kind} read ${sourceOf(kind, searched[kind], data)}\n`,
  ).join('');
}

function sourceOf(
  kind: DirectorySummary['kind'],
  searched: readonly string[],
  { directories }: SearchableData,
): string {
  if (searched.length === 0)
    return `nothing: no ${kind} are imported (npm run admin -- directory:import), and no vendor is configured.`;
  const described = searched.map((id) => {
    const own = directories.find((each) => each.kind === kind && id === `directory:${each.name}`);
    if (own) return `your own ${own.name} (${own.rowCount.toLocaleString('en-US')} rows)`;
    return id === 'sandbox' ? 'the sandbox, a fictional directory' : id;
  });
  return `${described.join(', then ')}.`;
}
