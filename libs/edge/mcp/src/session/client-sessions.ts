import { CursorSigner, type Ctx } from '@quarry/app';
import { z } from 'zod';
import { signingKeys } from '../signing-keys.js';

/** Header of a session. Source: the specification of 2025-11-25, Transports, Session management. */
export const SESSION_HEADER = 'mcp-session-id';

const ASKABLE = ['elicitation', 'sampling', 'roots'] as const;
/** Capability of a client that a server may ask it for, in the middle of a call. */
export type Askable = (typeof ASKABLE)[number];

/** Capabilities that a client of 2025-11-25 declared when it began. */
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
 * Sessions that no process keeps: the session's id is what the client has said of itself, signed for its key. So any
 * process serves any call of a session, also after a restart. An id gives no right; it says what may be asked.
 */
export class ClientSessions {
  private readonly signer: CursorSigner;

  /** @param secrets the first signs, each opens; the same in every process */
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

  /** @returns what the client has said; null for an id that this key has none of, which is served like no id at all */
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

/** @returns whether a client that says this of elicitation shows forms; an empty object means so. Source: the specification, Elicitation, Capabilities */
export function takesForms(elicitation: { form?: unknown; url?: unknown } | undefined): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
