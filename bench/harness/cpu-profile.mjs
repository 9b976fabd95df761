// Sums of a CPU profile from Node (`--cpu-prof`) by part of the program.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Areas by the first matching pattern: for a package its path, for Node's own modules their name. */
const AREAS = [
  ['JSON', /json-frames\.preload/],
  ['garbage', /^\(garbage collector\)/],
  ['not told apart (V8, system calls)', /^\(program\)/],
  ['pg', /node_modules\/(pg|split2)[-\w]*\//],
  ['bullmq and ioredis', /node_modules\/(bullmq|ioredis|@ioredis|msgpackr|redis)[-\w]*\//],
  [
    'undici, fetch and streams',
    /node_modules\/undici\/|^wasm:|node:internal\/(deps\/undici|webstreams|streams)|node:stream/,
  ],
  [
    'Nest, Fastify, validation, rxjs',
    /node_modules\/(@nestjs|fastify|@fastify|class-|rxjs|reflect-metadata|find-my-way|avvio|fast-|pino|secure-json)/,
  ],
  ['other packages', /node_modules\//],
  ['Node: its own modules', /^node:/],
  ['Node: native functions', /^native /],
  ['our libraries and apps', /^(file:\S*|\.\.\/\.\.)\/(libs|apps)\/|^(src|dist)\//],
  ['elsewhere', /./],
];

/**
 * @param {string} file a `.cpuprofile`
 * @param {{ fromMicros: number, untilMicros: number }} window by the monotonic clock of `process.hrtime`
 * @returns {{ busyMicros: number, areas: Map<string, number>, places: Map<string, number> }} self time without idle time
 */
export function sumProfile(file, { fromMicros, untilMicros }) {
  const { nodes, samples, timeDeltas, startTime } = JSON.parse(readFileSync(file, 'utf8'));
  const placeOf = placesOf(nodes);
  const [areas, places] = [new Map(), new Map()];
  const add = (sums, name, micros) => sums.set(name, (sums.get(name) ?? 0) + micros);
  let [now, busyMicros] = [startTime, 0];
  samples.forEach((id, i) => {
    now += timeDeltas[i];
    const place = placeOf.get(id);
    if (now < fromMicros || now > untilMicros || place === '(idle)') return;
    const micros = timeDeltas[i + 1] ?? 0;
    busyMicros += micros;
    add(areas, AREAS.find(([, pattern]) => pattern.test(place))[0], micros);
    add(places, place, micros);
  });
  return { busyMicros, areas, places };
}

/** @returns by node the file and name of its function; for a C++ function those of its caller */
function placesOf(nodes) {
  const callerOf = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node])));
  const describe = ({ id, callFrame }) => {
    const { functionName, url, lineNumber } = callFrame;
    if (url !== '') return `${moduleAt(url, lineNumber)} ${functionName}`;
    if (functionName.startsWith('(')) return functionName;
    return `native ${functionName || '(anonymous)'} of ${callerOf.get(id)?.callFrame.functionName}`;
  };
  return new Map(nodes.map((node) => [node.id, describe(node)]));
}

const markersOf = new Map();

/** @returns the module of a line in a bundle, where each module starts with a comment with its path; otherwise the file itself */
function moduleAt(url, line) {
  if (!url.startsWith('file:') || !url.includes('/dist/bundle/')) return url;
  if (!markersOf.has(url)) markersOf.set(url, readMarkers(fileURLToPath(url)));
  return markersOf.get(url).findLast((marker) => marker.line <= line)?.path ?? url;
}

function readMarkers(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.flatMap((text, line) => {
    const [, path] = /^\/\/ (\S+\/\S+\.[cm]?js)$/.exec(text) ?? [];
    return path ? [{ line, path }] : [];
  });
}
