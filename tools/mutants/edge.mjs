// Guards of a request before a service gets it: the gate in its order, the key, the limits, and the body.
import { mutant } from './mutant.mjs';

const edge = (file) => `libs/edge/http/src/${file}`;
const controllers = (file) => `libs/edge/controllers/src/${file}`;
const GATE = edge('http/gate.ts');
const API = controllers('http-api.db.spec.ts');
const APP = controllers('app/app-api.db.spec.ts');
const MEMBERS = controllers('app/app-members.db.spec.ts');
const DOCS = controllers('pages/docs-page.db.spec.ts');

const key = (file) => `libs/domains/identity/src/keys/${file}`;
const KEYS = key('key-authenticator.ts');
const KEY_SPEC = key('key-authenticator.spec.ts');
const FORMAT = key('api-key.format.ts');
const FORMAT_SPEC = key('api-key.format.spec.ts');

const ADDRESS = edge('limits/client-address.ts');
const ADDRESS_SPEC = edge('limits/client-address.spec.ts');
const MEMORY = edge('limits/memory-rate-limit.store.ts');
const REDIS = edge('limits/redis-rate-limit.script.ts');
const LIMITS = edge('limits/rate-limit.store.db.spec.ts');

const ADDRESS_LIMIT = 'const address = this.limitAddress(request, policy);';
const OPEN = "if (policy.access === 'open') return admitOpen(request, policy, address);";
const KEY = 'const { limited } = await this.authenticate(request, policy, address);';
const KEY_LIMIT = 'await this.limitKey(reply, limited, policy.rateClass);';
const KNOWN = 'if (request.is404) throw this.noRoute(request);';
const SESSION = 'checkSession(request, policy);';
const ORIGIN =
  "if (policy.origin === 'own' && !this.parts.origins.admit(request.raw.headers.origin))\n          throw foreignOrigin();";
const TYPE = 'if (takesBody(request.raw, policy)) checkContentType(request.raw, policy);';
/** The steps of the gate as they stand, one in a line. */
const lines = (...steps) => steps.join('\n        ');

