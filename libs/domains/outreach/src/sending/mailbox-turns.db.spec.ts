import { expect, it } from '@jest/globals';
import { useTestDatabase } from '@quarry/testing';
import { ACCEPTED, ALL, FakeTransport, MailScene, outreachParts } from '../mail-scene.fixture.js';

const test = useTestDatabase();

const STEPS = [
  { delay_days: 0, subject: 'Hello', body: 'Hi' },
  { delay_days: 3, subject: null, body: 'Again' },
];

it('settles a message between two steps while another transaction locks the sequence', async () => {
  const scene = await MailScene.open(test, 'live');
  const { sequenceId } = await scene.sequence(['a@x.com'], { steps: STEPS });
  const released = Promise.withResolvers<void>();
  let holding: Promise<unknown> = Promise.resolve();
  const transport = new FakeTransport();
  transport.answer = async () => {
    const held = Promise.withResolvers<void>();
    holding = test.database.transaction(ALL, async (tx) => {
      await test.database.query(tx, 'SELECT FROM outreach.sequences WHERE id = $1 FOR NO KEY UPDATE', [
        sequenceId,
      ]);
      held.resolve();
      await released.promise;
    });
    await held.promise;
    return ACCEPTED;
  };
  await outreachParts(test, { transport: transport.port }).sender.takeTurn(scene.turn);
  const found = [await scene.states(), await scene.enrollments()];
  released.resolve();
  await holding;
  expect(found).toMatchObject([['sent'], [{ status: 'active', step: 1 }]]);
});

it('sends messages that became due meanwhile before new ones, and loses neither', async () => {
  const scene = await MailScene.open(test, 'live');
  await scene.sequence(['a@x.com', 'b@x.com', 'c@x.com', 'd@x.com']);
  const transport = new FakeTransport();
  const wait = { kind: 'refused', isPermanent: false, stage: 'recipient', code: 450 } as const;
  let refused: string | null = null;
  transport.early = ({ to }) => {
    if (refused !== null) return null;
    refused = to;
    return { ...wait, status: null, reply: '450 later' };
  };
  transport.answer = async () => {
    if (transport.bodies.length === 1)
      await scene.sql(
        `UPDATE outreach.messages SET due_at = now() - interval '1 s' WHERE org_id = $1 AND mode = $2 AND state = 'deferred'`,
      );
    return ACCEPTED;
  };
  await outreachParts(test, { transport: transport.port }).sender.takeTurn(scene.turn);
  expect(await scene.states()).toEqual(['sent', 'sent', 'sent', 'sent']);
  expect(transport.bodies.map(({ to }) => to).indexOf(refused!)).toBe(1);
  expect(new Set(transport.bodies.map(({ to }) => to)).size).toBe(4);
});
