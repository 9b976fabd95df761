import type { Credentials } from './data-dir.js';

/** @returns what a stranger needs once the product is up: where it is, the key, three calls to paste */
export function welcomeScreen(credentials: Credentials, credentialsFile: string): string {
  const { base_url: url, api_key: key } = credentials;
  return `
  Quarry is ready.

  API          ${url}
  API key      ${key}
  Credentials  ${credentialsFile}

  Try it:

  curl ${url}/credits -H 'Authorization: Bearer ${key}'

  curl ${url}/v1/runs -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
    -d '{"prompt":"20 fintech companies in London founded after 2015"}'

  curl ${url}/v1/services/jobs/batch -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
    -d '{"service":"getEmail","inputs":[{"first_name":"Ada","last_name":"Lovelace","domain":"analytical.example"}]}'

  Data here comes from the sandbox: a fictional directory, so no real person is touched.
  Press Ctrl-C to stop.
`;
}
