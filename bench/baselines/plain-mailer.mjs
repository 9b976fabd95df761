// The same messages by nodemailer alone: a connection for each, as many at once as there are mailboxes, and nothing written down.
import nodemailer from 'nodemailer';
import { serveCommands } from '../harness/child-process.mjs';

await serveCommands(({ server, message }) => {
  const { user, password, host, port } = server;
  const mailer = nodemailer.createTransport({ host, port, secure: true, auth: { user, pass: password } });
  const answer = async ({ senders, each }) => {
    const startedAt = performance.now();
    await Promise.all(
      senders.map(async (address) => {
        for (let n = 0; n < each; n += 1)
          await mailer.sendMail({
            ...message,
            from: { name: 'Bench', address },
            to: `p${n}@contact.test`,
            list: { unsubscribe: { url: 'https://quarry.test/u/0123456789abcdef0123456789abcdef' } },
          });
      }),
    );
    return { operations: senders.length * each, seconds: (performance.now() - startedAt) / 1000 };
  };
  return Promise.resolve({ answer });
});
