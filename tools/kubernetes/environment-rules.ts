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

/** A condition, and the fault of a workload that does not meet it. */
type Check = readonly [isMet: unknown, fault: string];

function workloadOf({ spec }: Manifest) {
  const container = spec.template.spec.containers[0];
  const app = /^(?:.*\/)?quarry-([a-z-]+):/.exec(container.image)?.[1] ?? '';
  const given = new Map<string, Manifest>(container.env.map((entry: Manifest) => [entry.name, entry]));
  const known = ENVIRONMENTS.get(app) ?? new Map<string, Variable>();
  return { container, app, known, given, databaseKey: given.get('DATABASE_URL')?.valueFrom.secretKeyRef.key };
}
type Workload = ReturnType<typeof workloadOf>;

/** @returns variables that an app does not know or lacks, secrets in plain text, and addresses that lead nowhere */
export function faultsOfEnvironments(all: Manifest[]): string[] {
  return workloadsOf(all).flatMap((manifest) => {
    const workload = workloadOf(manifest);
    // Only the migration connects as the owner.
    const checks: Check[] = [
      ...checksOfGiven(workload, all),
      ...checksOfKnown(workload, all),
      ...(manifest.kind === 'Job'
        ? ([
            [workload.databaseKey === 'owner_url', 'is not the owner'],
            [manifest.spec.template.metadata.labels['quarry/storage'], 'does not reach the database'],
          ] as const)
        : checksOfServer(workload, all)),
    ];
    return checks.filter(([isMet]) => !isMet).map(([, fault]) => `${keyOf(manifest)}: ${fault}`);
  });
}

/** Each variable is one that the app knows, and has a value of the right kind. */
function checksOfGiven({ container, app, known, given }: Workload, all: Manifest[]): Check[] {
  const heap = given.get(OF_NODE)?.value ?? '';
  return [
    [given.size === container.env.length, 'gives a variable twice'],
    [/^--max-old-space-size-percentage=\d\d$/.test(heap), 'has no heap by percentage'],
    ...[...given].flatMap(([name, { value, valueFrom }]): Check[] => {
      const { configMapKeyRef: setting, secretKeyRef: secret } = valueFrom ?? {};
      const map = all.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === setting?.name);
      const { isSecret = false, isRequired = false } = known.get(name) ?? {};
      return [
        [known.has(name) || name === OF_NODE, `gives ${name}, which ${app} does not know`],
        [(typeof value === 'string') !== (valueFrom !== undefined), `gives ${name} no text`],
        [!setting || setting.key in (map?.data ?? {}), `gives ${name} of no ConfigMap`],
        [isSecret === (secret !== undefined), `gives ${name} ${isSecret ? 'openly' : 'as a secret'}`],
        [!(secret?.optional && isRequired), `may lack ${name}`],
      ];
    }),
  ];
}

/** It has what its app needs, the Secrets that it reads as a whole, and the settings of the overlay. */
function checksOfKnown({ container, app, known, given }: Workload, all: Manifest[]): Check[] {
  const whole = (container.envFrom ?? []).map(({ secretRef }: Manifest) => secretRef.name);
  const settings = all.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && /^quarry-[a-z0-9]{10}$/.test(metadata.name),
  );
  return [
    ...[...known].map(([name, { isRequired }]): Check => [
      !isRequired || given.has(name),
      `lacks ${name}, which ${app} needs`,
    ]),
    ...Object.entries(WHOLE_SECRETS).map(([name, secret]): Check => [
      !known.has(name) || whole.includes(secret),
      `lacks the Secret ${secret}`,
    ]),
    ...Object.keys(settings?.data ?? {}).map((name): Check => [
      OF_MAIL === name || !known.has(name) || given.has(name),
      `lacks the setting ${name}`,
    ]),
  ];
}

/** It listens where its ports and callers expect it, and each upstream is a headless Service. */
function checksOfServer({ container, given, databaseKey }: Workload, all: Manifest[]): Check[] {
  const ports = new Map<string, number>(
    container.ports.map((port: Manifest) => [port.name, port.containerPort]),
  );
  const listens = (variable: string, port: string): boolean =>
    !ports.has(port) || given.get(variable)?.value === String(ports.get(port));
  return [
    [/^(serving|working)_url$/.test(databaseKey), 'is the owner'],
    ...['metrics', 'rpc'].flatMap((port): Check[] => [
      [listens(`${port.toUpperCase()}_PORT`, port), `listens elsewhere than ${port}`],
      [
        !ports.has(port) || given.get(`${port.toUpperCase()}_HOST`)?.value === '0.0.0.0',
        `${port} is for itself only`,
      ],
    ]),
    [listens('PORT', 'http'), 'listens elsewhere'],
    // A server of calls without TLS needs the secret with which its callers sign.
    [!(ports.has('rpc') || ports.has('http')) || given.has('RPC_SECRETS'), 'lacks RPC_SECRETS'],
    ...[...given].flatMap(([variable, { value = '' }]): Check[] => {
      const [, host, port] = /^tcp:\/\/([^:]+):(\d+)$/.exec(value) ?? [];
      if (!host) return [];
      const service = all.find(({ kind, metadata }) => kind === 'Service' && metadata.name === host);
      const leads = service?.spec.ports.some((one: Manifest) => String(one.port) === port);
      return [
        [leads, `${variable} is nobody`],
        [service?.spec.clusterIP === 'None', `${variable} hides its replicas`],
      ];
    }),
  ];
}
