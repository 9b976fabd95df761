import { keyOf, read, workloadsOf, type Manifest } from './manifest-kit.js';

interface Variable {
  isRequired: boolean;
  isSecret: boolean;
}

/** Returns the variables that each app knows, by name, from .env.example. */
function environments(): Map<string, Map<string, Variable>> {
  const byApp = new Map<string, Map<string, Variable>>();
  // Comment lines, each naming the apps that it applies to, then the variable.
  for (const [, prose, name] of read('.env.example').matchAll(/((?:^# .*\n)+)#([A-Z_0-9]+)=/gm))
    for (const [, apps, says] of prose!.matchAll(/^# ([a-z, -]+): (.*)$/gm))
      for (const app of apps!.split(', ')) {
        const known = byApp.get(app) ?? new Map<string, Variable>();
        const isSecret = / Secret\./.test(says!);
        byApp.set(app, known.set(name!, { isRequired: / Required\./.test(says!), isSecret }));
      }
  return byApp;
}

const ENVIRONMENTS = environments();
/** Variable of Node, not of an app. */
const OF_NODE = 'NODE_OPTIONS';
/** Variable that only the mail workers need, for links. */
const OF_MAIL = 'BASE_URL';
/** Secrets that give all of their keys as variables, by a variable that they may have. */
const WHOLE_SECRETS = { HUNTER_KEY: 'quarry-providers', MODEL_URL: 'quarry-model' };

/** @returns variables that an app does not know or lacks, secrets in plain text, and addresses that lead nowhere */
export function faultsOfEnvironments(all: Manifest[]): string[] {
  const of = (kind: string): Manifest[] => all.filter((each) => each.kind === kind);
  const faults: string[] = [];
  for (const each of workloadsOf(all)) {
    const fail = (isRight: unknown, fault: string) =>
      void (isRight || faults.push(`${keyOf(each)}: ${fault}`));
    const container = each.spec.template.spec.containers[0];
    const app = /^(?:.*\/)?quarry-([a-z-]+):/.exec(container.image)?.[1] ?? '';
    const known = ENVIRONMENTS.get(app) ?? new Map<string, Variable>();
    const given = new Map<string, Manifest>(container.env.map((entry: Manifest) => [entry.name, entry]));
    fail(given.size === container.env.length, 'gives a variable twice');
    fail(
      /^--max-old-space-size-percentage=\d\d$/.test(given.get(OF_NODE)?.value ?? ''),
      'has no heap by percentage',
    );
    for (const [name, { value, valueFrom }] of given) {
      fail(known.has(name) || name === OF_NODE, `gives ${name}, which ${app} does not know`);
      fail((typeof value === 'string') !== (valueFrom !== undefined), `gives ${name} no text`);
      const { configMapKeyRef: setting, secretKeyRef: secret } = valueFrom ?? {};
      const maps = of('ConfigMap').filter(({ metadata }) => metadata.name === setting?.name);
      fail(!setting || setting.key in (maps[0]?.data ?? {}), `gives ${name} of no ConfigMap`);
      const { isSecret = false, isRequired = false } = known.get(name) ?? {};
      fail(isSecret === (secret !== undefined), `gives ${name} ${isSecret ? 'openly' : 'as a secret'}`);
      fail(!(secret?.optional && isRequired), `may lack ${name}`);
    }
    for (const [name, { isRequired }] of known)
      fail(!isRequired || given.has(name), `lacks ${name}, which ${app} needs`);
    const whole = (container.envFrom ?? []).map(({ secretRef }: Manifest) => secretRef.name);
    for (const [name, secret] of Object.entries(WHOLE_SECRETS))
      fail(!known.has(name) || whole.includes(secret), `lacks the Secret ${secret}`);
    const settings = of('ConfigMap').find(({ metadata }) => /^quarry-[a-z0-9]{10}$/.test(metadata.name));
    for (const name of Object.keys(settings?.data ?? {}))
      fail(OF_MAIL === name || !known.has(name) || given.has(name), `lacks the setting ${name}`);
    if (each.kind === 'Job') {
      fail(given.get('DATABASE_URL')?.valueFrom.secretKeyRef.key === 'owner_url', 'is not the owner');
      fail(each.spec.template.metadata.labels['quarry/storage'], 'does not reach the database');
      continue;
    }
    // Only the migration connects as the owner.
    fail(
      /^(serving|working)_url$/.test(given.get('DATABASE_URL')?.valueFrom.secretKeyRef.key),
      'is the owner',
    );
    const ports = new Map<string, number>(
      container.ports.map((port: Manifest) => [port.name, port.containerPort]),
    );
    for (const [port, variable] of [
      ['metrics', 'METRICS'],
      ['rpc', 'RPC'],
    ] as const) {
      if (!ports.has(port)) continue;
      fail(
        given.get(`${variable}_PORT`)?.value === String(ports.get(port)),
        `listens elsewhere than ${port}`,
      );
      fail(given.get(`${variable}_HOST`)?.value === '0.0.0.0', `${port} is for itself only`);
    }
    fail(!ports.has('http') || given.get('PORT')?.value === String(ports.get('http')), 'listens elsewhere');
    // A server of calls without TLS needs the secret with which its callers sign.
    fail(!(ports.has('rpc') || ports.has('http')) || given.has('RPC_SECRETS'), 'lacks RPC_SECRETS');
    // Upstreams.
    for (const [variable, { value = '' }] of given) {
      const [, host, port] = /^tcp:\/\/([^:]+):(\d+)$/.exec(value) ?? [];
      if (!host) continue;
      const service = of('Service').find(({ metadata }) => metadata.name === host);
      fail(
        service?.spec.ports.some((one: Manifest) => String(one.port) === port),
        `${variable} is nobody`,
      );
      fail(service?.spec.clusterIP === 'None', `${variable} hides its replicas`);
    }
  }
  return faults;
}