const gate = [
  mutant('edge: an address is limited before its key is looked at', API, 'counts addresses before keys', [
    GATE,
    lines(ADDRESS_LIMIT, OPEN, KEY),
    lines(KEY.replace('address', "''"), ADDRESS_LIMIT, OPEN, 'void address;'),
  ]),
  mutant('edge: what needs no key is counted by its address', DOCS, 'is counted by address', [
    GATE,
    lines(ADDRESS_LIMIT, OPEN),
    lines(OPEN, ADDRESS_LIMIT),
  ]),
  mutant('edge: an address is limited', API, 'counts addresses before keys', [
    GATE,
    'if (retryAfterSeconds > 0)',
    'if (retryAfterSeconds < 0)',
  ]),
  mutant('edge: the key before the address is known', API, 'comes before anything is said', [
    GATE,
    lines(KEY, KEY_LIMIT, KNOWN),
    lines(KNOWN, KEY, KEY_LIMIT),
  ]),
  mutant('edge: the key before the type of the body', API, 'comes before anything is said', [
    GATE,
    lines(KEY, KEY_LIMIT, KNOWN, SESSION, ORIGIN, TYPE),
    lines(TYPE, KEY, KEY_LIMIT, KNOWN, SESSION, ORIGIN),
  ]),
  mutant('edge: the key is asked for where there is no route', API, 'comes before anything is said', [
    edge('http/create-http-api.ts'),
    'request.is404 ? (web(request, reply) ?? unknownRoute(request, reply)) : undefined',
    'void [web, unknownRoute]',
  ]),
  mutant('edge: the window of a key before its body', API, 'before its body is judged', [
    edge('limits/key-limiter.ts'),
    "if (outcome === 'window') return",
    "if (outcome === 'never') return",
  ]),
  mutant('edge: the window of a key before the address is known', API, 'shows the budget', [
    GATE,
    lines(KEY_LIMIT, KNOWN),
    lines(KNOWN, KEY_LIMIT),
  ]),
  mutant('edge: requests in flight', API, 'the fourth heavy request', [
    edge('limits/key-limiter.ts'),
    "if (outcome === 'concurrency') return",
    "if (outcome === 'never') return",
  ]),
  mutant('edge: a place in flight is given back', API, 'the fourth heavy request', [
    GATE,
    'if (release) whenClosed(reply.raw, release);',
    '',
  ]),
  mutant('edge: one Host', API, 'envelope: (no Host|two Hosts)', [
    GATE,
    'if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0))',
    'if (hosts > 9)',
  ]),
  mutant('edge: one Authorization', API, 'refused when it is sent twice', [
    GATE,
    'if (authorizations > 1)',
    'if (authorizations > 9)',
  ]),
  mutant('edge: JSON only', API, 'are 415', [GATE, "if (mediaOf(type) !== 'application/json' ||", 'if (']),
  mutant('edge: UTF-8 only', API, 'charset=latin1', [GATE, ' || !isUtf8) throw', ') throw']),
  mutant('edge: no encoding of a body', API, 'are 415 without a type', [
    GATE,
    "if (headers['content-encoding'] !== undefined) throw unsupportedMediaType();",
    '',
  ]),
  mutant('edge: the type of a body is asked', API, 'are 415', [GATE, TYPE, '']),
  mutant('edge: what a session changes comes from its own page', APP, 'says that it is of another site', [
    GATE,
    'if (!isSameOrigin(raw)) throw foreignOrigin();',
    '',
  ]),
  mutant('edge: what a session changes is no form', APP, 'with the type of a form', [
    GATE,
    'throw foreignPage();',
    'void foreignPage;',
  ]),
  mutant('edge: what a role may do', MEMBERS, 'decides what a session may ask', [
    GATE,
    'if (!mayAsk(request.session.role, request, policy)) throw notFound();',
    'void mayAsk;',
  ]),
  mutant('edge: a session that was ended', APP, 'opens nothing once it is ended', [
    'libs/domains/identity/src/sessions/session-life.ts',
    's.ended_at IS NULL AND ',
    '',
  ]),
  mutant('edge: tries to sign in are counted one after the other', APP, 'five wrong passwords', [
    'libs/domains/identity/src/sessions/login-attempts.ts',
    'await this.db.query(tx, LOCK, [subjects]);',
    'void LOCK;',
  ]),
  mutant('edge: the last owner stays', MEMBERS, 'who is the last owner', [
    'libs/domains/identity/src/members/member.store.ts',
    'if (owners.length === 1 &&',
    'if (owners.length === 0 &&',
  ]),
  mutant('edge: memory for large bodies', API, 'finds no memory left', [
    GATE,
    'this.parts.largeBodies.admit(request, reply, policy);',
    '',
  ]),
  mutant('edge: memory for large bodies is given back', API, 'finds no memory left', [
    edge('http/large-bodies.ts'),
    '      giveBack();\n',
    '',
  ]),
  mutant('edge: no import without a length for less than the largest', API, 'finds no memory left', [
    edge('http/large-bodies.ts'),
    'Number.isNaN(announced) ? body.bytesMax : announced',
    'Number.isNaN(announced) ? 0 : announced',
  ]),
  mutant('edge: the shape of an Idempotency-Key', API, 'refuses the Idempotency-Key', [
    edge('http/request-headers.ts'),
    'IDEMPOTENCY_KEY.test(header)',
    'header.length >= 0',
  ]),
];

const TOOLS_SPEC = controllers('api/mcp.db.spec.ts');
const CONSENT = 'libs/edge/mcp/src/confirmation.ts';
const CONSENT_SPEC = 'libs/edge/mcp/src/confirmation.spec.ts';
const tools = [
  mutant('tools: a cursor is bound to what is listed', TOOLS_SPEC, 'of another tenant or list', [
    'libs/edge/mcp/src/page-cursors.ts',
    'subject: JSON.stringify(of)',
    "subject: ''",
  ]),
  mutant(
    'tools: the class of the operation',
    'libs/edge/mcp/src/call-tool.spec.ts',
    'when its class is spent',
    [
      'libs/edge/mcp/src/call-tool.ts',
      "if (tool.rateClass !== 'reads') giveBack = await caller.admit(tool.rateClass);",
      '',
    ],
  ),
  mutant('tools: nothing much is spent unasked', CONSENT_SPEC, 'more than five credits', [
    CONSENT,
    'if (spend.worstCase <= limit)',
    'if (spend.worstCase <= Infinity)',
  ]),
  mutant('tools: a consent is to one tool', CONSENT_SPEC, 'to another tool', [
    CONSENT,
    'asked?.tool === tool.name &&',
    'asked &&',
  ]),
  mutant('tools: a consent is to its arguments', CONSENT_SPEC, 'to other arguments', [
    CONSENT,
    'asked.of === of',
    'true',
  ]),
  mutant('tools: a consent is to its price', CONSENT_SPEC, 'to less than it costs now', [
    CONSENT,
    '&& spend.worstCase <= asked.worstCase',
    '',
  ]),
  mutant('tools: a consent is of its caller', CONSENT_SPEC, 'of another', [
    CONSENT,
    'JSON.stringify([ctx.orgId, ctx.mode, ctx.keyId])',
    "''",
  ]),
  mutant('tools: a consent is good for ten minutes', CONSENT_SPEC, 'is good for ten minutes', [
    CONSENT,
    'ttlSeconds: ANSWER_SECONDS',
    'ttlSeconds: 10 * ANSWER_SECONDS',
  ]),
];

