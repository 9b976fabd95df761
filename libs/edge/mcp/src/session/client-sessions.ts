import { CursorSigner, type Ctx } from '@quarry/app';
import { z } from 'zod';
import { signingKeys } from '../signing-keys.js';

/** Header of a session. Source: the specification of 2025-11-25, Transports, Session management. */
export const SESSION_HEADER = 'mcp-session-id';

const ASKABLE = ['elicitation', 'sampling', 'roots'] as const;
/** Capability of a client for which a server may ask during a call. */
export type Askable = (typeof ASKABLE)[number];

/** Capabilities that a client of protocol version 2025-11-25 declared at the start. */
export type ClientSession = ReadonlySet<Askable>;

const anything = z.unknown();
const BEGINNING = z.object({
  params: z.object({
    capabilities: z.object({
      elicitation: z
        .looseObject({ form: anything.optional(), url: anything.optional() })
        .optional()
        .catch(undefined),
      sampling: z.looseObject({}).optional().catch(undefined),
      roots: z.looseObject({}).optional().catch(undefined),
    }),
  }),
});

/**
 * Stateless sessions: the session's id contains the client's capabilities, signed for its key. So any process handles any
 * call of a session, also after a restart. An id grants no rights; it only contains capabilities.
 */
export class ClientSessions {
  private readonly signer: CursorSigner;

  /** @param secrets the first one signs, all verify; the same in every process */
  constructor(secrets: readonly [string, ...string[]]) {
    this.signer = new CursorSigner(signingKeys(secrets));
  }

  /** @param message the message `initialize` @returns the id of the session */
  beginSession(ctx: Ctx, message: unknown): string {
    const read = BEGINNING.safeParse(message);
    const { elicitation, ...others } = read.success ? read.data.params.capabilities : {};
    const declared = { ...others, elicitation: takesForms(elicitation) ? elicitation : undefined };
    return this.signer.signCursor(
      bindingOf(ctx),
      ASKABLE.filter((each) => declared[each] !== undefined).join(' '),
    );
  }

  /** @returns the client's capabilities; null for an invalid id, which is handled like a missing one */
  openSession(ctx: Ctx, id: string): ClientSession | null {
    const sessionText = this.signer.openCursor(bindingOf(ctx), id);
    return sessionText === null
      ? null
      : new Set(ASKABLE.filter((each) => sessionText.split(' ').includes(each)));
  }
}

function bindingOf({ orgId, mode, keyId }: Ctx) {
  return { tenant: [orgId, mode] as const, endpoint: 'mcp-session', subject: keyId ?? '' };
}

/**
 * @returns whether a client with this elicitation capability supports forms; an empty object means yes. Source: the
 *   specification, Elicitation, Capabilities
 */
export function takesForms(elicitation: { form?: unknown; url?: unknown } | undefined): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
