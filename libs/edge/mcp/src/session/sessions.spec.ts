import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Ctx } from '@quarry/app';
import { ClientSessions } from './client-sessions.js';
import { PendingElicitations, QUESTION_MS, type Answer, type AnswerWay } from './pending-elicitations.js';

const OLD = 'an old secret of the spec, 32 characters or more';
const NEW = 'a new secret of the spec, of 32 characters or more';
const CTX: Ctx = { orgId: 'org_1', keyId: 'key_1', mode: 'live', requestId: 'r', timeoutMs: null };
const OTHERS: Array<[string, Ctx]> = [
  ['key', { ...CTX, keyId: 'key_2' }],
  ['organisation', { ...CTX, orgId: 'org_2' }],
  ['mode', { ...CTX, mode: 'test' }],
];
const beginning = (capabilities: unknown) => ({ method: 'initialize', params: { capabilities } });

describe('an MCP session', () => {
  it.each([
    [{ elicitation: {} }, ['elicitation']],
    [{ elicitation: { form: {} } }, ['elicitation']],
    [{ elicitation: { form: {}, url: {} } }, ['elicitation']],
    // Supports only URLs, and no forms.
    [{ elicitation: { url: {} } }, []],
    [{ sampling: {}, roots: { listChanged: true }, elicitation: {} }, ['elicitation', 'sampling', 'roots']],
    [{ sampling: { tools: {} } }, ['sampling']],
    [{ elicitation: 'yes', sampling: 5, roots: {} }, ['roots']],
    [{ experimental: {} }, []],
    [{}, []],
    [null, []],
    ['elicitation', []],
  ])('allows the questions that the client declared at initialization: %j', (capabilities, askable) => {
    const sessions = new ClientSessions([NEW]);
    const id = sessions.beginSession(CTX, beginning(capabilities));
    expect([...sessions.openSession(CTX, id)!].sort()).toEqual([...askable].sort());
  });

  it.each([[undefined], [null], [5], [{}], [{ params: null }], [{ params: {} }]])(
    'starts also with an initialization message without content: %j',
    (message) => {
      const sessions = new ClientSessions([NEW]);
      expect([...sessions.openSession(CTX, sessions.beginSession(CTX, message))!]).toEqual([]);
    },
  );

  it.each(OTHERS)('cannot be opened by another %s', (_, other) => {
    const sessions = new ClientSessions([NEW]);
    expect(
      sessions.openSession(other, sessions.beginSession(CTX, beginning({ elicitation: {} }))),
    ).toBeNull();
  });

  it('is opened by a process with newer secrets, as long as it also has the one that signed it', () => {
    const id = new ClientSessions([OLD]).beginSession(CTX, beginning({ roots: {} }));
    expect([...new ClientSessions([NEW, OLD]).openSession(CTX, id)!]).toEqual(['roots']);
    expect(new ClientSessions([NEW]).openSession(CTX, id)).toBeNull();
  });

  it('cannot be opened if any character of its id is changed', () => {
    const sessions = new ClientSessions([NEW]);
    const id = sessions.beginSession(CTX, beginning({ elicitation: {} }));
    for (let at = 0; at < id.length; at += 1) {
      const forged = `${id.slice(0, at)}${id[at] === 'x' ? 'y' : 'x'}${id.slice(at + 1)}`;
      const opened = sessions.openSession(CTX, forged);
      // The last character of base64 may contain unused bits.
      if (at < id.length - 1) expect(opened).toBeNull();
    }
    for (const other of ['', 'x', id.slice(1), `${id}.`, 'é'])
      expect(sessions.openSession(CTX, other)).toBeNull();
  });
});

/** In-memory channel for responses between processes. */
class Way implements AnswerWay {
  readonly left = new Map<string, unknown>();
  leaveAnswer(_ctx: Ctx, id: string, answer: unknown): Promise<void> {
    this.left.set(id, answer);
    return Promise.resolve();
  }
  takeAnswer(_ctx: Ctx, id: string): Promise<unknown> {
    const answer = this.left.get(id);
    this.left.delete(id);
    return Promise.resolve(answer);
  }
}

