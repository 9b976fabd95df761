import { alternate, withCpu } from './harness/alternation.mjs';
import { startScript } from './harness/child-process.mjs';
import { spreadOf } from './harness/statistics.mjs';
import { endedBatch, newPeople } from './harness/held-lines.mjs';
import { createBenchOrganisation, openClient, openLocal } from './harness/product.mjs';
import { openCluster } from './harness/servers.mjs';

export const says =
  'getEmail lines without a vendor, verified at mail servers: people of 100 companies, and of one';

const LINES = 100;

export async function run({ life, report, settings }) {
  const world = await life.open(
    'mail and name servers',
    () => startScript('harness/mail-world.mjs'),
    (part) => part.close(),
  );
  const { sites, env } = world.facts;
  let companies = 0;
  const newSite = () => sites[(companies += 1) % sites.length];
  const cluster = await openCluster(life);
  const { apiKey } = await createBenchOrganisation(cluster.url);
  const { port, processes } = await openLocal(life, cluster, { SANDBOX: 'off', ...env });
  const client = await openClient(life, port, apiKey);
  const side = (inputs) => () =>
    withCpu(processes, async () => {
      const startedAt = performance.now();
      const { jobs } = await endedBatch(client, inputs());
      const found = jobs.filter(({ result }) => result?.found).length;
      if (found !== LINES) throw new Error(`${LINES - found} of ${LINES} addresses were not found.`);
      return { operations: LINES, seconds: (performance.now() - startedAt) / 1000 };
    });
  const ofOne = () => {
    const domain = newSite();
    return namedPeople().map((person) => ({ ...person, domain }));
  };
  const ofMany = () => namedPeople().map((person) => ({ ...person, domain: newSite() }));
  const sides = { 'one company': side(ofOne), '100 companies': side(ofMany) };
  const values = await alternate(sides, settings.rounds, settings.onRound);
  report.addTable('lines', values);
  const { median } = spreadOf(values['100 companies'].perSecond);
  report.addGoal('lines per second, 100 companies', median, 'at least', 95);
}

/** Returns people without digits in their names, because addresses are not derived from such names. */
function namedPeople() {
  const lettersOf = (name) => name.replace(/\d/g, (digit) => String.fromCharCode(97 + Number(digit)));
  return newPeople(LINES).map((person) => ({ ...person, first_name: lettersOf(person.first_name) }));
}
