import type { Credentials } from '@quarry/composition';

/**
 * @param isFirst whether the key was made by this start: it is shown once
 * @returns what a stranger needs once the product is up: where it is, where the key is, and calls to paste, from a prompt to the rows of its table
 */
export function welcomeScreen(credentials: Credentials, credentialsFile: string, isFirst: boolean): string {
  const { base_url: url, api_key: key } = credentials;
  const shownKey = isFirst
    ? `${key} (shown this once; kept in the file below)`
    : 'in the file below, as "api_key"';
  return `
  Quarry is ready.

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
  until curl -s ${url}/v1/runs/$RUN -H "$AUTH" | grep -q '"status":"completed"'; do sleep 1; done
  curl -s ${url}$(curl -s ${url}/v1/runs/$RUN -H "$AUTH" | field 'artifacts[0].links.rows')?limit=3 -H "$AUTH"; echo

  # A batch: e-mail addresses for a list of people, one by one.
  curl -s ${url}/v1/services/jobs/batch -H "$AUTH" -H 'Content-Type: application/json' \\
    -d '{"service":"getEmail","inputs":[{"first_name":"Ada","last_name":"Lovelace","domain":"analytical.example"}]}'; echo

  Everything else: ${url}/docs to read and to try it, ${url}/openapi.json for programs.

  Data here comes from the sandbox, a fictional directory. What you ask of real companies comes from their own sites.
  Press Ctrl-C to stop.
`;
}