describe('a question to a client', () => {
  const fail = (error: Error): never => {
    throw error;
  };
  const questionsOf = (way: AnswerWay | null = null) => new PendingElicitations([NEW], way, fail);
  const YES: Answer = { result: { action: 'accept' } };
  afterEach(() => void jest.useRealTimers());

  it('is answered only once', async () => {
    const questions = questionsOf();
    const heard: Answer[] = [];
    const id = questions.askClient(CTX, (answer) => heard.push(answer))!;
    expect(await questions.acceptAnswer(CTX, id, YES)).toBe(true);
    expect(await questions.acceptAnswer(CTX, id, { error: { code: 1 } })).toBe(false);
    expect(heard).toEqual([YES]);
  });

  it.each(OTHERS)('cannot be answered by another %s', async (_, other) => {
    const questions = questionsOf();
    const heard: Answer[] = [];
    const id = questions.askClient(CTX, (answer) => heard.push(answer))!;
    expect(await questions.acceptAnswer(other, id, YES)).toBe(false);
    expect(heard).toEqual([]);
    questions.endElicitation(id);
  });

  it.each([[5], [null], [undefined], ['x'], [{}], ['']])(
    'is not answered by the invalid id %j',
    async (id) => {
      const questions = questionsOf(new Way());
      expect(await questions.acceptAnswer(CTX, id, YES)).toBe(false);
    },
  );

  it('can be answered for five minutes', async () => {
    jest.useFakeTimers({ now: 1_000_000, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const questions = questionsOf();
    const heard: Answer[] = [];
    const early = questions.askClient(CTX, (answer) => heard.push(answer))!;
    const late = questions.askClient(CTX, (answer) => heard.push(answer))!;
    jest.setSystemTime(1_000_000 + QUESTION_MS);
    expect(await questions.acceptAnswer(CTX, early, YES)).toBe(true);
    jest.setSystemTime(1_000_000 + QUESTION_MS + 1);
    expect(await questions.acceptAnswer(CTX, late, YES)).toBe(false);
    expect(heard).toHaveLength(1);
  });

  it('counts towards ten per key and two hundred per process, until it ends', () => {
    const questions = questionsOf();
    const nobody = (): void => undefined;
    const of = (key: number) => ({ ...CTX, keyId: `key_${key}` });
    const ids = Array.from({ length: 10 }, () => questions.askClient(of(0), nobody)!);
    expect(new Set(ids).size).toBe(10);
    expect([questions.hasCapacity(of(0)), questions.askClient(of(0), nobody)]).toEqual([false, null]);
    questions.endElicitation(ids[0]!);
    questions.endElicitation(ids[0]!);
    expect(questions.askClient(of(0), nobody)).toEqual(expect.any(String));
    for (let key = 1; key < 20; key += 1)
      for (let i = 0; i < 10; i += 1) expect(questions.askClient(of(key), nobody)).not.toBeNull();
    expect(questions.askClient(of(99), nobody)).toBeNull();
  });

  it('is closed when the process stops, and no new one is asked', () => {
    const questions = questionsOf();
    const heard: Answer[] = [];
    questions.askClient(CTX, (answer) => heard.push(answer));
    questions.close();
    expect(heard).toEqual([{ error: { code: -32_000, message: 'The server stops.' } }]);
    expect(questions.askClient(CTX, () => undefined)).toBeNull();
  });

  it('gets an answer that arrived at another process, even if a poll fails once; closed ones are not polled', async () => {
    const faults: string[] = [];
    const looked: string[] = [];
    const way = new Way();
    const failing: AnswerWay = {
      leaveAnswer: (ctx, id, answer) => way.leaveAnswer(ctx, id, answer),
      takeAnswer: (ctx, id) =>
        looked.push(id) === 1 ? Promise.reject(new Error('gone')) : way.takeAnswer(ctx, id),
    };
    const asking = new PendingElicitations([NEW], failing, ({ message }) => void faults.push(message));
    asking.endElicitation(asking.askClient(CTX, () => undefined)!);
    let id = '';
    const heard = new Promise<Answer>((resolve) => (id = asking.askClient(CTX, resolve)!));
    expect(await questionsOf(way).acceptAnswer(CTX, id, YES)).toBe(true);
    expect(await heard).toEqual(YES);
    expect([faults, looked]).toEqual([['gone'], [id, id]]);
  });
});