const SHA = 'timingSafeEqual(record.secretSha256, secretSha256)';
const keys = [
  mutant('edge key: the checksum', FORMAT_SPEC, 'any change of one character', [
    FORMAT,
    'if (checksum(text.slice(0, CHECKSUM_AT)) !== text.slice(CHECKSUM_AT)) return null;',
    '',
  ]),
  mutant('edge key: the checksum before the source is asked', KEY_SPEC, 'whose checksum is wrong', [
    FORMAT,
    'if (checksum(text.slice(0, CHECKSUM_AT)) !== text.slice(CHECKSUM_AT)) return null;',
    '',
  ]),
  mutant('edge key: its secret', KEY_SPEC, 'another secret', [KEYS, `&& ${SHA}`, '&& secretSha256']),
  mutant('edge key: not revoked', KEY_SPEC, 'a revoked key also', [KEYS, '!record.isRevoked && ', '']),
  mutant('edge key: known', KEY_SPEC, 'remembers unknown keys', [
    KEYS,
    'if (!isIt || record.mode !== parsed.mode) throw refusal();',
    'if (!record) return record;\n    if (!isIt || record.mode !== parsed.mode) throw refusal();',
  ]),
  mutant('edge key: its mode', KEY_SPEC, 'says another mode', [KEYS, ' || record.mode !== parsed.mode', '']),
  mutant('edge key: an answer is believed for a time', KEY_SPEC, 'less than five seconds', [
    KEYS,
    'ttl: KEY_CACHE_TTL_MS',
    'ttl: 2 * KEY_CACHE_TTL_MS',
  ]),
  mutant('edge key: a header is believed from the read on', KEY_SPEC, 'that is first seen later', [
    KEYS,
    'this.admitted.set(header, record, { start: askedAtMs });',
    'this.admitted.set(header, record);',
  ]),
];

const PEER = '203.0.113.7 for';
const addresses = [
  mutant('edge proxy: only a trusted one is believed', ADDRESS_SPEC, PEER, [
    ADDRESS,
    'this.trusted.check(address.toString(), address.kind())',
    'true',
  ]),
  mutant('edge proxy: what is forwarded is an address', ADDRESS_SPEC, 'vouch for', [
    ADDRESS,
    'hops.findLast((each) => isIP(each) !== 0)',
    'hops.at(-1)',
  ]),
  mutant('edge proxy: each request is told by what it forwards', ADDRESS_SPEC, 'over one connection', [
    ADDRESS,
    'told !== undefined && told.forwarded === forwarded',
    'told !== undefined',
  ]),
  mutant('edge: a subscriber is a /64', ADDRESS_SPEC, 'of IPv6', [
    ADDRESS,
    'address as ipaddr.IPv6).parts.slice(0, 4)',
    'address as ipaddr.IPv6).parts.slice(0, 8)',
  ]),
];

const limits = [
  mutant('edge window: the user, in memory', LIMITS, 'in memory holds all keys', [
    MEMORY,
    'Math.min(keyLeft, user.remaining(nowMs))',
    'keyLeft',
  ]),
  mutant('edge window: in memory', LIMITS, 'in memory admits the budget', [
    MEMORY,
    'if (left > 0) outcome',
    'if (left > -9) outcome',
  ]),
  mutant('edge places: in memory', LIMITS, 'in memory refuses more in flight', [
    MEMORY,
    'if (held.size >= rateClass.concurrency) return false;',
    '',
  ]),
  mutant('edge window: the user, in Redis', LIMITS, 'in Redis holds all keys', [
    REDIS,
    'math.min(keyLeft, userLeft)',
    'keyLeft',
  ]),
  mutant('edge window: in Redis', LIMITS, 'in Redis admits the budget', [
    REDIS,
    'if remaining <= 0 then return {1, remaining, untilNext(binding)} end',
    '',
  ]),
  mutant('edge places: in Redis', LIMITS, 'in Redis refuses more in flight', [
    REDIS,
    "if redis.call('ZCARD', KEYS[3]) >= concurrency then return {2, remaining, untilNext(binding)} end",
    '',
  ]),
];

export const EDGE_MUTANTS = [...gate, ...tools, ...keys, ...addresses, ...limits];
