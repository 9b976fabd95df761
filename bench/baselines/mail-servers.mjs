// The servers of mailboxes, in a process of their own that counts for no side. Its log says what has arrived.
import { ImapServer, ScriptedSmtpServer } from '@quarry/test-servers';
import { serveCommands } from '../harness/child-process.mjs';

await serveCommands(async ({ cert, key }) => {
  const [smtp, imap] = await Promise.all([
    ScriptedSmtpServer.start({ cert, key }),
    ImapServer.start({ cert, key }),
  ]);
  const answer = ({ clear, log }) => {
    if (clear) smtp.clear();
    if (!log) return Promise.resolve(smtp.accepted.length);
    return Promise.resolve(smtp.accepted.map(({ from, messageId }) => ({ from, messageId })));
  };
  return { facts: { smtpPort: smtp.port, imapPort: imap.port }, answer };
});
