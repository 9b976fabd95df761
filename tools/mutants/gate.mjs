// Guards of a request before it reaches a service: the gate in its order, keys and sessions.
import { guards } from './guards.mjs';

const API_SPEC = 'libs/edge/controllers/src/http-api.db.spec.ts';
const SESSIONS_SPEC = 'libs/edge/controllers/src/app/app-api.db.spec.ts';
const MEMBERS_SPEC = 'libs/edge/controllers/src/app/app-members.db.spec.ts';

export const GATE_MUTANTS = [
  ...guards('libs/edge/http', 'http/gate.ts', 'http/gate.spec.ts', [
    [
      'Gate.hookFor',
      'counts an address before it checks the key',
      `address = this.limitAddress(request, policy);
        if (policy.access === 'open') return admitOpen(request, policy, address);
        const { limited } = await this.authenticateRequest(request, policy, address);`,
      `{ limited } = await this.authenticateRequest(request, policy, '');
        const address = this.limitAddress(request, policy);
        if (policy.access === 'open') return admitOpen(request, policy, address);
        void address;`,
    ],
    [
      'Gate.limitAddress',
      'counts an address before it checks the key',
      'retryAfterSeconds > 0',
      'retryAfterSeconds < 0',
    ],
    ['checkFraming', 'at most one key per request', 'authorizations > 1', 'authorizations > 9'],
  ]),
  ...guards('libs/edge/http', 'http/gate.ts', API_SPEC, [
    [
      'Gate.hookFor',
      'comes before anything is said',
      `const { limited } = await this.authenticateRequest(request, policy, address);
        await this.limitKey(reply, limited, policy.rateClass);
        if (request.is404) throw this.noRoute(request);`,
      `if (request.is404) throw this.noRoute(request);
        const { limited } = await this.authenticateRequest(request, policy, address);
        await this.limitKey(reply, limited, policy.rateClass);`,
    ],
  ]),
  ...guards('libs/edge/http', 'http/create-http-api.ts', API_SPEC, [
    [
      'installGate',
      'comes before anything is said',
      'request.is404 ? (web(request, reply) ?? unknownRoute(request, reply)) : undefined',
      'void [web, unknownRoute]',
    ],
  ]),
  ...guards('libs/edge/http', 'http/gate.ts', SESSIONS_SPEC, [
    ['checkOwnPage', 'has Sec-Fetch-Site cross-site', 'if (!isSameOrigin(raw)) throw foreignOrigin();'],
  ]),
  ...guards('libs/edge/http', 'http/gate.ts', MEMBERS_SPEC, [
    [
      'checkRole',
      'decides what a session and a key may ask',
      "requireRole(role, policy.role === 'by method' ? byMethod : policy.role);",
      'void [role, byMethod];',
    ],
  ]),
  ...guards('libs/edge/controllers', 'api/enrichments.controller.ts', MEMBERS_SPEC, [
    [
      'EnrichmentsController.createEnrichment',
      'decides what a session and a key may ask',
      "requireRole(role, 'member');",
      'void role;',
    ],
  ]),
  ...guards('libs/domains/identity', 'sessions/session-life.ts', SESSIONS_SPEC, [
    ['SESSION_IS_OPEN', 'opens nothing once it is ended', 's.ended_at IS NULL AND'],
  ]),
  ...guards('libs/domains/identity', 'sessions/login-attempts.ts', SESSIONS_SPEC, [
    [
      'LoginAttempts.countAttempt',
      'five wrong passwords',
      'await this.db.query(tx, LOCK, [subjects]);',
      'void LOCK;',
    ],
  ]),
  ...guards('libs/domains/identity', 'members/member.store.ts', MEMBERS_SPEC, [
    ['MemberStore.requireOwnerBeside', 'who is the last owner', 'owners.length === 1', 'owners.length === 0'],
    ['MemberStore.removeMember', 'is void when the owner', 'await this.endInvitationsOf(tx, memberId);', ''],
  ]),
  ...guards('libs/domains/identity', 'keys/api-key.format.ts', 'keys/api-key.format.spec.ts', [
    [
      'parseApiKey',
      'any change of one character',
      'if (checksumOf(text.slice(0, CHECKSUM_AT)) !== text.slice(CHECKSUM_AT)) return null;',
    ],
  ]),
  ...guards('libs/domains/identity', 'keys/key-authenticator.ts', 'keys/key-authenticator.spec.ts', [
    [
      'KeyAuthenticator.admitKey',
      'another secret',
      'timingSafeEqual(record.secretSha256, secretSha256)',
      'secretSha256',
    ],
    ['KeyAuthenticator.admitKey', 'a revoked key also', '!record.isRevoked &&'],
    ['KeyAuthenticator.admitKey', 'says another mode', '|| record.mode !== parsed.mode'],
    [
      'KeyAuthenticator.constructor',
      'less than five seconds',
      'ttl: KEY_CACHE_TTL_MS',
      'ttl: 2 * KEY_CACHE_TTL_MS',
    ],
  ]),
  ...guards('libs/edge/http', 'limits/client-address.ts', 'limits/client-address.spec.ts', [
    [
      'ClientAddress.isTrusted',
      '203.0.113.7 for',
      'this.trusted.check(address.toString(), address.kind())',
      'true',
    ],
  ]),
];
